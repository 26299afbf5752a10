//===- Learners.cpp - what a fit learns once for all groups -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Learners.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tamc;
using spec::GivenTable;
using spec::ModelSpec;
using spec::TableForm;
using spec::Term;
using spec::TermKind;

namespace {

class Collector {
public:
  Collector(const ModelSpec &spec, const std::vector<Input> &inputs,
            Learners &result)
      : inputs(inputs), result(result) {
    for (const GivenTable &table : spec.state)
      given[table.effect + "." + table.name] = table.values;
  }

  /// `name` is the prefix of the tables' names.
  void collect(const Term &term, int32_t effect, const std::string &name) {
    for (auto [index, factor] : llvm::enumerate(term.factors))
      collect(factor, effect, name + "." + std::to_string(index));
    std::optional<Learner> learner = learnerOf(term);
    if (!learner)
      return;
    learner->effect = effect;
    // The slope of an lt is not an input of its tree.
    std::vector<Input> read = inputsOf(term);
    if (term.kind == TermKind::LinearTree)
      read.pop_back();
    for (const Input &input : read)
      learner->inputs.push_back(
          static_cast<int32_t>(llvm::find(inputs, input) - inputs.begin()));
    learner->firstTable = static_cast<int64_t>(result.tables.size());
    result.first[&term] = learner->firstTable;
    addTables(term, name + ".");
    learner->tableCount =
        static_cast<int64_t>(result.tables.size()) - learner->firstTable;
    result.learners.push_back(std::move(*learner));
  }

private:
  static std::optional<Learner> learnerOf(const Term &term) {
    switch (term.kind) {
    case TermKind::Wavelet:
      return Learner{.kind = TAMRT_LEARN_RANGE};
    case TermKind::Neural:
      return Learner{
          .kind = TAMRT_LEARN_NEURAL,
          .choice = llvm::StringSwitch<int32_t>(term.getString("act"))
                        .Case("cos", TAMRT_COS)
                        .Case("tanh", TAMRT_TANH)
                        .Default(TAMRT_RELU),
          .sizes = {term.getInt("n_neurons"), term.getInt("n_hidden_layers")},
          .seed = static_cast<uint32_t>(term.getInt("seed"))};
    case TermKind::RadialBasis:
      return Learner{.kind = TAMRT_LEARN_CENTERS,
                     .sizes = {term.getInt("n_centers")},
                     .number =
                         term.isNone("gamma") ? 0 : term.getNumber("gamma"),
                     .seed = static_cast<uint32_t>(term.getInt("seed"))};
    case TermKind::Tree:
    case TermKind::LinearTree:
      return Learner{.kind = isOblivious(term) ? TAMRT_LEARN_OBLIVIOUS_TREES
                                               : TAMRT_LEARN_FLAT_TREES,
                     .choice = term.getString("split_strategy") == "quantile"
                                   ? TAMRT_SPLIT_QUANTILE
                                   : TAMRT_SPLIT_UNIFORM,
                     .sizes = {treesOf(term), isOblivious(term)
                                                  ? term.getInt("max_depth")
                                                  : leavesOf(term)},
                     .number = term.getNumber("sp_alpha"),
                     .seed = static_cast<uint32_t>(term.getInt("seed"))};
    default:
      return std::nullopt;
    }
  }

  void addTables(const Term &term, const std::string &prefix) {
    for (const TableForm &form : tablesOf(term)) {
      std::string name = prefix + form.name;
      llvm::ArrayRef<double> values = given.lookup(name);
      result.tables.push_back(
          {std::move(name), form.isInteger(), form.shape, values});
    }
  }

  const std::vector<Input> &inputs;
  /// Given contents, by the tables' names.
  llvm::StringMap<llvm::ArrayRef<double>> given;
  Learners &result;
};

} // namespace

Learners tamc::collectLearners(const ModelSpec &spec,
                               const std::vector<Input> &inputs) {
  Learners learners;
  Collector collector(spec, inputs, learners);
  std::vector<std::string> names = spec.effectNames();
  for (auto [index, term] : llvm::enumerate(spec.terms))
    collector.collect(term, static_cast<int32_t>(index) + 1, names[index + 1]);
  return learners;
}
