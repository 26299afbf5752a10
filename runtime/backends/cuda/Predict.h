//===- cuda/Predict.h - predictions, and dense copies -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies that read the rows of one encoded matrix: predictions, copies into a
/// dense matrix, conversions to sparse ones, and products of two.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_PREDICT_H
#define TAMRT_BACKENDS_CUDA_PREDICT_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Encodings.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// A thread for each row.
template <class Matrix> struct Predict {
  static constexpr const char *name = "predict";
  static constexpr bool hasBarriers = false;

  Matrix a;
  Buffer<const double> beta;
  int64_t rows, width, column, accumulate;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = a.view(block);
    auto vector = block.view(beta);
    auto to = block.view(out);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      const double product = matrix.dot(r, vector);
      if (accumulate)
        to[r * width + column] += product;
      else
        to[r * width + column] = product;
    }
  }
};

/// A thread for each number of the copy.
template <class Matrix> struct Expand {
  static constexpr const char *name = "expand";
  static constexpr bool hasBarriers = false;

  Matrix a;
  int64_t rows, n, width, column;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = a.view(block);
    auto to = block.view(out);
    for (int64_t i = block.index(); i < rows * n; i += block.total())
      to[i / n * width + column + i % n] = matrix.at(i / n, i % n);
  }
};

/// Where a matrix goes in the rows of a sparse one (kernels.def).
struct SparsePart {
  int64_t first, width, at;
};

/// A thread for each of the z numbers that a row gets.
template <class Matrix> struct Sparsify {
  static constexpr const char *name = "sparsify";
  static constexpr bool hasBarriers = false;

  Matrix a;
  int64_t rows, z;
  SparsePart part;
  Buffer<double> values;
  Buffer<int32_t> index;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = a.view(block);
    auto to = block.view(values);
    auto columns = block.view(index);
    for (int64_t i = block.index(); i < rows * z; i += block.total()) {
      const int64_t r = i / z, own = i % z, length = matrix.length(r);
      if (length > z)
        block.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
      const Number number = own < length ? matrix.number(r, own) : Number{};
      const int64_t place = r * part.width + part.at + own;
      to[place] = number.value;
      columns[place] = static_cast<int32_t>(part.first + number.column);
    }
  }
};

/// A thread for each number of the product.
struct KroneckerDense {
  static constexpr const char *name = "kronecker_dense";
  static constexpr bool hasBarriers = false;

  Buffer<const double> a, b;
  int64_t rows, na, nb;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto left = block.view(a), right = block.view(b);
    auto to = block.view(values);
    for (int64_t i = block.index(); i < rows * na * nb; i += block.total())
      to[i] = left[i / nb] * right[i / (na * nb) * nb + i % nb];
  }
};

/// A thread for each number of the product. Numbers that are 0 lie anywhere.
struct KroneckerSparse {
  static constexpr const char *name = "kronecker_sparse";
  static constexpr bool hasBarriers = false;

  Sparse a, b;
  int64_t rows, nb;
  Buffer<double> values;
  Buffer<int32_t> index;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto left = a.view(block);
    auto right = b.view(block);
    auto to = block.view(values);
    auto columns = block.view(index);
    const int64_t z = a.z * b.z;
    for (int64_t i = block.index(); i < rows * z; i += block.total()) {
      const int64_t l = i / z * a.z + i % z / b.z;
      const int64_t r = i / z * b.z + i % b.z;
      const double x = left.values[l], y = right.values[r];
      to[i] = x * y;
      columns[i] =
          x == 0.0 || y == 0.0
              ? 0
              : static_cast<int32_t>(left.index[l] * nb + right.index[r]);
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_PREDICT_H
