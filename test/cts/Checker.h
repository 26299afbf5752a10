//===- Checker.h - results against the reference interpreter ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_CHECKER_H
#define TAMC_TEST_CTS_CHECKER_H

#include "Data.h"
#include "Interpreter.h"
#include "Normalization.h"
#include "Subjects.h"
#include "Weights.h"

#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tamc::cts {

/// What a model wrote.
struct Outputs {
  /// The weights file; the predictions for `Data::fresh`; the effects and the
  /// design for `Data::few`; predictions and effects with their standard errors
  /// for `Data::uncertain`, as CSV; the last two are empty without inference.
  std::string weights, predictions, terms, design, errors, effectErrors;

  bool operator==(const Outputs &) const = default;
};

/// The spec of a subject.
std::string specOf(const Subject &subject);

/// The reference interpreter's results for a subject. What a model has learnt
/// (tables, coefficients) is taken from the weights that are checked, so a
/// wrong fit does not make predictions wrong, too.
class Checker {
public:
  Checker(const Subject &subject, const Data &data);
  ~Checker();

  /// Compares the outputs with the interpreter's results. Returns a message for
  /// each shape, an index of kShapes, that differs. A message about all of them
  /// has the index -1.
  std::map<int, std::string> check(const Outputs &outputs);

private:
  struct Module;
  struct Tables;
  /// What follows from the rows and the tables alone, of one shape.
  struct Known {
    reference::System system;
    reference::Matrix design;
    /// With inference: the inverse of the matrix, and log of its determinant.
    reference::Matrix inverse;
    double logDeterminant = 0;
  };
  std::string learn(size_t shape, const Weights &weights, Known &known);
  std::string checkFit(size_t shape, const Weights &weights);
  std::string checkInference(size_t shape, const Weights &weights);
  std::string checkErrors(size_t shape, const Weights &weights,
                          const Tables &tables);
  std::string checkPredictions(size_t shape, const Weights &weights,
                               const Tables &tables);

  const Subject &subject;
  const Data &data;
  std::unique_ptr<Module> module;
  /// By shape, for the tables `learnt`: those of the last outputs.
  std::vector<std::optional<Known>> known;
  std::vector<reference::Datum> learnt;
};

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_CHECKER_H
