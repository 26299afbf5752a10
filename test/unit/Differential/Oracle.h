//===- Oracle.h - a random model through the interpreter --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_DIFFERENTIAL_ORACLE_H
#define TAMC_TEST_UNIT_DIFFERENTIAL_ORACLE_H

#include "Interpreter.h"
#include "Normalization.h"
#include "RandomModel.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tamc::reference {

/// The results of a fitted model. Rows are those of `RandomModel::fresh`.
struct Answer {
  /// Coefficients by group.
  std::map<std::string, Vector> coefficients;
  Vector predictions;
  Matrix terms, design;
};

/// Fits and applies `module` with the interpreter, with chunks of `chunkRows`
/// rows if it has chunks.
mlir::FailureOr<Answer> answer(mlir::ModuleOp module, const RandomModel &model,
                               int64_t chunkRows = 0);

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_DIFFERENTIAL_ORACLE_H
