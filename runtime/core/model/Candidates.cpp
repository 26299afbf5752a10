//===- core/model/Candidates.cpp - candidates of a grid -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Candidates.h"

#include "core/model/Model.h"
#include "io/Sha256.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

namespace tamrt {

using nlohmann::json;

bool hasCandidates(const tamrt_model &model) {
  return model.terms && *model.terms == '{';
}

Candidates candidatesOf(const tamrt_model &model) {
  const json text = json::parse(model.terms);
  Candidates candidates;
  for (const json &token : text["tokens"])
    candidates.tokens.push_back({token["name"], token["values"]});
  for (const json &term : text["terms"]) {
    Candidates::Term &added = candidates.terms.emplace_back();
    added.name = term["name"];
    added.tokens = term["tokens"].get<std::vector<size_t>>();
    for (const json &choice : term["choices"])
      added.choices.push_back({choice["effect"], choice["term"],
                               choice["canonical"], choice["aps"],
                               choice["inputs"]});
  }
  candidates.target = text["target"];
  candidates.keys = text["keys"];
  return candidates;
}

const Candidates::Choice &
Candidates::choiceOf(const Term &term, std::span<const size_t> point) const {
  size_t index = 0;
  for (size_t token : term.tokens)
    index = index * tokens[token].values.size() + point[token];
  return term.choices[index];
}

namespace {

/// A text in single quotes, as YAML has it.
std::string inQuotes(std::string_view text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

} // namespace

Candidate::Candidate(const tamrt_model &all, const Candidates &candidates,
                     std::span<const size_t> point)
    : all(all), own(all), formula(targetOf(all.formula)) {
  std::string canonical = candidates.target;
  for (int64_t i = 0; i < all.penalty_count; ++i)
    allAps.push_back(all.penalties[i].ap);
  auto addEffect = [&](size_t index, const char *name, const char *term) {
    tamrt_effect effect = all.effects[index];
    columnsOfAll.resize(columnsOfAll.size() + size_t(effect.columns));
    std::iota(columnsOfAll.end() - effect.columns, columnsOfAll.end(),
              size_t(effect.first_column));
    effect.first_column = int64_t(columnsOfAll.size()) - effect.columns;
    effect.name = name;
    effect.term = term;
    effects.push_back(effect);
  };
  addEffect(0, all.effects[0].name, all.effects[0].term);
  penalties.push_back(all.penalties[0]);
  for (const Candidates::Term &term : candidates.terms) {
    const Candidates::Choice &choice = candidates.choiceOf(term, point);
    const std::string_view oldName = all.effects[choice.effect].name;
    const bool isFirst = effects.size() == 1;
    canonical += (isFirst ? "" : " + ") + choice.canonical;
    formula += (isFirst ? " ~ " : " + ") + choice.term;
    addEffect(choice.effect, names.emplace_back(term.name).c_str(),
              names.emplace_back(choice.term).c_str());
    auto renamed = [&](std::string_view name) {
      return names
          .emplace_back(term.name + std::string(name.substr(oldName.size())))
          .c_str();
    };
    size_t next = 0;
    for (int64_t i = 0; i < all.penalty_count; ++i) {
      tamrt_penalty penalty = all.penalties[i];
      if (penalty.effect != int64_t(choice.effect))
        continue;
      allAps[size_t(i)] = penalty.ap = choice.aps[next++];
      penalty.name = renamed(penalty.name);
      penalty.effect = int64_t(effects.size()) - 1;
      penalties.push_back(penalty);
    }
    for (size_t input : choice.inputs)
      if (std::find(inputsOfAll.begin(), inputsOfAll.end(), input) ==
          inputsOfAll.end()) {
        inputsOfAll.push_back(input);
        inputs.push_back(all.inputs[input]);
      }
    for (int64_t l = 0; l < all.learner_count; ++l) {
      const tamrt_learner &learner = all.learners[l];
      if (learner.effect != int32_t(choice.effect))
        continue;
      for (int64_t i = 0; i < learner.table_count; ++i) {
        tablesOfAll.push_back(size_t(learner.first_table + i));
        tables.push_back(all.tables[learner.first_table + i]);
        tables.back().name = renamed(tables.back().name);
      }
    }
  }
  spec = "formula: " + inQuotes(canonical) + "\n" + candidates.keys;
  hash = sha256(spec);
  own.formula = formula.c_str();
  own.spec = spec.c_str();
  own.spec_hash = hash.c_str();
  own.terms = nullptr;
  own.columns = int64_t(columnsOfAll.size());
  own.input_count = int64_t(inputs.size());
  own.inputs = inputs.data();
  own.table_count = int64_t(tables.size());
  own.tables = tables.data();
  own.learner_count = 0;
  own.effect_count = int64_t(effects.size());
  own.effects = effects.data();
  own.penalty_count = int64_t(penalties.size());
  own.penalties = penalties.data();
  own.step_count = 0;
  own.small_blocks = nullptr;
  own.compression = nullptr;
}

Result<Weights> Candidate::weightsOf(const Weights &weights) const {
  Weights part;
  part.groups = weights.groups;
  const auto inputCount = size_t(all.input_count);
  const Normalization &from = weights.normalization;
  for (size_t g = 0; g < weights.groups.size(); ++g) {
    for (size_t column : columnsOfAll)
      part.coefficients.push_back(weights.of(g, all)[column]);
    for (size_t input : inputsOfAll)
      for (size_t i = 0; i < 2; ++i)
        part.normalization.ranges.push_back(
            from.ranges[(g * inputCount + input) * 2 + i]);
  }
  for (size_t input : inputsOfAll) {
    for (size_t i = 0; i < 2; ++i)
      part.normalization.knots.push_back(from.knots[input * 2 + i]);
    part.normalization.levels.push_back(from.levels[input]);
  }
  Result<Tables> made = Tables::allocate(own);
  if (!made)
    return std::move(made).error();
  part.tables = *std::move(made);
  for (size_t i = 0; i < tablesOfAll.size(); ++i)
    part.tables.set(i, weights.tables.pointers()[tablesOfAll[i]]);
  return part;
}

} // namespace tamrt
