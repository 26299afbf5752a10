//===- io/TextIndex.h - numbers for distinct texts --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assigns indices to distinct texts in the order of their first appearance.
/// Fast for the short texts of a table's groups and levels.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_TEXTINDEX_H
#define TAMRT_IO_TEXTINDEX_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A hash table with open addressing that owns its texts. Not for texts from an
/// attacker: its hash is fast, not secret, and lookups of n texts with the same
/// hash take O(n) each.
class TextIndex {
public:
  TextIndex() : slots(kMinSlots) {}

  size_t size() const { return texts.size(); }
  /// Text number `id`, as long as the index lives.
  std::string_view operator[](uint32_t id) const { return texts[id]; }

  /// The index of `text`; the next index if it is new. O(length).
  uint32_t add(std::string_view text) {
    const Key key = keyOf(text);
    Slot *slot = find(text, key);
    if (slot->next != 0)
      return slot->next - 1;
    texts.emplace_back(text);
    *slot = {key.word, key.size, uint32_t(texts.size())};
    const auto id = uint32_t(texts.size() - 1);
    if (texts.size() > slots.size() / 2)
      grow();
    return id;
  }

  void clear() {
    texts.clear();
    slots.assign(kMinSlots, {});
  }

private:
  static constexpr size_t kMinSlots = 256;

  /// The bytes of a text of at most eight bytes, else a hash: short texts are
  /// compared without reading the stored text.
  struct Key {
    uint64_t word;
    uint32_t size;
  };

  /// `next` is the text's index plus 1; 0 if the slot is free. A size beyond 32
  /// bits is truncated: the texts are compared.
  struct Slot {
    uint64_t word = 0;
    uint32_t size = 0, next = 0;
  };

  static uint64_t mix(uint64_t value) {
    value *= 0x9E3779B97F4A7C15;
    return value ^ value >> 32;
  }

  static Key keyOf(std::string_view text) {
    uint64_t hash = 0;
    size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
      uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      hash = i == 0 ? word : mix(hash ^ word);
    }
    uint64_t last = 0;
    for (size_t shift = 0; i < text.size(); ++i, shift += 8)
      last |= uint64_t(uint8_t(text[i])) << shift;
    if (text.size() < 8)
      return {last, uint32_t(text.size())};
    return {text.size() > 8 ? mix(hash ^ last) : hash, uint32_t(text.size())};
  }

  Slot *find(std::string_view text, Key key) {
    size_t at = mix(key.word ^ key.size) & (slots.size() - 1);
    while (slots[at].next != 0 &&
           (slots[at].word != key.word || slots[at].size != key.size ||
            (text.size() > 8 && texts[slots[at].next - 1] != text)))
      at = (at + 1) & (slots.size() - 1);
    return &slots[at];
  }

  void grow() {
    slots.assign(2 * slots.size(), {});
    for (size_t i = 0; i < texts.size(); ++i) {
      const Key key = keyOf(texts[i]);
      *find(texts[i], key) = {key.word, key.size, uint32_t(i + 1)};
    }
  }

  /// A deque, because the addresses of texts must not change.
  std::deque<std::string> texts;
  std::vector<Slot> slots;
};

} // namespace tamrt

#endif // TAMRT_IO_TEXTINDEX_H
