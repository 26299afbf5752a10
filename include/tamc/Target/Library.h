//===- Library.h - a model as a static library ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_LIBRARY_H
#define TAMC_TARGET_LIBRARY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tamc {

/// A C identifier for the functions of a model of this name: a character that
/// is no letter, digit or underscore becomes an underscore, and `m` is put
/// before a start that C reserves.
std::string libraryPrefix(llvm::StringRef modelName);

/// The model's name in a module with `tam.model`.
llvm::StringRef moduleName(mlir::ModuleOp module);

/// Whether `text` can be such a prefix.
bool isLibraryPrefix(llvm::StringRef text);

/// The C header of a model, given as `tam.model`: the struct of its data, its
/// functions, named by `prefix`, and include/tamrt/embed.h, so that it needs no
/// other header. `stackBytes` is what its code needs (emitCode). C11 and C++.
/// Depends on its arguments alone.
std::string libraryHeader(mlir::DictionaryAttr model, llvm::StringRef prefix,
                          llvm::StringRef version, int64_t stackBytes);

/// An archive of the object and the runtime for embedded models, whose archive
/// lies beside the running compiler at `executable`. A program needs nothing
/// else but libm. The bytes depend on the two alone. Errors: no such archive.
llvm::Expected<std::string> archiveLibrary(llvm::StringRef object,
                                           llvm::StringRef executable);

} // namespace tamc

#endif // TAMC_TARGET_LIBRARY_H
