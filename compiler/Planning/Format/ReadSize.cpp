//===- Planning/ReadSize.cpp - sizes in CSV and JSON ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/ReadSize.h"

#include "tamc/Planning/Symbolic.h"

#include <algorithm>

using namespace tamc::planning;

bool tamc::planning::isExpression(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '*' || c == '(';
  });
}

std::optional<std::string>
tamc::planning::readExpression(std::string_view text, const Binding &binding,
                               Problem &problem, Buffer &buffer) {
  auto result = SizeExpression::parse(text);
  if (auto *wrong = std::get_if<std::string>(&result))
    return "in the size: " + *wrong;
  auto &expression = std::get<SizeExpression>(result);
  std::optional<int64_t> size = expression.evaluate(binding, unboundSymbol);
  if (!size)
    return "the size " + expression.text() + " exceeds 2^63-1";
  buffer.size = *size;
  buffer.expression = static_cast<int32_t>(problem.expressions.size());
  problem.expressions.push_back(std::move(expression));
  return std::nullopt;
}
