//===- cuda/Points.h - maps of several variables ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of the kernels on points (kernels.def), of trees and of wavelets.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_POINTS_H
#define TAMRT_BACKENDS_CUDA_POINTS_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"
#include "backends/cuda/Features.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Writes some of the columns of points with d coordinates.
struct Stack {
  static constexpr const char *name = "stack";
  static constexpr bool hasBarriers = false;

  List<const double> x;
  int64_t rows, d, first;
  Buffer<double> points;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto to = block.view(points);
    for (int64_t i = block.index(); i < rows * x.count; i += block.total()) {
      const int64_t r = i / x.count, j = i % x.count;
      to[r * d + first + j] = block.view(x.buffers[j])[r];
    }
  }
};

struct Slice {
  static constexpr const char *name = "slice";
  static constexpr bool hasBarriers = false;

  Buffer<const double> points;
  int64_t rows, d, column, n;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(points);
    auto to = block.view(out);
    for (int64_t i = block.index(); i < rows * n; i += block.total())
      to[i] = from[i / n * d + column + i % n];
  }
};

/// A thread for each point.
struct Boundary {
  static constexpr const char *name = "boundary";
  static constexpr bool hasBarriers = false;

  Buffer<const double> points;
  int64_t rows, d, mode;
  Buffer<double> border, inside, amount;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(points);
    auto borders = block.view(border), insides = block.view(inside);
    auto amounts = block.view(amount);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      // The Euclidean distance. Differences are divided by the greatest one
      // first, because its square may exceed a double.
      double largest = 0.0, sum = 0.0;
      for (int64_t j = r * d; j < (r + 1) * d; ++j) {
        const double x = from[j], clamped = least(greatest(x, -1.0), 1.0);
        borders[j] = clamped;
        insides[j] = clamped;
        largest = greatest(largest, magnitude(x - clamped));
      }
      for (int64_t j = r * d; largest > 0.0 && j < (r + 1) * d; ++j) {
        const double share = (from[j] - borders[j]) / largest;
        sum += share * share;
      }
      const double away = d == 1 ? largest : largest * std::sqrt(sum);
      for (int64_t j = r * d; away > 0.0 && j < (r + 1) * d; ++j)
        insides[j] = borders[j] - 1e-5 * ((from[j] - borders[j]) / away);
      amounts[r] = mode == TAMRT_LINEAR ? away
                   : mode == TAMRT_SATURATION
                       ? (1.0 - exponential(-2.0 * away)) / 2.0
                       : 0.0;
    }
  }
};

struct BlendDense {
  static constexpr const char *name = "blend_dense";
  static constexpr bool hasBarriers = false;

  Buffer<const double> border, inside, amount;
  int64_t rows, n;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto borders = block.view(border), insides = block.view(inside);
    auto amounts = block.view(amount);
    auto to = block.view(values);
    for (int64_t i = block.index(); i < rows * n; i += block.total()) {
      const Evaluation e = {0.0, 0.0, amounts[i / n]};
      to[i] = e.combine(borders[i], insides[i]);
    }
  }
};

/// A thread for each number of the border's matrix.
struct BlendSparse {
  static constexpr const char *name = "blend_sparse";
  static constexpr bool hasBarriers = false;

  Buffer<const double> border, inside, amount;
  Buffer<const int32_t> borderIndex, insideIndex;
  int64_t rows, z;
  Buffer<double> values;
  Buffer<int32_t> index;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto borders = block.view(border), insides = block.view(inside);
    auto amounts = block.view(amount);
    auto columns = block.view(borderIndex), inner = block.view(insideIndex);
    auto to = block.view(values);
    auto at = block.view(index);
    for (int64_t i = block.index(); i < rows * z; i += block.total()) {
      const int64_t r = i / z, first = 2 * r * z + i % z;
      const Evaluation e = {0.0, 0.0, amounts[r]};
      const int32_t column = columns[i];
      const double own = borders[i];
      double value = own, slope = 0.0;
      int32_t other = column;
      if (e.amount != 0.0) {
        // One number if the columns are the same: the difference of two nearly
        // equal ones, 100000 times as large, would lose five digits.
        const double in = insides[i];
        other = inner[i];
        value = e.combine(own, other == column ? in : 0.0);
        slope = other == column ? 0.0 : e.combine(0.0, in);
      }
      to[first] = value;
      to[first + z] = slope;
      at[first] = column;
      at[first + z] = other;
    }
  }
};

