//===- Planning/Picture/Trace.cpp - a plan as Chrome trace events ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Picture.h"

#include "Picture/Boxes.h"
#include "Picture/Text.h"
#include "Problem/Arithmetic.h"
#include "Problem/Instance.h"
#include "tamc/Planning/Choice.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tamc::planning;

namespace {

/// The highest level in use at each of a fixed number of times. A level is only
/// ever raised, so a node's value applies to all nodes below it with lower
/// values.
class Levels {
public:
  explicit Levels(size_t count) {
    while (leaves < count)
      leaves *= 2;
    highest.assign(2 * leaves, -1);
    all.assign(2 * leaves, -1);
  }
  /// Adds one level on top of [lower, upper), which is not empty, and returns
  /// it.
  int32_t put(size_t lower, size_t upper) {
    int32_t level = most(1, 0, leaves, lower, upper) + 1;
    set(1, 0, leaves, lower, upper, level);
    return level;
  }

private:
  int32_t most(size_t node, size_t from, size_t to, size_t lower,
               size_t upper) const {
    if (upper <= from || to <= lower)
      return -1;
    if (lower <= from && to <= upper)
      return highest[node];
    size_t middle = (from + to) / 2;
    return std::max({all[node], most(2 * node, from, middle, lower, upper),
                     most(2 * node + 1, middle, to, lower, upper)});
  }
  void set(size_t node, size_t from, size_t to, size_t lower, size_t upper,
           int32_t level) {
    if (upper <= from || to <= lower)
      return;
    highest[node] = std::max(highest[node], level);
    if (lower <= from && to <= upper) {
      all[node] = level;
      return;
    }
    size_t middle = (from + to) / 2;
    set(2 * node, from, middle, lower, upper, level);
    set(2 * node + 1, middle, to, lower, upper, level);
  }

  size_t leaves = 1;
  std::vector<int32_t> highest, all;
};

/// The lane of each box; see toTrace().
std::vector<int32_t> lanesOf(const std::vector<Box> &boxes) {
  // An empty live range is drawn one unit long, so that it is visible.
  auto upper = [](const Box &box) {
    return saturatingAdd(box.upper, box.upper == box.lower);
  };
  std::vector<int64_t> times;
  for (const Box &box : boxes) {
    times.push_back(box.lower);
    times.push_back(upper(box));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto rank = [&](int64_t time) {
    return size_t(std::lower_bound(times.begin(), times.end(), time) -
                  times.begin());
  };
  std::vector<int32_t> order(boxes.size()), lanes(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return boxes[a].begin < boxes[b].begin;
  });
  Levels levels(times.size());
  for (int32_t i : order)
    lanes[i] = levels.put(rank(boxes[i].lower), rank(upper(boxes[i])));
  return lanes;
}

class TraceWriter {
public:
  TraceWriter(const Problem &problem, const Plan &plan, int steps)
      : problem(problem), plan(plan), steps(steps), uses(problem),
        members(buffersBySpace(problem)) {
    for (const Reason &reason : plan.reasons) {
      std::string &text = outside[reason.buffer];
      text += (text.empty() ? "" : "; ") + toText(problem, reason);
    }
  }

  std::string write() {
    std::vector<std::vector<Box>> boxes;
    for (size_t i = 0; i < problem.spaces.size(); ++i)
      boxes.push_back(boxesOf(problem, plan.offsets, members[i]));
    chooseScale(boxes);
    text = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": {\"strategy\": " +
           quoteJson(plan.strategy) +
           ", \"status\": " + quoteJson(toString(plan.status)) +
           ", \"timeUnitsPerMicrosecond\": " + std::to_string(1ull << shift) +
           ", \"timeOrigin\": " + std::to_string(origin) +
           "},\n\"traceEvents\": [";
    for (size_t i = 0; i < problem.spaces.size(); ++i)
      space(i, boxes[i]);
    choice();
    return text + "\n]}\n";
  }

private:
  void chooseScale(const std::vector<std::vector<Box>> &boxes) {
    int64_t last = 0;
    bool any = false;
    for (const std::vector<Box> &list : boxes)
      for (const Box &box : list) {
        origin = any ? std::min(origin, box.lower) : box.lower;
        last = any ? std::max(last, box.upper) : box.upper;
        any = true;
      }
    // Small times are not changed.
    if (origin >= 0 && last < int64_t(1) << 40)
      origin = 0;
    while ((static_cast<__int128>(last) - origin) >> shift >= __int128(1) << 53)
      ++shift;
  }

  std::string stamp(int64_t time) const {
    auto scaled = (static_cast<__int128>(time) - origin) >> shift;
    return std::to_string(static_cast<int64_t>(scaled));
  }

  void event(const std::string &members) {
    text += (first ? "\n{" : ",\n{") + members + "}";
    first = false;
  }

  void meta(const char *what, size_t process, int64_t lane, const char *key,
            const std::string &value) {
    event("\"ph\":\"M\",\"pid\":" + std::to_string(process) +
          ",\"tid\":" + std::to_string(lane) + ",\"name\":\"" + what +
          "\",\"args\":{\"" + key + "\":" + value + "}");
  }

