//===- MemoryTraces.cpp - traces of allocator calls -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryTraces.h"

#include "tamc/Planning/Csv.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <tuple>
#include <variant>

using namespace tamc::bench;
using namespace tamc::planning;

namespace {

void countLive(Trace &trace) {
  std::vector<size_t> held(trace.slots, 0);
  size_t live = 0;
  for (const Call &call : trace.calls) {
    live -= held[call.slot];
    held[call.slot] = call.bytes;
    live += call.bytes;
    trace.live = std::max(trace.live, live);
  }
}

Trace traceOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto read = readCsv(text.str());
  if (!file || !std::holds_alternative<Problem>(read)) {
    std::fprintf(stderr, "%s: error: expected a planning problem\n",
                 path.c_str());
    std::exit(1);
  }
  const auto &problem = std::get<Problem>(read);
  // Time, releases first, slot.
  std::vector<std::tuple<int64_t, bool, uint32_t>> events;
  for (uint32_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.size == 0 || buffer.live.empty() ||
        buffer.live.front().lower == buffer.live.back().upper)
      continue;
    events.push_back({buffer.live.front().lower, true, i});
    events.push_back({buffer.live.back().upper, false, i});
  }
  std::sort(events.begin(), events.end());
  Trace trace;
  trace.name = path.stem().string();
  trace.slots = problem.buffers.size();
  for (auto [time, begins, slot] : events)
    trace.calls.push_back(
        {slot, begins ? size_t(problem.buffers[slot].size) : 0});
  countLive(trace);
  return trace;
}

/// Log-uniform sizes up to `most`.
Trace randomTrace(const char *name, double most, size_t slots, size_t calls) {
  std::mt19937_64 random(2026);
  Trace trace;
  trace.name = name;
  trace.slots = slots;
  std::vector<bool> held(slots);
  while (trace.calls.size() < calls) {
    auto slot = static_cast<uint32_t>(random() % slots);
    double unit = std::generate_canonical<double, 53>(random);
    trace.calls.push_back(
        {slot, held[slot] ? 0 : size_t(8 * std::pow(most / 8, unit))});
    held[slot] = !held[slot];
  }
  for (uint32_t slot = 0; slot < slots; ++slot)
    if (held[slot])
      trace.calls.push_back({slot, 0});
  countLive(trace);
  return trace;
}

} // namespace

std::vector<TraceSet> tamc::bench::memoryTraces(const std::string &folder) {
  std::vector<TraceSet> sets;
  for (const char *name : {"minimalloc", "glow", "tvm"}) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder + "/" + name))
      if (entry.path().extension() == ".csv")
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    TraceSet &set = sets.emplace_back();
    set.name = name;
    for (const std::filesystem::path &file : files)
      set.traces.push_back(traceOf(file));
  }
  for (const char *name : {"resnet50", "S_1"})
    sets.push_back({name, {traceOf(folder + "/large/" + name + ".csv")}});
  sets.push_back(
      {"random", {randomTrace("random", size_t(1) << 30, 200, 200000)}});
  sets.push_back(
      {"random-small", {randomTrace("random-small", 1 << 16, 20000, 400000)}});
  return sets;
}
