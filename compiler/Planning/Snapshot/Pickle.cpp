//===- Planning/Snapshot/Pickle.cpp - reader of Python's pickles ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snapshot/Pickle.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tamc::planning;

namespace {

constexpr size_t bufferBytes = size_t(1) << 16;
constexpr size_t maxStack = size_t(1) << 20;
constexpr uint64_t maxLevels = 100;
constexpr size_t maxIntegerBytes = 1024;
/// The first events are stored all the same, so that a memo may refer to them.
constexpr size_t maxStoredEvents = 100000;

/// Entries of the memo.
constexpr uint32_t unset = 0, gone = 1, firstKept = 2;
constexpr uint32_t openEntry = uint32_t(1) << 31;

/// What a container that is used again may hold on to.
constexpr size_t maxIdleItems = 1024;

/// Python gives a value one entry of the memo.
constexpr size_t maxEntries = 100;

/// What a table entry takes beside its bytes, about.
constexpr size_t entryBytes = 96;

/// Opcodes with which a pickle names, makes or calls objects of classes.
const char *nameOfObjectOpcode(uint8_t opcode) {
  switch (opcode) {
  case 'c':
    return "GLOBAL";
  case 'R':
    return "REDUCE";
  case 'i':
    return "INST";
  case 'o':
    return "OBJ";
  case 'b':
    return "BUILD";
  case 'P':
    return "PERSID";
  case 'Q':
    return "BINPERSID";
  case 0x81:
    return "NEWOBJ";
  case 0x82:
  case 0x83:
  case 0x84:
    return "EXT";
  case 0x92:
    return "NEWOBJ_EX";
  case 0x93:
    return "STACK_GLOBAL";
  case 0x97:
    return "NEXT_BUFFER";
  case 0x98:
    return "READONLY_BUFFER";
  default:
    return nullptr;
  }
}

/// Opcodes followed by the length of a value and its bytes.
enum class Sized { Integer, Text, Bytes };
struct SizedOpcode {
  uint8_t opcode;
  Sized kind;
  /// Of the length.
  int bytes;
};
constexpr SizedOpcode sizedOpcodes[] = {
    {0x8a, Sized::Integer, 1}, {0x8b, Sized::Integer, 4},
    {0x8c, Sized::Text, 1},    {'X', Sized::Text, 4},
    {0x8d, Sized::Text, 8},    {'C', Sized::Bytes, 1},
    {'B', Sized::Bytes, 4},    {0x8e, Sized::Bytes, 8},
};

uint64_t hashOf(const void *data, size_t size) {
  return std::hash<std::string_view>()({static_cast<const char *>(data), size});
}

/// Whether a text is UTF-8, in which Python also writes surrogates.
bool isPythonText(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<uint8_t>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - i <= size_t(more))
      return false;
    uint32_t point = lead & (0x3F >> more);
    for (int k = 1; k <= more; ++k) {
      auto next = static_cast<uint8_t>(text[i + static_cast<size_t>(k)]);
      if ((next & 0xC0) != 0x80)
        return false;
      point = point << 6 | (next & 0x3F);
    }
    constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10FFFF)
      return false;
    i += static_cast<size_t>(more) + 1;
  }
  return true;
}

uint64_t codeOf(PickleValue value) {
  uint64_t number = value.kind == PickleValue::Integer
                        ? static_cast<uint64_t>(value.number) << 1 ^
                              static_cast<uint64_t>(value.number >> 63)
                        : static_cast<uint64_t>(value.number);
  return number << 4 | value.kind;
}

bool isPacked(PickleValue value) {
  return value.kind == PickleValue::List || value.kind == PickleValue::Tuple ||
         value.kind == PickleValue::Dictionary;
}

} // namespace

PickleReader::PickleReader(ByteSource &source, size_t memory, OnEvent onEvent)
    : source(source), memory(memory), onEvent(std::move(onEvent)),
      buffer(bufferBytes) {
  action = intern(PickleValue::String, "action");
  address = intern(PickleValue::String, "addr");
}

bool PickleReader::fill() {
  ended += end;
  begin = 0;
  end = source.read(reinterpret_cast<char *>(buffer.data()), buffer.size());
  if (std::string fault = source.fault(); !fault.empty())
    throw PickleError{ended + end, std::move(fault)};
  return end > 0;
}

