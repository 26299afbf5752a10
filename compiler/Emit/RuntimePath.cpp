//===- RuntimePath.cpp - where the runtime's archives are -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePath.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

std::string tamc::runtimePath(StringRef executable, StringRef machine,
                              StringRef archive) {
  SmallString<256> path(sys::path::parent_path(executable));
  sys::path::append(path, "..", "lib", "tamrt", machine);
  sys::path::append(path, archive);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}
