//===- TamSums.td - sums over rows -------------------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over rows, and what is read off them: a part of TamOps.td, which includes
// it where its constraints are known.
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMSUMS_TD
#define TAMC_DIALECT_TAM_IR_TAMSUMS_TD

def Tam_ZerosOp : Tam_Op<"zeros"> {
  let summary = "an empty accumulator";
  let description = [{
    ```mlir
    %0 = tam.zeros : tensor<23x7xf64, #tam.sums<full>>
    ```
  }];
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tam_GramOp : Tam_Op<"gram",
    [AllTypesMatch<["accumulator", "result"]>,
     Tam_RowReductionInterface]> {
  let summary = "adds a'Wb to an accumulator";
  let description = [{
    Sums over the rows of two design matrices, W = diag(w) or the identity.

    ```mlir
    %g1 = tam.gram %a, %b into %g0 : tensor<?x23xf64, #tam.banded<4>>,
        tensor<?x7xf64, #tam.one_hot> -> tensor<23x7xf64, #tam.sums<transposed>>
    ```

    Constraints:
    * (gram_c1) the accumulator has as many rows as `a` and as many columns as
      `b` has columns.
    * (gram_c2) the accumulator is `upper`, `diagonal`, `upper_panels`,
      `cubic_panels` or `frequencies` only if `a` and `b` are the same value;
      `diagonal` only if they are one-hot.
    * (gram_c3) panels are those of `a`, or if transposed of `b`, which is banded
      of the same width.
    * (gram_c4) `frequencies` are those of a tam.fourier that continues beyond
      the range or stays constant there.
    * (gram_c5) `cubic_panels` are those of a tam.bspline of degree 3.
    * (gram_c6) a one-hot matrix has no `upper` sums with itself: all but the
      diagonal is zero.
    * (gram_c7) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Tam_Design:$a, Tam_Design:$b,
                       Optional<Tam_Column>:$weights, Tam_Sums:$accumulator);
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = [{
    $a `,` $b (`weights` $weights^ `:` type($weights))? `into` $accumulator
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_RhsOp : Tam_Op<"rhs",
    [AllTypesMatch<["accumulator", "result"]>,
     Tam_RowReductionInterface]> {
  let summary = "adds a'Wy to an accumulator";
  let description = [{
    ```mlir
    %b1 = tam.rhs %a, %y into %b0 : tensor<?x23xf64, #tam.banded<4>>,
        tensor<?xf64> -> tensor<23xf64, #tam.sums<full>>
    ```

    Constraints:
    * (rhs_c1) the accumulator has as many elements as `a` has columns.
    * (rhs_c2) panels are those of `a`, which is banded of the same width.
    * (rhs_c3) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Tam_Design:$a, Tam_Column:$y,
                       Optional<Tam_Column>:$weights, Tam_Sums:$accumulator);
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = [{
    $a `,` $y (`weights` $weights^ `:` type($weights))? `into` $accumulator
    attr-dict `:` type($a) `,` type($y) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_MarginalOp : Tam_Op<"marginal"> {
  let summary = "sums of fewer columns, read off sums of their products";
  let description = [{
    The rows of `sums` are tuples of `rowFactors`, its columns of
    `columnFactors`, the last fastest; of each, the factors in `rowKept` and
    `columnKept` are kept. An element adds up the elements of `sums` that agree
    with it in the factors that are kept.

    Of the sums (a * b)'Wc of a row-wise product this makes a'Wc, if every row
    of b adds up to one, as those of splines and of categories do.

    ```mlir
    %d = tam.marginal %g rows [7, 2] keep [0] columns [23] keep [0]
        : tensor<14x23xf64, #tam.sums<transposed_panels, 4>>
        -> tensor<7x23xf64, #tam.sums<full>>
    ```

    Constraints:
    * (marginal_c1) the factors of a side multiply to the size of `sums` there;
      a tensor of rank 1 has no columns.
    * (marginal_c2) what is kept of a side are indices of factors, ascending.
    * (marginal_c3) the result has the sizes of what is kept, those of columns
      first if it is `transposed`.
    * (marginal_c4) the result is `full`, or `diagonal` if it is a square of
      which all else is zero, or in panels of the widths of `sums`, along a side
      of which all is kept.
    * (marginal_c5) `sums` are not `frequencies` or `cubic_panels`.
  }];
  let arguments = (ins Tam_Sums:$sums,
                       DenseI64ArrayAttr:$rowFactors,
                       DenseI64ArrayAttr:$rowKept,
                       DenseI64ArrayAttr:$columnFactors,
                       DenseI64ArrayAttr:$columnKept,
                       UnitAttr:$transposed);
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = [{
    $sums (`transposed` $transposed^)? `rows` $rowFactors `keep` $rowKept
    `columns` $columnFactors `keep` $columnKept attr-dict
    `:` type($sums) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The panels that the result can have; null if none.
    SumsAttr getPanels();
    /// For each row of the sums, or each column, the row or column of what is
    /// kept that it adds to.
    ::llvm::SmallVector<int64_t> getRowMap();
    ::llvm::SmallVector<int64_t> getColumnMap();
  }];
}

def Tam_ExpandLevelsOp : Tam_Op<"expand_levels",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0">]> {
  let summary = "sums of a map's columns, from sums by levels";
  let description = [{
    With the design matrix B of a map's values at the levels, of one row per
    level, `rows` B'S are the sums of the map's columns from those of the levels,
    S; `columns` SB those of a map on the right. With both, of S the diagonal of
    how many rows there are of each level, or their weights, the sums A'SB.

    ```mlir
    %g = tam.expand_levels %s rows %b : tensor<24x7xf64, #tam.sums<full>>
        rows tensor<24x23xf64, #tam.dense> -> tensor<23x7xf64, #tam.sums<full>>
    ```

    Constraints:
    * (expand_levels_c1) one side has a matrix, or both have; a tensor of rank 1
      has no columns.
    * (expand_levels_c2) a matrix has a row for each row or column of `sums`, and
      the result has its columns instead; the matrices are dense once the sums
      have an encoding.
    * (expand_levels_c3) of one side, the result has the encoding of `sums`, which
      is `full`, `transposed` or in panels along the other side.
    * (expand_levels_c4) of both sides, `sums` are `diagonal`, and the result is
      `upper` if the matrices are the same, else `full`.
  }];
  let arguments = (ins Tam_Sums:$sums, Optional<Tam_Design>:$rows,
                       Optional<Tam_Design>:$columns);
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = [{
    $sums (`rows` $rows^)? (`columns` $columns^)? attr-dict `:` type($sums)
    (`rows` type($rows)^)? (`columns` type($columns)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The encoding of the result that goes with that of the sums; null if that
    /// is none or not one that can be expanded.
    SumsAttr inferEncoding();
  }];
}

def Tam_RowsOp : Tam_Op<"rows",
    [IsolatedFromAbove, AttrSizedOperandSegments,
     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "sums over rows, or predictions, that are computed together";
  let description = [{
    Means what its body means: the body's arguments are the inputs, then the
    accumulators, and what it yields are the results: the sums, then
    predictions. That it is one op says how it runs: in one loop over the rows,
    in which each feature map is evaluated once for all that read it, nothing
    being stored but a few rows. The pass tam-fuse-rows makes it.

    ```mlir
    %g, %b = tam.rows(%x, %y : tensor<?xf64>, tensor<?xf64>)
        into(%g0, %b0 : tensor<1x1xf64, #tam.sums<upper>>,
                        tensor<1xf64, #tam.sums<full>>) {
    ^bb0(%x0: tensor<?xf64>, %y0: tensor<?xf64>,
         %g1: tensor<1x1xf64, #tam.sums<upper>>,
         %b1: tensor<1xf64, #tam.sums<full>>):
      %phi = tam.linear %x0 {scale = 1.0 : f64} : tensor<?xf64>
          -> tensor<?x1xf64, #tam.dense>
      %g2 = tam.gram %phi, %phi into %g1 : ...
      %b2 = tam.rhs %phi, %y0 into %b1 : ...
      tam.yield %g2, %b2 : ...
    }
    ```

    Constraints:
    * (rows_c1) the body takes the inputs and the accumulators, and yields the
      results: of the accumulators' types, then columns.
    * (rows_c2) result i is what one op of the body adds to accumulator i.
    * (rows_c3) a column is what a tam.predict of the body makes.
    * (rows_c4) results are sums alone, or one column alone.
    * (rows_c5) the other ops of the body are maps of columns that there is code
      for, in their structured encoding: tam.normalize, tam.regrid, tam.offset,
      tam.linear, tam.bspline of degree 0 to 7, tam.category, and tam.kronecker
      and tam.convert of banded and one-hot matrices; for a column, of these
      tam.normalize, tam.offset, tam.linear, tam.bspline of degree 1 to 7 and
      tam.category, and tam.levels.
    * (rows_c6) there is code for the sums: matrices are maps of the body, all
      else are its arguments; `full` and `transposed` are in the order of the
      runtime's kernels, one-hot before banded before dense; sums of a one-hot
      matrix with itself are `diagonal` or in panels; those of products are in
      panels, across which there is a column, a band or levels.
    * (rows_c7) there is code for the column: its matrices are maps of the body,
      their coefficients arguments, and it starts from zero.
  }];
  let arguments = (ins
      Variadic<AnyTypeOf<[Index, Tam_Column, Tam_Codes, Tam_Vector]>>:$inputs,
      Variadic<Tam_Sums>:$accumulators);
  let results = (outs Variadic<AnyTypeOf<[Tam_Sums, Tam_Column]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `:` type($inputs) `)`
    (`into` `(` $accumulators^ `:` type($accumulators) `)`)?
    attr-dict-with-keyword $body `:` type($results)
  }];
  let hasRegionVerifier = 1;
}

def Tam_YieldOp : Tam_Op<"yield",
    [Terminator, ReturnLike, HasParent<"RowsOp">]> {
  let summary = "what a body's results are";
  let arguments = (ins Variadic<AnyTypeOf<[Tam_Sums, Tam_Column]>>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // TAMC_DIALECT_TAM_IR_TAMSUMS_TD
