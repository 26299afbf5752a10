//===- FormulaParser.h - grammar of the formula -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_FORMULAPARSER_H
#define TAMC_COMPILER_SPEC_FORMULAPARSER_H

#include "SourceText.h"

#include "tamc/Spec/ModelSpec.h"

#include <list>

namespace tamc::spec {

/// A value as written.
struct ParsedValue {
  Value value;
  /// Text in quotes is never a word, a number or a flag.
  bool quoted = false;
  /// The token whose values the value may have, without its `$`; empty: none.
  std::string token = {};
  /// As written, for messages.
  std::string text;
  llvm::SMRange range;
};

/// `key=value`.
struct ParsedArgument {
  std::string key;
  llvm::SMRange keyRange;
  ParsedValue value;
};

/// A term as written. Its grammar is correct; its parameters are not checked.
struct ParsedTerm {
  TermKind kind;
  llvm::SMRange nameRange;
  /// Main feature; empty for `te`.
  std::string feature;
  std::vector<ParsedArgument> arguments;
  std::list<ParsedTerm> factors;
  std::string text;
  llvm::SMRange range;
};

/// A formula as written.
struct ParsedFormula {
  std::string target;
  std::list<ParsedTerm> terms;
};

/// `te` may nest this deep; deeper is an error.
inline constexpr unsigned maximumDepth = 64;

/// Parses a formula by the grammar of docs/math.md section 1. Errors go to
/// `diagnostics`; parsing continues after a wrong term. The result is complete
/// only if no error was added.
ParsedFormula parseFormula(const SourceText &source, Diagnostics &diagnostics);

/// A term's text with other texts in place of its tokens, by name.
std::string replaceTokens(llvm::StringRef term,
                          const std::map<std::string, std::string> &values);

/// Parses the bytes [begin, end) of `source` as a value of the grammar.
std::optional<ParsedValue> parseValue(const SourceText &source, size_t begin,
                                      size_t end, Diagnostics &diagnostics);

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_FORMULAPARSER_H
