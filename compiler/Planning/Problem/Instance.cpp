//===- Planning/Instance.cpp - one space of a problem ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Instance.h"

#include "Problem/Arithmetic.h"
#include "Problem/Buffers.h"
#include "Strategies/Deadline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace tamc::planning;

namespace {

/// A piece with times not yet replaced by ranks.
struct RawPiece {
  int64_t lower, upper, from, to;
};

void appendPieces(const Buffer &buffer, std::vector<RawPiece> &pieces) {
  size_t first = pieces.size();
  auto append = [&](Interval time, int64_t from, int64_t to) {
    if (time.lower == time.upper || from == to)
      return;
    if (pieces.size() > first && pieces.back().upper == time.lower &&
        pieces.back().from == from && pieces.back().to == to)
      pieces.back().upper = time.upper;
    else
      pieces.push_back({time.lower, time.upper, from, to});
  };
  for (const Interval &interval : buffer.live)
    append(interval, 0, buffer.size);
  for (const Window &window : buffer.windows)
    append(window.time, window.lower, window.upper);
  if (!buffer.windows.empty())
    std::sort(
        pieces.begin() + first, pieces.end(),
        [](const RawPiece &a, const RawPiece &b) { return a.lower < b.lower; });
}

/// The largest size alive at each time, as disjoint pieces in order of time.
void appendClass(const Problem &problem, std::span<const int32_t> members,
                 std::vector<RawPiece> &pieces) {
  struct Event {
    int64_t time;
    int64_t size;
    bool begins;
  };
  std::vector<Event> events;
  for (int32_t member : members)
    for (const Interval &interval : problem.buffers[member].live)
      if (interval.lower < interval.upper && problem.buffers[member].size) {
        int64_t size = problem.buffers[member].size;
        events.push_back({interval.lower, size, true});
        events.push_back({interval.upper, size, false});
      }
  std::sort(events.begin(), events.end(),
            [](const Event &a, const Event &b) { return a.time < b.time; });
  size_t first = pieces.size();
  std::multiset<int64_t> alive;
  for (size_t i = 0; i < events.size();) {
    int64_t time = events[i].time;
    for (; i < events.size() && events[i].time == time; ++i)
      if (events[i].begins)
        alive.insert(events[i].size);
    // Ends come second, so that pieces that begin and end here are found.
    size_t j = i;
    while (j > 0 && events[j - 1].time == time)
      --j;
    for (; j < i; ++j)
      if (!events[j].begins)
        alive.erase(alive.find(events[j].size));
    if (i == events.size() || alive.empty())
      continue;
    RawPiece piece{time, events[i].time, 0, *alive.rbegin()};
    if (pieces.size() > first && pieces.back().upper == time &&
        pieces.back().to == piece.to)
      pieces.back().upper = piece.upper;
    else
      pieces.push_back(piece);
  }
}

void appendTo(Instance &instance, const Problem &problem,
              const Options &options, std::span<const int32_t> members,
              std::vector<RawPiece> &raw) {
  Item item;
  item.firstPiece = static_cast<int32_t>(raw.size());
  item.kind = problem.buffers[members.front()].kind;
  for (int32_t member : members) {
    const Buffer &buffer = problem.buffers[member];
    if (occupies(buffer))
      item.size = std::max(item.size, buffer.size);
    item.alignment = commonMultiple(item.alignment, buffer.alignment);
    if (buffer.pin)
      item.pin = *buffer.pin;
    if (buffer.hint && item.hint < 0)
      item.hint = *buffer.hint;
    item.output |= buffer.output;
  }
  const Space &space = problem.spaces[problem.buffers[members.front()].space];
  item.alignment = commonMultiple(item.alignment, space.alignment);
  item.alignment = commonMultiple(item.alignment, options.alignment);
  if (members.size() == 1)
    appendPieces(problem.buffers[members.front()], raw);
  else
    appendClass(problem, members, raw);
  item.pieces = static_cast<int32_t>(raw.size()) - item.firstPiece;
  if (item.pieces == 0)
    return;
  instance.simple &= item.pin < 0 && item.pieces == 1 && raw.back().from == 0 &&
                     raw.back().to == item.size;
  instance.unaligned &= item.alignment == 1;
  instance.items.push_back(item);
  instance.firstBuffer.push_back(static_cast<int32_t>(instance.buffers.size()));
  instance.buffers.insert(instance.buffers.end(), members.begin(),
                          members.end());
}

/// A stable sort by time. It is a radix sort if that takes few passes: for
/// millions of entries it is several times faster than comparisons.
void sortByTime(std::vector<std::pair<int64_t, uint32_t>> &ends) {
  constexpr int bits = 11;
  constexpr size_t digits = size_t(1) << bits;
  int64_t most = 0;
  for (auto [time, slot] : ends)
    most = std::max(most, time);
  if (ends.size() < 4 * digits || most >> (3 * bits) != 0) {
    std::stable_sort(
        ends.begin(), ends.end(),
        [](const auto &a, const auto &b) { return a.first < b.first; });
    return;
  }
  std::vector<std::pair<int64_t, uint32_t>> sorted(ends.size());
  for (int shift = 0; most >> shift != 0; shift += bits) {
    auto digitOf = [&](int64_t time) {
      return static_cast<size_t>(time >> shift) % digits;
    };
    std::vector<size_t> first(digits + 1, 0);
    for (auto [time, slot] : ends)
      ++first[digitOf(time) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (const auto &end : ends)
      sorted[first[digitOf(end.first)]++] = end;
    ends.swap(sorted);
  }
}

} // namespace

std::vector<std::vector<int32_t>>
tamc::planning::buffersBySpace(const Problem &problem) {
  std::vector<std::vector<int32_t>> members(problem.spaces.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    members[problem.buffers[i].space].push_back(static_cast<int32_t>(i));
  return members;
}

Instance tamc::planning::makeInstance(const Problem &problem, int32_t space,
                                      std::span<const int32_t> buffers,
                                      const Options &options) {
  Instance instance;
  if (problem.spaces[space].capacity)
    instance.capacity = *problem.spaces[space].capacity;
  std::vector<RawPiece> raw;
  std::map<int32_t, std::vector<int32_t>> classes;
  for (int32_t index : buffers)
    if (int32_t name = problem.buffers[index].aliasClass; name >= 0)
      classes[name].push_back(index);
  for (int32_t index : buffers) {
    const Buffer &buffer = problem.buffers[index];
    if (buffer.aliasClass >= 0) {
      const std::vector<int32_t> &members = classes[buffer.aliasClass];
      if (members.front() == index)
        appendTo(instance, problem, options, members, raw);
    } else if (occupies(buffer)) {
      appendTo(instance, problem, options, {&index, 1}, raw);
    }
  }
  instance.firstBuffer.push_back(static_cast<int32_t>(instance.buffers.size()));

  // Both ends of each piece, sorted by time: that is faster than a million
  // searches for ranks.
  std::vector<std::pair<int64_t, uint32_t>> ends;
  ends.reserve(raw.size() * 2);
  instance.pieces.reserve(raw.size());
  for (const RawPiece &piece : raw) {
    auto slot = static_cast<uint32_t>(2 * instance.pieces.size());
    ends.push_back({piece.lower, slot});
    ends.push_back({piece.upper, slot + 1});
    instance.pieces.push_back({0, 0, piece.from, piece.to});
  }
  sortByTime(ends);
  std::vector<int64_t> &times = instance.times;
  for (auto [time, slot] : ends) {
    if (times.empty() || times.back() != time)
      times.push_back(time);
    auto rank = static_cast<int32_t>(times.size() - 1);
    (slot % 2 ? instance.pieces[slot / 2].upper
              : instance.pieces[slot / 2].lower) = rank;
  }
  for (Item &item : instance.items) {
    std::span<const Piece> pieces = instance.piecesOf(item);
    item.lower = pieces.front().lower;
    item.upper = pieces.back().upper;
  }
  return instance;
}

int64_t tamc::planning::peakOf(const Instance &instance,
                               std::span<const int64_t> offsets) {
  int64_t peak = 0;
  for (size_t i = 0; i < instance.size(); ++i)
    peak = std::max(peak, saturatingAdd(offsets[i], instance.items[i].size));
  return peak;
}

SortedTimes tamc::planning::sortedTimes(const Instance &instance) {
  SortedTimes times;
  for (const Item &item : instance.items) {
    times.lowers.push_back(item.lower);
    times.uppers.push_back(item.upper);
  }
  std::sort(times.lowers.begin(), times.lowers.end());
  std::sort(times.uppers.begin(), times.uppers.end());
  return times;
}

Plan tamc::planning::planEachSpace(const Problem &problem,
                                   const Options &options,
                                   Placement (*place)(const Instance &,
                                                      const Options &)) {
  Plan plan;
  // Buffers that occupy nothing lie at their pin or their class's pin, else at
  // 0.
  plan.offsets.reserve(problem.buffers.size());
  for (std::optional<int64_t> pin : effectivePins(problem))
    plan.offsets.push_back(pin.value_or(0));
  bool optimal = true;
  Deadline deadline(options);
  plan.bound.assign(problem.spaces.size(), 0);
  std::vector<std::vector<int32_t>> members = buffersBySpace(problem);
  for (size_t space = 0; space < problem.spaces.size(); ++space) {
    Instance instance = makeInstance(problem, static_cast<int32_t>(space),
                                     members[space], options);
    Options share = options;
    auto left = static_cast<int64_t>(problem.spaces.size() - space);
    if (options.timeLimit)
      share.timeLimit = std::max(*options.timeLimit - deadline.elapsed(), 0.0) /
                        static_cast<double>(left);
    if (options.nodes)
      share.nodes = std::max<int64_t>((options.nodes - plan.nodes) / left, 1);
    Placement placement = place(instance, share);
    plan.nodes += placement.nodes;
    plan.stopped |= placement.stopped;
    if (placement.offsets.empty() && instance.size() > 0) {
      plan.offsets.clear();
      plan.status =
          placement.reason.empty() ? Status::TimedOut : Status::NotFound;
      plan.reason = std::move(placement.reason);
      return plan;
    }
    for (size_t i = 0; i < instance.size(); ++i) {
      if (placement.offsets[i] < 0 ||
          placement.offsets[i] > infinite - instance.items[i].size) {
        plan.offsets.clear();
        plan.status = Status::NotFound;
        plan.reason = "the plan would need more than 2^63-1 bytes";
        return plan;
      }
      for (int32_t b = instance.firstBuffer[i]; b < instance.firstBuffer[i + 1];
           ++b)
        plan.offsets[instance.buffers[b]] = placement.offsets[i];
    }
    for (Pool &pool : placement.pools) {
      pool.space = static_cast<int32_t>(space);
      plan.pools.push_back(pool);
    }
    optimal &= placement.optimal;
    plan.bound[space] = placement.optimal ? peakOf(instance, placement.offsets)
                                          : placement.bound;
  }
  plan.status = optimal ? Status::Optimal : Status::Feasible;
  return plan;
}
