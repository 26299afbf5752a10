//===- tools/tam-plan/Snapshot.cpp - reports on memory snapshots ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snapshot.h"

#include "Input.h"

#include "tamc/Planning/Terminal.h"

#include <iostream>
#include <string_view>
#include <unistd.h>

using namespace tamc::planning;

std::variant<TorchSnapshot, Diagnostic> readSnapshot(const std::string &path) {
  Input input(path);
  return readTorchSnapshot(input, {});
}

std::optional<Diagnostic> printEvents(const std::string &path) {
  Input input(path);
  TorchOptions options;
  // As writeOutput() does: a terminal gets no control sequences.
  const bool isTerminal = isatty(STDOUT_FILENO) != 0;
  options.print = [isTerminal](std::string_view line) {
    if (isTerminal)
      std::cout << escapeControls(line) << "\n";
    else
      std::cout << line << "\n";
  };
  auto result = readTorchSnapshot(input, options);
  if (auto *wrong = std::get_if<Diagnostic>(&result))
    return std::move(*wrong);
  return {};
}

/// What PyTorch's own allocator would do.
static Plan replay(const Problem &problem, Options options) {
  options.strategy = "caching";
  return plan(problem, options);
}

std::string reportSnapshot(const TorchSnapshot &snapshot,
                           const Problem &problem, const Plan &made,
                           const Options &options) {
  Plan cached = replay(problem, options);
  return toText(snapshot, made, &cached);
}

std::string reportSnapshotAsJson(const TorchSnapshot &snapshot,
                                 const Problem &problem, const Plan &made,
                                 const Options &options) {
  Plan cached = replay(problem, options);
  return toJson(snapshot, made, &cached);
}

bool isLong(const TorchSnapshot &snapshot) {
  size_t lives = 0;
  for (const TorchDevice &device : snapshot.devices)
    lives += device.lives.size();
  return lives > 1000000;
}

std::string reportLongSnapshot(const TorchSnapshot &snapshot,
                               int64_t alignment) {
  Plan made;
  made.status = Status::Feasible;
  for (const TorchDevice &device : snapshot.devices) {
    made.peak.push_back(peakInOrder(device, alignment));
    made.bound.push_back(device.allocatedPeak);
  }
  return toText(snapshot, made, nullptr) +
         "more than 1000000 allocations: planned in their order; "
         "--strategy=auto takes longer and finds better plans\n";
}
