//===- DatasetTest.cpp - rows by group and date ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTest.h"

#include <gtest/gtest.h>

#include <sstream>

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
  model.group = group;
  model.date = date;
  CsvFile file = table(text);
  Result<Dataset> data = Dataset::read(file, model, {Purpose::Predict});
  if (!data)
    return data.error().message;
  // The values went where the rows did.
  auto x0 = *file.numbers(*file.find("x"));
  for (size_t row = 0; row < data->rowCount(); ++row)
    EXPECT_EQ(data->numbers(0)[row], x0[data->fileRows()[row]]);
  return orderOf(*data);
}

TEST(Dataset, GroupsAsNumbersWhenAllAre) {
  EXPECT_EQ(order("g,x\n10,0\n9,1\n-1,2\n10,3\n", "g", nullptr),
            "-1:2 9:1 10:0,3");
  EXPECT_EQ(order("g,x\n10,0\n9,1\nb,2\n", "g", nullptr), "10:0 9:1 b:2");
  // Equal numbers written differently stay two groups.
  EXPECT_EQ(order("g,x\n1.0,0\n1,1\n1.0,2\n0,3\n", "g", nullptr),
            "0:3 1:1 1.0:0,2");
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

TEST(Dataset, SharesAColumnOfSeveralInputs) {
  const tamrt_input inputs[] = {
      input("x", TAMRT_RULE_RANGE), input("x", TAMRT_RULE_CODES, 4),
      input("x", TAMRT_RULE_LEVELS, 4), input("y", TAMRT_RULE_RANGE)};
  tamrt_model model = modelOf(inputs, 4);
  CsvFile file = table("x,y\n3,0\n1,1\n");
  Result<Dataset> data = Dataset::read(file, model, {});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->numbers(0), data->numbers(1));
  EXPECT_EQ(data->numbers(2), nullptr);
  EXPECT_EQ(data->numbers(3), data->target());
  EXPECT_EQ(data->weights(), nullptr);
  EXPECT_EQ(data->codes(2), nullptr);
  auto levels = data->levels(file);
  ASSERT_TRUE(levels.ok());
  data->encode(file, *levels);
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
  CsvFile file = table("g,t,x,d,y,w\n"
                       "1,5,1,a,1,1\n" // kept
                       "2,5,,c,1,1\n"  // group 2 goes whole
                       "1,,1,c,1,1\n"  // no date
                       "1,4,1,NA,1,1\n"
                       "1,4,1,inf,1,1\n"
                       "1,4,1,c,inf,1\n"
                       "1,4,1,c,1,nan\n"
                       "na,4,1,c,1,1\n"
                       "1,3,2,b,1,0\n"); // kept
  EXPECT_FALSE(Dataset::read(file, model, {Purpose::Fit, false}).ok());
  Result<Dataset> data = Dataset::read(file, model, {Purpose::Fit, true});
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(orderOf(*data), "1:8,0");
  EXPECT_EQ(data->droppedCount(), 7u);
  EXPECT_EQ(data->weights()[0], 0);
  EXPECT_EQ(data->numbers(0)[0], 2);
  auto levels = data->levels(file);
  ASSERT_TRUE(levels.ok()) << levels.error().message;
  EXPECT_EQ((*levels)[1].names, (std::vector<std::string>{"a", "b"}));
}

TEST(Dataset, ErrorsNamePlaceAndGroup) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  auto error = [&](std::string_view text) {
    CsvFile file = table(text);
    auto data = Dataset::read(file, model, {});
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
