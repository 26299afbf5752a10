//===- tools/tam-plan/Input.cpp - input files -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <sstream>

using namespace tamrt;

Input::Input(const std::string &path) : given(size_t(1) << 18) {
  if (path == "-") {
    stream = &std::cin;
  } else {
    file.open(path, std::ios::binary);
    stream = &file;
  }
  if (!*stream) {
    wrong = "cannot read";
    return;
  }
  fill();
  if (!wrong.empty())
    return;
  Compression compression = compressionOf({given.data(), end});
  if (compression == Compression::None)
    return;
  name = nameOf(compression);
  decompressor = makeDecompressor(compression);
  if (!decompressor)
    wrong = "not enough memory";
}

bool Input::fill() {
  std::memmove(given.data(), given.data() + begin, end - begin);
  end -= begin;
  begin = 0;
  stream->read(given.data() + end,
               static_cast<std::streamsize>(given.size() - end));
  if (stream->bad())
    wrong = "cannot read";
  auto count = static_cast<size_t>(stream->gcount());
  end += count;
  return count > 0;
}

size_t Input::read(char *out, size_t room) {
  size_t done = 0;
  while (done < room && wrong.empty()) {
    size_t written = 0, taken = 0;
    if (decompressor) {
      Decompressor::Step step = decompressor->step(
          {given.data() + begin, end - begin}, out + done, room - done);
      written = step.written;
      taken = step.read;
      if (!step.fault.empty())
        wrong = "not a valid " + std::string(name) + " file: " + step.fault;
    } else {
      taken = written = std::min(end - begin, room - done);
      std::memcpy(out + done, given.data() + begin, written);
    }
    begin += taken;
    done += written;
    if (!wrong.empty() || written > 0 || taken > 0 || fill())
      continue;
    if (decompressor && wrong.empty() && !decompressor->mayEnd())
      wrong = "the " + std::string(name) + " file ends in the middle";
    break;
  }
  return done;
}

std::string readAll(Input &input, std::string &bytes) {
  constexpr size_t most = size_t(1) << 32;
  bytes.clear();
  std::vector<char> part(size_t(1) << 16);
  while (size_t count = input.read(part.data(), part.size())) {
    bytes.append(part.data(), count);
    if (bytes.size() > most)
      return "expected at most 2^32 bytes";
  }
  return input.fault();
}

std::optional<std::string> readFile(const std::string &path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    if (!file.eof())
      return std::nullopt;
  text << file.rdbuf();
  return text.str();
}
