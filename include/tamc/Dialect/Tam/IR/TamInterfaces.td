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
  ];
}

#endif // TAMC_DIALECT_TAM_IR_TAMINTERFACES_TD
