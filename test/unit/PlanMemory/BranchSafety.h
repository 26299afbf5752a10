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
/// the data flow does not make all uses of the one come before all uses of the
/// other. Looks at every pair of uses and every pair of ops, and shares no code
/// with the compiler but the reading of ops.
std::vector<std::pair<int64_t, int64_t>>
findUnorderedSharing(mlir::func::FuncOp program);

} // namespace tamc::test

#endif // TAMC_TEST_UNIT_PLANMEMORY_BRANCHSAFETY_H
