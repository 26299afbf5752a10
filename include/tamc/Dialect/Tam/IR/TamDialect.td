//===- TamDialect.td - the solver graph's dialect ----------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMDIALECT_TD
#define TAMC_DIALECT_TAM_IR_TAMDIALECT_TD

include "mlir/IR/OpBase.td"

def Tam_Dialect : Dialect {
  let name = "tam";
  let cppNamespace = "::tamc::tam";
  let summary = "The solver graph of an additive model";
  let description = [{
    Pure values. A design matrix is a tensor of rows x columns whose *encoding*
    says how a row is stored: dense, banded, one-hot. Feature maps make design
    matrices from normalised inputs. `tam.normal_equations` and `tam.solve`
    estimate the coefficients. The former becomes sums over rows, `tam.gram` and
    `tam.rhs`, and what is made of them, `tam.normal_matrix` and
    `tam.normal_vector`. `tam.predict`, `tam.decompose` and `tam.design` apply
    the model.

    A model is a module with the attribute `tam.model`, a #tam.model with what
    the spec says, and two functions, `@fit` and `@predict` (with the variants
    `@terms` and `@design`). Each argument and result of these functions carries
    a `#tam.slot`, which says what the runtime puts there. What passes decide
    about the model is in a #tam.variant: `tam.plain`, `tam.by_levels` or
    `tam.small_blocks` of the module. From these attributes and the steps the
    runtime gets its `tamrt_model` (abi.h).

    ```mlir
    func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
                   %t: tensor<?xf64> {tam.slot = #tam.slot<column, 0>},
                   %p: tensor<4xf64> {tam.slot = #tam.slot<parameters, 0>},
                   %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>})
        -> (tensor<24xf64> {tam.slot = #tam.slot<output>})
    ```

    Constraints of a module with a model:
    * (model_c3) the effects of the model, if it has any, are its columns: the
      first begins at column 0, each other one where that before it ends, and
      the last ends at `columns`; each has at least one.
    * (model_c4) no count of the model is below 0: of columns, bytes, rows and
      levels.
    * (model_c5) no text of the model has a NUL.
    * (variant_c3) the states of a variant have at least 0 bytes, and its
      accumulators, of 8 bytes a number, lie within them: those of `fit_chunk`
      in that of the direct solver, all others in that of conjugate gradients.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // TAMC_DIALECT_TAM_IR_TAMDIALECT_TD
