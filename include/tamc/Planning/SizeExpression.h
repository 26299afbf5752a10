//===- Planning/SizeExpression.h - symbolic sizes ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SIZEEXPRESSION_H
#define TAMC_PLANNING_SIZEEXPRESSION_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tamc::planning {

/// A value of 0 or more for each symbol.
using Binding = std::map<std::string, int64_t, std::less<>>;

/// A size as a function of symbols, whole numbers of 0 or more, like
/// "8*rows*4 + max(cols, 16)": whole numbers, names, +, *, max(..) and
/// parentheses. It never falls when a symbol grows.
class SizeExpression {
public:
  /// The expression, or the error in the text.
  static std::variant<SizeExpression, std::string> parse(std::string_view text);

  /// Its value where every symbol has one, in `binding` or else `unbound`;
  /// nothing when a step exceeds 2^63-1.
  std::optional<int64_t> evaluate(const Binding &binding,
                                  int64_t unbound) const;

  /// As it was written, without blanks at the ends.
  const std::string &text() const { return source; }
  void collectSymbols(std::set<std::string> &into) const;

private:
  friend class SizeParser;
  /// Postfix: a number and a symbol push, the others take two.
  struct Step {
    enum class Kind : char { Number, Symbol, Add, Multiply, Max };
    Kind kind;
    int64_t value = 0;
    std::string symbol;
  };
  std::string source;
  std::vector<Step> steps;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_SIZEEXPRESSION_H
