//===- TermChecker.h - checks of the terms' parameters ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_TERMCHECKER_H
#define TAMC_COMPILER_SPEC_TERMCHECKER_H

#include "FormulaParser.h"

#include "tamc/Spec/Terms.h"

namespace tamc::spec {

/// Defaults of a spec: `defaults:` of the YAML, checked.
struct TermDefaults {
  struct Entry {
    Value value;
    llvm::SMRange range;
  };
  /// Defaults of one term: parameters by name, including `ap` and
  /// `extrapolate`.
  std::map<TermKind, std::map<std::string, Entry>> terms;
  /// Defaults of all terms: only `ap` and `extrapolate`.
  std::map<std::string, Entry> all;
};

/// Checks one value of a parameter and converts it to its type in
/// Term::parameters: integers to int64_t (also from 20.0), numbers to double,
/// pairs with lo < hi. Errors go to `diagnostics`.
std::optional<Value> checkValue(const ParameterInfo &info, llvm::StringRef key,
                                const ParsedValue &value,
                                Diagnostics &diagnostics);

/// The same for `ap` (a double) and `extrapolate` (an Extrapolate's word).
std::optional<Value> checkCommon(llvm::StringRef key, const ParsedValue &value,
                                 Diagnostics &diagnostics);

/// Checks that a value is no token.
bool checkNoToken(const ParsedValue &value, Diagnostics &diagnostics);

/// Checks a term and its factors and fills in the defaults. The formula's value
/// comes first, then that of `defaults` for the term, that for all terms, and
/// that of Terms.def.
std::optional<Term> checkTerm(const ParsedTerm &parsed,
                              const TermDefaults &defaults,
                              Diagnostics &diagnostics);

/// Checks that the order of an ordinal term's penalty is below its levels.
bool checkOrdinalOrder(const Term &term, Diagnostics &diagnostics,
                       llvm::SMRange where);

/// The mode of that name; nullopt if there is none.
std::optional<Extrapolate> toExtrapolate(llvm::StringRef word);

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_TERMCHECKER_H
