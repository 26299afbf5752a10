//===- memory/FreeBins.cpp - free chunks, ordered by size -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/FreeBins.h"

using namespace tamrt;

/// A hash over all bits, so that neighbouring indices have unrelated
/// priorities.
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
  // The nodes below go to one side or the other.
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
  mark(bin);
}

void FreeBins::remove(ChunkTable &chunks, uint32_t chunk) {
  const Chunk &gone = chunks[chunk];
  const unsigned bin = binOf(gone.bytes);
  uint32_t *link = &roots[bin];
  while (*link != chunk) {
    Chunk &node = chunks[*link];
    link = isLess(node, gone.bytes, gone.address) ? &node.right : &node.left;
  }
  take(chunks, {chunk, bin, link});
}

void FreeBins::take(ChunkTable &chunks, const Found &found) {
  uint32_t *link = found.link;
  uint32_t left = chunks[found.chunk].left, right = chunks[found.chunk].right;
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
  if (roots[found.bin] == noChunk)
    unmark(found.bin);
}

unsigned FreeBins::nextFilled(unsigned bin) const {
  if (bin >= count)
    return count;
  unsigned word = bin / 64;
  if (uint64_t rest = filled[word] >> bin % 64; rest != 0)
    return bin + static_cast<unsigned>(std::countr_zero(rest));
  const uint32_t above = words >> (word + 1);
  if (above == 0)
    return count;
  word += 1 + static_cast<unsigned>(std::countr_zero(above));
  return word * 64 + static_cast<unsigned>(std::countr_zero(filled[word]));
}

FreeBins::Found FreeBins::find(ChunkTable &chunks, size_t bytes,
                               uintptr_t address) {
  const unsigned bin = binOf(bytes);
  Found found;
  for (uint32_t *link = &roots[bin]; *link != noChunk;) {
    Chunk &node = chunks[*link];
    if (isLess(node, bytes, address)) {
      link = &node.right;
    } else {
      found = {*link, bin, link};
      link = &node.left;
    }
  }
  if (found)
    return found;
  // All chunks in a higher bin are larger.
  found.bin = nextFilled(bin + 1);
  if (found.bin == count)
    return found;
  found.link = &roots[found.bin];
  found.chunk = *found.link;
  while (chunks[found.chunk].left != noChunk) {
    found.link = &chunks[found.chunk].left;
    found.chunk = *found.link;
  }
  return found;
}

uint32_t FreeBins::largest(const ChunkTable &chunks) const {
  if (words == 0)
    return noChunk;
  const auto word = static_cast<unsigned>(std::bit_width(words)) - 1;
  const unsigned bin =
      word * 64 + static_cast<unsigned>(std::bit_width(filled[word])) - 1;
  uint32_t at = roots[bin];
  while (chunks[at].right != noChunk)
    at = chunks[at].right;
  return at;
}
