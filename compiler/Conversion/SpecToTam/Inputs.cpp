//===- Inputs.cpp - the inputs of a model -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tamc;
using spec::ModelSpec;
using spec::Pair;
using spec::Term;
using spec::TermKind;

static Input categoricalInput(const Term &term) {
  Input input{.column = term.feature, .levels = term.getInt("n_cat")};
  bool isFourier = term.getString("topo") == "fourier";
  if (!term.getBool("levels") || isFourier) {
    input.rule = TAMRT_RULE_CODES;
    if (isFourier)
      input.unseen = TAMRT_UNSEEN_SERIES;
    return input;
  }
  input.rule = TAMRT_RULE_LEVELS;
  input.unseen = llvm::StringSwitch<tamrt_unseen>(term.getString("unseen"))
                     .Case("mean", TAMRT_UNSEEN_MEAN)
                     .Case("zero", TAMRT_UNSEEN_ZERO)
                     .Default(TAMRT_UNSEEN_EDGE);
  return input;
}

/// The input of a term's main feature.
static Input mainInput(const Term &term) {
  if (term.kind == TermKind::Categorical)
    return categoricalInput(term);
  Input input{.column = term.feature};
  auto period = term.parameters.find("period");
  if (period == term.parameters.end())
    return input;
  if (const auto *range = std::get_if<Pair>(&period->second)) {
    input.rule = TAMRT_RULE_PERIOD;
    input.lo = range->first;
    input.hi = range->second;
  } else if (std::holds_alternative<std::string>(period->second)) {
    input.rule = TAMRT_RULE_PERIOD_AUTO;
  }
  return input;
}

std::vector<Input> tamc::inputsOf(const Term &term) {
  std::vector<Input> inputs;
  for (const Term &factor : term.factors)
    llvm::append_range(inputs, inputsOf(factor));
  if (term.kind == TermKind::Tensor)
    return inputs;
  inputs.push_back(mainInput(term));
  for (const std::string &column : term.others)
    inputs.push_back({.column = column});
  if (term.kind == TermKind::LinearTree)
    inputs.push_back({.column = term.getString("slope").str()});
  return inputs;
}

std::vector<Input> tamc::collectInputs(const ModelSpec &spec) {
  std::vector<Input> inputs;
  for (const Term &term : spec.terms)
    for (const Input &input : inputsOf(term)) {
      auto known = llvm::find(inputs, input);
      if (known == inputs.end())
        inputs.push_back(input);
      else if (input.unseen == TAMRT_UNSEEN_SERIES)
        known->unseen = input.unseen;
    }
  return inputs;
}
