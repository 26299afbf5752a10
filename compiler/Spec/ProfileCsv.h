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
  /// Contents without quotes and with blanks. They point into the text or into
  /// the reader and are valid until the next row.
  std::vector<llvm::StringRef> fields;
  /// Which fields were in quotes.
  std::vector<bool> quoted;
  /// 1-based line in which the record starts.
  size_t line = 0;
  /// The text of that line, for messages.
  llvm::StringRef text;
};

/// Reads CSV (RFC 4180): fields are separated by commas, or another byte, and
/// may be in double quotes, which may contain line breaks and "" for a quote;
/// lines end in LF or CRLF. A BOM and empty lines are skipped.
class CsvReader {
public:
  explicit CsvReader(llvm::StringRef text, char separator = ',');

  /// Reads the next record. False at the end and on an error.
  bool next(CsvRow &row);
  /// The error in the last record, or "".
  llvm::StringRef error() const { return message; }
  /// 1-based line of the error.
  size_t errorLine() const { return line; }

private:
  bool quotedField(CsvRow &row);
  bool fail(size_t where, llvm::StringRef what);

  llvm::StringRef rest;
  char separator;
  /// What ends a field that is not in quotes, and a quote.
  char ends[3];
  size_t line = 1;
  std::string message;
  /// Contents of fields that contain doubled quotes.
  std::deque<std::string> unquoted;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_PROFILECSV_H
