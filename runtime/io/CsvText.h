//===- io/CsvText.h - common parts of CSV readers ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fields, headers and messages of CSV files.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVTEXT_H
#define TAMRT_IO_CSVTEXT_H

#include "io/CsvFormat.h"
#include "io/CsvScanner.h"
#include "io/Error.h"

#include <fast_float/fast_float.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The field's contents, from its bytes as rewritten by scanCsv.
inline std::string_view unquoteCsv(std::string_view raw) {
  if (raw.empty() || raw.front() != '"')
    return raw;
  while (raw.back() == '\0')
    raw.remove_suffix(1);
  return raw.substr(1, raw.size() - 2);
}

/// A field's number, NaN if it is missing. Returns false and sets 0 if it is
/// neither.
inline bool parseCsvNumber(std::string_view raw, const CsvFormat &format,
                           double &out) {
  // Nearly all fields contain only a number.
  const char *end = raw.data() + raw.size();
  if (!raw.empty() && format.readsPlainNumbers()) {
    auto [stop, error] = fast_float::from_chars(raw.data(), end, out);
    if (stop == end && error == std::errc() && std::isfinite(out))
      return true;
  }
  return format.parseNumber(unquoteCsv(raw), out);
}

/// The message for a field that is not a number.
std::string describeNoNumber(std::string_view text, const CsvFormat &format);

/// `text` for a message: only its start if it is long.
std::string shownText(std::string_view text);

/// Line of the byte at `offset`, counted from 1.
size_t lineInText(const char *text, size_t offset);

/// The file's format, from its first bytes, if it is certainly not CSV; else
/// empty.
std::string_view foreignFormat(std::string_view bytes);

/// Bytes of a byte order mark at the start of the text, which are skipped.
size_t markBytes(std::string_view bytes);

/// The end of the text without its empty lines at the end, and without the end
/// of the last line that is not empty.
size_t trimEmptyLines(const char *text, size_t begin, size_t end);

/// The names in the header, which is the first row of `index`. An error, which
/// starts with `path`, if one appears twice or there is none.
Result<std::vector<std::string>>
namesOfHeader(const std::string &path, const char *text, const CsvIndex &index);

/// The column named `column`; none if there is no such column.
std::optional<size_t> findColumn(const std::vector<std::string> &names,
                                 std::string_view column);

/// The same of a file that was read with `separator`. A missing one is an error
/// that names the file and lists its columns, or the separator that they seem
/// to have.
Result<size_t> requireColumn(const std::string &path,
                             const std::vector<std::string> &names,
                             std::string_view column, char separator = ',');

} // namespace tamrt

#endif // TAMRT_IO_CSVTEXT_H
