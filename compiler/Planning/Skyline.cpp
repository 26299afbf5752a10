//===- Planning/Skyline.cpp - strip packing with fixed times --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Skyline.h"

#include "Arithmetic.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace tamc::planning;

static constexpr int32_t none = INT32_MAX;

SkylineDecoder::SkylineDecoder(const Instance &instance)
    : instance(instance), parts(instance) {
  order.resize(instance.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return parts.lower[a] < parts.lower[b];
  });
  firstOf.assign(parts.count + 1, 0);
  for (int32_t item : order)
    ++firstOf[parts.lower[item] + 1];
  for (int32_t section = 0; section < parts.count; ++section)
    firstOf[section + 1] += firstOf[section];
  while (leaves < instance.size())
    leaves *= 2;
  base.assign(2 * leaves, none);
  for (size_t i = 0; i < order.size(); ++i)
    base[leaves + i] = parts.upper[order[i]];
  for (size_t node = leaves - 1; node > 0; --node)
    base[node] = std::min(base[2 * node], base[2 * node + 1]);
}

int32_t SkylineDecoder::find(int32_t begin, int32_t end) const {
  size_t first = firstOf[begin], last = firstOf[end];
  int32_t best = none;
  int32_t found = -1;
  // Depth first with the better half first, so that most of the rest is cut.
  std::array<std::pair<uint32_t, uint32_t>, 128> stack;
  size_t depth = 0;
  stack[depth++] = {1, static_cast<uint32_t>(leaves)};
  while (depth > 0) {
    auto [node, width] = stack[--depth];
    size_t from = size_t(node) * width - leaves;
    if (from >= last || from + width <= first || minUpper[node] > end ||
        minRank[node] >= best)
      continue;
    if (width == 1) {
      best = minRank[node];
      found = static_cast<int32_t>(from);
      continue;
    }
    uint32_t a = 2 * node, b = 2 * node + 1;
    if (minRank[a] < minRank[b])
      std::swap(a, b);
    stack[depth++] = {a, width / 2};
    stack[depth++] = {b, width / 2};
  }
  return found;
}

void SkylineDecoder::remove(int32_t position) {
  size_t node = leaves + position;
  minUpper[node] = minRank[node] = none;
  for (node /= 2; node > 0; node /= 2) {
    minUpper[node] = std::min(minUpper[2 * node], minUpper[2 * node + 1]);
    minRank[node] = std::min(minRank[2 * node], minRank[2 * node + 1]);
  }
}

int32_t SkylineDecoder::addSegment(int32_t begin, int32_t end, int64_t height,
                                   int32_t left, int32_t right) {
  auto index = static_cast<int32_t>(segments.size());
  segments.push_back({begin, end, height, left, right, true});
  if (left >= 0)
    segments[left].right = index;
  if (right >= 0)
    segments[right].left = index;
  return index;
}

void SkylineDecoder::settleSegment(int32_t index) {
  Segment &segment = segments[index];
  if (int32_t left = segment.left;
      left >= 0 && segments[left].height == segment.height) {
    segments[left].alive = false;
    segment.begin = segments[left].begin;
    segment.left = segments[left].left;
    if (segment.left >= 0)
      segments[segment.left].right = index;
  }
  if (int32_t right = segment.right;
      right >= 0 && segments[right].height == segment.height) {
    segments[right].alive = false;
    segment.end = segments[right].end;
    segment.right = segments[right].right;
    if (segment.right >= 0)
      segments[segment.right].left = index;
  }
  heap.push_back({segment.height, segment.begin, index});
  std::push_heap(heap.begin(), heap.end());
}

