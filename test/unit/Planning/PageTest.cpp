//===- unit/Planning/PageTest.cpp - what the page holds -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Picture.h"

#include "Picture/Columns.h"
#include "Picture/Text.h"
#include "Support.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

using namespace tamc::planning;
using Json = nlohmann::json;

namespace {

std::string fromBase64(const std::string &text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '=')
      break;
    group = group << 6 | static_cast<uint32_t>(digits.find(c));
    if ((bits += 6) >= 8)
      bytes += static_cast<char>(group >> (bits -= 8));
  }
  return bytes;
}

/// Reads columns by the description in Columns.h.
struct Reader {
  const Json &directory;
  const std::string &bytes;

  const Json &entryOf(const std::string &name) const {
    for (const Json &entry : directory)
      if (entry["name"] == name)
        return entry;
    ADD_FAILURE() << "no column " << name;
    return directory.front();
  }
  static uint64_t next(const std::string &bytes, size_t &at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return value;
    }
  }
  std::vector<int64_t> numbers(const std::string &name) const {
    const Json &entry = entryOf(name);
    auto count = entry["count"].get<size_t>();
    if (entry["kind"] == "constant")
      return std::vector<int64_t>(
          count, std::stoll(entry["value"].get<std::string>()));
    std::vector<int64_t> values;
    size_t at = entry["at"];
    uint64_t before = 0;
    while (values.size() < count) {
      uint64_t code = next(bytes, at);
      uint64_t value = code >> 1 ^ -(code & 1);
      before = entry["kind"] == "delta" ? before + value : value;
      values.push_back(static_cast<int64_t>(before));
    }
    return values;
  }
  std::vector<std::string> texts(const std::string &name) const {
    const Json &entry = entryOf(name);
    std::vector<std::string> values;
    size_t at = entry["at"], size = 0;
    while (values.size() < entry["count"].get<size_t>()) {
      uint64_t shared = next(bytes, at), rest = next(bytes, at);
      std::string before = values.empty() ? "" : values.back();
      values.push_back(before.substr(0, shared) + bytes.substr(at, rest));
      at += rest;
      size += values.back().size();
    }
    EXPECT_EQ(entry["size"], size);
    return values;
  }
};

/// The text between two texts of the page.
std::string between(const std::string &page, const std::string &from,
                    const std::string &to) {
  size_t begin = page.find(from);
  EXPECT_NE(begin, page.npos) << from;
  begin += from.size();
  return page.substr(begin, page.find(to, begin) - begin);
}

struct Page {
  explicit Page(const std::string &text)
      : meta(Json::parse(
            between(text, "<script type=\"application/json\" id=\"meta\">",
                    "</script>"))),
        bytes(fromBase64(between(
            text, "<script type=\"application/octet-stream\" id=\"data\">",
            "</script>"))) {}
  Json meta;
  std::string bytes;
  Reader columns() const { return {meta["columns"], bytes}; }
};

TEST(Columns, HoldAnyNumbers) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    std::vector<int64_t> values(random() % 40);
    int bits = static_cast<int>(random() % 64 + 1);
    uint64_t base = i % 3 ? 0 : random();
    for (int64_t &value : values)
      value = static_cast<int64_t>((random() >> (64 - bits)) + base);
    Columns columns;
    columns.add("before", {1, 2});
    columns.add("values", values);
    Json directory = Json::parse(columns.directory());
    Reader reader{directory, columns.bytes()};
    EXPECT_EQ(reader.numbers("values"), values);
    // Columns that are not wide are exact in doubles, including their codes.
    const Json &entry = reader.entryOf("values");
    if (entry["kind"] == "constant" || entry.contains("wide"))
      continue;
    int64_t before = 0, limit = int64_t(1) << 53;
    for (int64_t value : values) {
      EXPECT_LE(std::abs(value), limit);
      __int128 code = static_cast<__int128>(
                          entry["kind"] == "delta" ? value - before : value) *
                      2;
      EXPECT_LE(code < 0 ? -code : code, limit + 1);
      before = value;
    }
  }
  Columns columns;
  columns.add("edges", {INT64_MAX, INT64_MIN, 0, -1, INT64_MAX});
  Json directory = Json::parse(columns.directory());
  EXPECT_EQ((Reader{directory, columns.bytes()}).numbers("edges"),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN, 0, -1, INT64_MAX}));
  EXPECT_EQ(directory[0]["wide"], true);
}

TEST(Columns, AreSmall) {
  std::vector<int64_t> rising, equal(1000, 7);
  for (int i = 0; i < 1000; ++i)
    rising.push_back(1000000 + i * 3);
  Columns columns;
  columns.add("equal", equal);
  EXPECT_EQ(columns.bytes().size(), 0u);
  columns.add("rising", rising);
  EXPECT_LT(columns.bytes().size(), 1010u);
}

TEST(Columns, HoldTexts) {
  Columns columns;
  columns.addTexts("names", {"layer1/a", "layer1/b", "", "</script>", "\xFF",
                             "layer1/b", "layer1"});
  Json directory = Json::parse(columns.directory());
  EXPECT_EQ((Reader{directory, columns.bytes()}).texts("names"),
            (std::vector<std::string>{"layer1/a", "layer1/b", "", "</script>",
                                      "\xEF\xBF\xBD", "layer1/b", "layer1"}));
}

