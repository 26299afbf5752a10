//===- Planning/Programs.cpp - problems with operations -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "Draws.h"

#include <algorithm>
#include <map>

using namespace tamc::planning;
using test::chance;
using test::draw;

namespace {

/// Sets the lives that follow from the operations, by looking at each.
void live(Problem &problem) {
  auto end = static_cast<int64_t>(problem.operations.size());
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    int64_t lower = -1, upper = -1;
    for (int64_t i = 0; i < end; ++i) {
      const Operation &op = problem.operations[i];
      bool reads = std::count(op.reads.begin(), op.reads.end(), b) > 0;
      bool writes = std::count(op.writes.begin(), op.writes.end(), b) > 0;
      if (!reads && !writes)
        continue;
      if (lower < 0)
        lower = reads ? 0 : i;
      upper = i + 1;
    }
    problem.buffers[b].live = {
        {lower, problem.buffers[b].output ? end : upper}};
  }
}

/// Edges of a series-parallel graph over 0 .. count-1, numbered in an order
/// that respects them; the last of each part is returned.
std::vector<int32_t> grow(std::mt19937_64 &random, int count, int32_t &next,
                          const std::vector<int32_t> &from,
                          std::vector<std::pair<int32_t, int32_t>> &edges) {
  if (count <= 0)
    return from;
  if (count == 1) {
    int32_t self = next++;
    for (int32_t before : from)
      edges.push_back({before, self});
    return {self};
  }
  int first = static_cast<int>(draw(random, 1, count - 1));
  if (chance(random, 50)) {
    std::vector<int32_t> middle = grow(random, first, next, from, edges);
    return grow(random, count - first, next, middle, edges);
  }
  std::vector<int32_t> ends = grow(random, first, next, from, edges);
  std::vector<int32_t> others = grow(random, count - first, next, from, edges);
  ends.insert(ends.end(), others.begin(), others.end());
  return ends;
}

} // namespace

Problem test::randomProgram(std::mt19937_64 &random, Shape shape,
                            int operations, const Features &features) {
  std::vector<std::pair<int32_t, int32_t>> edges;
  if (shape == Shape::SeriesParallel) {
    int32_t next = 0;
    grow(random, operations, next, {}, edges);
  } else {
    int64_t width = draw(random, 1, 4);
    for (int32_t i = 0; i < operations; ++i)
      for (int32_t j = 0; j < i; ++j)
        if (j / width + 1 == i / width
                ? chance(random, 45)
                : j / width < i / width && chance(random, 6))
          edges.push_back({j, i});
  }
  Problem problem;
  if (features.spaces) {
    problem.spaces.assign(2, Space{});
    problem.spaces[0].name = "slow";
    problem.spaces[1].name = "fast";
  }
  auto add = [&](const std::string &name) {
    Buffer buffer;
    buffer.name = name;
    buffer.size = chance(random, 6) ? 0 : draw(random, 1, 12);
    if (features.alignment && chance(random, 50))
      buffer.alignment = int64_t(1) << draw(random, 0, 3);
    if (features.spaces)
      buffer.space = static_cast<int32_t>(draw(random, 0, 1));
    problem.buffers.push_back(buffer);
    return static_cast<int32_t>(problem.buffers.size()) - 1;
  };
  for (int32_t i = 0; i < operations; ++i)
    problem.operations.push_back(
        {"op" + std::to_string(i), {}, {add("b" + std::to_string(i))}, {}});
  for (auto [from, to] : edges)
    problem.operations[to].reads.push_back(from);
  if (features.inputs)
    for (int i = 0; i < 2; ++i)
      problem.operations[draw(random, 0, operations - 1)].reads.push_back(
          add("in" + std::to_string(i)));
  if (features.rewrites)
    for (int i = 0; i < 2; ++i) {
      int64_t first = draw(random, 0, operations - 1);
      problem.operations[draw(random, first, operations - 1)].writes.push_back(
          static_cast<int32_t>(first));
    }
  if (features.extraOrder && operations > 1)
    for (int i = 0; i < 2; ++i) {
      int64_t first = draw(random, 0, operations - 2);
      problem.operations[draw(random, first + 1, operations - 1)]
          .after.push_back(static_cast<int32_t>(first));
    }
  if (features.classes && operations > 1)
    for (int i = 0; i < 2; ++i) {
      // Written where the other one is read, or later: an update in place.
      int64_t first = draw(random, 0, operations - 2);
      int64_t second = draw(random, first + 1, operations - 1);
      Buffer &a = problem.buffers[first], &b = problem.buffers[second];
      if (a.aliasClass < 0 && b.aliasClass < 0 && a.space == b.space)
        a.aliasClass = b.aliasClass = i;
    }
  for (int32_t i = 0; i < operations; ++i) {
    bool isRead = false;
    for (const Operation &op : problem.operations)
      isRead |= std::count(op.reads.begin(), op.reads.end(), i) > 0;
    // A class is overwritten by its last member: only that one may come out.
    problem.buffers[i].output =
        problem.buffers[i].aliasClass < 0 && (!isRead || chance(random, 5));
  }
  live(problem);
  return problem;
}

