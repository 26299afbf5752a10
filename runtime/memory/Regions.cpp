//===- memory/Regions.cpp - regions for snapshots -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Regions.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace tamrt;

static MemoryBlock blockOf(const Chunk &chunk) {
  MemoryBlock block;
  block.address = chunk.address;
  block.bytes = chunk.bytes;
  if (chunk.state == Chunk::State::Free)
    return block;
  block.state = chunk.state == Chunk::State::Used ? MemoryBlock::State::Used
                                                  : MemoryBlock::State::Waiting;
  block.requested = chunk.requested;
  block.born = chunk.born;
  block.tag = chunk.tag;
  return block;
}

std::vector<MemoryRegion> tamrt::regionsOf(const ChunkTable &chunks,
                                           std::vector<uint32_t> *firsts) {
  std::vector<uint32_t> heads;
  for (uint32_t i = 0; i < chunks.records().size(); ++i)
    if (chunks[i].state != Chunk::State::Unused && chunks[i].before == noChunk)
      heads.push_back(i);
  std::sort(heads.begin(), heads.end(), [&](uint32_t a, uint32_t b) {
    return chunks[a].address < chunks[b].address;
  });
  std::vector<MemoryRegion> regions;
  for (uint32_t head : heads) {
    MemoryRegion &region = regions.emplace_back();
    region.address = chunks[head].address;
    for (uint32_t at = head; at != noChunk; at = chunks[at].after) {
      region.blocks.push_back(blockOf(chunks[at]));
      region.bytes += chunks[at].bytes;
    }
  }
  if (firsts)
    *firsts = std::move(heads);
  return regions;
}

std::vector<BinStatistics> tamrt::binsOf(const ChunkTable &chunks) {
  std::array<BinStatistics, 64> bins{};
  for (const Chunk &chunk : chunks.records()) {
    if (chunk.state == Chunk::State::Unused)
      continue;
    BinStatistics &bin = bins[std::bit_width(chunk.bytes) - 1];
    const bool isFree = chunk.state == Chunk::State::Free;
    ++(isFree ? bin.freeBlocks : bin.usedBlocks);
    (isFree ? bin.freeBytes : bin.usedBytes) += chunk.bytes;
  }
  std::vector<BinStatistics> result;
  for (size_t i = 0; i < bins.size(); ++i) {
    bins[i].least = size_t(1) << i;
    if (bins[i].usedBlocks + bins[i].freeBlocks > 0)
      result.push_back(bins[i]);
  }
  return result;
}
