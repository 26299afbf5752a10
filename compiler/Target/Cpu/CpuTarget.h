//===- CpuTarget.h - the CPU as a target -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_CPU_CPUTARGET_H
#define TAMC_TARGET_CPU_CPUTARGET_H

#include "tamc/Target/Target.h"

namespace tamc {

/// The CPU of the attribute's triple, x86-64 or AArch64 with Linux and GNU
/// libc. Code is for the highest level of that architecture that the
/// attribute's CPU has, and tuned for that CPU; "native" is the CPU that tamc
/// runs on.
llvm::Expected<std::unique_ptr<Target>>
createCpuTarget(tam::TargetAttr attribute);

} // namespace tamc

#endif // TAMC_TARGET_CPU_CPUTARGET_H
