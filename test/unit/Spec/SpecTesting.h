//===- SpecTesting.h - spec text in, messages out ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_SPEC_SPECTESTING_H
#define TAMC_TEST_UNIT_SPEC_SPECTESTING_H

#include "tamc/Spec/ModelSpec.h"
#include "tamc/Spec/Terms.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace tamc::spec::testing {

/// A source manager that stores its messages as "line:column kind: message";
/// those without location as "kind: message".
class Sources {
public:
  Sources() {
    manager.setDiagHandler(
        [](const llvm::SMDiagnostic &diagnostic, void *self) {
          static_cast<Sources *>(self)->keep(diagnostic);
        },
        this);
  }

  unsigned add(llvm::StringRef text, llvm::StringRef name = "model.yaml") {
    return manager.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  }

  std::optional<ModelSpec> yaml(llvm::StringRef text,
                                llvm::StringRef name = "model.yaml") {
    return parseSpec(manager, add(text, name));
  }

  std::optional<ModelSpec> formula(llvm::StringRef text,
                                   const SpecOverrides &overrides = {}) {
    return parseFormulaSpec(manager, add(text, "<formula>"), overrides);
  }

  bool levels(ModelSpec &spec, llvm::StringRef csv,
              const ProfileFormat &format = {}) {
    return resolveLevels(manager, spec, llvm::MemoryBufferRef(csv, "train.csv"),
                         format);
  }

  llvm::SourceMgr manager;
  /// All messages, one a line.
  std::string messages;
  /// File of the last message.
  std::string file;

private:
  void keep(const llvm::SMDiagnostic &diagnostic) {
    llvm::raw_string_ostream out(messages);
    if (diagnostic.getLineNo() > 0)
      out << diagnostic.getLineNo() << ':' << diagnostic.getColumnNo() + 1
          << ' ';
    switch (diagnostic.getKind()) {
    case llvm::SourceMgr::DK_Error:
      out << "error: ";
      break;
    case llvm::SourceMgr::DK_Warning:
      out << "warning: ";
      break;
    case llvm::SourceMgr::DK_Note:
      out << "note: ";
      break;
    case llvm::SourceMgr::DK_Remark:
      out << "remark: ";
      break;
    }
    out << diagnostic.getMessage() << '\n';
    file = diagnostic.getFilename();
  }
};

/// The messages of a formula.
inline std::string messagesOf(llvm::StringRef formula) {
  Sources sources;
  bool parsed = sources.formula(formula).has_value();
  // An error and no result, or a result and no error: never both or neither.
  EXPECT_EQ(parsed, sources.messages.find("error: ") == std::string::npos)
      << formula.str() << '\n'
      << sources.messages;
  return sources.messages;
}

/// The messages of a YAML spec.
inline std::string messagesOfYaml(llvm::StringRef text) {
  Sources sources;
  bool parsed = sources.yaml(text).has_value();
  EXPECT_EQ(parsed, sources.messages.find("error: ") == std::string::npos)
      << text.str() << '\n'
      << sources.messages;
  return sources.messages;
}

/// The one term of a formula, which must be right.
inline Term termOf(llvm::StringRef term) {
  Sources sources;
  auto spec = sources.formula(("the_target ~ " + term).str());
  EXPECT_TRUE(spec) << sources.messages;
  EXPECT_EQ(sources.messages, "");
  if (!spec || spec->terms.size() != 1)
    return Term();
  return spec->terms[0];
}

/// Whether two terms are the same but for their place and spelling.
inline bool sameTerm(const Term &a, const Term &b) {
  if (a.kind != b.kind || a.feature != b.feature || a.others != b.others ||
      a.ap != b.ap || a.extrapolate != b.extrapolate ||
      a.parameters != b.parameters || a.factors.size() != b.factors.size())
    return false;
  for (size_t i = 0; i != a.factors.size(); ++i)
    if (!sameTerm(a.factors[i], b.factors[i]))
      return false;
  return true;
}

/// Whether two specs are the same in all that the canonical text holds.
inline bool sameModel(const ModelSpec &a, const ModelSpec &b) {
  if (a.target != b.target || a.group != b.group || a.date != b.date ||
      a.weights != b.weights || a.solver != b.solver ||
      a.terms.size() != b.terms.size() || a.state.size() != b.state.size())
    return false;
  for (size_t i = 0; i != a.terms.size(); ++i)
    if (!sameTerm(a.terms[i], b.terms[i]))
      return false;
  for (size_t i = 0; i != a.state.size(); ++i)
    if (a.state[i].effect != b.state[i].effect ||
        a.state[i].name != b.state[i].name ||
        a.state[i].values != b.state[i].values)
      return false;
  return true;
}

} // namespace tamc::spec::testing

#endif // TAMC_TEST_UNIT_SPEC_SPECTESTING_H
