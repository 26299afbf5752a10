//===- memory/AddressTable.h - chunks by address ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_ADDRESSTABLE_H
#define TAMRT_MEMORY_ADDRESSTABLE_H

#include "memory/ChunkTable.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

namespace tamrt {

/// A hash table from addresses to numbers, with linear probing in an array that
/// is at most half full. O(1) expected.
class AddressTable {
public:
  /// Reserves room for one more; false if there is no memory.
  bool reserve() noexcept { return 2 * (count + 1) <= slots.size() || grow(); }

  /// Adds an address that is neither null nor in the table. reserve() must have
  /// been called.
  void insert(uintptr_t address, uint32_t value) noexcept {
    size_t at = home(address);
    while (slots[at].address != 0)
      at = next(at);
    slots[at] = {address, value};
    ++count;
  }

  /// noChunk if the address is not in the table.
  uint32_t find(uintptr_t address) const noexcept {
    if (count == 0)
      return noChunk;
    size_t at = slotOf(address);
    return slots[at].address == address ? slots[at].value : noChunk;
  }

  /// Removes an address; returns what find() would return.
  uint32_t take(uintptr_t address) noexcept {
    if (count == 0)
      return noChunk;
    size_t at = slotOf(address);
    if (slots[at].address != address || address == 0)
      return noChunk;
    uint32_t value = slots[at].value;
    --count;
    // Move later entries up if possible, so that probing finds no hole.
    for (size_t later = next(at); slots[later].address != 0;
         later = next(later)) {
      size_t wanted = home(slots[later].address);
      if (((later - wanted) & mask()) < ((later - at) & mask()))
        continue;
      slots[at] = slots[later];
      at = later;
    }
    slots[at] = {};
    return value;
  }

private:
  struct Slot {
    uintptr_t address = 0;
    uint32_t value = noChunk;
  };

  size_t mask() const { return slots.size() - 1; }
  size_t next(size_t at) const { return (at + 1) & mask(); }
  /// The high bits of the product depend on all bits of the address.
  size_t home(uintptr_t address) const {
    return static_cast<size_t>(uint64_t(address) * 0x9E3779B97F4A7C15u >>
                               shift);
  }
  /// The slot of the address, or the empty slot for it.
  size_t slotOf(uintptr_t address) const {
    size_t at = home(address);
    while (slots[at].address != address && slots[at].address != 0)
      at = next(at);
    return at;
  }
  bool grow() noexcept {
    constexpr size_t least = 16;
    std::vector<Slot> larger;
    try {
      larger.resize(slots.empty() ? least : 2 * slots.size());
    } catch (const std::exception &) {
      return false;
    }
    larger.swap(slots);
    shift = 64 - static_cast<unsigned>(std::countr_zero(slots.size()));
    count = 0;
    for (const Slot &slot : larger)
      if (slot.address != 0)
        insert(slot.address, slot.value);
    return true;
  }

  /// Their number is a power of two.
  std::vector<Slot> slots;
  size_t count = 0;
  unsigned shift = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_ADDRESSTABLE_H
