//===- Planning/TorchSnapshot.h - PyTorch's memory snapshots ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what torch.cuda.memory._dump_snapshot() writes, and pickles of
/// torch.cuda._memory_viz._profile_to_snapshot(), as planning problems.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_TORCHSNAPSHOT_H
#define TAMC_PLANNING_TORCHSNAPSHOT_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tamc::planning {

/// Bytes that are read once, from their begin to their end.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Reads up to `room` bytes; 0 at the end, or after a fault.
  virtual size_t read(char *out, size_t room) = 0;
  /// Why the bytes could not be read to their end; empty if they could.
  virtual std::string fault() const = 0;
};

/// An allocation. It lives from its event `alloc` to `free_completed`. The
/// event with index i is at time i + 1; 0 is before the trace.
struct TorchLife {
  int64_t lower = 0, upper = 0;
  /// Bytes that the program asked for.
  int64_t size = 0;
  /// Index into TorchSnapshot::stacks.
  int32_t stack = 0;
};

/// One device of a snapshot.
struct TorchDevice {
  int64_t index = 0;
  int64_t events = 0;
  /// Every life has bytes and lasts. In the order in which they became known.
  std::vector<TorchLife> lives;
  /// Number of lives that began before the trace and that end after it.
  int64_t before = 0, after = 0;
  /// Highest sum of the sizes of living allocations, and its time.
  int64_t allocatedPeak = 0, peakTime = 0;
  /// Whether the snapshot has the allocator's segments. If not, it is of a
  /// profile, whose segments are spans of addresses, and these numbers are 0.
  bool hasSegments = false;
  /// Highest sum of the segments' sizes; that at peakTime; and at the end.
  int64_t reservedPeak = 0, reservedAtPeak = 0, reserved = 0;
  /// Bytes of the segments at the end that no block uses, and the largest
  /// stretch of these.
  int64_t unused = 0, largestUnused = 0;
  /// Events `oom`.
  int64_t outOfMemory = 0;
  /// Allocations at an address in use: the trace lacks an event.
  int64_t overlaps = 0;
  /// Actions that this reader does not know, with their events.
  std::map<std::string, int64_t> unknown;
};

/// What a snapshot says of memory.
struct TorchSnapshot {
  /// Those with events or segments, ascending.
  std::vector<TorchDevice> devices;
  /// "name (file:line)"; each once.
  std::vector<std::string> frames;
  /// Indices of frames, the innermost first; each stack once. The first is the
  /// empty one.
  std::vector<std::vector<int32_t>> stacks = {{}};
};

struct TorchOptions {
  /// Most bytes for what is kept of the file while it is read, without the
  /// lives.
  size_t memory = size_t(1) << 32;
  /// If there is one, it gets the contents of the file as lines of JSON: one
  /// [number of the list, event] for each event, in their order, and at the end
  /// one with the rest, in which {"!events": n} is the list of number n. What
  /// JSON does not have: {"!tuple": [..]}, {"!bytes": "0a0b"}, and
  /// {"!dict": [[key, value], ..]} for a dictionary with a key that is no
  /// string or begins with "!".
  std::function<void(std::string_view line)> print;
};

/// Reads a pickle of the protocols 2 to 5. It executes nothing: every opcode
/// that names or calls an object is an error. Errors begin with the offset of
/// the opcode, as "byte 17: expected ..". Time and memory: linear; an event
/// takes 4 bytes for each entry of the memo, an allocation 32 bytes.
std::variant<TorchSnapshot, Diagnostic>
readTorchSnapshot(ByteSource &source, const TorchOptions &options = {});

/// The lives as buffers: a space for each device, whose buffers' notes are the
/// stacks. Names are numbers, with several devices "device/number".
Problem toProblem(const TorchSnapshot &snapshot);

/// Bytes and number of the allocations of a stack at one time.
struct StackShare {
  int32_t stack = 0;
  int64_t bytes = 0, count = 0;
};

/// The stacks that hold the most bytes of a device at its peak, at most `most`.
std::vector<StackShare> stacksAtPeak(const TorchDevice &device, size_t most);

/// The peak of a static plan that places the allocations in their order: the
/// lower one of first fit and best fit. Offsets and the space between them are
/// multiples of `alignment`. O(n log n) and 8 bytes for each life,
/// for traces that are too long for the strategies.
int64_t peakInOrder(const TorchDevice &device, int64_t alignment = 1);

/// The report on all devices. `plan` is a plan of toProblem(), or peakInOrder()
/// as its peaks; `replay`, if there is one, a plan by strategy `caching`.
std::string toText(const TorchSnapshot &snapshot, const Plan &plan,
                   const Plan *replay);

/// The same as a JSON object.
std::string toJson(const TorchSnapshot &snapshot, const Plan &plan,
                   const Plan *replay);

} // namespace tamc::planning

#endif // TAMC_PLANNING_TORCHSNAPSHOT_H
