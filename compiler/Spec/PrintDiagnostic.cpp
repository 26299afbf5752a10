//===- PrintDiagnostic.cpp - messages with a part of a long line ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/PrintDiagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tamc::spec {
namespace {

/// Longest line, in bytes, that is printed completely, and length of the
/// printed part of a longer one.
constexpr size_t kMaxWhole = 160;
constexpr size_t kPart = 100;

bool continuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// The bytes [begin, end) of `line` around `column`, whole UTF-8 characters.
std::pair<size_t, size_t> partAround(llvm::StringRef line, size_t column) {
  size_t begin = column < kPart / 2 ? 0 : column - kPart / 2;
  begin = std::min(begin, line.size() - kPart);
  size_t end = begin + kPart;
  while (begin > 0 && continuesCharacter(line[begin]))
    --begin;
  while (end < line.size() && continuesCharacter(line[end]))
    ++end;
  return {begin, end};
}

void printPart(const llvm::SMDiagnostic &diagnostic, llvm::raw_ostream &out) {
  const llvm::StringRef line = diagnostic.getLineContents();
  const auto column = static_cast<size_t>(diagnostic.getColumnNo());
  const auto [begin, end] = line.size() <= kMaxWhole
                                ? std::pair<size_t, size_t>(0, line.size())
                                : partAround(line, column);
  const llvm::StringRef head = begin == 0 ? "" : "...";

  // One mark for each character; a tab is printed as a space.
  std::string marks(head.size(), ' ');
  std::string text = head.str();
  for (size_t i = begin; i < end; ++i) {
    text += line[i] == '\t' ? ' ' : line[i];
    if (continuesCharacter(line[i]))
      continue;
    const bool isMarked =
        llvm::any_of(diagnostic.getRanges(), [&](const auto &range) {
          return range.first <= i && i < range.second;
        });
    marks += i == column ? '^' : isMarked ? '~' : ' ';
  }
  if (column >= line.size())
    marks += '^';
  out << text << (end < line.size() ? "..." : "") << '\n';
  out << llvm::StringRef(marks).rtrim() << '\n';
}

} // namespace

void printDiagnostic(const llvm::SMDiagnostic &diagnostic,
                     llvm::raw_ostream &out) {
  const bool hasPlace =
      diagnostic.getLineNo() > 0 && diagnostic.getColumnNo() >= 0;
  // LLVM marks no place in a line with characters beyond ASCII.
  if (!hasPlace || (diagnostic.getLineContents().size() <= kMaxWhole &&
                    llvm::isASCII(diagnostic.getLineContents()))) {
    diagnostic.print(nullptr, out);
    return;
  }
  const std::string place = diagnostic.getFilename().str() + ":" +
                            std::to_string(diagnostic.getLineNo()) + ":" +
                            std::to_string(diagnostic.getColumnNo() + 1);
  llvm::SMDiagnostic(place, diagnostic.getKind(), diagnostic.getMessage())
      .print(nullptr, out);
  printPart(diagnostic, out);
}

void setDiagnosticPrinter(llvm::SourceMgr &sources) {
  sources.setDiagHandler([](const llvm::SMDiagnostic &diagnostic, void *) {
    printDiagnostic(diagnostic, llvm::errs());
  });
}

} // namespace tamc::spec
