//===- Tables.h - tables of a term ------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tables of a term: names, shapes, and valid contents (abi.h,
/// tamrt_learner_kind; docs/math.md section 3).
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_TABLES_H
#define TAMC_SPEC_TABLES_H

#include "tamc/Spec/ModelSpec.h"

#include "llvm/ADT/SmallVector.h"

namespace tamc::spec {

/// Conditions on the finite numbers of a table.
enum class TableContents {
  Any,
  /// An input's index: an integer from 0 to `inputs` - 1.
  Feature,
  /// Not less than the number before it in its row.
  Ascending,
  /// Above 0.
  Positive,
  /// Not below 0.
  Weight,
};

/// A table that a term learns or draws once for all groups.
struct TableForm {
  /// The learner's name of it, "W1"; for a factor of `te`, after the factor's
  /// number: "1.features".
  std::string name;
  /// One extent or two.
  llvm::SmallVector<int64_t, 2> shape;
  TableContents contents = TableContents::Any;
  /// Inputs that the term's learner reads.
  int64_t inputs = 0;
  /// The contents of a table of one number that the formula fixes: `gamma=2`.
  std::optional<double> fixed = std::nullopt;

  /// Whether it holds int32_t, not double.
  bool isInteger() const { return contents == TableContents::Feature; }
  int64_t elements() const;
};

/// The tables of `term` itself, in the order of abi.h; none for most terms, and
/// for `te`.
std::vector<TableForm> tablesOf(const Term &term);

/// The tables of `term` and, at any depth, of its factors, in the order of the
/// model's.
std::vector<TableForm> allTablesOf(const Term &term);

/// Trees of a t or lt, and the leaves of each.
int64_t treesOf(const Term &term);
int64_t leavesOf(const Term &term);
/// Whether the trees of a t or lt are oblivious, not flat.
bool isOblivious(const Term &term);

} // namespace tamc::spec

#endif // TAMC_SPEC_TABLES_H
