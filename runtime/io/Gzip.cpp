//===- io/Gzip.cpp - decompression of gzip --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/decompressor.h"

#include <algorithm>
#include <climits>
#include <new>
#include <zlib.h>

using namespace tamrt;

namespace {

/// 15: the largest window. 16 more: gzip's header and check sum.
constexpr int kWindowBits = 15 + 16;
/// The first byte of a member.
constexpr char kMagic = '\x1F';

class Gzip final : public Decompressor {
public:
  Gzip() {
    stream.zalloc = allocate;
    stream.zfree = [](void *, void *) {};
    stream.opaque = this;
    isReady = inflateInit2(&stream, kWindowBits) == Z_OK;
  }

  Step step(std::string_view in, char *out, size_t room) override {
    Step step;
    if (!isReady)
      return {0, 0, "not enough memory"};
    if (isBetween) {
      // After the last member: padding.
      while (hasMember && step.read < in.size() && in[step.read] == 0)
        ++step.read;
      isPadded |= step.read > 0;
      if (step.read > 0 || in.empty())
        return step;
      if (isPadded)
        return {0, 0, "expected the end of the file after zero bytes"};
      if (hasMember && in[0] != kMagic)
        return {0, 0, "expected a member or the end of the file"};
      isBetween = false;
    }
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
    stream.avail_in = uInt(std::min<size_t>(in.size(), UINT_MAX));
    stream.next_out = reinterpret_cast<Bytef *>(out);
    stream.avail_out = uInt(std::min<size_t>(room, UINT_MAX));
    const uInt given = stream.avail_in, space = stream.avail_out;
    const int status = inflate(&stream, Z_NO_FLUSH);
    step.read = given - stream.avail_in;
    step.written = space - stream.avail_out;
    if (status == Z_STREAM_END) {
      hasMember = isBetween = true;
      inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      step.fault = stream.msg ? stream.msg : "not enough memory";
    }
    return step;
  }

  bool mayEnd() const override { return hasMember && isBetween; }

  void restart() override {
    inflateReset(&stream);
    isBetween = true;
    hasMember = isPadded = false;
  }

private:
  /// Takes the next bytes of the memory: inflate allocates its state and its
  /// window, once.
  static void *allocate(void *self, unsigned count, unsigned size) {
    auto &gzip = *static_cast<Gzip *>(self);
    constexpr size_t alignment = alignof(std::max_align_t);
    const size_t bytes =
        (size_t(count) * size + alignment - 1) / alignment * alignment;
    if (bytes > sizeof gzip.memory - gzip.used)
      return nullptr;
    void *result = gzip.memory + gzip.used;
    gzip.used += bytes;
    return result;
  }

  z_stream stream = {};
  bool isReady = false;
  /// Whether the next byte is the first of a member, whether there was one, and
  /// whether zero bytes followed it.
  bool isBetween = true, hasMember = false, isPadded = false;
  size_t used = 0;
  alignas(std::max_align_t) unsigned char memory[kGzipBytes - 1024];
};

static_assert(sizeof(Gzip) <= kGzipBytes);

} // namespace

std::unique_ptr<Decompressor> tamrt::makeGzipDecompressor() {
  return std::unique_ptr<Decompressor>(new (std::nothrow) Gzip);
}
