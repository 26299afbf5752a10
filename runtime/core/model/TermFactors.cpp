//===- core/model/TermFactors.cpp - columns of a term ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/TermFactors.h"

#include <algorithm>

namespace tamrt {
namespace {

bool isQuote(char c) { return c == '\'' || c == '"'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// `text` at the separators that are outside quotes and parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isQuote(text[i])) {
      for (const char quote = text[i++]; i < text.size() && text[i] != quote;)
        i += text[i] == '\\' ? 2 : 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    } else if (text[i] == separator && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

/// A value or a column without its quotes.
std::string unquote(std::string_view text) {
  if (text.size() < 2 || !isQuote(text.front()))
    return std::string(text);
  std::string value;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    i += text[i] == '\\';
    value += text[i];
  }
  return value;
}

void addColumn(TermFactor &factor, std::string name) {
  if (std::find(factor.columns.begin(), factor.columns.end(), name) ==
      factor.columns.end())
    factor.columns.push_back(std::move(name));
}

void addFactors(std::string_view term, std::vector<TermFactor> &factors) {
  const size_t open = term.find('(');
  if (open == term.npos)
    return;
  const std::string_view kind = trim(term.substr(0, open));
  const std::string_view inside =
      term.substr(open + 1, term.rfind(')') - open - 1);
  TermFactor factor;
  factor.kind = kind;
  for (std::string_view part : split(inside, ',')) {
    const std::vector<std::string_view> sides = split(part, '=');
    if (sides.size() == 1 && kind == "te") {
      addFactors(part, factors);
    } else if (sides.size() == 1) {
      addColumn(factor, unquote(part));
    } else if (sides[0] == "slope") {
      addColumn(factor, unquote(sides[1]));
    } else if (sides[0] == "others") {
      const std::string others = unquote(sides[1]);
      for (std::string_view other : split(others, '|'))
        addColumn(factor, std::string(other));
    } else {
      factor.parameters.emplace(sides[0], unquote(sides[1]));
    }
  }
  if (kind != "te")
    factors.push_back(std::move(factor));
}

} // namespace

std::vector<TermFactor> factorsOf(std::string_view term) {
  std::vector<TermFactor> factors;
  addFactors(term, factors);
  return factors;
}

} // namespace tamrt
