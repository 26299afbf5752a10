//===- Planning/Picture/Text.h - names inside XML, HTML and JSON *- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PICTURE_TEXT_H
#define TAMC_PLANNING_PICTURE_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tamc::planning {

/// Length of the well-formed UTF-8 sequence at the begin of `text` (RFC 3629:
/// no overlong forms, no surrogates, nothing above U+10FFFF); 0 if there is
/// none. `text` must not be empty.
size_t sequenceLength(std::string_view text);

/// Whether a terminal shows a well-formed character instead of interpreting it:
/// false for the control characters of ASCII and Latin-1, line and paragraph
/// separators, and characters that change the writing direction.
bool isShown(std::string_view character);

/// The text with U+FFFD for each byte that is not part of well-formed UTF-8.
std::string toUtf8(std::string_view text);

/// toUtf8(), escaped for XML and HTML, both between tags and in a value in
/// double quotes; U+FFFD for the characters that XML 1.0 does not allow.
std::string escapeXml(std::string_view text);

/// toUtf8() as a JSON string with its quotes, escaped so that it is safe in a
/// script element, too: without `<`, `>`, `&`, U+2028 and U+2029.
std::string quoteJson(std::string_view text);

/// The first `count` characters of well-formed UTF-8; the last of them is an
/// ellipsis if there are more.
std::string shorten(std::string_view text, size_t count);

/// Base64 of RFC 4648, padded.
std::string toBase64(std::string_view bytes);

/// "1048576 bytes (1 MiB)"; the part in parentheses from 1 KiB on, with at
/// most two decimals.
std::string describeBytes(int64_t bytes);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PICTURE_TEXT_H
