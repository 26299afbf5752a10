//===- torch/Kernels.h - kernels of ATen operations ----------- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of the kernels of kernels.def that are functions of ATen
/// operations, and what their files share.
///
/// A sum over rows adds one row after another to the accumulator, as the CPU
/// does: `index_add_` adds the products of rows in their order. Everything else
/// is elementwise, one rounded operation at a time. So the bytes do not depend
/// on where chunks end.
///
/// A kernel throws a Failure, or what LibTorch throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_KERNELS_H
#define TAMRT_BACKENDS_TORCH_KERNELS_H

#include "tamrt/abi.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tamrt::aten {

using at::Tensor;

#define TAMRT_IN(type, name) const type *name
#define TAMRT_IN_OPTIONAL(type, name) const type *name
#define TAMRT_IN_LIST(type, name) const type *const *name, int64_t name##_count
#define TAMRT_SCALAR(type, name) type name
#define TAMRT_OUT(type, name) type *name
#define TAMRT_INOUT(type, name) type *name
/// What kernels do, without the context. Null: the backend lacks the kernel,
/// and steps that need it run on the CPU (tamrt/backend.h).
struct Bodies {
#define TAMRT_KERNEL(name, ...) void (*name)(__VA_ARGS__) = nullptr;
#include "tamrt/kernels.def"
};
#undef TAMRT_IN
#undef TAMRT_IN_OPTIONAL
#undef TAMRT_IN_LIST
#undef TAMRT_SCALAR
#undef TAMRT_OUT
#undef TAMRT_INOUT

/// Each file adds the kernels that it has.
void addAssembly(Bodies &all);
void addEncodings(Bodies &all);
void addFeatures(Bodies &all);
void addInference(Bodies &all);
void addPoints(Bodies &all);
void addSolving(Bodies &all);
void addSums(Bodies &all);

/// A status for the kernel's context.
struct Failure {
  tamrt_status status;
  int64_t detail;
};

/// The torch device of the kernel that this thread runs.
at::Device device();
void setDevice(at::Device device);

/// Options of temporary tensors there.
at::TensorOptions numbers();
at::TensorOptions integers();

/// Views of a kernel's operands.
Tensor view(const double *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides = {});
Tensor view(const int32_t *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides = {});
Tensor view(const int64_t *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides = {});

/// Operands as numbers of the CPU: waits for the device.
std::vector<double> read(const double *numbers, int64_t count);
std::vector<int32_t> read(const int32_t *numbers, int64_t count);
std::vector<int64_t> read(const int64_t *numbers, int64_t count);

/// Writes numbers of the CPU to an operand.
void write(const std::vector<double> &from, double *numbers);

/// Bytes of temporary tensors that a kernel makes at once: where rows need
/// more, it takes some rows after others.
constexpr int64_t kPartBytes = int64_t(4) << 20;

/// Calls body(begin, end) for parts of the rows, which need so many bytes each.
template <class Body>
void forEachPart(int64_t rows, int64_t rowBytes, const Body &body) {
  const int64_t most =
      std::max<int64_t>(1, kPartBytes / std::max<int64_t>(1, rowBytes));
  for (int64_t begin = 0; begin < rows; begin += most)
    body(begin, std::min(rows, begin + most));
}

/// Rows of an encoded matrix: `values` and `index` (64-bit columns) are rows x
/// z, or, for a dense one, `index` is undefined and the values are rows x n.
/// Every index is a column, also where the value is 0.
struct Rows {
  Tensor values, index;

  bool isDense() const { return !index.defined(); }
  /// Rows [begin, end).
  Rows part(int64_t begin, int64_t end) const;
  /// The columns of a dense matrix, too.
  Tensor columns() const;
};
Rows dense(const double *a, int64_t rows, int64_t n);
Rows banded(const double *a, const int32_t *start, int64_t rows, int64_t z);
/// An index without a column (TAMRT_INDEX_*) becomes a value of 0, or the
/// values of a mean.
Rows oneHot(const int32_t *a, int64_t rows, int64_t n);
Rows multiHot(const int32_t *a, int64_t rows, int64_t z, double scale);
Rows sparse(const double *a, const int32_t *index, int64_t rows, int64_t z);

/// Where a feature map is evaluated beyond [-1, 1] (docs/math.md section 3):
/// phi(at) + amount * (phi(at) - phi(inner)) / kStep. `isBeyond` is false if
/// phi(at) is enough for all rows.
struct Evaluation {
  static constexpr double kStep = 1e-5;

  Evaluation(const Tensor &x, int64_t mode, int64_t position);
  /// The values, from those at `at` and `inner`; the numbers of a row are in
  /// the dimensions after the first.
  Tensor combine(const Tensor &border, const Tensor &inside) const;

  Tensor at, inner, amount;
  bool isBeyond = false;
};

/// border + amount * ((border - inside) / kStep); the border where the amount
/// is 0.
Tensor blend(const Tensor &border, const Tensor &inside, const Tensor &amount);

/// Throws TAMRT_ERROR_INVALID_ARGUMENT for the parameter at `position` unless
/// `isValid`.
inline void expect(bool isValid, int64_t position) {
  if (!isValid)
    throw Failure{TAMRT_ERROR_INVALID_ARGUMENT, position};
}

} // namespace tamrt::aten

#endif // TAMRT_BACKENDS_TORCH_KERNELS_H
