//===- Planning/Snapshot/SnapshotReport.cpp - what snapshots say ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Terminal.h"
#include "tamc/Planning/TorchSnapshot.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

using namespace tamc::planning;
using Json = nlohmann::ordered_json;

namespace {

constexpr size_t stacksInText = 5, framesInText = 8, stacksInJson = 20;

double fragmentation(int64_t used, int64_t reserved) {
  return reserved > 0
             ? 1 - static_cast<double>(used) / static_cast<double>(reserved)
             : 0;
}

std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * part);
  return text;
}

/// The plan's peak and bound in the space of the device with index i.
std::optional<std::pair<int64_t, int64_t>> planned(const Plan *plan, size_t i) {
  if (!plan || !plan->fits() || i >= plan->peak.size())
    return std::nullopt;
  return std::pair(plan->peak[i], plan->bound[i]);
}

/// More than another number, as "+7.0%". `than` is above 0.
std::string more(int64_t bytes, int64_t than) {
  double part = static_cast<double>(bytes) / static_cast<double>(than) - 1;
  return (part < 0 ? "" : "+") + percent(part);
}

void writeStacks(const TorchSnapshot &snapshot, const TorchDevice &device,
                 std::ostream &out) {
  std::vector<StackShare> shares = stacksAtPeak(device, stacksInText);
  if (!shares.empty())
    out << "  most bytes at the allocated peak\n";
  for (const StackShare &share : shares) {
    out << "    " << share.bytes << " bytes in " << share.count
        << (share.count == 1 ? " allocation" : " allocations") << "\n";
    const auto &stack = snapshot.stacks[static_cast<size_t>(share.stack)];
    for (size_t i = 0; i < std::min(stack.size(), framesInText); ++i)
      out << "      "
          << escapeControls(snapshot.frames[static_cast<size_t>(stack[i])])
          << "\n";
    if (stack.size() > framesInText)
      out << "      and " << stack.size() - framesInText << " more frames\n";
    if (stack.empty())
      out << "      (no stack was recorded)\n";
  }
}

} // namespace

std::vector<StackShare> tamc::planning::stacksAtPeak(const TorchDevice &device,
                                                     size_t most) {
  std::map<int32_t, StackShare> byStack;
  for (const TorchLife &life : device.lives)
    if (life.lower <= device.peakTime && device.peakTime < life.upper) {
      StackShare &share = byStack[life.stack];
      share.stack = life.stack;
      share.bytes += life.size;
      ++share.count;
    }
  std::vector<StackShare> shares;
  for (auto &[stack, share] : byStack)
    shares.push_back(share);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const StackShare &a, const StackShare &b) {
                     return a.bytes > b.bytes;
                   });
  shares.resize(std::min(shares.size(), most));
  return shares;
}

std::string tamc::planning::toText(const TorchSnapshot &snapshot,
                                   const Plan &plan, const Plan *replay) {
  std::ostringstream out;
  for (size_t i = 0; i < snapshot.devices.size(); ++i) {
    const TorchDevice &device = snapshot.devices[i];
    out << "device " << device.index << ": " << device.events << " events, "
        << device.lives.size() << " allocations, " << device.before
        << " of them from before the trace, " << device.after
        << " alive at its end\n";
    out << "  allocated peak  " << device.allocatedPeak << ", at event "
        << device.peakTime << "\n";
    if (device.hasSegments) {
      out << "  reserved peak   " << device.reservedPeak << ", fragmentation "
          << percent(fragmentation(device.allocatedPeak, device.reservedPeak))
          << "\n"
          << "  reserved there  " << device.reservedAtPeak << "\n"
          << "  at the end      " << device.reserved << " reserved, "
          << device.unused << " unused, the largest stretch "
          << device.largestUnused << "\n";
    } else {
      out << "  reserved peak   unknown: a profile has no segments\n";
    }
    if (auto found = planned(replay, i))
      out << "  caching, replay " << found->first << ", fragmentation "
          << percent(fragmentation(device.allocatedPeak, found->first)) << "\n";
    if (auto found = planned(&plan, i)) {
      out << "  static plan     " << found->first << ", bound "
          << found->second;
      if (device.hasSegments && device.reservedPeak > 0)
        out << ", " << more(found->first, device.reservedPeak)
            << " of reserved";
      else if (auto other = planned(replay, i); other && other->first > 0)
        out << ", " << more(found->first, other->first) << " of caching";
      out << "\n";
    }
    if (device.outOfMemory > 0)
      out << "  out of memory   " << device.outOfMemory << " times\n";
    if (device.overlaps > 0)
      out << "  note: " << device.overlaps
          << " allocations at an address in use; the trace lacks events\n";
    for (const auto &[name, count] : device.unknown)
      out << "  note: " << count << " events with the unknown action '"
          << escapeControls(name) << "' were ignored\n";
    writeStacks(snapshot, device, out);
  }
  return out.str();
}

std::string tamc::planning::toJson(const TorchSnapshot &snapshot,
                                   const Plan &plan, const Plan *replay) {
  Json devices = Json::array();
  for (size_t i = 0; i < snapshot.devices.size(); ++i) {
    const TorchDevice &device = snapshot.devices[i];
    Json json = {{"device", device.index},
                 {"events", device.events},
                 {"allocations", device.lives.size()},
                 {"before", device.before},
                 {"after", device.after},
                 {"allocated_peak", device.allocatedPeak},
                 {"peak_time", device.peakTime}};
    if (device.hasSegments) {
      json["reserved_peak"] = device.reservedPeak;
      json["reserved_at_peak_time"] = device.reservedAtPeak;
      json["reserved"] = device.reserved;
      json["unused"] = device.unused;
      json["largest_unused"] = device.largestUnused;
      json["fragmentation"] =
          fragmentation(device.allocatedPeak, device.reservedPeak);
    }
    if (auto found = planned(replay, i))
      json["caching_replayed"] = found->first;
    if (auto found = planned(&plan, i)) {
      json["planned"] = found->first;
      json["bound"] = found->second;
    }
    json["out_of_memory"] = device.outOfMemory;
    json["overlaps"] = device.overlaps;
    if (!device.unknown.empty())
      json["unknown_actions"] = device.unknown;
    json["stacks_at_peak"] = Json::array();
    for (const StackShare &share : stacksAtPeak(device, stacksInJson)) {
      Json frames = Json::array();
      for (int32_t frame : snapshot.stacks[static_cast<size_t>(share.stack)])
        frames.push_back(snapshot.frames[static_cast<size_t>(frame)]);
      json["stacks_at_peak"].push_back({{"bytes", share.bytes},
                                        {"allocations", share.count},
                                        {"frames", std::move(frames)}});
    }
    devices.push_back(std::move(json));
  }
  Json root = {{"devices", std::move(devices)}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}
