//===- DeviceTarget.h - devices with memory of their own -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_DEVICE_DEVICETARGET_H
#define TAMC_TARGET_DEVICE_DEVICETARGET_H

#include "tamc/Target/Target.h"

namespace tamc {

/// A device whose memory the CPU cannot address. Its backend runs the kernels
/// of kernels.def and nothing else, so no loop over rows is generated for it.
/// The code that launches kernels is for `host`.
std::unique_ptr<Target> createDeviceTarget(std::unique_ptr<Target> host);

} // namespace tamc

#endif // TAMC_TARGET_DEVICE_DEVICETARGET_H
