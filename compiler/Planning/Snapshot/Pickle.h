//===- Planning/Pickle.h - reader of Python's pickles -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads pickles of the protocols 2 to 5 that consist of None, bools, numbers,
/// strings, bytes, lists, tuples and dictionaries. It executes nothing: an
/// opcode that names or calls anything is an error.
///
/// A list or dictionary is complete when it becomes part of another value; from
/// then on it does not change. Complete values are packed, and equal ones are
/// stored once. A dictionary with a member "action" is an event: it is handed
/// to a function when it is appended to a list and not stored, so that memory
/// does not grow with the number of events.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SNAPSHOT_PICKLE_H
#define TAMC_PLANNING_SNAPSHOT_PICKLE_H

#include "tamc/Planning/TorchSnapshot.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tamc::planning {

/// A value of a pickle: its kind, and a number whose meaning depends on it.
struct PickleValue {
  enum Kind : uint8_t {
    None,
    False,
    True,
    /// The number itself, 60 bits.
    Integer,
    /// Indices into the table of strings: little-endian two's complement; the
    /// bytes of a double; UTF-8, in which surrogates may appear; bytes.
    LongInteger,
    Float,
    String,
    Bytes,
    /// Positions of packed values.
    List,
    Tuple,
    Dictionary,
    /// A list of events; its number.
    Events,
    /// Inside the reader: a list or dictionary that is not complete.
    Open,
  };
  Kind kind = None;
  int64_t number = 0;
  friend bool operator==(const PickleValue &, const PickleValue &) = default;
};

/// The values that a pickle consists of.
class PickleStore {
public:
  const std::string &text(PickleValue value) const {
    return strings[static_cast<size_t>(value.number)];
  }
  /// Number of elements of a list, tuple or dictionary.
  size_t count(PickleValue value) const;
  /// Calls each(element) for the elements of a list or tuple.
  template <typename Function>
  void forElements(PickleValue value, Function each) const;
  /// Calls each(key, member) for the members of a dictionary.
  template <typename Function>
  void forMembers(PickleValue value, Function each) const;
  /// The member of a dictionary; nothing if it has none, or if the value is no
  /// dictionary.
  std::optional<PickleValue> member(PickleValue value,
                                    std::string_view key) const;
  /// An integer of 64 bits, or nothing.
  std::optional<int64_t> integer(PickleValue value) const;
  /// The value as JSON. What JSON does not have is an object with one member:
  /// {"!tuple": [..]}, {"!bytes": "0a0b"}, {"!dict": [[key, value], ..]} for
  /// keys that are not strings or begin with "!". Nothing if it is longer than
  /// `most` bytes.
  std::optional<std::string> toJson(PickleValue value, size_t most) const;

private:
  friend class PickleReader;
  struct Shape {
    std::vector<PickleValue> keys;
    bool isEvent = false;
    /// Distinct values have an "addr"; looking for equal ones is no use.
    bool isDistinct = false;
  };
  struct Packed {
    size_t position, size;
    PickleValue::Kind kind;
  };

  uint64_t word(size_t &at) const {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      uint8_t byte = arena[at++];
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return value;
    }
  }
  PickleValue unpack(size_t &at) const {
    uint64_t code = word(at);
    auto kind = static_cast<PickleValue::Kind>(code & 15);
    code >>= 4;
    auto number =
        kind == PickleValue::Integer
            ? static_cast<int64_t>(code >> 1) ^ -static_cast<int64_t>(code & 1)
            : static_cast<int64_t>(code);
    return {kind, number};
  }
  bool append(PickleValue value, size_t most, std::string &out) const;

  std::deque<std::string> strings;
  std::deque<Shape> shapes;
  /// A packed value: its levels of nesting, then the number of elements, or of
  /// the shape of a dictionary, then the elements.
  std::vector<uint8_t> arena;
};