uint64_t PickleReader::number(int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(byte()) << 8 * i;
  return value;
}

std::string_view PickleReader::bytes(uint64_t count) {
  if (count <= end - begin) {
    const auto *first = reinterpret_cast<const char *>(buffer.data()) + begin;
    begin += count;
    return {first, count};
  }
  if (count > memory)
    fail("expected at most " + std::to_string(memory) + " bytes, got " +
         std::to_string(count));
  longText.clear();
  while (longText.size() < count) {
    if (begin == end && !fill())
      fail("expected " + std::to_string(count) +
           " bytes, got the end of the "
           "file after " +
           std::to_string(longText.size()));
    size_t part = std::min<uint64_t>(end - begin, count - longText.size());
    longText.append(reinterpret_cast<const char *>(buffer.data()) + begin,
                    part);
    begin += part;
  }
  return longText;
}

void PickleReader::account(size_t bytes) {
  used += bytes;
  if (used > memory)
    fail("its values need more than " + std::to_string(memory) +
         " bytes of memory");
}

void PickleReader::push(PickleValue value) {
  if (stack.size() == maxStack)
    fail("expected at most " + std::to_string(maxStack) +
         " values that are part of no other one yet");
  stack.push_back(value);
}

PickleValue PickleReader::pop() {
  if (stack.size() <= (marks.empty() ? 0 : marks.back()))
    fail("expected a value before this opcode");
  PickleValue value = stack.back();
  stack.pop_back();
  return value;
}

std::vector<PickleValue> &PickleReader::popMarked() {
  if (marks.empty())
    fail("expected a mark before this opcode");
  marked.assign(stack.begin() + static_cast<ptrdiff_t>(marks.back()),
                stack.end());
  stack.resize(marks.back());
  marks.pop_back();
  return marked;
}

PickleReader::Container &PickleReader::top(PickleValue::Kind kind,
                                           const char *what) {
  if (stack.size() <= (marks.empty() ? 0 : marks.back()))
    fail(std::string("expected a ") + what + " before this opcode");
  PickleValue value = stack.back();
  if (value.kind == kind || value.kind == PickleValue::Events)
    fail(std::string("the ") + what +
         " changes after it was used: it is inside itself, or the file was "
         "not written by Python");
  if (value.kind != PickleValue::Open ||
      containers[static_cast<size_t>(value.number)].kind != kind)
    fail(std::string("expected a ") + what + " before this opcode");
  return containers[static_cast<size_t>(value.number)];
}

void PickleReader::pushOpen(PickleValue::Kind kind) {
  size_t id = containers.size();
  if (freeContainers.empty()) {
    containers.emplace_back();
  } else {
    id = freeContainers.back();
    freeContainers.pop_back();
  }
  containers[id].kind = kind;
  containers[id].place = stack.size();
  push({PickleValue::Open, static_cast<int64_t>(id)});
}

PickleValue PickleReader::intern(PickleValue::Kind kind,
                                 std::string_view text) {
  auto &index = stringIndex[kind - PickleValue::LongInteger];
  auto found = index.find(text);
  if (found != index.end())
    return {kind, found->second};
  account(text.size() + entryBytes);
  auto number = static_cast<int64_t>(values.strings.size());
  values.strings.emplace_back(text);
  index.emplace(values.strings.back(), number);
  return {kind, number};
}

PickleValue PickleReader::longInteger(std::string_view text) {
  auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  // The shortest form, so that equal numbers are equal texts.
  while (text.size() > 1 &&
         at(text.size() - 1) == (at(text.size() - 2) & 0x80 ? 0xFF : 0))
    text.remove_suffix(1);
  if (text.size() > 8)
    return intern(PickleValue::LongInteger, text);
  uint64_t value =
      !text.empty() && at(text.size() - 1) & 0x80 ? ~uint64_t(0) : 0;
  for (size_t i = text.size(); i-- > 0;)
    value = value << 8 | at(i);
  auto number = static_cast<int64_t>(value);
  constexpr int64_t limit = int64_t(1) << 59;
  if (number >= -limit && number < limit)
    return {PickleValue::Integer, number};
  return intern(PickleValue::LongInteger, text);
}

