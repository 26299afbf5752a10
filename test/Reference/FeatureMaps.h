//===- FeatureMaps.h - feature maps, straight from the formulas -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rows of design matrices by the formulas of docs/math.md section 3,
/// simple rather than fast. Shares no code with the runtime's kernels, which
/// are tested against it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_FEATUREMAPS_H
#define TAMC_TEST_REFERENCE_FEATUREMAPS_H

#include "Datum.h"

#include <functional>

namespace tamc::reference {

/// A univariate feature map: a row of the design matrix from a normalised x.
using FeatureMap = std::function<Vector(double)>;

enum class Beyond { Continue, Constant, Linear, Saturation };

/// `map` within [-1, 1], and outside its extrapolation by `mode` (docs/math.md
/// section 3, "Beyond the range").
Vector extrapolate(const FeatureMap &map, Beyond mode, double x);

/// scale * x, one column.
Vector linearRow(double x, double scale);

/// cos theta_1..order, then sin theta_1..order; theta_k = pi k x if cyclic,
/// else pi k x / 2.
Vector fourierRow(double x, int64_t order, bool cyclic);

/// All `intervals + degree` B-splines at clamp(x, lo, hi - 1e-6), by the
/// recursion of Cox and de Boor.
Vector splineRow(double x, int64_t intervals, int64_t degree, double lo,
                 double hi);

/// T_1..T_degree.
Vector chebyshevRow(double x, int64_t degree);

/// One-hot: the level is clip(round-half-to-even((x+1)/2*(levels-1))).
Vector categoryRow(double x, int64_t levels);

/// One-hot from a level's index; a row of zeros for TAMRT_INDEX_NONE, and of
/// 1/m in the first m columns for TAMRT_INDEX_MEAN(m).
Vector levelRow(int32_t code, int64_t levels);

/// 1 and scale * x.
Vector affineRow(double x, double scale);

/// Ricker wavelets on [lo, hi], scale by scale.
Vector waveletRow(double x, int64_t scales, int64_t locations, double lo,
                  double hi);

/// A map of several variables.
using PointMap = std::function<Vector(const Vector &)>;

/// Random neural features: layers of weights and biases; `activation` is a
/// tamrt_activation.
Vector neuralRow(const Vector &point, const std::vector<Matrix> &weights,
                 const std::vector<Vector> &bias, int64_t activation);

/// Radial basis functions; nu = 0: Gaussian.
Vector radialRow(const Vector &point, const Matrix &centers, double gamma,
                 double nu);

/// Leaves of trees, each of `leaves` columns, divided by the square root of the
/// number of trees.
Vector treeRow(const Vector &point, const Matrix &features,
               const Matrix &thresholds, int64_t leaves, bool oblivious);

/// The columns of pid for some rows of a group of `groupRows`. `history` is the
/// carry from row to row, window + 2 numbers, zeros before the first row: the
/// sum of all rows, then the last window + 1 rows.
Matrix pidRows(const Vector &x, int64_t window, int64_t groupRows,
               Vector &history);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_FEATUREMAPS_H