std::vector<std::vector<bool>> test::orderOf(const Problem &problem) {
  size_t count = problem.operations.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  auto storage = [&](int32_t buffer) {
    int32_t name = problem.buffers[buffer].aliasClass;
    return name >= 0 ? -1 - name : buffer;
  };
  auto meet = [&](const std::vector<int32_t> &a,
                  const std::vector<int32_t> &b) {
    for (int32_t x : a)
      for (int32_t y : b)
        if (storage(x) == storage(y))
          return true;
    return false;
  };
  for (size_t j = 0; j < count; ++j) {
    const Operation &late = problem.operations[j];
    for (size_t i = 0; i < j; ++i) {
      const Operation &early = problem.operations[i];
      before[i][j] = meet(early.writes, late.reads) ||
                     meet(early.reads, late.writes) ||
                     meet(early.writes, late.writes);
    }
    for (int32_t i : late.after)
      before[i][j] = true;
  }
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (before[i][k] && before[k][j])
          before[i][j] = true;
  return before;
}

std::vector<int32_t>
test::randomOrder(std::mt19937_64 &random,
                  const std::vector<std::vector<bool>> &before) {
  std::vector<int32_t> order;
  std::vector<bool> done(before.size(), false);
  while (order.size() < before.size()) {
    std::vector<int32_t> ready;
    for (size_t i = 0; i < before.size(); ++i) {
      bool isReady = !done[i];
      for (size_t j = 0; j < before.size() && isReady; ++j)
        isReady = done[j] || !before[j][i];
      if (isReady)
        ready.push_back(static_cast<int32_t>(i));
    }
    order.push_back(ready[random() % ready.size()]);
    done[order.back()] = true;
  }
  return order;
}

std::string test::simulate(const Problem &problem,
                           const std::vector<int64_t> &offsets,
                           const std::vector<int32_t> &order) {
  std::vector<std::map<int64_t, int64_t>> memory(problem.spaces.size());
  // By buffer or alias class: the expected value of each byte. Reading a member
  // of a class gives the bytes of the last member written.
  std::map<int64_t, std::map<int64_t, int64_t>> expected;
  auto storage = [&](int32_t b) -> std::map<int64_t, int64_t> & {
    int32_t name = problem.buffers[b].aliasClass;
    return expected[name >= 0 ? -1 - int64_t(name) : int64_t(b)];
  };
  int64_t stamp = 0;
  auto fill = [&](int32_t b) {
    const Buffer &buffer = problem.buffers[b];
    ++stamp;
    for (int64_t k = 0; k < buffer.size; ++k)
      memory[buffer.space][offsets[b] + k] = storage(b)[k] = stamp;
  };
  auto intact = [&](int32_t b) {
    const Buffer &buffer = problem.buffers[b];
    for (int64_t k = 0; k < buffer.size; ++k)
      if (memory[buffer.space][offsets[b] + k] != storage(b)[k])
        return false;
    return true;
  };
  std::vector<bool> written(problem.buffers.size(), false);
  for (const Operation &op : problem.operations) {
    for (int32_t b : op.reads)
      if (!written[b])
        fill(b), written[b] = true;
    for (int32_t b : op.writes)
      written[b] = true;
  }
  for (int32_t i : order) {
    const Operation &op = problem.operations[i];
    for (int32_t b : op.reads)
      if (!intact(b))
        return op.name + " reads " + problem.buffers[b].name +
               ", which was overwritten";
    for (int32_t b : op.writes)
      fill(b);
    auto touched = op.reads;
    touched.insert(touched.end(), op.writes.begin(), op.writes.end());
    for (int32_t b : touched)
      if (!intact(b))
        return op.name + " overwrites " + problem.buffers[b].name +
               ", which it uses";
  }
  for (size_t b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].output && !intact(static_cast<int32_t>(b)))
      return "output " + problem.buffers[b].name + " was overwritten";
  return {};
}

int64_t test::loadOf(const Problem &problem,
                     const std::vector<int32_t> &order) {
  Problem moved = problem;
  for (size_t i = 0; i < order.size(); ++i)
    moved.operations[i] = problem.operations[order[i]];
  live(moved);
  int64_t sum = 0;
  for (size_t space = 0; space < problem.spaces.size(); ++space) {
    int64_t most = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(order.size()); ++t) {
      std::map<int64_t, int64_t> load;
      for (size_t b = 0; b < moved.buffers.size(); ++b) {
        const Buffer &buffer = moved.buffers[b];
        if (buffer.space != static_cast<int32_t>(space) ||
            t < buffer.live[0].lower || t >= buffer.live[0].upper)
          continue;
        int64_t &bytes =
            load[buffer.aliasClass >= 0 ? -1 - int64_t(buffer.aliasClass)
                                        : static_cast<int64_t>(b)];
        bytes = std::max(bytes, buffer.size);
      }
      int64_t total = 0;
      for (auto [name, bytes] : load)
        total += bytes;
      most = std::max(most, total);
    }
    sum += most;
  }
  return sum;
}
