//===- Planning/SizeExpression.cpp - symbolic sizes -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/SizeExpression.h"

#include <algorithm>
#include <charconv>

namespace tamc::planning {

/// Recursive descent; the depth of parentheses is limited.
class SizeParser {
public:
  explicit SizeParser(std::string_view text) : text(text) {}

  std::variant<SizeExpression, std::string> parse() {
    sum(0);
    skipBlanks();
    if (error.empty() && at < text.size())
      fail("expected + or *");
    if (!error.empty())
      return error;
    size_t begin = text.find_first_not_of(" \t");
    size_t end = text.find_last_not_of(" \t");
    result.source = std::string(text.substr(begin, end + 1 - begin));
    return std::move(result);
  }

private:
  using Step = SizeExpression::Step;

  void fail(const std::string &expected) {
    if (!error.empty())
      return;
    error = expected + ", got ";
    if (at >= text.size())
      error += "the end";
    else if (text[at] > ' ' && text[at] <= '~')
      error += std::string("'") + text[at] + "'";
    else
      error += "an unprintable character";
    error += " at character " + std::to_string(at + 1);
  }

  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }

  bool take(char c) {
    skipBlanks();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  void push(Step::Kind kind, int64_t value = 0, std::string symbol = {}) {
    result.steps.push_back({kind, value, std::move(symbol)});
  }

  void sum(int depth) {
    product(depth);
    while (error.empty() && take('+')) {
      product(depth);
      push(Step::Kind::Add);
    }
  }

  void product(int depth) {
    factor(depth);
    while (error.empty() && take('*')) {
      factor(depth);
      push(Step::Kind::Multiply);
    }
  }

  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  void factor(int depth) {
    if (depth > 200)
      return fail("expected at most 200 parentheses within another");
    skipBlanks();
    char c = at < text.size() ? text[at] : '\0';
    if (isDigit(c)) {
      int64_t value = 0;
      auto [end, wrong] =
          std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (wrong != std::errc())
        return fail("expected a number below 2^63");
      at = static_cast<size_t>(end - text.data());
      return push(Step::Kind::Number, value);
    }
    if (take('(')) {
      sum(depth + 1);
      if (error.empty() && !take(')'))
        fail("expected )");
      return;
    }
    if (!isLetter(c))
      return fail("expected a number, a name or (");
    size_t begin = at;
    while (at < text.size() && (isLetter(text[at]) || isDigit(text[at])))
      ++at;
    std::string name(text.substr(begin, at - begin));
    if (name != "max")
      return push(Step::Kind::Symbol, 0, std::move(name));
    if (!take('('))
      return fail("expected ( after max");
    sum(depth + 1);
    while (error.empty() && take(',')) {
      sum(depth + 1);
      push(Step::Kind::Max);
    }
    if (error.empty() && !take(')'))
      fail("expected , or )");
  }

  std::string_view text;
  size_t at = 0;
  std::string error;
  SizeExpression result;
};

} // namespace tamc::planning

using namespace tamc::planning;

std::variant<SizeExpression, std::string>
SizeExpression::parse(std::string_view text) {
  return SizeParser(text).parse();
}

std::optional<int64_t> SizeExpression::evaluate(const Binding &binding,
                                                int64_t unbound) const {
  std::vector<int64_t> stack;
  for (const Step &step : steps) {
    if (step.kind == Step::Kind::Number) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == Step::Kind::Symbol) {
      auto found = binding.find(step.symbol);
      stack.push_back(found == binding.end() ? unbound : found->second);
      continue;
    }
    int64_t right = stack.back();
    stack.pop_back();
    int64_t &left = stack.back();
    bool wrapped = false;
    if (step.kind == Step::Kind::Add)
      wrapped = __builtin_add_overflow(left, right, &left);
    else if (step.kind == Step::Kind::Multiply)
      wrapped = __builtin_mul_overflow(left, right, &left);
    else
      left = std::max(left, right);
    if (wrapped)
      return std::nullopt;
  }
  return stack.back();
}

void SizeExpression::collectSymbols(std::set<std::string> &into) const {
  for (const Step &step : steps)
    if (step.kind == Step::Kind::Symbol)
      into.insert(step.symbol);
}
