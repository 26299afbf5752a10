//===- Planning/Skyline.cpp - strip packing with fixed times --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Skyline.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace tamc::planning;

static constexpr int32_t none = INT32_MAX;
/// Blocks that a search visits before it takes the best item found so far: all
/// of them if there are at most two thousand items.
static constexpr int maxBlocksOfFew = 128, maxBlocksOfMany = 24;
static constexpr size_t few = 16384;

SkylineDecoder::SkylineDecoder(const Instance &instance)
    : instance(instance), parts(instance) {
  firstOf.assign(parts.count + 1, 0);
  for (int32_t section : parts.lower)
    ++firstOf[section + 1];
  std::partial_sum(firstOf.begin(), firstOf.end(), firstOf.begin());
  order.resize(instance.size());
  std::vector<int32_t> next = firstOf;
  for (size_t i = 0; i < order.size(); ++i)
    order[next[parts.lower[i]]++] = static_cast<int32_t>(i);
  Block empty;
  empty.upper.fill(none);
  empty.rank.fill(none);
  for (size_t entries = instance.size(); entries > 0;
       entries = entries <= fan ? 0 : (entries + fan - 1) / fan)
    levels.emplace_back((entries + fan - 1) / fan, empty);
  for (size_t i = 0; i < order.size(); ++i)
    levels[0][i / fan].upper[i % fan] = parts.upper[order[i]];
  build(&Block::upper);
  unplaced = levels;
}

template <size_t count>
static int32_t minOf(const std::array<int32_t, count> &values) {
  int32_t least = none;
  for (int32_t value : values)
    least = std::min(least, value);
  return least;
}

void SkylineDecoder::build(std::array<int32_t, fan> Block::*values) {
  for (size_t level = 1; level < levels.size(); ++level)
    for (size_t i = 0; i < levels[level - 1].size(); ++i)
      (levels[level][i / fan].*values)[i % fan] =
          minOf(levels[level - 1][i].*values);
}

/// A bit for each entry that ends at or before `end` and has a rank below
/// `best`.
static uint32_t candidates(const std::array<int32_t, 16> &upper, int32_t end,
                           const std::array<int32_t, 16> &rank, int32_t best) {
#ifdef __SSE2__
  auto four = [&](size_t i) {
    auto load = [&](const auto &values) {
      return _mm_load_si128(
          reinterpret_cast<const __m128i *>(values.data() + i));
    };
    return _mm_andnot_si128(_mm_cmpgt_epi32(load(upper), _mm_set1_epi32(end)),
                            _mm_cmplt_epi32(load(rank), _mm_set1_epi32(best)));
  };
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(
      _mm_packs_epi32(four(0), four(4)), _mm_packs_epi32(four(8), four(12)))));
#else
  uint32_t bits = 0;
  for (size_t i = 0; i < 16; ++i)
    bits |= uint32_t((upper[i] <= end) & (rank[i] < best)) << i;
  return bits;
#endif
}

int32_t SkylineDecoder::find(int32_t begin, int32_t end) {
  if (firstOf[begin] == firstOf[end])
    return -1;
  // Positions of the range, in the units of each level.
  std::array<std::pair<int32_t, int32_t>, 9> range;
  size_t top = 0;
  range[0] = {firstOf[begin], firstOf[end] - 1};
  for (; range[top].first / fan != range[top].second / fan; ++top)
    range[top + 1] = {range[top].first / fan, range[top].second / fan};
  int32_t best = none, found = -1;
  int visited = 0;
  int maxBlocks = instance.size() <= few ? maxBlocksOfFew : maxBlocksOfMany;
  stack.assign(1, {static_cast<int32_t>(top), range[top].first / fan, 0});
  while (!stack.empty()) {
    auto [level, block, least] = stack.back();
    stack.pop_back();
    if (least >= best)
      continue;
    if (++visited > maxBlocks && found >= 0)
      break;
    const Block &here = levels[level][block];
    int32_t from = std::max(range[level].first - block * fan, 0);
    int32_t to = std::min(range[level].second - block * fan, fan - 1);
    uint32_t within = (2u << to) - (1u << from);
    size_t depth = stack.size();
    for (uint32_t rest = candidates(here.upper, end, here.rank, best) & within;
         rest != 0; rest &= rest - 1) {
      int32_t i = std::countr_zero(rest);
      if (level > 0) {
        stack.push_back({level - 1, block * fan + i, here.rank[i]});
      } else if (here.rank[i] < best) {
        best = here.rank[i];
        found = block * fan + i;
      }
    }
    // The best one is visited first, so that most of the others are pruned.
    std::sort(stack.begin() + static_cast<std::ptrdiff_t>(depth), stack.end(),
              [](const Visit &a, const Visit &b) { return a.rank > b.rank; });
  }
  return found;
}

void SkylineDecoder::remove(size_t position) {
  Block *block = &levels[0][position / fan];
  block->upper[position % fan] = block->rank[position % fan] = none;
  for (size_t level = 1; level < levels.size(); ++level) {
    int32_t upper = minOf(block->upper), rank = minOf(block->rank);
    position /= fan;
    block = &levels[level][position / fan];
    size_t at = position % fan;
    if (block->upper[at] == upper && block->rank[at] == rank)
      return;
    block->upper[at] = upper;
    block->rank[at] = rank;
  }
}

