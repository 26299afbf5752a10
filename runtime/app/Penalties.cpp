//===- app/Penalties.cpp - strengths of penalties, by name ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Penalties.h"

#include "core/model/Coordinates.h"
#include "core/run/UnitPenalties.h"
#include "io/Number.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace tamrt {

static std::string namesOf(const tamrt_model &model) {
  std::string names;
  for (int64_t i = 0; i < model.penalty_count; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", model.penalties[i].name);
  return names;
}

Result<ChosenPenalties> parsePenalties(const tamrt_model &model,
                                       std::span<const std::string> texts) {
  const auto count = size_t(model.penalty_count);
  ChosenPenalties chosen;
  if (texts.empty())
    return chosen;
  std::vector<double> &strengths = chosen.strengths;
  std::vector<bool> given(count);
  std::vector<double> aps;
  for (size_t i = 0; i < count; ++i)
    aps.push_back(model.penalties[i].ap);
  for (const std::string &text : texts) {
    const size_t equals = text.rfind('=');
    if (equals == text.npos)
      return Error{fmt::format("--ap: expected a penalty, = and a number, such "
                               "as {}=-2, got '{}'",
                               model.penalties[count - 1].name, text)};
    const std::string_view name = std::string_view(text).substr(0, equals);
    size_t index = 0;
    while (index < count && name != model.penalties[index].name)
      ++index;
    if (index == count)
      return Error{fmt::format("--ap: expected one of the penalties {}, got "
                               "'{}'",
                               namesOf(model), name)};
    const std::optional<double> ap = parseNumber(text.substr(equals + 1));
    if (!ap || !(std::abs(*ap) <= TAMRT_AP_LIMIT))
      return Error{fmt::format("--ap {}: expected a number from -{} to {}, got "
                               "'{}'",
                               name, TAMRT_AP_LIMIT, TAMRT_AP_LIMIT,
                               text.substr(equals + 1))};
    if (given[index])
      return Error{fmt::format("--ap {}: expected once, got twice", name)};
    given[index] = true;
    if (strengths.empty())
      for (size_t i = 0; i < count; ++i)
        strengths.push_back(model.penalties[i].strength);
    strengths[index] = strengthOf(*ap);
    aps[index] = *ap;
    chosen.aps.emplace_back(name, *ap);
  }
  if (Status s = checkLimits(model, aps); !s)
    return Error{"--ap " + s.error().message};
  return chosen;
}

} // namespace tamrt
