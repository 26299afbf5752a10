//===- OutputCheck.cpp - outputs that would replace files -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

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

tamc::LibraryPaths tamc::libraryPaths(StringRef output, StringRef prefix) {
  SmallString<256> archive(output);
  if (archive.empty() || sys::fs::is_directory(archive))
    sys::path::append(archive, "lib" + prefix + ".a");
  SmallString<256> header(sys::path::parent_path(archive));
  StringRef stem = sys::path::stem(archive);
  stem.consume_front("lib");
  sys::path::append(header, stem + ".h");
  return {std::string(archive), std::string(header)};
}

std::optional<std::string> tamc::flushOutput() {
  outs().flush();
  if (!outs().has_error())
    return std::nullopt;
  std::error_code code = outs().error();
  outs().clear_error();
  return "cannot write to stdout: " + code.message();
}
