//===- core/device/Devices.h - finds devices and tests them -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The devices of this machine: backends are found (BackendFiles.h), loaded and
/// queried for devices, and each device is tested before it is used.
///
/// Devices are tried in the order cuda, torch:mps, torch:xpu, cpu. Others, such
/// as `sim`, are used only if requested by name.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_DEVICES_H
#define TAMRT_CORE_DEVICE_DEVICES_H

#include "core/device/BackendFiles.h"
#include "core/device/Device.h"
#include "io/Error.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The report on one device, or on a backend without devices.
struct DeviceReport {
  /// "cuda", "cuda:1" or "torch:cpu".
  std::string label;
  /// The backend's file; empty for the CPU.
  std::string path;
  /// The manufacturer's name; empty if no device was opened.
  std::string name;
  DeviceMemory memory;
  /// Device::reserveBytes.
  int64_t reserveBytes = 0;
  /// The kernels that it lacks: their steps run on the CPU.
  std::vector<std::string> missing;
  /// The tests with their results: "binary64 sum: ok".
  std::vector<std::string> tests;
  /// Why it is skipped; empty if it is trusted.
  std::string why;

  bool isTrusted() const { return why.empty(); }
};

/// All devices of all kinds that have a backend in `folders`, and the CPU, in
/// the order in which they are tried; other kinds come last, by name.
std::vector<DeviceReport>
surveyDevices(const std::vector<BackendFolder> &folders = backendFolders());

/// A device for a run, which lives as long as this object.
class ChosenDevice {
public:
  /// The CPU.
  ChosenDevice() : device(&Device::cpu()) {}
  explicit ChosenDevice(std::unique_ptr<Device> owned)
      : owned(std::move(owned)), device(this->owned.get()) {}

  Device &operator*() const { return *device; }
  Device *operator->() const { return device; }

private:
  std::unique_ptr<Device> owned;
  Device *device;
};

/// For "auto" the first trusted device of the order, else the named one, "cuda"
/// or "cuda:1". Errors: there is no such backend or device, or it is not
/// trusted; the message says why.
Result<ChosenDevice>
chooseDevice(std::string_view label,
             const std::vector<BackendFolder> &folders = backendFolders());

/// The devices of a run: those of a list such as "cuda:0,cuda:1", of one kind
/// and each named once, or what `chooseDevice` chooses. Errors: those of
/// `chooseDevice`, and a list that is none.
Result<std::vector<ChosenDevice>>
chooseDevices(std::string_view list,
              const std::vector<BackendFolder> &folders = backendFolders());

/// Tests a device with a sum that only binary64 computes correctly, and with a
/// factorisation, both with its own kernels in its own memory. Adds the results
/// to `tests`. Errors: the first test that failed.
Status testDevice(Device &device, std::vector<std::string> &tests);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_DEVICES_H
