//===- Planning/Support.cpp - problems for the tests ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Draws.h"

#include "tamc/Planning/Csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace tamc::planning;
using test::chance;
using test::draw;

static const std::filesystem::path data =
    std::filesystem::path(TAMC_SOURCE_DIR) / "test/data/planning";

std::string test::readData(const std::string &path) {
  std::ifstream file(data / path);
  EXPECT_TRUE(file.good()) << "cannot open " << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Problem test::load(const std::string &path) {
  auto result = readCsv(readData(path + ".csv"));
  if (const auto *wrong = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << path << ":" << wrong->line << ": " << wrong->message;
    return {};
  }
  return std::get<Problem>(std::move(result));
}

std::vector<std::string> test::problemsOf(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(data / folder))
    if (entry.path().extension() == ".csv")
      names.push_back(folder + "/" + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  EXPECT_FALSE(names.empty());
  return names;
}

namespace {

Buffer randomBuffer(std::mt19937_64 &random, const test::Kinds &kinds) {
  Buffer buffer;
  buffer.size = chance(random, 8) ? 0 : draw(random, 1, kinds.size);
  int64_t lower = draw(random, 0, kinds.times - 1);
  int64_t upper =
      chance(random, 4) ? lower : draw(random, lower + 1, kinds.times);
  if (kinds.gaps && upper - lower >= 3 && chance(random, 50)) {
    int64_t from = draw(random, lower + 1, upper - 2);
    int64_t to = draw(random, from + 1, upper - 1);
    buffer.live = {{lower, from}, {to, upper}};
    if (kinds.windows && chance(random, 50)) {
      int64_t low = draw(random, 0, buffer.size);
      buffer.windows.push_back(
          {{from, to}, low, draw(random, low, buffer.size)});
    }
  } else {
    buffer.live = {{lower, upper}};
  }
  if (kinds.alignment && chance(random, 60))
    buffer.alignment = int64_t(1) << draw(random, 0, 3);
  if (kinds.alignment && chance(random, 10))
    buffer.alignment = 3;
  if (kinds.pins && chance(random, 15))
    buffer.pin = buffer.alignment * 24 * draw(random, 0, 2);
  if (chance(random, 10))
    buffer.hint = draw(random, 0, 40);
  if (kinds.classes && buffer.windows.empty() && !buffer.pin &&
      chance(random, 30))
    buffer.aliasClass = static_cast<int32_t>(draw(random, 0, 1));
  buffer.output = chance(random, 10);
  buffer.kind = static_cast<int32_t>(draw(random, 0, 1));
  return buffer;
}

} // namespace

Problem test::randomProblem(std::mt19937_64 &random, const Kinds &kinds) {
  Problem problem;
  if (kinds.spaces && chance(random, 60)) {
    problem.spaces.assign(2, Space{});
    problem.spaces[1].name = "fast";
    if (kinds.alignment && chance(random, 30))
      problem.spaces[1].alignment = 4;
  }
  int64_t count = draw(random, 1, kinds.buffers);
  for (int64_t i = 0; i < count; ++i) {
    Buffer buffer = randomBuffer(random, kinds);
    buffer.name = "b" + std::to_string(i);
    if (problem.spaces.size() > 1 && buffer.aliasClass < 0)
      buffer.space = static_cast<int32_t>(draw(random, 0, 1));
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

bool test::isCorrect(const Problem &problem,
                     const std::vector<int64_t> &offsets, int64_t alignment) {
  struct Rectangle {
    int64_t lower, upper, begin, end;
  };
  auto rectangles = [&](size_t i) {
    const Buffer &b = problem.buffers[i];
    std::vector<Rectangle> all;
    for (Interval t : b.live)
      all.push_back({t.lower, t.upper, offsets[i], offsets[i] + b.size});
    for (const Window &w : b.windows)
      all.push_back({w.time.lower, w.time.upper, offsets[i] + w.lower,
                     offsets[i] + w.upper});
    return all;
  };
  if (offsets.size() != problem.buffers.size())
    return false;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Buffer &a = problem.buffers[i];
    if (offsets[i] < 0 || offsets[i] % a.alignment || offsets[i] % alignment ||
        offsets[i] % problem.spaces[a.space].alignment)
      return false;
    if (a.pin && offsets[i] != *a.pin)
      return false;
    for (size_t j = 0; j < i; ++j) {
      const Buffer &b = problem.buffers[j];
      if (a.aliasClass >= 0 && a.aliasClass == b.aliasClass) {
        if (offsets[i] != offsets[j])
          return false;
        continue;
      }
      if (a.space != b.space)
        continue;
      for (const Rectangle &x : rectangles(i))
        for (const Rectangle &y : rectangles(j))
          if (std::max(x.lower, y.lower) < std::min(x.upper, y.upper) &&
              std::max(x.begin, y.begin) < std::min(x.end, y.end))
            return false;
    }
  }
  return true;
}

namespace {

/// Every optimal plan can be pushed down until each buffer rests on another or
/// on 0, so that placing the buffers in the order of their offsets, each as low
/// as those before it in the order allow (never below an earlier one's offset),
/// meets an optimal plan in some order.
class BruteForce {
public:
  explicit BruteForce(const Problem &problem) : problem(problem) {
    offsets.resize(problem.buffers.size());
    for (const Buffer &buffer : problem.buffers)
      best += buffer.size + buffer.alignment;
  }

  int64_t run() {
    step(0, 0, 0);
    return best;
  }

private:
  bool conflict(const Buffer &a, const Buffer &b) const {
    for (Interval x : a.live)
      for (Interval y : b.live)
        if (std::max(x.lower, y.lower) < std::min(x.upper, y.upper))
          return true;
    return false;
  }

  void step(uint32_t placed, int64_t floor, int64_t peak) {
    if (peak >= best)
      return;
    if (placed + 1 == 1u << problem.buffers.size()) {
      best = peak;
      return;
    }
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const Buffer &buffer = problem.buffers[i];
      if (placed >> i & 1)
        continue;
      bool lives = false;
      for (Interval interval : buffer.live)
        lives |= interval.upper > interval.lower;
      if (!lives || buffer.size == 0) {
        offsets[i] = 0;
        step(placed | 1u << i, floor, peak);
        return;
      }
      int64_t offset = 0;
      for (size_t j = 0; j < problem.buffers.size(); ++j)
        if (placed >> j & 1 && problem.buffers[j].size > 0 &&
            conflict(buffer, problem.buffers[j]))
          offset = std::max(offset, offsets[j] + problem.buffers[j].size);
      offset =
          (offset + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
      if (offset < floor)
        continue;
      offsets[i] = offset;
      step(placed | 1u << i, offset, std::max(peak, offset + buffer.size));
    }
  }

  const Problem &problem;
  std::vector<int64_t> offsets;
  int64_t best = 0;
};

} // namespace

int64_t test::bruteForce(const Problem &problem) {
  return BruteForce(problem).run();
}

namespace {

/// In some packing each rectangle rests on another or on 0; placed in the order
/// of their offsets (then of their indices), each comes above all that were
/// placed before it and live with it. So the tops by time are the whole state,
/// and bytes below them cannot be used by later rectangles.
class Stacking {
public:
  Stacking(const Problem &problem, int64_t height)
      : problem(problem), height(height), placed(problem.buffers.size()),
        tops(64), rest(64) {
    for (const Buffer &buffer : problem.buffers)
      for (int64_t t = buffer.live[0].lower; t < buffer.live[0].upper; ++t)
        rest[t] += buffer.size;
  }

  bool run(size_t count, int64_t floor, size_t last) {
    if (count == placed.size())
      return true;
    for (size_t t = 0; t < rest.size(); ++t)
      if (rest[t] > 0 && std::max(floor, tops[t]) + rest[t] > height)
        return false;
    for (size_t i = 0; i < placed.size(); ++i) {
      if (placed[i])
        continue;
      const Buffer &buffer = problem.buffers[i];
      auto [lower, upper] = buffer.live[0];
      int64_t at =
          *std::max_element(tops.begin() + lower, tops.begin() + upper);
      if (at < floor || (at == floor && i < last))
        continue;
      std::vector<int64_t> before = tops;
      for (int64_t t = lower; t < upper; ++t) {
        tops[t] = at + buffer.size;
        rest[t] -= buffer.size;
      }
      placed[i] = true;
      if (run(count + 1, at, i))
        return true;
      placed[i] = false;
      tops = std::move(before);
      for (int64_t t = lower; t < upper; ++t)
        rest[t] += buffer.size;
    }
    return false;
  }

private:
  const Problem &problem;
  int64_t height;
  std::vector<bool> placed;
  std::vector<int64_t> tops, rest;
};

} // namespace

bool test::fitsWithin(const Problem &problem, int64_t height) {
  return Stacking(problem, height).run(0, 0, 0);
}

namespace {

/// One space whose buffers get every offset in turn: the pinned ones first,
/// then the largest.
class EveryOffset {
public:
  EveryOffset(const Problem &problem, int32_t space) : problem(problem) {
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      if (problem.buffers[i].space == space)
        members.push_back(i);
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
      return std::pair(x.pin.has_value(), x.size) >
             std::pair(y.pin.has_value(), y.size);
    });
    offsets.resize(members.size());
    for (size_t i : members)
      uses.push_back(usesOf(problem.buffers[i]));
    apart.resize(members.size() * members.size());
    for (size_t i = 0; i < members.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        for (const Use &x : uses[i])
          for (const Use &y : uses[j])
            if (std::max(x.time.lower, y.time.lower) <
                std::min(x.time.upper, y.time.upper))
              apart[i * members.size() + j].push_back(
                  {y.begin - x.end, y.end - x.begin});
  }

  std::optional<int64_t> run() {
    int64_t most = 0;
    for (size_t i : members) {
      const Buffer &buffer = problem.buffers[i];
      most += buffer.size + buffer.pin.value_or(0) +
              4 * buffer.alignment * problem.spaces[buffer.space].alignment;
    }
    for (int64_t height = 0; height <= most; ++height)
      if (fits(0, height))
        return height;
    return std::nullopt;
  }

private:
  /// Bytes [begin, end) of a buffer while `time` lasts.
  struct Use {
    Interval time;
    int64_t begin, end;
  };

  static std::vector<Use> usesOf(const Buffer &buffer) {
    std::vector<Use> all;
    for (Interval time : buffer.live)
      all.push_back({time, 0, buffer.size});
    for (const Window &window : buffer.windows)
      all.push_back({window.time, window.lower, window.upper});
    std::erase_if(all, [](const Use &use) {
      return use.time.lower == use.time.upper || use.begin == use.end;
    });
    return all;
  }

  /// True when member `k` may lie at `at`, beside those before it.
  bool agrees(size_t k, int64_t at) const {
    const Buffer &mine = problem.buffers[members[k]];
    if (at % mine.alignment || at % problem.spaces[mine.space].alignment ||
        (mine.pin && *mine.pin != at))
      return false;
    for (size_t j = 0; j < k; ++j) {
      const Buffer &other = problem.buffers[members[j]];
      if (mine.aliasClass >= 0 && mine.aliasClass == other.aliasClass) {
        if (offsets[j] != at)
          return false;
        continue;
      }
      for (auto [low, high] : apart[k * members.size() + j])
        if (low < at - offsets[j] && at - offsets[j] < high)
          return false;
    }
    return true;
  }

  bool fits(size_t k, int64_t height) {
    if (k == members.size())
      return true;
    const Buffer &buffer = problem.buffers[members[k]];
    // What is never in use needs no bytes, but has an offset.
    bool isUsed = !uses[k].empty();
    int64_t from = buffer.pin.value_or(0);
    int64_t to = isUsed ? height - buffer.size : from + 200;
    for (size_t j = 0; j < k; ++j)
      if (buffer.aliasClass >= 0 &&
          problem.buffers[members[j]].aliasClass == buffer.aliasClass) {
        from = offsets[j];
        to = std::min(to, from);
      }
    if (buffer.pin)
      to = std::min(to, *buffer.pin);
    for (int64_t at = from; at <= to; ++at) {
      if (!agrees(k, at))
        continue;
      offsets[k] = at;
      if (fits(k + 1, height))
        return true;
      if (!isUsed && buffer.aliasClass < 0)
        break;
    }
    return false;
  }

  const Problem &problem;
  std::vector<size_t> members;
  // By member.
  std::vector<int64_t> offsets;
  std::vector<std::vector<Use>> uses;
  /// By two members, the second before the first: the differences of their
  /// offsets, between two numbers, at which they share a byte.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> apart;
};

} // namespace

std::optional<std::vector<int64_t>> test::minPeaks(const Problem &problem) {
  std::vector<int64_t> peaks;
  for (size_t space = 0; space < problem.spaces.size(); ++space) {
    std::optional<int64_t> peak =
        EveryOffset(problem, static_cast<int32_t>(space)).run();
    if (!peak)
      return std::nullopt;
    peaks.push_back(*peak);
  }
  return peaks;
}
