//===- io/ReadFile.cpp - whole files in memory ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/ReadFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace tamrt;

namespace {

/// A descriptor that closes itself, except standard input.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDIN_FILENO)
      close(number);
  }
};

} // namespace

static std::unique_ptr<char[]> allocate(size_t size) {
  return std::unique_ptr<char[]>(new (std::nothrow) char[size]);
}

Result<FileBytes> tamrt::readFile(const std::string &path) {
  bool standardInput = path == "-";
  std::string name = standardInput ? "standard input" : path;
  auto fail = [&](const char *action, int code) {
    return Error{
        fmt::format("{}: cannot {}: {}", name, action, std::strerror(code))};
  };

  // O_NONBLOCK: opening a pipe as a regular file must not wait for a writer.
  Descriptor file{standardInput
                      ? STDIN_FILENO
                      : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    return fail("open", errno);
  struct stat info;
  if (fstat(file.number, &info) != 0)
    return fail("read", errno);
  if (S_ISDIR(info.st_mode))
    return fail("read", EISDIR);
  bool regular = S_ISREG(info.st_mode);
  // A device may have no end.
  bool isPipe =
      standardInput && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
  if (!regular && !isPipe)
    return Error{fmt::format("{}: not a regular file", name)};

  // One byte more than the file's size detects its end without growing. Files
  // of /proc report size 0.
  constexpr size_t kSmallest = size_t(1) << 16;
  size_t capacity = kSmallest;
  if (regular && info.st_size > 0)
    capacity = static_cast<size_t>(info.st_size) + 1;
  FileBytes bytes{allocate(capacity), 0};
  if (!bytes.data)
    return fail("read", ENOMEM);
  while (true) {
    if (bytes.size == capacity) {
      FileBytes larger{allocate(2 * capacity), bytes.size};
      if (!larger.data)
        return fail("read", ENOMEM);
      std::memcpy(larger.data.get(), bytes.data.get(), bytes.size);
      bytes = std::move(larger);
      capacity *= 2;
    }
    // Linux reads at most 2 GiB at once.
    char *at = bytes.data.get() + bytes.size;
    size_t wanted = std::min(capacity - bytes.size, size_t(1) << 30);
    ssize_t got = read(file.number, at, wanted);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail("read", errno);
    if (got == 0)
      return bytes;
    bytes.size += static_cast<size_t>(got);
  }
}
