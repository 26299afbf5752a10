//===- ObjectTest.cpp - machine code of models ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IdlePasses.h"

#include "tamc/Conversion/SpecToTam.h"
#include "tamc/InitAll.h"
#include "tamc/Pipelines/Pipelines.h"
#include "tamc/Spec/ModelSpec.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace tamc;

namespace {

/// A row loop of splines, which lie together, categories and columns, a product
/// outside of it, and a solver by conjugate gradients.
constexpr const char *kSpec = R"(
formula: >-
  y ~ s(a, k=8) + s(b, k=8) + c(day, n_cat=7) + l(u) + l(v) + f(x, m=2) +
      te(s(a, k=5), c(hour, n_cat=24)) + t(w, n_trees=8)
)";

class ObjectTest : public ::testing::Test {
protected:
  ObjectTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
    });
  }

  /// The object of the model; empty after an error.
  std::string compile(llvm::function_ref<bool(StringRef)> runsIdlePass) {
    llvm::SourceMgr sources;
    const unsigned buffer = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(kSpec, "spec.yaml"), {});
    auto spec = spec::parseSpec(sources, buffer);
    if (!spec)
      return {};
    OwningOpRef<ModuleOp> module = importSpec(context, sources, *spec);
    if (!module)
      return {};
    for (Phase phase : allPhases())
      if (failed(lowerBy(*module, phase, Phase::LLVM, PipelineOptions())))
        return {};
    SmallString<0> bytes;
    llvm::raw_svector_ostream out(bytes);
    if (failed(emitCode(*module, CodeKind::Object, {}, runsIdlePass, out)))
      return {};
    return bytes.str().str();
  }

  std::string errors;
  MLIRContext context;

private:
  static DialectRegistry registry() {
    DialectRegistry all;
    registerAllDialects(all);
    return all;
  }
};

} // namespace

TEST_F(ObjectTest, IdlePassesChangeNothing) {
  const std::string without = compile([](StringRef) { return false; });
  ASSERT_NE(without, "") << errors;
  EXPECT_TRUE(compile([](StringRef) { return true; }) == without) << errors;
}

/// A name that LLVM does not have, or no longer, leaves nothing out.
TEST_F(ObjectTest, IdlePassesAreLlvms) {
  std::set<std::string> asked, listed;
  auto ask = [&](StringRef pass) {
    asked.insert(pass.str());
    return false;
  };
  ASSERT_NE(compile(ask), "") << errors;
  for (StringRef pass : getIdlePasses())
    listed.insert(pass.str());
  EXPECT_EQ(asked, listed);
}
