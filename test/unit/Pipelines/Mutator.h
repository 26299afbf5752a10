//===- Mutator.h - random changes of a module -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_PIPELINES_MUTATOR_H
#define TAMC_TEST_UNIT_PIPELINES_MUTATOR_H

#include "Random.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tamc::reference {

/// Makes one random change to ops, operands, attributes, types, blocks or
/// functions of `module` and returns its description; empty if there was
/// nothing to change. The module stays well-formed in memory, but often not for
/// verifiers.
std::string mutate(mlir::ModuleOp module, Random &random);

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_PIPELINES_MUTATOR_H
