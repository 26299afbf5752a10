//===- Terms.h - table of the terms of the formula --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Terms.def as data, for completion, checks and the reference.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_TERMS_H
#define TAMC_SPEC_TERMS_H

#include "tamc/Spec/ModelSpec.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace tamc::spec {

/// The type of a parameter; see the head of Terms.def.
enum class ParameterType {
  Integer,
  OptionalInteger,
  Number,
  OptionalPositive,
  Flag,
  Word,
  Period,
  Column,
  Weights,
};

/// One parameter of a term.
struct ParameterInfo {
  TermKind term;
  llvm::StringLiteral name;
  ParameterType type;
  /// Closed range of Integer, OptionalInteger and Number; for Weights, `max` is
  /// the highest order; else 0.
  double min, max;
  /// Default of Integer and Number; 1 or 0 of Flag.
  double initial;
  /// Allowed words of Word, split by '|', the default first; else empty.
  llvm::StringLiteral words;
  llvm::StringLiteral doc;

  /// The default as a value. A Column's default, the main feature, and Weights
  /// are None here.
  Value defaultValue() const;
  /// The words of Word, in order.
  llvm::SmallVector<llvm::StringRef, 3> wordList() const;
  /// The valid values, for messages: "an integer from 1 to 100000".
  std::string expected() const;
};

/// One term.
struct TermInfo {
  TermKind kind;
  /// The name in the formula, and its long name.
  llvm::StringLiteral name, title;
  Extrapolate extrapolate;
  /// Whether the term takes `others`.
  bool others;
  llvm::StringLiteral doc;
  /// In canonical order.
  llvm::ArrayRef<ParameterInfo> parameters;

  /// The parameter of that name, or null. `D3` finds the Weights parameter `D`.
  const ParameterInfo *find(llvm::StringRef parameter) const;
};

/// All terms, in the order of TermKind.
llvm::ArrayRef<TermInfo> allTerms();
/// The term of that kind.
const TermInfo &termInfo(TermKind kind);
/// The term of that name, whatever its case, or null.
const TermInfo *findTerm(llvm::StringRef name);

/// The spelling of an extrapolation mode in a formula.
llvm::StringRef toString(Extrapolate mode);
/// The spelling of a solver in a spec.
llvm::StringRef toString(Solver solver);

/// Smallest and largest `ap`: 10^ap is a normal binary64 number.
inline constexpr double minimumAp = -300, maximumAp = 300;

/// Prints the reference of the terms as Markdown: one table, and below it the
/// parameters of every term with type, default, range and meaning. The output
/// is in docs/generated.
void writeTermsReference(llvm::raw_ostream &out);

} // namespace tamc::spec

#endif // TAMC_SPEC_TERMS_H
