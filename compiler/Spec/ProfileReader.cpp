//===- ProfileReader.cpp - grids of columns from a sample -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileReader.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tamc::spec {

bool isOnGrid(const Grid &grid, double value) {
  const double point =
      grid.first + std::round((value - grid.first) / grid.step) * grid.step;
  return std::fabs(value - point) <=
         0x1p-51 * static_cast<double>(grid.levels) * grid.step;
}

std::optional<Grid> findGrid(const std::set<double> &values) {
  if (values.size() < 2)
    return std::nullopt;
  const double least = *values.begin(), most = *values.rbegin();
  double gap = HUGE_VAL, before = -HUGE_VAL;
  for (double value : values) {
    gap = std::min(gap, value - before);
    before = value;
  }
  // The gap has the error of two roundings, which is small over the whole
  // range.
  const double intervals = std::round((most - least) / gap);
  if (!(intervals < static_cast<double>(maxGridLevels)))
    return std::nullopt;
  const Grid grid = {.column = {},
                     .levels = static_cast<int64_t>(intervals) + 1,
                     .first = least,
                     .step = (most - least) / intervals};
  for (double value : values)
    if (!isOnGrid(grid, value))
      return std::nullopt;
  return grid;
}

/// Whether a term's map is a function of one number.
static bool isOfOneNumber(const Term &term) {
  switch (term.kind) {
  case TermKind::Fourier:
  case TermKind::Spline:
  case TermKind::Chebyshev:
  case TermKind::Wavelet:
    return true;
  default:
    return false;
  }
}

ProfileReader::ProfileReader(const ModelSpec &spec, NumberOf numberOf)
    : numberOf(std::move(numberOf)), group(spec.group) {
  for (const Term &term : spec.terms)
    if (isOfOneNumber(term) &&
        llvm::none_of(columns, [&](const Column &column) {
          return column.name == term.feature;
        }))
      columns.emplace_back().name = term.feature;
}

void ProfileReader::readHeader(const CsvRow &header) {
  auto find = [&](llvm::StringRef name) -> std::optional<size_t> {
    if (llvm::count(header.fields, name) != 1)
      return std::nullopt;
    return llvm::find(header.fields, name) - header.fields.begin();
  };
  groupIndex = find(group);
  for (Column &column : columns)
    if (std::optional<size_t> index = find(column.name)) {
      column.index = *index;
      column.isOpen = true;
    }
}

void ProfileReader::add(const CsvRow &row) {
  ++rows;
  if (groupIndex)
    groups.insert(row.fields[*groupIndex]);
  for (Column &column : columns) {
    if (!column.isOpen || !column.texts.insert(row.fields[column.index]).second)
      continue;
    std::optional<double> number = numberOf(row.fields[column.index]);
    if (number && std::isfinite(*number))
      // Both zeros count as one number.
      column.numbers.insert(*number + 0.0);
    // Also stop if there are many spellings of few numbers.
    if (column.numbers.size() > maxGridLevels ||
        column.texts.size() > 4 * maxGridLevels) {
      column.isOpen = false;
      column.texts.clear();
      column.numbers.clear();
    }
  }
}

std::optional<Profile> ProfileReader::find() const {
  if (rows == 0 || (!group.empty() && !groupIndex))
    return std::nullopt;
  Profile profile;
  profile.rowsPerGroup = rows / std::max<int64_t>(groups.size(), 1);
  for (const Column &column : columns)
    if (std::optional<Grid> grid = findGrid(column.numbers)) {
      grid->column = column.name;
      profile.grids.push_back(*grid);
    }
  if (profile.grids.empty())
    return std::nullopt;
  return profile;
}

} // namespace tamc::spec
