//===- Passes.h - passes between dialects -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_PASSES_H
#define TAMC_CONVERSION_PASSES_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tamc {

#define GEN_PASS_DECL
#include "tamc/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tamc/Conversion/Passes.h.inc"

} // namespace tamc

#endif // TAMC_CONVERSION_PASSES_H
