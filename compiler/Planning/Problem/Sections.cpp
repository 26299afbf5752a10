//===- Planning/Sections.cpp - maximal sections of time -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Sections.h"

#include <algorithm>

using namespace tamc::planning;

Sections::Sections(const Instance &instance)
    : lower(instance.size()), upper(instance.size()) {
  // A section begins at a birth that follows a death.
  std::vector<bool> birth(instance.times.size(), false);
  std::vector<bool> death(instance.times.size(), false);
  for (const Item &item : instance.items) {
    birth[item.lower] = true;
    death[item.upper] = true;
  }
  // By rank: the section of items that begin then; the number of sections that
  // begin before.
  std::vector<int32_t> born(birth.size()), over(birth.size());
  bool dying = true;
  for (size_t time = 0; time < birth.size(); ++time) {
    over[time] = count;
    dying |= death[time];
    if (birth[time] && dying) {
      ++count;
      dying = false;
    }
    born[time] = count - 1;
  }
  for (size_t i = 0; i < instance.size(); ++i) {
    lower[i] = born[instance.items[i].lower];
    upper[i] = over[instance.items[i].upper];
  }
}
