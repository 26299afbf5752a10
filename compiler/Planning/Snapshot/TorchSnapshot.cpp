//===- Planning/Snapshot/TorchSnapshot.cpp - PyTorch's snapshots ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/TorchSnapshot.h"

#include "Snapshot/Pickle.h"

#include <algorithm>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// Most bytes of a line of TorchOptions::print.
constexpr size_t maxLine = size_t(1) << 28;
/// Sums of sizes stay below this.
constexpr int64_t maxBytes = int64_t(1) << 61;
constexpr int64_t maxLives = int64_t(1) << 31;
constexpr int64_t alive = -1;

/// What is known of one list of events.
class Trace {
public:
  TorchDevice device;

  void alloc(int64_t address, int64_t size, int32_t stack) {
    auto index = static_cast<uint32_t>(device.lives.size());
    auto [found, isNew] = open.emplace(address, index);
    if (!isNew) {
      ++device.overlaps;
      end(device.lives[found->second]);
      found->second = index;
    }
    device.lives.push_back({device.events, alive, size, stack});
    allocated += size;
    if (allocated > most) {
      most = allocated;
      device.peakTime = device.events;
      reservedAtPeak = reserved;
    }
  }

  void free(int64_t address, int64_t size) {
    auto found = open.find(address);
    if (found != open.end()) {
      end(device.lives[found->second]);
      open.erase(found);
      return;
    }
    // Allocated before the trace.
    before.push_back({0, device.events, size, 0});
    allocated -= size;
    initial += size;
  }

  void segment(int64_t change) {
    device.hasSegments = true;
    reserved += change;
    mostReserved = std::max(mostReserved, reserved);
  }

  /// A block that is in use after the trace.
  void block(int64_t address, int64_t size, int32_t stack) {
    if (open.contains(address))
      return;
    before.push_back({0, alive, size, stack});
    initial += size;
  }

  /// Bytes that are or were in use, so that sums cannot overflow.
  int64_t bytesAt() const { return initial + std::max(most, allocated); }

  TorchDevice finish() {
    device.lives.insert(device.lives.end(), before.begin(), before.end());
    device.allocatedPeak = initial + most;
    int64_t first = device.reserved - reserved;
    device.reservedPeak = first + mostReserved;
    device.reservedAtPeak = first + reservedAtPeak;
    if (!device.hasSegments)
      device.reserved = device.reservedPeak = device.reservedAtPeak =
          device.unused = device.largestUnused = 0;
    for (TorchLife &life : device.lives) {
      device.before += life.lower == 0;
      device.after += life.upper == alive;
      if (life.upper == alive)
        life.upper = device.events + 1;
    }
    std::erase_if(device.lives, [](const TorchLife &life) {
      return life.size == 0 || life.lower == life.upper;
    });
    open.clear();
    return std::move(device);
  }

private:
  void end(TorchLife &life) {
    life.upper = device.events;
    allocated -= life.size;
  }

  std::unordered_map<int64_t, uint32_t> open;
  std::vector<TorchLife> before;
  /// Without the allocations from before the trace, whose sum is `initial`.
  int64_t allocated = 0, most = 0, initial = 0;
  /// Relative to the begin of the trace.
  int64_t reserved = 0, mostReserved = 0, reservedAtPeak = 0;
};

class Reader {
public:
  Reader(ByteSource &source, const TorchOptions &options)
      : options(options), pickle(source, options.memory,
                                 [this](int64_t list, PickleValue event) {
                                   addEvent(list, event);
                                 }),
        store(pickle.store()) {}

  TorchSnapshot read() {
    PickleValue root = pickle.read();
    if (options.print)
      print(root, "");
    std::optional<PickleValue> lists = store.member(root, "device_traces");
    if (!lists)
      pickle.fail("expected a dictionary with the member 'device_traces'");
    auto list = [&](PickleValue value, const char *what) {
      if (value.kind != PickleValue::List && value.kind != PickleValue::Tuple)
        pickle.fail(std::string("expected a list as ") + what);
    };
    list(*lists, "'device_traces'");
    std::vector<bool> used(traces.size(), false);
    std::vector<Trace> devices;
    store.forElements(*lists, [&](PickleValue each) {
      if (each.kind != PickleValue::Events) {
        list(each, "a member of 'device_traces'");
        if (store.count(each) > 0)
          pickle.fail("expected events with an 'action' in 'device_traces'");
        devices.emplace_back();
        return;
      }
      auto number = static_cast<size_t>(each.number);
      if (used[number])
        pickle.fail("expected the events of a device once");
      used[number] = true;
      devices.push_back(std::move(traces[number]));
    });
    if (std::find(used.begin(), used.end(), false) != used.end())
      pickle.fail("expected events in 'device_traces' alone");
    if (std::optional<PickleValue> segments = store.member(root, "segments")) {
      list(*segments, "'segments'");
      store.forElements(*segments, [&](PickleValue segment) {
        addSegment(segment, devices);
      });
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      Trace &trace = devices[i];
      trace.device.index = static_cast<int64_t>(i);
      bool isKnown = trace.device.events > 0 || trace.device.reserved > 0;
      if (isKnown)
        snapshot.devices.push_back(trace.finish());
    }
    return std::move(snapshot);
  }

