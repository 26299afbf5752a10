//===- app/AdaptTables.h - the tables that adapt writes ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_ADAPTTABLES_H
#define TAMRT_APP_ADAPTTABLES_H

#include "app/Adapt.h"
#include "app/AdaptRun.h"
#include "io/CsvWriter.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A table of coefficients: the keys of a window's first predicted row, the
/// window, and a coefficient.
class CoefficientsTable {
public:
  /// With or without the line of names: other rows may come before.
  CoefficientsTable(const tamrt_model &model, CsvWriter table,
                    bool hasHeader = true);

  void add(const FittedWindow &window, std::string_view keys);
  /// As those of CsvWriter.
  Status complete() { return table.complete(); }
  Status finish() { return table.finish(); }

private:
  const tamrt_model &windowModel;
  CsvWriter table;
  size_t keyCount;
};

/// The table of all rows: keys and numbers, of which those that do not exist
/// are empty.
class RowsTable {
public:
  RowsTable(const AdaptRun &run, CsvWriter table, bool hasHeader = true);

  void add(std::string_view keys, std::span<const double> numbers);
  /// As those of CsvWriter.
  Status complete() { return table.complete(); }
  Status finish() { return table.finish(); }

private:
  CsvWriter table;
  size_t keyCount;
};

} // namespace tamrt

#endif // TAMRT_APP_ADAPTTABLES_H
