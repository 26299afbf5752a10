//===- ProfileReader.h - grids of columns from a sample --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the numeric columns of a profile that lie on a grid of few values.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_PROFILEREADER_H
#define TAMC_SPEC_PROFILEREADER_H

#include "ProfileCsv.h"

#include "tamc/Spec/ModelSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <set>

namespace tamc::spec {

/// The grid that the finite `values` lie on, except for rounding; nullopt if
/// there are fewer than two values or more than maxGridLevels points. Linear.
std::optional<Grid> findGrid(const std::set<double> &values);

/// Finds the grids of the columns that a spec's terms of one number read.
class ProfileReader {
public:
  /// A field as a number; nullopt if it is not a number or is missing.
  using NumberOf = std::function<std::optional<double>(llvm::StringRef)>;

  ProfileReader(const ModelSpec &spec, NumberOf numberOf);

  /// Whether there is anything to find.
  bool isNeeded() const { return !columns.empty(); }
  /// Finds the columns; those that the data lacks are ignored.
  void readHeader(const CsvRow &header);
  /// Whether the header had any of the columns.
  bool hasColumns() const {
    return llvm::any_of(columns,
                        [](const Column &column) { return column.isOpen; });
  }
  void add(const CsvRow &row);
  /// The profile; nullopt if there is no grid or the groups are not known.
  std::optional<Profile> find() const;

private:
  struct Column {
    std::string name;
    size_t index = 0;
    /// Distinct values as written, and as numbers.
    llvm::StringSet<> texts;
    std::set<double> numbers;
    /// Whether it may still have few numbers.
    bool isOpen = false;
  };

  NumberOf numberOf;
  std::vector<Column> columns;
  std::string group;
  std::optional<size_t> groupIndex;
  llvm::StringSet<> groups;
  int64_t rows = 0;
};

} // namespace tamc::spec

#endif // TAMC_SPEC_PROFILEREADER_H
