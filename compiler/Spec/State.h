//===- State.h - tables that a spec gives -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The key `state`. It may come before the formula in the YAML, so it is stored
/// as written until the terms, which define the tables, are known.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_STATE_H
#define TAMC_COMPILER_SPEC_STATE_H

#include "SourceText.h"

#include "tamc/Spec/ModelSpec.h"

namespace tamc::spec {

/// The name of a file of tensors, and its location in the YAML.
struct WrittenFile {
  std::string name;
  llvm::SMRange range;
};

/// A table of numbers.
struct WrittenTable {
  struct Row {
    llvm::SMRange range;
    size_t count;
  };

  std::string name;
  llvm::SMRange range;
  std::vector<double> values;
  /// One per value.
  std::vector<llvm::SMRange> places;
  /// The rows of a nested list; a flat one has none.
  std::vector<Row> rows;
  bool nested = false;
};

/// The tables of an effect, in the YAML or in a file.
struct WrittenEffect {
  std::string name;
  llvm::SMRange range;
  std::optional<WrittenFile> file;
  std::vector<WrittenTable> tables;
};

/// All of `state`, by effects or in a file.
struct WrittenState {
  std::optional<WrittenFile> file;
  std::vector<WrittenEffect> effects;
};

/// Matches `written` with the tables of `spec`, whose terms are complete, and
/// sets its `state`. Files are relative to `folder`. Errors have their
/// locations.
void resolveState(const WrittenState &written, llvm::StringRef folder,
                  ModelSpec &spec, Diagnostics &diagnostics);

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_STATE_H
