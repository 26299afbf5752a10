//===- TamPointMaps.td - maps of several variables ---------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps of several variables, and what becomes of their matrices: a part of
// TamOps.td, which includes it where its constraints are known.
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMPOINTMAPS_TD
#define TAMC_DIALECT_TAM_IR_TAMPOINTMAPS_TD

def Tam_StackOp : Tam_Op<"stack"> {
  let summary = "columns side by side: one point per row";
  let description = [{
    ```mlir
    %points = tam.stack(%x, %y : tensor<?xf64>, tensor<?xf64>)
        : tensor<?x2xf64>
    ```

    Constraints:
    * (stack_c1) the points have as many coordinates as there are columns.
    * (stack_c2) the points have as many rows as each column.
  }];
  let arguments = (ins Variadic<Tam_Column>:$columns);
  let results = (outs Tam_Rows:$result);
  let assemblyFormat =
      "`(` $columns `:` type($columns) `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tam_SliceOp : Tam_Op<"slice"> {
  let summary = "some coordinates of points";
  let description = [{
    A result of rank 1 is one coordinate as a column.

    ```mlir
    %y = tam.slice %points[1] : tensor<?x2xf64> -> tensor<?xf64>
    ```

    Constraints:
    * (slice_c1) the coordinates lie within the points.
    * (slice_c2) there are as many rows as points.
  }];
  let arguments = (ins Tam_Rows:$points,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$first);
  let results = (outs Tam_ColumnOrRows:$result);
  let assemblyFormat =
      "$points `[` $first `]` attr-dict `:` type($points) `->` type($result)";
  let hasVerifier = 1;
}

def Tam_BoundaryOp : Tam_Op<"boundary",
    [AllTypesMatch<["points", "border", "inside"]>]> {
  let summary = "where to evaluate a map for points beyond the range";
  let description = [{
    `border` is the nearest point of the range. `inside` lies 1e-5 further into
    the range, on the line from the point through `border`. `amount` is the
    factor with which `tam.blend` adds the slope between them: 0 for a point
    within the range.

    ```mlir
    %border, %inside, %amount = tam.boundary %points
        {extrapolate = #tam.extrapolate<linear>} : tensor<?x2xf64>
        -> tensor<?xf64>
    ```

    Constraints:
    * (boundary_c1) there are as many amounts as points.
  }];
  let arguments = (ins Tam_Rows:$points, Tam_ExtrapolateAttr:$extrapolate);
  let results = (outs Tam_Rows:$border, Tam_Rows:$inside, Tam_Column:$amount);
  let hasVerifier = 1;
  let assemblyFormat =
      "$points attr-dict `:` type($points) `->` type($amount)";
  let builders = [OpBuilder<(ins "::mlir::Value":$points,
                                 "Extrapolate":$extrapolate), [{
    auto type = ::llvm::cast<::mlir::RankedTensorType>(points.getType());
    build($_builder, $_state, type, type,
          ::mlir::RankedTensorType::get({type.getDimSize(0)},
                                        type.getElementType()),
          points, extrapolate);
  }]>];
}

