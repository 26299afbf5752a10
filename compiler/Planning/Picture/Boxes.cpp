//===- Planning/Picture/Boxes.cpp - rectangles of pictures ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture/Boxes.h"

#include "Picture/Text.h"
#include "Problem/Arithmetic.h"
#include "Problem/Instance.h"

#include <algorithm>
#include <queue>
#include <tuple>

using namespace tamc::planning;

std::vector<Box> tamc::planning::boxesOf(const Problem &problem,
                                         std::span<const int64_t> offsets,
                                         std::span<const int32_t> members) {
  std::vector<Box> boxes;
  if (offsets.empty())
    return boxes;
  for (int32_t i : members) {
    const Buffer &buffer = problem.buffers[i];
    auto add = [&](Interval time, int64_t from, int64_t to) {
      boxes.push_back({time.lower, time.upper, saturatingAdd(offsets[i], from),
                       saturatingAdd(offsets[i], to), i});
    };
    for (const Interval &interval : buffer.live)
      add(interval, 0, buffer.size);
    for (const Window &window : buffer.windows)
      add(window.time, window.lower, window.upper);
  }
  std::sort(boxes.begin(), boxes.end(), [](const Box &a, const Box &b) {
    return std::tie(a.lower, a.begin, a.buffer) <
           std::tie(b.lower, b.begin, b.buffer);
  });
  return boxes;
}

std::vector<Step> tamc::planning::loadOf(const Problem &problem, int32_t space,
                                         std::span<const int32_t> members) {
  Instance instance = makeInstance(problem, space, members, {});
  std::vector<__int128> change(instance.times.size(), 0);
  for (const Piece &piece : instance.pieces) {
    change[piece.lower] += piece.to - piece.from;
    change[piece.upper] -= piece.to - piece.from;
  }
  std::vector<Step> curve;
  __int128 load = 0;
  for (size_t i = 0; i < change.size(); ++i) {
    load += change[i];
    auto bytes = static_cast<int64_t>(std::min<__int128>(load, infinite));
    if (curve.empty() || curve.back().bytes != bytes)
      curve.push_back({instance.times[i], bytes});
  }
  return curve;
}

std::vector<Step> tamc::planning::highWaterOf(const std::vector<Box> &boxes) {
  std::vector<int64_t> times;
  times.reserve(boxes.size() * 2);
  for (const Box &box : boxes)
    if (!box.isLine()) {
      times.push_back(box.lower);
      times.push_back(box.upper);
    }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  std::vector<Step> curve;
  std::priority_queue<std::pair<int64_t, int64_t>> alive; // end, upper
  auto next = boxes.begin();
  for (int64_t time : times) {
    for (; next != boxes.end() && next->lower <= time; ++next)
      if (!next->isLine())
        alive.emplace(next->end, next->upper);
    while (!alive.empty() && alive.top().second <= time)
      alive.pop();
    int64_t bytes = alive.empty() ? 0 : alive.top().first;
    if (curve.empty() || curve.back().bytes != bytes)
      curve.push_back({time, bytes});
  }
  return curve;
}

std::vector<Step> tamc::planning::thin(const std::vector<Step> &curve,
                                       int count) {
  if (curve.size() <= static_cast<size_t>(count))
    return curve;
  // The last step ends the curve and keeps its time; the others share the time
  // before it.
  __int128 first = curve.front().time, last = curve.back().time;
  __int128 parts = count - 1;
  std::vector<Step> thinned;
  size_t at = 0;
  int64_t carried = 0;
  for (__int128 part = 0; part < parts; ++part) {
    __int128 begin = first + (last - first) * part / parts;
    __int128 end = first + (last - first) * (part + 1) / parts;
    if (begin == end)
      continue;
    // The value before this part counts unless a step at its begin replaces it.
    int64_t most = curve[at].time == begin ? 0 : carried;
    for (; curve[at].time < end; ++at) {
      most = std::max(most, curve[at].bytes);
      carried = curve[at].bytes;
    }
    if (thinned.empty() || thinned.back().bytes != most)
      thinned.push_back({static_cast<int64_t>(begin), most});
  }
  if (thinned.back().bytes != curve.back().bytes)
    thinned.push_back(curve.back());
  return thinned;
}

BufferUses::BufferUses(const Problem &problem) : problem(problem) {
  if (problem.operations.empty())
    return;
  writers.resize(problem.buffers.size());
  readers.resize(problem.buffers.size());
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    for (int32_t buffer : problem.operations[i].writes)
      writers[buffer].push_back(static_cast<int32_t>(i));
    for (int32_t buffer : problem.operations[i].reads)
      readers[buffer].push_back(static_cast<int32_t>(i));
  }
}

std::string BufferUses::describe(int32_t buffer) const {
  if (writers.empty())
    return {};
  std::string text;
  auto add = [&](const char *what, const std::vector<int32_t> &operations) {
    if (operations.empty())
      return;
    text += (text.empty() ? "" : ", ") + std::string(what);
    for (size_t i = 0; i < std::min<size_t>(operations.size(), 4); ++i)
      text += (i ? ", " : " ") + problem.operations[operations[i]].name;
    if (operations.size() > 4)
      text += " and " + std::to_string(operations.size() - 4) + " more";
  };
  add("written by", writers[buffer]);
  add("read by", readers[buffer]);
  return text;
}

std::string tamc::planning::describeBuffer(const Problem &problem,
                                           const BufferUses &uses,
                                           int64_t offset, int32_t index) {
  const Buffer &buffer = problem.buffers[index];
  auto range = [](int64_t lower, int64_t upper) {
    return "[" + std::to_string(lower) + ", " + std::to_string(upper) + ")";
  };
  std::string text = buffer.name + "\n" + describeBytes(buffer.size) +
                     "\noffset " + std::to_string(offset) + " to " +
                     std::to_string(saturatingAdd(offset, buffer.size)) +
                     "\nalive";
  size_t shown = 0, most = 6;
  for (const Interval &interval : buffer.live)
    if (shown++ < most)
      text += " " + range(interval.lower, interval.upper);
  for (const Window &window : buffer.windows)
    if (shown++ < most)
      text += " " + range(window.time.lower, window.time.upper) + " bytes " +
              range(window.lower, window.upper);
  if (shown > most)
    text += " and " + std::to_string(shown - most) + " more";
  if (problem.spaces.size() > 1)
    text += "\nspace " + titleOf(problem.spaces[buffer.space]);
  if (buffer.alignment != 1)
    text += "\nalignment " + std::to_string(buffer.alignment);
  if (buffer.pin)
    text += "\npinned";
  if (buffer.aliasClass >= 0)
    text += "\nalias class " + std::to_string(buffer.aliasClass);
  if (buffer.output)
    text += "\noutput";
  if (std::string used = uses.describe(index); !used.empty())
    text += "\n" + used;
  return text;
}

std::string tamc::planning::titleOf(const Space &space) {
  return space.name.empty() ? "memory" : space.name;
}
