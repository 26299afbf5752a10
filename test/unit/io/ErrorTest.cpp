//===- ErrorTest.cpp - results that may be errors -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Error.h"

#include <gtest/gtest.h>
#include <memory>

using namespace tamrt;

TEST(Result, HoldsValueOrError) {
  Result<int> value = 7;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  Result<int> error = Error{"no"};
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "no");
}

TEST(Result, CarriesWhatOnlyMoves) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(3);
  std::unique_ptr<int> taken = *std::move(value);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, CanHoldTextAndTellItFromAnError) {
  Result<std::string> value = std::string("no");
  EXPECT_TRUE(value);
  EXPECT_EQ(value->size(), 2u);
}

TEST(Status, IsDoneByDefault) {
  Status done;
  EXPECT_TRUE(done);
  Status failed = Error{"why"};
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "why");
}
