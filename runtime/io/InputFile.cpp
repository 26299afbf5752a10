//===- io/InputFile.cpp - a file to read, perhaps compressed --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/InputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tamrt;

/// Compressed bytes that are read at once.
static constexpr size_t kBufferBytes = size_t(64) << 10;

size_t tamrt::decompressionBytes(Compression compression) {
  switch (compression) {
  case Compression::None:
    return 0;
  case Compression::Gzip:
    return kGzipBytes + kBufferBytes;
  case Compression::Zstd:
    return kZstdBytes + kBufferBytes;
  }
  return 0;
}

InputFile::InputFile(InputFile &&other) noexcept { *this = std::move(other); }

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  close();
  name = std::move(other.name);
  descriptor = std::exchange(other.descriptor, -1);
  owned = std::exchange(other.owned, false);
  regular = other.regular;
  fileBytes = other.fileBytes;
  start = other.start;
  std::copy(std::begin(other.magic), std::end(other.magic), magic);
  magicBytes = other.magicBytes;
  magicUsed = other.magicUsed;
  compression = other.compression;
  decompressor = std::move(other.decompressor);
  buffer = std::move(other.buffer);
  used = other.used;
  filled = other.filled;
  consumed = other.consumed;
  return *this;
}

InputFile::~InputFile() { close(); }

void InputFile::close() {
  if (owned)
    ::close(std::exchange(descriptor, -1));
  owned = false;
}

Error InputFile::failure(const char *action) const {
  return Error{
      fmt::format("{}: cannot {}: {}", name, action, std::strerror(errno))};
}

Result<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  const bool standardInput = path == "-";
  file.name = standardInput ? "standard input" : path;
  file.descriptor =
      standardInput ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.descriptor < 0)
    return file.failure("open");
  file.owned = !standardInput;
  struct stat info;
  if (::fstat(file.descriptor, &info) != 0)
    return file.failure("read");
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return file.failure("read");
  }
  file.regular = S_ISREG(info.st_mode);
  if (file.regular)
    file.start = std::max<off_t>(::lseek(file.descriptor, 0, SEEK_CUR), 0);
  if (file.regular && info.st_size > 0)
    file.fileBytes = static_cast<size_t>(info.st_size);
  if (Status s = file.findCompression(); !s)
    return std::move(s).error();
  return file;
}

Status InputFile::findCompression() {
  // A pipe may give fewer bytes at once.
  while (magicBytes < kMagicBytes) {
    Result<size_t> got = readFile(magic + magicBytes, kMagicBytes - magicBytes);
    if (!got)
      return std::move(got).error();
    if (*got == 0)
      break;
    magicBytes += *got;
  }
  compression = compressionOf({magic, magicBytes});
  if (compression == Compression::None)
    return {};
  if (!canDecompress())
    return Error{fmt::format("{}: got {} data, which this model cannot read: "
                             "its runtime has no decompressors",
                             name, nameOf(compression))};
  buffer.reset(new (std::nothrow) char[kBufferBytes]);
  decompressor = makeDecompressor(compression);
  if (!buffer || !decompressor)
    return Error{fmt::format("{}: cannot read {} data: it needs {} bytes of "
                             "memory",
                             name, nameOf(compression),
                             decompressionBytes(compression))};
  std::copy(magic, magic + magicBytes, buffer.get());
  filled = magicBytes;
  return {};
}

/// Reads bytes of the file itself.
Result<size_t> InputFile::readFile(char *at, size_t size) {
  while (true) {
    // Linux reads at most 2 GiB at once.
    const ssize_t got = ::read(descriptor, at, std::min(size, size_t(1) << 30));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failure("read");
    return static_cast<size_t>(got);
  }
}

Result<size_t> InputFile::read(char *at, size_t size) {
  if (compression != Compression::None)
    return readCompressed(at, size);
  if (magicUsed < magicBytes && size > 0) {
    const size_t count = std::min(size, magicBytes - magicUsed);
    std::copy(magic + magicUsed, magic + magicUsed + count, at);
    magicUsed += count;
    return count;
  }
  return readFile(at, size);
}

Result<size_t> InputFile::readCompressed(char *at, size_t size) {
  while (true) {
    const Decompressor::Step step =
        decompressor->step({buffer.get() + used, filled - used}, at, size);
    used += step.read;
    consumed += step.read;
    if (!step.fault.empty())
      return Error{fmt::format("{}: byte {}: corrupt {} data: {}", name,
                               consumed, nameOf(compression), step.fault)};
    if (step.written > 0 || size == 0)
      return step.written;
    if (step.read > 0)
      continue;
    // The bytes that are left are too few to go on.
    std::copy(buffer.get() + used, buffer.get() + filled, buffer.get());
    filled -= std::exchange(used, 0);
    Result<size_t> got = readFile(buffer.get() + filled, kBufferBytes - filled);
    if (!got)
      return got;
    filled += *got;
    if (*got > 0)
      continue;
    if (filled > 0 || !decompressor->mayEnd())
      return Error{fmt::format("{}: byte {}: truncated {} data: the file ends "
                               "here",
                               name, consumed + filled, nameOf(compression))};
    return 0;
  }
}

Status InputFile::rewind(size_t offset) {
  const bool isPlain = compression == Compression::None;
  if (!regular || ::lseek(descriptor, start + (isPlain ? off_t(offset) : 0),
                          SEEK_SET) == off_t(-1))
    return Error{fmt::format("{}: expected a file that can be read twice, got "
                             "a pipe or a device",
                             name)};
  magicUsed = magicBytes;
  if (isPlain)
    return {};
  decompressor->restart();
  used = filled = consumed = 0;
  while (offset > 0) {
    char skipped[4096];
    Result<size_t> got = read(skipped, std::min(offset, sizeof skipped));
    if (!got)
      return std::move(got).error();
    if (*got == 0)
      return Error{
          fmt::format("{}: the file has changed while it was read", name)};
    offset -= *got;
  }
  return {};
}
