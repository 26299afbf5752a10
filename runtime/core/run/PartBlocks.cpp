//===- core/run/PartBlocks.cpp - what a part has sums of ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PartBlocks.h"

#include <algorithm>
#include <bit>

namespace tamrt {

PartBlocks::PartBlocks(const PartedRows &rows, size_t part) : rows(&rows) {
  const size_t groups = rows.parts.size();
  indices.assign(groups, kNone);
  firsts.reserve(groups + 1);
  uint32_t count = 0;
  for (size_t g = 0; g < groups; ++g) {
    firsts.push_back(count);
    for (const GroupPart &each : rows.parts[g])
      if (each.part == part)
        indices[g] = uint32_t(&each - rows.parts[g].data());
    forEachOf(g, [&](const PartBlock &) { ++count; });
  }
  firsts.push_back(count);
}

void PartBlocks::forEachOf(
    size_t group, FunctionRef<void(const PartBlock &block)> body) const {
  const GroupPart *own = find(group);
  if (!own)
    return;
  auto leaf = uint64_t(firstLeafOf(*rows, group, *own));
  if (rows->parts[group].size() == 1 || !rows->areSegments[group]) {
    body({{group, 0, int64_t(leaf)}, 0, own->rows});
    return;
  }
  constexpr auto kSegment = size_t(TAMRT_SEGMENT_ROWS);
  for (size_t first = 0; first < own->rows;) {
    const size_t left = (own->rows - first - 1) / kSegment + 1;
    int level = int(std::bit_width(left)) - 1;
    if (leaf > 0)
      level = std::min(level, std::countr_zero(leaf));
    const size_t count =
        std::min((size_t(1) << level) * kSegment, own->rows - first);
    body({{group, level, int64_t(leaf >> level)}, first, count});
    first += count;
    leaf += uint64_t(1) << level;
  }
}

size_t PartBlocks::groupOf(size_t block) const {
  // Groups without blocks begin where the next one does.
  return size_t(std::upper_bound(firsts.begin(), firsts.end(), block) -
                firsts.begin()) -
         1;
}

PartBlock PartBlocks::operator[](size_t block) const {
  const size_t group = groupOf(block);
  size_t at = firsts[group];
  PartBlock found = {};
  forEachOf(group, [&](const PartBlock &each) {
    if (at++ == block)
      found = each;
  });
  return found;
}

size_t PartBlocks::placeOf(size_t block) const {
  const size_t group = groupOf(block);
  if (firsts[group + 1] == firsts[group] + 1)
    return block;
  const SumsNode node = (*this)[block].node;
  size_t place = firsts[group];
  forEachOf(group, [&](const PartBlock &each) { place += each.node < node; });
  return place;
}

std::vector<SumsNode> PartBlocks::nodes() const {
  std::vector<SumsNode> nodes;
  nodes.reserve(size());
  for (size_t group = 0; group + 1 < firsts.size(); ++group) {
    forEachOf(group,
              [&](const PartBlock &block) { nodes.push_back(block.node); });
    std::sort(nodes.begin() + ptrdiff_t(firsts[group]), nodes.end());
  }
  return nodes;
}

} // namespace tamrt
