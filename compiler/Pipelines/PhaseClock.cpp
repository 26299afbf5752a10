//===- PhaseClock.cpp - time of each phase --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Pipelines/PhaseClock.h"

#include "tamrt/signals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <unistd.h>

using namespace tamc;

/// How long a compilation takes before its phase is shown.
static constexpr std::chrono::seconds kPatience{2};

/// Writes to the terminal without LLVM's streams, which the other thread uses.
static void write(const std::string &text) {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

PhaseClock::PhaseClock(llvm::StringRef name, bool isShown) : name(name) {
  if (!isShown)
    return;
  // Signals are left to the thread that writes files: it blocks them where none
  // may come.
  const tamrt::AllSignalsBlocked blocked;
  watcher = std::thread([this] { watch(); });
}

PhaseClock::~PhaseClock() { stop(); }

void PhaseClock::watch() {
  std::unique_lock lock(mutex);
  if (wake.wait_for(lock, kPatience, [this] { return isDone; }))
    return;
  isLate = true;
  show();
}

/// Shows the current phase. The cursor returns to the start of the line, so
/// that the next message overwrites it.
void PhaseClock::show() {
  if (isLate && !shown.empty())
    write("\r\x1b[K" + name + ": " + shown + " ...\r");
}

void PhaseClock::start(llvm::StringRef phase) {
  Clock::time_point now = Clock::now();
  if (isRunning)
    phases.back().time = now - last;
  phases.push_back({phase.str(), {}});
  last = now;
  isRunning = true;
  std::lock_guard lock(mutex);
  shown = phase.str();
  show();
}

void PhaseClock::stop() {
  if (isRunning) {
    Clock::time_point now = Clock::now();
    phases.back().time = now - last;
    last = now;
    isRunning = false;
  }
  if (!watcher.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isDone = true;
  }
  wake.notify_one();
  watcher.join();
  if (isLate)
    write("\r\x1b[K");
}

void PhaseClock::print(llvm::raw_ostream &out) const {
  auto seconds = [](Clock::duration time) {
    return llvm::format("%9.6f", std::chrono::duration<double>(time).count());
  };
  for (const Phase &phase : phases)
    out << llvm::left_justify(phase.name, 10) << seconds(phase.time) << " s\n";
  out << llvm::left_justify("total", 10) << seconds(last - begin) << " s\n";
}
