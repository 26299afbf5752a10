//===- Planning/Check.cpp - checks a plan ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Check.h"

#include "Check/CheckOrder.h"
#include "Strategies/Threads.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <tuple>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// Bytes of a buffer during an interval of its live range. Rectangles of one
/// `group` may overlap.
struct Rectangle {
  int64_t lower, upper;
  int64_t begin, end; // addresses
  int64_t group;
  int32_t buffer;
};

/// The live rectangles, ordered by address, in blocks. Live rectangles overlap
/// only within a group, and members of a group begin at one address, so that a
/// new entry need be compared only with its neighbours.
class Live {
public:
  /// A buffer of another group that shares bytes with the rectangle, or -1.
  int32_t conflict(const Rectangle &r) const {
    auto [block, at] = find(r);
    int32_t other = above(r, block, at);
    return other >= 0 ? other : beneath(r, block, at);
  }

  void insert(const Rectangle &r) {
    auto [block, at] = find(r);
    blocks[block].insert(blocks[block].begin() + std::ptrdiff_t(at),
                         {r.begin, r.group, r.end, r.buffer});
    firsts[block] = blocks[block].front().begin;
    if (blocks[block].size() < most)
      return;
    std::vector<Entry> &full = blocks[block];
    std::vector<Entry> half(full.begin() + most / 2, full.end());
    half.reserve(most);
    full.resize(most / 2);
    firsts.insert(firsts.begin() + std::ptrdiff_t(block) + 1,
                  half.front().begin);
    blocks.insert(blocks.begin() + std::ptrdiff_t(block) + 1, std::move(half));
  }

  void erase(const Rectangle &r) {
    auto [block, at] = find(r);
    if (at == blocks[block].size() && block + 1 < blocks.size())
      ++block, at = 0;
    std::vector<Entry> &entries = blocks[block];
    if (at == entries.size() || entries[at].key() != keyOf(r))
      return;
    entries.erase(entries.begin() + std::ptrdiff_t(at));
    if (!entries.empty()) {
      firsts[block] = entries.front().begin;
    } else if (blocks.size() > 1) {
      blocks.erase(blocks.begin() + std::ptrdiff_t(block));
      firsts.erase(firsts.begin() + std::ptrdiff_t(block));
    }
  }

private:
  static constexpr size_t most = 128;
  struct Entry {
    int64_t begin, group, end;
    int32_t buffer;
    std::tuple<int64_t, int64_t, int64_t, int32_t> key() const {
      return {begin, group, end, buffer};
    }
  };
  static std::tuple<int64_t, int64_t, int64_t, int32_t>
  keyOf(const Rectangle &r) {
    return {r.begin, r.group, r.end, r.buffer};
  }

  /// From a place upwards: the first entry of another group that begins below
  /// the rectangle's end.
  int32_t above(const Rectangle &r, size_t block, size_t at) const {
    for (; block < blocks.size(); ++block, at = 0)
      for (; at < blocks[block].size(); ++at) {
        const Entry &entry = blocks[block][at];
        if (entry.begin >= r.end)
          return -1;
        if (entry.group != r.group)
          return entry.buffer;
      }
    return -1;
  }

  /// From a place downwards: the next entry of another group, if it ends above
  /// the rectangle's begin. Within a group the highest comes first.
  int32_t beneath(const Rectangle &r, size_t block, size_t at) const {
    while (true) {
      while (at-- > 0)
        if (const Entry &entry = blocks[block][at]; entry.group != r.group)
          return entry.end > r.begin ? entry.buffer : -1;
      if (block == 0)
        return -1;
      at = blocks[--block].size();
    }
  }

  /// Block, and place in it, of the first entry that does not come before `r`;
  /// the end of a block if that entry is the first of the next block.
  std::pair<size_t, size_t> find(const Rectangle &r) const {
    auto block = static_cast<size_t>(
        std::lower_bound(firsts.begin(), firsts.end(), r.begin) -
        firsts.begin());
    // Entries with one begin may be in several blocks.
    while (block < blocks.size() && !blocks[block].empty() &&
           blocks[block].front().key() < keyOf(r))
      ++block;
    block -= block > 0;
    const std::vector<Entry> &entries = blocks[block];
    auto at = std::partition_point(
        entries.begin(), entries.end(),
        [&](const Entry &entry) { return entry.key() < keyOf(r); });
    return {block, static_cast<size_t>(at - entries.begin())};
  }

