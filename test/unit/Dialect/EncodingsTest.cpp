//===- EncodingsTest.cpp - an encoding that no pass knows -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SomeTarget.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/RowCode.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tamc;

namespace {

/// Makes a string an encoding: "full" stores all columns, "levels" has diagonal
/// sums with itself and one number per row.
struct StringEncoding
    : tam::EncodingInterface::ExternalModel<StringEncoding, StringAttr> {
  SmallVector<RankedTensorType> getComponentTypes(Attribute,
                                                  RankedTensorType type) const {
    return {type.cloneWithEncoding({})};
  }
  StringRef getKernelTag(Attribute own) const {
    return cast<StringAttr>(own).getValue();
  }
  SmallVector<int64_t> getKernelSizes(Attribute, RankedTensorType type) const {
    return {type.getDimSize(1)};
  }
};

struct StringDesign
    : tam::DesignEncodingInterface::ExternalModel<StringDesign, StringAttr> {
  int64_t getRowNumbers(Attribute own, RankedTensorType type) const {
    return storesAllColumns(own) ? type.getDimSize(1) : 1;
  }
  tam::SumsLayout getSelfLayout(Attribute own) const {
    return storesAllColumns(own) ? tam::SumsLayout::Upper
                                 : tam::SumsLayout::Diagonal;
  }
  SmallVector<int64_t> getSparsifySizes(Attribute, RankedTensorType type,
                                        int64_t) const {
    return {type.getDimSize(1)};
  }
  int64_t getBand(Attribute own) const { return storesAllColumns(own) ? 0 : 1; }
  bool storesAllColumns(Attribute own) const {
    return cast<StringAttr>(own).getValue() == "full";
  }
};

class Encodings : public ::testing::Test {
protected:
  Encodings() {
    context.loadDialect<tam::TamDialect, func::FuncDialect>();
    StringAttr::attachInterface<StringEncoding, StringDesign>(context);
  }

  /// Reads a function of matrices "full", "levels", a dense and a banded one.
  void read(StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%full: tensor<?x4xf64, \"full\">, "
         "%levels: tensor<?x4xf64, \"levels\">, "
         "%dense: tensor<?x4xf64, #tam.dense>, "
         "%banded: tensor<?x4xf64, #tam.banded<2>>, %amount: tensor<?xf64>, "
         "%s: tensor<4x4xf64, #tam.sums<full>>) {\n" +
         body + "\n  return\n}")
            .str(),
        &context);
    ASSERT_TRUE(module);
  }

  /// Chooses encodings in it, for a target without kernels for pairs with the
  /// first two.
  void choose(StringRef body) {
    lacking.clear();
    for (std::string own : {"full", "levels"})
      for (std::string other : {"full", "levels", "dense", "banded"}) {
        lacking.push_back("gram_" + own + "_" + other);
        lacking.push_back("gram_" + other + "_" + own);
      }
    ASSERT_NO_FATAL_FAILURE(read(body));
    PassManager passes(&context);
    passes.addPass(tam::createTamChooseEncodings());
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }

  /// The encoding of the result of the only op of this kind.
  template <typename Op> Attribute encodingOf() {
    Attribute found;
    if (HasFatalFailure())
      return found;
    module->walk([&](Op op) {
      EXPECT_FALSE(found);
      found = tam::getEncoding(op->getResult(0).getType());
    });
    return found;
  }

  /// The kernels that `op`, which reads matrices "full", launches, in order.
  std::vector<std::string> kernelsOf(StringRef op) {
    lacking.clear();
    std::vector<std::string> kernels;
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%rows: index {tam.slot = #tam.slot<rows>}, "
         "%capacity: index {tam.slot = #tam.slot<capacity>}, "
         "%x: tensor<?xf64> {tam.slot = #tam.slot<column>}) {\n"
         "%one = tam.stack(%x : tensor<?xf64>) : tensor<?x1xf64>\n"
         "%column = builtin.unrealized_conversion_cast %one : "
         "tensor<?x1xf64> to tensor<?x1xf64, \"full\">\n"
         "%two = tam.stack(%x, %x : tensor<?xf64>, tensor<?xf64>) : "
         "tensor<?x2xf64>\n"
         "%full = builtin.unrealized_conversion_cast %two : "
         "tensor<?x2xf64> to tensor<?x2xf64, \"full\">\n" +
         op + "\n  return\n}")
            .str(),
        &context);
    PassManager passes(&context);
    // The runtime has no kernel expand_full.
    passes.enableVerifier(false);
    passes.addPass(createConvertTamToTamK());
    if (module && succeeded(passes.run(*module)))
      module->walk([&](tamk::LaunchOp launch) {
        if (launch.getSource() != "tam.stack")
          kernels.push_back(launch.getKernel().str());
      });
    return kernels;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

