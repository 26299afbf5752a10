//===- torch/Kernels.cpp - what the kernels share -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

#include "backends/torch/Memory.h"

namespace tamrt::aten {

static thread_local at::Device currentDevice(at::kCPU);

at::Device device() { return currentDevice; }
void setDevice(at::Device device) { currentDevice = device; }

at::TensorOptions numbers() {
  return at::TensorOptions(currentDevice).dtype(at::kDouble);
}
at::TensorOptions integers() {
  return at::TensorOptions(currentDevice).dtype(at::kLong);
}

Tensor view(const double *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides) {
  return memory().view(numbers, at::kDouble, sizes, strides, currentDevice);
}
Tensor view(const int32_t *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides) {
  return memory().view(numbers, at::kInt, sizes, strides, currentDevice);
}
Tensor view(const int64_t *numbers, at::IntArrayRef sizes,
            at::OptionalIntArrayRef strides) {
  return memory().view(numbers, at::kLong, sizes, strides, currentDevice);
}

/// Bytes, because a device may lack a type of the numbers.
static Tensor bytesAt(const void *address, size_t bytes) {
  return memory().view(address, at::kByte, {int64_t(bytes)}, {}, currentDevice);
}
static Tensor bytesOf(void *memory, size_t bytes) {
  return at::from_blob(memory, {int64_t(bytes)},
                       at::TensorOptions(at::kCPU).dtype(at::kByte));
}

template <class Number>
static std::vector<Number> readAll(const Number *numbers, int64_t count) {
  if (!isOfDevice(numbers))
    return {numbers, numbers + count};
  std::vector<Number> here(static_cast<size_t>(count));
  const size_t bytes = here.size() * sizeof(Number);
  if (bytes > 0)
    bytesOf(here.data(), bytes).copy_(bytesAt(numbers, bytes));
  return here;
}
std::vector<double> read(const double *numbers, int64_t count) {
  return readAll(numbers, count);
}
std::vector<int32_t> read(const int32_t *numbers, int64_t count) {
  return readAll(numbers, count);
}
std::vector<int64_t> read(const int64_t *numbers, int64_t count) {
  return readAll(numbers, count);
}

void write(const std::vector<double> &from, double *numbers) {
  const size_t bytes = from.size() * sizeof(double);
  if (bytes > 0)
    bytesAt(numbers, bytes)
        .copy_(bytesOf(const_cast<double *>(from.data()), bytes));
}

Rows Rows::part(int64_t begin, int64_t end) const {
  return {values.slice(0, begin, end),
          isDense() ? Tensor() : index.slice(0, begin, end)};
}

Tensor Rows::columns() const {
  return isDense() ? at::arange(values.size(1), integers())
                         .expand({values.size(0), values.size(1)})
                   : index;
}

Rows dense(const double *a, int64_t rows, int64_t n) {
  return {view(a, {rows, n}), Tensor()};
}

Rows banded(const double *a, const int32_t *start, int64_t rows, int64_t z) {
  return {view(a, {rows, z}),
          view(start, {rows, 1}).to(at::kLong) + at::arange(z, integers())};
}

Rows oneHot(const int32_t *a, int64_t rows, int64_t n) {
  const Tensor index = view(a, {rows, 1}).to(at::kLong);
  const Tensor isColumn = index.ge(0);
  if (index.lt(TAMRT_INDEX_NONE).any().item<bool>()) {
    // The inverse of TAMRT_INDEX_MEAN.
    const Tensor mean = index.neg().sub(1);
    const Tensor column = at::arange(n, integers());
    const Tensor one = column.eq(index).to(at::kDouble);
    const Tensor share = column.lt(mean).to(at::kDouble).div(mean.clamp_min(1));
    return {at::where(isColumn, one, share), Tensor()};
  }
  return {isColumn.to(at::kDouble), index.clamp_min(0)};
}

Rows multiHot(const int32_t *a, int64_t rows, int64_t z, double scale) {
  return {at::full({}, scale, numbers()).expand({rows, z}),
          view(a, {rows, z}).to(at::kLong)};
}

Rows sparse(const double *a, const int32_t *index, int64_t rows, int64_t z) {
  return {view(a, {rows, z}), view(index, {rows, z}).to(at::kLong)};
}

Evaluation::Evaluation(const Tensor &x, int64_t mode, int64_t position)
    : at(x) {
  expect(mode >= TAMRT_CONTINUE && mode <= TAMRT_SATURATION, position);
  if (mode == TAMRT_CONTINUE)
    return;
  const Tensor beyond = x.abs().gt(1);
  if (!beyond.any().item<bool>())
    return;
  const Tensor one = at::ones_like(x);
  const Tensor sign = at::where(x.gt(0), one, one.neg());
  at = at::where(beyond, sign, x);
  if (mode == TAMRT_CONSTANT)
    return;
  isBeyond = true;
  inner = at::where(beyond, sign.sub(sign.mul(kStep)), x);
  const Tensor distance = x.sub(sign).abs();
  const Tensor reach =
      mode == TAMRT_LINEAR
          ? distance
          : at::ones_like(x).sub(distance.mul(-2).exp()).div(2);
  amount = at::where(beyond, reach, at::zeros_like(x));
}

Tensor blend(const Tensor &border, const Tensor &inside, const Tensor &amount) {
  at::DimVector sizes(size_t(border.dim()), 1);
  sizes[0] = border.size(0);
  const Tensor share = amount.reshape(sizes);
  const Tensor beyond =
      border.add(border.sub(inside).div(Evaluation::kStep).mul(share));
  return at::where(share.ne(0), beyond, border);
}

Tensor Evaluation::combine(const Tensor &border, const Tensor &inside) const {
  return blend(border, inside, amount);
}

} // namespace tamrt::aten