  /// Blocks are never empty, unless there is only one.
  std::vector<std::vector<Entry>> blocks = {{}};
  std::vector<int64_t> firsts = {0}; // by block: its first begin
};

class Checker {
public:
  Checker(const Problem &problem, std::span<const int64_t> offsets,
          const CheckOptions &options)
      : problem(problem), offsets(offsets), options(options) {}

  std::vector<Finding> run() {
    if (offsets.size() != problem.buffers.size()) {
      add(Finding::Kind::Count, -1, -1,
          "expected " + std::to_string(problem.buffers.size()) +
              " offsets, got " + std::to_string(offsets.size()));
      return std::move(findings);
    }
    for (size_t i = 0; i < offsets.size() && !isFull(); ++i)
      checkOne(static_cast<int64_t>(i));
    checkClasses();
    // The sums below would overflow for a buffer that has been reported
    // already.
    for (const Finding &finding : findings)
      if (finding.kind == Finding::Kind::Overflow ||
          finding.kind == Finding::Kind::Negative)
        return std::move(findings);
    std::vector<std::vector<int32_t>> buffers(problem.spaces.size());
    for (size_t i = 0; i < offsets.size(); ++i)
      if (problem.buffers[i].size > 0)
        buffers[problem.buffers[i].space].push_back(static_cast<int32_t>(i));
    for (size_t space = 0; space < buffers.size() && !isFull(); ++space)
      sweep(buffers[space]);
    return std::move(findings);
  }

private:
  bool isFull() const { return findings.size() >= options.limit; }

  void add(Finding::Kind kind, int64_t first, int64_t second,
           std::string message) {
    if (!isFull())
      findings.push_back({kind, first, second, std::move(message)});
  }

  std::string quoted(int64_t buffer) const {
    return "'" + problem.buffers[buffer].name + "'";
  }

  static bool lives(const Buffer &buffer) {
    for (Interval interval : buffer.live)
      if (interval.upper > interval.lower)
        return true;
    for (const Window &window : buffer.windows)
      if (window.time.upper > window.time.lower && window.upper > window.lower)
        return true;
    return false;
  }

  void checkOne(int64_t i) {
    const Buffer &buffer = problem.buffers[i];
    const Space &space = problem.spaces[buffer.space];
    int64_t offset = offsets[i];
    std::string at = "buffer " + quoted(i) + " at " + std::to_string(offset);
    if (offset < 0)
      return add(Finding::Kind::Negative, i, -1, at + " lies below 0");
    if (offset > std::numeric_limits<int64_t>::max() - buffer.size)
      return add(Finding::Kind::Overflow, i, -1,
                 at + " of " + std::to_string(buffer.size) +
                     " bytes ends above 2^63-1");
    for (int64_t alignment :
         {buffer.alignment, space.alignment, options.alignment})
      if (offset % alignment != 0)
        return add(Finding::Kind::Alignment, i, -1,
                   at + " is not aligned to " + std::to_string(alignment));
    if (buffer.pin && *buffer.pin != offset)
      add(Finding::Kind::Pin, i, -1,
          at + " is pinned to " + std::to_string(*buffer.pin));
    if (options.capacities && space.capacity && buffer.size > 0 &&
        lives(buffer) && offset + buffer.size > *space.capacity)
      add(Finding::Kind::Capacity, i, -1,
          at + " ends at " + std::to_string(offset + buffer.size) +
              ", the capacity" +
              (space.name.empty() ? "" : " of '" + space.name + "'") + " is " +
              std::to_string(*space.capacity));
  }

  void checkClasses() {
    std::unordered_map<int32_t, int64_t> first;
    for (size_t i = 0; i < offsets.size(); ++i) {
      int32_t name = problem.buffers[i].aliasClass;
      auto index = static_cast<int64_t>(i);
      if (name < 0)
        continue;
      int64_t other = first.try_emplace(name, index).first->second;
      if (offsets[other] != offsets[i])
        add(Finding::Kind::AliasClass, other, index,
            "buffers " + quoted(other) + " at " +
                std::to_string(offsets[other]) + " and " + quoted(index) +
                " at " + std::to_string(offsets[i]) +
                " are of one alias class");
    }
  }