int32_t SkylineDecoder::addSegment(int32_t begin, int32_t end, int64_t height,
                                   int32_t left, int32_t right) {
  // Indices are reused: an old queue entry may find a new segment at its index.
  // Then it differs from the segment, or has the same effect as the segment's
  // own entry.
  int32_t index;
  if (gone.empty()) {
    index = static_cast<int32_t>(segments.size());
    segments.emplace_back();
  } else {
    index = gone.back();
    gone.pop_back();
  }
  segments[index] = {begin, end, height, left, right, true};
  if (left >= 0)
    segments[left].right = index;
  if (right >= 0)
    segments[right].left = index;
  return index;
}

void SkylineDecoder::drop(int32_t index) {
  segments[index].alive = false;
  gone.push_back(index);
}

void SkylineDecoder::mergeSegment(int32_t index) {
  Segment &segment = segments[index];
  // Joins the neighbour on one side if it has the same height.
  auto merge = [&](int32_t Segment::*end, int32_t Segment::*side,
                   int32_t Segment::*other) {
    int32_t next = segment.*side;
    if (next < 0 || segments[next].height != segment.height)
      return;
    drop(next);
    segment.*end = segments[next].*end;
    segment.*side = segments[next].*side;
    if (segment.*side >= 0)
      segments[segment.*side].*other = index;
  };
  merge(&Segment::begin, &Segment::left, &Segment::right);
  merge(&Segment::end, &Segment::right, &Segment::left);
  heap.push_back({segment.height, segment.begin, index});
  std::push_heap(heap.begin(), heap.end());
}

int64_t SkylineDecoder::decode(std::span<const int32_t> rank, int64_t limit,
                               std::vector<int64_t> &offsets,
                               const Deadline *deadline) {
  offsets.resize(instance.size());
  if (instance.size() == 0)
    return 0;
  levels = unplaced;
  for (size_t i = 0; i < order.size(); ++i)
    levels[0][i / fan].rank[i % fan] = rank[order[i]];
  build(&Block::rank);
  segments.clear();
  gone.clear();
  heap.clear();
  mergeSegment(addSegment(0, parts.count, 0, -1, -1));
  int64_t peak = 0;
  size_t placed = 0;
  while (placed < instance.size()) {
    std::pop_heap(heap.begin(), heap.end());
    Entry entry = heap.back();
    heap.pop_back();
    int32_t index = entry.segment;
    Segment segment = segments[index];
    // The segment was joined or raised since it was queued.
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
      mergeSegment(index);
      continue;
    }
    int32_t item = order[position];
    remove(position);
    if (++placed % 1024 == 0 && deadline && deadline->passed())
      return infinite;
    int64_t at = alignUp(segment.height, instance.items[item].alignment);
    int64_t top = saturatingAdd(at, instance.items[item].size);
    if (top > limit || top == infinite)
      return infinite;
    peak = std::max(peak, top);
    offsets[item] = at;
    int32_t begin = parts.lower[item], end = parts.upper[item];
    drop(index);
    int32_t middle = addSegment(begin, end, top, segment.left, segment.right);
    int32_t left = -1, right = -1;
    if (segment.begin < begin)
      left = addSegment(segment.begin, begin, segment.height, segment.left,
                        middle);
    if (end < segment.end)
      right =
          addSegment(end, segment.end, segment.height, middle, segment.right);
    if (left >= 0)
      mergeSegment(left);
    if (right >= 0)
      mergeSegment(right);
    mergeSegment(middle);
  }
  return peak;
}

namespace {

/// Largest load of the sections of each item's live range.
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

Priorities::Priorities(const Instance &instance, const Sections &sections)
    : width(instance.size()), area(instance.size()), size(instance.size()),
      total(loadsMet(instance, sections)) {
  for (size_t i = 0; i < instance.size(); ++i) {
    width[i] = static_cast<double>(instance.life(instance.items[i]));
    size[i] = static_cast<double>(instance.items[i].size);
    area[i] = width[i] * size[i];
  }
}

std::vector<int32_t> Priorities::ranks(size_t order) const {
  using Keys = std::array<const std::vector<double> *, 3>;
  const Keys all[count] = {{&width, &area, &total}, {&total, &area, &width},
                           {&total, &width, &area}, {&area, &width, &total},
                           {&size, &width, &total}, {&width, &size, &total}};
  const Keys &keys = all[order];
  struct Entry {
    double key;
    int32_t item;
  };
  std::vector<Entry> sorted(width.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = {(*keys[0])[i], static_cast<int32_t>(i)};
  std::sort(sorted.begin(), sorted.end(), [&](const Entry &a, const Entry &b) {
    if (a.key != b.key)
      return a.key > b.key;
    for (const std::vector<double> *key : {keys[1], keys[2]})
      if ((*key)[a.item] != (*key)[b.item])
        return (*key)[a.item] > (*key)[b.item];
    return a.item < b.item;
  });
  std::vector<int32_t> ranks(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    ranks[sorted[i].item] = static_cast<int32_t>(i);
  return ranks;
}
