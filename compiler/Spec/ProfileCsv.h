//===- ProfileCsv.h - reader of a profile's rows ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_PROFILECSV_H
#define TAMC_COMPILER_SPEC_PROFILECSV_H

#include "llvm/ADT/StringRef.h"

#include <deque>
#include <string>
#include <vector>

namespace tamc::spec {

/// One record of a CSV.
struct CsvRow {
  /// Contents without quotes, blanks kept. They point into the text or into
  /// the reader and hold until the next row.
  std::vector<llvm::StringRef> fields;
  /// Which fields stood in quotes.
  std::vector<bool> quoted;
  /// 1-based line the record starts in.
  size_t line = 0;
  /// The text of that line, for messages.
  llvm::StringRef text;
};

/// Reads CSV as RFC 4180 has it: fields split by commas, perhaps in double
/// quotes with "" for a quote, which may hold line breaks; LF or CRLF; a BOM is
/// skipped, empty lines are too.
class CsvReader {
public:
  explicit CsvReader(llvm::StringRef text);

  /// Reads the next record. False at the end and on an error.
  bool next(CsvRow &row);
  /// What is wrong with the last record, or "".
  llvm::StringRef error() const { return message; }
  /// 1-based line of the error.
  size_t errorLine() const { return line; }

private:
  bool quotedField(CsvRow &row);
  bool fail(size_t where, llvm::StringRef what);

  llvm::StringRef rest;
  size_t line = 1;
  std::string message;
  /// Fields that hold a doubled quote, put together.
  std::deque<std::string> unquoted;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_PROFILECSV_H