TEST(Page, HoldsTheProblemAndItsPlans) {
  std::mt19937_64 random(23);
  test::Kinds kinds;
  kinds.buffers = 40;
  kinds.gaps = kinds.windows = kinds.pins = kinds.classes = kinds.spaces =
      kinds.alignment = true;
  int planned = 0;
  for (int round = 0; round < 100; ++round) {
    Problem problem = test::randomProblem(random, kinds);
    std::vector<Plan> plans;
    for (const char *strategy : {"skyline", "naive"}) {
      Options options;
      options.strategy = strategy;
      plans.push_back(plan(problem, options));
    }
    std::string text = toPage(problem, plans);
    EXPECT_EQ(text, toPage(problem, plans));
    Page page(text);
    Reader columns = page.columns();
    std::map<std::string, size_t> indices;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      indices[problem.buffers[i].name] = i;
    std::vector<std::string> names = columns.texts("name");
    ASSERT_EQ(names.size(), problem.buffers.size());
    std::vector<int64_t> size = columns.numbers("size"),
                         space = columns.numbers("space"),
                         flags = columns.numbers("flags"),
                         alias = columns.numbers("alias"),
                         alignment = columns.numbers("alignment"),
                         counts = columns.numbers("pieces"),
                         lower = columns.numbers("lower"),
                         length = columns.numbers("length"),
                         from = columns.numbers("from"),
                         bytes = columns.numbers("bytes");
    size_t at = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      const Buffer &buffer = problem.buffers[indices.at(names[i])];
      EXPECT_EQ(size[i], buffer.size);
      EXPECT_EQ(space[i], buffer.space);
      EXPECT_EQ(flags[i] & 1, buffer.pin.has_value());
      EXPECT_EQ(flags[i] >> 1, buffer.output);
      EXPECT_EQ(alias[i], buffer.aliasClass);
      EXPECT_EQ(alignment[i], buffer.alignment);
      ASSERT_EQ(counts[i], int64_t(buffer.live.size() + buffer.windows.size()));
      for (const Interval &interval : buffer.live) {
        EXPECT_EQ(lower[at], interval.lower);
        EXPECT_EQ(length[at], interval.upper - interval.lower);
        EXPECT_EQ(from[at], 0);
        EXPECT_EQ(bytes[at++], buffer.size);
      }
      for (const Window &window : buffer.windows) {
        EXPECT_EQ(lower[at], window.time.lower);
        EXPECT_EQ(from[at], window.lower);
        EXPECT_EQ(bytes[at++], window.upper - window.lower);
      }
    }
    EXPECT_EQ(at, lower.size());
    for (size_t k = 0; k < plans.size(); ++k) {
      if (plans[k].offsets.empty())
        continue;
      ++planned;
      std::vector<int64_t> offsets =
          columns.numbers("offset" + std::to_string(k));
      for (size_t i = 0; i < names.size(); ++i)
        EXPECT_EQ(offsets[i], plans[k].offsets[indices.at(names[i])]);
      EXPECT_EQ(page.meta["plans"][k]["total"],
                std::to_string(plans[k].totalPeak()));
    }
  }
  EXPECT_GT(planned, 50);
}

TEST(Page, NoNameEndsItsScript) {
  Problem problem;
  problem.name = "</title><script>alert(1)</script>@DATA@";
  problem.spaces[0].name = "</script><script>alert(2)</script>";
  addBuffer(problem, 0, 1, 8, "</script><script>alert(3)</script>");
  Plan none;
  none.status = Status::TimedOut;
  none.strategy = "<!--<script>";
  none.reason = "</script>";
  std::vector<Plan> plans = {plan(problem, {}), none};
  std::string text = toPage(problem, plans);
  EXPECT_EQ(text.find("alert(1)</script>"), text.npos);
  EXPECT_EQ(text.find("<script>alert"), text.npos);
  EXPECT_EQ(text.find("<!--"), text.npos);
  Page page(text);
  EXPECT_EQ(page.meta["spaces"][0]["name"], problem.spaces[0].name);
  EXPECT_EQ(page.meta["plans"][1]["strategy"], "<!--<script>");
  EXPECT_EQ(page.columns().texts("name")[0], problem.buffers[0].name);
  // Three scripts, all the page's own, and the last of them ends it.
  size_t scripts = 0;
  for (size_t at = text.find("<script"); at != text.npos;
       at = text.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 3u);
  EXPECT_TRUE(text.ends_with("</script>\n</body>\n</html>\n"));
}

TEST(Page, RefersToNothingOutside) {
  std::string text = toPage({}, {});
  for (const char *what : {"http:", "https:", "src=", "href", "url(", "import(",
                           "fetch(", "XMLHttp", "@import", "eval("})
    EXPECT_EQ(text.find(what), text.npos) << what;
}

TEST(Page, HeadlinesWrapOnNarrowScreens) {
  Problem problem;
  addBuffer(problem, 0, 1, 8);
  std::string text = toPage(problem, std::vector<Plan>{plan(problem, {})});
  std::string style = between(text, "<style>", "</style>");
  size_t narrow = style.find("@media(max-width:");
  ASSERT_NE(narrow, style.npos);
  EXPECT_NE(style.find("h2{white-space:normal;overflow-wrap:anywhere}", narrow),
            style.npos);
}

TEST(Page, ThinsLongLoads) {
  Problem problem;
  for (int i = 0; i < 200000; ++i)
    addBuffer(problem, 2 * i, 2 * i + 1, 1 + i % 9);
  Options options;
  options.strategy = "naive";
  Page page(toPage(problem, std::vector<Plan>{plan(problem, options)}));
  EXPECT_EQ(page.meta["loadUnits"], 2);
  std::vector<int64_t> load = page.columns().numbers("loadBytes0");
  EXPECT_LE(load.size(), size_t(1) << 18);
  EXPECT_EQ(*std::max_element(load.begin(), load.end()), 9);
}

} // namespace
