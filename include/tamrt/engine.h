//===- tamrt/engine.h - a model's commands inside a program -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The commands of a compiled model as functions: they read rows in memory and
/// return numbers. The code is that of the executable's commands, so the
/// results have the same bytes. Nothing throws, nothing is printed; the runs of
/// a process take turns.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_ENGINE_H
#define TAMRT_ENGINE_H

#include "tamrt/abi.h"
#include "tamrt/frame.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamrt {

struct Weights;

/// What a command says besides its result.
struct EngineReport {
  /// Empty after success.
  std::string error;
  /// Kind, "note" or "warning", and text.
  std::vector<std::pair<std::string, std::string>> notes;
};

/// The numbers of a prediction.
struct PredictedTable {
  /// Of the columns.
  std::vector<std::string> names;
  /// Row after row; those of rows that were dropped are NaN.
  std::vector<double> numbers;
};

/// A fitted model. Threads may use it at the same time.
class FittedModel {
public:
  /// Fits `model`, which must outlive the result, to the rows of `frame`.
  /// `options` are those of the command line, such as "--drop-missing". Null
  /// after an error.
  static std::unique_ptr<FittedModel>
  fit(const tamrt_model &model, const tamrt_frame &frame,
      const std::vector<std::string> &options, EngineReport &report);

  /// Reads the contents of a file of weights, which messages call `name`. Null
  /// after an error.
  static std::unique_ptr<FittedModel> load(const tamrt_model &model,
                                           std::string_view bytes,
                                           const std::string &name,
                                           EngineReport &report);
  ~FittedModel();

  /// The contents of a file of weights, as the executable writes it.
  std::string bytes(EngineReport &report) const;

  /// Names of the groups, in order; one that is empty without groups.
  const std::vector<std::string> &groups() const;
  /// Coefficients, group after group.
  const std::vector<double> &coefficients() const;

  /// Runs the command `predict` or `decompose` on the rows of `frame`.
  PredictedTable predict(const tamrt_frame &frame, const std::string &command,
                         const std::vector<std::string> &options,
                         EngineReport &report) const;

private:
  FittedModel(const tamrt_model &model, std::unique_ptr<Weights> weights);

  const tamrt_model &model;
  std::unique_ptr<Weights> weights;
};

/// Checks that a model can run here. Empty: it can.
std::string describeModelFault(const tamrt_model &model);

/// The distinct texts of a column, in the order of their first appearance,
/// without missing values. Empty if there is no such column. O(rows).
std::vector<std::string> distinctTexts(const tamrt_frame &frame,
                                       std::string_view column);

/// The memory plan, as the command `plan` prints it.
std::string planOf(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_ENGINE_H
