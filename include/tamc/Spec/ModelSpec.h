//===- ModelSpec.h - a parsed and checked model -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_MODELSPEC_H
#define TAMC_SPEC_MODELSPEC_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tamc::spec {

/// The thirteen terms of MATH.md section 1.
enum class TermKind {
  Linear,          // l
  Fourier,         // f
  Spline,          // s
  Categorical,     // c
  Chebyshev,       // p
  Wavelet,         // w
  Neural,          // n
  RadialBasis,     // rbf
  Tree,            // t
  LinearTree,      // lt
  Tensor,          // te
  Physics,         // phys
  PID,             // pid
};

enum class Extrapolate { Continue, Constant, Linear, Saturation };

/// Value of a parameter: None, True/False, integer, float, (number, number) or
/// text (quoted or bare).
struct Pair {
  double first, second;
};
using Value =
    std::variant<std::monostate, bool, int64_t, double, Pair, std::string>;

/// One term of the formula, checked, with every default filled in.
struct Term {
  TermKind kind;
  /// Main feature; empty for `te`.
  std::string feature;
  /// `others='x|y'`, split; empty when not given.
  std::vector<std::string> others;
  /// log10 of the penalty.
  double ap = -9;
  Extrapolate extrapolate = Extrapolate::Continue;
  /// Parameters of the term by name (`k`, `deg`, ...), defaults included, except
  /// `ap`, `extrapolate` and `others`. A parameter that may be absent is None.
  std::map<std::string, Value> parameters;
  /// Sub-terms of `te`.
  std::vector<Term> factors;
  /// As written, e.g. "s(t1, k=20)", and where.
  std::string text;
  llvm::SMRange range;

  /// The parameter as an integer, number, flag or text; asserts that it exists
  /// and has that type (an integer serves as a number).
  int64_t getInt(llvm::StringRef name) const;
  double getNumber(llvm::StringRef name) const;
  bool getBool(llvm::StringRef name) const;
  llvm::StringRef getString(llvm::StringRef name) const;
  bool isNone(llvm::StringRef name) const;
};

enum class Solver { Auto, Direct, CG };

/// A model: what the YAML says, checked.
struct ModelSpec {
  std::string name;
  /// As written, and its canonical form (one spelling per meaning).
  std::string formula;
  std::string target;
  std::vector<Term> terms;
  /// Column names; empty: none.
  std::string group, date, weights;
  Solver solver = Solver::Auto;
  /// Device asked for; "auto" by default.
  std::string device = "auto";
  /// Most rows of a chunk; nullopt: the compiler chooses.
  std::optional<int64_t> chunkRows;
  llvm::SMRange formulaRange;

  /// Names of the effects, the offset first, then one per term, unique
  /// (MATH.md section 4, decompose).
  std::vector<std::string> effectNames() const;
  /// Features in order of first appearance (MATH.md section 1).
  std::vector<std::string> features() const;
  /// The spec as YAML in one canonical spelling: defaults left out, terms in
  /// order, numbers in shortest form. Equal text means equal models.
  std::string canonical() const;
};

/// Number of levels of a categorical term without `n_cat`, from a profile:
/// filled in as `n_cat` by resolveLevels, with `levels` = true in the term's
/// parameters to tell "levels are those of the training rows" from an explicit
/// `n_cat` (always present, false by default).

/// Parses a spec in buffer `bufferID` of `sources`. Errors go to the handler
/// of `sources` with line, column and caret, and yield nullopt.
std::optional<ModelSpec> parseSpec(llvm::SourceMgr &sources, unsigned bufferID);

/// Settings that replace or stand in for keys of the YAML (command line).
struct SpecOverrides {
  std::optional<std::string> name, group, date, weights, solver, device;
  std::optional<int64_t> chunkRows;
};

/// The same from a bare formula; the formula is the buffer's whole text.
std::optional<ModelSpec> parseFormulaSpec(llvm::SourceMgr &sources,
                                          unsigned bufferID,
                                          const SpecOverrides &overrides);

/// Resolves what the formula leaves to the data: `c(x)` without `n_cat`. With
/// `profile` (a CSV's text and name) counts levels; without one, a term that
/// needs it is an error that names both cures. Returns success.
bool resolveLevels(llvm::SourceMgr &sources, ModelSpec &spec,
                   std::optional<llvm::MemoryBufferRef> profile);

} // namespace tamc::spec

#endif // TAMC_SPEC_MODELSPEC_H