  void counter(size_t process, const char *name,
               const std::vector<Step> &curve) {
    for (const Step &step : thin(curve, steps))
      event("\"ph\":\"C\",\"pid\":" + std::to_string(process) + ",\"name\":\"" +
            name + "\",\"ts\":" + stamp(step.time) +
            ",\"args\":{\"bytes\":" + std::to_string(step.bytes) + "}");
  }

  void slice(size_t process, int32_t lane, const Box &box) {
    const Buffer &buffer = problem.buffers[box.buffer];
    std::string from = stamp(box.lower);
    std::string members =
        "\"ph\":\"X\",\"pid\":" + std::to_string(process) +
        ",\"tid\":" + std::to_string(lane + 1) +
        ",\"cat\":\"buffer\",\"name\":" + quoteJson(buffer.name) +
        ",\"ts\":" + from + ",\"dur\":" +
        std::to_string(std::stoll(stamp(box.upper)) - std::stoll(from)) +
        ",\"args\":{\"size\":" + std::to_string(buffer.size) +
        ",\"offset\":" + std::to_string(plan.offsets[box.buffer]) +
        ",\"lower\":" + std::to_string(box.lower) +
        ",\"upper\":" + std::to_string(box.upper);
    if (box.end - box.begin != buffer.size)
      members += ",\"begin\":" + std::to_string(box.begin) +
                 ",\"end\":" + std::to_string(box.end);
    if (buffer.alignment != 1)
      members += ",\"alignment\":" + std::to_string(buffer.alignment);
    if (buffer.pin)
      members += ",\"pinned\":true";
    if (buffer.output)
      members += ",\"output\":true";
    if (buffer.aliasClass >= 0)
      members += ",\"alias\":" + std::to_string(buffer.aliasClass);
    if (std::string used = uses.describe(box.buffer); !used.empty())
      members += ",\"operations\":" + quoteJson(used);
    if (auto found = outside.find(box.buffer); found != outside.end())
      members += ",\"outside\":" + quoteJson(found->second);
    event(members + "}");
  }

  /// The copies of buffers that move, as instants; and, as the name of a
  /// further process, what the choice of spaces costs.
  void choice() {
    if (!plan.cost)
      return;
    size_t process = problem.spaces.size() + 1;
    meta("process_name", process, 0, "name",
         quoteJson("copies, cost " + std::to_string(*plan.cost) +
                   ", at least " + std::to_string(*plan.costBound)));
    for (const Copy &copy : plan.copies)
      event("\"ph\":\"i\",\"s\":\"p\",\"pid\":" + std::to_string(process) +
            ",\"tid\":0,\"name\":" +
            quoteJson("copy " + problem.buffers[copy.buffer].name) +
            ",\"ts\":" + stamp(copy.time) +
            ",\"args\":{\"bytes\":" + std::to_string(copy.bytes) +
            ",\"from\":" + quoteJson(titleOf(problem.spaces[copy.from])) +
            ",\"to\":" + quoteJson(titleOf(problem.spaces[copy.to])) + "}");
  }

  void space(size_t index, const std::vector<Box> &boxes) {
    size_t process = index + 1;
    meta("process_name", process, 0, "name",
         quoteJson(titleOf(problem.spaces[index])));
    meta("process_sort_index", process, 0, "sort_index", std::to_string(index));
    std::vector<Step> load =
        loadOf(problem, static_cast<int32_t>(index), members[index]);
    counter(process, "load", load);
    counter(process, "high water", highWaterOf(boxes));
    if (!load.empty() && index < plan.bound.size())
      counter(process, "bound",
              {{load.front().time, plan.bound[index]},
               {load.back().time, plan.bound[index]}});

    std::vector<int32_t> lanes = lanesOf(boxes);
    struct Range {
      int64_t begin = INT64_MAX, end = 0;
    };
    std::vector<Range> ranges;
    for (size_t i = 0; i < boxes.size(); ++i) {
      ranges.resize(std::max<size_t>(ranges.size(), lanes[i] + 1));
      Range &range = ranges[lanes[i]];
      range.begin = std::min(range.begin, boxes[i].begin);
      range.end = std::max(range.end, boxes[i].end);
    }
    // Addresses go upwards: the highest lane comes first.
    for (size_t lane = 0; lane < ranges.size(); ++lane) {
      auto id = static_cast<int64_t>(lane) + 1;
      meta("thread_name", process, id, "name",
           quoteJson("bytes " + std::to_string(ranges[lane].begin) + " to " +
                     std::to_string(ranges[lane].end)));
      meta("thread_sort_index", process, id, "sort_index",
           std::to_string(ranges.size() - lane));
    }
    for (size_t i = 0; i < boxes.size(); ++i)
      slice(process, lanes[i], boxes[i]);
  }

  const Problem &problem;
  const Plan &plan;
  int steps;
  BufferUses uses;
  /// By space: its buffers.
  std::vector<std::vector<int32_t>> members;
  /// By buffer: why it is outside its cheapest space.
  std::map<int32_t, std::string> outside;
  int64_t origin = 0;
  int shift = 0;
  bool first = true;
  std::string text;
};

} // namespace

std::string tamc::planning::toTrace(const Problem &problem, const Plan &plan,
                                    int steps) {
  return TraceWriter(problem, plan, steps).write();
}