def Tam_BlendOp : Tam_FeatureMap<"blend"> {
  let summary = "extrapolates a map from its values at the border";
  let description = [{
    border + amount * (border - inside) / 1e-5, row by row. Where amount is 0
    `inside` is not read.

    ```mlir
    %phi = tam.blend %b, %i, %amount : tensor<?x8xf64, #tam.dense>,
        tensor<?x8xf64, #tam.dense>, tensor<?xf64> -> tensor<?x8xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (blend_c1) both matrices have one encoding.
  }];
  let arguments = (ins Tam_Design:$border, Tam_Design:$inside,
                       Tam_Column:$amount);
  let assemblyFormat = [{
    $border `,` $inside `,` $amount attr-dict `:` type($border) `,`
    type($inside) `,` type($amount) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_ColumnsOp : Tam_FeatureMap<"columns"> {
  let summary = "matrices side by side";
  let description = [{
    ```mlir
    %phi = tam.columns(%a, %b : tensor<?x1xf64, #tam.dense>,
        tensor<?x1xf64, #tam.dense>) -> tensor<?x2xf64, #tam.dense>
    ```

    Matrices that store all columns in each row, such as dense ones and those of
    one column, become a dense one, others a sparse one; banded ones of one
    width can also become bands.

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (columns_c1) there is a matrix.
    * (columns_c2) a matrix of more than one column has an encoding.
    * (columns_c3) a result `#tam.bands<w, n>` has n matrices, all of them
      `#tam.banded<w>`.
  }];
  let arguments = (ins Variadic<Tam_Design>:$designs);
  let assemblyFormat =
      "`(` $designs `:` type($designs) `)` attr-dict `->` type($result)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_LinearColumnsOp : Tam_FeatureMap<"linear_columns",
    [SameVariadicOperandSize]> {
  let summary = "linear terms side by side";
  let description = [{
    A column for each input: what `tam.linear` makes of the input's values,
    normalised by its parameters (`tam.normalize`), with its number of `scales`
    and its mode of `extrapolate`. Without modes all continue.

    ```mlir
    %phi = tam.linear_columns(%v, %w : tensor<?xf64>, tensor<?xf64>)
        parameters(%p, %q : tensor<4xf64>, tensor<4xf64>) scales [3.14, 3.14]
        -> tensor<?x2xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (linear_columns_c1) there is an input, and there are as many scales, and
      modes if there are any, as inputs.
    * (linear_columns_c2) scales are finite.
  }];
  let arguments = (ins Variadic<Tam_Column>:$inputs,
      Variadic<Tam_InputParameters>:$parameters, DenseF64ArrayAttr:$scales,
      OptionalAttr<TypedArrayAttrBase<Tam_ExtrapolateAttr,
                                      "modes beyond the range">>:$extrapolate);
  let assemblyFormat = [{
    `(` $inputs `:` type($inputs) `)` `parameters` `(` $parameters `:`
    type($parameters) `)` `scales` custom<Numbers>($scales) attr-dict `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_NeuralOp : Tam_FeatureMap<"neural",
    [AttrSizedOperandSegments, Tam_OneOperandIn<"0">]> {
  let summary = "random neural features";
  let description = [{
    One or more layers act(h W + b). The last is divided by the square root of
    its width. If `only` is given, rows where it is 0 are not needed.

    ```mlir
    %phi = tam.neural %points weights(%W : tensor<2x30xf64>)
        bias(%b : tensor<30xf64>) {activation = #tam.activation<relu>}
        : tensor<?x2xf64> -> tensor<?x30xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (neural_c1) there is at least one layer, and each has weights and a bias.
    * (neural_c2) a layer has as many inputs as the layer before it has outputs.
  }];
  let arguments = (ins Tam_Rows:$points, Variadic<Tam_Matrix>:$weights,
      Variadic<Tam_Vector>:$bias, Optional<Tam_Column>:$only,
      Tam_ActivationAttr:$activation);
  let assemblyFormat = [{
    $points `weights` `(` $weights `:` type($weights) `)` `bias` `(` $bias `:`
    type($bias) `)` (`only` $only^ `:` type($only))? attr-dict `:` type($points)
    `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_RadialOp : Tam_FeatureMap<"radial"> {
  let summary = "radial basis functions around training rows";
  let description = [{
    Gaussian for nu = 0, else Matern of smoothness nu.

    ```mlir
    %phi = tam.radial %points, %centers, %gamma {nu = 1.5 : f64}
        : tensor<?x2xf64>, tensor<9x2xf64>, tensor<1xf64>
        -> tensor<?x9xf64, #tam.dense>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (radial_c1) the centres have as many coordinates as the points.
    * (radial_c2) there is one gamma.
  }];
  let arguments = (ins Tam_Rows:$points, Tam_Matrix:$centers, Tam_Vector:$gamma,
      Optional<Tam_Column>:$only, Tam_FiniteNonNegative:$nu);
  let assemblyFormat = [{
    $points `,` $centers `,` $gamma (`only` $only^ `:` type($only))? attr-dict
    `:` type($points) `,` type($centers) `,` type($gamma) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_TreeOp : Tam_FeatureMap<"tree"> {
  let summary = "the leaf of a point in each of several trees";
  let description = [{
    An oblivious tree compares with one threshold at each of its `depth` levels,
    the same for all nodes of the level, and has 2^depth leaves. A flat tree
    divides the range of one feature into `leaves` intervals.

    ```mlir
    %phi = tam.tree %points, %features, %thresholds {oblivious, leaves = 8}
        : tensor<?x2xf64>, tensor<4x3xi32>, tensor<4x3xf64>
        -> tensor<?x32xf64, #tam.multi_hot<4, 5.000000e-01>>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`), and
    * (tree_c1) oblivious: features and thresholds are trees x depth, leaves is
      2^depth; flat: features are trees x 1, thresholds trees x (leaves - 1).
  }];
  let arguments = (ins Tam_Rows:$points, Tam_Integers:$features,
      Tam_Matrix:$thresholds, Optional<Tam_Column>:$only,
      ConfinedAttr<I64Attr, [IntPositive]>:$leaves, UnitAttr:$oblivious);
  let assemblyFormat = [{
    $points `,` $features `,` $thresholds (`only` $only^ `:` type($only))?
    attr-dict `:` type($points) `,` type($features) `,` type($thresholds) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_KroneckerOp : Tam_FeatureMap<"kronecker"> {
  let summary = "all products of the columns of two design matrices";
  let description = [{
    The row-wise Kronecker product, the columns of `b` fastest. Two matrices
    that store all columns, such as dense ones, give a dense one. All others
    give a sparse one whose numbers per row are the product of theirs.

    ```mlir
    %phi = tam.kronecker %a, %b : tensor<?x7xf64, #tam.banded<4>>,
        tensor<?x4xf64, #tam.dense> -> tensor<?x28xf64, #tam.sparse<16>>
    ```

    Constraints: feature_map_c1 to c3 (see `tam.offset`).
  }];
  let arguments = (ins Tam_Design:$a, Tam_Design:$b);
  let assemblyFormat =
      "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getRowOperands();
  }];
}

def Tam_ConvertOp : Tam_Op<"convert"> {
  let summary = "another encoding of a design matrix";
  let description = [{
    Inserted where two encodings have no kernel of their own (pass
    tam-choose-encodings): dense for a matrix that stores all columns, else
    sparse.

    ```mlir
    %s = tam.convert %a : tensor<?x7xf64, #tam.banded<4>>
        -> tensor<?x7xf64, #tam.sparse<4>>
    ```

    Constraints:
    * (convert_c1) the operand has an encoding. Both have the same columns; the
      result is dense, or sparse with as many numbers per row as the operand
      holds.
  }];
  let arguments = (ins Tam_Design:$a);
  let results = (outs Tam_Design:$result);
  let assemblyFormat = "$a attr-dict `:` type($a) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TAMC_DIALECT_TAM_IR_TAMPOINTMAPS_TD
