//===- TamOps.td - the solver graph's ops ------------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMOPS_TD
#define TAMC_DIALECT_TAM_IR_TAMOPS_TD

include "tamc/Dialect/Tam/IR/TamModel.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tam_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tam_Dialect, mnemonic, !listconcat([Pure], traits)>;

// Says which segments of an op with operandSegmentSizes hold exactly one
// operand: the generated verifier checks only that the sizes add up. Comes
// after AttrSizedOperandSegments and, like it, before every trait that reads
// operands.
class Tam_OneOperandIn<string segments>
    : ParamNativeOpTrait<"OneOperandIn", segments>, StructuralOpTrait {
  let cppNamespace = "::tamc::tam";
}

// Tensor constraints. The rows of a column or a design matrix are dynamic. The
// encoding is part of the constraint: there is no kernel for a value in an
// encoding that its user does not know.
class Tam_Encoded<Type type, string encoding, string description>
    : Type<And<[type.predicate, CPred<
          "[](::mlir::Attribute encoding) { return " # encoding # "; }("
          "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">]>,
          description, "::mlir::RankedTensorType">;
class Tam_Plain<Type type, string description>
    : Tam_Encoded<type, "!encoding", description>;

// Kernels take no tensor without elements: it would have no address.
class Tam_NotEmpty<Type type>
    : Type<And<[type.predicate, CPred<
          "::llvm::cast<::mlir::RankedTensorType>($_self).getNumElements() > "
          "0">]>, type.summary>;
def Tam_StaticTensor : Tam_NotEmpty<StaticShapeTensorOf<[F64]>>;
def Tam_StaticVector : Type<
    And<[Tam_StaticTensor.predicate, HasAnyRankOfPred<[1]>]>>;
def Tam_StaticMatrix : Type<
    And<[Tam_StaticTensor.predicate, HasAnyRankOfPred<[2]>]>>;

def Tam_Finite : ConfinedAttr<F64Attr, [AttrConstraint<
    CPred<"::llvm::cast<::mlir::FloatAttr>($_self).getValue().isFinite()">,
    "whose value is finite">]>;
def Tam_FiniteNonNegative : ConfinedAttr<F64Attr, [AttrConstraint<
    CPred<"::llvm::cast<::mlir::FloatAttr>($_self).getValue().isFinite() && "
          "::llvm::cast<::mlir::FloatAttr>($_self).getValueAsDouble() >= 0">,
    "whose value is finite and not negative">]>;

def Tam_Column : Tam_Plain<1DTensorOf<[F64]>, "column of f64 values">;
def Tam_Codes : Tam_Plain<1DTensorOf<[I32]>, "column of i32 values">;
def Tam_Vector : Tam_Plain<Tam_StaticVector, "vector of f64 of static shape">;
def Tam_Matrix : Tam_Plain<Tam_StaticMatrix, "matrix of f64 of static shape">;
// Only rows are dynamic.
def Tam_Matrices : Type<And<[2DTensorOf<[F64]>.predicate, CPred<
    "::llvm::cast<::mlir::RankedTensorType>($_self).getDimSize(1) > 0">]>>;
def Tam_Rows : Tam_Plain<Tam_Matrices, "matrix of f64 values">;
def Tam_ColumnOrRows : AnyTypeOf<[Tam_Column, Tam_Rows],
    "column or matrix of f64 values", "::mlir::RankedTensorType">;
def Tam_Integers : Tam_Plain<Tam_NotEmpty<StaticShapeTensorOf<[I32]>>,
    "tensor of i32 of static shape">;
def Tam_Table : Tam_Plain<Tam_NotEmpty<StaticShapeTensorOf<[F64, I32]>>,
    "tensor of f64 or i32 of static shape">;
def Tam_InputParameters : Type<
    And<[Tam_Vector.predicate,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getShape() == "
               "::llvm::ArrayRef<int64_t>({4})">]>,
    "tensor of the four parameters of an input", "::mlir::RankedTensorType">;
