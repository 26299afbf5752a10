//===- ModelSpecTest.cpp - names, features, canonical text ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

#include "llvm/ADT/StringExtras.h"

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

std::string names(llvm::StringRef formula) {
  Sources sources;
  auto spec = sources.formula(formula);
  EXPECT_TRUE(spec) << sources.messages;
  return spec ? llvm::join(spec->effectNames(), " ") : "";
}

std::string features(llvm::StringRef formula) {
  Sources sources;
  auto spec = sources.formula(formula);
  EXPECT_TRUE(spec) << sources.messages;
  return spec ? llvm::join(spec->features(), " ") : "";
}

std::string canonical(llvm::StringRef formula) {
  Sources sources;
  auto spec = sources.formula(formula);
  EXPECT_TRUE(spec) << sources.messages;
  return spec ? spec->canonicalFormula() : "";
}

TEST(EffectNames, FeatureElsePrefixElseNumber) {
  EXPECT_EQ(names("y ~ 1"), "offset");
  EXPECT_EQ(names("y ~ s(a) + l(b)"), "offset a b");
  EXPECT_EQ(names("y ~ s(a) + l(a) + l(b)"), "offset s_a l_a b");
  EXPECT_EQ(names("y ~ s(a) + s(a) + s(a)"), "offset s_a s_a_2 s_a_3");
  EXPECT_EQ(names("y ~ te(s(a), s(b)) + s(a)"), "offset te_a_x_b a");
  EXPECT_EQ(names("y ~ te(s(a), s(b)) + te(l(a), l(b))"),
            "offset te_a_x_b te_a_x_b_2");
  EXPECT_EQ(names("y ~ te(s(a), te(l(b), l(c)))"), "offset te_a_x_b_x_c");
  EXPECT_EQ(names("y ~ rbf(a, others='b') + l(b)"), "offset a b");
}

TEST(EffectNames, AreUnique) {
  EXPECT_EQ(names("y ~ l(offset)"), "offset l_offset");
  EXPECT_EQ(names("y ~ l(s_a) + s(a) + l(a)"), "offset s_a s_a_2 l_a");
  EXPECT_EQ(names("y ~ l(s_a_2) + s(a) + s(a) + s(a)"),
            "offset s_a_2 s_a s_a_3 s_a_4");
  EXPECT_EQ(names("y ~ te(l(a), l(b)) + l(te_a_x_b)"),
            "offset te_a_x_b te_a_x_b_2");
}

TEST(Features, InOrderOfFirstAppearance) {
  EXPECT_EQ(features("y ~ l(b) + s(a) + c(b)"), "b a");
  EXPECT_EQ(features("y ~ lt(a, slope=z, others='c|b')"), "a c b z");
  EXPECT_EQ(features("y ~ lt(a)"), "a");
  EXPECT_EQ(features("y ~ te(s(q), te(l(r), l(q)), n(s, others=t)) + l(a)"),
            "q r s t a");
  EXPECT_EQ(features("y ~ 1"), "");
}

TEST(Canonical, OneSpellingPerMeaning) {
  EXPECT_EQ(canonical(" y~1 + S( x ,p=2,k=10, deg=3, ap=-9,\n"
                      "extrapolate='linear') + L('x', scaled=2e0)"),
            "y ~ s(x) + l(x, scaled=2)");
  EXPECT_EQ(canonical("y ~ f(x, period=( 0,+1.50 ), m=4.0, cyclic=True)"),
            "y ~ f(x, m=4, cyclic=True, period=(0, 1.5))");
  EXPECT_EQ(canonical("y ~ c(x, topo='fourier', n_cat=12, ap=-8.0)"),
            "y ~ c(x, n_cat=12, topo=fourier, ap=-8)");
  EXPECT_EQ(canonical("y ~ te(ap=0, s(a, ap=-1), f(b, period='auto'), "
                      "extrapolate=linear)"),
            "y ~ te(s(a, ap=-1), f(b, period=auto), ap=0, "
            "extrapolate=linear)");
  EXPECT_EQ(canonical("y ~ phys(x, D2=1)"), "y ~ phys(x)");
  EXPECT_EQ(canonical("y ~ phys(x, D3=-.25, D0=1e-7)"),
            "y ~ phys(x, D0=1e-07, D3=-0.25)");
  EXPECT_EQ(canonical("y ~ lt(x, slope=x) + lt(x, slope=z)"),
            "y ~ lt(x) + lt(x, slope=z)");
  EXPECT_EQ(canonical("'y' ~ rbf('True', others='a| b', gamma=2)"),
            "y ~ rbf(\"True\", gamma=2, others=\"a|b\")");
  EXPECT_EQ(canonical("y ~ l('it\\'s \"a\\\\b\"')"),
            "y ~ l(\"it's \\\"a\\\\b\\\"\")");
}

TEST(Canonical, Yaml) {
  Sources sources;
  auto spec = sources.yaml("name: n\n"
                           "formula: y ~ l('it\\'s')\n"
                           "weights: w\n"
                           "date: 'a''b'\n"
                           "group: \"g: #\"\n"
                           "solver: cg\n"
                           "device: cpu\n"
                           "chunk_rows: 12\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->canonical(), "formula: 'y ~ l(\"it''s\")'\n"
                               "group: 'g: #'\n"
                               "date: 'a''b'\n"
                               "weights: 'w'\n"
                               "solver: cg\n");
  auto again = sources.yaml(spec->canonical());
  ASSERT_TRUE(again) << sources.messages;
  EXPECT_TRUE(sameModel(*spec, *again));
}

TEST(Canonical, DefaultsAreWrittenOut) {
  Sources sources;
  auto spec = sources.yaml("defaults: {s: {k: 5}, all: {ap: -1}}\n"
                           "formula: y ~ s(x) + te(s(a, k=10), l(b))\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->canonical(), "formula: 'y ~ s(x, k=5, ap=-1) + te(s(a, "
                               "ap=-1), l(b, ap=-1), ap=-1)'\n");
}

TEST(Canonical, WhatTiesNoWeightsIsLeftOut) {
  Sources sources;
  auto a = sources.yaml("formula: y ~ l(x)\nname: a\nchunk_rows: 5\n");
  auto b = sources.yaml("formula: y~L(x)\ndevice: cuda\nchunk_rows: all\n");
  ASSERT_TRUE(a && b) << sources.messages;
  EXPECT_EQ(a->canonical(), b->canonical());
}

TEST(Term, Getters) {
  Term term = termOf("f(x, s=3, cyclic=True, period=auto)");
  EXPECT_EQ(term.getInt("m"), 10);
  EXPECT_EQ(term.getNumber("m"), 10.0);
  EXPECT_EQ(term.getNumber("s"), 3.0);
  EXPECT_TRUE(term.getBool("cyclic"));
  EXPECT_EQ(term.getString("period"), "auto");
  EXPECT_FALSE(term.isNone("period"));
#ifndef NDEBUG
  EXPECT_DEATH(term.getInt("k"), "a parameter of this term");
  EXPECT_DEATH(term.getInt("cyclic"), "an integer parameter");
#endif
}

} // namespace
