//===- CoordinatesTest.cpp - penalties that are chosen --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Coordinates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace tamrt;

namespace {

/// A model of penalties with these names and effects, whose aps are 1.
class Penalties {
public:
  void add(std::string name, int64_t effect, double limit = TAMRT_AP_LIMIT) {
    names.push_back(std::move(name));
    penalties.push_back({nullptr, effect, 1.0, 10.0, limit});
  }

  const tamrt_model &get() {
    for (size_t i = 0; i < names.size(); ++i)
      penalties[i].name = names[i].c_str();
    model.penalties = penalties.data();
    model.penalty_count = int64_t(penalties.size());
    return model;
  }

private:
  std::vector<std::string> names;
  std::vector<tamrt_penalty> penalties;
  tamrt_model model = {};
};

using Products = std::vector<size_t>;

TEST(CoordinatesTest, FactorsStandForTheirProducts) {
  Penalties penalties;
  penalties.add("offset", 0);
  penalties.add("te", 1);
  penalties.add("te[0]", 1);
  penalties.add("te[1]", 1);
  penalties.add("te[1][0]", 1);
  penalties.add("te[1][1]", 1);
  // Of other effects, whose names begin alike.
  penalties.add("te[2]", 2);
  penalties.add("te_b", 3);
  const std::vector<Coordinate> found = coordinatesOf(penalties.get());
  std::vector<size_t> places;
  std::vector<Products> products;
  std::vector<int64_t> effects;
  for (const Coordinate &each : found) {
    places.push_back(each.penalty);
    products.push_back(each.products);
    effects.push_back(each.effect);
  }
  EXPECT_EQ(places, (std::vector<size_t>{0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(products, (std::vector<Products>{{}, {1}, {1, 3}, {1, 3}, {}, {}}));
  EXPECT_EQ(effects, (std::vector<int64_t>{0, 1, 1, 1, 2, 3}));
}

/// A comparison of each pair of these would take minutes.
TEST(CoordinatesTest, ManyPenalties) {
  constexpr size_t kTerms = 30'000;
  Penalties penalties;
  for (size_t i = 0; i < kTerms; ++i) {
    const std::string name = "te_" + std::to_string(i);
    penalties.add(name, int64_t(i));
    penalties.add(name + "[0]", int64_t(i), i + 1 == kTerms ? 8 : 9);
  }
  const tamrt_model &model = penalties.get();
  EXPECT_EQ(coordinatesOf(model).size(), kTerms);
  std::vector<double> aps(2 * kTerms, 4.0);
  EXPECT_TRUE(checkLimits(model, aps));
  aps.back() = 4.5;
  const Status above = checkLimits(model, aps);
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().message.substr(0, 62),
            "te_29999[0]: expected an ap of at most 8, those of its product");
}

} // namespace
