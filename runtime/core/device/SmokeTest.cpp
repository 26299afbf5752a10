//===- core/device/SmokeTest.cpp - tests a device before use --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Devices.h"
#include "kernels/Status.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace tamrt {
namespace {

/// Doubles in a device's memory.
class Numbers {
public:
  static Result<Numbers> put(Device &device, const std::vector<double> &from) {
    const size_t bytes = from.size() * sizeof(double);
    Numbers numbers(device, from.size(), device.allocate(bytes, "test"));
    if (!numbers.buffer)
      return Error{fmt::format("expected {} bytes of memory for a test, got "
                               "less",
                               bytes)};
    const int32_t status = device.copy(numbers.data(), from.data(), bytes);
    if (Status s = device.describe(status, "copy"); !s)
      return std::move(s).error();
    return numbers;
  }

  double *data() const { return buffer.as<double>(); }

  Result<std::vector<double>> get() const {
    std::vector<double> to(count);
    const int32_t status =
        device.copy(to.data(), data(), count * sizeof(double));
    if (Status s = device.describe(status, "copy"); !s)
      return std::move(s).error();
    return to;
  }

private:
  Numbers(Device &device, size_t count, AlignedBuffer buffer)
      : device(device), count(count), buffer(std::move(buffer)) {}

  Device &device;
  size_t count;
  AlignedBuffer buffer;
};

Status statusOf(const tamrt_context &context) {
  if (context.status != TAMRT_OK)
    return Error{fmt::format("a kernel reported status {}, detail {}",
                             context.status, context.detail)};
  return {};
}

/// 1 + 1000 times 2^-40: in binary32 only the 1 remains.
Status testSum(Device &device) {
  constexpr int64_t rows = 1001;
  std::vector<double> ones(rows, 1), numbers(rows, std::ldexp(1.0, -40));
  numbers[0] = 1;
  Result<Numbers> a = Numbers::put(device, ones);
  if (!a)
    return std::move(a).error();
  Result<Numbers> y = Numbers::put(device, numbers);
  if (!y)
    return std::move(y).error();
  Result<Numbers> sums = Numbers::put(device, {0});
  if (!sums)
    return std::move(sums).error();
  tamrt_context context = {};
  context.kernels = device.kernels();
  context.kernels->rhs_dense(&context, a->data(), y->data(), nullptr, rows, 1,
                             sums->data());
  if (Status s = statusOf(context); !s)
    return s;
  Result<std::vector<double>> got = sums->get();
  if (!got)
    return std::move(got).error();
  const double expected = 1 + 1000 * std::ldexp(1.0, -40);
  if ((*got)[0] != expected)
    return Error{fmt::format("expected {}, got {}", expected, (*got)[0])};
  return {};
}

/// A x = b with a known x, for the matrix min(i, j) + 1, whose factor is the
/// triangle of ones.
Status testCholesky(Device &device) {
  constexpr int64_t n = 70;
  // The right-hand side is followed by the kernel's workspace, aligned.
  constexpr int64_t padded = 72;
  static_assert(padded >= n && padded * sizeof(double) % TAMRT_ALIGNMENT == 0);
  std::vector<double> matrix(n * n), right(padded + TAMRT_SOLVE_WORKSPACE(n));
  auto solution = [](int64_t i) { return double(i % 7) - 3; };
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      matrix[size_t(j * n + i)] = double(std::min(i, j) + 1);
      right[size_t(i)] += double(std::min(i, j) + 1) * solution(j);
    }
  Result<Numbers> a = Numbers::put(device, matrix);
  if (!a)
    return std::move(a).error();
  Result<Numbers> b = Numbers::put(device, right);
  if (!b)
    return std::move(b).error();
  tamrt_context context = {};
  context.kernels = device.kernels();
  context.kernels->cholesky_solve(&context, n, a->data(), b->data(),
                                  b->data() + padded);
  if (Status s = statusOf(context); !s)
    return s;
  Result<std::vector<double>> got = b->get();
  if (!got)
    return std::move(got).error();
  for (int64_t i = 0; i < n; ++i)
    if (!(std::abs((*got)[size_t(i)] - solution(i)) <= 1e-9))
      return Error{fmt::format("expected {} at {}, got {}", solution(i), i,
                               (*got)[size_t(i)])};
  return {};
}

} // namespace

Status testDevice(Device &device, std::vector<std::string> &tests) {
  const tamrt_kernels &kernels = *device.kernels();
  if (!kernels.rhs_dense || !kernels.cholesky_solve)
    return Error{"expected the kernels rhs_dense and cholesky_solve, which its "
                 "test needs, got a device without them"};
  const std::pair<const char *, Status (*)(Device &)> all[] = {
      {"binary64 sum", testSum}, {"cholesky", testCholesky}};
  for (const auto &[name, test] : all) {
    Status done = test(device);
    tests.push_back(std::string(name) + ": " +
                    (done ? "ok" : done.error().message));
    if (!done)
      return Error{"test '" + std::string(name) +
                   "' failed: " + done.error().message};
  }
  return {};
}

} // namespace tamrt
