//===- SavedModule.h - modules that stopped after a phase -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `--compile-to` writes and `--compile-from` reads: a module as text,
/// with a first line that names its phase and has the checksum of the file
/// (tamrt/checksum.h):
///
///     // tamc module after tile, crc32:89abcdef
///
/// A module without such a line, written by hand or by another tool, is read as
/// it is.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_PIPELINES_SAVEDMODULE_H
#define TAMC_PIPELINES_SAVEDMODULE_H

#include "tamc/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace tamc {

/// Writes `module`, which is at `phase`, with its locations: they are the terms
/// of the formula, so that going on gives the same executable.
void saveModule(mlir::ModuleOp module, Phase phase, llvm::raw_ostream &out);

/// Why the text of a module is not one that can go on from `phase`: its first
/// line names another phase, or the text has changed since it was written.
/// None if the text can be parsed, or has no such line.
std::optional<std::string> findSavedModuleFault(llvm::StringRef text,
                                                Phase phase);

} // namespace tamc

#endif // TAMC_PIPELINES_SAVEDMODULE_H
