//===- torch/Narrow.cpp - kernels of devices without binary64 -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Narrow.h"

#include "backends/torch/Kernels.h"
#include "backends/torch/Refine.h"

#include <cmath>
#include <optional>

namespace tamrt::aten::narrow {
namespace {

/// Numbers of binary32 on the device.
Tensor upload(const std::vector<float> &numbers, at::IntArrayRef sizes) {
  return at::from_blob(const_cast<float *>(numbers.data()), sizes,
                       at::TensorOptions(at::kCPU).dtype(at::kFloat))
      .to(device(), at::kFloat, /*non_blocking=*/false, /*copy=*/true);
}

std::vector<double> download(const Tensor &numbers) {
  const Tensor here = numbers.cpu().contiguous();
  const float *first = here.data_ptr<float>();
  return {first, first + here.numel()};
}

/// Numbers as unevaluated sums of two of binary32 (Dekker, Numer. Math. 18,
/// 1971): 48 bits.
struct Pair {
  Tensor high, low;

  static Pair of(const std::vector<double> &numbers, at::IntArrayRef sizes) {
    std::vector<float> high(numbers.begin(), numbers.end()), low;
    for (size_t i = 0; i < numbers.size(); ++i)
      low.push_back(static_cast<float>(numbers[i] - double(high[i])));
    return {upload(high, sizes), upload(low, sizes)};
  }
  Pair rows(int64_t begin, int64_t end) const {
    return {high.slice(0, begin, end), low.slice(0, begin, end)};
  }
};

/// a + b and its error.
Pair exactSum(const Tensor &a, const Tensor &b) {
  const Tensor sum = a.add(b), part = sum.sub(a);
  return {sum, a.sub(sum.sub(part)).add(b.sub(part))};
}

Pair sumOf(const Pair &a, const Pair &b) {
  const Pair sum = exactSum(a.high, b.high);
  return exactSum(sum.high, sum.low.add(a.low.add(b.low)));
}

/// a * b and its error, without a fused operation.
Pair exactProduct(const Tensor &a, const Tensor &b) {
  auto split = [](const Tensor &x) {
    const Tensor large = x.mul(4097);
    const Tensor high = large.sub(large.sub(x));
    return Pair{high, x.sub(high)};
  };
  const Tensor product = a.mul(b);
  const Pair x = split(a), y = split(b);
  const Tensor error = x.high.mul(y.high).sub(product).add(x.high.mul(y.low));
  return {product, error.add(x.low.mul(y.high)).add(x.low.mul(y.low))};
}

Pair productOf(const Pair &a, const Pair &b) {
  const Pair product = exactProduct(a.high, b.high);
  return exactSum(product.high,
                  product.low.add(a.high.mul(b.low).add(a.low.mul(b.high))));
}

/// The sums of the columns, by halves.
Pair sumOfRows(Pair all) {
  while (all.high.size(0) > 1) {
    const int64_t rows = all.high.size(0), half = rows / 2;
    const Pair sums = sumOf(all.rows(0, half), all.rows(half, 2 * half));
    const Pair rest = all.rows(2 * half, rows);
    all = {at::cat({sums.high, rest.high}), at::cat({sums.low, rest.low})};
  }
  return all;
}

/// A' factor in binary32, of A scaled to a diagonal near 1 by powers of two.
class Factor {
public:
  /// Nothing if A is not definite, or not in binary32.
  static std::optional<Factor> make(const std::vector<double> &a, int64_t n) {
    Factor factor(n);
    for (int64_t j = 0; j < n; ++j) {
      const double pivot = a[size_t(j * n + j)];
      if (!(pivot > 0))
        return std::nullopt;
      factor.scales.push_back(std::exp2(-std::round(std::log2(pivot) / 2)));
    }
    std::vector<float> scaled(size_t(n * n), 0.0f);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i < n; ++i)
        scaled[size_t(i * n + j)] = scaled[size_t(j * n + i)] =
            static_cast<float>(a[size_t(j * n + i)] * factor.scales[size_t(i)] *
                               factor.scales[size_t(j)]);
    const Tensor matrix = upload(scaled, {n, n});
    // Iterations take longer with a factor of a matrix that is farther away.
    for (const double shift : {0.0, 1e-6, 1e-5, 1e-4, 1e-3}) {
      Tensor shifted = matrix.clone();
      shifted.diagonal().add_(shift);
      const auto [l, info] = at::linalg_cholesky_ex(shifted);
      if (info.item<int32_t>() != 0)
        continue;
      factor.l = l;
      return factor;
    }
    return std::nullopt;
  }

