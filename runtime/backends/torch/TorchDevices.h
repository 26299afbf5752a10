//===- torch/TorchDevices.h - the devices of LibTorch --------- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The torch devices of this machine. What is special to one kind is here.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_TORCHDEVICES_H
#define TAMRT_BACKENDS_TORCH_TORCHDEVICES_H

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tamrt::aten {

struct TorchDevice {
  /// "cpu", "mps", "xpu:0": behind the kind and a colon it is the device's
  /// label.
  std::string name;
  at::Device device;
  /// For people.
  std::string description;
};

/// The devices of this machine, the CPU first. Intel GPUs that share the CPU's
/// memory are left out. Devices of a library that TAMRT_TORCH_EXTENSION names
/// come last. Throws what LibTorch throws, and if the library cannot be loaded.
std::vector<TorchDevice> findDevices();

/// Whether it computes with binary64.
bool hasBinary64(const at::Device &device);

/// Free and total bytes of a device's memory.
struct TorchMemory {
  int64_t freeBytes, totalBytes;
};
TorchMemory memoryOf(const at::Device &device);

/// Returns memory that LibTorch keeps for reuse to the device.
void purge(const at::Device &device);

} // namespace tamrt::aten

#endif // TAMRT_BACKENDS_TORCH_TORCHDEVICES_H
