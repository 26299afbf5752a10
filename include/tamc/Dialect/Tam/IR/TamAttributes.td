//===- TamAttributes.td - encodings and slots --------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMATTRIBUTES_TD
#define TAMC_DIALECT_TAM_IR_TAMATTRIBUTES_TD

include "tamc/Dialect/Tam/IR/TamDialect.td"
include "tamc/Dialect/Tam/IR/TamInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Tam_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tam_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Tam_Encoding<string name, string attrMnemonic>
    : Tam_Attr<name, attrMnemonic,
               [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                DeclareAttrInterfaceMethods<Tam_EncodingInterface>]>;

class Tam_DesignEncoding<string name, string attrMnemonic,
                         list<string> methods = []>
    : Tam_Attr<name, attrMnemonic,
               [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                DeclareAttrInterfaceMethods<Tam_EncodingInterface>,
                DeclareAttrInterfaceMethods<Tam_DesignEncodingInterface,
                                            methods>]>;

def Tam_DenseAttr : Tam_DesignEncoding<"Dense", "dense", ["storesAllColumns"]> {
  let summary = "A design matrix stored row by row";
  let description = [{
    One component, `tensor<? x columns x f64>`.

    Constraints:
    * (dense_c1) the tensor has rank 2, elements f64, and its columns are known.
  }];
}

def Tam_BandedAttr : Tam_DesignEncoding<"Banded", "banded", ["getBand"]> {
  let summary = "A design matrix with `width` neighbouring non-zeros per row";
  let description = [{
    Two components: the values, `tensor<? x width x f64>`, and the first of
    their columns, `tensor<?xi32>`.

    Constraints:
    * (banded_c1) the tensor has rank 2, elements f64, and its columns are known.
    * (banded_c2) 1 <= width <= columns.
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
}

def Tam_BandsAttr : Tam_DesignEncoding<"Bands", "bands"> {
  let summary = "`count` banded design matrices side by side";
  let description = [{
    Two components: the values, `tensor<? x width * count x f64>`, and the first
    of their columns of the whole matrix, `tensor<? x count x i32>`. These types
    have the size of a row, but not the order: all rows of the first matrix come
    before those of the second (kernels.def).

    Constraints:
    * (bands_c1) the tensor has rank 2, elements f64, and its columns are known.
    * (bands_c2) 1 <= width and 1 <= count, and there are at least width * count
      columns.
  }];
  let parameters = (ins "int64_t":$width, "int64_t":$count);
  let assemblyFormat = "`<` $width `,` $count `>`";
}

def Tam_OneHotAttr : Tam_DesignEncoding<"OneHot", "one_hot",
    ["getSelfLayout", "getBand", "getSparsifySizes"]> {
  let summary = "A design matrix with a single 1 per row";
  let description = [{
    One component, the column of the 1: `tensor<?xi32>`. A negative index marks
    a value unseen in training: -1 is an empty row; -1-m is a row with 1/m in
    the first m columns, which are those of the trained levels.

    Constraints:
    * (one_hot_c1) the tensor has rank 2, elements f64, and its columns are
      known.
  }];
}

def Tam_MultiHotAttr : Tam_DesignEncoding<"MultiHot", "multi_hot", ["getCommonNumber"]> {
  let summary = "A design matrix with `count` equal numbers per row";
  let description = [{
    One component, the columns of the numbers: `tensor<? x count x i32>`. All
    numbers equal `scale` and are not stored.

    Constraints:
    * (multi_hot_c1) the tensor has rank 2, elements f64, and its columns are
      known.
    * (multi_hot_c2) 1 <= count <= columns.
    * (multi_hot_c3) the scale is finite.
  }];
  let parameters = (ins "int64_t":$count, "::mlir::FloatAttr":$scale);
  let assemblyFormat = "`<` $count `,` $scale `>`";
  let builders = [AttrBuilder<(ins "int64_t":$count, "double":$scale), [{
    return $_get($_ctxt, count,
                 ::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), scale));
  }]>];
}