int64_t SkylineDecoder::decode(std::span<const int32_t> rank, int64_t limit,
                               std::vector<int64_t> &offsets) {
  offsets.resize(instance.size());
  if (instance.size() == 0)
    return 0;
  minUpper = base;
  minRank.assign(2 * leaves, none);
  for (size_t i = 0; i < order.size(); ++i)
    minRank[leaves + i] = rank[order[i]];
  for (size_t node = leaves - 1; node > 0; --node)
    minRank[node] = std::min(minRank[2 * node], minRank[2 * node + 1]);
  segments.clear();
  heap.clear();
  settleSegment(addSegment(0, parts.count, 0, -1, -1));
  int64_t peak = 0;
  size_t placed = 0;
  while (placed < instance.size()) {
    std::pop_heap(heap.begin(), heap.end());
    Entry entry = heap.back();
    heap.pop_back();
    int32_t index = entry.segment;
    Segment segment = segments[index];
    // Joined or raised since it was queued.
    if (!segment.alive || segment.height != entry.height ||
        segment.begin != entry.begin)
      continue;
    int32_t position = find(segment.begin, segment.end);
    if (position < 0) {
      int64_t height = infinite;
      if (segment.left >= 0)
        height = std::min(height, segments[segment.left].height);
      if (segment.right >= 0)
        height = std::min(height, segments[segment.right].height);
      segments[index].height = height;
      settleSegment(index);
      continue;
    }
    int32_t item = order[position];
    remove(position);
    ++placed;
    int64_t at = alignUp(segment.height, instance.items[item].alignment);
    int64_t top = saturatingAdd(at, instance.items[item].size);
    if (top > limit || top == infinite)
      return infinite;
    peak = std::max(peak, top);
    offsets[item] = at;
    int32_t begin = parts.lower[item], end = parts.upper[item];
    segments[index].alive = false;
    int32_t middle = addSegment(begin, end, top, segment.left, segment.right);
    int32_t left = -1, right = -1;
    if (segment.begin < begin)
      left = addSegment(segment.begin, begin, segment.height, segment.left,
                        middle);
    if (end < segment.end)
      right =
          addSegment(end, segment.end, segment.height, middle, segment.right);
    if (left >= 0)
      settleSegment(left);
    if (right >= 0)
      settleSegment(right);
    settleSegment(middle);
  }
  return peak;
}

namespace {

/// Largest load in any section of each item's life.
std::vector<double> loadsMet(const Instance &instance,
                             const Sections &sections) {
  std::vector<double> change(sections.count + 1, 0);
  for (size_t i = 0; i < instance.size(); ++i) {
    change[sections.lower[i]] += static_cast<double>(instance.items[i].size);
    change[sections.upper[i]] -= static_cast<double>(instance.items[i].size);
  }
  // A tree of maxima over the sections.
  size_t leaves = 1;
  while (leaves < static_cast<size_t>(sections.count))
    leaves *= 2;
  std::vector<double> most(2 * leaves, 0);
  double load = 0;
  for (int32_t section = 0; section < sections.count; ++section)
    most[leaves + section] = load += change[section];
  for (size_t node = leaves - 1; node > 0; --node)
    most[node] = std::max(most[2 * node], most[2 * node + 1]);
  std::vector<double> met(instance.size(), 0);
  for (size_t i = 0; i < instance.size(); ++i)
    for (size_t a = leaves + sections.lower[i], b = leaves + sections.upper[i];
         a < b; a /= 2, b /= 2) {
      if (a & 1)
        met[i] = std::max(met[i], most[a++]);
      if (b & 1)
        met[i] = std::max(met[i], most[--b]);
    }
  return met;
}

} // namespace

std::vector<std::vector<int32_t>>
tamc::planning::priorities(const Instance &instance, const Sections &sections) {
  size_t count = instance.size();
  std::vector<double> total = loadsMet(instance, sections);
  std::vector<double> width(count), area(count), size(count);
  for (size_t i = 0; i < count; ++i) {
    width[i] = static_cast<double>(instance.life(instance.items[i]));
    size[i] = static_cast<double>(instance.items[i].size);
    area[i] = width[i] * size[i];
  }
  using Keys = std::array<const std::vector<double> *, 3>;
  const Keys all[] = {{&width, &area, &total}, {&total, &area, &width},
                      {&total, &width, &area}, {&area, &width, &total},
                      {&size, &width, &total}, {&width, &size, &total}};
  std::vector<std::vector<int32_t>> ranks;
  std::vector<int32_t> order(count);
  for (const Keys &keys : all) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      for (const std::vector<double> *key : keys)
        if ((*key)[a] != (*key)[b])
          return (*key)[a] > (*key)[b];
      return a < b;
    });
    std::vector<int32_t> rank(count);
    for (size_t i = 0; i < count; ++i)
      rank[order[i]] = static_cast<int32_t>(i);
    ranks.push_back(std::move(rank));
  }
  return ranks;
}
