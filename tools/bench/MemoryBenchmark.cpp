//===- MemoryBenchmark.cpp - allocators against malloc --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replays traces through libtamrt's allocators, over addresses without memory,
/// and through the malloc that the program is linked with: glibc's, jemalloc's
/// in MemoryBenchmark-jemalloc, mimalloc's in MemoryBenchmark-mimalloc. The
/// bytes are never accessed.
///
///     MemoryBenchmark FOLDER [options of Google Benchmark]
///
/// FOLDER is test/data/planning. Counters for one trace set and allocator:
/// `median` and `p99` of single calls of allocate in ns, minus the clock's own
/// time; `calls`, including releases, in the benchmark's time; `peak`, the most
/// bytes that the allocator has from the system divided by the most bytes in
/// use, as the mean over the traces; and `worst`, the largest of these
/// quotients. For peaks all sizes of a trace are multiplied by a power of two,
/// so that at least 256 MiB are in use and the allocators' initial memory does
/// not matter. tools/bench/memory makes tables of them.
///
//===----------------------------------------------------------------------===//

#include "MemoryTraces.h"

#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#if defined(TAMC_RIVAL_JEMALLOC)
extern "C" int mallctl(const char *name, void *old, size_t *oldSize, void *next,
                       size_t nextSize);
#elif defined(TAMC_RIVAL_MIMALLOC)
#include <mimalloc.h>
#else
#include <malloc.h>
#endif

using namespace tamc::bench;
using namespace tamrt;

namespace {

constexpr size_t spaceBytes = size_t(1) << 46;

/// Best fit in regions that double.
struct BestFit {
  static constexpr const char *name = "bfc";
  FakeMemory space{spaceBytes};
  BestFitAllocator allocator{space};

  void *allocate(size_t bytes) { return allocator.allocate(bytes); }
  void release(void *address) { allocator.release(address); }
  size_t bytes(void *) { return allocator.statistics().reserved.now; }
};

/// Best fit in one region; its peak is the highest address used.
struct OneRegion {
  static constexpr const char *name = "bfc-one-region";
  FakeMemory space{spaceBytes};
  BestFitAllocator allocator{space, options()};

  static BestFitOptions options() {
    BestFitOptions options;
    options.grows = false;
    return options;
  }
  OneRegion() { allocator.reserve(spaceBytes); }
  void *allocate(size_t bytes) { return allocator.allocate(bytes); }
  void release(void *address) { allocator.release(address); }
  size_t bytes(void *latest) {
    return space.offsetOf(latest) + allocator.sizeOf(latest);
  }
};

/// One stream; it never waits.
struct Caching {
  struct OneStream final : Streams {
    StreamEvent record(Stream) noexcept override { return 0; }
    bool passed(StreamEvent) noexcept override { return true; }
    void wait(StreamEvent) noexcept override {}
    void destroy(StreamEvent) noexcept override {}
    void synchronize(Stream) noexcept override {}
  };
  static constexpr const char *name = "caching";
  FakeMemory space{spaceBytes};
  OneStream streams;
  CachingAllocator allocator{space, streams};

  void *allocate(size_t bytes) { return allocator.allocate(bytes, 0); }
  void release(void *address) { allocator.release(address); }
  size_t bytes(void *) { return allocator.statistics().reserved.now; }
};

/// The malloc that the program is linked with, and its memory from the system.
struct Rival {
#if defined(TAMC_RIVAL_JEMALLOC)
  static constexpr const char *name = "jemalloc";
  static size_t total() {
    uint64_t epoch = 1;
    size_t bytes = 0, size = sizeof epoch;
    mallctl("epoch", &epoch, &size, &epoch, size);
    size = sizeof bytes;
    mallctl("stats.mapped", &bytes, &size, nullptr, 0);
    return bytes;
  }
#elif defined(TAMC_RIVAL_MIMALLOC)
  static constexpr const char *name = "mimalloc";
  static size_t total() {
    size_t unused = 0, committed = 0;
    mi_process_info(&unused, &unused, &unused, &unused, &unused, &committed,
                    &unused, &unused);
    return committed;
  }
#else
  static constexpr const char *name = "glibc";
  static size_t total() {
    struct mallinfo2 info = mallinfo2();
    return info.arena + info.hblkhd;
  }
#endif
  size_t before = total();

