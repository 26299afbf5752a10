//===- RuntimePath.h - where the runtime's archives are --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_RUNTIMEPATH_H
#define TAMC_EMIT_RUNTIMEPATH_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tamc {

/// The path of an archive of the runtime, in a build and in an installation:
/// below lib/tamrt beside the folder of the compiler `executable`, in a folder
/// of its own for another machine (Target::getCrossName).
std::string runtimePath(llvm::StringRef executable, llvm::StringRef machine,
                        llvm::StringRef archive);

} // namespace tamc

#endif // TAMC_EMIT_RUNTIMEPATH_H
