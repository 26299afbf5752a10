//===- core/data/NumberIndex.h - texts that are the same number -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds texts by the numbers that they are.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_NUMBERINDEX_H
#define TAMRT_CORE_DATA_NUMBERINDEX_H

#include "io/Number.h"
#include "io/TextIndex.h"
#include "tamrt/decimal.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tamrt {

/// A hash table with open addressing over texts of an index, which has all of
/// their bytes. As TextIndex, not for numbers from an attacker.
class NumberIndex {
public:
  /// `texts` must outlive it.
  explicit NumberIndex(const TextIndex &texts) : texts(&texts) {}

  /// The text that was added and is this number.
  std::optional<uint32_t> find(const ExactNumber &number) const {
    if (slots.empty())
      return std::nullopt;
    const Slot &slot = slots[placeOf(number, hashOf(number))];
    return slot.next == 0 ? std::nullopt : std::optional(slot.next - 1);
  }

  /// Adds text number `id`, which is `number`; nothing if one that is the same
  /// number has been added.
  void add(const ExactNumber &number, uint32_t id) {
    if (2 * (count + 1) > slots.size())
      grow();
    const uint32_t hash = hashOf(number);
    Slot &slot = slots[placeOf(number, hash)];
    if (slot.next != 0)
      return;
    slot = {hash, id + 1};
    ++count;
  }

  void clear() {
    slots.clear();
    count = 0;
  }

private:
  static constexpr size_t kMinSlots = 256;

  /// `next` is the text's index plus 1; 0 if the slot is free.
  struct Slot {
    uint32_t hash = 0, next = 0;
  };

  static uint32_t hashOf(const ExactNumber &number) {
    // Adding zero makes -0 a plain 0.
    const auto bits = std::bit_cast<uint64_t>(number.nearest + 0.0);
    // The lower half of an integer's bits is 0.
    return uint32_t((bits ^ bits >> 32) * 0x9E3779B97F4A7C15 >> 32);
  }

  size_t placeOf(const ExactNumber &number, uint32_t hash) const {
    size_t at = hash & (slots.size() - 1);
    while (slots[at].next != 0 &&
           (slots[at].hash != hash ||
            *parseExactNumber((*texts)[slots[at].next - 1]) != number))
      at = (at + 1) & (slots.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots.empty() ? kMinSlots : 2 * slots.size());
    old.swap(slots);
    for (const Slot &slot : old) {
      if (slot.next == 0)
        continue;
      // No two are the same number.
      size_t at = slot.hash & (slots.size() - 1);
      while (slots[at].next != 0)
        at = (at + 1) & (slots.size() - 1);
      slots[at] = slot;
    }
  }

  const TextIndex *texts;
  std::vector<Slot> slots;
  size_t count = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_NUMBERINDEX_H
