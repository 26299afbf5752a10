//===- Planning/LowerBound.cpp - lower bounds of plans --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/LowerBound.h"

#include "Bounds/Bounds.h"
#include "Problem/Arithmetic.h"

#include <algorithm>
#include <set>

using namespace tamc::planning;

namespace {

/// The number that all offsets are multiples of and that sizes may be rounded
/// up to; 1 if a piece does not begin at its item's first byte.
int64_t commonGrain(const Instance &instance) {
  int64_t grain = 0;
  for (const Item &item : instance.items) {
    grain = std::gcd(grain, item.alignment);
    if (item.pin > 0)
      grain = std::gcd(grain, item.pin);
  }
  for (const Piece &piece : instance.pieces)
    if (piece.from != 0)
      return 1;
  return std::max<int64_t>(grain, 1);
}

/// The largest load and its time. Every live item except the topmost counts
/// with its size rounded up to the grain.
std::pair<__int128, int32_t> largestLoad(const Instance &instance,
                                         int64_t grain) {
  __int128 load = 0, best = 0;
  int32_t at = 0;
  if (grain == 1) {
    std::vector<__int128> change(instance.times.size() + 1, 0);
    for (const Piece &piece : instance.pieces) {
      change[piece.lower] += piece.to - piece.from;
      change[piece.upper] -= piece.to - piece.from;
    }
    for (size_t time = 0; time < change.size(); ++time)
      if (load += change[time]; load > best) {
        best = load;
        at = static_cast<int32_t>(time);
      }
    return {best, at};
  }
  struct Event {
    int32_t time;
    bool begins;
    int64_t bytes;
  };
  std::vector<Event> events;
  events.reserve(instance.pieces.size() * 2);
  for (const Piece &piece : instance.pieces) {
    events.push_back({piece.lower, true, piece.to - piece.from});
    events.push_back({piece.upper, false, piece.to - piece.from});
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.begins < b.begins;
  });

  auto padding = [&](int64_t bytes) {
    int64_t rest = bytes % grain;
    return rest ? grain - rest : 0;
  };
  // The topmost buffer needs no padding: assume that it is the one with the
  // largest padding.
  std::multiset<int64_t> paddings;
  for (size_t i = 0; i < events.size();) {
    int32_t time = events[i].time;
    for (; i < events.size() && events[i].time == time; ++i) {
      const Event &event = events[i];
      int64_t pad = padding(event.bytes);
      __int128 padded = static_cast<__int128>(event.bytes) + pad;
      load += event.begins ? padded : -padded;
      if (pad == 0)
        continue;
      if (event.begins)
        paddings.insert(pad);
      else
        paddings.erase(paddings.find(pad));
    }
    __int128 needed = load;
    // If a buffer without padding is alive, it may be the topmost and saves
    // nothing; the saving below is the most that any choice of the topmost
    // gives.
    if (!paddings.empty())
      needed -= *paddings.rbegin();
    if (needed > best) {
      best = needed;
      at = time;
    }
  }

  return {best, at};
}

} // namespace

Bound tamc::planning::boundOf(const Instance &instance) {
  auto [best, at] = largestLoad(instance, commonGrain(instance));
  Bound bound;
  bound.overflow = best > infinite;
  bound.bytes = bound.overflow ? infinite : static_cast<int64_t>(best);
  bound.time = instance.times.empty() ? 0 : instance.times[at];
  for (const Item &item : instance.items)
    if (item.pin >= 0 && item.pin + item.size > bound.bytes) {
      bound.bytes = item.pin + item.size;
      bound.time = instance.times[item.lower];
    }
  // No item lies below 0.
  for (const Item &item : instance.items)
    if (item.size > bound.bytes) {
      bound.bytes = item.size;
      bound.time = instance.times[item.lower];
    }
  return bound;
}

std::vector<Bound> tamc::planning::lowerBounds(const Problem &problem,
                                               int64_t alignment) {
  Options options;
  options.alignment = alignment;
  std::vector<Bound> bounds;
  std::vector<std::vector<int32_t>> members = buffersBySpace(problem);
  for (size_t space = 0; space < problem.spaces.size(); ++space)
    bounds.push_back(boundOf(makeInstance(problem, static_cast<int32_t>(space),
                                          members[space], options)));
  return bounds;
}

std::vector<int32_t> tamc::planning::aliveAt(const Problem &problem,
                                             int32_t space, int64_t time) {
  std::vector<int32_t> alive;
  auto contains = [&](Interval interval) {
    return interval.lower <= time && time < interval.upper;
  };
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    bool lives = false;
    for (const Interval &interval : buffer.live)
      lives |= contains(interval);
    for (const Window &window : buffer.windows)
      lives |= contains(window.time);
    if (lives && buffer.space == space && buffer.size > 0)
      alive.push_back(static_cast<int32_t>(i));
  }
  return alive;
}
