//===- core/TermsTest.cpp - feature maps of a model -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Terms.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tamrt;
using json = nlohmann::ordered_json;

namespace {

tamrt_model modelOf(const char *terms, int64_t effects) {
  tamrt_model model = {};
  model.terms = terms;
  model.effect_count = effects;
  return model;
}

TEST(Terms, AreAsManyAsEffects) {
  const char *terms = R"([{"kind": "linear", "inputs": [2]}])";
  Result<json> parsed = parseTerms(modelOf(terms, 2));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(inputsOf((*parsed)[0]), std::vector<size_t>{2});
  EXPECT_FALSE(parseTerms(modelOf(terms, 3)));
  EXPECT_FALSE(parseTerms(modelOf(nullptr, 2)));
  EXPECT_FALSE(parseTerms(modelOf("[", 2)));
}

TEST(Terms, OfProductsReadInputsOfAllFactors) {
  const json term = json::parse(
      R"({"kind": "product", "factors": [
           {"kind": "spline", "inputs": [1]},
           {"kind": "product", "factors": [{"kind": "radial", "inputs": [3, 0]},
                                           {"kind": "linear", "inputs": [1]}]}
         ]})");
  EXPECT_EQ(inputsOf(term), (std::vector<size_t>{1, 3, 0, 1}));
  EXPECT_FALSE(isRecursive(term));
}

TEST(Terms, AreRecursiveWithAPid) {
  EXPECT_TRUE(isRecursive({{"kind", "pid"}, {"inputs", {0}}}));
  const json inside = {{"kind", "product"},
                       {"factors", {{{"kind", "linear"}}, {{"kind", "pid"}}}}};
  EXPECT_TRUE(isRecursive(inside));
}

} // namespace
