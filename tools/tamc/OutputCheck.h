//===- OutputCheck.h - outputs that would replace files ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TOOLS_TAMC_OUTPUTCHECK_H
#define TAMC_TOOLS_TAMC_OUTPUTCHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tamc {

/// The error if one of `outputs` would replace one of `inputs`, the compiler,
/// or another output. "-" is a standard stream, "" no file.
std::optional<std::string> findConflict(llvm::ArrayRef<std::string> inputs,
                                        llvm::ArrayRef<std::string> outputs,
                                        llvm::StringRef executable);

} // namespace tamc

#endif // TAMC_TOOLS_TAMC_OUTPUTCHECK_H
