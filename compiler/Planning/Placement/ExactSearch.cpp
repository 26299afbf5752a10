//===- Planning/ExactSearch.cpp - search for a packing --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/ExactSearch.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <tuple>

using namespace tamc::planning;

/// Lower bounds of offsets may rise in many small steps if rectangles raise
/// each other in turn. After this many steps a rectangle waits for the next
/// decision.
static constexpr uint8_t maxRaises = 2;
/// The search keeps a state for each chosen rectangle. With thousands of
/// rectangles, a descent to the last one would take gigabytes.
static constexpr size_t maxBytes = size_t(1) << 27, maxBytesKept = 1 << 24;

ExactSearch::ExactSearch(const Packing &packing)
    : packing(packing), found(packing.size(), 0),
      sectionQueue(packing.sections), bufferQueue(packing.size()),
      raises(packing.size(), 0) {}

ExactSearch::Answer ExactSearch::run(int64_t newHeight, Choice newChoice,
                                     std::span<const double> newRank,
                                     int64_t nodes,
                                     const Deadline &newDeadline) {
  height = newHeight;
  choice = newChoice;
  rank = newRank;
  limit = nodes;
  deadline = &newDeadline;
  decisions = 0;
  stopped = false;
  if (states.empty())
    states.emplace_back();
  State &state = states[0];
  state.buffers.assign(packing.size(), {0, 0, false});
  state.sections.assign(packing.sections, {});
  clearQueues();
  for (int32_t section = 0; section < packing.sections; ++section) {
    state.sections[section].rest = packing.load[section];
    sectionQueue.wake(section);
  }
  bool solved = propagate(state) && solve(0, 0, packing.sections);
  if (states.size() * bytesOfState() > maxBytesKept)
    states = {};
  if (solved)
    return Answer::Yes;
  return stopped ? Answer::Unknown : Answer::No;
}

size_t ExactSearch::bytesOfState() const {
  return packing.size() * sizeof(Buffer) +
         static_cast<size_t>(packing.sections) * sizeof(Section);
}

void ExactSearch::clearQueues() {
  sectionQueue.clear();
  bufferQueue.clear();
  for (int32_t buffer : raised)
    raises[buffer] = 0;
  raised.clear();
}

bool ExactSearch::raise(State &state, int32_t buffer, int64_t least) {
  Buffer &b = state.buffers[buffer];
  if (least <= b.least)
    return true;
  const Packing::Rectangle &r = packing.rectangles[buffer];
  if (least > height - r.size)
    return false;
  if (raises[buffer] == maxRaises)
    return true;
  if (raises[buffer]++ == 0)
    raised.push_back(buffer);
  int64_t old = b.least;
  b.least = least;
  for (int32_t t = r.lower; t < r.upper; ++t) {
    const Section &section = state.sections[t];
    if (old <= section.least2 || old + r.size <= section.end2 ||
        least > height - section.rest)
      sectionQueue.wake(t);
  }
  bufferQueue.wake(buffer);
  return true;
}

bool ExactSearch::place(State &state, int32_t buffer) {
  Buffer &b = state.buffers[buffer];
  const Packing::Rectangle &r = packing.rectangles[buffer];
  b.placed = true;
  found[buffer] = b.skyline;
  int64_t top = b.skyline + r.size;
  if (top > height)
    return false;
  for (int32_t t = r.lower; t < r.upper; ++t) {
    state.sections[t].rest -= r.size;
    sectionQueue.wake(t);
  }
  for (int32_t other : packing.neighbours[buffer]) {
    Buffer &o = state.buffers[other];
    if (o.placed)
      continue;
    if (top > o.skyline) {
      o.skyline = top;
      bufferQueue.wake(other);
    }
    if (top > o.least) {
      o.least = top;
      const Packing::Rectangle &q = packing.rectangles[other];
      if (top > height - q.size)
        return false;
      for (int32_t t = q.lower; t < q.upper; ++t)
        sectionQueue.wake(t);
    }
  }
  return true;
}

