//===- TamK.h - the tamk dialect --------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernel launches. See TamKOps.td.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_TAMK_H
#define TAMC_DIALECT_TAMK_IR_TAMK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <string>

#include "tamc/Dialect/TamK/IR/TamKDialect.h.inc"
#include "tamc/Dialect/TamK/IR/TamKEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tamc/Dialect/TamK/IR/TamKAttributes.h.inc"

#define GET_OP_CLASSES
#include "tamc/Dialect/TamK/IR/TamKOps.h.inc"

namespace tamc::tamk {

/// Name of the function attribute that holds the plan of its arena.
inline constexpr llvm::StringLiteral kPlanAttrName = "tamk.plan";

/// On a view of an arena: the row of its buffer in the function's plan.
inline constexpr llvm::StringLiteral kBufferAttrName = "tamk.buffer";

/// On a row loop that steps launch: it is compiled for several instruction
/// sets.
inline constexpr llvm::StringLiteral kKernelAttrName = "tamk.kernel";

/// On such a function: it is compiled for the baseline only. It runs too seldom
/// to make up for the compile time of the other versions.
inline constexpr llvm::StringLiteral kBaselineAttrName = "tamk.baseline";

/// On a function of the LLVM dialect that is compiled for several instruction
/// sets: an attribute that LLVM passes on to the code's function.
inline constexpr llvm::StringLiteral kVersionsAttrName = "tamk.versions";

/// On a step that is translated: it calls generated kernels, which are code of
/// the CPU.
inline constexpr llvm::StringLiteral kCpuCodeAttrName = "tamk.cpu_code";

/// On a step that is translated: the global with the table of its launches.
inline constexpr llvm::StringLiteral kTableAttrName = "tamk.table";

/// On such a step: its function reads that table instead of being code.
inline constexpr llvm::StringLiteral kRunsTableAttrName = "tamk.runs_table";

/// On an scf.if of a row loop: its condition holds once in so many cases, an
/// i32.
inline constexpr llvm::StringLiteral kRarityAttrName = "tamk.rarity";

/// On a buffer that a row loop gets: no other argument has memory of it. As
/// MLIR names it in the LLVM dialect.
inline constexpr llvm::StringLiteral kNoAliasAttrName = "llvm.noalias";

/// Name of the module, beside the steps, that has the row loops.
inline constexpr llvm::StringLiteral kRowLoopsName = "row_loops";

/// The symbol of a row loop, as seen from the steps.
mlir::SymbolRefAttr rowLoopSymbol(mlir::StringAttr loop);

/// The module of the row loops; null if `module` has none. O(symbols).
mlir::ModuleOp findRowLoops(mlir::ModuleOp module);

/// Whether `op` is such a module.
bool isRowLoops(mlir::Operation *op);

/// Whether a loop that takes memrefs of type `type` may be given `actual`, a
/// tensor or a memref.
bool fitsRowLoop(mlir::Type type, mlir::Type actual);

/// Symbol of a generated kernel outside its module, where kernels of other
/// models may have the same name. `prefix` is a C identifier.
inline std::string symbolOf(llvm::StringRef prefix, llvm::StringRef kernel) {
  return (prefix + "_" + kernel).str();
}

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_IR_TAMK_H
