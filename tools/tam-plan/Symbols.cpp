//===- tam-plan/Symbols.cpp - the options --bind and --plan-at ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

using namespace tamc::planning;

std::optional<std::string>
tamc::planning::readBinding(const std::vector<std::string> &values,
                            Binding &binding) {
  Binding given;
  for (const std::string &each : values) {
    size_t equals = std::min(each.find('='), each.size());
    int64_t value = -1;
    const char *end = each.data() + each.size();
    const char *begin = each.data() + std::min(equals + 1, each.size());
    auto [last, wrong] = std::from_chars(begin, end, value);
    if (equals == 0 || wrong != std::errc() || last != end || value < 0)
      return "expected NAME=NUMBER, got '" + each + "'";
    std::string name = each.substr(0, equals);
    if (auto [found, fresh] = given.try_emplace(name, value); !fresh)
      return "expected one value of '" + name + "', got " +
             std::to_string(found->second) + " and " + std::to_string(value);
    binding[name] = value;
  }
  return std::nullopt;
}

std::optional<std::string>
tamc::planning::checkSymbols(const Problem &problem, const Binding &binding) {
  std::set<std::string> known = symbolsOf(problem);
  for (const auto &[name, value] : binding)
    if (!known.count(name))
      return "no size has a symbol '" + name + "'";
  return std::nullopt;
}

std::optional<std::string>
tamc::planning::bindPlan(const Options &options, const Binding &planAt,
                         const Binding &binding, Problem &problem, Plan &made,
                         SymbolicPlan &symbolic, std::string &text) {
  symbolic = makeSymbolic(problem, made.offsets, options);
  if (std::string wrong = checkSymbolic(problem, symbolic, options);
      !wrong.empty()) {
    std::fprintf(stderr, "bug: the symbolic plan is wrong: %s\n",
                 wrong.c_str());
    std::abort();
  }
  Plan before = made;
  if (std::optional<Diagnostic> wrong =
          rebind(problem, made, symbolic, binding, options))
    return wrong->message;
  // At the values that the plan was made for, its status and bounds are still
  // valid.
  if (planAt == binding && made.peak == before.peak) {
    before.offsets = made.offsets;
    made = before;
  }
  auto value = [](const Binding &values, const std::string &name) {
    auto found = values.find(name);
    return std::to_string(found == values.end() ? unboundSymbol
                                                : found->second);
  };
  for (const std::string &name : symbolsOf(problem))
    text += "symbol    " + name + " = " + value(binding, name) +
            ", planned at " + value(planAt, name) + "\n";
  return std::nullopt;
}