bool ExactSearch::visitSection(State &state, int32_t t) {
  Section &section = state.sections[t];
  const Section old = section;
  section.least1 = section.least2 = section.end1 = section.end2 = infinite;
  section.leastAt = section.endAt = -1;
  section.count = section.firsts = 0;
  for (int32_t b : packing.alive[t]) {
    const Buffer &buffer = state.buffers[b];
    if (buffer.placed)
      continue;
    ++section.count;
    int64_t least = buffer.least;
    int64_t end = least + packing.rectangles[b].size;
    section.firsts += least <= height - section.rest;
    if (least < section.least1) {
      section.least2 = section.least1;
      section.least1 = least;
      section.leastAt = b;
    } else if (least < section.least2) {
      section.least2 = least;
    }
    if (end < section.end1) {
      section.end2 = section.end1;
      section.end1 = end;
      section.endAt = b;
    } else if (end < section.end2) {
      section.end2 = end;
    }
  }
  if (section.count == 0)
    return true;
  if (section.least1 > height - section.rest)
    return false;
  if (section.firsts < section.count)
    for (int32_t b : packing.alive[t]) {
      const Buffer &buffer = state.buffers[b];
      if (!buffer.placed && buffer.least > height - section.rest &&
          !raise(state, b, section.endAt == b ? section.end2 : section.end1))
        return false;
    }
  if (old.least1 != section.least1 || old.least2 != section.least2 ||
      old.end1 != section.end1 || old.end2 != section.end2 ||
      old.leastAt != section.leastAt || old.endAt != section.endAt)
    for (int32_t b : packing.alive[t])
      if (!state.buffers[b].placed)
        bufferQueue.wake(b);
  return true;
}

std::pair<int64_t, int64_t> ExactSearch::below(const State &state,
                                               int32_t buffer) const {
  const Packing::Rectangle &r = packing.rectangles[buffer];
  int64_t least = infinite, end = infinite;
  for (int32_t t = r.lower; t < r.upper; ++t) {
    const Section &section = state.sections[t];
    least = std::min(least, section.leastAt == buffer ? section.least2
                                                      : section.least1);
    end = std::min(end, section.endAt == buffer ? section.end2 : section.end1);
  }
  return {least, end};
}

bool ExactSearch::visitBuffer(State &state, int32_t buffer) {
  const Buffer &b = state.buffers[buffer];
  if (b.placed)
    return true;
  auto [least, end] = below(state, buffer);
  bool free = least >= b.skyline + packing.rectangles[buffer].size;
  // Nothing can be placed below it, so that it would drop.
  if (b.least > b.skyline)
    return !free && raise(state, buffer, end);
  return !free || place(state, buffer);
}

bool ExactSearch::isLate() {
  // A step takes microseconds, more on instances of thousands of rectangles.
  constexpr uint32_t interval = 1024;
  if (!stopped && ++steps % interval == 0)
    stopped = deadline->passed();
  return stopped;
}

bool ExactSearch::propagate(State &state) {
  bool possible = true;
  while (possible) {
    if (isLate()) {
      // This must not be taken for a contradiction: see run().
      possible = false;
      break;
    }
    if (!sectionQueue.empty())
      possible = visitSection(state, sectionQueue.pop());
    else if (!bufferQueue.empty())
      possible = visitBuffer(state, bufferQueue.pop());
    else
      break;
  }
  clearQueues();
  return possible;
}

int32_t ExactSearch::lowestIn(const State &state, int32_t t) const {
  const Section &section = state.sections[t];
  int32_t best = section.leastAt;
  if (choice == Choice::BalancedUnranked || choice == Choice::FewestUnranked)
    return best;
  for (int32_t b : packing.alive[t]) {
    const Buffer &buffer = state.buffers[b];
    if (!buffer.placed && buffer.least == section.least1 &&
        rank[b] < rank[best])
      best = b;
  }
  return best;
}