uint64_t PickleReader::shapeOf(const std::vector<PickleValue> &items) {
  auto equals = [&](uint64_t index) {
    const std::vector<PickleValue> &keys = values.shapes[index].keys;
    if (2 * keys.size() != items.size())
      return false;
    for (size_t i = 0; i < keys.size(); ++i)
      if (!(keys[i] == items[2 * i]))
        return false;
    return true;
  };
  if (!values.shapes.empty() && equals(lastShape))
    return lastShape;
  std::vector<uint64_t> codes;
  for (size_t i = 0; i < items.size(); i += 2)
    codes.push_back(codeOf(items[i]));
  std::vector<uint64_t> &candidates =
      shapeIndex[hashOf(codes.data(), codes.size() * sizeof codes[0])];
  for (uint64_t index : candidates)
    if (equals(index))
      return lastShape = index;
  account(items.size() / 2 * sizeof(PickleValue) + entryBytes);
  std::sort(codes.begin(), codes.end());
  if (std::adjacent_find(codes.begin(), codes.end()) != codes.end())
    fail("expected each key of a dictionary once");
  lastShape = values.shapes.size();
  candidates.push_back(lastShape);
  PickleStore::Shape &shape = values.shapes.emplace_back();
  for (size_t i = 0; i < items.size(); i += 2) {
    shape.keys.push_back(items[i]);
    shape.isEvent |= items[i] == action;
    shape.isDistinct |= items[i] == address;
  }
  shape.isDistinct |= shape.isEvent;
  return lastShape;
}

PickleValue PickleReader::pack(PickleValue::Kind kind,
                               const std::vector<PickleValue> &items) {
  std::vector<uint8_t> &arena = values.arena;
  size_t start = arena.size();
  uint64_t levels = 1;
  for (PickleValue item : items)
    if (isPacked(item)) {
      auto at = static_cast<size_t>(item.number);
      levels = std::max(levels, 1 + values.word(at));
    }
  if (levels > maxLevels)
    fail("expected at most " + std::to_string(maxLevels) + " nested values");
  auto put = [&](uint64_t word) {
    for (; word > 127; word >>= 7)
      arena.push_back(static_cast<uint8_t>(word | 128));
    arena.push_back(static_cast<uint8_t>(word));
  };
  put(levels);
  bool isDictionary = kind == PickleValue::Dictionary;
  bool isDistinct = false;
  if (isDictionary) {
    uint64_t shape = shapeOf(items);
    isDistinct = values.shapes[shape].isDistinct;
    put(shape);
  } else {
    put(items.size());
  }
  for (size_t i = isDictionary; i < items.size(); i += 1 + isDictionary)
    put(codeOf(items[i]));
  size_t size = arena.size() - start;
  if (!isDistinct) {
    // The kind is not part of the bytes.
    uint64_t hash = hashOf(arena.data() + start, size) + kind;
    auto [found, isNew] =
        packed.emplace(hash, PickleStore::Packed{start, size, kind});
    const PickleStore::Packed &other = found->second;
    if (!isNew && other.size == size && other.kind == kind &&
        std::memcmp(arena.data() + other.position, arena.data() + start,
                    size) == 0) {
      arena.resize(start);
      return {kind, static_cast<int64_t>(other.position)};
    }
    if (isNew)
      account(entryBytes);
  }
  account(size);
  return {kind, static_cast<int64_t>(start)};
}

PickleValue PickleReader::complete(PickleValue value) {
  if (value.kind != PickleValue::Open)
    return value;
  auto id = static_cast<size_t>(value.number);
  Container &container = containers[id];
  PickleValue result = {PickleValue::Events, container.events};
  if (container.events < 0)
    result = pack(container.kind, container.items);
  for (size_t index : container.memo)
    memo[index] = keep(result);
  used -= container.items.size() * sizeof(PickleValue);
  container.items.clear();
  if (container.items.capacity() > maxIdleItems)
    container.items.shrink_to_fit();
  container.memo.clear();
  container.events = -1;
  freeContainers.push_back(id);
  return result;
}

uint32_t PickleReader::keep(PickleValue value) {
  auto [found, isNew] =
      keptIndex.emplace(codeOf(value), static_cast<uint32_t>(kept.size()));
  if (isNew) {
    account(sizeof(PickleValue) + entryBytes / 2);
    kept.push_back(value);
  }
  return firstKept + found->second;
}

