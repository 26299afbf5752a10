//===- core/run/StreamedRows.h - rows that are read in pieces ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rows of a file that is read in pieces, as often as a fit needs them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_STREAMEDROWS_H
#define TAMRT_CORE_RUN_STREAMEDROWS_H

#include "core/FunctionRef.h"
#include "core/data/Dataset.h"
#include "core/data/Levels.h"
#include "core/data/RowReader.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <vector>

namespace tamrt {

/// Groups and levels are known before rows are read; the caller sets them. The
/// order of the groups must outlive it.
struct StreamedRows {
  /// Pieces have about `rowBytes` bytes. Both must outlive it.
  StreamedRows(RowReader &reader, const tamrt_model &model, size_t rowBytes,
               unsigned threads);

  /// Notes that the reader has seen all groups and levels.
  void keepTexts();

  /// Reads from the reader's place to the end of the file: calls see(rows) for
  /// the rows as read, which may take their keys and lines, then body(piece)
  /// for the same, sorted by group. Errors: a group or level that was not seen
  /// before.
  Status forEachLeft(FunctionRef<void(Rows &rows)> see,
                     FunctionRef<Status(Dataset &piece)> body);

  /// The same from the first row.
  Status forEach(FunctionRef<Status(Dataset &piece)> body);

  RowReader &reader;
  const tamrt_model &model;
  unsigned threads;
  size_t maxRows;
  const GroupOrder *order = nullptr;
  std::vector<LevelTable> levels;
  /// Mean row weights by group, by which weights are divided; empty: they stay
  /// as read.
  std::vector<double> means;
  /// Number of times the file was read.
  size_t readings = 0;

private:
  Status checkTexts() const;

  size_t groupTexts = 0;
  std::vector<size_t> levelTexts;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_STREAMEDROWS_H
