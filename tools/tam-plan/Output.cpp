//===- tools/tam-plan/Output.cpp - atomic output files --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "tamc/Planning/Terminal.h"
#include "tamrt/signals.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// The lines without control sequences.
std::string escapeLines(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    escaped += tamc::planning::escapeControls(text.substr(0, length));
    text.remove_prefix(length);
    if (text.empty())
      break;
    escaped += '\n';
    text.remove_prefix(1);
  }
  return escaped;
}

/// Writes all bytes, to a terminal without control sequences; returns an error
/// message, or empty.
std::string writeAll(int descriptor, std::string_view bytes) {
  std::string escaped;
  if (isatty(descriptor)) {
    escaped = escapeLines(bytes);
    bytes = escaped;
  }
  while (!bytes.empty()) {
    ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::strerror(errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

std::string writeDirectly(const std::string &path, std::string_view bytes) {
  int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::strerror(errno);
  std::string wrong = writeAll(descriptor, bytes);
  if (close(descriptor) != 0 && wrong.empty())
    wrong = std::strerror(errno);
  return wrong;
}

/// No signal ends the process while there is a temporary file.
std::string writeBeside(const std::string &target, mode_t mode,
                        std::string_view bytes) {
  const tamrt::AllSignalsBlocked blocked;
  std::string temporary = target + ".XXXXXX";
  int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0)
    return std::strerror(errno);
  std::string wrong = writeAll(descriptor, bytes);
  if (wrong.empty() &&
      (fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0))
    wrong = std::strerror(errno);
  if (close(descriptor) != 0 && wrong.empty())
    wrong = std::strerror(errno);
  if (wrong.empty() && rename(temporary.c_str(), target.c_str()) != 0)
    wrong = std::strerror(errno);
  if (!wrong.empty())
    unlink(temporary.c_str());
  return wrong;
}

/// The regular file with a name; "-" is the file of its descriptor.
bool findFile(const std::string &path, int standard, struct stat &status) {
  return (path == "-" ? fstat(standard, &status)
                      : stat(path.c_str(), &status)) == 0 &&
         S_ISREG(status.st_mode);
}

} // namespace

bool isInput(const std::string &output, const std::string &input) {
  struct stat in, out;
  return findFile(output, STDOUT_FILENO, out) &&
         findFile(input, STDIN_FILENO, in) && in.st_dev == out.st_dev &&
         in.st_ino == out.st_ino;
}

std::string writeOutput(const std::string &path, std::string_view bytes) {
  std::string wrong;
  struct stat status;
  if (path == "-") {
    wrong = writeAll(STDOUT_FILENO, bytes);
  } else if (stat(path.c_str(), &status) == 0) {
    std::string target = path;
    if (char *resolved = realpath(path.c_str(), nullptr)) {
      target = resolved;
      std::free(resolved);
    }
    if (S_ISDIR(status.st_mode))
      wrong = std::strerror(EISDIR);
    else if (S_ISREG(status.st_mode))
      wrong = access(path.c_str(), W_OK) == 0
                  ? writeBeside(target, status.st_mode & 0777, bytes)
                  : std::strerror(errno);
    else
      wrong = writeDirectly(path, bytes);
  } else {
    mode_t mask = umask(0);
    umask(mask);
    wrong = writeBeside(path, 0666 & ~mask, bytes);
  }
  return wrong.empty() ? wrong : "cannot write: " + wrong;
}