void PickleReader::addTo(Container &container, PickleValue item) {
  account(sizeof item);
  container.items.push_back(item);
}

void PickleReader::addItem(Container &list, PickleValue item) {
  bool isOpen = item.kind == PickleValue::Open;
  std::vector<size_t> entries;
  if (isOpen)
    entries.swap(containers[static_cast<size_t>(item.number)].memo);
  size_t before = values.arena.size();
  PickleValue event = complete(item);
  bool isEvent = false;
  if (event.kind == PickleValue::Dictionary) {
    auto at = static_cast<size_t>(event.number);
    values.word(at);
    isEvent = values.shapes[values.word(at)].isEvent;
  }
  if (!isEvent) {
    for (size_t index : entries)
      memo[index] = keep(event);
    if (list.events >= 0)
      fail("expected a dictionary with a member 'action' in a list of them");
    return addTo(list, event);
  }
  if (!list.items.empty())
    fail("expected no dictionary with a member 'action' in a list of others");
  if (list.events < 0)
    list.events = eventLists++;
  onEvent(list.events, event);
  if (!isOpen)
    return;
  bool isStored = storedEvents < maxStoredEvents;
  storedEvents += isStored;
  for (size_t index : entries)
    memo[index] = isStored ? keep(event) : gone;
  if (!isStored) {
    used -= values.arena.size() - before;
    values.arena.resize(before);
  }
}

void PickleReader::addItems(const std::vector<PickleValue> &items) {
  Container &list = top(PickleValue::List, "list");
  for (PickleValue item : items)
    addItem(list, item);
}

void PickleReader::addMembers(const std::vector<PickleValue> &items) {
  Container &dictionary = top(PickleValue::Dictionary, "dictionary");
  if (items.size() % 2)
    fail("expected a value for each key of a dictionary");
  for (size_t i = 0; i < items.size(); ++i) {
    PickleValue item = complete(items[i]);
    if (i % 2 == 0 && (item.kind == PickleValue::List ||
                       item.kind == PickleValue::Dictionary ||
                       item.kind == PickleValue::Events))
      fail("expected a key, got a list or dictionary");
    addTo(dictionary, item);
  }
}

void PickleReader::put(size_t index) {
  if (stack.size() <= (marks.empty() ? 0 : marks.back()))
    fail("expected a value before this opcode");
  // Python numbers the entries in their order.
  if (index > memo.size() + 1000000)
    fail("expected the entry " + std::to_string(memo.size()) +
         " of the memo, got " + std::to_string(index));
  if (index >= memo.size()) {
    account((index + 1 - memo.size()) * sizeof memo[0]);
    memo.resize(index + 1, unset);
  }
  PickleValue value = stack.back();
  if (value.kind != PickleValue::Open) {
    memo[index] = keep(value);
    return;
  }
  auto id = static_cast<size_t>(value.number);
  if (memo[index] & openEntry)
    fail("the entry " + std::to_string(index) + " of the memo is in use");
  std::vector<size_t> &entries = containers[id].memo;
  if (entries.size() == maxEntries)
    fail("expected at most " + std::to_string(maxEntries) +
         " entries of the memo for a value");
  entries.push_back(index);
  memo[index] = openEntry | static_cast<uint32_t>(id);
}

void PickleReader::get(size_t index) {
  uint32_t entry = index < memo.size() ? memo[index] : unset;
  if (entry == unset)
    fail("the memo has no entry " + std::to_string(index));
  if (entry == gone)
    fail("expected each event once, got the entry " + std::to_string(index) +
         " of the memo again");
  if (!(entry & openEntry))
    return push(kept[entry - firstKept]);
  // It must not change from here on, as it is part of two values. A list that
  // is inside itself would.
  size_t place = containers[entry & ~openEntry].place;
  PickleValue completed = complete(stack[place]);
  stack[place] = completed;
  push(completed);
}

PickleValue PickleReader::read() {
  if (byte() != 0x80) {
    opcodeAt = 0;
    fail("expected a pickle of protocol 2 to 5");
  }
  uint8_t protocol = byte();
  if (protocol < 2 || protocol > 5)
    fail("expected a pickle of protocol 2 to 5, got protocol " +
         std::to_string(protocol));
  do
    opcodeAt = ended + begin;
  while (step());
  PickleValue root = pop();
  if (!stack.empty() || !marks.empty())
    fail("expected one value at the end, got several");
  if (frameEnd > ended + begin)
    fail("expected the end of the frame at " + std::to_string(frameEnd));
  if (begin < end || fill()) {
    opcodeAt = ended + begin;
    fail("expected the end of the file after the pickle");
  }
  return complete(root);
}

