//===- core/ranks/Message.h - numbers and texts as bytes --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What ranks of one program send each other. The reader asks for what the
/// writer added, in its order.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_MESSAGE_H
#define TAMRT_CORE_RANKS_MESSAGE_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace tamrt {

struct MessageWriter {
  void number(uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes += value;
  }
  void numbers(std::span<const double> values) {
    bytes.append(reinterpret_cast<const char *>(values.data()),
                 values.size_bytes());
  }

  std::string bytes;
};

class MessageReader {
public:
  explicit MessageReader(std::string_view bytes) : bytes(bytes) {}

  bool isEnd() const { return bytes.empty(); }
  uint64_t number() {
    uint64_t value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  void numbers(std::span<double> values) {
    if (!values.empty())
      std::memcpy(values.data(), take(values.size_bytes()).data(),
                  values.size_bytes());
  }

private:
  std::string_view take(size_t count) {
    assert(count <= bytes.size());
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }

  std::string_view bytes;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_MESSAGE_H
