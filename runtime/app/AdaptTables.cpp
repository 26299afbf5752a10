//===- app/AdaptTables.cpp - the tables that adapt writes -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/AdaptTables.h"

#include "app/Commands.h"

#include <cmath>
#include <utility>

namespace tamrt {

/// Writes the line of names, unless others come before. \returns the number of
/// keys.
static size_t begin(CsvWriter &table, const tamrt_model &model,
                    const std::vector<std::string> &columns, bool hasHeader) {
  std::vector<std::string> names = keyNames(model);
  const size_t keyCount = names.size();
  for (std::string &name : uniqueNames(names, columns))
    names.push_back(std::move(name));
  if (hasHeader)
    table.header(names);
  return keyCount;
}

CoefficientsTable::CoefficientsTable(const tamrt_model &model, CsvWriter to,
                                     bool hasHeader)
    : windowModel(*model.adapt->model), table(std::move(to)),
      keyCount(begin(table, model, {"window", "effect", "index", "value"},
                     hasHeader)) {}

void CoefficientsTable::add(const FittedWindow &window, std::string_view keys) {
  const double *value = window.coefficients.data();
  for (int64_t e = 0; e < windowModel.effect_count; ++e)
    for (int64_t i = 0; i < windowModel.effects[e].columns; ++i) {
      if (keyCount > 0)
        table.written(keys, keyCount);
      table.integer(int64_t(window.index));
      table.text(windowModel.effects[e].name);
      table.integer(i);
      table.number(*value++);
      table.endRow();
    }
}

RowsTable::RowsTable(const AdaptRun &run, CsvWriter to, bool hasHeader)
    : table(std::move(to)),
      keyCount(begin(table, run.model, run.names(), hasHeader)) {}

void RowsTable::add(std::string_view keys, std::span<const double> numbers) {
  if (keyCount > 0)
    table.written(keys, keyCount);
  for (double number : numbers)
    if (std::isnan(number))
      table.text("");
    else
      table.number(number);
  table.endRow();
}

} // namespace tamrt