def Tam_Design : Tam_Encoded<Tam_Matrices,
    "!encoding || "
    "::llvm::isa<::tamc::tam::DesignEncodingInterface>(encoding)",
    "design matrix of f64 values, with or without the encoding of one">;
class Tam_SumsOf<Type type, string shape>
    : Tam_Encoded<type,
          "!encoding || ::llvm::isa<::tamc::tam::SumsAttr>(encoding)",
          shape # " of f64 of static shape, without encoding or of sums">;
def Tam_Sums : Tam_SumsOf<Tam_StaticTensor, "accumulator">;
def Tam_SumsVector : Tam_SumsOf<Tam_StaticVector, "accumulator of rank 1">;
def Tam_SumsMatrix : Tam_SumsOf<Tam_StaticMatrix, "accumulator of rank 2">;
def Tam_Penalty : Tam_Encoded<Tam_StaticMatrix,
    "::llvm::isa_and_present<::tamc::tam::CoordinatesAttr>(encoding)",
    "penalty matrix as coordinates">;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

def Tam_NormalizeOp : Tam_Op<"normalize",
    [AllTypesMatch<["column", "result"]>]> {
  let summary = "brings a column to [-1, 1]";
  let description = [{
    x = (v - centre) / half range. Centre and half range are the first two
    parameters of the input, learnt for each group in training.

    ```mlir
    %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
    ```
  }];
  let arguments = (ins Tam_Column:$column, Tam_InputParameters:$parameters);
  let results = (outs Tam_Column:$result);
  let assemblyFormat =
      "$column `,` $parameters attr-dict `:` type($column) `,` type($parameters)";
}

def Tam_RegridOp : Tam_Op<"regrid", [AllTypesMatch<["x", "result"]>]> {
  let summary = "positions of values on a grid";
  let description = [{
    The grid has `levels` points and begins where the input's range begins.
    `step` is the distance between points, in units of the column. The first
    point becomes -1 and the last becomes 1, as if the grid's ends were the
    range that the column is normalised by.

    ```mlir
    %y = tam.regrid %x, %p {levels = 24, step = 1.0} : tensor<?xf64>,
        tensor<4xf64>
    ```
  }];
  let arguments = (ins Tam_Column:$x, Tam_InputParameters:$parameters,
      ConfinedAttr<I64Attr, [IntMinValue<2>]>:$levels, Tam_Finite:$step);
  let results = (outs Tam_Column:$result);
  let assemblyFormat =
      "$x `,` $parameters attr-dict `:` type($x) `,` type($parameters)";
}