  uint64_t offset() const { return pickle.offset(); }

private:
  void print(PickleValue value, const std::string &before) {
    std::optional<std::string> text = store.toJson(value, maxLine);
    if (!text)
      pickle.fail("expected values of at most " + std::to_string(maxLine) +
                  " bytes as text");
    options.print(before + *text + (before.empty() ? "" : "]"));
  }

  int64_t number(std::optional<PickleValue> value, const char *name) {
    std::optional<int64_t> number;
    if (value)
      number = store.integer(*value);
    if (!number || *number < 0)
      pickle.fail(std::string("expected an integer of 0 or more as '") + name +
                  "'");
    return *number;
  }

  int64_t bytes(std::optional<PickleValue> value, const char *name) {
    int64_t bytes = number(value, name);
    if (bytes >= maxBytes)
      pickle.fail(std::string("expected less than 2^61 bytes as '") + name +
                  "', got " + std::to_string(bytes));
    return bytes;
  }

  void addEvent(int64_t list, PickleValue event) {
    if (options.print)
      print(event, "[" + std::to_string(list) + ",");
    if (static_cast<size_t>(list) == traces.size())
      traces.emplace_back();
    Trace &trace = traces[static_cast<size_t>(list)];
    std::optional<PickleValue> action, address, size, frames;
    store.forMembers(event, [&](PickleValue key, PickleValue value) {
      if (key.kind != PickleValue::String)
        return;
      const std::string &name = store.text(key);
      if (name == "action")
        action = value;
      else if (name == "addr")
        address = value;
      else if (name == "size")
        size = value;
      else if (name == "frames")
        frames = value;
    });
    if (action->kind != PickleValue::String)
      pickle.fail("expected a string as 'action'");
    const std::string &what = store.text(*action);
    ++trace.device.events;
    if (what == "alloc") {
      int64_t count = bytes(size, "size");
      if (trace.bytesAt() >= maxBytes - count)
        pickle.fail("expected less than 2^61 bytes in all");
      if (int64_t(trace.device.lives.size()) == maxLives)
        pickle.fail("expected less than 2^31 allocations");
      trace.alloc(number(address, "addr"), count, stackOf(frames));
    } else if (what == "free_completed" || what == "free") {
      int64_t count = bytes(size, "size");
      if (trace.bytesAt() >= maxBytes - count)
        pickle.fail("expected less than 2^61 bytes in all");
      trace.free(number(address, "addr"), count);
    } else if (what == "segment_alloc" || what == "segment_map") {
      trace.segment(bytes(size, "size"));
    } else if (what == "segment_free" || what == "segment_unmap") {
      trace.segment(-bytes(size, "size"));
    } else if (what == "oom") {
      ++trace.device.outOfMemory;
    } else if (what != "free_requested" && what != "snapshot") {
      ++trace.device.unknown[what.substr(0, 100)];
    }
  }

  void addSegment(PickleValue segment, std::vector<Trace> &devices) {
    int64_t device = number(store.member(segment, "device"), "device");
    int64_t total = bytes(store.member(segment, "total_size"), "total_size");
    int64_t address = number(store.member(segment, "address"), "address");
    if (device >= 1 << 16)
      pickle.fail("expected less than 65536 devices, got the index " +
                  std::to_string(device));
    if (static_cast<size_t>(device) >= devices.size())
      devices.resize(static_cast<size_t>(device) + 1);
    Trace &trace = devices[static_cast<size_t>(device)];
    if (trace.device.reserved >= maxBytes - total)
      pickle.fail("expected less than 2^61 bytes in all");
    trace.device.reserved += total;
    trace.device.hasSegments |=
        store.member(segment, "segment_type").has_value();
    std::optional<PickleValue> blocks = store.member(segment, "blocks");
    if (!blocks || blocks->kind != PickleValue::List)
      pickle.fail("expected a list as 'blocks'");
    int64_t at = address, unusedHere = 0;
    store.forElements(*blocks, [&](PickleValue block) {
      std::optional<PickleValue> state = store.member(block, "state");
      if (!state || state->kind != PickleValue::String)
        pickle.fail("expected a string as 'state' of a block");
      int64_t size = bytes(store.member(block, "size"), "size");
      bool isUsed = store.text(*state) != "inactive";
      unusedHere = isUsed ? 0 : unusedHere + size;
      if (!isUsed) {
        trace.device.unused += size;
        trace.device.largestUnused =
            std::max(trace.device.largestUnused, unusedHere);
      } else {
        std::optional<PickleValue> own = store.member(block, "address");
        std::optional<PickleValue> requested =
            store.member(block, "requested_size");
        int64_t count = requested ? bytes(requested, "requested_size") : size;
        if (trace.bytesAt() >= maxBytes - count)
          pickle.fail("expected less than 2^61 bytes in all");
        trace.block(own ? number(own, "address") : at, count,
                    stackOf(store.member(block, "frames")));
      }
      if (at > INT64_MAX - size || trace.device.unused >= maxBytes)
        pickle.fail("expected less than 2^61 bytes in all");
      at += size;
    });
  }

