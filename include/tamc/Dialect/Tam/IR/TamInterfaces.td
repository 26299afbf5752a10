//===- TamInterfaces.td - interfaces of the solver graph ---*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMINTERFACES_TD
#define TAMC_DIALECT_TAM_IR_TAMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tam_EncodingInterface : AttrInterface<"EncodingInterface"> {
  let cppNamespace = "::tamc::tam";
  let description = [{
    How a tensor is stored. An encoded tensor is one value in the solver graph;
    lowering replaces it by one plain tensor for each *component*.
  }];
  let methods = [
    InterfaceMethod<
      "Types of the plain tensors that store a tensor of type `type`, in order.",
      "::llvm::SmallVector<::mlir::RankedTensorType>", "getComponentTypes",
      (ins "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<
      "Name of the encoding in the names of kernels, e.g. `banded`.",
      "::llvm::StringRef", "getKernelTag">,
    InterfaceMethod<
      "Size arguments that a kernel needs to read a tensor of type `type`, in "
      "the kernels' order. For banded: width and columns.",
      "::llvm::SmallVector<int64_t>", "getKernelSizes",
      (ins "::mlir::RankedTensorType":$type)>,
  ];
}

def Tam_DesignEncodingInterface
    : AttrInterface<"DesignEncodingInterface", [Tam_EncodingInterface]> {
  let cppNamespace = "::tamc::tam";
  let description = [{
    How a design matrix is stored. An encoding is this attribute, the kernels
    that have its tag in their names (kernels.def: `expand_`, `predict_`,
    `rhs_`, `gram_` with itself, and `sparsify_`), and the maps whose structured
    encoding it is; passes ask no more of it. Loops over rows have code for some
    encodings (RowCode.h).
  }];
  let methods = [
    InterfaceMethod<
      "Most numbers that a row of a matrix of type `type` stores.",
      "int64_t", "getRowNumbers", (ins "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<
      "The layout of the sums of a matrix with itself that its kernel adds to: "
      "`upper` or `diagonal`.",
      "::tamc::tam::SumsLayout", "getSelfLayout", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::tamc::tam::SumsLayout::Upper;
      }]>,
    InterfaceMethod<
      "What all numbers are, if they are not stored, which kernels take after "
      "the sizes; null: numbers are stored, or they are 1.",
      "::mlir::FloatAttr", "getCommonNumber", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      "Whether rows have numbers in all columns, so that products with other "
      "such matrices are dense, and that kernels for pairs of encodings read "
      "an expanded copy instead of a sparse one.",
      "bool", "storesAllColumns", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return false;">,
    InterfaceMethod<
      "Width of the band of neighbouring columns that has all numbers of a row, "
      "but for values unseen in training; 0 without a band. The last component "
      "stores the band's first column.",
      "int64_t", "getBand", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return 0;">,
    InterfaceMethod<
      "Size arguments of the encoding's kernel `sparsify_`, for a matrix of "
      "type `type` with at most `numbers` numbers per row.",
      "::llvm::SmallVector<int64_t>", "getSparsifySizes",
      (ins "::mlir::RankedTensorType":$type, "int64_t":$numbers),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return $_attr.getKernelSizes(type);
      }]>,
  ];
}

def Tam_FeatureMapInterface : OpInterface<"FeatureMapInterface"> {
  let cppNamespace = "::tamc::tam";
  let description = [{
    An op that makes a design matrix: one row per row of its input.
  }];
  let methods = [
    InterfaceMethod<
      "The encoding that exploits the map's structure; dense if it has none.",
      "::mlir::Attribute", "getStructuredEncoding">,
    InterfaceMethod<"Columns of the design matrix.", "int64_t", "getColumns">,
    InterfaceMethod<
      "Most numbers per row of the design matrix in the structured encoding, "
      "if they are fewer than a matrix of that encoding may have.",
      "::std::optional<int64_t>", "getRowNumbers", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::std::nullopt;">,
    InterfaceMethod<
      "The operands that have one row for each row of the design matrix.",
      "::llvm::SmallVector<::mlir::Value>", "getRowOperands", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return {$_op->getOperand(0)};
      }]>,
  ];
}

def Tam_RowReductionInterface : OpInterface<"RowReductionInterface"> {
  let cppNamespace = "::tamc::tam";
  let description = [{
    An op that adds a sum over rows to an accumulator. Sums are associative by
    construction (abi.h, segments), so rows may be split anywhere: applying the
    op to the first rows and then to the rest gives the same bits as applying it
    to all rows.
  }];
  let methods = [
    InterfaceMethod<"The accumulator that the sum is added to.",
                    "::mlir::OpOperand &", "getAccumulatorMutable">,
    InterfaceMethod<
        "The design matrices that the sum is of, the first operands: one or more.",
        "::mlir::OperandRange", "getDesigns", (ins), /*methodBody=*/[{}],
        /*defaultImplementation=*/[{
          return $_op->getOperands().take_front(1);
        }]>,
  ];
}

#endif // TAMC_DIALECT_TAM_IR_TAMINTERFACES_TD