template <typename Function>
void PickleStore::forElements(PickleValue value, Function each) const {
  auto at = static_cast<size_t>(value.number);
  word(at);
  for (uint64_t left = word(at); left > 0; --left)
    each(unpack(at));
}

template <typename Function>
void PickleStore::forMembers(PickleValue value, Function each) const {
  auto at = static_cast<size_t>(value.number);
  word(at);
  for (PickleValue key : shapes[word(at)].keys)
    each(key, unpack(at));
}

/// An error of a pickle; thrown, and caught by readTorchSnapshot().
struct PickleError {
  uint64_t offset;
  std::string message;
};

class PickleReader {
public:
  /// Called for each event with the number of its list. It throws PickleError
  /// for one that is not valid; the offset is that of the current opcode.
  using OnEvent = std::function<void(int64_t list, PickleValue event)>;

  /// `memory`: most bytes of the values, without the buffer of the input.
  PickleReader(ByteSource &source, size_t memory, OnEvent onEvent);

  /// Reads the whole pickle, which must end where the input ends. Throws
  /// PickleError.
  PickleValue read();
  const PickleStore &store() const { return values; }
  /// Offset of the opcode that is being read.
  uint64_t offset() const { return opcodeAt; }
  [[noreturn]] void fail(std::string message) const {
    throw PickleError{opcodeAt, std::move(message)};
  }

private:
  struct Container {
    PickleValue::Kind kind = PickleValue::List;
    std::vector<PickleValue> items;
    /// Entries of the memo that are this container.
    std::vector<size_t> memo;
    /// Number of the list of events that this is; -1 if none.
    int64_t events = -1;
    /// Index into the stack.
    size_t place = 0;
  };

  bool fill();
  uint8_t byte() {
    if (begin == end && !fill())
      fail("expected more bytes, got the end of the file");
    return buffer[begin++];
  }
  uint64_t number(int bytes);
  std::string_view bytes(uint64_t count);

  void push(PickleValue value);
  PickleValue pop();
  /// The values above the last mark, which goes, too.
  std::vector<PickleValue> &popMarked();
  Container &top(PickleValue::Kind kind, const char *what);
  void pushOpen(PickleValue::Kind kind);
  PickleValue intern(PickleValue::Kind kind, std::string_view text);
  PickleValue longInteger(std::string_view text);
  PickleValue complete(PickleValue value);
  PickleValue pack(PickleValue::Kind kind,
                   const std::vector<PickleValue> &items);
  uint64_t shapeOf(const std::vector<PickleValue> &items);
  uint32_t keep(PickleValue value);
  void addItem(Container &list, PickleValue item);
  void addItems(const std::vector<PickleValue> &items);
  void addTo(Container &container, PickleValue item);
  void addMembers(const std::vector<PickleValue> &items);
  void put(size_t index);
  void get(size_t index);
  bool step();
  void account(size_t bytes);

  ByteSource &source;
  size_t memory, used = 0;
  OnEvent onEvent;
  std::vector<uint8_t> buffer;
  size_t begin = 0, end = 0;
  /// Offset of the buffer's begin, of the opcode, and of the frame's end.
  uint64_t ended = 0, opcodeAt = 0, frameEnd = 0;

  PickleStore values;
  std::vector<PickleValue> stack, marked;
  std::vector<size_t> marks;
  std::vector<Container> containers;
  std::vector<size_t> freeContainers;
  /// Index into `kept`, or one of the constants below.
  std::vector<uint32_t> memo;
  std::vector<PickleValue> kept;
  std::unordered_map<uint64_t, uint32_t> keptIndex;
  std::unordered_map<std::string_view, int64_t> stringIndex[4];
  std::unordered_map<uint64_t, PickleStore::Packed> packed;
  std::unordered_map<uint64_t, std::vector<uint64_t>> shapeIndex;
  uint64_t lastShape = 0;
  int64_t eventLists = 0;
  size_t storedEvents = 0;
  PickleValue action, address;
  std::string longText;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_SNAPSHOT_PICKLE_H
