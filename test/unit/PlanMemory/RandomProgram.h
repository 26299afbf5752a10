//===- RandomProgram.h - random programs on memrefs -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_PLANMEMORY_RANDOMPROGRAM_H
#define TAMC_TEST_UNIT_PLANMEMORY_RANDOMPROGRAM_H

#include <cstdint>
#include <string>

namespace tamc::test {

/// Elements of the buffer that a random program writes its results to.
inline constexpr int64_t kOutputSize = 64;

/// Options of a random program.
struct ProgramOptions {
  uint64_t seed = 0;
  /// Every loop has at least two iterations and every branch is taken, so that
  /// each use of each buffer is executed.
  bool runsEverything = false;
  /// Most buffers have sizes made of `%n`, `%m` and the dimension of `%x`.
  bool isDynamic = false;
  /// Some loops use the buffer of an iteration after they have allocated that
  /// of the next, so that it cannot be planned.
  bool hasUnsafe = false;
  /// Blocks of the function, calls of functions that allocate, parallel loops,
  /// asynchronous ops, elements of vector and complex type, and deallocations
  /// of one of two buffers, of which one may not be planned.
  bool hasAll = false;
};

/// A module with `func.func @program(%out: memref<64xi64>, %seed: i64)`, and
/// `%n: index, %m: index, %x: memref<?xi8>` more if it is dynamic, which are
/// any that are not negative:
/// allocations in nested loops and branches and in two memory spaces, views
/// and views of views, choices between buffers, buffers that loops exchange or
/// carry on and that branches return, copies, deallocations under conditions or
/// none, and with `hasAll` what it names. Every buffer is written before it is
/// read, so that what `%out` holds in the end depends on the arguments alone.
std::string randomProgram(const ProgramOptions &options);

} // namespace tamc::test

#endif // TAMC_TEST_UNIT_PLANMEMORY_RANDOMPROGRAM_H
