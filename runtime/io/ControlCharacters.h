//===- io/ControlCharacters.h - text for a terminal -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CONTROLCHARACTERS_H
#define TAMRT_IO_CONTROLCHARACTERS_H

#include <string>
#include <string_view>

namespace tamrt {

/// The text with control characters, line ends among them, as `\x1b`: text of
/// the user in a line must not end it, or control a terminal. O(bytes).
inline std::string escapeControls(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      escaped += c;
      continue;
    }
    escaped += "\\x";
    escaped += digits[byte >> 4];
    escaped += digits[byte & 15];
  }
  return escaped;
}

} // namespace tamrt

#endif // TAMRT_IO_CONTROLCHARACTERS_H
