//===- core/model/Candidates.h - candidates of a grid -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The models that a spec with tokens describes, as parts of one model, which
/// has the terms of all of them.
///
/// `terms` of such a tamrt_model is an object:
///
///     "tokens": [{"name": "k", "values": ["10", "20"]}]
///     "terms": [{"name": the effect's, "tokens": [0], "choices": [..]}]
///               a choice for each tuple of values of the term's tokens, those
///               of the last token next to each other
///     "target", "keys": the canonical spec before and after the terms
///
/// A choice has "effect", an index in the model; "term" and "canonical", as the
/// formula and the canonical spec have it; "aps" of the effect's penalties; and
/// "inputs", their indices in the order in which the term reads them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_CANDIDATES_H
#define TAMRT_CORE_MODEL_CANDIDATES_H

#include "core/model/Weights.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Whether the model's formula has tokens. Only its candidates are fitted.
bool hasCandidates(const tamrt_model &model);

/// What the models of a spec with tokens have of the one with all terms.
struct Candidates {
  struct Token {
    std::string name;
    std::vector<std::string> values;
  };
  struct Choice {
    /// Index of its effect.
    size_t effect;
    std::string term, canonical;
    std::vector<double> aps;
    std::vector<size_t> inputs;
  };
  struct Term {
    std::string name;
    std::vector<size_t> tokens;
    std::vector<Choice> choices;
  };

  std::vector<Token> tokens;
  std::vector<Term> terms;
  std::string target, keys;

  /// The choice of a term at a point: the index of each token's value.
  const Choice &choiceOf(const Term &term, std::span<const size_t> point) const;
};

/// The candidates of a model that has some.
Candidates candidatesOf(const tamrt_model &model);

/// One of the models: that of the formula with values in place of the tokens.
class Candidate {
public:
  /// `all`, which has all terms, must outlive the candidate.
  Candidate(const tamrt_model &all, const Candidates &candidates,
            std::span<const size_t> point);
  Candidate(const Candidate &) = delete;
  Candidate &operator=(const Candidate &) = delete;

  /// Its description. It has no steps.
  const tamrt_model &model() const { return own; }
  /// The columns of the model with all terms that it has, in ascending order.
  std::span<const size_t> columns() const { return columnsOfAll; }
  /// The aps of all penalties of the model with all terms: those of terms that
  /// it has not are the formula's.
  const std::vector<double> &aps() const { return allAps; }

  /// Its part of the weights of the model with all terms. Errors: no memory.
  Result<Weights> weightsOf(const Weights &all) const;

private:
  const tamrt_model &all;
  tamrt_model own;
  std::string formula, spec, hash;
  std::deque<std::string> names;
  std::vector<tamrt_effect> effects;
  std::vector<tamrt_penalty> penalties;
  std::vector<tamrt_input> inputs;
  std::vector<tamrt_table> tables;
  std::vector<size_t> columnsOfAll, inputsOfAll, tablesOfAll;
  std::vector<double> allAps;
};

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_CANDIDATES_H
