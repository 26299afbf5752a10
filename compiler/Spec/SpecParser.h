//===- SpecParser.h - a model's YAML ----------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_SPECPARSER_H
#define TAMC_SPEC_SPECPARSER_H

#include "FormulaParser.h"
#include "State.h"
#include "TermChecker.h"

#include "llvm/Support/YAMLParser.h"

namespace tamc::spec {

/// A backend's name, perhaps with a number: cpu, cuda, cuda:1.
bool isDevice(llvm::StringRef text);

/// A scalar of the YAML.
struct Scalar {
  SourceText source;
  llvm::SMRange range;
  bool quoted = false;

  llvm::StringRef text() const { return source.text(); }
};

/// Reads the YAML of one spec.
class SpecParser {
public:
  SpecParser(llvm::MemoryBufferRef buffer, Diagnostics &diagnostics)
      : buffer(buffer), diagnostics(diagnostics),
        stream((yamlSources.setDiagHandler(captureError, this), buffer),
               yamlSources) {}

  std::optional<ModelSpec> run();

private:
  /// A key's location and text.
  struct Key {
    std::string text;
    llvm::SMRange range;
  };

  static void captureError(const llvm::SMDiagnostic &error, void *self);
  bool failed();
  bool readDocument();
  bool
  eachEntry(llvm::yaml::Node *node, llvm::StringRef what, llvm::SMRange range,
            llvm::function_ref<bool(const Key &, llvm::yaml::Node *)> body);
  bool entry(const Key &key, llvm::yaml::Node *node);
  std::optional<Scalar> scalar(llvm::yaml::Node *node, const Key &key,
                               llvm::StringRef expected);
  bool name(llvm::yaml::Node *node, const Key &key, llvm::StringRef expected,
            std::string &result);
  bool chunkRows(llvm::yaml::Node *node, const Key &key);
  bool oracleRule(llvm::yaml::Node *node, const Key &key);
  bool oracleShare(llvm::yaml::Node *node, const Key &key, double most,
                   std::optional<double> &result);
  bool oracleLimit(llvm::yaml::Node *node, const Key &key);
  bool oracleEntry(const Key &key, llvm::yaml::Node *node);
  bool placementEntry(const Key &key, llvm::yaml::Node *node);
  bool adaptEntry(const Key &key, llvm::yaml::Node *node);
  void finishAdapt();
  bool gridToken(const Key &key, llvm::yaml::Node *node);
  std::optional<ParsedTerm> substitute(const ParsedTerm &term,
                                       llvm::ArrayRef<size_t> values);
  void addChoices(const ParsedTerm &term);
  void finishGrid();
  void checkCorrection();
  bool unknownKey(const Key &key, llvm::StringRef what,
                  llvm::ArrayRef<llvm::StringRef> known);
  bool defaultsOf(const Key &term, llvm::yaml::Node *node);
  bool defaultValue(const TermInfo *info, const Key &key,
                    llvm::yaml::Node *node);
  std::optional<ParsedValue> yamlValue(llvm::yaml::Node *node, const Key &key);
  std::optional<ParsedValue> yamlPair(llvm::yaml::SequenceNode *node,
                                      const Key &key);
  std::optional<WrittenFile> stateFile(llvm::yaml::Node *node, const Key &key);
  bool stateOf(const Key &effect, llvm::yaml::Node *node);
  bool stateTable(const Key &key, llvm::yaml::Node *node, WrittenTable &table);
  bool stateNumber(const Key &key, const Scalar &scalar, WrittenTable &table);

  llvm::MemoryBufferRef buffer;
  Diagnostics &diagnostics;
  /// The YAML reader reports here, so that its messages can be rewritten in our
  /// style and reported once.
  llvm::SourceMgr yamlSources;
  const char *yamlErrorPlace = nullptr;
  std::string yamlError;
  llvm::yaml::Stream stream;

  ModelSpec spec;
  std::optional<Scalar> formula, correction;
  llvm::SMRange adaptRange;
  /// The values of a token, and whether the formula has it.
  struct TokenValues {
    Key key;
    std::vector<ParsedValue> values;
    bool used = false;
  };
  std::vector<TokenValues> tokens;
  std::optional<llvm::SMRange> gridRange;
  TermDefaults defaults;
  WrittenState state;
};

} // namespace tamc::spec

#endif // TAMC_SPEC_SPECPARSER_H
