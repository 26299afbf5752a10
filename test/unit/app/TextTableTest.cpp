//===- app/TextTableTest.cpp - tables of text -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/TextTable.h"

#include <gtest/gtest.h>

using namespace tamrt;

namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirCharacters) {
  TextTable table;
  table.row({"group", "rows", ""});
  table.row({"süd", "7", "x"});
  table.row({"östlich", "1024", ""});
  EXPECT_EQ(table.format(), "group    rows\n"
                            "süd         7  x\n"
                            "östlich  1024\n");
}

TEST(TextTable, CellsDoNotControlTheTerminal) {
  TextTable table;
  table.row({"a\n\x1b[2J", "1"});
  table.row({"\x7f", "22"});
  EXPECT_EQ(table.format(), "a\\x0a\\x1b[2J   1\n"
                            "\\x7f          22\n");
}

} // namespace
