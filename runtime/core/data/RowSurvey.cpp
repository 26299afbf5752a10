//===- core/data/RowSurvey.cpp - what a fit needs of its rows -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowSurvey.h"

#include "core/data/GroupRuns.h"
#include "io/Parallel.h"

#include <algorithm>

namespace tamrt {

RowSurvey::RowSurvey(const tamrt_model &model, const ModelColumns &columns)
    : model(&model), columns(&columns), spreads(columns.numbers.size()),
      periods(size_t(model.input_count)) {
  if (model.compression)
    onGrid.assign(size_t(model.compression->grid_count), true);
}

void RowSurvey::addRows(const Rows &rows) {
  forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
    GroupDates &of = dates[group];
    if (columns->date)
      for (size_t row = first; row < first + count; ++row)
        addDate(group, rows.dateOf(row), of.rows == 0 && row == first);
    if (of.rows == 0)
      firstRows[group] = rowCount;
    of.rows += count;
    rowCount += uint32_t(count);
    lastRows[group] = rowCount - 1;
  });
}

void RowSurvey::addDate(uint32_t group, const RowDate &date, bool isFirst) {
  GroupDates &of = dates[group];
  if (isFirst) {
    of.first = of.last = date;
    return;
  }
  if (of.areOrdered && !(date < of.last)) {
    tied += date == of.last;
    of.last = date;
    return;
  }
  of.areOrdered = false;
  if (!firstDisorder)
    firstDisorder = group;
  of.first = std::min(of.first, date);
  of.last = std::max(of.last, date);
}

size_t RowSurvey::mostOpen() const {
  std::vector<uint32_t> begins, ends;
  for (size_t group = 0; group < dates.size(); ++group)
    if (dates[group].rows > 0) {
      begins.push_back(firstRows[group]);
      ends.push_back(lastRows[group]);
    }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  // Most are open at the row after a first row.
  size_t most = 0, ended = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    while (ended < ends.size() && ends[ended] <= begins[i])
      ++ended;
    most = std::max(most, i + 1 - ended);
  }
  return most;
}

void RowSurvey::add(const Rows &rows, size_t groups, unsigned threads) {
  dates.resize(groups);
  firstRows.resize(groups);
  lastRows.resize(groups);
  addRows(rows);
  if (columns->weights) {
    weights.resize(groups);
    const GrowingArray<double> &values = rows.numbers[*columns->weights];
    forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
      for (size_t row = first; row < first + count; ++row)
        weights[group].add(values[row]);
    });
  }
  const auto pieces = unsigned(
      std::min<size_t>(chooseThreads(threads, rows.count, kRowsPerThread),
                       std::max<size_t>(rows.numbers.size(), 1)));
  forEachPiece(pieces, [&](unsigned piece) {
    for (size_t i = piece; i < spreads.size(); i += pieces) {
      spreads[i].resize(groups);
      const double *values = rows.numbers[i].data();
      forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
        spreads[i][group].add(std::span(values + first, count));
      });
    }
  });
  for (size_t i = 0; i < periods.size(); ++i)
    if (model->inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      for (double value : rows.numbers[columns->inputs[i]])
        periods[i].add(value);
  for (size_t i = 0; i < onGrid.size(); ++i) {
    const tamrt_grid &grid = model->compression->grids[i];
    Spread all;
    onGrid[i] =
        onGrid[i] &&
        areOnGrid(grid,
                  {rows.numbers[columns->inputs[size_t(grid.input)]].data()},
                  rows.count, all);
  }
}

} // namespace tamrt
