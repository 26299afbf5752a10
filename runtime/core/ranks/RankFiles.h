//===- core/ranks/RankFiles.h - the rows that a rank reads ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides files of rows among ranks. The files are read as one, in order; each
/// rank reads about as many bytes of them, which start and end between rows.
/// Whether a line end is inside quotes depends on all bytes of its file before,
/// so each rank first counts the quotes of its bytes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_RANKFILES_H
#define TAMRT_CORE_RANKS_RANKFILES_H

#include "core/ranks/Ranks.h"
#include "io/CsvBlocks.h"
#include "io/CsvFormat.h"
#include "io/Error.h"

#include <string>
#include <vector>

namespace tamrt {

/// Whether a name of files is a pattern: it has one of * ? [ and no file has
/// that name.
bool isPattern(const std::string &name);

/// The files that a pattern names, in the order of their names' bytes; of
/// another name that name alone.
std::vector<std::string> expandPattern(const std::string &name);

/// Rows of one file that one rank reads.
struct RankPiece {
  /// The piece's place among those of all ranks.
  size_t index;
  DataSource source;
};

/// The pieces of this rank, of the files that a pattern names, in the order of
/// their names' bytes. Some ranks may have none. Compressed files are not
/// divided, and some may have no rows. Errors: no such files; what is no
/// regular file; a file whose columns are not those of the first; no rows in
/// any; those of `CsvBlocks::open`.
Result<std::vector<RankPiece>> divideFiles(const Ranks &ranks,
                                           const std::string &pattern,
                                           const CsvFormat &format);

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_RANKFILES_H
