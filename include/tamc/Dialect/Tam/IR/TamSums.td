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
      `cubic_panels` or `frequencies` only if `a` and `b` are the same value.
    * (gram_c3) panels are those of `a`, or of `b` if they are transposed: of
      the matrix's banded or one-hot factors, with the same widths and columns.
    * (gram_c4) `frequencies` are those of a tam.fourier that continues beyond
      the range or stays constant there.
    * (gram_c5) `cubic_panels` are those of a tam.bspline of degree 3.
    * (gram_c6) the accumulator is `upper` or `diagonal` only if that is the
      layout of the encoding's sums with itself: `diagonal` for a one-hot
      matrix, whose other sums are zero, and `upper` for the others.
    * (gram_c7) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Tam_Design:$a, Tam_Design:$b,
                       Optional<Tam_Column>:$weights, Tam_Sums:$accumulator);
  let results = (outs Tam_Sums:$result);
  let assemblyFormat = [{
    $a `,` $b (`weights` $weights^ `:` type($weights))? `into` $accumulator
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::OperandRange getDesigns() { return getOperands().take_front(2); }
  }];
  let hasVerifier = 1;
}

def Tam_GramPairsOp : Tam_Op<"gram_pairs",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"2">,
     AllTypesMatch<["accumulator", "result"]>,
     Tam_RowReductionInterface]> {
  let summary = "adds a'Wb of several pairs of matrices to an accumulator";
  let description = [{
    What tam.gram adds for each pair of two different matrices, which are sparse.
    Pair i is that of matrices `first[i]` and `second[i]`. Its sums are the rows
    of the first one's columns, one after another; those of the next pair begin
    at the next multiple of 64 bytes (tamrt/steps.h, pairSize).

    ```mlir
    %g1 = tam.gram_pairs %a, %b, %c into %g0 {first = array<i32: 0, 0>,
        second = array<i32: 1, 2>} : tensor<?x8xf64, #tam.sparse<4>>, ...
        -> tensor<136xf64, #tam.sums<full>>
    ```

    Constraints:
    * (gram_pairs_c1) `first` and `second` have the same size, at least one, and
      their elements are indices of designs, of two different ones for a pair.
    * (gram_pairs_c2) every matrix has an encoding, `#tam.sparse`.
    * (gram_pairs_c3) the accumulator has as many elements as the pairs take.
    * (gram_pairs_c4) the accumulator has no encoding yet or is `full`.
    * (gram_pairs_c5) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs,
                       Optional<Tam_Column>:$weights,
                       Tam_SumsVector:$accumulator, DenseI32ArrayAttr:$first,
                       DenseI32ArrayAttr:$second);
  let results = (outs Tam_SumsVector:$result);
  let assemblyFormat = [{
    $designs (`weights` $weights^ `:` type($weights))? `into` $accumulator
    attr-dict `:` type($designs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The designs of each pair.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPairList();
    /// The other matrix of the first pair that has this one; null if none has.
    ::mlir::Value getPartner(int64_t design);
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
    * (rhs_c2) panels are those of the factors of `a`, as for (gram_c3).
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

def Tam_SquaresOp : Tam_Op<"squares",
    [AllTypesMatch<["accumulator", "result"]>,
     Tam_RowReductionInterface]> {
  let summary = "adds the diagonal of a'Wa to an accumulator";
  let description = [{
    ```mlir
    %d1 = tam.squares %a into %d0 : tensor<?x23xf64, #tam.dense>
        -> tensor<23xf64, #tam.sums<full>>
    ```

    Constraints:
    * (squares_c1) the accumulator has as many elements as `a` has columns.
    * (squares_c2) `a` has no encoding yet or is dense.
    * (squares_c3) rows are those of a chunk: dynamic.
    * (squares_c4) the accumulator has no encoding yet or is `full`.
  }];
  let arguments = (ins Tam_Design:$a, Optional<Tam_Column>:$weights,
                       Tam_SumsVector:$accumulator);
  let results = (outs Tam_SumsVector:$result);
  let assemblyFormat = [{
    $a (`weights` $weights^ `:` type($weights))? `into` $accumulator
    attr-dict `:` type($a) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_NormalEquationsOp : Tam_Op<"normal_equations",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0, 2">]> {
  let summary = "A and b of A x = b, from the design matrices of effects";
  let description = [{
    The normal equations of one group's fit. The matrix is that of
    `tam.normal_matrix`, from the sums a'Wb of all pairs of effects and their
    penalties; the vector is that of `tam.normal_vector`, from the sums a'Wy of
    all effects. All sums start from zero. W = diag(w) or the identity.

    A fit of m effects is one such op until the pass tam-write-sums writes its
    m(m+1)/2 + m sums.

    ```mlir
    %A, %b = tam.normal_equations %rows designs(%phi0, %phi1 : ...) y %y
        penalties(%p0, %p1 : ...)
        : tensor<?xf64> -> tensor<8x8xf64>, tensor<8xf64>
    ```

    Constraints:
    * (normal_equations_c1) there are as many designs as penalties, at least
      one, and each has as many columns as its penalty.
    * (normal_equations_c2) the matrix is a square, and the designs' columns add
      up to its rows and to the vector's elements.
    * (normal_equations_c3) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Index:$group_rows, Variadic<Tam_Design>:$designs,
                       Tam_Column:$y, Optional<Tam_Column>:$weights,
                       Variadic<Tam_Penalty>:$penalties);
  let results = (outs Tam_Matrix:$matrix, Tam_Vector:$vector);
  let assemblyFormat = [{
    $group_rows `designs` `(` $designs `:` type($designs) `)` `y` $y
    (`weights` $weights^ `:` type($weights))? `penalties` `(`
    $penalties `:` type($penalties) `)` attr-dict `:` type($y) `->`
    type($matrix) `,` type($vector)
  }];
  let hasVerifier = 1;
}

def Tam_MarginalOp : Tam_Op<"marginal"> {
  let summary = "sums of a factor, added up from sums of a product";
  let description = [{
    A row of `sums` is a tuple of indices, one for each of `rowFactors`, the
    last fastest; so is a column for `columnFactors`. The result keeps the
    factors listed in `rowKept` and `columnKept`. An element of the result is
    the sum of the elements of `sums` with the same indices in the kept factors.

    From the sums (a * b)'Wc of a row-wise product this gives a'Wc, if every row
    of b adds up to one, as the rows of splines and categories do.

    ```mlir
    %d = tam.marginal %g rows [7, 2] keep [0] columns [23] keep [0]
        : tensor<14x23xf64, #tam.sums<transposed_panels, 4>>
        -> tensor<7x23xf64, #tam.sums<full>>
    ```

    Constraints:
    * (marginal_c1) factors are at least 1; the row factors multiply to the rows
      of `sums`, the column factors to its columns; a tensor of rank 1 has no
      columns.
    * (marginal_c2) `rowKept` and `columnKept` are indices of factors,
      ascending.
    * (marginal_c3) the kept factors of a side multiply to the result's size on
      that side; columns come first if the result is `transposed`.
    * (marginal_c4) the result is `full`; or `diagonal`, if it is a square whose
      other elements are zero; or in panels of the widths of `sums`, along a
      side whose factors are all kept.
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
    /// For each row (or column) of the sums, the row (or column) of kept
    /// factors that it adds to.
    ::llvm::SmallVector<int64_t> getRowMap();
    ::llvm::SmallVector<int64_t> getColumnMap();
  }];
}

def Tam_ExpandLevelsOp : Tam_Op<"expand_levels",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0">]> {
  let summary = "sums of a map's columns, from sums for each level";
  let description = [{
    Let S be the sums for the levels, and B the design matrix of a map evaluated
    at the levels, one row per level. With `rows` B the result is B'S, the sums
    for the map's columns. With `columns` B it is SB, for a map on the
    right-hand side. With `rows` A and `columns` B it is A'SB; then S is the
    diagonal matrix of each level's row count, or of its sum of weights.

    ```mlir
    %g = tam.expand_levels %s rows %b : tensor<24x7xf64, #tam.sums<full>>
        rows tensor<24x23xf64, #tam.dense> -> tensor<23x7xf64, #tam.sums<full>>
    ```

    Constraints:
    * (expand_levels_c1) at least one side has a matrix; a tensor of rank 1 has
      no columns.
    * (expand_levels_c2) a matrix has a row for each row or column of `sums`, and
      the result has its columns instead; the matrices are dense once the sums
      have an encoding.
    * (expand_levels_c3) with a matrix on one side, the result has the encoding
      of `sums`, which is `full`, `transposed` or in panels along the other
      side.
    * (expand_levels_c4) with matrices on both sides, `sums` are `diagonal`, and
      the result is `upper` if the matrices are the same, else `full`.
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
    /// The result's encoding for the encoding of the sums; null if they have
    /// none, or one that cannot be expanded.
    SumsAttr inferEncoding();
  }];
}

def Tam_RowsOp : Tam_Op<"rows",
    [IsolatedFromAbove, AttrSizedOperandSegments,
     SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "sums over rows, or predictions, that are computed together";
  let description = [{
    Has the semantics of its body. The body's arguments are the inputs, then the
    accumulators; it yields the results: the sums, then predictions. The op runs
    as one loop over the rows, in which each feature map is evaluated once for
    all of its users and only a few rows are stored at a time. The pass
    tam-fuse-rows makes it. The pass convert-tam-rows-to-loops writes the
    function of the loop and sets `loop`, the function's symbol:

    ```mlir
    %g, %b = tam.rows @row_loops::@rows_0 (%x, %y : ...) into(...) {...}
    ```

    Operands become arguments of that function: the inputs' components, without
    those of type index; the number of rows, an index; and the components of the
    accumulators, or of the prediction. All are memrefs but the number.

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

    A prediction of many effects is several ops, each with as many as a loop has
    code for (Target::getRowLoopLimits). The accumulator of all but the first is
    the column that the one before it makes.

    Constraints:
    * (rows_c1) the body takes the inputs and the accumulators, and yields the
      results: of the accumulators' types, then columns.
    * (rows_c2) result i is accumulator i after one op of the body has added to
      it.
    * (rows_c3) a result that is a column comes from a tam.predict of the body.
    * (rows_c4) results are sums alone, or one column alone.
    * (rows_c5) the other ops of the body are maps of columns that the row loop
      supports, in their structured encoding: tam.normalize, tam.regrid,
      tam.offset, tam.linear, tam.bspline of degree 0 to 7, tam.category, and
      tam.kronecker and tam.convert of banded and one-hot matrices; if the
      result is a column, only tam.normalize, tam.offset, tam.linear,
      tam.bspline of degree 1 to 7, tam.category and tam.levels.
    * (rows_c6) the row loop supports the sums. Matrices are maps of the body,
      all other operands are its arguments. `full` and `transposed` sums take
      their matrices in the order of the runtime's kernels: one-hot, banded,
      dense. Sums of a one-hot matrix with itself are `diagonal` or in panels.
      Sums of products are in panels; the matrix on the other side is a column,
      a band or one-hot.
    * (rows_c7) the row loop supports the column: its matrices are maps of the
      body, their coefficients are arguments, and it starts from zero or an
      accumulator.
    * (rows_c8) `loop` is a function that takes the operands, as above.
  }];
  let arguments = (ins OptionalAttr<SymbolRefAttr>:$loop,
      Variadic<AnyTypeOf<[Index, Tam_Column, Tam_Codes, Tam_Vector]>>:$inputs,
      Variadic<AnyTypeOf<[Tam_Sums, Tam_Column]>>:$accumulators);
  let results = (outs Variadic<AnyTypeOf<[Tam_Sums, Tam_Column]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  // An op without a loop and with an empty body.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
      "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$accumulators), [{
    build($_builder, $_state, results, /*loop=*/nullptr, inputs, accumulators);
  }]>];
  let assemblyFormat = [{
    ($loop^)? `(` $inputs `:` type($inputs) `)`
    (`into` `(` $accumulators^ `:` type($accumulators) `)`)?
    attr-dict-with-keyword $body `:` type($results)
  }];
  let extraClassDeclaration = [{
    /// The op of the body that makes the result if that is a column; null if the
    /// results are sums.
    ::tamc::tam::PredictOp getPrediction();
  }];
  let hasRegionVerifier = 1;
}

def Tam_YieldOp : Tam_Op<"yield",
    [Terminator, ReturnLike, HasParent<"RowsOp">]> {
  let summary = "the results of a body";
  let arguments = (ins Variadic<AnyTypeOf<[Tam_Sums, Tam_Column]>>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // TAMC_DIALECT_TAM_IR_TAMSUMS_TD
