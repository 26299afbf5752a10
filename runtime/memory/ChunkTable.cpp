//===- memory/ChunkTable.cpp - records of blocks, out of band -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/ChunkTable.h"

#include <algorithm>
#include <exception>

using namespace tamrt;

bool ChunkTable::reserve(size_t more) noexcept {
  if (unused >= more || chunks.capacity() - chunks.size() >= more - unused)
    return true;
  try {
    chunks.reserve(std::max(chunks.size() + more, 2 * chunks.size()));
  } catch (const std::exception &) {
    return false;
  }
  return true;
}

uint32_t ChunkTable::add(uintptr_t address, size_t bytes) noexcept {
  uint32_t chunk = firstUnused;
  if (chunk == noChunk) {
    chunk = static_cast<uint32_t>(chunks.size());
    chunks.emplace_back();
  } else {
    firstUnused = chunks[chunk].after;
    --unused;
    chunks[chunk] = Chunk();
  }
  chunks[chunk].address = address;
  chunks[chunk].bytes = bytes;
  return chunk;
}

void ChunkTable::remove(uint32_t chunk) noexcept {
  chunks[chunk].state = Chunk::State::Unused;
  chunks[chunk].after = firstUnused;
  firstUnused = chunk;
  ++unused;
}

uint32_t ChunkTable::split(uint32_t chunk, size_t bytes) noexcept {
  uint32_t rest =
      add(chunks[chunk].address + bytes, chunks[chunk].bytes - bytes);
  Chunk &first = chunks[chunk], &second = chunks[rest];
  second.pool = first.pool;
  second.before = chunk;
  second.after = first.after;
  if (first.after != noChunk)
    chunks[first.after].before = rest;
  first.after = rest;
  first.bytes = bytes;
  return rest;
}

void ChunkTable::join(uint32_t chunk) noexcept {
  Chunk &first = chunks[chunk];
  uint32_t gone = first.after;
  first.bytes += chunks[gone].bytes;
  first.after = chunks[gone].after;
  if (first.after != noChunk)
    chunks[first.after].before = chunk;
  remove(gone);
}
