//===- Text.h - spelling of names and values in a formula -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_TEXT_H
#define TAMC_COMPILER_SPEC_TEXT_H

#include "tamc/Spec/ModelSpec.h"

#include "llvm/ADT/ArrayRef.h"

namespace tamc::spec {

/// A short decimal with the value `number`: integers below 1e15 with all
/// digits, else the shortest one.
std::string formatNumber(double number);

/// The value as in a formula; text is bare if possible, else quoted.
std::string formatValue(const Value &value);

/// A column's name as in a formula: bare if it is an identifier, else in double
/// quotes with `\"` and `\\`.
std::string formatColumn(llvm::StringRef name);

/// Whether `c` starts or continues an identifier: ASCII letters, `_`, bytes of
/// non-ASCII UTF-8, then also digits and `.`.
bool isIdentifierStart(char c);
bool isIdentifierBody(char c);
bool isIdentifier(llvm::StringRef text);
/// Blank, tab or line break.
bool isSpace(char c);

/// Offset of the first byte of `text` that is not part of a printable character
/// (a control character, a line separator, a BOM, invalid UTF-8), or npos.
size_t findUnprintable(llvm::StringRef text);
/// Offset of the first byte that is not UTF-8, or that is NUL, or npos.
size_t findNotText(llvm::StringRef text);

/// A finite decimal number, the whole of `text`: sign, digits, point, exponent.
std::optional<double> parseNumber(llvm::StringRef text);
/// An integer in decimal, the whole of `text`, that int64_t holds.
std::optional<int64_t> parseInteger(llvm::StringRef text);

/// "a, b or c".
std::string listed(llvm::ArrayRef<llvm::StringRef> words,
                   llvm::StringRef conjunction);

/// The candidate that `word` is most likely a misspelling of, or "". Ignores
/// case; the first of equals wins.
llvm::StringRef closest(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_TEXT_H
