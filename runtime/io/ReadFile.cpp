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

/// A descriptor that closes itself, but for standard input.
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

Result<FileBytes> tamrt::readFile(const std::string &path, ReadPolicy policy) {
  bool standardInput = policy == ReadPolicy::TextStream && path == "-";
  std::string name = standardInput ? "standard input" : path;
  auto fail = [&](const char *action, int code) {
    return Error{
        fmt::format("{}: cannot {}: {}", name, action, std::strerror(code))};
  };

  // O_NONBLOCK: opening a pipe as a regular file must not wait for a writer.
  int flags = O_RDONLY | O_CLOEXEC;
  if (policy == ReadPolicy::RegularOnly)
    flags |= O_NONBLOCK;
  Descriptor file{standardInput ? STDIN_FILENO : open(path.c_str(), flags)};
  if (file.number < 0)
    return fail("open", errno);
  struct stat info;
  if (fstat(file.number, &info) != 0)
    return fail("read", errno);
  if (S_ISDIR(info.st_mode))
    return fail("read", EISDIR);
  bool regular = S_ISREG(info.st_mode);
  if (policy == ReadPolicy::RegularOnly && !regular)
    return Error{fmt::format("{}: not a regular file", name)};

  // One byte more than the file tells the end without growing. Files of /proc
  // say they are empty.
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
    size_t count = static_cast<size_t>(got);
    if (!regular) {
      if (const void *zero = std::memchr(at, 0, count)) {
        bytes.size += static_cast<const char *>(zero) - at + 1;
        return bytes;
      }
    }
    bytes.size += count;
  }
}