/// A level of the tree compares one feature with one threshold, and gives a bit
/// of the leaf's number.
struct ObliviousTree {
  static constexpr const char *name = "tree_oblivious";

  int64_t depth;

  TAMRT_BODY int64_t leaves() const { return int64_t(1) << depth; }

  /// The leaf of the point that starts at `point`.
  template <class Points, class Features, class Limits>
  TAMRT_BODY int64_t leafOf(const Points &points, int64_t point,
                            const Features &features, const Limits &limits,
                            int64_t tree) const {
    int64_t leaf = 0;
    for (int64_t j = 0; j < depth; ++j) {
      const double x = points[point + features[tree * depth + j]];
      leaf |= int64_t(x > limits[tree * depth + j]) << j;
    }
    return leaf;
  }
};

/// All thresholds of the tree are of one feature; those below a point come
/// first.
struct FlatTree {
  static constexpr const char *name = "tree_flat";

  int64_t count;

  TAMRT_BODY int64_t leaves() const { return count; }

  template <class Points, class Features, class Limits>
  TAMRT_BODY int64_t leafOf(const Points &points, int64_t point,
                            const Features &features, const Limits &limits,
                            int64_t tree) const {
    const double x = points[point + features[tree]];
    int64_t low = 0, high = count - 1;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (limits[tree * (count - 1) + middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// A thread for each row and tree. Rows that are not needed get valid columns,
/// because a later kernel may read them.
template <class Tree> struct Trees {
  static constexpr const char *name = Tree::name;
  static constexpr bool hasBarriers = false;

  Buffer<const double> points;
  Buffer<const int32_t> features;
  Buffer<const double> thresholds, only;
  int64_t rows, d, trees;
  Tree shape;
  Buffer<int32_t> index;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(points), limits = block.view(thresholds);
    auto needed = block.view(only);
    auto feature = block.view(features);
    auto to = block.view(index);
    for (int64_t i = block.index(); i < rows * trees; i += block.total()) {
      const int64_t r = i / trees, tree = i % trees;
      if (only.data && needed[r] == 0.0) {
        to[i] = 0;
        continue;
      }
      const int64_t leaf = shape.leafOf(from, r * d, feature, limits, tree);
      to[i] = static_cast<int32_t>(tree * shape.leaves() + leaf);
    }
  }
};

/// A layer of random neural features: a thread for each row and feature.
struct NeuralLayer {
  static constexpr const char *name = "neural_layer";
  static constexpr bool hasBarriers = false;

  Buffer<const double> h, weights, bias, only;
  int64_t rows, d, n, activation;
  double scale;
  Buffer<double> values;

  TAMRT_BODY double activate(double x) const {
    if (activation == TAMRT_RELU)
      return x < 0.0 ? 0.0 : x;
    if (activation == TAMRT_TANH)
      return tangentHyperbolic(x);
    double cosine, sine;
    cosSinPi(x / 3.141592653589793, cosine, sine);
    return cosine;
  }

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(h), factors = block.view(weights);
    auto shifts = block.view(bias), needed = block.view(only);
    auto to = block.view(values);
    for (int64_t i = block.index(); i < rows * n; i += block.total()) {
      const int64_t r = i / n, j = i % n;
      if (only.data && needed[r] == 0.0)
        continue;
      double sum = 0.0;
      for (int64_t k = 0; k < d; ++k)
        sum += from[r * d + k] * factors[k * n + j];
      to[i] = activate(sum + shifts[j]) * scale;
    }
  }
};

/// Radial basis functions: a thread for each row and centre.
struct Radial {
  static constexpr const char *name = "radial";
  static constexpr bool hasBarriers = false;

  Buffer<const double> points, centers, gamma, only;
  int64_t rows, d, n;
  double nu;
  /// log(nu^nu / Gamma(nu)).
  double logFactor;
  Buffer<double> values;

  /// Here exp(-r) is 0 and polynomials are still finite.
  static constexpr double kFarAway = 1000.0;
  /// Here every function is 0.
  static constexpr double kBeyond = 1e100;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(points), middle = block.view(centers);
    auto width = block.view(gamma), needed = block.view(only);
    auto to = block.view(values);
    const double g = width[0], scale = std::sqrt(2.0 * nu * g);
    if (!isFinite(scale)) {
      block.fail(TAMRT_ERROR_INVALID_ARGUMENT, 8);
      return;
    }
    for (int64_t i = block.index(); i < rows * n; i += block.total()) {
      const int64_t r = i / n, j = i % n;
      if (only.data && needed[r] == 0.0)
        continue;
      double square = 0.0;
      for (int64_t k = 0; k < d; ++k) {
        const double difference = from[r * d + k] - middle[j * d + k];
        square += difference * difference;
      }
      to[i] = nu == 0.0 ? exponential(-g * square)
                        : matern(scale * std::sqrt(square));
    }
  }

private:
  /// The Matern function of a distance r: 2^(1-nu) / Gamma(nu) r^nu K_nu(r).
  TAMRT_BODY double matern(double r) const {
    const double near = least(r, kFarAway);
    if (nu == 0.5)
      return exponential(-near);
    if (nu == 1.5)
      return exponential(-near) * (1.0 + near);
    if (nu == 2.5)
      return exponential(-near) * (1.0 + near + near * near / 3.0);
    if (!(r > 0.0))
      return r == r ? 1.0 : r;
    if (r > kBeyond)
      return 0.0;
    // K_nu(r) is half the integral of exp(nu t - r cosh t) over all t. The
    // error of the trapezoidal rule decreases exponentially with the number of
    // steps; the integrand's peak is as wide as 1/sqrt(r cosh t) there. Steps
    // are counted from the peak, r e^t = nu + r cosh t, where the logarithms of
    // r^nu and of 2^nu cancel.
    const double peak = std::sqrt(r * r + nu * nu), top = nu + peak;
    const double step = least(0.25, 0.7 / std::sqrt(peak));
    const double power = logFactor + nu * logarithm(top / (2.0 * nu));
    double sum = 0.0;
    for (int direction = -1; direction <= 1; direction += 2) {
      const double ratio = exponential(direction * step);
      // r e^t and e^-t.
      double t = 0.0, up = top, down = r / top;
      if (direction > 0) {
        t = step;
        up *= ratio;
        down /= ratio;
      }
      while (true) {
        const double term = exponential(power + nu * t - 0.5 * (up + r * down));
        sum += term;
        if (!(term > 1e-18 * sum))
          break;
        t += direction * step;
        up *= ratio;
        down /= ratio;
      }
    }
    return step * sum;
  }
};

/// Ricker wavelets: a thread for each row and wavelet.
struct Wavelet {
  static constexpr const char *name = "wavelet";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x, range;
  int64_t rows, scales, locations, mode;
  Buffer<double> values;