  void *allocate(size_t bytes) { return std::malloc(bytes); }
  void release(void *address) { std::free(address); }
  size_t bytes(void *) {
    size_t now = total();
    return now > before ? now - before : 0;
  }
};

template <class Each>
void replay(const Trace &trace, std::vector<void *> &slots, const Each &each) {
  for (const Call &call : trace.calls)
    each(call, slots[call.slot]);
}

template <class Allocator>
void call(Allocator &allocator, const Call &what, void *&slot) {
  if (what.bytes == 0) {
    allocator.release(slot);
    return;
  }
  slot = allocator.allocate(what.bytes);
  benchmark::DoNotOptimize(slot);
  if (!slot) {
    std::fprintf(stderr, "error: %s has no %zu bytes\n", Allocator::name,
                 what.bytes);
    std::exit(1);
  }
}

/// The most bytes that an allocator has from the system divided by the most
/// bytes in use, in a process of its own without memory of other traces.
template <class Allocator> double peakOverLive(const Trace &trace) {
  int ends[2];
  if (pipe(ends) != 0)
    std::exit(1);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    std::vector<void *> slots(trace.slots);
    size_t factor = 1, most = 0, calls = 0;
    while (factor * trace.live < size_t(256) << 20)
      factor *= 2;
    Allocator allocator;
    // The query takes microseconds in some mallocs, so it is not made after
    // every call.
    const size_t between = 1 + trace.calls.size() / 100000;
    replay(trace, slots, [&](const Call &what, void *&slot) {
      call(allocator, {what.slot, what.bytes * factor}, slot);
      if (what.bytes != 0 && ++calls % between == 0)
        most = std::max(most, allocator.bytes(slot));
    });
    double ratio = double(most) / double(factor * trace.live);
    bool written = write(ends[1], &ratio, sizeof ratio) == sizeof ratio;
    _exit(written ? 0 : 1);
  }
  double ratio = 0;
  bool isRead = read(ends[0], &ratio, sizeof ratio) == sizeof ratio;
  close(ends[0]);
  close(ends[1]);
  int status = 1;
  waitpid(child, &status, 0);
  if (!isRead || status != 0)
    std::exit(1);
  return ratio;
}

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration span) {
  return std::chrono::duration<double, std::nano>(span).count();
}

/// Time of a pair of clock reads.
double clockTime() {
  std::vector<double> pairs;
  for (int i = 0; i < 10001; ++i) {
    auto begin = Clock::now();
    pairs.push_back(nanoseconds(Clock::now() - begin));
  }
  std::nth_element(pairs.begin(), pairs.begin() + 5000, pairs.end());
  return pairs[5000];
}

/// Times of single allocations, sorted, minus the clock's.
template <class Allocator>
std::vector<double> callTimes(Allocator &allocator, const TraceSet &set,
                              std::vector<void *> &slots) {
  const double clock = clockTime();
  std::vector<double> times;
  while (times.size() < 200000)
    for (const Trace &trace : set.traces)
      replay(trace, slots, [&](const Call &what, void *&slot) {
        auto begin = Clock::now();
        call(allocator, what, slot);
        auto end = Clock::now();
        if (what.bytes != 0)
          times.push_back(std::max(nanoseconds(end - begin) - clock, 0.0));
      });
  std::sort(times.begin(), times.end());
  return times;
}

template <class Allocator>
void run(benchmark::State &state, const TraceSet &set, double peak,
         double worst) {
  size_t calls = 0, slotCount = 0;
  for (const Trace &trace : set.traces) {
    calls += trace.calls.size();
    slotCount = std::max(slotCount, trace.slots);
  }
  std::vector<void *> slots(slotCount);
  Allocator allocator;
  auto all = [&] {
    for (const Trace &trace : set.traces)
      replay(trace, slots, [&](const Call &what, void *&slot) {
        call(allocator, what, slot);
      });
  };
  all();
  for (auto _ : state)
    all();
  std::vector<double> times = callTimes(allocator, set, slots);
  state.counters["median"] = times[times.size() / 2];
  state.counters["p99"] = times[times.size() / 100 * 99];
  state.counters["calls"] = double(calls);
  state.counters["peak"] = peak;
  state.counters["worst"] = worst;
}

template <class Allocator> void add(const TraceSet &set) {
  double sum = 0, worst = 0;
  for (const Trace &trace : set.traces) {
    double ratio = peakOverLive<Allocator>(trace);
    sum += ratio;
    worst = std::max(worst, ratio);
  }
  const double mean = sum / double(set.traces.size());
  benchmark::RegisterBenchmark((set.name + "/" + Allocator::name).c_str(),
                               [&set, mean, worst](benchmark::State &state) {
                                 run<Allocator>(state, set, mean, worst);
                               });
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: MemoryBenchmark FOLDER [options of Google "
                         "Benchmark]\n");
    return 1;
  }
  const std::vector<TraceSet> sets = memoryTraces(argv[1]);
  for (const TraceSet &set : sets) {
    add<BestFit>(set);
    add<OneRegion>(set);
    add<Caching>(set);
    add<Rival>(set);
  }
  argv[1] = argv[0];
  --argc;
  ++argv;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
