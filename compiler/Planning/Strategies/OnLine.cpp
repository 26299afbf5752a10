//===- Planning/OnLine.cpp - strategies bfc and caching: allocators -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Deadline.h"
#include "Strategies/Events.h"
#include "Strategies/Portfolio.h"
#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

namespace {

/// Bytes [lower, upper) of a space.
struct Range {
  int64_t lower, upper;
};

/// The bytes of pinned buffers, ascending and disjoint. An allocator does not
/// know the future, so it never gets these bytes.
std::vector<Range> pinnedRanges(const Instance &instance) {
  std::vector<Range> pins;
  for (const Item &item : instance.items)
    if (item.pin >= 0)
      pins.push_back({item.pin, saturatingAdd(item.pin, item.size)});
  std::sort(pins.begin(), pins.end(),
            [](const Range &a, const Range &b) { return a.lower < b.lower; });
  std::vector<Range> merged;
  for (const Range &pin : pins)
    if (!merged.empty() && pin.lower <= merged.back().upper)
      merged.back().upper = std::max(merged.back().upper, pin.upper);
    else
      merged.push_back(pin);
  return merged;
}

/// The address of an offset, with the same alignment.
void *addressOf(int64_t offset) {
  return reinterpret_cast<void *>(tamrt::FakeMemory::base +
                                  static_cast<uintptr_t>(offset));
}

int64_t offsetOf(const void *address) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) -
                              tamrt::FakeMemory::base);
}

/// Raw memory that returns the ranges between pins, one after another.
class Gaps final : public tamrt::RawMemory {
public:
  /// By multiples of `unit`, a power of two.
  Gaps(const Instance &instance, int64_t capacity, int64_t unit) {
    int64_t from = 0;
    auto add = [&](int64_t to) {
      from = alignUp(from, unit);
      if (from < to && to - from >= unit)
        ranges.push_back({from, from + ((to - from) & -unit)});
    };
    for (const Range &pin : pinnedRanges(instance)) {
      add(std::min(pin.lower, capacity));
      from = pin.upper;
    }
    add(capacity);
  }

  void *allocate(size_t bytes, size_t) noexcept override {
    if (next == ranges.size() || bytes != bytesOfNext())
      return nullptr;
    return addressOf(ranges[next++].lower);
  }
  void release(void *, size_t) noexcept override {}
  const tamrt::MemoryAttributes &attributes() const noexcept override {
    return description;
  }

  /// 0 when there is none.
  size_t bytesOfNext() const {
    return next == ranges.size()
               ? 0
               : static_cast<size_t>(ranges[next].upper - ranges[next].lower);
  }

private:
  tamrt::MemoryAttributes description = {"space", 1};
  std::vector<Range> ranges;
  size_t next = 0;
};

/// One region for each range between pins, like an allocator that obtains all
/// memory at the program's start.
class BestFitReplay {
public:
  BestFitReplay(const Instance &instance, int64_t capacity)
      : gaps(instance, capacity, static_cast<int64_t>(unit())),
        allocator(gaps, options()) {
    while (size_t bytes = gaps.bytesOfNext())
      if (!allocator.reserve(bytes))
        break;
  }

  static size_t unit() { return tamrt::BestFitOptions().granularity; }
  /// The largest alignment a request can have.
  static constexpr int64_t aligns = int64_t(1) << 62;
  void *allocate(size_t bytes, size_t alignment) {
    return allocator.allocate({bytes, alignment, 0});
  }
  void release(void *address) { allocator.release(address); }

private:
  static tamrt::BestFitOptions options() {
    tamrt::BestFitOptions options;
    options.grows = false;
    return options;
  }

  Gaps gaps;
  tamrt::BestFitAllocator allocator;
};

/// The program runs on one stream, so that no block ever waits for a stream.
class OneStream final : public tamrt::Streams {
public:
  tamrt::StreamEvent record(tamrt::Stream) noexcept override { return 0; }
  bool passed(tamrt::StreamEvent) noexcept override { return true; }
  void wait(tamrt::StreamEvent) noexcept override {}
  void destroy(tamrt::StreamEvent) noexcept override {}
  void synchronize(tamrt::Stream) noexcept override {}
};

