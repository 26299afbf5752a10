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

/// Makes one random change to `module`, of ops, operands, attributes, types,
/// blocks or functions, and says which; empty if it found nothing to change.
/// What it leaves is well-formed in memory, though often not for verifiers.
std::string mutate(mlir::ModuleOp module, Random &random);

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_PIPELINES_MUTATOR_H
