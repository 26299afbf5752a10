//===- cuda/Binding.h - GPUs, or the emulator -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the host side (Host.h) needs of what executes kernels: Kernels.cu for
/// GPUs, Emulated.cpp for the emulator.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_BINDING_H
#define TAMRT_BACKENDS_CUDA_BINDING_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Runtime.h"

#include "tamrt/backend.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamrt::cuda {

struct CallLaunch;

/// The kind of the devices.
const char *kind();

/// The functions that launch kernels.
tamrt_kernels launchTable();

/// A body as a kernel.
struct Kernel {
  /// What the runtime launches, with a Many as its operand.
  const void *function;
  size_t bodyBytes;
  /// Calls that one launch executes at most.
  size_t most;
  /// Whether a block does as much work as many of other kernels.
  bool isLong;
  /// Launches bodies, which have the same threads and shared memory. Returns a
  /// tamrt_status.
  int32_t (*launch)(const Kernel &kernel,
                    std::span<const CallLaunch *const> parts,
                    cudaStream_t stream);
};

/// A body that is to be executed for a call.
struct CallLaunch {
  const Kernel *kernel;
  Grid grid;
  FailureSlot slot;
  /// The body.
  std::vector<std::byte> operands;
};

/// The kernels of Zero (Sums.h), by which a device is tried, of CopyPieces, and
/// of AddRows and JoinSegments.
const Kernel &zeroKernel();
const Kernel &copyKernel();
const Kernel &rowSumsKernel();
const Kernel &joinSegmentsKernel();

/// The most calls of a step that run together. 0: kernels are launched one by
/// one.
int64_t mostCalls();

/// What is wrong with the settings; empty if nothing is.
std::string checkSettings();

/// Called at each search for devices while none is open.
void start(const tamrt_core &core);

/// What is counted besides the host side's counts; may be empty.
std::string furtherCounts();

/// The kernel of a body, as the runtime's calls get it.
template <class Body> const Kernel &kernelOf();

/// Kernel::launch of a body.
template <class Body>
int32_t launchMany(const Kernel &kernel,
                   std::span<const CallLaunch *const> parts,
                   cudaStream_t stream);

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_BINDING_H
