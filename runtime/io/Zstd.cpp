//===- io/Zstd.cpp - decompression of zstd --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/decompressor.h"

#include <new>

// A decoder in memory of its caller.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

using namespace tamrt;

namespace {

constexpr int kWindowLog = 23;

class Zstd final : public Decompressor {
public:
  /// `memory` has `size` bytes, enough for the largest window.
  Zstd(std::unique_ptr<char[]> given, size_t size)
      : memory(std::move(given)),
        stream(ZSTD_initStaticDStream(memory.get(), size)) {
    restart();
  }

  Step step(std::string_view in, char *out, size_t room) override {
    if (!stream)
      return {0, 0, "not enough memory"};
    ZSTD_inBuffer input = {in.data(), in.size(), 0};
    ZSTD_outBuffer output = {out, room, 0};
    const size_t wanted = ZSTD_decompressStream(stream, &output, &input);
    Step step = {input.pos, output.pos, ""};
    if (ZSTD_isError(wanted))
      step.fault = describe(wanted);
    else if (input.pos > 0 || output.pos > 0)
      isBetween = wanted == 0;
    return step;
  }

  bool mayEnd() const override { return isBetween; }

  void restart() override {
    isBetween = false;
    if (!stream)
      return;
    ZSTD_DCtx_reset(stream, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, kWindowLog);
  }

private:
  static std::string describe(size_t result) {
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_frameParameter_windowTooLarge:
      return "a window above 8 MiB; zstd -19, without --long and --ultra, "
             "compresses with a smaller one";
    case ZSTD_error_memory_allocation:
      // All other memory is there: only old formats need more.
      return "a format of zstd before 0.8";
    case ZSTD_error_dictionary_wrong:
      return "compressed with a dictionary";
    case ZSTD_error_prefix_unknown:
      return "expected a frame or the end of the file";
    default:
      break;
    }
    std::string text = ZSTD_getErrorName(result);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
      text[0] += 'a' - 'A';
    return text;
  }

  std::unique_ptr<char[]> memory;
  ZSTD_DStream *stream;
  /// Whether the next byte is the first of a frame after another.
  bool isBetween = false;
};

} // namespace

std::unique_ptr<Decompressor> tamrt::makeZstdDecompressor() {
  const size_t size = ZSTD_estimateDStreamSize(size_t(1) << kWindowLog);
  if (size + sizeof(Zstd) > kZstdBytes)
    return nullptr;
  std::unique_ptr<char[]> memory(new (std::nothrow) char[size]);
  if (!memory)
    return nullptr;
  return std::unique_ptr<Decompressor>(new (std::nothrow)
                                           Zstd(std::move(memory), size));
}