  int32_t stackOf(std::optional<PickleValue> frames) {
    if (!frames || frames->kind == PickleValue::None)
      return 0;
    if (frames->kind != PickleValue::List && frames->kind != PickleValue::Tuple)
      pickle.fail("expected a list as 'frames'");
    if (store.count(*frames) == 0)
      return 0;
    auto [found, isNew] = stackIndex.emplace(
        frames->number, static_cast<int32_t>(snapshot.stacks.size()));
    if (isNew) {
      std::vector<int32_t> stack;
      stack.reserve(store.count(*frames));
      store.forElements(
          *frames, [&](PickleValue frame) { stack.push_back(frameOf(frame)); });
      snapshot.stacks.push_back(std::move(stack));
    }
    return found->second;
  }

  int32_t frameOf(PickleValue frame) {
    if (frame.kind != PickleValue::Dictionary)
      pickle.fail("expected a dictionary as a member of 'frames'");
    auto [found, isNew] = frameIndex.emplace(
        frame.number, static_cast<int32_t>(snapshot.frames.size()));
    if (isNew) {
      auto text = [&](const char *name) -> std::string {
        std::optional<PickleValue> value = store.member(frame, name);
        return value && value->kind == PickleValue::String ? store.text(*value)
                                                           : "";
      };
      std::string line = text("name"), file = text("filename");
      // A profile has the place in the name.
      if (!file.empty() && file != "none") {
        line += (line.empty() ? "(" : " (") + file;
        std::optional<PickleValue> value = store.member(frame, "line");
        if (value && store.integer(*value))
          line += ":" + std::to_string(*store.integer(*value));
        line += ")";
      }
      snapshot.frames.push_back(std::move(line));
    }
    return found->second;
  }

  const TorchOptions &options;
  PickleReader pickle;
  const PickleStore &store;
  TorchSnapshot snapshot;
  std::vector<Trace> traces;
  /// By position of the packed value, which is stored once.
  std::unordered_map<int64_t, int32_t> stackIndex, frameIndex;
};

} // namespace

std::variant<TorchSnapshot, Diagnostic>
tamc::planning::readTorchSnapshot(ByteSource &source,
                                  const TorchOptions &options) {
  Reader reader(source, options);
  try {
    return reader.read();
  } catch (PickleError &error) {
    return Diagnostic{"byte " + std::to_string(error.offset) + ": " +
                      error.message};
  }
}

Problem tamc::planning::toProblem(const TorchSnapshot &snapshot) {
  Problem problem;
  problem.spaces.clear();
  for (const std::vector<int32_t> &stack : snapshot.stacks) {
    std::string note;
    for (int32_t frame : stack)
      note += (note.empty() ? "" : "\n") +
              snapshot.frames[static_cast<size_t>(frame)];
    problem.notes.push_back(std::move(note));
  }
  for (const TorchDevice &device : snapshot.devices) {
    auto space = static_cast<int32_t>(problem.spaces.size());
    std::string name = std::to_string(device.index);
    std::string before = snapshot.devices.size() > 1 ? name + "/" : "";
    problem.spaces.push_back({"device " + name, std::nullopt, 1});
    size_t first = problem.buffers.size();
    problem.buffers.reserve(first + device.lives.size());
    for (const TorchLife &life : device.lives) {
      int32_t i =
          addBuffer(problem, life.lower, life.upper, life.size,
                    before + std::to_string(problem.buffers.size() - first));
      problem.buffers[static_cast<size_t>(i)].space = space;
      problem.buffers[static_cast<size_t>(i)].note = life.stack;
    }
  }
  if (problem.spaces.empty())
    problem.spaces.emplace_back();
  return problem;
}
