//===- core/data/Rows.cpp - rows in the order of a file -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowReader.h"

#include <algorithm>
#include <utility>

namespace tamrt {

/// The fractions of `rows`, of which there are none if all are 0, as numbers.
static void fillFractions(Rows &rows) {
  const size_t missing = rows.count - rows.fractions.size();
  std::fill_n(rows.fractions.extend(missing), missing, 0);
}

size_t Rows::drop(const std::vector<bool> &out) {
  auto keep = [&](auto &values) {
    if (values.empty())
      return;
    size_t kept = 0;
    for (size_t row = 0; row < out.size(); ++row)
      if (!out[row])
        values[kept++] = std::as_const(values)[row];
    values.truncate(kept);
  };
  keep(groups);
  keep(dates);
  keep(fractions);
  keep(lines);
  keep(places);
  keep(texts);
  for (GrowingArray<double> &column : numbers)
    keep(column);
  for (GrowingArray<uint32_t> &column : levels)
    keep(column);
  const auto dropped = size_t(std::count(out.begin(), out.end(), true));
  count -= dropped;
  return dropped;
}

void Rows::append(const Rows &more) {
  const bool haveFractions = !fractions.empty() || !more.fractions.empty();
  if (haveFractions)
    fillFractions(*this);
  texts.append(more.texts);
  groups.append(more.groups);
  dates.append(more.dates);
  fractions.append(more.fractions);
  for (size_t i = 0; i < more.numbers.size(); ++i)
    numbers[i].append(more.numbers[i]);
  for (size_t i = 0; i < more.levels.size(); ++i)
    levels[i].append(more.levels[i]);
  count += more.count;
  if (haveFractions)
    fillFractions(*this);
}

} // namespace tamrt
