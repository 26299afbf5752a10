//===- cpu/CpuKernels.h - the CPU's kernels ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels of the CPU: one function per kernel of kernels.def, which is
/// their documentation, and the table of them.
///
/// None allocates, blocks or throws; all are safe to call from several threads
/// on different buffers. The result of an accumulating kernel depends neither
/// on how the rows were divided into chunks, nor on the instruction set.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_CPUKERNELS_H
#define TAMRT_KERNELS_CPU_CPUKERNELS_H

#include "tamrt/abi.h"

/// The `kernels` of a context of the CPU.
extern const tamrt_kernels tamrt_cpu_kernels;

namespace tamrt::cpu {

#define TAMRT_IN(type, name) const type *name
#define TAMRT_IN_OPTIONAL(type, name) const type *name
#define TAMRT_IN_LIST(type, name) const type *const *name, int64_t name##_count
#define TAMRT_SCALAR(type, name) type name
#define TAMRT_OUT(type, name) type *name
#define TAMRT_INOUT(type, name) type *name
#define TAMRT_KERNEL(name, ...) void name(tamrt_context *ctx, __VA_ARGS__);
#include "tamrt/kernels.def"
#undef TAMRT_IN
#undef TAMRT_IN_OPTIONAL
#undef TAMRT_IN_LIST
#undef TAMRT_SCALAR
#undef TAMRT_OUT
#undef TAMRT_INOUT

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_CPUKERNELS_H