/// Obtains segments when the program needs them.
class CachingReplay {
public:
  CachingReplay(const Instance &instance, int64_t capacity)
      : space(static_cast<size_t>(capacity)), allocator(space, streams) {
    for (const Range &pin : pinnedRanges(instance))
      space.exclude(static_cast<size_t>(pin.lower),
                    static_cast<size_t>(pin.upper - pin.lower));
  }

  static size_t unit() { return tamrt::CachingOptions().granularity; }
  /// Requests have no alignment.
  static constexpr int64_t aligns = 1;
  void *allocate(size_t bytes, size_t) { return allocator.allocate(bytes, 0); }
  void release(void *address) { allocator.release(address); }

private:
  tamrt::FakeMemory space;
  OneStream streams;
  tamrt::CachingAllocator allocator;
};

/// Runs the program. Returns the item for which the allocator has no memory, or
/// -1. Items that were not placed keep the offset -1.
template <class Replay>
int32_t run(const Instance &instance, std::span<const Event> events,
            int64_t capacity, const Deadline &deadline, Placement &placement) {
  placement.offsets.assign(instance.size(), -1);
  for (size_t i = 0; i < instance.size(); ++i)
    placement.offsets[i] = instance.items[i].pin;
  Replay replay(instance, capacity);
  std::vector<void *> blocks(instance.size(), nullptr);
  const auto unit = static_cast<int64_t>(replay.unit());
  size_t count = 0;
  for (const Event &event : events) {
    constexpr size_t betweenLooks = 4096;
    if (++count % betweenLooks == 0 && deadline.passed()) {
      placement.stopped = true;
      return -1;
    }
    void *&block = blocks[event.item];
    if (!event.begins) {
      replay.release(block);
      continue;
    }
    const Item &item = instance.items[event.item];
    const bool isPower = (item.alignment & (item.alignment - 1)) == 0;
    int64_t bytes = item.size, alignment = 1;
    if (isPower && item.alignment <= Replay::aligns)
      alignment = item.alignment;
    else
      // As programs do: request more bytes, and use the next multiple.
      bytes =
          saturatingAdd(bytes, item.alignment - std::gcd(item.alignment, unit));
    block = replay.allocate(static_cast<size_t>(bytes),
                            static_cast<size_t>(alignment));
    if (!block)
      return event.item;
    placement.offsets[event.item] = alignUp(offsetOf(block), item.alignment);
  }
  return -1;
}

template <class Replay>
Placement place(const Instance &instance, const Options &options) {
  Deadline deadline(options);
  std::vector<Event> events = eventsOf(instance);
  Placement placement;
  int32_t failed =
      run<Replay>(instance, events, instance.capacity, deadline, placement);
  if (failed >= 0 && instance.capacity != infinite) {
    // Compute how many bytes would be needed.
    const Item &item = instance.items[failed];
    failed = run<Replay>(instance, events, infinite, deadline, placement);
    if (int64_t peak = peakOf(instance, placement.offsets);
        failed < 0 && !placement.stopped && peak <= instance.capacity) {
      placement.offsets.clear();
      placement.reason =
          "with the blocks and segments of the allocator there are no " +
          std::to_string(item.size) + " bytes at time " +
          std::to_string(instance.times[item.lower]) +
          "; without the capacity it would use " + std::to_string(peak) +
          " bytes";
    }
  }
  if (failed >= 0)
    std::replace(placement.offsets.begin(), placement.offsets.end(),
                 int64_t(-1), infinite);
  if (placement.stopped)
    pileUp(instance, placement.offsets);
  return placement;
}

} // namespace

std::vector<int64_t> tamc::planning::placeByBestFit(const Instance &instance,
                                                    const Deadline &deadline) {
  Placement placement;
  if (run<BestFitReplay>(instance, eventsOf(instance), infinite, deadline,
                         placement) >= 0)
    return {};
  if (placement.stopped)
    pileUp(instance, placement.offsets);
  return std::move(placement.offsets);
}

namespace tamc::planning {
Plan planBestFit(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, place<BestFitReplay>);
}

Plan planCaching(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, place<CachingReplay>);
}
} // namespace tamc::planning
