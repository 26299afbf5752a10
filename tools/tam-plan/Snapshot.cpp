//===- tools/tam-plan/Snapshot.cpp - reports on memory snapshots -*- C++
//-*-===//
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

std::variant<TorchSnapshot, Diagnostic> readSnapshot(const std::string &path,
                                                     bool printEvents) {
  Input input(path);
  TorchOptions options;
  // As writeOutput() does: a terminal gets no control sequences.
  const bool isTerminal = isatty(STDOUT_FILENO) != 0;
  if (printEvents)
    options.print = [isTerminal](std::string_view line) {
      if (isTerminal)
        std::cout << escapeControls(line) << "\n";
      else
        std::cout << line << "\n";
    };
  return readTorchSnapshot(input, options);
}

std::string reportSnapshot(const TorchSnapshot &snapshot,
                           const Problem &problem, const Plan &made,
                           Options options, bool asJson) {
  options.strategy = "caching";
  Plan replay = plan(problem, options);
  return asJson ? toJson(snapshot, made, &replay)
                : toText(snapshot, made, &replay);
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
