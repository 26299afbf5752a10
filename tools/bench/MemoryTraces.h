//===- MemoryTraces.h - traces of allocator calls ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_BENCH_MEMORYTRACES_H
#define TAMC_BENCH_MEMORYTRACES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tamc::bench {

/// An allocation of `bytes` (1 or more) into a slot; 0 bytes: the release of
/// the slot's block.
struct Call {
  uint32_t slot;
  size_t bytes;
};

/// A list of calls after which nothing is in use.
struct Trace {
  std::string name;
  std::vector<Call> calls;
  size_t slots = 0;
  /// The most bytes that are in use at one time.
  size_t live = 0;
};

/// Traces that are reported together.
struct TraceSet {
  std::string name;
  std::vector<Trace> traces;
};

/// The problems of `folder`, which is test/data/planning, in the order of their
/// programs; one set of random calls with sizes of 8 bytes to 1 GiB, and one
/// with sizes to 64 KiB. Ends the program if a file cannot be read.
std::vector<TraceSet> memoryTraces(const std::string &folder);

} // namespace tamc::bench

#endif // TAMC_BENCH_MEMORYTRACES_H
