//===- TargetAnalysisTest.cpp - the target as an analysis -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/TargetAnalysis.h"

#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tamc;

namespace {

/// A module, and what a pass manager keeps of it between passes.
class TargetAnalysisTest : public ::testing::Test {
protected:
  TargetAnalysisTest()
      : handler(&context, [this](Diagnostic &) { ++errors; }),
        module(ModuleOp::create(UnknownLoc::get(&context))),
        analyses(*module, /*passInstrumentor=*/nullptr) {
    context.loadDialect<tam::TamDialect>();
  }

  const Target *get() {
    return AnalysisManager(analyses).getAnalysis<TargetAnalysis>().get();
  }

  /// What happens after a pass that preserves nothing.
  void endPass() { AnalysisManager(analyses).invalidate({}); }

  void setTarget(StringRef name) {
    (*module)->setAttr(tam::kTargetAttrName,
                       tam::TargetAttr::get(&context, name, "", ""));
  }

  MLIRContext context;
  int errors = 0;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  ModuleAnalysisManager analyses;
};

} // namespace

TEST_F(TargetAnalysisTest, PassesShareIt) {
  const Target *target = get();
  ASSERT_NE(target, nullptr);
  endPass();
  EXPECT_EQ(get(), target);
}

TEST_F(TargetAnalysisTest, PassesShareTheError) {
  setTarget("dpu");
  EXPECT_EQ(get(), nullptr);
  endPass();
  EXPECT_EQ(get(), nullptr);
  EXPECT_EQ(errors, 1);
}

TEST_F(TargetAnalysisTest, AnotherTargetIsAnother) {
  ASSERT_NE(get(), nullptr);
  setTarget("dpu");
  endPass();
  EXPECT_EQ(get(), nullptr);
  setTarget(defaultTargetName());
  endPass();
  EXPECT_NE(get(), nullptr);
}
