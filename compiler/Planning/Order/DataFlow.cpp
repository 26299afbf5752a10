//===- Planning/DataFlow.cpp - dependencies between operations ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/DataFlow.h"

#include "Problem/Buffers.h"

#include <algorithm>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// The last accesses to the bytes of one buffer or alias class.
struct LastTouch {
  int32_t writer = -1;
  std::vector<int32_t> readers;
};

void sortOnce(std::vector<int32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

std::vector<std::vector<int32_t>>
tamc::planning::dependencies(const Problem &problem) {
  std::vector<std::vector<int32_t>> before(problem.operations.size());
  std::vector<LastTouch> byBuffer(problem.buffers.size());
  std::unordered_map<int32_t, LastTouch> byClass;
  auto touchOf = [&](int32_t buffer) -> LastTouch & {
    int32_t name = problem.buffers[buffer].aliasClass;
    return name >= 0 ? byClass[name] : byBuffer[buffer];
  };
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &operation = problem.operations[i];
    auto self = static_cast<int32_t>(i);
    std::vector<int32_t> &list = before[i];
    list = operation.after;
    for (int32_t buffer : operation.reads)
      if (int32_t writer = touchOf(buffer).writer; writer >= 0)
        list.push_back(writer);
    for (int32_t buffer : operation.writes) {
      const LastTouch &touch = touchOf(buffer);
      if (touch.writer >= 0)
        list.push_back(touch.writer);
      list.insert(list.end(), touch.readers.begin(), touch.readers.end());
    }
    for (int32_t buffer : operation.reads)
      touchOf(buffer).readers.push_back(self);
    for (int32_t buffer : operation.writes) {
      touchOf(buffer).writer = self;
      touchOf(buffer).readers.clear();
    }
    sortOnce(list);
  }
  return before;
}

std::vector<std::optional<Interval>>
tamc::planning::impliedLives(const Problem &problem) {
  std::vector<std::optional<Interval>> lives(problem.buffers.size());
  auto end = static_cast<int64_t>(problem.operations.size());
  for (int64_t time = 0; time < end; ++time) {
    const Operation &operation = problem.operations[time];
    auto touch = [&](int32_t buffer, int64_t first) {
      if (!lives[buffer])
        lives[buffer] = {first, time + 1};
      lives[buffer]->upper = problem.buffers[buffer].output ? end : time + 1;
    };
    // A buffer that is read before it is written comes from outside.
    for (int32_t buffer : operation.reads)
      touch(buffer, 0);
    for (int32_t buffer : operation.writes)
      touch(buffer, time);
  }
  return lives;
}

DataFlow::DataFlow(const Problem &problem)
    : problem(problem),
      later(problem.operations.size(), problem.operations.size()),
      all(problem.buffers.size()) {
  auto count = static_cast<int64_t>(problem.operations.size());
  std::vector<std::vector<int32_t>> next(problem.operations.size());
  std::vector<std::vector<int32_t>> before = dependencies(problem);
  for (size_t i = 0; i < before.size(); ++i)
    for (int32_t earlier : before[i])
      next[earlier].push_back(static_cast<int32_t>(i));
  // A valid problem lists every operation after those it depends on.
  for (int64_t i = count - 1; i >= 0; --i)
    for (int32_t after : next[i]) {
      later.set(i, after);
      std::span<uint64_t> row = later.row(i);
      std::span<const uint64_t> other = later.row(after);
      for (size_t word = 0; word < row.size(); ++word)
        row[word] |= other[word];
    }

  std::vector<bool> written(problem.buffers.size(), false);
  for (int64_t i = 0; i < count; ++i) {
    const Operation &operation = problem.operations[i];
    for (int32_t buffer : operation.reads) {
      all[buffer].fromOutside |= !written[buffer];
      all[buffer].operations.push_back(static_cast<int32_t>(i));
    }
    for (int32_t buffer : operation.writes) {
      written[buffer] = true;
      all[buffer].operations.push_back(static_cast<int32_t>(i));
    }
  }
  std::vector<std::optional<Interval>> implied = impliedLives(problem);
  for (size_t i = 0; i < all.size(); ++i) {
    Uses &uses = all[i];
    const Buffer &buffer = problem.buffers[i];
    uses.nothing = !occupies(buffer);
    uses.toTheEnd = buffer.output;
    uses.derived = implied[i] && buffer.windows.empty() &&
                   buffer.live.size() == 1 && buffer.live[0] == *implied[i];
    if (!uses.derived && !uses.nothing) {
      // Gaps and windows are valid in one order only, so take the hull.
      Interval hull = {INT64_MAX, 0};
      auto extend = [&](Interval time) {
        hull.lower = std::min(hull.lower, time.lower);
        hull.upper = std::max(hull.upper, time.upper);
      };
      for (const Interval &interval : buffer.live)
        extend(interval);
      for (const Window &window : buffer.windows)
        extend(window.time);
      uses.fromOutside |= hull.lower == 0;
      uses.toTheEnd |= hull.upper >= count;
      for (int64_t time = hull.lower; time < std::min(hull.upper, count);
           ++time)
        uses.operations.push_back(static_cast<int32_t>(time));
    }
    sortOnce(uses.operations);
    for (int32_t operation : uses.operations)
      if (std::none_of(
              uses.first.begin(), uses.first.end(),
              [&](int32_t first) { return this->before(first, operation); }))
        uses.first.push_back(operation);
    bool known = !uses.operations.empty();
    uses.lower = uses.fromOutside || !known ? 0 : uses.operations.front();
    uses.upper = uses.toTheEnd || !known ? count : uses.operations.back() + 1;
  }
}

bool DataFlow::precedes(int32_t a, int32_t b) const {
  const Uses &early = all[a], &late = all[b];
  // If no operation uses a buffer, it may be needed at any time.
  if (early.toTheEnd || late.fromOutside || early.operations.empty() ||
      late.operations.empty())
    return false;
  for (int32_t use : early.operations)
    for (int32_t definition : late.first)
      if (!before(use, definition))
        return false;
  return true;
}

BitMatrix DataFlow::conflicts() const {
  size_t count = problem.buffers.size();
  BitMatrix result(count, count);
  // Rows of the buffers that may share; each ordered pair is visited from its
  // earlier buffer.
  std::vector<uint64_t> after(later.rows() ? later.row(0).size() : 0);
  for (size_t a = 0; a < count; ++a) {
    const Uses &early = all[a];
    if (early.nothing)
      continue;
    const Buffer &mine = problem.buffers[a];
    for (size_t b = 0; b < count; ++b) {
      const Buffer &other = problem.buffers[b];
      if (a != b && !all[b].nothing && other.space == mine.space &&
          (mine.aliasClass < 0 || mine.aliasClass != other.aliasClass))
        result.set(a, b);
    }
  }
  for (size_t a = 0; a < count; ++a) {
    const Uses &early = all[a];
    if (early.nothing || early.toTheEnd || early.operations.empty())
      continue;
    std::fill(after.begin(), after.end(), ~uint64_t(0));
    for (int32_t use : early.operations) {
      std::span<const uint64_t> row = later.row(use);
      for (size_t word = 0; word < after.size(); ++word)
        after[word] &= row[word];
    }
    for (size_t b = 0; b < count; ++b) {
      const Uses &late = all[b];
      if (late.fromOutside || late.operations.empty() ||
          !std::all_of(late.first.begin(), late.first.end(),
                       [&](int32_t definition) {
                         return after[definition / 64] >> (definition % 64) & 1;
                       }))
        continue;
      result.reset(a, b);
      result.reset(b, a);
    }
  }
  return result;
}
