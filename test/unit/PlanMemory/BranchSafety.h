//===- BranchSafety.h - buffers whose order is free -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_PLANMEMORY_BRANCHSAFETY_H
#define TAMC_TEST_UNIT_PLANMEMORY_BRANCHSAFETY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tamc::test {

/// The pairs of buffers of a planned random program that share bytes although
/// the data flow does not order all uses of one before all uses of the other.
/// Compares every pair of uses and every pair of ops, and shares only the
/// reading of ops with the compiler.
std::vector<std::pair<int64_t, int64_t>>
findUnorderedSharing(mlir::func::FuncOp program);

} // namespace tamc::test

#endif // TAMC_TEST_UNIT_PLANMEMORY_BRANCHSAFETY_H
