//===- DatasetTest.cpp - rows by group and date ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tamrt::test {
namespace {

/// Groups and rows of the file: "b:2,0 a:1".
std::string orderOf(const Dataset &data) {
  std::ostringstream text;
  for (const Group &group : data.groups()) {
    text << (group.first ? " " : "") << group.name << ':';
    for (size_t i = 0; i < group.rows; ++i)
      text << (i ? "," : "") << data.fileRows()[group.first + i];
  }
  return text.str();
}

std::string order(std::string_view text, const char *group, const char *date) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.target = "x";
  model.group = group;
  model.date = date;
  Result<FitData> data = fitData(text, model);
  if (!data)
    return data.error().message;
  // The values are the rows' indices and were permuted with the rows.
  for (size_t row = 0; row < data->rows.rowCount(); ++row)
    EXPECT_EQ(data->rows.numbers(0)[row], data->rows.fileRows()[row]);
  return orderOf(data->rows);
}

TEST(Dataset, GroupsAsNumbersWhenAllAre) {
  EXPECT_EQ(order("g,x\n10,0\n9,1\n-1,2\n10,3\n", "g", nullptr),
            "-1:2 9:1 10:0,3");
  EXPECT_EQ(order("g,x\n10,0\n9,1\nb,2\n", "g", nullptr), "10:0 9:1 b:2");
  // Equal numbers written differently are one group, called by the first.
  EXPECT_EQ(order("g,x\n1.0,0\n1,1\n1.0,2\n0,3\n", "g", nullptr),
            "0:3 1.0:0,1,2");
  // Where one is none they are texts.
  EXPECT_EQ(order("g,x\n1.0,0\n1,1\nb,2\nNA,3\n", "g", nullptr),
            "1:1 1.0:0 NA:3 b:2");
}

TEST(Dataset, WithoutGroupAndDate) {
  EXPECT_EQ(order("g,x\n3,0\n1,1\n2,2\n", nullptr, nullptr), ":0,1,2");
}

TEST(Dataset, DatesSortStablyWithinGroups) {
  EXPECT_EQ(order("t,x\n2020-01-02,0\n2020-01-01,1\n2020-01-02,2\n"
                  "2020-01-01T00:00,3\n",
                  nullptr, "t"),
            ":1,3,0,2");
  EXPECT_EQ(order("g,t,x\nb,3,0\na,2,1\nb,1,2\na,1e0,3\nb,3.0,4\n", "g", "t"),
            "a:3,1 b:2,0,4");
}

TEST(Dataset, MergesRunsOfDatesStably) {
  // Up to 8 runs of a group are merged, of more its rows are sorted.
  for (const size_t run : {1000, 999, 501, 400, 150, 120, 70, 7}) {
    std::string text = "g,t,x\n", sorted;
    std::vector<std::pair<size_t, size_t>> groups[2];
    for (size_t row = 0; row < 1000; ++row) {
      const size_t date = row % run / 5;
      text += std::string(row % 2 ? "b," : "a,") + std::to_string(date) + "," +
              std::to_string(row) + "\n";
      groups[row % 2].emplace_back(date, row);
    }
    for (auto &group : groups) {
      std::stable_sort(group.begin(), group.end(),
                       [](auto &a, auto &b) { return a.first < b.first; });
      sorted += &group == groups ? "a:" : " b:";
      for (const auto &row : group)
        sorted +=
            (&row == group.data() ? "" : ",") + std::to_string(row.second);
    }
    EXPECT_EQ(order(text, "g", "t"), sorted) << run;
  }
}

TEST(Dataset, SharesAColumnOfSeveralInputs) {
  const tamrt_input inputs[] = {
      input("x", TAMRT_RULE_RANGE), input("x", TAMRT_RULE_CODES, 4),
      input("x", TAMRT_RULE_LEVELS, 4), input("y", TAMRT_RULE_RANGE)};
  tamrt_model model = modelOf(inputs, 4);
  Result<FitData> read = fitData("x,y\n3,0\n1,1\n", model);
  ASSERT_TRUE(read.ok());
  const Dataset *data = &read->rows;
  EXPECT_EQ(data->numbers(0), data->numbers(1));
  EXPECT_EQ(data->numbers(2), nullptr);
  EXPECT_EQ(data->numbers(3), data->target());
  EXPECT_EQ(data->weights(), nullptr);
  EXPECT_EQ(data->codes(1), nullptr);
  EXPECT_EQ(data->codes(2)[0], 1);
  EXPECT_EQ(data->codes(2)[1], 0);
}

TEST(Dataset, DroppedRowsLeaveGroupsAndLevels) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("d", TAMRT_RULE_LEVELS, 2)};
  tamrt_model model = modelOf(inputs, 2);
  model.group = "g";
  model.date = "t";
  model.weights = "w";
  const std::string_view text = "g,t,x,d,y,w\n"
                                "1,5,1,a,1,1\n" // kept
                                "2,5,,c,1,1\n"  // group 2 goes whole
                                "1,,1,c,1,1\n"  // no date
                                "1,4,1,,1,1\n"
                                "1,4,1,  ,1,1\n"
                                "1,4,1,c,inf,1\n"
                                "1,4,1,c,1,nan\n"
                                ",4,1,c,1,1\n"
                                "1,3,2,b,1,0\n"; // kept
  EXPECT_FALSE(fitData(text, model).ok());
  Result<FitData> data = fitData(text, model, {true});
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(orderOf(data->rows), "1:1,0");
  EXPECT_EQ(data->rows.weights()[0], 0);
  EXPECT_EQ(data->rows.numbers(0)[0], 2);
  EXPECT_EQ(data->levels[1].names, (std::vector<std::string>{"a", "b"}));
}

TEST(Dataset, CountsTies) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  model.date = "t";
  auto ties = [&](std::string_view text) {
    return fitData(text, model)->rows.tiedRows();
  };
  EXPECT_EQ(ties("g,t,x,y\na,1,0,0\nb,1,0,0\na,2,0,0\n"), 0u);
  EXPECT_EQ(ties("g,t,x,y\na,1,0,0\na,1.0,0,0\na,1,0,0\nb,1,0,0\n"), 2u);
  // Not in order, and apart by less than a second.
  EXPECT_EQ(ties("g,t,x,y\na,2020-01-02,0,0\na,2020-01-01,0,0\n"
                 "a,2020-01-02,0,0\na,2020-01-02T00:00:00.5,0,0\n"),
            1u);
}

TEST(Dataset, ErrorsNamePlaceAndGroup) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  auto error = [&](std::string_view text) {
    auto data = fitData(text, model);
    return data.ok() ? "" : data.error().message;
  };
  EXPECT_EQ(error("g,x,y\nn,1,1\ns,NA,1\n"),
            "t.csv: line 3: column 'x': group 's': expected a finite value, "
            "got a missing value");
  EXPECT_EQ(error("g,x,y\nn,1,1\n\"s\n2\",1,-inf\n"),
            "t.csv: line 3: column 'y': group 's\n2': expected a finite value, "
            "got infinity");
  EXPECT_EQ(error("g,x,y\n,1,1\n"),
            "t.csv: line 2: column 'g': expected a group, got a missing value");
}

} // namespace
} // namespace tamrt::test
