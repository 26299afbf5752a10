//===- SourceText.h - text with the place of every byte ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_SOURCETEXT_H
#define TAMC_COMPILER_SPEC_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SourceMgr.h"

#include <string>
#include <vector>

namespace tamc::spec {

/// Reports in the user's file and counts errors. After `maximumErrors` it says
/// so once and is silent, so that a bad file does not print without end.
class Diagnostics {
public:
  explicit Diagnostics(llvm::SourceMgr &sources) : sources(sources) {}

  void error(llvm::SMRange where, const llvm::Twine &message);
  void warning(llvm::SMRange where, const llvm::Twine &message);
  /// A mend, or another place, of the error or warning before it.
  void note(llvm::SMRange where, const llvm::Twine &message);
  /// The note "did you mean ...?" if one of `candidates` is close to `word`.
  void suggest(llvm::SMRange where, llvm::StringRef word,
               llvm::ArrayRef<llvm::StringRef> candidates);

  static constexpr unsigned maximumErrors = 20;

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }

private:
  void print(llvm::SMRange where, llvm::SourceMgr::DiagKind kind,
             const llvm::Twine &message);

  llvm::SourceMgr &sources;
  unsigned errors = 0;
  unsigned warnings = 0;
};

/// A text that was read from a buffer, perhaps unquoted, unescaped or folded,
/// and knows where each of its bytes was written.
class SourceText {
public:
  SourceText() = default;
  /// The bytes of a buffer as they stand.
  explicit SourceText(llvm::StringRef raw);
  /// `value`, which a YAML reader made of the scalar `raw`. Folding changes
  /// white space only, so bytes that are not white space are matched in order;
  /// where that fails every place is the start of `raw`.
  SourceText(llvm::StringRef value, llvm::StringRef raw);

  llvm::StringRef text() const { return value; }
  /// Where byte `offset` was written; the end of the text has a place too.
  llvm::SMLoc location(size_t offset) const;
  /// Where the bytes [begin, end) were written; at least one byte is meant.
  llvm::SMRange range(size_t begin, size_t end) const;

private:
  bool align(llvm::StringRef raw);

  std::string value;
  /// One place per byte of `value`, and one for its end.
  std::vector<const char *> places;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_SOURCETEXT_H
