//===- Oracle.cpp - a random model through the interpreter ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Oracle.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

/// Writes the rows of `part` to the rows `rows` of `whole`.
static void scatter(const Matrix &part, const std::vector<size_t> &rows,
                    size_t count, Matrix &whole) {
  if (whole.rows == 0)
    whole = Matrix(count, part.columns);
  for (size_t i = 0; i < part.rows; ++i)
    for (size_t j = 0; j < part.columns; ++j)
      whole.at(rows[i], j) = part.at(i, j);
}

FailureOr<Answer> tamc::reference::answer(ModuleOp module,
                                          const RandomModel &random,
                                          int64_t chunkRows) {
  Columns columns = columnsOf(module);
  Normalization normalization(columns, random.train);
  Model model(module);
  Answer answer;
  for (const GroupRows &rows :
       groupsOf(random.train, columns.group, columns.date)) {
    auto beta =
        model.fit(normalization.apply(random.train, rows, true), chunkRows);
    if (failed(beta))
      return failure();
    answer.coefficients[rows.name] = *beta;
  }
  size_t count = random.fresh.rows.size();
  answer.predictions.resize(count);
  for (const GroupRows &rows :
       groupsOf(random.fresh, columns.group, columns.date)) {
    Group group = normalization.apply(random.fresh, rows, false);
    const Vector &beta = answer.coefficients[rows.name];
    auto predictions = model.predict(group, beta);
    auto terms = model.terms(group, beta);
    auto design = model.design(group);
    if (failed(predictions) || failed(terms) || failed(design))
      return failure();
    for (size_t i = 0; i < rows.rows.size(); ++i)
      answer.predictions[rows.rows[i]] = (*predictions)[i];
    scatter(*terms, rows.rows, count, answer.terms);
    scatter(*design, rows.rows, count, answer.design);
  }
  return answer;
}
