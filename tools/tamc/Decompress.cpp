//===- Decompress.cpp - a file that may be compressed ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompress.h"

#include "tamrt/decompressor.h"

#include <algorithm>

using namespace tamrt;

std::string tamc::decompress(std::unique_ptr<llvm::MemoryBuffer> &buffer) {
  std::string_view in(buffer->getBufferStart(), buffer->getBufferSize());
  const Compression compression = compressionOf(in.substr(0, kMagicBytes));
  if (compression == Compression::None)
    return "";
  const std::string name(nameOf(compression));
  const std::unique_ptr<Decompressor> steps = makeDecompressor(compression);
  if (!steps)
    return "not enough memory";
  std::string out;
  size_t used = 0;
  while (true) {
    // What is left, at first some times the compressed bytes.
    if (used == out.size())
      out.resize(std::max({2 * out.size(), 4 * in.size(), size_t(1) << 16}));
    const Decompressor::Step step =
        steps->step(in, out.data() + used, out.size() - used);
    if (!step.fault.empty())
      return "not a valid " + name + " file: " + step.fault;
    in.remove_prefix(step.read);
    used += step.written;
    if (step.read == 0 && step.written == 0)
      break;
  }
  if (!steps->mayEnd())
    return "the " + name + " file ends in the middle";
  buffer = llvm::MemoryBuffer::getMemBufferCopy({out.data(), used},
                                                buffer->getBufferIdentifier());
  return "";
}
