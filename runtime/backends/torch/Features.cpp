//===- torch/Features.cpp - feature maps of one variable ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

#include <cmath>

namespace tamrt::aten {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// The number that `address` has, as a tensor without dimensions.
Tensor scalarAt(const double *address) { return view(address, {}); }

/// A function of `x` in a mode, rows x n numbers.
template <class Function>
void evaluate(const double *x, int64_t rows, int64_t n, int64_t mode,
              int64_t position, double *values, const Function &phi) {
  const Tensor all = view(x, {rows});
  Tensor out = view(values, {rows, n});
  forEachPart(rows, 8 * n, [&](int64_t begin, int64_t end) {
    const Evaluation e(all.slice(0, begin, end), mode, position);
    Tensor part = out.slice(0, begin, end);
    if (e.isBeyond)
      part.copy_(e.combine(phi(e.at), phi(e.inner)));
    else
      part.copy_(phi(e.at));
  });
}

/// The knots of a spline: lo degree + 1 times, the interior points of
/// linspace(lo, hi, k + 1), hi degree + 1 times.
class Knots {
public:
  Knots(double lo, double hi, int64_t k, int64_t degree)
      : lo(lo), hi(hi), k(k), degree(degree) {
    const double step = (hi - lo) / static_cast<double>(k);
    std::vector<double> knots;
    for (int64_t i = -degree; i <= k + degree; ++i) {
      if (i <= 0)
        knots.push_back(lo);
      else if (i >= k)
        knots.push_back(hi);
      else
        // From the nearer end, so that the knots are symmetric.
        knots.push_back(2 * i <= k ? lo + step * static_cast<double>(i)
                                   : hi - step * static_cast<double>(k - i));
    }
    all = at::from_blob(knots.data(), {int64_t(knots.size())},
                        at::TensorOptions(at::kCPU).dtype(at::kDouble))
              .to(device(), at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  }

  /// Where the basis is evaluated for x; lo for NaN.
  Tensor clamp(const Tensor &x) const {
    const Tensor most = x.clamp_max(hi - 1e-6);
    return at::where(most.gt(lo), most, at::full_like(x, lo));
  }

  /// The first column of the functions that do not vanish at clamped points.
  Tensor firstColumn(const Tensor &x) const {
    const double perUnit = static_cast<double>(k) / (hi - lo);
    Tensor i = x.sub(lo).mul(perUnit);
    i = at::where(i.gt(0), i, at::zeros_like(i))
            .clamp_max(static_cast<double>(k - 1))
            .to(at::kLong);
    // The quotient may round to the wrong side of a knot.
    i = i.sub(x.lt(at(i)).logical_and(i.gt(0)).to(at::kLong));
    return i.add(x.ge(at(i.add(1))).logical_and(i.lt(k - 1)).to(at::kLong));
  }

  /// The degree + 1 functions from `first` on, at clamped points, by the
  /// triangular scheme of Cox and de Boor.
  Tensor evaluate(const Tensor &first, const Tensor &x) const {
    std::vector<Tensor> values = {at::ones_like(x)};
    for (int64_t p = 1; p <= degree; ++p) {
      Tensor carried = at::zeros_like(x);
      for (int64_t i = 0; i < p; ++i) {
        const Tensor low = at(first.add(i + 1 - p)),
                     high = at(first.add(i + 1));
        const Tensor gap = high.sub(low);
        // 0/0 = 0: a function between coinciding knots contributes nothing.
        const Tensor share = at::where(gap.gt(1e-8), values[size_t(i)].div(gap),
                                       at::zeros_like(x));
        values[size_t(i)] = carried.add(high.sub(x).mul(share));
        carried = x.sub(low).mul(share);
      }
      values.push_back(carried);
    }
    return at::stack(values, 1);
  }

private:
  /// Knot `span` + degree.
  Tensor at(const Tensor &span) const {
    return all.index_select(0, span.add(degree));
  }

  double lo, hi;
  int64_t k, degree;
  Tensor all;
};

} // namespace

static void normalize(const double *v, const double *parameters, int64_t rows,
                      double *x) {
  Tensor out = view(x, {rows});
  at::sub_out(out, view(v, {rows}), scalarAt(parameters));
  out.div_(scalarAt(parameters + 1));
}

static void offset(int64_t rows, double *values) {
  view(values, {rows}).fill_(1);
}

static void linear(const double *x, int64_t rows, double scale, int64_t mode,
                   double *values) {
  evaluate(x, rows, 1, mode, 4, values,
           [&](const Tensor &at) { return at.mul(scale).unsqueeze(1); });
}

static void linear_columns(const double *scales, const int64_t *modes,
                           const double *const *inputs, int64_t inputs_count,
                           int64_t rows, double *values) {
  expect(inputs_count % 2 == 0, 3);
  // Some columns of the same mode are evaluated together, as if they were one.
  constexpr int64_t kMost = 64;
  const int64_t n = inputs_count / 2;
  const std::vector<int64_t> modeOf = read(modes, n);
  const Tensor out = view(values, {rows, n});
  for (int64_t first = 0, last = 0; first < n; first = last) {
    const int64_t mode = modeOf[size_t(first)];
    while (last < n && last - first < kMost && modeOf[size_t(last)] == mode)
      ++last;
    std::vector<Tensor> columns, parameters;
    for (int64_t j = first; j < last; ++j) {
      columns.push_back(view(inputs[2 * j], {rows}));
      parameters.push_back(view(inputs[2 * j + 1], {2}));
    }
    const Tensor range = at::stack(parameters);
    const Tensor scale = view(scales + first, {last - first});
    forEachPart(rows, 8 * (last - first), [&](int64_t begin, int64_t end) {
      std::vector<Tensor> some;
      for (const Tensor &column : columns)
        some.push_back(column.slice(0, begin, end));
      const Tensor x =
          at::stack(some, 1).sub(range.select(1, 0)).div(range.select(1, 1));
      const Evaluation e(x.reshape(-1), mode, 2);
      const auto phi = [&](const Tensor &at) {
        return at.reshape(x.sizes()).mul(scale).reshape({-1, 1});
      };
      const Tensor result =
          e.isBeyond ? e.combine(phi(e.at), phi(e.inner)) : phi(e.at);
      out.slice(0, begin, end)
          .slice(1, first, last)
          .copy_(result.reshape(x.sizes()));
    });
  }
}

static void affine(const double *x, int64_t rows, double scale,
                   double *values) {
  const Tensor out = view(values, {rows, 2});
  out.select(1, 0).fill_(1);
  out.select(1, 1).copy_(view(x, {rows}).mul(scale));
}

static void fourier(const double *x, int64_t rows, int64_t m, int64_t cyclic,
                    int64_t mode, double *values) {
  evaluate(x, rows, 2 * m, mode, 5, values, [&](const Tensor &at) {
    const Tensor multiples = at::arange(1, m + 1, numbers());
    Tensor turns = at.mul(cyclic ? 1.0 : 0.5).unsqueeze(1).mul(multiples);
    // Whole turns are taken off exactly.
    turns = turns.sub(turns.div(2).round().mul(2)).mul(kPi);
    return at::cat({turns.cos(), turns.sin()}, 1);
  });
}

static void chebyshev(const double *x, int64_t rows, int64_t degree,
                      int64_t mode, double *values) {
  evaluate(x, rows, degree, mode, 4, values, [&](const Tensor &at) {
    Tensor before = at::ones_like(at), now = at;
    const Tensor twice = at.mul(2);
    std::vector<Tensor> columns;
    for (int64_t i = 0; i < degree; ++i) {
      columns.push_back(now);
      const Tensor next = twice.mul(now).sub(before);
      before = now;
      now = next;
    }
    return at::stack(columns, 1);
  });
}

static void bspline(const double *x, const double *parameters, int64_t rows,
                    int64_t k, int64_t degree, int64_t mode, double *values,
                    int32_t *start) {
  expect(k >= 1, 4);
  expect(degree >= 0, 5);
  const std::vector<double> range = read(parameters + 2, 2);
  const Knots knots(range[0], range[1], k, degree);
  const Tensor all = view(x, {rows}), out = view(values, {rows, degree + 1});
  const Tensor starts = view(start, {rows});
  forEachPart(rows, 16 * (degree + 1), [&](int64_t begin, int64_t end) {
    const Evaluation e(all.slice(0, begin, end), mode, 6);
    const Tensor border = knots.clamp(e.at);
    const Tensor first = knots.firstColumn(border);
    Tensor result = knots.evaluate(first, border);
    if (e.isBeyond) {
      // A knot between the two points would make the row wider than its band.
      const Tensor inner = knots.clamp(e.inner);
      const Tensor isApart =
          knots.firstColumn(inner).ne(first).logical_and(e.amount.ne(0));
      expect(!isApart.any().item<bool>(), 2);
      result = e.combine(result, knots.evaluate(first, inner));
    }
    out.slice(0, begin, end).copy_(result);
    starts.slice(0, begin, end).copy_(first);
  });
}

static void onehot(const double *x, int64_t rows, int64_t n, int32_t *index) {
  const auto last = static_cast<double>(n - 1);
  const Tensor code = view(x, {rows}).add(1).div(2).mul(last);
  // NaN gives 0. `round` rounds half to even.
  const Tensor positive = at::where(code.gt(0), code, at::zeros_like(code));
  view(index, {rows}).copy_(positive.clamp_max(last).round());
}

static void wavelet(const double *x, const double *range, int64_t rows,
                    int64_t scales, int64_t locations, int64_t mode,
                    double *values) {
  const std::vector<double> ends = read(range, 2);
  const double lo = ends[0], hi = ends[1], span = hi == lo ? 1.0 : hi - lo;
  const double step =
      locations > 1 ? (hi - lo) / static_cast<double>(locations - 1) : 0.0;
  const Tensor number = at::arange(locations, numbers());
  // Counted from the nearer end, so that both ends are exact.
  const Tensor mirrored = number.neg().add(static_cast<double>(locations - 1));
  const Tensor centre = at::where(number.le(mirrored), number.mul(step).add(lo),
                                  mirrored.mul(-step).add(hi));
  evaluate(x, rows, scales * locations, mode, 6, values, [&](const Tensor &at) {
    const Tensor distance = at.unsqueeze(1).sub(centre);
    std::vector<Tensor> parts;
    for (int64_t i = 0; i < scales; ++i) {
      const double width = std::ldexp(0.2 * span, -static_cast<int>(i));
      const Tensor u = distance.div(width);
      // From there on it is 0; the other factor could be infinite.
      const Tensor square = u.mul(u).clamp_max(1500);
      parts.push_back(square.neg()
                          .add(1)
                          .mul(square.mul(-0.5).exp())
                          .mul(1 / std::sqrt(width)));
    }
    return at::cat(parts, 1);
  });
}

static void pid(const double *x, int64_t rows, int64_t first,
                int64_t group_rows, int64_t window, double *carry,
                double *values) {
  expect(first >= 0, 3);
  expect(group_rows >= first + rows, 4);
  expect(window >= 0, 5);
  if (rows == 0)
    return;
  const Tensor all = view(x, {rows}), out = view(values, {rows, 3});
  const Tensor ring = view(carry, {window});
  const Tensor before = view(carry + window, {1});
  const Tensor sum = view(carry + window + 1, {1});
  if (first == 0) {
    before.zero_();
    sum.zero_();
  }
  const double divisor =
      window == 0 ? 1.0 : static_cast<double>(std::min(window, group_rows));
  // Blocks of `window` rows: a window overlaps this one and the one before.
  for (int64_t begin = 0; begin < rows;) {
    const int64_t place =
        window == 0 ? first + begin : (first + begin) % window;
    const int64_t end =
        window == 0 ? rows : std::min(rows, begin + window - place);
    const int64_t count = end - begin;
    if (place == 0)
      sum.zero_();
    const Tensor part = all.slice(0, begin, end);
    // Added one after another, whatever the chunks are.
    const Tensor sums = at::cat({sum, part}).cumsum(0);
    Tensor integral = sums.slice(0, 1);
    if (window != 0 && first + begin >= window) {
      // What is left of the block before, added backwards.
      const Tensor rest =
          at::cat({at::zeros({1}, numbers()), ring.slice(0, place).flip(0)})
              .cumsum(0)
              .flip(0);
      integral = integral.add(rest.slice(0, 1, 1 + count));
    }
    const Tensor rowsOut = out.slice(0, begin, end);
    rowsOut.select(1, 0).copy_(part);
    rowsOut.select(1, 1).copy_(integral.div(divisor));
    rowsOut.select(1, 2).copy_(
        part.sub(at::cat({before, part.slice(0, 0, count - 1)})));
    before.copy_(part.slice(0, count - 1));
    sum.copy_(sums.slice(0, count));
    if (window > 0)
      ring.slice(0, place, place + count).copy_(part);
    begin = end;
  }
}

static void regrid(const double *x, const double *parameters, int64_t rows,
                   int64_t levels, double step, double *out) {
  const Tensor half = scalarAt(parameters + 1);
  const Tensor factor = half.mul(2).div(step * static_cast<double>(levels - 1));
  view(out, {rows}).copy_(view(x, {rows}).add(1).mul(factor).sub(1));
}

static void grid_points(const double *parameters, int64_t levels, double step,
                        double *x) {
  view(x, {levels})
      .copy_(at::arange(levels, numbers())
                 .mul(step)
                 .div(scalarAt(parameters + 1))
                 .sub(1)
                 .clamp_max(1));
}

void addFeatures(Bodies &all) {
  all.normalize = normalize;
  all.offset = offset;
  all.linear = linear;
  all.linear_columns = linear_columns;
  all.affine = affine;
  all.fourier = fourier;
  all.chebyshev = chebyshev;
  all.bspline = bspline;
  all.onehot = onehot;
  all.wavelet = wavelet;
  all.pid = pid;
  all.regrid = regrid;
  all.grid_points = grid_points;
}

} // namespace tamrt::aten
