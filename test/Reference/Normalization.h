//===- Normalization.h - inputs brought to [-1, 1] --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A second implementation of docs/math.md section 2.2: the parameters and
/// codes that the runtime learns from the training rows and passes to the
/// steps. Shares no code with the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_NORMALIZATION_H
#define TAMC_TEST_REFERENCE_NORMALIZATION_H

#include "Interpreter.h"
#include "Table.h"
#include "tamrt/abi.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tamc::reference {

/// A column of the data and the rule by which a model reads it.
struct Input {
  std::string column;
  tamrt_rule rule = TAMRT_RULE_RANGE;
  int64_t levels = 0;
  tamrt_unseen unseen = TAMRT_UNSEEN_EDGE;
  double lo = 0, hi = 0;
};

/// The columns of the data that a model reads.
struct Columns {
  std::vector<Input> inputs;
  /// Empty: none.
  std::string target, group, date, weights;
  /// Strengths of the penalties.
  Vector strengths;
};

/// Reads the attribute `tam.model` of an imported module.
Columns columnsOf(mlir::ModuleOp module);

/// The inputs' data from the training rows.
class Normalization {
public:
  /// Learns from `table`; all fields of inputs are numbers, except those with
  /// TAMRT_RULE_LEVELS.
  Normalization(const Columns &columns, const Table &table);

  /// The rows `group` of a table in the form for the steps of the model, with
  /// target and row weights if `isTraining`. The group's name must have been in
  /// the training rows.
  Group apply(const Table &table, const GroupRows &group,
              bool isTraining) const;

  /// Names of the training groups, in order.
  std::vector<std::string> groups() const;

private:
  /// Sorted distinct training values of an input, as numbers if all are
  /// numbers.
  struct Levels {
    bool areNumbers = true;
    std::vector<std::string> texts;
  };
  int32_t codeOf(const Input &input, const Levels &levels,
                 const std::string &text) const;

  Columns columns;
  std::vector<Levels> levels;
  struct TrainedGroup {
    std::string name;
    Vector parameters;
  };
  std::vector<TrainedGroup> trained;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_NORMALIZATION_H
