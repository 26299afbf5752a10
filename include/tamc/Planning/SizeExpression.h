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

/// A size as a function of symbols like "8*rows*4 + max(cols, 16)":
/// non-negative integers, names, +, *, max(..) and parentheses. Symbols are
/// non-negative integers. The size never decreases when a symbol increases.
class SizeExpression {
public:
  /// The expression, or the error in the text.
  static std::variant<SizeExpression, std::string> parse(std::string_view text);

  /// Its value if each symbol has its value in `binding`, or `unbound` if it is
  /// not there; nothing if an intermediate result exceeds 2^63-1.
  std::optional<int64_t> evaluate(const Binding &binding,
                                  int64_t unbound) const;

  /// The expression as written, without blanks at the ends.
  const std::string &text() const { return source; }
  void collectSymbols(std::set<std::string> &into) const;

private:
  friend class SizeParser;
  /// Postfix: a number or a symbol is pushed, the others combine the top two.
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
