//===- ChooseEncodingsTest.cpp - targets that lack kernels ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SomeTarget.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tamc;

/// The encodings of a spline and a category for a target that
/// lacks `kernels`.
static std::vector<std::string> choose(std::vector<std::string> kernels) {
  lacking = std::move(kernels);
  MLIRContext context;
  context.loadDialect<tam::TamDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>, %y: tensor<?xf64>) {
  %a = tam.bspline %x, %p {intervals = 4, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x7xf64>
  %b = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %z = tam.zeros : tensor<7x7xf64>
  %g = tam.gram %a, %a into %z : tensor<?x7xf64>, tensor<?x7xf64>
      -> tensor<7x7xf64>
  return
})",
      &context);
  PassManager passes(&context);
  passes.addPass(tam::createTamChooseEncodings());
  if (!module || failed(passes.run(*module)))
    return {};
  std::vector<std::string> encodings;
  module->walk([&](tam::FeatureMapInterface map) {
    encodings.push_back(
        tam::getEncoding(map->getResult(0).getType()).getKernelTag().str());
  });
  return encodings;
}

TEST(ChooseEncodings, StructuredWhereTheTargetHasTheKernels) {
  EXPECT_EQ(choose({}), (std::vector<std::string>{"banded", "onehot"}));
}

TEST(ChooseEncodings, DenseWhereTheTargetLacksAKernel) {
  for (std::string kernel :
       {"gram_banded", "rhs_banded", "predict_banded", "sparsify_banded"})
    EXPECT_EQ(choose({kernel}), (std::vector<std::string>{"dense", "onehot"}))
        << kernel;
  EXPECT_EQ(choose({"rhs_onehot", "gram_banded"}),
            (std::vector<std::string>{"dense", "dense"}));
}

/// The map's kernel writes the structured encoding, and nothing expands it.
TEST(ChooseEncodings, StructuredWhereNothingExpands) {
  EXPECT_EQ(choose({"rhs_banded", "expand_banded"}),
            (std::vector<std::string>{"banded", "onehot"}));
}