bool PickleReader::step() {
  auto addOne = [&] {
    PickleValue item = pop();
    marked.assign(1, item);
  };
  auto tuple = [&](std::vector<PickleValue> &items) {
    for (PickleValue &item : items)
      item = complete(item);
    push(pack(PickleValue::Tuple, items));
  };
  uint8_t opcode = byte();
  for (const SizedOpcode &sized : sizedOpcodes)
    if (sized.opcode == opcode) {
      uint64_t count = number(sized.bytes);
      if (sized.kind == Sized::Integer && count > maxIntegerBytes)
        fail("expected an integer of at most " +
             std::to_string(maxIntegerBytes) + " bytes, got " +
             std::to_string(count));
      std::string_view found = bytes(count);
      if (sized.kind == Sized::Text && !isPythonText(found))
        fail("expected a string in UTF-8");
      push(sized.kind == Sized::Integer ? longInteger(found)
           : sized.kind == Sized::Text  ? intern(PickleValue::String, found)
                                        : intern(PickleValue::Bytes, found));
      return true;
    }
  switch (opcode) {
  case '.':
    return false;
  case '(':
    if (marks.size() == maxStack)
      fail("expected at most " + std::to_string(maxStack) + " marks");
    marks.push_back(stack.size());
    break;
  case 'N':
    push({PickleValue::None, 0});
    break;
  case 0x88:
    push({PickleValue::True, 0});
    break;
  case 0x89:
    push({PickleValue::False, 0});
    break;
  case 'J':
    push({PickleValue::Integer, static_cast<int32_t>(number(4))});
    break;
  case 'K':
    push({PickleValue::Integer, static_cast<int64_t>(number(1))});
    break;
  case 'M':
    push({PickleValue::Integer, static_cast<int64_t>(number(2))});
    break;
  case 'G': {
    char swapped[8];
    for (int i = 7; i >= 0; --i)
      swapped[i] = static_cast<char>(byte());
    push(intern(PickleValue::Float, {swapped, sizeof swapped}));
    break;
  }
  case ']':
    pushOpen(PickleValue::List);
    break;
  case '}':
    pushOpen(PickleValue::Dictionary);
    break;
  case 'a':
    addOne();
    addItems(marked);
    break;
  case 'e':
    addItems(popMarked());
    break;
  case 's': {
    PickleValue value = pop(), key = pop();
    marked.assign({key, value});
    addMembers(marked);
    break;
  }
  case 'u':
    addMembers(popMarked());
    break;
  case 'l':
    popMarked();
    pushOpen(PickleValue::List);
    addItems(marked);
    break;
  case 'd':
    popMarked();
    pushOpen(PickleValue::Dictionary);
    addMembers(marked);
    break;
  case ')':
    marked.clear();
    tuple(marked);
    break;
  case 't':
    tuple(popMarked());
    break;
  case 0x85:
  case 0x86:
  case 0x87: {
    size_t count = opcode - 0x84;
    std::vector<PickleValue> items(count);
    for (size_t i = count; i-- > 0;)
      items[i] = pop();
    tuple(items);
    break;
  }
  case 'h':
    get(number(1));
    break;
  case 'j':
    get(number(4));
    break;
  case 'q':
    put(number(1));
    break;
  case 'r':
    put(number(4));
    break;
  case 0x94:
    put(memo.size());
    break;
  case 0x95: {
    uint64_t size = number(8), at = ended + begin;
    if (at < frameEnd)
      fail("expected no frame within a frame");
    if (size > ~uint64_t(0) - at)
      fail("expected a frame of less bytes");
    frameEnd = at + size;
    break;
  }
  default:
    if (const char *name = nameOfObjectOpcode(opcode))
      fail(std::string("expected plain data, got the opcode ") + name +
           " for objects of classes, which is never executed");
    char code[8];
    std::snprintf(code, sizeof code, "0x%02x", opcode);
    fail(std::string("expected an opcode of plain data, got ") + code);
  }
  return true;
}