static std::string gram(StringRef a, StringRef aType, StringRef b,
                        StringRef bType) {
  return ("%z = tam.zeros : tensor<4x4xf64>\n%g = tam.gram " + a + ", " + b +
          " into %z : tensor<?x4xf64, " + aType + ">, tensor<?x4xf64, " +
          bType + "> -> tensor<4x4xf64>")
      .str();
}

TEST_F(Encodings, ProductOfAllColumnsIsDense) {
  choose("%k = tam.kronecker %full, %dense : tensor<?x4xf64, \"full\">, "
         "tensor<?x4xf64, #tam.dense> -> tensor<?x16xf64>");
  EXPECT_EQ(encodingOf<tam::KroneckerOp>(), tam::DenseAttr::get(&context));
}

TEST_F(Encodings, ProductOfSomeColumnsIsSparse) {
  choose("%k = tam.kronecker %levels, %dense : tensor<?x4xf64, \"levels\">, "
         "tensor<?x4xf64, #tam.dense> -> tensor<?x16xf64>");
  EXPECT_EQ(encodingOf<tam::KroneckerOp>(), tam::SparseAttr::get(&context, 4));
}

TEST_F(Encodings, BlendOfAllColumnsIsDense) {
  choose("%b = tam.blend %full, %full, %amount : tensor<?x4xf64, \"full\">, "
         "tensor<?x4xf64, \"full\">, tensor<?xf64> -> tensor<?x4xf64>");
  EXPECT_EQ(encodingOf<tam::BlendOp>(), tam::DenseAttr::get(&context));
}

TEST_F(Encodings, PairsReadADenseCopyOfAllColumns) {
  choose(gram("%full", "\"full\"", "%banded", "#tam.banded<2>"));
  EXPECT_EQ(encodingOf<tam::ConvertOp>(), tam::DenseAttr::get(&context));
  EXPECT_EQ(encodingOf<tam::GramOp>(),
            tam::SumsAttr::get(&context, tam::SumsLayout::Full));
}

TEST_F(Encodings, PairsReadASparseCopyOfSomeColumns) {
  choose(gram("%levels", "\"levels\"", "%dense", "#tam.dense"));
  EXPECT_EQ(encodingOf<tam::ConvertOp>(), tam::SparseAttr::get(&context, 1));
}

TEST_F(Encodings, SumsWithItselfHaveItsLayout) {
  choose(gram("%levels", "\"levels\"", "%levels", "\"levels\""));
  EXPECT_EQ(encodingOf<tam::GramOp>(),
            tam::SumsAttr::get(&context, tam::SumsLayout::Diagonal));
}

TEST_F(Encodings, LoopsHaveNoCodeForIt) {
  read("%g = tam.gram %full, %dense into %s : tensor<?x4xf64, \"full\">, "
       "tensor<?x4xf64, #tam.dense> -> tensor<4x4xf64, #tam.sums<full>>");
  module->walk([&](tam::GramOp gram) {
    EXPECT_FALSE(tam::hasSumCode(
        gram, tam::SumsAttr::get(&context, tam::SumsLayout::Full)));
  });
  read("%c = tam.convert %levels : tensor<?x4xf64, \"levels\"> -> "
       "tensor<?x4xf64, #tam.sparse<1>>");
  module->walk([&](tam::ConvertOp convert) {
    EXPECT_FALSE(tam::hasSumCode(convert));
    EXPECT_TRUE(tam::getFactors(convert.getResult()).empty());
  });
}

TEST_F(Encodings, MapsReadDenseCopiesOfAllColumns) {
  using Kernels = std::vector<std::string>;
  EXPECT_EQ(kernelsOf("%k = tam.kronecker %full, %full : "
                      "tensor<?x2xf64, \"full\">, tensor<?x2xf64, \"full\"> "
                      "-> tensor<?x4xf64, #tam.dense>"),
            (Kernels{"expand_full", "expand_full", "kronecker_dense"}));
  EXPECT_EQ(kernelsOf("%b = tam.blend %full, %full, %x : "
                      "tensor<?x2xf64, \"full\">, tensor<?x2xf64, \"full\">, "
                      "tensor<?xf64> -> tensor<?x2xf64, #tam.dense>"),
            (Kernels{"expand_full", "expand_full", "blend_dense"}));
  EXPECT_EQ(kernelsOf("%c = tam.columns(%column, %column : "
                      "tensor<?x1xf64, \"full\">, tensor<?x1xf64, \"full\">) "
                      "-> tensor<?x2xf64, #tam.dense>"),
            (Kernels{"expand_full", "expand_full", "stack"}));
  EXPECT_EQ(kernelsOf("%c = tam.columns(%full, %column : "
                      "tensor<?x2xf64, \"full\">, tensor<?x1xf64, \"full\">) "
                      "-> tensor<?x3xf64, #tam.dense>"),
            (Kernels{"expand_full", "expand_full"}));
}
