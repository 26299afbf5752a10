//===- LoopLimit.h - limits of row loops as options -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_LOOPLIMIT_H
#define TAMC_DIALECT_TAM_TRANSFORMS_LOOPLIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <limits>

namespace tamc::tam {

/// The limit of a loop over rows that a pass's option sets: a number; 0 for no
/// bound, which is the largest number here; or -1 for the target's limit,
/// `targetLimit`. Emits an error at `module` for other numbers; `what` says
/// what the limit counts.
inline mlir::FailureOr<int64_t> getLoopLimit(mlir::ModuleOp module,
                                             int64_t option,
                                             int64_t targetLimit,
                                             llvm::StringRef what) {
  if (option < -1)
    return module.emitError("expected at least 0 ")
           << what << " in a loop, or -1 for the target's limit, got "
           << option;
  if (option == -1)
    return targetLimit;
  return option == 0 ? std::numeric_limits<int64_t>::max() : option;
}

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_LOOPLIMIT_H
