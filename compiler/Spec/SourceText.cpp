//===- SourceText.cpp - text with a location for each byte ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"

#include "Text.h"

#include "llvm/ADT/StringExtras.h"

namespace tamc::spec {

void Diagnostics::print(llvm::SMRange where, llvm::SourceMgr::DiagKind kind,
                        const llvm::Twine &message) {
  if (errors > maximumErrors)
    return;
  if (where.isValid())
    sources.PrintMessage(where.Start, kind, message, where);
  else
    // An option of the command line.
    sources.PrintMessage(llvm::errs(),
                         llvm::SMDiagnostic("tamc", kind, message.str()));
}

void Diagnostics::error(llvm::SMRange where, const llvm::Twine &message) {
  if (errors == maximumErrors)
    print(where, llvm::SourceMgr::DK_Error, "too many errors");
  ++errors;
  print(where, llvm::SourceMgr::DK_Error, message);
}

void Diagnostics::warning(llvm::SMRange where, const llvm::Twine &message) {
  if (++warnings <= maximumErrors)
    print(where, llvm::SourceMgr::DK_Warning, message);
}

void Diagnostics::note(llvm::SMRange where, const llvm::Twine &message) {
  print(where, llvm::SourceMgr::DK_Note, message);
}

void Diagnostics::suggest(llvm::SMRange where, llvm::StringRef word,
                          llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef found = closest(word, candidates);
  if (!found.empty())
    note(where, "did you mean '" + found + "'?");
}

SourceText::SourceText(llvm::StringRef raw) : value(raw) {
  places.reserve(raw.size() + 1);
  for (size_t i = 0; i <= raw.size(); ++i)
    places.push_back(raw.begin() + i);
}

SourceText::SourceText(llvm::StringRef value, llvm::StringRef raw)
    : value(value) {
  places.reserve(value.size() + 1);
  if (!align(raw))
    places.assign(value.size() + 1, raw.begin());
}

bool SourceText::align(llvm::StringRef raw) {
  char quote = raw.starts_with("\"") || raw.starts_with("'") ? raw[0] : '\0';
  const char *at = raw.begin() + (quote ? 1 : 0);
  const char *end = raw.end();
  auto skipSpace = [&] {
    while (at != end && isSpace(*at))
      ++at;
  };
  for (size_t i = 0; i != value.size(); ++i) {
    if (isSpace(value[i])) {
      places.push_back(at);
      // An escaped blank is written as other characters.
      if (quote == '"' && at != end && *at == '\\' && at + 1 != end &&
          llvm::StringRef("tnr ").contains(at[1]))
        at += 2;
      continue;
    }
    skipSpace();
    // A backslash before a line break joins the lines.
    while (quote == '"' && end - at >= 2 && at[0] == '\\' && isSpace(at[1])) {
      ++at;
      skipSpace();
    }
    if (at == end)
      return false;
    places.push_back(at);
    if (quote == '"' && *at == '\\') {
      if (end - at < 2)
        return false;
      char escape = at[1];
      size_t digits = escape == 'x'   ? 2
                      : escape == 'u' ? 4
                      : escape == 'U' ? 8
                                      : 0;
      if (static_cast<size_t>(end - at) < 2 + digits)
        return false;
      bool plain = escape == value[i];
      if (digits == 0 && !plain)
        return false;
      at += 2 + digits;
      // One escape may represent several bytes of UTF-8.
      while (digits != 0 && i + 1 != value.size() &&
             (static_cast<unsigned char>(value[i + 1]) & 0xc0) == 0x80) {
        places.push_back(places.back());
        ++i;
      }
      continue;
    }
    if (*at != value[i])
      return false;
    at += quote == '\'' && *at == '\'' ? 2 : 1;
    if (at > end)
      return false;
  }
  places.push_back(at);
  return places.size() == value.size() + 1;
}

llvm::SMLoc SourceText::location(size_t offset) const {
  assert(offset < places.size() && "an offset of this text");
  return llvm::SMLoc::getFromPointer(places[offset]);
}

llvm::SMRange SourceText::range(size_t begin, size_t end) const {
  llvm::SMLoc start = location(begin);
  const char *last = end > begin ? places[end - 1] + 1 : start.getPointer();
  if (last < start.getPointer())
    last = start.getPointer();
  return llvm::SMRange(start, llvm::SMLoc::getFromPointer(last));
}

} // namespace tamc::spec
