//===- Kernels.h - the kernels as the compiler sees them --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A table generated from include/tamrt/kernels.def, the only declaration of
/// the kernels.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_KERNELS_H
#define TAMC_DIALECT_TAMK_IR_KERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tamc::tamk {

/// How a kernel uses a parameter, in the order in which parameters come.
enum class ParameterKind { In, InOptional, InList, Scalar, Out, InOut };

/// Element type of a buffer, or type of a scalar. A list of type Any has
/// buffers of any types.
enum class ElementType { F64, I32, I64, Any };

struct KernelParameter {
  ParameterKind kind;
  ElementType type;
  llvm::StringRef name;
};

struct Kernel {
  /// Without the prefix `tamrt_`.
  llvm::StringRef name;
  llvm::ArrayRef<KernelParameter> parameters;
  /// Its position in kernels.def.
  int64_t position;
  /// Whether no device but the CPU need have it (TAMRT_CPU_KERNEL).
  bool isForCpuAlone;

  /// Parameters of the kinds In, InOptional and InList; Scalar; Out and InOut.
  llvm::ArrayRef<KernelParameter> inputs() const;
  llvm::ArrayRef<KernelParameter> scalars() const;
  llvm::ArrayRef<KernelParameter> outputs() const;
};

/// The kernel of that name, null if there is none. Complexity: constant.
const Kernel *lookupKernel(llvm::StringRef name);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_IR_KERNELS_H
