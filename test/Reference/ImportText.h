//===- ImportText.h - the solver graph of a spec ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_IMPORTTEXT_H
#define TAMC_TEST_REFERENCE_IMPORTTEXT_H

#include "Table.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace tamc::reference {

/// Imports the spec `yaml` with the levels of `train`. Null after an error,
/// whose text is added to `errors`.
mlir::OwningOpRef<mlir::ModuleOp> importText(mlir::MLIRContext &context,
                                             const std::string &yaml,
                                             const Table &train,
                                             std::string &errors);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_IMPORTTEXT_H
