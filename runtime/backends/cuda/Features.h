//===- cuda/Features.h - inputs and feature maps ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of the feature maps (docs/math.md section 3): a thread for each row.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_FEATURES_H
#define TAMRT_BACKENDS_CUDA_FEATURES_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// How a feature map phi is evaluated for one x (docs/math.md section 3,
/// "Beyond the range"): phi(at) + amount * (phi(at) - phi(inner)) / 1e-5.
struct Evaluation {
  double at, inner;
  /// If 0, only phi(at) is needed.
  double amount;

  TAMRT_BODY static Evaluation of(double x, int64_t mode) {
    if (mode == TAMRT_CONTINUE || !(magnitude(x) > 1.0))
      return {x, x, 0.0};
    const double sign = x > 0.0 ? 1.0 : -1.0;
    const double distance = magnitude(x - sign);
    const double inner = sign - 1e-5 * sign;
    if (mode == TAMRT_LINEAR)
      return {sign, inner, distance};
    if (mode == TAMRT_SATURATION)
      return {sign, inner, (1.0 - exponential(-2.0 * distance)) / 2.0};
    return {sign, sign, 0.0};
  }

  TAMRT_BODY double combine(double atBorder, double inside) const {
    return amount == 0.0 ? atBorder
                         : atBorder + amount * ((atBorder - inside) / 1e-5);
  }
};

/// The value v of an input with the parameters of its range.
template <class View>
TAMRT_BODY double normalizedAt(double v, const View &range) {
  return (v - range[0]) / range[1];
}

struct Normalize {
  static constexpr const char *name = "normalize";
  static constexpr bool hasBarriers = false;

  Buffer<const double> v, parameters;
  int64_t rows;
  Buffer<double> x;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(v), range = block.view(parameters);
    auto to = block.view(x);
    for (int64_t r = block.index(); r < rows; r += block.total())
      to[r] = normalizedAt(from[r], range);
  }
};

struct Offset {
  static constexpr const char *name = "offset";
  static constexpr bool hasBarriers = false;

  int64_t rows;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto to = block.view(values);
    for (int64_t r = block.index(); r < rows; r += block.total())
      to[r] = 1.0;
  }
};

/// scale * x in a mode.
TAMRT_BODY double linearAt(double x, double scale, int64_t mode) {
  const Evaluation e = Evaluation::of(x, mode);
  return e.combine(scale * e.at, scale * e.inner);
}

struct Linear {
  static constexpr const char *name = "linear";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x;
  int64_t rows;
  double scale;
  int64_t mode;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x);
    auto to = block.view(values);
    for (int64_t r = block.index(); r < rows; r += block.total())
      to[r] = linearAt(from[r], scale, mode);
  }
};

/// Some columns, from `first` on, of the n that are side by side: a thread for
/// each row of each column; neighbours read neighbouring rows of one input.
struct LinearColumns {
  static constexpr const char *name = "linear_columns";
  static constexpr bool hasBarriers = false;

  /// So many at most.
  static constexpr int64_t kMost = kMaxList / 2;

  /// Of each column the input's values and its parameters.
  List<const double> inputs;
  double scales[kMost];
  int64_t modes[kMost];
  int64_t rows, n, first;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto to = block.view(values);
    const int64_t count = inputs.count / 2;
    for (int64_t i = block.index(); i < rows * count; i += block.total()) {
      const int64_t r = i % rows, j = i / rows;
      auto from = block.view(inputs.buffers[2 * j]);
      auto range = block.view(inputs.buffers[2 * j + 1]);
      const double x = normalizedAt(from[r], range);
      to[r * n + first + j] = linearAt(x, scales[j], modes[j]);
    }
  }
};

struct Affine {
  static constexpr const char *name = "affine";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x;
  int64_t rows;
  double scale;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x);
    auto to = block.view(values);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      to[2 * r] = 1.0;
      to[2 * r + 1] = scale * from[r];
    }
  }
};

/// A thread for each row and frequency.
struct Fourier {
  static constexpr const char *name = "fourier";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x;
  int64_t rows, m;
  /// 1 for cyclic inputs, else 1/2.
  double base;
  int64_t mode;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x);
    auto to = block.view(values);
    for (int64_t i = block.index(); i < rows * m; i += block.total()) {
      const int64_t r = i / m, k = i % m;
      const Evaluation e = Evaluation::of(from[r], mode);
      const double multiple = base * static_cast<double>(k + 1);
      double cosine, sine, innerCosine = 0.0, innerSine = 0.0;
      cosSinPi(multiple * e.at, cosine, sine);
      if (e.amount != 0.0)
        cosSinPi(multiple * e.inner, innerCosine, innerSine);
      to[r * 2 * m + k] = e.combine(cosine, innerCosine);
      to[r * 2 * m + m + k] = e.combine(sine, innerSine);
    }
  }
};