  std::vector<double> solve(const std::vector<double> &right) const {
    // Binary32 has fewer exponents.
    const double largest = largestOf(right);
    if (!(largest > 0) || !std::isfinite(largest))
      return right;
    std::vector<float> scaled;
    std::vector<double> shifted(right.size());
    for (size_t i = 0; i < right.size(); ++i)
      shifted[i] = right[i] * scales[i];
    const double unit = largestOf(shifted);
    for (const double number : shifted)
      scaled.push_back(static_cast<float>(number / unit));
    const Tensor half =
        at::linalg_solve_triangular(l, upload(scaled, {n, 1}), /*upper=*/false);
    std::vector<double> x =
        download(at::linalg_solve_triangular(l.mT(), half, /*upper=*/true));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] *= unit * scales[i];
    return x;
  }

private:
  explicit Factor(int64_t n) : n(n) {}

  int64_t n;
  std::vector<double> scales;
  Tensor l;
};

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// Conjugate gradients on the CPU in binary64, with the device's factor as the
/// preconditioner: they converge in a few iterations also where the factor's
/// error is too large for refinement alone. \returns whether they did.
bool iterate(const std::vector<double> &a, const Factor &factor,
             const std::vector<double> &b, std::vector<double> &x) {
  const size_t n = b.size();
  x.assign(n, 0.0);
  std::vector<double> rest = b, z = factor.solve(rest), p = z;
  double now = dot(rest, z);
  const double goal = 1e-15 * std::sqrt(now);
  const std::vector<double> none(n, 0.0);
  for (size_t i = 0; i < 2 * n + 20; ++i) {
    if (!(now >= 0))
      return false;
    if (std::sqrt(now) <= goal)
      return true;
    const std::vector<double> product = residual(a, none, p);
    const double curvature = -dot(p, product);
    if (!(curvature > 0))
      return false;
    const double step = now / curvature;
    for (size_t k = 0; k < n; ++k) {
      x[k] += step * p[k];
      rest[k] += step * product[k];
    }
    z = factor.solve(rest);
    const double next = dot(rest, z), share = next / now;
    for (size_t k = 0; k < n; ++k)
      p[k] = z[k] + share * p[k];
    now = next;
  }
  return false;
}

} // namespace

void rhs_dense(const double *a, const double *y, const double *w, int64_t rows,
               int64_t n, double *sums) {
  if (rows == 0)
    return;
  Pair product = productOf(Pair::of(read(a, rows * n), {rows, n}),
                           Pair::of(read(y, rows), {rows, 1}));
  if (w)
    product = productOf(product, Pair::of(read(w, rows), {rows, 1}));
  const Pair total = sumOfRows(product);
  std::vector<double> high = download(total.high), low = download(total.low);
  std::vector<double> all = read(sums, n);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] += high[i] + low[i];
  write(all, sums);
}

bool cholesky_solve(int64_t n, double *a, double *b,
                    decltype(tamrt_kernels::cholesky_solve) cpu) {
  std::vector<double> matrix = read(a, n * n), right = read(b, n);
  if (n == 0)
    return true;
  bool isGood = true;
  for (int64_t j = 0; j < n; ++j)
    isGood &= std::isfinite(matrix[size_t(j * (n + 1))]) &&
              std::isfinite(right[size_t(j)]);
  std::vector<double> x;
  if (isGood) {
    const std::optional<Factor> factor = Factor::make(matrix, n);
    isGood = factor && iterate(matrix, *factor, right, x);
    if (isGood)
      refine(matrix, right, x, [&](const std::vector<double> &rest) {
        std::vector<double> step;
        return iterate(matrix, *factor, rest, step)
                   ? step
                   : std::vector<double>(size_t(n), 0.0);
      });
  }
  if (!isGood) {
    tamrt_context context = {};
    std::vector<double> workspace(size_t(TAMRT_SOLVE_WORKSPACE(n)) + 8);
    auto first = reinterpret_cast<uintptr_t>(workspace.data());
    first = (first + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
    cpu(&context, n, matrix.data(), right.data(),
        reinterpret_cast<double *>(first));
    if (context.status != TAMRT_OK)
      throw Failure{tamrt_status(context.status), context.detail};
    x = right;
  }
  write(x, b);
  return isGood;
}

} // namespace tamrt::aten::narrow
