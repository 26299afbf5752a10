//===- plot/DrawTest.cpp - pictures as SVG and as characters ----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Draw.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tamrt::plot;

namespace {

Figure lineOf(std::vector<double> xs, std::vector<double> ys) {
  Figure figure;
  figure.title = "f";
  figure.x = Axis::empty("x");
  figure.y = Axis::empty("");
  for (size_t i = 0; i < xs.size(); ++i) {
    figure.x.include(xs[i]);
    figure.y.include(ys[i]);
  }
  figure.y.pad();
  figure.lines.push_back({std::move(xs), std::move(ys)});
  return figure;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

TEST(EscapeXml, ReplacesWhatCannotBe) {
  EXPECT_EQ(escapeXml("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(escapeXml("ä€😀\t"), "ä€😀\t");
  const std::string bad = "\xEF\xBF\xBD";
  for (const char *text : {"\x01", "\x1b", "\xff", "\xc3", "\xc0\x80",
                           "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    const std::string escaped = escapeXml(text);
    EXPECT_TRUE(has(escaped, bad)) << escaped;
    EXPECT_EQ(escaped.size() % 3, 0u);
  }
  EXPECT_EQ(escapeXml("\xEF\xBF\xBE"), bad + bad + bad);
}

TEST(ToSvg, HasTheLine) {
  const std::string svg = toSvg(lineOf({0, 1}, {0, 2}));
  EXPECT_TRUE(has(svg, "aria-label=\"f\""));
  EXPECT_TRUE(has(svg, "class=\"c\" d=\"M"));
  EXPECT_TRUE(has(svg, "data-kind=\"0\""));
}

TEST(ToSvg, OfAnyNumbers) {
  const double most = std::numeric_limits<double>::max();
  for (double size : {0.0, 1e-320, 1e-300, 1.0, 1e200, most}) {
    const std::string svg = toSvg(lineOf({-size, size}, {size, -size}));
    EXPECT_FALSE(has(svg, "nan")) << size << svg;
    EXPECT_FALSE(has(svg, "inf")) << size;
    Figure heat = lineOf({-1, 1}, {-1, 1});
    heat.lines.clear();
    heat.heat = {2, 2, {-size, size, size / 2, size}};
    EXPECT_FALSE(has(toSvg(heat), "nan")) << size;
    EXPECT_FALSE(has(toText(heat, 40, 6), "nan")) << size;
  }
}

TEST(ToSvg, HasALegendOfColours) {
  Figure figure = lineOf({-1, 1}, {-1, 1});
  figure.lines.clear();
  figure.heat = {2, 2, {-2e7, 2e7, 0, 1e7}};
  const std::string svg = toSvg(figure);
  for (const char *label : {">-10M<", ">0<", ">15M<"})
    EXPECT_TRUE(has(svg, label)) << label << svg;
}

TEST(ToText, DrawsALine) {
  EXPECT_EQ(toText(lineOf({0, 1}, {0, 1}), 24, 4), "f\n"
                                                   "1 ┤                ⣀⡠⠤⠒\n"
                                                   "  │          ⣀⡠⠤⠒⠊⠉\n"
                                                   "  │    ⣀⡠⠤⠒⠊⠉\n"
                                                   "0 ┤⠤⠒⠊⠉\n"
                                                   "  └┬──────────────────┬\n"
                                                   "   0                  1\n"
                                                   "            x\n");
}

TEST(ToText, SaysWhyThereIsNothing) {
  Figure figure;
  figure.title = "f\x1b";
  figure.note = "none";
  EXPECT_EQ(toText(figure, 24, 4), "f\\x1b\n  none\n");
}

TEST(Page, HasAListOfSeveralViews) {
  PageWriter one({"m", "y ~ 1", "g", {"A note."}});
  one.add({"a", {{"Effects", "", {lineOf({0, 1}, {0, 1})}}}});
  EXPECT_FALSE(has(one.finish(), "<select"));
  EXPECT_TRUE(has(one.finish(), "A note."));
  PageWriter two({"m", "y ~ 1", "g", {}});
  for (const char *name : {"a", "<b>"})
    two.add({name, {{"Effects", "", {lineOf({0, 1}, {0, 1})}}}});
  const std::string page = two.finish();
  EXPECT_TRUE(has(page, "<option>&lt;b&gt;</option>"));
  EXPECT_TRUE(has(page, "<template id=\"view1\">"));
  EXPECT_FALSE(has(page, "<template id=\"view2\">"));
}

} // namespace
