//===- TamConjugateGradients.td - ops of conjugate gradients *- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of the normal equations' matrix and a vector, and factors of its
// blocks: a part of TamOps.td, which includes it where its constraints are
// known.
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMCONJUGATEGRADIENTS_TD
#define TAMC_DIALECT_TAM_IR_TAMCONJUGATEGRADIENTS_TD

def Tam_NormalProductOp : Tam_Op<"normal_product",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0, 3">,
     AllTypesMatch<["vector", "result"]>]> {
  let summary = "A v = Gram v + T P v + 1e-6 T v";
  let description = [{
    The product of the matrix of one group's normal equations (see
    `tam.normal_matrix`) and a vector, from the sums a'W(Phi v) of each effect a
    and the penalties of the effects.

    ```mlir
    %q = tam.normal_product %rows sums(%q0, %q1 : ...)
        penalties(%p0, %p1 : ...) vector %v : tensor<8xf64>
    ```

    Constraints:
    * (normal_product_c1) there are as many sums as penalties, at least one, and
      each has its penalty's size.
    * (normal_product_c2) the penalties' sizes add up to the vector's.
  }];
  let arguments = (ins Index:$group_rows, Variadic<Tam_SumsVector>:$sums,
                       Variadic<Tam_Penalty>:$penalties, Tam_Vector:$vector);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = [{
    $group_rows `sums` `(` $sums `:` type($sums) `)` `penalties` `(`
    $penalties `:` type($penalties) `)` `vector` $vector attr-dict `:`
    type($vector)
  }];
  let hasVerifier = 1;
}

def Tam_FactorOp : Tam_Op<"factor", [AllTypesMatch<["matrix", "result"]>]> {
  let summary = "the Cholesky factor of a symmetric positive definite matrix";
  let description = [{
    Only the lower triangle of A is read, and only the lower triangle of the
    result is defined. `column` is the design's column that A's first column
    belongs to: errors name the design's columns.

    ```mlir
    %l = tam.factor %A {column = 1} : tensor<8x8xf64>
    ```

    Constraints:
    * (factor_c1) A is a square.
  }];
  let arguments = (ins Tam_Matrix:$matrix,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$column);
  let results = (outs Tam_Matrix:$result);
  let assemblyFormat = "$matrix attr-dict `:` type($matrix)";
  let hasVerifier = 1;
}

def Tam_FactorSolveOp : Tam_Op<"factor_solve",
    [AllTypesMatch<["vector", "result"]>]> {
  let summary = "x with A x = b, from the factor of A";
  let description = [{
    ```mlir
    %x = tam.factor_solve %l, %b : tensor<8x8xf64>, tensor<8xf64>
    ```

    Constraints:
    * (factor_solve_c1) the factor is a square with as many rows as b has
      elements.
  }];
  let arguments = (ins Tam_Matrix:$factor, Tam_Vector:$vector);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat =
      "$factor `,` $vector attr-dict `:` type($factor) `,` type($vector)";
  let hasVerifier = 1;
}

def Tam_DiagonalFactorOp : Tam_Op<"diagonal_factor"> {
  let summary = "the factor of a diagonal of the normal equations' matrix";
  let description = [{
    The Cholesky factor of the diagonal of one effect's block of the normal
    equations' matrix (see `tam.normal_matrix`), from the diagonal of the
    block's sums and from the effect's penalty. Without sums the block is
    T P + 1e-6 T I. `column` is as for `tam.factor`.

    ```mlir
    %l = tam.diagonal_factor %rows sums(%d : tensor<8xf64>) penalty %p
        {column = 1} : tensor<8x8xf64, #tam.coordinates<8>> -> tensor<8xf64>
    ```

    Constraints:
    * (diagonal_factor_c1) sums and result have the penalty's size.
    * (diagonal_factor_c2) the sums have no encoding yet or are `full`.
  }];
  let arguments = (ins Index:$group_rows, Optional<Tam_SumsVector>:$sums,
      Tam_Penalty:$penalty,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$column);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = [{
    $group_rows (`sums` `(` $sums^ `:` type($sums) `)`)? `penalty` $penalty
    attr-dict `:` type($penalty) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_DiagonalSolveOp : Tam_Op<"diagonal_solve",
    [AllTypesMatch<["factor", "vector", "result"]>]> {
  let summary = "x with A x = b, from the factor of a diagonal A";
  let description = [{
    ```mlir
    %x = tam.diagonal_solve %l, %b : tensor<8xf64>
    ```
  }];
  let arguments = (ins Tam_Vector:$factor, Tam_Vector:$vector);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = "$factor `,` $vector attr-dict `:` type($result)";
}

#endif // TAMC_DIALECT_TAM_IR_TAMCONJUGATEGRADIENTS_TD
