//===- io/Decompressor.cpp - compressed bytes to plain ones ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/decompressor.h"

using namespace tamrt;

Compression tamrt::compressionOf(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x1F\x8B"sv))
    return Compression::Gzip;
  if (bytes.starts_with("\x28\xB5\x2F\xFD"sv))
    return Compression::Zstd;
  // Parallel compressors start with a frame that readers skip.
  if (bytes.size() >= kMagicBytes && (bytes[0] & 0xF0) == 0x50 &&
      bytes.substr(1).starts_with("\x2A\x4D\x18"sv))
    return Compression::Zstd;
  return Compression::None;
}

std::string_view tamrt::nameOf(Compression compression) {
  switch (compression) {
  case Compression::None:
    return "plain";
  case Compression::Gzip:
    return "gzip";
  case Compression::Zstd:
    return "zstd";
  }
  return "";
}

bool tamrt::canDecompress() {
#ifdef TAMRT_HAS_DECOMPRESSORS
  return true;
#else
  return false;
#endif
}

std::unique_ptr<Decompressor>
tamrt::makeDecompressor([[maybe_unused]] Compression compression) {
#ifdef TAMRT_HAS_DECOMPRESSORS
  if (compression == Compression::Gzip)
    return makeGzipDecompressor();
  if (compression == Compression::Zstd)
    return makeZstdDecompressor();
#endif
  return nullptr;
}
