//===- RandomCase.cpp - random specs, rows and options --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RandomCase.h"

#include "RandomFormula.h"

#include <cstdlib>

using namespace tamc;
using namespace tamc::reference;

RandomCase::RandomCase(uint32_t seed, int64_t terms, int64_t rows)
    : random(seed) {
  std::vector<std::string> groups{"north", "south", "west"};
  groups.resize(random.integer(1, 3));
  text = "name: random\nformula: >-\n  " + randomFormula(random, terms) +
         "\ngroup: g\n";
  if (random.flip())
    text += "weights: w\n";
  train = randomRows(random, groups, rows, 1);
  fresh = randomRows(random, groups, rows / 3, 3);
  options.mergeColumns = random.pick<int64_t>({0, 2, 2, 3});
  options.rowsPerLevel = random.pick<int64_t>({0, 1, 1});
  options.dense = random.integer(0, 9) == 0;
  options.fuseRows = random.integer(0, 9) > 0;
  options.panels = random.integer(0, 9) > 0;
  options.rowWords = random.pick<int64_t>({-1, -1, -1, 4, 16});
  options.minCg = random.integer(0, 2) == 0 ? 0 : 7501;
  options.smallBlockLimit = random.pick<int64_t>({1, 4, 64});
  options.maxDirect = random.integer(0, 4) == 0 ? 0 : 7500;
  options.blockLimit = random.pick<int64_t>({4, 512});
  chunkRows = random.integer(1, 40);
  options.joinPairs = random.pick<int64_t>({0, 1, 2, 2});
}

uint32_t tamc::reference::fromEnvironment(const char *name, uint32_t usual) {
  const char *text = std::getenv(name);
  auto value = parseNumber(text ? text : "");
  return value ? static_cast<uint32_t>(*value) : usual;
}
