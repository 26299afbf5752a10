//===- Planning/JsonPlace.h - line and column in JSON text ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_JSONPLACE_H
#define TAMC_PLANNING_JSONPLACE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tamc::planning {

/// Line and byte of the line, both 1-based.
struct TextPlace {
  int64_t line, column;
};

/// The place of byte `position` of a text. O(text).
TextPlace placeOfByte(std::string_view text, size_t position);

/// The first byte of the value at `place`, like "buffers[3].size". If the text
/// has no such value, the first byte of the innermost value around it. `text`
/// must be valid JSON. O(text).
size_t byteOfPlace(std::string_view text, std::string_view place);

/// A part of a text.
struct TextRange {
  size_t begin, size;
};

/// A flaw of a JSON text that readers treat differently.
struct JsonFlaw {
  std::string message;
  size_t position;
};

/// Most nested lists and objects of a JSON text.
inline constexpr size_t maxJsonLevels = 1000;

/// What is found in a text before it is parsed.
struct JsonScan {
  /// Values nested too deeply, or a member that an object has twice; nothing if
  /// the text has neither.
  std::optional<JsonFlaw> flaw;
  /// Where the value at the place in question lies, if it is a list of lists of
  /// whole numbers (of any depth up to 16, of at most 100 digits); nothing for
  /// other values. Inside the range the text is valid JSON.
  std::optional<TextRange> numberLists;
};

/// Reads a text once; `place` has names of members, such as "edges.costs", or
/// is empty. For a text that is not JSON the result covers the part that can be
/// read. O(text log text).
JsonScan scanJson(std::string_view text, std::string_view place);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JSONPLACE_H
