//===- unit/Planning/PictureTest.cpp - pictures of plans ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Picture.h"

#include "Picture/Boxes.h"
#include "Picture/Text.h"
#include "Problem/Instance.h"
#include "Support.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tamc::planning;
using Json = nlohmann::json;

namespace {

int count(const std::string &text, const std::string &what) {
  int found = 0;
  for (size_t at = text.find(what); at != text.npos;
       at = text.find(what, at + what.size()))
    ++found;
  return found;
}

Plan planWith(const Problem &problem, const char *strategy) {
  Options options;
  options.strategy = strategy;
  return plan(problem, options);
}

test::Kinds everything() {
  test::Kinds kinds;
  kinds.buffers = 30;
  kinds.times = 20;
  kinds.gaps = kinds.windows = kinds.pins = kinds.classes = kinds.spaces =
      kinds.alignment = true;
  return kinds;
}

/// A problem with all features and hostile names.
Problem kindsProblem() {
  Problem problem;
  problem.name = "</script><b> & \"q\"";
  problem.spaces = {{"sram", 8192, 64}, {"a<b", std::nullopt, 1}};
  addBuffer(problem, 0, 9, 1024, "pinned");
  problem.buffers[0].pin = 2048;
  addBuffer(problem, 0, 2, 1500, "gaps");
  problem.buffers[1].live.push_back({5, 7});
  addBuffer(problem, 0, 3, 2048, "window");
  problem.buffers[2].windows = {{{3, 6}, 0, 512}};
  addBuffer(problem, 1, 6, 0, "zero");
  addBuffer(problem, 4, 4, 512, "short");
  addBuffer(problem, 2, 5, 800, "<i>&\"'\x01\xFF\xE2\x80\xA8");
  addBuffer(problem, 4, 8, 400, "alias");
  problem.buffers[5].aliasClass = problem.buffers[6].aliasClass = 0;
  problem.buffers[5].space = problem.buffers[6].space = 1;
  return problem;
}

TEST(PictureText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(toUtf8("plain"), "plain");
  EXPECT_EQ(toUtf8("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(toUtf8("a\xFFz"), "a" + r + "z");
  EXPECT_EQ(toUtf8("\xC3"), r);                         // cut off
  EXPECT_EQ(toUtf8("\xC0\xAF"), r + r);                 // overlong
  EXPECT_EQ(toUtf8("\xED\xA0\x80"), r + r + r);         // a surrogate
  EXPECT_EQ(toUtf8("\xE0\x80\x80"), r + r + r);         // overlong
  EXPECT_EQ(toUtf8("\xF4\x90\x80\x80"), r + r + r + r); // beyond U+10FFFF
  EXPECT_EQ(toUtf8("\x80"
                   "a"),
            r + "a");
}

TEST(PictureText, Escapes) {
  EXPECT_EQ(escapeXml("a<b>&\"\x01\n"), "a&lt;b&gt;&amp;&quot;\xEF\xBF\xBD\n");
  EXPECT_EQ(escapeXml("\xEF\xBF\xBF"), "\xEF\xBF\xBD");
  EXPECT_EQ(quoteJson("a\"\\\n</script>\xE2\x80\xA9"),
            "\"a\\\"\\\\\\u000a\\u003c/script\\u003e\\u2029\"");
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (int j = 0; j < 12; ++j)
      bytes += static_cast<char>(random());
    Json read = Json::parse(quoteJson(bytes));
    EXPECT_EQ(read.get<std::string>(), toUtf8(bytes));
  }
}

TEST(PictureText, Base64AndShortForms) {
  EXPECT_EQ(toBase64(""), "");
  EXPECT_EQ(toBase64("f"), "Zg==");
  EXPECT_EQ(toBase64("fo"), "Zm8=");
  EXPECT_EQ(toBase64("foo"), "Zm9v");
  EXPECT_EQ(toBase64("\xFB\xFF"), "+/8=");
  EXPECT_EQ(shorten("abcd", 4), "abcd");
  EXPECT_EQ(shorten("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xE2\x80\xA6");
  EXPECT_EQ(describeBytes(1), "1 byte");
  EXPECT_EQ(describeBytes(986112), "986112 bytes (963 KiB)");
  EXPECT_EQ(describeBytes(1176576), "1176576 bytes (1.12 MiB)");
  EXPECT_EQ(describeBytes(INT64_MAX), "9223372036854775807 bytes (8 EiB)");
}

TEST(Boxes, OfGapsWindowsAndLines) {
  Problem problem = kindsProblem();
  std::vector<int64_t> offsets = {2048, 4096, 0, 64, 128, 0, 0};
  EXPECT_EQ(boxesOf(problem, offsets, buffersBySpace(problem)[0]),
            (std::vector<Box>{{0, 3, 0, 2048, 2},
                              {0, 9, 2048, 3072, 0},
                              {0, 2, 4096, 5596, 1},
                              {1, 6, 64, 64, 3},
                              {3, 6, 0, 512, 2},
                              {4, 4, 128, 640, 4},
                              {5, 7, 4096, 5596, 1}}));
  // An alias class counts once.
  EXPECT_EQ(loadOf(problem, 1, buffersBySpace(problem)[1]),
            (std::vector<Step>{{2, 800}, {5, 400}, {8, 0}}));
  EXPECT_EQ(
      highWaterOf(boxesOf(problem, offsets, buffersBySpace(problem)[0])),
      (std::vector<Step>{{0, 5596}, {2, 3072}, {5, 5596}, {7, 3072}, {9, 0}}));
}

TEST(Boxes, CurvesAgreeWithTheirDefinitions) {
  std::mt19937_64 random(11);
  int planned = 0;
  for (int i = 0; i < 300; ++i) {
    Problem problem = test::randomProblem(random, everything());
    Plan made = planWith(problem, "naive");
    if (made.offsets.empty())
      continue; // Pins that exclude each other.
    ++planned;
    for (int32_t space = 0; space < static_cast<int32_t>(problem.spaces.size());
         ++space) {
      std::vector<Box> boxes =
          boxesOf(problem, made.offsets, buffersBySpace(problem)[space]);
      auto at = [](const std::vector<Step> &curve, int64_t time) {
        int64_t bytes = 0;
        for (const Step &step : curve)
          if (step.time <= time)
            bytes = step.bytes;
        return bytes;
      };
      std::vector<Step> load =
          loadOf(problem, space, buffersBySpace(problem)[space]);
      std::vector<Step> high = highWaterOf(boxes);
      for (int64_t time = -1; time < 25; ++time) {
        int64_t top = 0, bytes = 0;
        std::map<int32_t, int64_t> classes;
        for (const Box &box : boxes) {
          if (time < box.lower || box.upper <= time || box.begin == box.end)
            continue;
          top = std::max(top, box.end);
          int32_t name = problem.buffers[box.buffer].aliasClass;
          int64_t size = box.end - box.begin;
          if (name < 0)
            bytes += size;
          else
            classes[name] = std::max(classes[name], size);
        }
        for (auto [name, size] : classes)
          bytes += size;
        EXPECT_EQ(at(high, time), top);
        EXPECT_EQ(at(load, time), bytes);
      }
    }
  }
  EXPECT_GT(planned, 30);
}

TEST(Boxes, ThinKeepsTheMaximumAndNeverLiesBelow) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<Step> curve;
    int64_t time = static_cast<int64_t>(random() % 9);
    auto size = static_cast<int64_t>(random() % 60 + 1);
    for (int64_t j = 0; j < size; ++j) {
      curve.push_back({time, static_cast<int64_t>(random() % 100 + 1)});
      time += static_cast<int64_t>(random() % (i % 2 ? 3 : 1000) + 1);
    }
    curve.push_back({time, 0});
    int most = static_cast<int>(random() % 20 + 2);
    std::vector<Step> thinned = thin(curve, most);
    EXPECT_LE(thinned.size(), std::max<size_t>(most, 2));
    auto higher = [](const Step &a, const Step &b) {
      return a.bytes < b.bytes;
    };
    EXPECT_EQ(std::max_element(thinned.begin(), thinned.end(), higher)->bytes,
              std::max_element(curve.begin(), curve.end(), higher)->bytes);
    EXPECT_EQ(thinned.back(), curve.back());
    EXPECT_EQ(thinned.front().time, curve.front().time);
    for (const Step &step : curve) {
      auto after = std::upper_bound(
          thinned.begin(), thinned.end(), step,
          [](const Step &a, const Step &b) { return a.time < b.time; });
      ASSERT_NE(after, thinned.begin());
      EXPECT_GE(std::prev(after)->bytes, step.bytes);
    }
  }
}

TEST(Svg, DrawsARectangleByBufferAndLife) {
  Problem problem = kindsProblem();
  Plan made = planWith(problem, "auto");
  std::string svg = toSvg(problem, made);
  // pinned 1, gaps 2, window 2, two aliases; the others are lines.
  EXPECT_EQ(count(svg, "<rect x="), 7);
  EXPECT_EQ(count(svg, "<line "), 2);
  EXPECT_EQ(count(svg, "class=\"b p\""), 1);
  EXPECT_EQ(count(svg, "merged"), 0);
  EXPECT_NE(svg.find("<title>pinned\n1024 bytes (1 KiB)\noffset 2048 to 3072\n"
                     "alive [0, 9)\nspace sram\npinned</title>"),
            svg.npos)
      << svg;
  EXPECT_NE(svg.find("Space a&lt;b: peak 800 bytes"), svg.npos);
  EXPECT_EQ(svg.find("<i>"), svg.npos);
  EXPECT_EQ(svg.find('\x01'), svg.npos);
  EXPECT_EQ(svg, toSvg(problem, made));
}

TEST(Svg, SpacesShareOneTimeScale) {
  Problem problem;
  problem.spaces = {{"a", std::nullopt, 1}, {"b", std::nullopt, 1}};
  addBuffer(problem, 0, 10, 8);
  addBuffer(problem, 0, 5, 8);
  problem.buffers[1].space = 1;
  std::string svg = toSvg(problem, planWith(problem, "naive"));
  EXPECT_EQ(count(svg, "width=\"1080\""), 1) << svg;
  EXPECT_EQ(count(svg, "width=\"540\""), 1) << svg;
}

TEST(Svg, SaysWhatItMerged) {
  std::mt19937_64 random(1);
  Problem problem;
  for (int i = 0; i < 50000; ++i) {
    auto lower = static_cast<int64_t>(random() % 100000);
    addBuffer(problem, lower, lower + 1 + static_cast<int64_t>(random() % 500),
              1 + static_cast<int64_t>(random() % 4096));
  }
  Plan made = planWith(problem, "naive");
  std::string svg = toSvg(problem, made, 300);
  int drawn = count(svg, "<rect x=");
  EXPECT_LE(drawn, 300);
  EXPECT_NE(svg.find(std::to_string(50000 - drawn) + " of 50000 rectangles"),
            svg.npos);
  EXPECT_LT(svg.size(), 1000000u);
  // The grey is there, at more than one shade.
  EXPECT_GE(count(svg, "class=\"m\""), 1);
}

TEST(Svg, OfNothingAndOfNoPlan) {
  std::string nothing = toSvg({}, planWith({}, "auto"));
  EXPECT_NE(nothing.find("nothing lives here"), nothing.npos);
  Plan none;
  none.status = Status::TimedOut;
  none.reason = "out of <time>";
  std::string text = toSvg(kindsProblem(), none);
  EXPECT_NE(text.find("no plan"), text.npos);
  EXPECT_NE(text.find("does not fit: out of &lt;time&gt;"), text.npos);
}

TEST(Svg, OfTheLargestNumbers) {
  Problem problem;
  addBuffer(problem, 0, INT64_MAX, INT64_MAX / 2, "all");
  addBuffer(problem, INT64_MAX - 1, INT64_MAX, 1, "last");
  Plan made = planWith(problem, "naive");
  std::string svg = toSvg(problem, made);
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
  Json trace = Json::parse(toTrace(problem, made));
  EXPECT_EQ(trace["otherData"]["timeUnitsPerMicrosecond"], 1024);
}

TEST(Trace, SlicesOfALaneNeverOverlapAndLanesGoUp) {
  std::mt19937_64 random(17);
  int planned = 0;
  for (int i = 0; i < 300; ++i) {
    Problem problem = test::randomProblem(random, everything());
    Plan made = planWith(problem, i % 2 ? "skyline" : "tree");
    if (made.offsets.empty())
      continue; // Pins that exclude each other.
    ++planned;
    Json events = Json::parse(toTrace(problem, made))["traceEvents"];
    std::vector<Json> slices;
    size_t boxes = 0;
    for (const Json &event : events)
      if (event["ph"] == "X")
        slices.push_back(event);
    for (const Buffer &buffer : problem.buffers)
      boxes += buffer.live.size() + buffer.windows.size();
    EXPECT_EQ(slices.size(), boxes);
    for (const Json &a : slices)
      for (const Json &b : slices) {
        if (&a == &b || a["pid"] != b["pid"])
          continue;
        int64_t ends =
            std::min(a["ts"].get<int64_t>() + a["dur"].get<int64_t>(),
                     b["ts"].get<int64_t>() + b["dur"].get<int64_t>());
        if (std::max(a["ts"].get<int64_t>(), b["ts"].get<int64_t>()) >= ends)
          continue;
        EXPECT_NE(a["tid"], b["tid"]);
        if (a["args"].value("begin", a["args"]["offset"].get<int64_t>()) <
            b["args"].value("begin", b["args"]["offset"].get<int64_t>())) {
          EXPECT_LT(a["tid"], b["tid"]);
        }
      }
  }
  EXPECT_GT(planned, 30);
}

TEST(Trace, CountersAndNames) {
  Problem problem = kindsProblem();
  problem.operations = {{"conv \"1\"", {0}, {2}, {}}};
  Plan made = planWith(problem, "auto");
  std::string text = toTrace(problem, made);
  Json trace = Json::parse(text);
  EXPECT_EQ(trace["otherData"]["status"], "optimal");
  std::map<std::string, int64_t> most;
  std::vector<std::string> names, processes;
  for (const Json &event : trace["traceEvents"]) {
    if (event["ph"] == "C" && event["pid"] == 1) {
      int64_t &value = most[event["name"]];
      value = std::max(value, event["args"]["bytes"].get<int64_t>());
    } else if (event["ph"] == "X") {
      names.push_back(event["name"]);
      if (event["name"] == "window") {
        EXPECT_EQ(event["args"]["operations"], "written by conv \"1\"");
      }
    } else if (event["name"] == "process_name") {
      processes.push_back(event["args"]["name"]);
    }
  }
  EXPECT_EQ(most["high water"], made.peak[0]);
  EXPECT_EQ(most["load"], 4572);
  EXPECT_EQ(most["bound"], made.bound[0]);
  EXPECT_EQ(processes, (std::vector<std::string>{"sram", "a<b"}));
  EXPECT_NE(std::find(names.begin(), names.end(),
                      "<i>&\"'\x01\xEF\xBF\xBD\xE2\x80\xA8"),
            names.end());
}

TEST(Trace, ThinsItsCounters) {
  Problem problem;
  for (int i = 0; i < 5000; ++i)
    addBuffer(problem, 2 * i, 2 * i + 1, 1 + i % 7);
  std::string text = toTrace(problem, planWith(problem, "naive"), 100);
  EXPECT_LE(count(text, "\"load\""), 100);
  EXPECT_EQ(count(text, "\"ph\":\"X\""), 5000);
}

} // namespace