  /// The buffers of one space.
  void sweep(const std::vector<int32_t> &buffers) {
    std::vector<Rectangle> all;
    all.reserve(buffers.size());
    for (int32_t index : buffers) {
      const Buffer &buffer = problem.buffers[index];
      // Classes and single buffers must not be mistaken for each other.
      int64_t group = buffer.aliasClass >= 0 ? -1 - int64_t(buffer.aliasClass)
                                             : int64_t(index);
      auto append = [&](Interval time, int64_t from, int64_t to) {
        if (time.lower < time.upper && from < to)
          all.push_back({time.lower, time.upper, offsets[index] + from,
                         offsets[index] + to, group, index});
      };
      for (const Interval &interval : buffer.live)
        append(interval, 0, buffer.size);
      for (const Window &window : buffer.windows)
        append(window.time, window.lower, window.upper);
    }
    // If there are many rectangles, two threads check the two halves of the
    // time. Findings are still reported in the order of time.
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    constexpr int64_t last = std::numeric_limits<int64_t>::max();
    if (options.threads > 1 && all.size() > 20000) {
      int64_t middle = medianTime(all);
      const int64_t ends[] = {least, middle, last};
      std::atomic<size_t> next = 0;
      std::atomic<bool> isRight = true;
      runOnThreads(2, [&] {
        for (size_t half; (half = next++) < 2;)
          if (!sweep(all, ends[half], ends[half + 1],
                     [](auto...) { return false; }))
            isRight = false;
      });
      if (isRight)
        return;
    }
    sweep(all, least, last,
          [&](const Rectangle &r, int32_t other, int64_t time) {
            add(Finding::Kind::Overlap, other, r.buffer,
                "buffers " + quoted(other) + " at " +
                    std::to_string(offsets[other]) + " of " +
                    std::to_string(problem.buffers[other].size) +
                    " bytes and " + quoted(r.buffer) + " at " +
                    std::to_string(offsets[r.buffer]) + " of " +
                    std::to_string(problem.buffers[r.buffer].size) +
                    " bytes overlap at time " + std::to_string(time));
            return !isFull();
          });
  }

  /// A time such that about half of the rectangles begin before it.
  static int64_t medianTime(const std::vector<Rectangle> &all) {
    std::vector<int64_t> times;
    for (size_t i = 0; i < all.size(); i += 16)
      times.push_back(all[i].lower);
    auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  /// Sweeps the time from `first` to `last` and calls `report` for pairs that
  /// share bytes until it returns false. Returns whether it was never called.
  template <typename Report>
  static bool sweep(const std::vector<Rectangle> &all, int64_t first,
                    int64_t last, Report report) {
    // Ends come before begins.
    struct Event {
      int64_t time;
      uint64_t rectangle; // and, in the highest bit, whether it begins
      bool operator<(const Event &other) const {
        return time != other.time ? time < other.time
                                  : rectangle < other.rectangle;
      }
    };
    constexpr uint64_t begins = uint64_t(1) << 63;
    std::vector<Event> events;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].upper <= first || all[i].lower >= last)
        continue;
      events.push_back({std::max(all[i].lower, first), begins | i});
      if (all[i].upper < last)
        events.push_back({all[i].upper, i});
    }
    std::sort(events.begin(), events.end());
    Live live;
    bool clean = true;
    for (const Event &event : events) {
      const Rectangle &r = all[event.rectangle & ~begins];
      if (!(event.rectangle & begins)) {
        live.erase(r);
        continue;
      }
      if (int32_t other = live.conflict(r); other >= 0) {
        clean = false;
        if (!report(r, other, event.time))
          return false;
      }
      live.insert(r);
    }
    return clean;
  }

  const Problem &problem;
  std::span<const int64_t> offsets;
  const CheckOptions &options;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> tamc::planning::check(const Problem &problem,
                                           std::span<const int64_t> offsets,
                                           const CheckOptions &options) {
  std::vector<Finding> findings = Checker(problem, offsets, options).run();
  if (options.reuse == Reuse::BranchSafe && findings.empty())
    return checkOrderSafety(problem, offsets, options.limit);
  return findings;
}
