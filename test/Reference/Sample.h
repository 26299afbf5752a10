//===- Sample.h - what a module computes on some rows -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares modules by their results. The normal equations are compared, not
/// their solutions, in which a small error may become large and a large one
/// small.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_SAMPLE_H
#define TAMC_TEST_REFERENCE_SAMPLE_H

#include "Interpreter.h"
#include "Random.h"
#include "Table.h"

#include <map>
#include <string>

namespace tamc::reference {

/// Rows, tables and coefficients for the functions of a model.
struct Sample {
  /// Training rows and new ones, by group.
  std::vector<Group> training, fresh;
  /// One for each column of the model, for the functions that read
  /// coefficients.
  Vector coefficients;
  /// The lower triangle of a matrix of as many rows, for @variances.
  Vector triangle;
  /// The columns of each effect of the model.
  std::vector<int64_t> columns;
};

/// The rows of tables for an imported module, with random tables and
/// coefficients.
Sample makeSample(mlir::ModuleOp module, const Table &train, const Table &fresh,
                  Random &random);

/// The results of a module's functions for a sample.
class Results {
public:
  /// Runs them, steps with chunks of `chunkRows` rows; an op's error fails.
  static mlir::FailureOr<Results> of(mlir::ModuleOp module,
                                     const Sample &sample, int64_t chunkRows);

  /// A message about a difference to `other`, the results after passes: those
  /// may solve by conjugate gradients instead of directly, and also sum by
  /// levels. Empty if there is no difference.
  std::string findDifference(const Results &other) const;

private:
  std::string checkInference(const std::string &name, size_t group,
                             const Vector &results) const;

  /// By name, for one group of rows after another.
  std::map<std::string, std::vector<Vector>> values;
  Vector coefficients;
  /// The rows of each training group, and the columns of each effect.
  Vector groupRows;
  std::vector<int64_t> columns;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_SAMPLE_H
