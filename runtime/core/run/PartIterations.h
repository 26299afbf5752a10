//===- core/run/PartIterations.h - iterations over parts --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conjugate gradients for groups whose rows are in several parts. Each pass is
/// made by the parts (`PartSums::sum`), and its sums are joined by the tree of
/// the group's segments, as those of a fit in one piece are: the coefficients
/// are the same bytes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PARTITERATIONS_H
#define TAMRT_CORE_RUN_PARTITERATIONS_H

#include "core/model/Sums.h"
#include "core/run/Crew.h"
#include "core/run/Executor.h"
#include "core/run/GroupFits.h"
#include "core/run/PartFit.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tamrt {

/// The steps of passes, and the places of their sums.
class PassSteps {
public:
  /// `steps`, which must outlive this, has the steps of the fit.
  explicit PassSteps(const tamrt_model &steps)
      : model(&steps), sides(steps, TAMRT_STEP_CG_CHUNK),
        products(steps, TAMRT_STEP_APPLY_CHUNK) {}

  const tamrt_model &steps() const { return *model; }
  const SumsLayout &layout(tamrt_step_kind kind) const {
    return kind == TAMRT_STEP_CG_CHUNK ? sides : products;
  }

private:
  const tamrt_model *model;
  /// Of right-hand sides and blocks; of products.
  SumsLayout sides, products;
};

/// The sums of passes, joined, by their kinds.
using PassSums = std::map<tamrt_step_kind, NodeSums>;

/// The fits of some groups, given by their places.
class PartIterations {
public:
  /// All arguments must outlive this. `path` is where the rows come from.
  PartIterations(const tamrt_model &model, const SurveyedFit &fit,
                 const PassSteps &steps, std::vector<size_t> places,
                 const std::string &path, const RunOptions &options);
  PartIterations(const PartIterations &) = delete;
  PartIterations &operator=(const PartIterations &) = delete;

  /// To be called first. Errors: no memory for one group.
  Status start();
  /// Runs what needs no rows, at the start and after each pass. \returns
  /// whether another pass is needed.
  Result<bool> resume();
  /// The passes that are needed, of groups by their places.
  std::vector<GroupFits::Wanted> wanted() const;
  /// Takes the sums that were wanted. Errors: sums that are missing.
  Status add(const PassSums &sums);
  /// When no more pass is needed: the coefficients, in the order of the places.
  /// Errors: those of `checkConverged` and `checkCoefficients`.
  Result<std::vector<double>> finish();
  const CgSummary &summary() const { return outcome; }

private:
  Error located(const Error &error) const {
    return Error{path + ": " + error.message};
  }

  const tamrt_model &model;
  const SurveyedFit &fit;
  const PassSteps &steps;
  const std::vector<size_t> places;
  const std::string &path;
  RunOptions options;
  /// Of these groups.
  std::vector<std::string> names;
  std::vector<size_t> rows;
  std::vector<double> strengths;
  Normalization normalization;
  CgSummary outcome;
  std::optional<GroupFits> fits;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PARTITERATIONS_H
