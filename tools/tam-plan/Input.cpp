//===- tools/tam-plan/Input.cpp - input files -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

std::string gunzip(std::string &bytes) {
  if (!bytes.starts_with("\x1f\x8b"))
    return {};
  z_stream stream = {};
  // 16 more than the bits of the window: the header is that of gzip.
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return "cannot begin to decompress";
  std::string text, wrong;
  size_t given = 0;
  char buffer[1 << 16];
  constexpr size_t most = size_t(1) << 32;
  while (wrong.empty()) {
    if (stream.avail_in == 0) {
      size_t part = std::min<size_t>(bytes.size() - given,
                                     std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef *>(bytes.data() + given);
      stream.avail_in = static_cast<uInt>(part);
      given += part;
    }
    stream.next_out = reinterpret_cast<Bytef *>(buffer);
    stream.avail_out = sizeof buffer;
    int state = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer, sizeof buffer - stream.avail_out);
    bool isEnd = stream.avail_in == 0 && given == bytes.size();
    if (text.size() > most)
      wrong = "expected at most 2^32 bytes in the gzip file";
    else if (state == Z_STREAM_END && isEnd)
      break;
    // Another member may follow.
    else if (state == Z_STREAM_END)
      wrong = inflateReset(&stream) == Z_OK ? "" : "cannot decompress";
    else if (state == Z_BUF_ERROR ||
             (state == Z_OK && isEnd && stream.avail_out != 0))
      wrong = "the gzip file ends in the middle";
    else if (state != Z_OK)
      wrong = std::string("not a valid gzip file: ") +
              (stream.msg ? stream.msg : "no reason is known");
  }
  inflateEnd(&stream);
  if (wrong.empty())
    bytes = std::move(text);
  return wrong;
}
