//===- memory/Snapshot.cpp - snapshots as planning problems ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/Snapshot.h"

#include "tamrt/checksum.h"

#include <cinttypes>
#include <cstdio>
#include <string_view>

using namespace tamrt;

namespace {

std::string_view toString(MemoryBlock::State state) {
  switch (state) {
  case MemoryBlock::State::Free:
    return "free";
  case MemoryBlock::State::Used:
    return "used";
  case MemoryBlock::State::Waiting:
    return "waiting";
  }
  return "";
}

/// Appends the members of one object or array, with commas between them.
class Writer {
public:
  explicit Writer(std::string &text) : text(text) {}

  Writer &key(std::string_view name) {
    separate();
    text.append("\"").append(name).append("\": ");
    first = true;
    return *this;
  }
  void number(uint64_t value) {
    separate();
    text += std::to_string(value);
  }
  void address(uintptr_t value) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "\"0x%" PRIxPTR "\"", value);
    separate();
    text += digits;
  }
  void fraction(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6f", value);
    separate();
    text += digits;
  }
  void string(std::string_view value) {
    separate();
    text += '"';
    for (char c : value) {
      if (c == '"' || c == '\\') {
        text += '\\';
        text += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", c);
        text += code;
      } else {
        text += c;
      }
    }
    text += '"';
  }
  void level(const Level &value) {
    begin('{');
    key("now").number(value.now);
    key("peak").number(value.peak);
    end('}');
  }
  void begin(char bracket) {
    separate();
    text += bracket;
    first = true;
  }
  void end(char bracket) {
    text += bracket;
    first = false;
  }

private:
  void separate() {
    if (!first)
      text += ", ";
    first = false;
  }

  std::string &text;
  bool first = true;
};

void write(Writer &to, const MemoryStatistics &of) {
  to.begin('{');
  to.key("used").level(of.used);
  to.key("requested").level(of.requested);
  to.key("reserved").level(of.reserved);
  to.key("waiting").number(of.waiting);
  to.key("free").number(of.free);
  to.key("largest_free").number(of.largestFree);
  to.key("fragmentation").fraction(of.fragmentation());
  to.key("used_blocks").number(of.usedBlocks);
  to.key("waiting_blocks").number(of.waitingBlocks);
  to.key("free_blocks").number(of.freeBlocks);
  to.key("regions").number(of.regions);
  to.key("allocations").number(of.allocations);
  to.key("releases").number(of.releases);
  to.key("regions_obtained").number(of.regionsObtained);
  to.key("regions_returned").number(of.regionsReturned);
  to.key("retries").number(of.retries);
  to.key("failures").number(of.failures);
  to.end('}');
}

void write(Writer &to, const BinStatistics &of) {
  to.begin('{');
  to.key("least").number(of.least);
  to.key("used_blocks").number(of.usedBlocks);
  to.key("used_bytes").number(of.usedBytes);
  to.key("free_blocks").number(of.freeBlocks);
  to.key("free_bytes").number(of.freeBytes);
  to.end('}');
}

void write(Writer &to, const StreamStatistics &of) {
  to.begin('{');
  to.key("stream").number(of.stream);
  to.key("used").level(of.used);
  to.key("waiting").number(of.waiting);
  to.key("free").number(of.free);
  to.key("allocations").number(of.allocations);
  to.key("releases").number(of.releases);
  to.end('}');
}

void write(Writer &to, const TagStatistics &of) {
  to.begin('{');
  to.key("name").string(of.name);
  to.key("requested").level(of.requested);
  to.key("latest_peak").number(of.latestPeak);
  to.key("requests").number(of.requests);
  to.key("bytes").number(of.bytes);
  to.key("openings").number(of.openings);
  to.key("open").number(of.open);
  to.end('}');
}

void write(Writer &to, const MemoryBlock &of) {
  to.begin('{');
  to.key("state").string(toString(of.state));
  to.key("address").address(of.address);
  to.key("bytes").number(of.bytes);
  to.key("requested").number(of.requested);
  to.key("born").number(of.born);
  to.key("tag").number(of.tag);
  to.end('}');
}

template <class List>
void writeAll(Writer &to, std::string_view name, const List &list) {
  to.key(name).begin('[');
  for (const auto &each : list)
    write(to, each);
  to.end(']');
}

void write(Writer &to, const MemoryRegion &of) {
  to.begin('{');
  to.key("address").address(of.address);
  to.key("bytes").number(of.bytes);
  to.key("stream").number(of.stream);
  writeAll(to, "blocks", of.blocks);
  to.end('}');
}

void write(Writer &to, const MemorySnapshot &of) {
  to.begin('{');
  to.key("name").string(of.name);
  to.key("now").number(of.now);
  writeAll(to, "regions", of.regions);
  to.key("statistics");
  write(to, of.statistics);
  writeAll(to, "bins", of.bins);
  writeAll(to, "streams", of.streams);
  writeAll(to, "tags", of.tags);
  to.end('}');
}

/// A block in use, as a buffer of a planning problem.
struct PlannedBuffer {
  std::string name, space;
  uint64_t lower, upper;
  size_t size, offset;
};

std::string spaceName(size_t region) {
  return "region" + std::to_string(region);
}

/// Calls look(buffer) for the blocks that are not free.
template <class Look>
void forEachBuffer(const MemorySnapshot &snapshot, const Look &look) {
  for (size_t i = 0; i < snapshot.regions.size(); ++i) {
    const MemoryRegion &region = snapshot.regions[i];
    for (const MemoryBlock &block : region.blocks) {
      if (block.state == MemoryBlock::State::Free)
        continue;
      const std::string tag =
          block.tag < snapshot.tags.size() ? snapshot.tags[block.tag].name : "";
      // Times are between calls: blocks in use live beyond the last call.
      look(PlannedBuffer{tag + '#' + std::to_string(block.born), spaceName(i),
                         block.born, snapshot.now + 1, block.bytes,
                         block.address - region.address});
    }
  }
}

} // namespace

std::string tamrt::toPlanningJson(const MemorySnapshot &snapshot) {
  std::string text;
  Writer to(text);
  to.begin('{');
  to.key("checksum");
  const size_t checksum = text.size() + 1; // behind the quote
  to.string(kNoChecksum);
  to.key("name").string(snapshot.name);
  to.key("buffers").begin('[');
  forEachBuffer(snapshot, [&](const PlannedBuffer &buffer) {
    to.begin('{');
    to.key("name").string(buffer.name);
    to.key("lower").number(buffer.lower);
    to.key("upper").number(buffer.upper);
    to.key("size").number(buffer.size);
    to.key("pin").number(buffer.offset);
    to.key("space").string(buffer.space);
    to.end('}');
  });
  to.end(']');
  // Without a region there is the default space.
  if (!snapshot.regions.empty()) {
    to.key("spaces").begin('[');
    for (size_t i = 0; i < snapshot.regions.size(); ++i) {
      to.begin('{');
      to.key("name").string(spaceName(i));
      to.key("capacity").number(snapshot.regions[i].bytes);
      to.end('}');
    }
    to.end(']');
  }
  to.key("snapshot");
  write(to, snapshot);
  to.end('}');
  text += '\n';
  setChecksum(text, checksum);
  return text;
}
