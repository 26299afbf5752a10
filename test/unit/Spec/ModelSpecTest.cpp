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
  auto b = sources.yaml("formula: y~L(x)\ndevice: cpu\nchunk_rows: all\n");
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

/// Formulas of published models and of the golden numbers: they parse without a
/// message, and their canonical texts parse to the same formulas.
TEST(Formula, ThoseOfTheGoldenNumbers) {
  for (const char *formula : {
           "log_passengers ~ c(time_of_year, n_cat=12, topo='fourier', ap=-8) "
           "+ l(lag_log_passengers, ap=-30)",
           "Load ~ l(Load_d1, ap=-30) + l(trend, ap=-5) + "
           "s(temperature_smooth_950, k=20, deg=3, p=2, ap=-5) + "
           "s(temperature_max_smooth_990, k=20, deg=3, p=2, ap=-5) + "
           "s(temperature_min_smooth_950, k=20, deg=3, p=2, ap=-5) + s(toy, "
           "k=20, deg=3, p=2, ap=-5) + c(weekend, n_cat=2, topo='nominal', "
           "ap=-5) + c(day_type_week, n_cat=7, topo='nominal', ap=-5)",
           "Load ~ l(Load_d1, ap=-30) + l(trend, ap=-5) + "
           "s(temperature_smooth_950, k=8, ap=-2, extrapolate='constant') + "
           "te(s(temperature_smooth_950, k=5, ap=-1), c(day_type_week, "
           "n_cat=7, ap=-2), ap=-1) + te(s(toy, k=6, ap=-1), s(temperature, "
           "k=4, deg=2, p=1, ap=-1), ap=-1, extrapolate='linear') + "
           "c(day_type_jf, n_cat=2, ap=-4)",
           "Load ~ l(Load_d1, ap=-3) + f(temperature_smooth_950, m=4, s=2, "
           "ap=-3) + f(toy, m=4, ap=-3, cyclic=True, period=(0,1)) + "
           "te(p(temperature, deg=3, ap=-1), c(day_type_week, n_cat=7, ap=-1), "
           "ap=0)",
           "y ~ l(a, ap=-3) + l(b) + l(c, scaled=2)",
           "y ~ s(a) + l(b)",
           "y ~ s(a,k=7,deg=2,p=1,ap=-2,extrapolate='saturation') + l(b)",
           "y ~ s(a,k=7,ap=-2,extrapolate='constant') + "
           "s(b,extrapolate='continue')",
           "y ~ f(a, m=4, s=2, ap=-4) + f(b, cyclic=True)",
           "y ~ f(a, m=4, s=2, ap=-4, extrapolate='linear') + l(b)",
           "y ~ c(k, n_cat=7, ap=-3) + l(b)",
           "y ~ c(k, topo='ordinal', p_order=2, ap=-1) + l(b)",
           "y ~ c(k, topo='fourier', ap=-3) + l(b)",
           "y ~ p(a, deg=6, s=1, ap=-4) + p(b)",
           "y ~ w(a, n_scales=3, n_locations=8, ap=-4) + l(b)",
           "y ~ pid(a, w=5, ap=-3) + l(b)",
           "y ~ n(a, n_neurons=30, ap=-3, extrapolate='continue') + l(b)",
           "y ~ n(a, others='b', n_neurons=20, act='cos', n_hidden_layers=2, "
           "ap=-3, extrapolate='continue')",
           "y ~ t(a, others='b', n_trees=4, max_depth=3, ap=-3)",
           "y ~ t(a, others='b', n_trees=4, max_depth=3, ap=-3, "
           "split_strategy='quantile')",
           "y ~ t(a, n_trees=1, max_leaves=6, ap=-3) + l(b)",
           "y ~ lt(a, slope='b', max_leaves=5, ap=-3)",
           "y ~ te(s(a,k=4), f(b,m=2), ap=-2)",
           "y ~ te(s(a,k=4,ap=-1), c(k,n_cat=7,ap=-2), l(b), ap=-1)",
           "y ~ phys(a, k=12, D0=0.5, D2=1.0, ap=-3) + l(b)",
           "y ~ phys(a, basis='fourier', n_coeffs=10, D1=0.5, D2=1.0, ap=-3) + "
           "l(b)",
           "y ~ rbf(a, others='b', n_centers=9, nu=1.5, gamma=2.0, ap=-3)",
       }) {
    Sources sources;
    auto spec = sources.formula(formula);
    ASSERT_TRUE(spec) << formula << sources.messages;
    EXPECT_EQ(sources.messages, "") << formula;
    auto again = sources.yaml(spec->canonical());
    ASSERT_TRUE(again) << sources.messages;
    EXPECT_TRUE(sameModel(*spec, *again)) << formula;
  }
}

} // namespace
