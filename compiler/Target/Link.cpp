//===- Link.cpp - from objects to executables -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/Link.h"

#include "tamc/Target/Output.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <cstdlib>

using namespace llvm;

static Error failure(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The first compiler driver there is.
static Expected<std::string> findDriver() {
  if (const char *name = std::getenv("CC"); name && *name) {
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
    return failure(Twine("cannot link: CC is '") + name +
                   "', which is not a program");
  }
  for (StringRef name : {"cc", "clang", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return failure("cannot link: expected a compiler driver, found none of cc, "
                 "clang and gcc; install one or set CC");
}

/// The runtime archive: beside the compiler, in a build as in an installation.
static Expected<std::string> findRuntime(StringRef executable) {
  SmallString<256> path(sys::path::parent_path(executable));
  sys::path::append(path, "..", "lib", "tamrt", "libtamrt.a");
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (!sys::fs::exists(path))
    return failure("cannot link: expected the runtime at '" + path + "'");
  return std::string(path);
}

Error tamc::linkExecutable(StringRef object, StringRef output,
                           const LinkOptions &options) {
  Expected<std::string> driver = findDriver();
  if (!driver)
    return driver.takeError();
  Expected<std::string> runtime = findRuntime(options.executable);
  if (!runtime)
    return runtime.takeError();

  SmallString<128> temporary;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tamc-link", "exe", temporary))
    return failure("cannot make a temporary file: " + code.message());
  FileRemover removeTemporary(temporary);
  sys::RemoveFileOnSignal(temporary);
  SmallString<128> errors;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tamc-link", "txt", errors))
    return failure("cannot make a temporary file: " + code.message());
  FileRemover removeErrors(errors);
  sys::RemoveFileOnSignal(errors);

  SmallVector<StringRef> arguments{*driver, object, *runtime};
#ifdef TAMC_LINK_FLAGS
  arguments.push_back(TAMC_LINK_FLAGS);
#endif
  // No build id, no symbol table of names that carry the object's path: equal
  // models are equal files.
  arguments.append({"-Wl,--build-id=none", "-Wl,-s", "-Wl,--gc-sections"});
  // The runtime factors with its own kernels, so there is no BLAS to link; what
  // is left to make static is the C++ library.
  arguments.append({options.isStatic ? "-l:libstdc++.a" : "-lstdc++", "-lm",
                    "-lpthread", "-o", temporary.str()});
  if (options.isStatic)
    arguments.push_back("-static-libgcc");

  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(), errors.str(),
                                          errors.str()};
  int status = sys::ExecuteAndWait(*driver, arguments, std::nullopt, redirects,
                                   0, 0, &message);
  if (status != 0) {
    if (auto buffer = MemoryBuffer::getFile(errors))
      message += (*buffer)->getBuffer();
    return failure("cannot link with '" + *driver +
                   "': " + StringRef(message).trim());
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked =
      MemoryBuffer::getFile(temporary);
  if (!linked)
    return failure("cannot read the linked executable: " +
                   linked.getError().message());
  return writeOutput(output, (*linked)->getBuffer(), 0777);
}
