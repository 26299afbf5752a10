//===- core/model/Systems.h - normal equations of groups --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal equations of all groups without penalties, from which penalties
/// are chosen.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_SYSTEMS_H
#define TAMRT_CORE_MODEL_SYSTEMS_H

#include "core/data/Dataset.h"
#include "core/data/TargetSum.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tamrt {

/// The equations of one group, with the row weights of steps, whose mean is 1.
struct System {
  /// Gram + 1e-6 T I, D x D, column after column; both triangles.
  std::vector<double> matrix;
  std::vector<double> vector;
  /// T.
  double rows = 0;
  /// Of weight * target^2, and of rows of positive weight.
  TargetSums target;

  /// The squares of the targets are too small for a sum of squares of
  /// residuals, and their products with the columns are not 0.
  bool squaresVanish() const;
};

/// Those of all groups.
class Systems {
public:
  /// Makes room. May throw std::bad_alloc.
  void resize(const tamrt_model &model, size_t count);
  /// Bytes of one group.
  static size_t bytesPerGroup(const tamrt_model &model);

  /// Takes the output of FIT_SYSTEM for a group that was run with strengths of
  /// 0. Several threads may take different groups.
  void take(size_t group, const double *output);
  /// Takes what the sums do not have of rows; those of a group come in their
  /// order. The row weights must be scaled.
  void addRows(const Dataset &rows);

  std::vector<System> groups;
  /// The means by which the row weights were divided; empty without weights.
  std::vector<double> weightMeans;
};

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_SYSTEMS_H
