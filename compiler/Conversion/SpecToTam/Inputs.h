//===- Inputs.h - the inputs of a model -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The columns that a model reads, and how each is normalised to [-1, 1].
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_INPUTS_H
#define TAMC_CONVERSION_SPECTOTAM_INPUTS_H

#include "tamc/Spec/ModelSpec.h"
#include "tamrt/abi.h"

#include <string>
#include <vector>

namespace tamc {

/// A column with the rule of the terms that read it (docs/math.md section 2.2).
struct Input {
  std::string column;
  tamrt_rule rule = TAMRT_RULE_RANGE;
  int64_t levels = 0;
  tamrt_unseen unseen = TAMRT_UNSEEN_EDGE;
  double lo = 0, hi = 0;

  /// Whether both are normalised to the same numbers. What `unseen` says of
  /// codes matters only for messages.
  bool operator==(const Input &other) const {
    return column == other.column && rule == other.rule &&
           levels == other.levels && lo == other.lo && hi == other.hi &&
           (rule == TAMRT_RULE_CODES || unseen == other.unseen);
  }
};

/// The inputs that a term reads, in its order: its feature, `others`, the
/// `slope` of an lt; for a te those of its factors, one after another. An input
/// may appear more than once.
std::vector<Input> inputsOf(const spec::Term &term);

/// The distinct inputs of all terms, in order of first appearance. If one of
/// the terms that read codes is a Fourier series, `unseen` says so.
std::vector<Input> collectInputs(const spec::ModelSpec &spec);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_INPUTS_H
