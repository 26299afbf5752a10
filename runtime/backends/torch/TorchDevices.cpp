//===- torch/TorchDevices.cpp - the devices of LibTorch -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/TorchDevices.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <unistd.h>

#if TAMRT_TORCH_MAJOR >= 2
#include <ATen/detail/MPSHooksInterface.h>
#include <ATen/detail/XPUHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#endif
#ifdef TAMRT_TORCH_XPU
#include <c10/xpu/XPUFunctions.h>
#endif

namespace tamrt::aten {
namespace {

/// Half of the machine's memory: other programs need some.
int64_t memoryOfCpu() {
  return int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 2;
}

#if TAMRT_TORCH_MAJOR >= 2
/// Whether an Intel GPU has memory of its own. Without the headers of SYCL the
/// build cannot ask, and all are taken.
bool isSeparate(int64_t index) {
#ifdef TAMRT_TORCH_XPU
  c10::xpu::DeviceProp properties;
  c10::xpu::get_device_properties(&properties, c10::DeviceIndex(index));
  return !properties.is_integrated_gpu;
#else
  static_cast<void>(index);
  return true;
#endif
}
#endif

/// Loads the library of a device that is not LibTorch's own, if the user has
/// named one. It registers the device as PrivateUse1.
void loadExtension() {
  const char *path = std::getenv("TAMRT_TORCH_EXTENSION");
  if (!path || !*path || ::dlopen(path, RTLD_NOW | RTLD_LOCAL))
    return;
  const char *why = ::dlerror();
  throw std::runtime_error(std::string("TAMRT_TORCH_EXTENSION: ") +
                           (why ? why : "the library cannot be loaded"));
}

} // namespace

std::vector<TorchDevice> findDevices() {
  loadExtension();
  std::vector<TorchDevice> devices = {{"cpu", at::kCPU, "the CPU"}};
#if TAMRT_TORCH_MAJOR >= 2
  if (at::detail::getMPSHooks().hasMPS())
    devices.push_back({"mps", at::Device(at::kMPS, 0), "Apple's GPU"});
  if (at::detail::getXPUHooks().hasXPU())
    for (int64_t i = 0; i < at::detail::getXPUHooks().deviceCount(); ++i)
      if (isSeparate(i))
        devices.push_back({"xpu:" + std::to_string(i),
                           at::Device(at::kXPU, c10::DeviceIndex(i)),
                           "Intel's GPU " + std::to_string(i)});
#endif
  constexpr c10::DeviceType kOther = c10::DeviceType::PrivateUse1;
  if (c10::impl::hasDeviceGuardImpl(kOther)) {
    const std::string name = c10::DeviceTypeName(kOther, /*lower_case=*/true);
    const auto count = c10::impl::getDeviceGuardImpl(kOther)->deviceCount();
    for (int64_t i = 0; i < count; ++i)
      devices.push_back({name + ":" + std::to_string(i),
                         at::Device(kOther, c10::DeviceIndex(i)),
                         "device " + std::to_string(i) + " of an extension"});
  }
  return devices;
}

bool hasBinary64(const at::Device &device) {
  if (device.is_mps())
    return false;
#ifdef TAMRT_TORCH_XPU
  if (device.is_xpu()) {
    c10::xpu::DeviceProp properties;
    c10::xpu::get_device_properties(&properties, device.index());
    return properties.has_fp64;
  }
#endif
  return true;
}

TorchMemory memoryOf(const at::Device &device) {
#if TAMRT_TORCH_MAJOR >= 2
  if (device.is_mps()) {
    const auto &mps = at::detail::getMPSHooks();
    const auto total = int64_t(mps.getRecommendedMaxMemory());
    return {total - int64_t(mps.getDriverAllocatedMemory()), total};
  }
  if (!device.is_cpu()) {
    const auto [free, total] =
        c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index());
    return {int64_t(free), int64_t(total)};
  }
#endif
  const int64_t total = memoryOfCpu();
  return {total, total};
}

void purge(const at::Device &device) {
#if TAMRT_TORCH_MAJOR >= 2
  if (device.is_mps())
    at::detail::getMPSHooks().emptyCache();
  else if (!device.is_cpu())
    c10::getDeviceAllocator(device.type())->emptyCache();
#else
  static_cast<void>(device);
#endif
}

} // namespace tamrt::aten