def Tam_GridPointsOp : Tam_Op<"grid_points"> {
  let summary = "the points of a grid, normalised";
  let description = [{
    The points of the grid of `tam.regrid`. Points beyond the end of the input's
    range are replaced by that end.

    ```mlir
    %x = tam.grid_points %p {step = 1.0} : tensor<4xf64> -> tensor<24xf64>
    ```
  }];
  let arguments = (ins Tam_InputParameters:$parameters, Tam_Finite:$step);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = [{
    $parameters attr-dict `:` type($parameters) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

class Tam_FeatureMap<string mnemonic, list<Trait> traits = []>
    : Tam_Op<mnemonic, !listconcat(
          [DeclareOpInterfaceMethods<Tam_FeatureMapInterface>], traits)> {
  let results = (outs Tam_Design:$result);
  let hasVerifier = 1;
}

def Tam_OffsetOp : Tam_FeatureMap<"offset"> {
  let summary = "the intercept: a column of ones";
  let description = [{
    ```mlir
    %phi = tam.offset %rows : tensor<?x1xf64, #tam.dense>
    ```

    Constraints:
    * (feature_map_c1) the result has as many columns as the map makes.
    * (feature_map_c2) the result has no encoding yet, is dense, or has the
      map's structured encoding.
    * (feature_map_c3) the result has as many rows as the map's input.
    * (feature_map_c4) the rows of tam.offset and tam.pid are those of a chunk:
      dynamic.
  }];
  let arguments = (ins Index:$rows);
  let assemblyFormat = "$rows attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_LinearOp : Tam_FeatureMap<"linear"> {
  let summary = "scale * x";
  let description = [{
    ```mlir
    %phi = tam.linear %x {scale = 3.14 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x, Tam_Finite:$scale,
      DefaultValuedAttr<Tam_ExtrapolateAttr,
                        "::tamc::tam::Extrapolate::Continue">:$extrapolate);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

def Tam_AffineOp : Tam_FeatureMap<"affine"> {
  let summary = "1 and scale * x";
  let description = [{
    ```mlir
    %phi = tam.affine %x {scale = 3.14 : f64} : tensor<?xf64>
        -> tensor<?x2xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x, Tam_Finite:$scale);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

def Tam_FourierOp : Tam_FeatureMap<"fourier"> {
  let summary = "cosines and sines of multiples of x";
  let description = [{
    2m columns: cos(theta_1..m), then sin(theta_1..m), theta_k = pi k x if
    cyclic, else pi k x / 2.

    ```mlir
    %phi = tam.fourier %x {order = 5, cyclic} : tensor<?xf64>
        -> tensor<?x10xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x,
      ConfinedAttr<I64Attr, [IntPositive]>:$order, UnitAttr:$cyclic,
      DefaultValuedAttr<Tam_ExtrapolateAttr,
                        "::tamc::tam::Extrapolate::Continue">:$extrapolate);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let extraClassDeclaration = [{
    /// Whether every row, also one outside the range, holds the cosines and
    /// sines of the multiples of one angle.
    bool hasAngles();
  }];
}

def Tam_BSplineOp : Tam_FeatureMap<"bspline"> {
  let summary = "B-splines on equal intervals";
  let description = [{
    `intervals + degree` columns, of which `degree + 1` neighbours are not zero
    in a row. The knot range is in the last two parameters of the input.

    ```mlir
    %phi = tam.bspline %x, %p {intervals = 20, degree = 3}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x23xf64, #tam.banded<4>>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x, Tam_InputParameters:$parameters,
      ConfinedAttr<I64Attr, [IntPositive]>:$intervals,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$degree,
      DefaultValuedAttr<Tam_ExtrapolateAttr,
                        "::tamc::tam::Extrapolate::Continue">:$extrapolate);
  let assemblyFormat = [{
    $x `,` $parameters attr-dict `:` type($x) `,` type($parameters) `->`
    type($result)
  }];
}

def Tam_ChebyshevOp : Tam_FeatureMap<"chebyshev"> {
  let summary = "Chebyshev polynomials T_1..T_degree";
  let description = [{
    ```mlir
    %phi = tam.chebyshev %x {degree = 5} : tensor<?xf64>
        -> tensor<?x5xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x,
      ConfinedAttr<I64Attr, [IntPositive]>:$degree,
      DefaultValuedAttr<Tam_ExtrapolateAttr,
                        "::tamc::tam::Extrapolate::Continue">:$extrapolate);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

def Tam_CategoryOp : Tam_FeatureMap<"category"> {
  let summary = "one column per level, from a normalised code";
  let description = [{
    The level is the code, rounded to the nearest integer (half to even) and
    clipped. Outside the range every mode of extrapolation gives the level at
    the border.

    ```mlir
    %phi = tam.category %x {levels = 7} : tensor<?xf64>
        -> tensor<?x7xf64, #tam.one_hot>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Column:$x,
      ConfinedAttr<I64Attr, [IntPositive]>:$levels);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let extraClassDeclaration = [{
    ::std::optional<int64_t> getRowNumbers() { return 1; }
  }];
}

def Tam_LevelsOp : Tam_FeatureMap<"levels"> {
  let summary = "one column per level, from the level's index";
  let description = [{
    The runtime has looked up the value's index among the training levels. If
    the result is one-hot, it is the input itself and needs no launch and no
    buffer. With `mean`, an unseen value has a row of several numbers.

    ```mlir
    %phi = tam.levels %codes {levels = 7} : tensor<?xi32>
        -> tensor<?x7xf64, #tam.one_hot>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Codes:$codes,
      ConfinedAttr<I64Attr, [IntPositive]>:$levels,
      UnitAttr:$mean);
  let assemblyFormat = "$codes attr-dict `:` type($codes) `->` type($result)";
  let extraClassDeclaration = [{
    ::std::optional<int64_t> getRowNumbers();
  }];
}

def Tam_WaveletOp : Tam_FeatureMap<"wavelet"> {
  let summary = "Ricker wavelets";
  let description = [{
    `scales` times `locations` columns, scale by scale. The range holds the
    least and the greatest training value of all groups.

    ```mlir
    %phi = tam.wavelet %x, %range {scales = 5, locations = 20} : tensor<?xf64>,
        tensor<2xf64> -> tensor<?x100xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (wavelet_c1) the range is two numbers.
  }];
  let arguments = (ins Tam_Column:$x, Tam_Vector:$range,
      ConfinedAttr<I64Attr, [IntPositive]>:$scales,
      ConfinedAttr<I64Attr, [IntPositive]>:$locations,
      DefaultValuedAttr<Tam_ExtrapolateAttr,
                        "::tamc::tam::Extrapolate::Continue">:$extrapolate);
  let assemblyFormat = [{
    $x `,` $range attr-dict `:` type($x) `,` type($range) `->` type($result)
  }];
}

def Tam_PidOp : Tam_Op<"pid",
    [DeclareOpInterfaceMethods<Tam_FeatureMapInterface>,
     AllTypesMatch<["carry", "carried"]>]> {
  let summary = "a column, its running mean and its difference";
  let description = [{
    Computed along the rows of a group. `carry`, window + 2 numbers, holds what
    this chunk needs of the rows before it; `carried` is the same for the next
    chunk.

    ```mlir
    %phi, %c1 = tam.pid %x, %c0, %group_rows {window = 7} : tensor<?xf64>,
        tensor<9xf64> -> tensor<?x3xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (pid_c1) the carry has window + 2 elements.
  }];
  let arguments = (ins Tam_Column:$x, Tam_Vector:$carry, Index:$group_rows,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$window);
  let results = (outs Tam_Design:$result, Tam_Vector:$carried);
  let assemblyFormat = [{
    $x `,` $carry `,` $group_rows attr-dict `:` type($x) `,` type($carry) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

include "tamc/Dialect/Tam/IR/TamPointMaps.td"
include "tamc/Dialect/Tam/IR/TamSums.td"

//===----------------------------------------------------------------------===//
// Estimation
//===----------------------------------------------------------------------===//

def Tam_PenaltyOp : Tam_Op<"penalty", [AttrSizedOperandSegments]> {
  let summary = "a penalty matrix";
  let description = [{
    The lower triangle (row >= column) of a symmetric matrix as coordinates. An
    entry may be multiplied by an element of a learnt table: `table` is the
    index of the table in `weights` (-1: none), `element` the index of the
    element.

    ```mlir
    %p = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
        : tensor<2x2xf64, #tam.coordinates<3>>
    ```

    With `strengths` an entry is a sum of parts, each a value times some of the
    strengths, one after another. `parts` has for each part its entry, how many
    strengths, and their indices. Parts are added in their order, to 0. The
    strengths of a step are in the group's parameters, so that a fit chooses
    them.

    ```mlir
    %p = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 2.0, 3.0]
        strengths(%s : tensor<2xf64>) parts [0, 1, 0, 1, 1, 0, 1, 2, 0, 1]
        : tensor<2x2xf64, #tam.coordinates<2>>
    ```

    Entry (0, 0) is 1 * s[0], entry (1, 1) is 2 * s[0] + (3 * s[0]) * s[1].

    A part may also be a sum of other parts times strengths, as in a product that
    is a factor of another product. Such sums are numbered from the entries' count
    on. A part that reads sum i has -1 - n in place of its number n of strengths,
    then i, and no value: with `values [1.0, 2.0]` and one entry the parts `[1, 1,
    0, 1, 1, 1, 0, -2, 1, 0]` mean (1 * s[0] + 2 * s[1]) * s[0].

    Constraints:
    * (penalty_c1) there are as many rows and columns as the type's count, and
      as many values, or, with `parts`, one for each part that reads no sum.
    * (penalty_c2) 0 <= column <= row < size of the matrix.
    * (penalty_c3) `table` and `element` have one entry per row, or are absent
      if there are no weights; each pair names an element that exists.
    * (penalty_c4) values are finite.
    * (penalty_c5) `strengths` and `parts` are both there or both absent; each
      part names an entry, or the next sum, and strengths that exist.
    * (penalty_c6) a part reads a sum, not an entry, to which all parts have been
      added.
  }];
  let arguments = (ins Variadic<Tam_Table>:$weights,
                       Optional<Tam_Vector>:$strengths,
                       DenseI32ArrayAttr:$rows, DenseI32ArrayAttr:$columns,
                       DenseF64ArrayAttr:$values,
                       OptionalAttr<DenseI32ArrayAttr>:$table,
                       OptionalAttr<DenseI32ArrayAttr>:$element,
                       OptionalAttr<DenseI32ArrayAttr>:$parts);
  let results = (outs Tam_Penalty:$result);
  let assemblyFormat = [{
    `rows` $rows `columns` $columns `values` custom<Numbers>($values)
    (`weights` `(` $weights^ `:` type($weights) `)` `table` $table
     `element` $element)?
    (`strengths` `(` $strengths^ `:` type($strengths) `)` `parts` $parts)?
    attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    /// A term of the sum that an entry is: a value, or the sum `source` (-1:
    /// none), times strengths, in order.
    struct Part {
      int32_t entry;
      double value;
      ::llvm::ArrayRef<int32_t> factors;
      int32_t source = -1;
    };
    /// The parts; without `parts` one for each entry, without factors.
    ::llvm::SmallVector<Part> getPartList();
    /// The table that an entry is multiplied by an element of; -1 for none.
    int32_t getTableOf(size_t entry) {
      return getTable() ? (*getTable())[entry] : -1;
    }
  }];
  let hasVerifier = 1;
}

def Tam_NormalMatrixOp : Tam_Op<"normal_matrix",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0">]> {
  let summary = "A = Gram + T P + 1e-6 T I";
  let description = [{
    The matrix of one group's normal equations, from the sums of all pairs of
    effects and the penalties of the effects. T is the number of rows of the
    group. The blocks of effects (i, j), i <= j, are in the order (0,0), (0,1),
    .., (1,1), ... Without blocks the result is T P + 1e-6 T I. `pairs` has the
    sums of some pairs (tam.gram_pairs), of effects `first[k]` and `second[k]`
    for pair k; these have no block.

    ```mlir
    %A = tam.normal_matrix %rows blocks(%g00, %g01, %g11 : ...)
        penalties(%p0, %p1 : ...) : tensor<8x8xf64>
    ```

    Constraints:
    * (normal_matrix_c1) with e penalties, at least one, there are e(e+1)/2
      blocks and pairs, or none.
    * (normal_matrix_c2) block (i, j) has the rows of penalty i and the columns
      of penalty j.
    * (normal_matrix_c3) the penalties' sizes add up to the result's.
    * (normal_matrix_c4) `pairs` comes with `first` and `second`, which have the
      same size and the indices of two different effects for each pair; no two
      pairs have the same effects.
    * (normal_matrix_c5) `pairs` has as many elements as the sums of its pairs
      take, and no encoding yet or that of `full` sums.
    * (operands_c1) in operandSegmentSizes, an operand that is neither variadic
      nor optional has size 1. This holds for every op with that attribute.
  }];
  let arguments = (ins Index:$group_rows, Variadic<Tam_SumsMatrix>:$blocks,
                       Optional<Tam_SumsVector>:$pairs,
                       Variadic<Tam_Penalty>:$penalties,
                       OptionalAttr<DenseI32ArrayAttr>:$first,
                       OptionalAttr<DenseI32ArrayAttr>:$second);
  let results = (outs Tam_Matrix:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
      "::mlir::Value":$groupRows, "::mlir::ValueRange":$blocks,
      "::mlir::ValueRange":$penalties)>];
  let assemblyFormat = [{
    $group_rows `blocks` `(` ($blocks^ `:` type($blocks))? `)`
    (`pairs` `(` $pairs^ `:` type($pairs) `)`)? `penalties` `(`
    ($penalties^ `:` type($penalties))? `)` attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    /// The effects of each pair, in the order of `pairs`.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPairList();
    /// For each block, in their order, its effects.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getBlockEffects();
  }];
  let hasVerifier = 1;
}

def Tam_NormalVectorOp : Tam_Op<"normal_vector"> {
  let summary = "the right-hand side of the normal equations";
  let description = [{
    The sums of all effects, one after another.

    ```mlir
    %b = tam.normal_vector(%b0, %b1 : ...) : tensor<8xf64>
    ```

    Constraints:
    * (normal_vector_c1) there is at least one block, and the blocks' sizes add
      up to the result's.
  }];
  let arguments = (ins Variadic<Tam_SumsVector>:$blocks);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat =
      "`(` $blocks `:` type($blocks) `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tam_SolveOp : Tam_Op<"solve", [AllTypesMatch<["vector", "result"]>]> {
  let summary = "x with A x = b, A symmetric positive definite";
  let description = [{
    Only the lower triangle of A is read. `solver` is `auto` until the pass
    tam-choose-solver has chosen.

    ```mlir
    %x = tam.solve %A, %b {solver = #tam.solver<direct>}
        : tensor<8x8xf64>, tensor<8xf64>
    ```

    Constraints:
    * (solve_c1) A is a square with as many rows as b has elements.
  }];
  let arguments = (ins Tam_Matrix:$matrix, Tam_Vector:$vector,
      DefaultValuedAttr<Tam_SolverAttr, "::tamc::tam::Solver::Auto">:$solver);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat =
      "$matrix `,` $vector attr-dict `:` type($matrix) `,` type($vector)";
  let hasVerifier = 1;
}

include "tamc/Dialect/Tam/IR/TamConjugateGradients.td"

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

def Tam_InverseOp : Tam_Op<"inverse"> {
  let summary = "the inverse of a symmetric positive definite matrix";
  let description = [{
    Only the lower triangle of A is read. `triangle` is the lower triangle of the
    inverse, row by row. `numbers` has log|A|, and the condition number, in the
    1-norm, of A scaled to a unit diagonal.

    ```mlir
    %v, %n = tam.inverse %A
        : tensor<8x8xf64> -> tensor<36xf64>, tensor<2xf64>
    ```

    Constraints:
    * (inverse_c1) A is a square, of n rows, and the triangle has n(n+1)/2
      numbers.
    * (inverse_c2) there are two numbers.
  }];
  let arguments = (ins Tam_Matrix:$matrix);
  let results = (outs Tam_Vector:$triangle, Tam_Vector:$numbers);
  let assemblyFormat = [{
    $matrix attr-dict `:` type($matrix) `->` type($triangle) `,` type($numbers)
  }];
  let hasVerifier = 1;
}

def Tam_ColumnMeansOp : Tam_Op<"column_means"> {
  let summary = "the means of the design's columns over the rows of a group";
  let description = [{
    From the normal matrix of a group of T = `group_rows` rows whose first effect
    is the offset: A[i][0] / T, weighted as the rows are. The mean of the offset
    is set to 0.

    ```mlir
    %m = tam.column_means %rows matrix %A : tensor<8x8xf64> -> tensor<8xf64>
    ```

    Constraints:
    * (column_means_c1) A is a square with as many rows as there are means.
  }];
  let arguments = (ins Index:$group_rows, Tam_Matrix:$matrix);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = [{
    $group_rows `matrix` $matrix attr-dict `:` type($matrix) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_EffectiveDfOp : Tam_Op<"effective_df"> {
  let summary = "the effective degrees of freedom of each effect";
  let description = [{
    The trace of each effect's block of (Gram + T P + 1e-6 T I)^-1 Gram, from the
    triangle of the inverse (see `tam.inverse`) and the penalties, as the number
    of the effect's columns less the traces of the inverse times T P and 1e-6 T
    I. `columns` has the columns of each effect; an effect may have several
    penalties, or share one with its neighbours.

    ```mlir
    %e = tam.effective_df %rows inverse %v : tensor<36xf64>
        penalties(%p0, %p1 : ...) columns [1, 7] -> tensor<2xf64>
    ```

    Constraints:
    * (effective_df_c1) the penalties' sizes, and the columns, each at least 1,
      add up to the rows of the inverse.
    * (effective_df_c2) the result has a number per entry of `columns`.
  }];
  let arguments = (ins Index:$group_rows, Tam_Vector:$inverse,
                       Variadic<Tam_Penalty>:$penalties,
                       DenseI64ArrayAttr:$columns);
  let results = (outs Tam_Vector:$result);
  let assemblyFormat = [{
    $group_rows `inverse` $inverse `:` type($inverse) `penalties` `(`
    $penalties `:` type($penalties) `)` `columns` $columns attr-dict `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Tam_QuadraticFormsOp : Tam_Op<"quadratic_forms"> {
  let summary = "phi' V phi of each row, and of its part of each effect";
  let description = [{
    V is symmetric, and given by its lower triangle, row by row. The first column
    of the result is the form of the whole row, the others those of the effects
    with their diagonal blocks of V.

    ```mlir
    %q = tam.quadratic_forms(%phi0, %phi1 : ...) triangle %v : tensor<36xf64>
        -> tensor<?x3xf64>
    ```

    Constraints: apply_c3, apply_c4 (see `tam.predict`), and
    * (quadratic_forms_c1) the triangle has n(n+1)/2 numbers for the n columns of
      all designs.
    * (quadratic_forms_c2) the result has one column more than there are designs.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs, Tam_Vector:$triangle);
  let results = (outs Tam_Rows:$result);
  let assemblyFormat = [{
    `(` $designs `:` type($designs) `)` `triangle` $triangle `:`
    type($triangle) attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

def Tam_PredictOp : Tam_Op<"predict", [AttrSizedOperandSegments]> {
  let summary = "the sum of effects, row by row";
  let description = [{
    `into` is the sum of other effects; these effects are added to it.

    ```mlir
    %y = tam.predict(%phi0, %phi1 : ...) coefficients(%b0, %b1 : ...)
        : tensor<?xf64>
    %z = tam.predict(%phi2 : ...) coefficients(%b2 : ...)
        into(%y : tensor<?xf64>) : tensor<?xf64>
    ```

    Constraints:
    * (apply_c1) each design matrix has as many columns as its coefficients.
    * (apply_c2) there are as many vectors of coefficients as design matrices.
    * (apply_c3) there is at least one effect.
    * (apply_c4) rows are those of a chunk: dynamic.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs,
                       Variadic<Tam_Vector>:$coefficients,
                       Optional<Tam_Column>:$start);
  let results = (outs Tam_Column:$result);
  let assemblyFormat = [{
    `(` $designs `:` type($designs) `)` `coefficients` `(` $coefficients `:`
    type($coefficients) `)` (`into` `(` $start^ `:` type($start) `)`)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_DecomposeOp : Tam_Op<"decompose", [SameVariadicOperandSize]> {
  let summary = "every effect by itself, one column each";
  let description = [{
    The columns add up to the prediction, up to rounding: `tam.predict` has
    kernels of its own that do not compute the columns.

    Constraints: apply_c1 to c4 (see `tam.predict`), and
    * (decompose_c1) one column per effect.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs,
                       Variadic<Tam_Vector>:$coefficients);
  let results = (outs Tam_Rows:$result);
  let assemblyFormat = [{
    `(` $designs `:` type($designs) `)` `coefficients` `(` $coefficients `:`
    type($coefficients) `)` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tam_DesignOp : Tam_Op<"design"> {
  let summary = "the design matrix of the model, dense";
  let description = [{
    Constraints: apply_c3, apply_c4 (see `tam.predict`), and
    * (design_c1) the designs' columns add up to the result's.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs);
  let results = (outs Tam_Rows:$result);
  let assemblyFormat =
      "`(` $designs `:` type($designs) `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TAMC_DIALECT_TAM_IR_TAMOPS_TD
