//===- memory/FreeBins.cpp - free chunks, ordered by size -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/FreeBins.h"

using namespace tamrt;

/// Spreads over all bits, so that neighbours are no more alike than others.
static uint32_t priorityOf(uint32_t chunk) {
  uint32_t hash = chunk * 0x9E3779B1u;
  hash ^= hash >> 16;
  return hash * 0x85EBCA6Bu;
}

static bool isLess(const Chunk &a, size_t bytes, uintptr_t address) {
  return a.bytes != bytes ? a.bytes < bytes : a.address < address;
}

void FreeBins::insert(ChunkTable &chunks, uint32_t chunk) {
  Chunk &added = chunks[chunk];
  const unsigned bin = binOf(added.bytes);
  const uint32_t priority = priorityOf(chunk);
  uint32_t *link = &roots[bin];
  uint32_t at = *link;
  while (at != noChunk && priorityOf(at) >= priority) {
    Chunk &node = chunks[at];
    link = isLess(node, added.bytes, added.address) ? &node.right : &node.left;
    at = *link;
  }
  // What is below goes to one side or the other.
  *link = chunk;
  uint32_t *left = &added.left, *right = &added.right;
  while (at != noChunk) {
    Chunk &node = chunks[at];
    if (isLess(node, added.bytes, added.address)) {
      *left = at;
      left = &node.right;
      at = node.right;
    } else {
      *right = at;
      right = &node.left;
      at = node.left;
    }
  }
  *left = *right = noChunk;
  filled |= uint64_t(1) << bin;
}

void FreeBins::remove(ChunkTable &chunks, uint32_t chunk) {
  const Chunk &gone = chunks[chunk];
  const unsigned bin = binOf(gone.bytes);
  uint32_t *link = &roots[bin];
  while (*link != chunk) {
    Chunk &node = chunks[*link];
    link = isLess(node, gone.bytes, gone.address) ? &node.right : &node.left;
  }
  uint32_t left = gone.left, right = gone.right;
  while (left != noChunk && right != noChunk) {
    if (priorityOf(left) >= priorityOf(right)) {
      *link = left;
      link = &chunks[left].right;
      left = *link;
    } else {
      *link = right;
      link = &chunks[right].left;
      right = *link;
    }
  }
  *link = left != noChunk ? left : right;
  if (roots[bin] == noChunk)
    filled &= ~(uint64_t(1) << bin);
}

uint32_t FreeBins::find(const ChunkTable &chunks, size_t bytes,
                        uintptr_t address) const {
  const unsigned bin = binOf(bytes);
  uint32_t found = noChunk;
  for (uint32_t at = roots[bin]; at != noChunk;) {
    const Chunk &node = chunks[at];
    if (isLess(node, bytes, address)) {
      at = node.right;
    } else {
      found = at;
      at = node.left;
    }
  }
  // A shift by all bits would be undefined.
  const uint64_t above = bin + 1 < count ? filled >> (bin + 1) : 0;
  if (found != noChunk || above == 0)
    return found;
  uint32_t at = roots[bin + 1 + static_cast<unsigned>(std::countr_zero(above))];
  while (chunks[at].left != noChunk)
    at = chunks[at].left;
  return at;
}

uint32_t FreeBins::largest(const ChunkTable &chunks) const {
  if (filled == 0)
    return noChunk;
  uint32_t at =
      roots[count - 1 - static_cast<unsigned>(std::countl_zero(filled))];
  while (chunks[at].right != noChunk)
    at = chunks[at].right;
  return at;
}
