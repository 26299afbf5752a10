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

#include "tamrt/backend.h"

#include <cstdint>
#include <string>

namespace tamrt::cuda {

/// The kind of the devices.
const char *kind();

/// The functions that launch kernels.
tamrt_kernels launchTable();

/// The kernels of Zero (Sums.h), by which a device is tried, and of CopyPieces.
const void *zeroKernel();
const void *copyKernel();

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
template <class Body> const void *kernelOf();

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_BINDING_H
