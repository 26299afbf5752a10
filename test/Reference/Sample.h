//===- Sample.h - what a module computes on some rows -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares modules by what they compute. The normal equations are compared,
/// not their solutions, in which a small error may be large and a large one
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
  /// As many as the model's columns; for the functions that read some.
  Vector coefficients;
};

/// The rows of tables as an imported module reads them, and random tables and
/// coefficients.
Sample makeSample(mlir::ModuleOp module, const Table &train, const Table &fresh,
                  Random &random);

/// What the functions of a module give for a sample.
class Results {
public:
  /// Runs them, steps with chunks of `chunkRows` rows; an op's error fails.
  static mlir::FailureOr<Results> of(mlir::ModuleOp module,
                                     const Sample &sample, int64_t chunkRows);

  /// Where `other` differs from these, of which it is what passes have made:
  /// it may solve by conjugate gradients where these are direct, and by levels
  /// also. Empty if it does not differ.
  std::string findDifference(const Results &other) const;

private:
  /// By name, of one group of rows after another.
  std::map<std::string, std::vector<Vector>> values;
  Vector coefficients;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_SAMPLE_H
