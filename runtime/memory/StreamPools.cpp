//===- memory/StreamPools.cpp - free blocks by stream and kind ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/StreamPools.h"

#include <algorithm>
#include <exception>

using namespace tamrt;

uint32_t StreamPools::find(Stream stream, bool small) noexcept {
  if (last != noChunk && stream == lastStream)
    return last + small;
  auto known = indices.find(stream);
  if (known == indices.end()) {
    const size_t poolsBefore = pools.size();
    const size_t streamsBefore = statistics.size();
    try {
      statistics.emplace_back().stream = stream;
      for (bool isSmall : {false, true}) {
        Pool &pool = pools.emplace_back();
        pool.stream = static_cast<uint32_t>(streamsBefore);
        pool.small = isSmall;
      }
      known = indices.emplace(stream, static_cast<uint32_t>(poolsBefore)).first;
    } catch (const std::exception &) {
      pools.resize(poolsBefore);
      statistics.resize(streamsBefore);
      return noChunk;
    }
  }
  lastStream = stream;
  last = known->second;
  return last + small;
}

size_t StreamPools::largestFree(const ChunkTable &chunks) const {
  size_t most = 0;
  for (const Pool &pool : pools)
    if (uint32_t chunk = pool.bins.largest(chunks); chunk != noChunk)
      most = std::max(most, chunks[chunk].bytes);
  return most;
}
