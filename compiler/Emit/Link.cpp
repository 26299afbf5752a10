//===- Link.cpp - from objects to executables -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Link.h"

#include "RuntimePath.h"

#include "tamc/Emit/Output.h"
#include "tamc/Emit/TemporaryFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

/// The first compiler driver that is found.
static Expected<std::string> findDriver() {
  if (const char *name = std::getenv("CC"); name && *name) {
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
    return createStringError(Twine("cannot link: CC is '") + name +
                             "', which is not a program");
  }
  for (StringRef name : {"cc", "clang", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return createStringError(
      "cannot link: expected a compiler driver, found none of cc, "
      "clang and gcc; install one or set CC");
}

/// The compiler driver of Debian and others for another machine.
static Expected<std::string> findCrossDriver(StringRef machine) {
  const std::string name = (machine + "-gcc").str();
  if (ErrorOr<std::string> path = sys::findProgramByName(name))
    return *path;
  return createStringError(
      "cannot link: expected the compiler driver '" + name +
      "', found none; install it, for example Debian's package "
      "g++-" +
      machine);
}

static Expected<std::string> findRuntime(const tamc::LinkOptions &options) {
  std::string path =
      tamc::runtimePath(options.executable, options.machine, "libtamrt.a");
  if (!sys::fs::exists(path))
    return createStringError(
        "cannot link: expected the runtime at '" + path + "'" +
        (options.machine.empty() ? ""
                                 : "; a build of tamc makes it if it finds " +
                                       options.machine + "-g++"));
  return path;
}

namespace {

/// A memory file for a program's output, which also works if the disk is full.
class Text {
public:
  Text() : descriptor(memfd_create("tamc", 0)) {}
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;
  ~Text() {
    if (descriptor >= 0)
      close(descriptor);
  }

  /// Its path for a child process.
  std::string path() const {
    return descriptor < 0 ? "" : "/proc/self/fd/" + std::to_string(descriptor);
  }
  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path());
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  int descriptor;
};

} // namespace

Error tamc::linkExecutable(StringRef object, StringRef output,
                           const LinkOptions &options) {
  const bool isCross = !options.machine.empty();
  Expected<std::string> driver =
      isCross ? findCrossDriver(options.machine) : findDriver();
  if (!driver)
    return driver.takeError();
  Expected<std::string> runtime = findRuntime(options);
  if (!runtime)
    return runtime.takeError();

  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  const std::string objectFile = folder->at("model.o");
  const std::string linkedFile = folder->at("model");
  if (Error error = writeOutputs({{objectFile, object}}))
    return error;

  SmallVector<StringRef> arguments{*driver, objectFile, *runtime};
#ifdef TAMC_LINK_FLAGS
  if (!isCross)
    arguments.push_back(TAMC_LINK_FLAGS);
#endif
  // No build id, and no symbol table, which would contain the object's path:
  // equal models give equal files.
  arguments.append({"-Wl,--build-id=none", "-Wl,-s", "-Wl,--gc-sections"});
  // The runtime has its own kernels for factorisations, so there is no BLAS to
  // link; only the C++ library remains to be linked statically.
  arguments.append({options.isStatic ? "-l:libstdc++.a" : "-lstdc++", "-lm",
                    "-lpthread", "-o", linkedFile});
  if (options.isStatic)
    arguments.push_back("-static-libgcc");

  Text text;
  std::string message;
  const std::string path = text.path();
  std::optional<StringRef> redirects[] = {StringRef(), path, path};
  int status = sys::ExecuteAndWait(*driver, arguments, std::nullopt, redirects,
                                   0, 0, &message);
  if (status != 0) {
    std::string why = StringRef(message + "\n" + text.read()).trim().str();
    if (why.empty())
      why = "exit status " + std::to_string(status) + " and no message";
    return createStringError("cannot link with '" + *driver + "': " + why);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked =
      MemoryBuffer::getFile(linkedFile);
  if (!linked || (*linked)->getBufferSize() == 0)
    return createStringError(
        "cannot link with '" + *driver +
        "': expected an executable, got none and no error" +
        StringRef("\n" + text.read()).rtrim());
  return writeOutputs({{output, (*linked)->getBuffer()}}, 0777);
}
