//===- Link.h - from objects to executables ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_LINK_H
#define TAMC_EMIT_LINK_H

#include "llvm/Support/Error.h"

#include <string>

namespace tamc {

struct LinkOptions {
  /// Link all libraries but libc statically.
  bool isStatic = false;
  /// Path of the running compiler: the runtime archive lies beside it.
  std::string executable;
  /// Name of the machine to link for (Target::getCrossName); empty: this one.
  std::string machine;
};

/// Links an object, given by its bytes, with the runtime archive through the
/// system's compiler driver: $CC, else cc, clang or gcc, whichever is found
/// first. The output is written completely or not at all; its bytes do not
/// depend on its name. Errors contain the driver's messages.
llvm::Error linkExecutable(llvm::StringRef object, llvm::StringRef output,
                           const LinkOptions &options);

} // namespace tamc

#endif // TAMC_EMIT_LINK_H
