//===- SourceText.h - text with a location for each byte --------*- C++ -*-===//
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

/// Reports diagnostics in the user's file and counts errors. After
/// `maximumErrors` it reports that there are too many, and nothing more.
class Diagnostics {
public:
  explicit Diagnostics(llvm::SourceMgr &sources) : sources(sources) {}

  void error(llvm::SMRange where, const llvm::Twine &message);
  void warning(llvm::SMRange where, const llvm::Twine &message);
  /// A fix, or another location, for the error or warning before it.
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
/// with the location of each of its bytes in the buffer.
class SourceText {
public:
  SourceText() = default;
  /// The unchanged bytes of a buffer.
  explicit SourceText(llvm::StringRef raw);
  /// `value`, which a YAML reader made of the scalar `raw`. Folding changes
  /// only white space, so other bytes are matched in order; if that fails,
  /// every location is the start of `raw`.
  SourceText(llvm::StringRef value, llvm::StringRef raw);

  llvm::StringRef text() const { return value; }
  /// Location of byte `offset`; the end of the text has a location too.
  llvm::SMLoc location(size_t offset) const;
  /// Location of the bytes [begin, end), of at least one byte.
  llvm::SMRange range(size_t begin, size_t end) const;

private:
  bool align(llvm::StringRef raw);

  std::string value;
  /// One location for each byte of `value`, and one for its end.
  std::vector<const char *> places;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_SOURCETEXT_H
