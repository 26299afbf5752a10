//===- KernelVersions.h - kernels for several instruction sets --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_KERNELVERSIONS_H
#define TAMC_EMIT_KERNELVERSIONS_H

#include "tamc/Target/Target.h"

#include "llvm/IR/Module.h"

namespace tamc {

/// Keeps LLVM from inlining the functions with the attribute tamk.versions, so
/// that they can be copied when they are optimised.
void keepKernels(llvm::Module &module);

/// Copies each of these functions, which are code for all machines, for each of
/// `versions`, and makes their callers call the best one for the machine.
/// Optimised code hardly depends on the instruction set, so this comes after
/// the optimisation, which then reads each function once. Returns the copies.
/// Complexity: linear in the functions' instructions and callers.
llvm::SmallVector<llvm::Function *>
writeVersions(llvm::Module &module, llvm::ArrayRef<KernelVersion> versions);

} // namespace tamc

#endif // TAMC_EMIT_KERNELVERSIONS_H