struct Chebyshev {
  static constexpr const char *name = "chebyshev";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x;
  int64_t rows, degree, mode;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x);
    auto to = block.view(values);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      const Evaluation e = Evaluation::of(from[r], mode);
      double before = 1.0, now = e.at;
      double innerBefore = 1.0, innerNow = e.inner;
      for (int64_t i = 0; i < degree; ++i) {
        to[r * degree + i] = e.combine(now, innerNow);
        const double next = 2.0 * e.at * now - before;
        before = now;
        now = next;
        const double innerNext = 2.0 * e.inner * innerNow - innerBefore;
        innerBefore = innerNow;
        innerNow = innerNext;
      }
    }
  }
};

/// Largest degree of a spline.
constexpr int64_t kMaxDegree = 20;

/// B-splines by the triangular scheme of Cox and de Boor (C. de Boor, A
/// Practical Guide to Splines, chapter X) on equidistant knots with ends of
/// multiplicity degree + 1.
class Knots {
public:
  TAMRT_BODY Knots(double lo, double hi, int64_t k, int64_t degree)
      : lo(lo), hi(hi), step((hi - lo) / static_cast<double>(k)), k(k),
        degree(degree) {}

  /// Knot j, 0 <= j <= k + 2*degree.
  TAMRT_BODY double at(int64_t j) const {
    const int64_t i = j - degree;
    if (i <= 0)
      return lo;
    if (i >= k)
      return hi;
    // From the nearer end, so that the knots are symmetric.
    return 2 * i <= k ? lo + step * static_cast<double>(i)
                      : hi - step * static_cast<double>(k - i);
  }

  /// The point at which the basis is evaluated for x; lo if x is NaN.
  TAMRT_BODY double clamp(double x) const {
    const double last = hi - 1e-6;
    if (x > last)
      x = last;
    return x > lo ? x : lo;
  }

  /// The j with knot j <= x < knot j+1 for a clamped x; degree <= j < k+degree.
  TAMRT_BODY int64_t span(double x) const {
    // Clamped before the conversion to an integer, whatever the knots are: NaN
    // selects the first span.
    const double quotient = (x - lo) * (static_cast<double>(k) / (hi - lo));
    const double last = static_cast<double>(k - 1);
    int64_t i =
        quotient > 0.0 ? static_cast<int64_t>(least(quotient, last)) : 0;
    // The quotient may round to the wrong side of a knot.
    while (i > 0 && x < at(degree + i))
      --i;
    while (i < k - 1 && x >= at(degree + i + 1))
      ++i;
    return degree + i;
  }

  /// The degree+1 functions that do not vanish on span j, at x. `kDegree` is
  /// the degree, so that the values are in registers, or 0: it may be any.
  template <int64_t kDegree>
  TAMRT_BODY void evaluate(int64_t j, double x, double *values) const {
    values[0] = 1.0;
    const int64_t last = kDegree > 0 ? kDegree : degree;
    for (int64_t p = 1; p <= last; ++p) {
      double carried = 0.0;
      for (int64_t i = 0; i < p; ++i) {
        const double low = at(j + 1 - (p - i)), high = at(j + i + 1);
        const double gap = high - low;
        // 0/0 = 0: a function between coinciding knots contributes nothing.
        const double share = gap > 1e-8 ? values[i] / gap : 0.0;
        values[i] = carried + (high - x) * share;
        carried = (x - low) * share;
      }
      values[p] = carried;
    }
  }

private:
  double lo, hi, step;
  int64_t k, degree;
};

struct Bspline {
  static constexpr const char *name = "bspline";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x, parameters;
  int64_t rows, k, degree, mode;
  Buffer<double> values;
  Buffer<int32_t> start;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    if (degree == 3)
      evaluate<3>(block);
    else
      evaluate<0>(block);
  }

  template <int64_t kDegree, class Block>
  TAMRT_BODY void evaluate(Block &block) const {
    constexpr int64_t kMost = kDegree > 0 ? kDegree : kMaxDegree;
    const int64_t last = kDegree > 0 ? kDegree : degree;
    auto from = block.view(x), range = block.view(parameters);
    auto to = block.view(values);
    auto starts = block.view(start);
    const Knots knots(range[2], range[3], k, last);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      const Evaluation e = Evaluation::of(from[r], mode);
      const double at = knots.clamp(e.at), inner = knots.clamp(e.inner);
      const int64_t j = knots.span(at);
      double border[kMost + 1], inside[kMost + 1] = {};
      knots.evaluate<kDegree>(j, at, border);
      if (e.amount != 0.0) {
        // A knot between the two points would make the row one column wider
        // than the band; no rule of a spline's input gives one.
        if (knots.span(inner) != j)
          block.fail(TAMRT_ERROR_INVALID_ARGUMENT, 2);
        knots.evaluate<kDegree>(j, inner, inside);
      }
      for (int64_t i = 0; i <= last; ++i)
        to[r * (last + 1) + i] = e.combine(border[i], inside[i]);
      starts[r] = static_cast<int32_t>(j - last);
    }
  }
};

