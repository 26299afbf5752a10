//===- ProfileCsv.cpp - reader of a profile's rows ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileCsv.h"

namespace tamc::spec {

CsvReader::CsvReader(llvm::StringRef text, char separator)
    : rest(text), separator(separator), ends{separator, '\n', '"'} {
  rest.consume_front("\xef\xbb\xbf");
}

bool CsvReader::fail(size_t where, llvm::StringRef what) {
  line = where;
  message = what.str();
  rest = "";
  return false;
}

/// A field whose opening quote is `rest`'s first character.
bool CsvReader::quotedField(CsvRow &row) {
  size_t start = line;
  std::string *joined = nullptr;
  rest = rest.drop_front();
  while (true) {
    size_t quote = rest.find('"');
    if (quote == llvm::StringRef::npos)
      return fail(start, "this quote is never closed");
    llvm::StringRef part = rest.take_front(quote);
    line += part.count('\n');
    rest = rest.drop_front(quote + 1);
    bool doubled = rest.starts_with("\"");
    if (!joined && doubled)
      joined = &unquoted.emplace_back();
    if (joined)
      joined->append(part.begin(), part.end());
    if (!doubled) {
      row.fields.push_back(joined ? llvm::StringRef(*joined) : part);
      return true;
    }
    joined->push_back('"');
    rest = rest.drop_front();
  }
}

bool CsvReader::next(CsvRow &row) {
  unquoted.clear();
  row.fields.clear();
  row.quoted.clear();
  while (rest.starts_with("\n") || rest.starts_with("\r\n")) {
    rest = rest.drop_front(rest[0] == '\r' ? 2 : 1);
    ++line;
  }
  if (rest.empty())
    return false;
  row.line = line;
  row.text = rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
  while (true) {
    row.quoted.push_back(rest.starts_with("\""));
    if (row.quoted.back()) {
      if (!quotedField(row))
        return false;
    } else {
      size_t end = rest.find_first_of(llvm::StringRef(ends, sizeof ends));
      if (end != llvm::StringRef::npos && rest[end] == '"')
        return fail(line, "unexpected quote inside a field");
      llvm::StringRef field = rest.take_front(end);
      rest = rest.drop_front(field.size());
      if (rest.empty() || rest[0] == '\n')
        field.consume_back("\r");
      row.fields.push_back(field);
    }
    if (rest.consume_front(llvm::StringRef(&separator, 1)))
      continue;
    if (rest.empty())
      return true;
    if (rest.consume_front("\n") || rest.consume_front("\r\n")) {
      ++line;
      return true;
    }
    return fail(line,
                "expected " +
                    (separator == '\t' ? std::string("a tab")
                                       : std::string("'") + separator + "'") +
                    " or the end of the line after a quoted field");
  }
}

} // namespace tamc::spec