int32_t ExactSearch::choose(const State &state, int32_t begin,
                            int32_t end) const {
  if (choice == Choice::LowestThenRank) {
    int32_t best = -1;
    for (int32_t b = packing.first[begin]; b < packing.first[end]; ++b) {
      const Buffer &buffer = state.buffers[b];
      if (buffer.placed)
        continue;
      if (best < 0 || buffer.least < state.buffers[best].least ||
          (buffer.least == state.buffers[best].least && rank[b] < rank[best]))
        best = b;
    }
    return best;
  }
  int32_t at = -1;
  std::pair<double, double> least;
  for (int32_t t = begin; t < end; ++t) {
    const Section &section = state.sections[t];
    if (section.count == 0)
      continue;
    auto low = static_cast<double>(section.least1);
    auto firsts = static_cast<double>(section.firsts);
    std::pair<double, double> key;
    switch (choice) {
    case Choice::LowestThenFewest:
      key = {low, firsts};
      break;
    case Choice::Balanced:
    case Choice::BalancedUnranked:
      // An offset counts as much as up to ten candidates.
      key = {firsts + 10 * low / static_cast<double>(height), 0};
      break;
    default:
      key = {firsts, 0};
      break;
    }
    if (at < 0 || key < least) {
      at = t;
      least = key;
    }
  }
  int32_t best = lowestIn(state, at);
  // Nothing may be placed below placed rectangles: go down to a local minimum.
  while (true) {
    const Packing::Rectangle &r = packing.rectangles[best];
    int32_t lower = -1;
    int64_t low = state.buffers[best].least;
    for (int32_t t = r.lower; t < r.upper; ++t)
      if (state.sections[t].least1 < low) {
        low = state.sections[t].least1;
        lower = t;
      }
    if (lower < 0)
      return best;
    best = lowestIn(state, lower);
  }
}

void ExactSearch::copyTo(size_t depth, int32_t begin, int32_t end) {
  if (states.size() <= depth)
    states.resize(depth + 1);
  State &to = states[depth];
  const State &from = states[depth - 1];
  to.buffers.resize(packing.size());
  to.sections.resize(packing.sections);
  // Rectangles that begin earlier and are placed already are visited too.
  int32_t first = packing.alive[begin].front();
  std::copy(from.buffers.begin() + first,
            from.buffers.begin() + packing.first[end],
            to.buffers.begin() + first);
  std::copy(from.sections.begin() + begin, from.sections.begin() + end,
            to.sections.begin() + begin);
}

bool ExactSearch::solve(size_t depth, int32_t begin, int32_t end) {
  while (true) {
    // Ranges of sections that unplaced rectangles connect.
    std::vector<std::pair<int32_t, int32_t>> parts;
    for (int32_t b = packing.first[begin]; b < packing.first[end]; ++b) {
      if (states[depth].buffers[b].placed)
        continue;
      const Packing::Rectangle &r = packing.rectangles[b];
      if (parts.empty() || r.lower >= parts.back().second)
        parts.push_back({r.lower, r.upper});
      else
        parts.back().second = std::max(parts.back().second, r.upper);
    }
    if (parts.empty())
      return true;
    if (parts.size() > 1) {
      std::stable_sort(parts.begin(), parts.end(), [](auto a, auto b) {
        return a.second - a.first < b.second - b.first;
      });
      for (auto [from, to] : parts)
        if (!solve(depth, from, to))
          return false;
      return true;
    }
    std::tie(begin, end) = parts.front();
    int32_t buffer = choose(states[depth], begin, end);
    Buffer &chosen = states[depth].buffers[buffer];
    if (chosen.least > chosen.skyline) {
      int64_t least = below(states[depth], buffer).second;
      if (!raise(states[depth], buffer, least) || !propagate(states[depth])) {
        clearQueues();
        return false;
      }
      continue;
    }
    if (++decisions > limit || stopped) {
      stopped = true;
      return false;
    }
    if (states.size() <= depth + 1 && (depth + 2) * bytesOfState() > maxBytes) {
      stopped = true;
      decisions = limit;
      return false;
    }
    copyTo(depth + 1, begin, end);
    bool possible =
        place(states[depth + 1], buffer) && propagate(states[depth + 1]);
    if (!possible)
      clearQueues();
    if (possible && solve(depth + 1, begin, end))
      return true;
    if (stopped)
      return false;
    State &state = states[depth];
    if (!raise(state, buffer, state.buffers[buffer].skyline + 1) ||
        !propagate(state)) {
      clearQueues();
      return false;
    }
  }
}
