//===- cuda/Fake.h - a driver on the host -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The calls of Runtime.h without a GPU: memory is the host's, and the emulator
/// executes kernels. It does no more than CUDA promises:
///
/// - addresses of devices and handles are no addresses of the CPU;
/// - work in streams is done late, in an order of streams that changes, unless
///   the emulator's order is `forward`; the calls of a launch run in the
///   emulator's order, too;
/// - kernels access memory of their device and page-locked memory, nothing
///   else; a copy to other memory of the CPU waits for the stream, and is
///   counted;
/// - each error of the caller is reported as CUDA does: handles that were
///   destroyed or belong to another device, memory that was freed. After an
///   error of a kernel every call on its device fails.
///
/// The n-th call, or the n-th of one name, can fail.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_FAKE_H
#define TAMRT_BACKENDS_CUDA_FAKE_H

#include "backends/cuda/Emulator.h"
#include "backends/cuda/Runtime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tamrt::cuda::fake {

struct Settings {
  Order order = Order::Forward;
  uint64_t seed = 0;
  bool countsBanks = false;
  int devices = 1;
  /// Of each device.
  int64_t memoryBytes = int64_t(1) << 30;
  /// Its compute capability, times ten.
  int capability = 90;
  int multiprocessors = 132;
  /// The version of CUDA that the driver supports; 0: there is no driver.
  int driver = 13000;
  /// The call that fails, counted from 1, and how many from there on. 0: none.
  uint64_t failAt = 0, failures = 1;
  /// Only calls of this name count; empty: all.
  std::string failCall;
  int error = cudaErrorMemoryAllocation;
  /// What the caller did wrong.
  std::function<void(const std::string &)> log;
};

/// Forgets everything and starts anew.
void start(const Settings &settings);

/// The emulator's counts, the calls that count for `failAt`, and copies that
/// waited for a stream because memory was not page-locked.
const Counts &counts();
uint64_t calls();
uint64_t waitingCopies();

/// One of the bodies that a launch executes.
struct Part {
  Grid grid;
  FailureSlot slot;
  /// The body.
  const void *body;
};

/// A body as a kernel.
struct Kernel {
  const char *name;
  /// Of a Many.
  size_t bytes;
  /// The parts of a Many, whose threads and shared memory `grid` has.
  std::vector<Part> (*parts)(const void *many, const Grid &grid);
  /// Runs a part of the launch that the emulator has begun.
  Failure (*run)(Emulator &emulator, const Part &part);
};

/// Makes a kernel known, so that it can be launched.
const void *add(const Kernel &kernel);

template <class Body> const void *kernelOf() {
  static constexpr Kernel kernel = {
      Body::name, sizeof(Many<Body>),
      [](const void *operands, const Grid &grid) {
        const auto &many = *static_cast<const Many<Body> *>(operands);
        std::vector<Part> parts;
        uint32_t first = 0;
        for (int i = 0; i < many.count; first = many.ends[i++])
          parts.push_back({{many.ends[i] - first, grid.threads, grid.shared},
                           many.slots[i],
                           &many.bodies[i]});
        return parts;
      },
      [](Emulator &emulator, const Part &part) {
        return emulator.runPart(part.grid,
                                *static_cast<const Body *>(part.body));
      }};
  static const void *const added = add(kernel);
  return added;
}

} // namespace tamrt::cuda::fake

#endif // TAMRT_BACKENDS_CUDA_FAKE_H