  /// Wavelet `j` of a scale at x.
  TAMRT_BODY double at(double x, double lo, double hi, double width,
                       int64_t j) const {
    const double last = static_cast<double>(locations - 1);
    const double number = static_cast<double>(j);
    const double step = locations > 1 ? (hi - lo) / last : 0.0;
    // Counted from the nearer end, so that both ends are exact.
    const double centre =
        2.0 * number <= last ? lo + step * number : hi - step * (last - number);
    const double u = (x - centre) / width, square = u * u;
    // From here on it is 0; the other factor could be infinite.
    const double near = square < 1500.0 ? square : 1500.0;
    return (1.0 - near) * exponential(-0.5 * near) * (1.0 / std::sqrt(width));
  }

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x), ends = block.view(range);
    auto to = block.view(values);
    const double lo = ends[0], hi = ends[1];
    const int64_t n = scales * locations;
    for (int64_t i = block.index(); i < rows * n; i += block.total()) {
      const Evaluation e = Evaluation::of(from[i / n], mode);
      double width = 0.2 * (hi == lo ? 1.0 : hi - lo);
      for (int64_t scale = i % n / locations; scale > 0; --scale)
        width /= 2.0;
      const int64_t j = i % n % locations;
      double inner = 0.0;
      if (e.amount != 0.0)
        inner = at(e.inner, lo, hi, width, j);
      to[i] = e.combine(at(e.at, lo, hi, width, j), inner);
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_POINTS_H
