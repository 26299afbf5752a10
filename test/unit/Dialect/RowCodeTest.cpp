//===- RowCodeTest.cpp - what loops over rows have code for -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/RowCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tamc;

/// Whether there is code for the sums of matrices of 4 columns in these
/// encodings.
static bool hasCode(llvm::StringRef a, llvm::StringRef b) {
  MLIRContext context;
  context.loadDialect<tam::TamDialect, func::FuncDialect>();
  const std::string first = ("tensor<?x4xf64, #tam." + a + ">").str(),
                    second = ("tensor<?x4xf64, #tam." + b + ">").str(),
                    sums = "tensor<4x4xf64, #tam.sums<full>>";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f(%a: " + first + ", %b: " + second + ", %s: " + sums +
          ") {\n  %0 = tam.gram %a, %b into %s : " + first + ", " + second +
          " -> " + sums + "\n  return\n}",
      &context);
  EXPECT_TRUE(module);
  bool has = false;
  if (!module)
    return has;
  module->walk([&](tam::GramOp gram) {
    has = tam::hasSumCode(gram,
                          tam::SumsAttr::get(&context, tam::SumsLayout::Full));
  });
  return has;
}

TEST(RowCode, SumsInTheOrderOfEncodings) {
  EXPECT_TRUE(hasCode("one_hot", "banded<2>"));
  EXPECT_TRUE(hasCode("banded<2>", "dense"));
  EXPECT_TRUE(hasCode("dense", "dense"));
  EXPECT_FALSE(hasCode("dense", "one_hot"));
}

/// Encodings without a place in that order are the kernels'.
TEST(RowCode, NoSumsOfOtherEncodings) {
  for (llvm::StringRef other : {"multi_hot<2, 5.0e-01>", "sparse<2>"}) {
    EXPECT_FALSE(hasCode(other, "dense")) << other.str();
    EXPECT_FALSE(hasCode("one_hot", other)) << other.str();
    EXPECT_FALSE(hasCode("dense", other)) << other.str();
  }
}
