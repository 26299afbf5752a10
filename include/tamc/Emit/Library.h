//===- Library.h - a model as a static library ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_LIBRARY_H
#define TAMC_EMIT_LIBRARY_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tamc {

/// A C identifier as prefix of the functions of a model of this name. A
/// character that is not a letter, digit or underscore becomes an underscore;
/// `m` is added before a start that C reserves.
std::string libraryPrefix(llvm::StringRef modelName);

/// Name of the model of a module; empty without `tam.model`.
llvm::StringRef moduleName(mlir::ModuleOp module);

/// Whether `text` is a valid prefix.
bool isLibraryPrefix(llvm::StringRef text);

/// The C header of a model, given as `tam.model`: the struct of its data, its
/// functions, named by `prefix`, and include/tamrt/embed.h, so that it needs no
/// other header. `stackBytes` are the bytes of stack that its code needs
/// (emitCode), `weightBytes` those of its weights (Bake.h), 0 if it has none.
/// C11 and C++. Depends only on its arguments.
std::string libraryHeader(tam::ModelAttr model, llvm::StringRef prefix,
                          llvm::StringRef version, int64_t stackBytes,
                          size_t weightBytes);

/// An archive of the object and the runtime for embedded models, whose archive
/// lies beside the running compiler at `executable`. Besides it a program needs
/// only libm. The bytes depend only on the object and the runtime. It is an
/// error if there is no such runtime.
llvm::Expected<std::string> archiveLibrary(llvm::StringRef object,
                                           llvm::StringRef executable,
                                           llvm::StringRef machine);

} // namespace tamc

#endif // TAMC_EMIT_LIBRARY_H