struct Onehot {
  static constexpr const char *name = "onehot";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x;
  int64_t rows, n;
  Buffer<int32_t> index;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x);
    auto to = block.view(index);
    const double last = static_cast<double>(n - 1);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      // Clipping first gives the same, because the ends are integers. NaN gives
      // 0.
      double code = (from[r] + 1.0) / 2.0 * last;
      code = code > 0.0 ? code : 0.0;
      code = code < last ? code : last;
      to[r] = static_cast<int32_t>((code + kNoFraction) - kNoFraction);
    }
  }
};

/// Rows and what is carried of those before them, as `pid` has them
/// (kernels.def). Blocks are `window` consecutive rows of the group that start
/// at multiples of the window; without a window there is one.
struct PidRows {
  Buffer<const double> x;
  int64_t rows, first, window;

  TAMRT_BOTH int64_t firstBlock() const {
    return window == 0 ? 0 : first / window;
  }
  TAMRT_BOTH int64_t endBlock() const {
    return window == 0 ? 1 : (first + rows - 1) / window + 1;
  }
  /// The first row of a block that is here, or the first row.
  TAMRT_BODY int64_t begin(int64_t block) const {
    return greatest(block * window, first) - first;
  }
  TAMRT_BODY int64_t end(int64_t block) const {
    return window == 0 ? rows
                       : least((block + 1) * window, first + rows) - first;
  }
  /// Whether rows of the block were before the first row.
  TAMRT_BODY bool hasBefore(int64_t block) const {
    return block * window < first;
  }
};

/// Proportional, integral, derivative: a thread for each block of rows.
struct Pid {
  static constexpr const char *name = "pid";
  static constexpr bool hasBarriers = false;

  PidRows part;
  double divisor;
  Buffer<const double> carry;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto x = block.view(part.x), before = block.view(carry);
    auto to = block.view(values);
    const int64_t first = part.first, window = part.window;
    for (int64_t b = part.firstBlock() + block.index(); b < part.endBlock();
         b += block.total()) {
      const int64_t begin = part.begin(b), end = part.end(b);
      // The rest of the block before, added backwards, in the place of the
      // result.
      const int64_t start = b * window - first;
      double rest = 0.0;
      for (int64_t r = start + window - 1; b > 0 && r >= begin; --r) {
        if (r < end)
          to[r * 3 + 1] = rest;
        rest += r >= window ? x[r - window] : before[r - start];
      }
      double sum = part.hasBefore(b) ? before[window + 1] : 0.0;
      for (int64_t r = begin; r < end; ++r) {
        const double own = x[r];
        const double last = r > 0 ? x[r - 1] : first > 0 ? before[window] : 0.0;
        sum += own;
        to[r * 3] = own;
        to[r * 3 + 1] = ((b > 0 ? double(to[r * 3 + 1]) : 0.0) + sum) / divisor;
        to[r * 3 + 2] = own - last;
      }
    }
  }
};

/// What is carried to later rows: a thread for each place of the window, one of
/// which has the rest, too.
struct PidCarry {
  static constexpr const char *name = "pid_carry";
  static constexpr bool hasBarriers = false;

  PidRows part;
  Buffer<double> carry;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto x = block.view(part.x);
    auto to = block.view(carry);
    const int64_t rows = part.rows, window = part.window;
    for (int64_t place = block.index(); place < window;
         place += block.total()) {
      const int64_t last = part.first + rows - 1;
      const int64_t row = last - (last - place + window) % window - part.first;
      if (row >= 0)
        to[place] = x[row];
    }
    if (block.index() != 0)
      return;
    const int64_t b = part.endBlock() - 1;
    double sum = part.hasBefore(b) ? double(to[window + 1]) : 0.0;
    for (int64_t r = part.begin(b); r < rows; ++r)
      sum += x[r];
    to[window] = x[rows - 1];
    to[window + 1] = sum;
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_FEATURES_H
