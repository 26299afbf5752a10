//===- OutputCheck.cpp - outputs that would replace files -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"

#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace llvm;

/// Finds a regular file; "-" is the file that the shell has opened for the
/// descriptor.
static bool findFile(StringRef path, int standard,
                     sys::fs::file_status &status) {
  std::error_code code = path == "-" ? sys::fs::status(standard, status)
                                     : sys::fs::status(path, status);
  return !code && sys::fs::is_regular_file(status);
}

std::optional<std::string> tamc::findConflict(ArrayRef<std::string> inputs,
                                              ArrayRef<std::string> outputs,
                                              StringRef executable) {
  sys::fs::file_status in, out;
  for (const std::string &output : outputs) {
    if (!findFile(output, STDOUT_FILENO, out))
      continue;
    for (const std::string &input : inputs)
      if (!input.empty() && findFile(input, STDIN_FILENO, in) &&
          sys::fs::equivalent(in, out))
        return "expected an output that is no input of the run, got '" +
               output + "'";
    if (findFile(executable, STDIN_FILENO, in) && sys::fs::equivalent(in, out))
      return "expected an output that is not the compiler, got '" + output +
             "'";
    for (const std::string &other : outputs)
      if (&other != &output && findFile(other, STDOUT_FILENO, in) &&
          sys::fs::equivalent(in, out))
        return "expected outputs that are different files, got '" + other +
               "' and '" + output + "'";
  }
  return std::nullopt;
}