def Tam_SparseAttr : Tam_DesignEncoding<"Sparse", "sparse"> {
  let summary = "A design matrix with `width` numbers per row";
  let description = [{
    Two components: the numbers, `tensor<? x width x f64>`, and their columns,
    `tensor<? x width x i32>`, in any order. Numbers with the same column add
    up.

    Constraints:
    * (sparse_c1) the tensor has rank 2, elements f64, and its columns are known.
    * (sparse_c2) 1 <= width.
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
}

def Tam_SumsFull : I32EnumAttrCase<"Full", 0, "full">;
def Tam_SumsUpper : I32EnumAttrCase<"Upper", 1, "upper">;
def Tam_SumsDiagonal : I32EnumAttrCase<"Diagonal", 2, "diagonal">;
def Tam_SumsTransposed : I32EnumAttrCase<"Transposed", 3, "transposed">;
def Tam_SumsPanels : I32EnumAttrCase<"Panels", 4, "panels">;
def Tam_SumsTransposedPanels
    : I32EnumAttrCase<"TransposedPanels", 5, "transposed_panels">;
def Tam_SumsUpperPanels : I32EnumAttrCase<"UpperPanels", 6, "upper_panels">;
def Tam_SumsFrequencies : I32EnumAttrCase<"Frequencies", 7, "frequencies">;
def Tam_SumsCubicPanels : I32EnumAttrCase<"CubicPanels", 8, "cubic_panels">;
def Tam_SumsLayout : I32EnumAttr<"SumsLayout", "which numbers are kept, and how",
    [Tam_SumsFull, Tam_SumsUpper, Tam_SumsDiagonal, Tam_SumsTransposed,
     Tam_SumsPanels, Tam_SumsTransposedPanels, Tam_SumsUpperPanels,
     Tam_SumsFrequencies, Tam_SumsCubicPanels]> {
  let cppNamespace = "::tamc::tam";
}

def Tam_SumsAttr : Tam_Encoding<"Sums", "sums"> {
  let summary = "An accumulator of sums over rows";
  let description = [{
    One component, `tensor<count x f64>` (kernels.def, "Accumulators"). `full`
    stores every element row by row, `transposed` column by column.
    `upper` stores a square of which only elements with column >= row are
    defined. `diagonal` stores the diagonal of a square whose other elements are
    zero. `frequencies` is for the products of the cosines and sines of m
    multiples of an angle: it stores the sums of the cosines of the multiples 0
    to 2m, then the sums of the sines of the multiples 1 to 2m, 4m + 1 numbers.

    Panels are for products with a band of `width` numbers per row. There is one
    panel for each column at which a band can start, so that rows with different
    starts add to different panels. A row adds to whole words of `width`
    numbers, padded to a power of two, and words of different rows never overlap
    in part. An element is the sum of the numbers for it in up to `width`
    panels.
    * `panels`, of m x n or m: word [start][j], with 0 <= start <= m - width,
      adds to the elements (start + i, j).
    * `transposed_panels`, of m x n: word [start][j] adds to (j, start + i).
    * `upper_panels`, of a square: number i of word [start][r], 0 <= r <= width
      / 2, is the product of the band's numbers i and (i + r) mod width. If 2 r
      = width, the second half of the word repeats the first.
    * `cubic_panels`, of a cubic spline with itself: only the words 0 and 1 of
      `upper_panels`. Within a knot span, the remaining two of the ten distinct
      products of the four cubics are linear combinations of these eight. The
      rows must be within the spline's range, as the training rows of a fit are
      (docs/math.md, section 2).

    The matrix may be a row-wise Kronecker product of several factors that each
    have a band (one-hot factors: of one number). `4 of 23, 4 of 23` gives the
    numbers per row and the columns of each factor. Then `start` is the tuple of
    the factors' starts and i the tuple of indices into their bands, the last
    factor fastest, and the columns are those of the product. `upper_panels`
    have the words [start][pairs...][r]: r belongs to the word factor, which is
    the last of the factors with the most numbers per row. Every other factor
    has a pair i <= k of its numbers, in lexicographic order. A word has the
    word factor's width; word [...][r] is the product of the pairs' numbers
    times word [r] of the word factor as defined above.

    Constraints:
    * (sums_c1) the tensor has static shape, rank 1 or 2, elements f64.
    * (sums_c2) a tensor of rank 1 is `full` or `panels`.
    * (sums_c3) `upper`, `diagonal`, `upper_panels`, `cubic_panels` and
      `frequencies` take a square, the last of an even size.
    * (sums_c4) panels have a width, other layouts have none. For each factor, 1
      <= width <= its columns; the columns of several factors multiply to the
      elements along the band.
    * (sums_c5) `cubic_panels` have one factor, of width 4.
  }];
  let parameters = (ins EnumParameter<Tam_SumsLayout>:$layout,
                        ArrayRefParameter<"int64_t">:$widths,
                        ArrayRefParameter<"int64_t">:$columns);
  let assemblyFormat = "`<` $layout `` custom<Factors>($widths, $columns) `` `>`";
  let builders = [
    AttrBuilder<(ins "SumsLayout":$layout), [{
      return $_get($_ctxt, layout, ::llvm::ArrayRef<int64_t>(),
                   ::llvm::ArrayRef<int64_t>());
    }]>,
    AttrBuilder<(ins "SumsLayout":$layout, "int64_t":$width), [{
      return $_get($_ctxt, layout, ::llvm::ArrayRef<int64_t>(width),
                   ::llvm::ArrayRef<int64_t>());
    }]>
  ];
  let extraClassDeclaration = [{
    /// Numbers in each half of an accumulator of type `type`.
    int64_t getCount(::mlir::RankedTensorType type) const;
    /// Whether the layout is one of panels.
    bool isPanels() const;
    /// Whether the sums are those of the transposed product.
    bool isTransposed() const;
    /// Whether the sums are those of a matrix with itself.
    bool isSelf() const;
    /// Whether each number is the sum of an element's products; forEachNumber
    /// says which. Otherwise elements are linear combinations of numbers.
    bool isByElements() const;
    /// Whether the panels are those of a Kronecker product of several factors.
    bool isProduct() const { return getWidths().size() > 1; }
    /// Numbers per row of the matrix along the panels; 0 without panels.
    int64_t getWidth() const;
    /// The factors' columns, in an accumulator of type `type`.
    ::llvm::SmallVector<int64_t>
    getFactorColumns(::mlir::RankedTensorType type) const;
    /// Index of the word factor.
    size_t getWordFactor() const;
    /// Distance between the words of a panel, in numbers.
    int64_t getWordSize() const;
    /// Words in one panel of an accumulator of type `type`.
    int64_t getWordsPerPanel(::mlir::RankedTensorType type) const;
    /// A number of an accumulator, an element that it adds to, and the panel
    /// that it lies in (without panels, 0).
    struct Number {
      int64_t index, row, column, panel;
    };
    /// Calls `body` for each pair of a number and an element that it adds to,
    /// in an accumulator of type `type`, for which isByElements holds. Linear
    /// in the number of pairs.
    void forEachNumber(::mlir::RankedTensorType type,
                       ::llvm::function_ref<void(Number)> body) const;
    /// Number of panels in an accumulator of type `type`: one for each start.
    int64_t getPanels(::mlir::RankedTensorType type) const;
  }];
}

def Tam_CoordinatesAttr : Tam_Encoding<"Coordinates", "coordinates"> {
  let summary = "A sparse symmetric matrix: its lower triangle as coordinates";
  let description = [{
    Three components: rows and columns, `tensor<count x i32>`, and values,
    `tensor<count x f64>`.

    Constraints:
    * (coordinates_c1) the tensor is a square of static shape, elements f64.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}

def Tam_SlotRows : I32EnumAttrCase<"Rows", 0, "rows">;
def Tam_SlotFirst : I32EnumAttrCase<"First", 1, "first">;
def Tam_SlotCapacity : I32EnumAttrCase<"Capacity", 2, "capacity">;
def Tam_SlotColumn : I32EnumAttrCase<"Column", 3, "column">;
def Tam_SlotParameters : I32EnumAttrCase<"Parameters", 4, "parameters">;
def Tam_SlotCoefficients : I32EnumAttrCase<"Coefficients", 5, "coefficients">;
def Tam_SlotState : I32EnumAttrCase<"State", 6, "state">;
def Tam_SlotOutput : I32EnumAttrCase<"Output", 7, "output">;
def Tam_SlotArena : I32EnumAttrCase<"Arena", 8, "arena">;
def Tam_SlotGroupRows : I32EnumAttrCase<"GroupRows", 9, "group_rows">;
def Tam_SlotTable : I32EnumAttrCase<"Table", 10, "table">;
def Tam_SlotCarry : I32EnumAttrCase<"Carry", 11, "carry">;
def Tam_SlotInference : I32EnumAttrCase<"Inference", 12, "inference">;
def Tam_SlotSystem : I32EnumAttrCase<"System", 13, "system">;
def Tam_SlotKind : I32EnumAttr<"SlotKind", "what the runtime puts in a slot",
    [Tam_SlotRows, Tam_SlotFirst, Tam_SlotCapacity, Tam_SlotColumn,
     Tam_SlotParameters, Tam_SlotCoefficients, Tam_SlotState, Tam_SlotOutput,
     Tam_SlotArena, Tam_SlotGroupRows, Tam_SlotTable, Tam_SlotCarry,
     Tam_SlotInference, Tam_SlotSystem]> {
  let cppNamespace = "::tamc::tam";
}

def Tam_SlotAttr : Tam_Attr<"Slot", "slot"> {
  let summary = "What a function's argument or result is to the runtime";
  let description = [{
    `rows`: rows of the chunk (or of the group). `first`: index of the chunk's
    first row in its group. `capacity`: most rows that a call may pass.
    `group_rows`: rows of the group. These are of type `index`. `column, k`: the
    k-th data column. `parameters, b`, `coefficients, b`, `state, b`: the memory
    at byte b of the group's parameter block, coefficients or accumulators.
    `output`: where results go. `arena`: where temporaries live. `table, k`: the
    model's k-th table. `carry, b`: the memory at byte b of the values that rows
    pass on to later rows. `inference, b` and `system, b`: the output at byte b of
    a step of its own, which tam-tile-rows makes of the results with this slot.

    Constraints:
    * (slot_c1) an offset is not negative, and less than 2^48.
    * (slot_c2) row counts and `first` are of type `index`. Every other slot is
      a tensor, or a memref once bufferized: of rank 1 and dynamic size in
      `column`, of static shape in all slots but `column`, `output` and `arena`.
  }];
  let parameters = (ins EnumParameter<Tam_SlotKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat = "`<` $kind (`,` $offset^)? `>`";
  let genVerifyDecl = 1;
}

def Tam_StepFitInit : I32EnumAttrCase<"FitInit", 0, "fit_init">;
def Tam_StepFitChunk : I32EnumAttrCase<"FitChunk", 1, "fit_chunk">;
def Tam_StepFitFinish : I32EnumAttrCase<"FitFinish", 2, "fit_finish">;
def Tam_StepPredict : I32EnumAttrCase<"Predict", 3, "predict">;
def Tam_StepTerms : I32EnumAttrCase<"Terms", 4, "terms">;
def Tam_StepDesign : I32EnumAttrCase<"Design", 5, "design">;
def Tam_StepCgInit : I32EnumAttrCase<"CgInit", 6, "cg_init">;
def Tam_StepCgChunk : I32EnumAttrCase<"CgChunk", 7, "cg_chunk">;
def Tam_StepCgFinish : I32EnumAttrCase<"CgFinish", 8, "cg_finish">;
def Tam_StepApplyInit : I32EnumAttrCase<"ApplyInit", 9, "apply_init">;
def Tam_StepApplyChunk : I32EnumAttrCase<"ApplyChunk", 10, "apply_chunk">;
def Tam_StepApplyFinish : I32EnumAttrCase<"ApplyFinish", 11, "apply_finish">;
def Tam_StepPrecondition
    : I32EnumAttrCase<"Precondition", 12, "precondition">;
def Tam_StepFitInfer : I32EnumAttrCase<"FitInfer", 13, "fit_infer">;
def Tam_StepVariances : I32EnumAttrCase<"Variances", 14, "variances">;
def Tam_StepFitSystem : I32EnumAttrCase<"FitSystem", 15, "fit_system">;
def Tam_StepPenalty : I32EnumAttrCase<"Penalty", 16, "penalty">;
def Tam_StepKind : I32EnumAttr<"StepKind", "the steps of a model (abi.h)",
    [Tam_StepFitInit, Tam_StepFitChunk, Tam_StepFitFinish, Tam_StepPredict,
     Tam_StepTerms, Tam_StepDesign, Tam_StepCgInit, Tam_StepCgChunk,
     Tam_StepCgFinish, Tam_StepApplyInit, Tam_StepApplyChunk,
     Tam_StepApplyFinish, Tam_StepPrecondition, Tam_StepFitInfer,
     Tam_StepVariances, Tam_StepFitSystem, Tam_StepPenalty]> {
  let cppNamespace = "::tamc::tam";
}

def Tam_StepAttr : Tam_Attr<"Step", "step"> {
  let summary = "Which step of a model a function is";
  let description = [{
    The kinds have the numbers of tamrt_step_kind. `rung` is the most rows that
    a call may pass; it is 0 before the ladder exists and for steps without one.
    A function that tam-tile-rows has yet to split has the kind of its last
    part.

    Constraints:
    * (step_c1) `tam.step` is a #tam.step, on a function. `tam.by_levels` and
      `tam.small_blocks` are units on functions, a #tam.variant on modules, and
      belong on no other op.
    * (step_c2) the rung of `tam.step` is at least 0.
  }];
  let parameters = (ins EnumParameter<Tam_StepKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$rung);
  let assemblyFormat = "`<` $kind (`,` $rung^)? `>`";
}

def Tam_TargetAttr : Tam_Attr<"Target", "target"> {
  let summary = "What a module is compiled for";
  let description = [{
    The name of a target, the triple of its machine and the CPU, as LLVM names
    them. An empty triple is that of the machine that tamc runs on; an empty CPU
    one with the instructions that all CPUs of that kind have; the CPU "native"
    the one that tamc runs on.

    Constraints:
    * (target_c1) `tam.target` is a #tam.target, on a module.
  }];
  let parameters = (ins StringRefParameter<"of a target">:$name,
                        StringRefParameter<"of its machine", [{""}]>:$triple,
                        StringRefParameter<"of its machine", [{""}]>:$cpu);
  let assemblyFormat = "`<` $name (`,` $triple^)? (`cpu` $cpu^)? `>`";
}

def Tam_ExtrapolateContinue : I32EnumAttrCase<"Continue", 0, "continue">;
def Tam_ExtrapolateConstant : I32EnumAttrCase<"Constant", 1, "constant">;
def Tam_ExtrapolateLinear : I32EnumAttrCase<"Linear", 2, "linear">;
def Tam_ExtrapolateSaturation : I32EnumAttrCase<"Saturation", 3, "saturation">;
def Tam_Extrapolate : I32EnumAttr<"Extrapolate",
    "what a feature map does outside the training range",
    [Tam_ExtrapolateContinue, Tam_ExtrapolateConstant, Tam_ExtrapolateLinear,
     Tam_ExtrapolateSaturation]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}
def Tam_ExtrapolateAttr : EnumAttr<Tam_Dialect, Tam_Extrapolate, "extrapolate"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tam_ActivationRelu : I32EnumAttrCase<"Relu", 0, "relu">;
def Tam_ActivationCos : I32EnumAttrCase<"Cos", 1, "cos">;
def Tam_ActivationTanh : I32EnumAttrCase<"Tanh", 2, "tanh">;
def Tam_Activation : I32EnumAttr<"Activation",
    "what a layer of neurons applies to its sums",
    [Tam_ActivationRelu, Tam_ActivationCos, Tam_ActivationTanh]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}
def Tam_ActivationAttr : EnumAttr<Tam_Dialect, Tam_Activation, "activation"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tam_SolverUnset : I32EnumAttrCase<"Auto", 0, "auto">;
def Tam_SolverDirect : I32EnumAttrCase<"Direct", 1, "direct">;
def Tam_SolverCG : I32EnumAttrCase<"CG", 2, "cg">;
def Tam_Solver : I32EnumAttr<"Solver", "how a linear system is solved",
    [Tam_SolverUnset, Tam_SolverDirect, Tam_SolverCG]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}
def Tam_SolverAttr : EnumAttr<Tam_Dialect, Tam_Solver, "solver"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TAMC_DIALECT_TAM_IR_TAMATTRIBUTES_TD
