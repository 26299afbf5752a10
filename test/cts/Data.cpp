//===- Data.cpp - the rows of the suite -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Data.h"

#include "Random.h"

#include <algorithm>
#include <map>

using namespace tamc::cts;
using namespace tamc::reference;

static const std::vector<std::string> kColumns = {
    "g", "t", "a", "b", "d", "e", "h", "j", "k", "m", "q", "day", "w", "y"};
static const std::vector<std::string> kDays = {"mon", "tue", "sun", "new"};

/// One row of group `group`; `index` is its number in the table.
static std::vector<std::string> makeRow(Random &random, size_t group,
                                        size_t index, bool isTraining) {
  // New rows exceed the training range and have one more level of text.
  double spread = isTraining ? 1 : 3;
  auto code = [&](int64_t count) {
    // The first rows have all levels.
    int64_t level = random.integer(0, count - 1);
    return index < 10 ? int64_t(index) % count : level;
  };
  return {std::to_string(group + 1),
          std::to_string(random.integer(0, 1 << 20)),
          toText(5 + spread * random.normal()),
          toText(random.uniform(-spread, 2 * spread)),
          toText(spread * random.normal() - 2),
          toText(spread * random.uniform(0, 10)),
          toText(0.5 * double(random.integer(0, 11))),
          toText(0.25 * double(random.integer(0, 6)) - 1),
          std::to_string(code(5)),
          std::to_string(code(3)),
          std::to_string(code(2)),
          kDays[size_t(code(isTraining ? 3 : 4))],
          index > 20 && random.integer(0, 15) == 0
              ? "0"
              : toText(random.uniform(0.05, 1)),
          toText(2 + random.normal())};
}

/// Rows of all groups, in an order in which the groups alternate.
static Table makeTable(Random &random, const std::vector<int64_t> &sizes,
                       bool isTraining) {
  std::vector<size_t> groups;
  for (size_t group = 0; group < sizes.size(); ++group)
    groups.insert(groups.end(), size_t(sizes[group]), group);
  for (size_t i = groups.size(); i > 1; --i)
    std::swap(groups[i - 1], groups[size_t(random.integer(0, int64_t(i) - 1))]);
  Table table{kColumns, {}};
  for (size_t index = 0; index < groups.size(); ++index)
    table.rows.push_back(makeRow(random, groups[index], index, isTraining));
  return table;
}

Data::Data() {
  Random random(20261124);
  train = makeTable(random, kShapes, true);
  // The group of one row has a weight.
  for (auto &row : train.rows)
    if (row[0] == "2")
      row[train.column("w")] = "0.75";
  fresh = makeTable(random, {129, 4097, 128, 1, 0, 127}, false);
  few.names = uncertain.names = fresh.names;
  std::map<std::string, int> seen;
  for (const auto &row : fresh.rows)
    if (++seen[row[0]] <= 129) {
      few.rows.push_back(row);
      if (row[0] != "2")
        uncertain.rows.push_back(row);
    }
}
