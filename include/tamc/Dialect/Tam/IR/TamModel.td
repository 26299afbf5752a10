//===- TamModel.td - the description of a model ------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAMMODEL_TD
#define TAMC_DIALECT_TAM_IR_TAMMODEL_TD

include "tamc/Dialect/ListParameter.td"
include "tamc/Dialect/Tam/IR/TamAttributes.td"

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// A double.
class Tam_Real<string desc>
    : AttrParameter<"::tamc::tam::Real", desc, /*accessorType=*/"double"> {
  let comparator = cppType # "($_lhs) == " # cppType # "($_rhs)";
  let parser = "parseReal($_parser)";
  let printer = "$_printer.printFloat(::llvm::APFloat($_self))";
}
class Tam_OptionalReal<string desc> : Tam_Real<desc> {
  let defaultValue = cppType # "(0)";
}

class Tam_OptionalInteger<string desc>
    : DefaultValuedParameter<"int64_t", "0", desc>;
class Tam_OptionalText<string desc> : StringRefParameter<desc, [{""}]>;
class Tam_OptionalEnum<EnumInfo info, string symbol> : EnumParameter<info> {
  let defaultValue = cppType # "::" # symbol;
}

/// An attribute that is a struct of abi.h, or most of it.
class Tam_Struct<string name, string attrMnemonic>
    : Tam_Attr<name, attrMnemonic> {
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// What the spec says
//===----------------------------------------------------------------------===//

def Tam_RuleRange : I32EnumAttrCase<"Range", 0, "range">;
def Tam_RuleCodes : I32EnumAttrCase<"Codes", 1, "codes">;
def Tam_RuleLevels : I32EnumAttrCase<"Levels", 2, "levels">;
def Tam_RulePeriod : I32EnumAttrCase<"Period", 3, "period">;
def Tam_RulePeriodAuto : I32EnumAttrCase<"PeriodAuto", 4, "period_auto">;
def Tam_Rule : I32EnumAttr<"Rule", "how an input is normalised (abi.h)",
    [Tam_RuleRange, Tam_RuleCodes, Tam_RuleLevels, Tam_RulePeriod,
     Tam_RulePeriodAuto]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}

def Tam_UnseenEdge : I32EnumAttrCase<"Edge", 0, "edge">;
def Tam_UnseenMean : I32EnumAttrCase<"Mean", 1, "mean">;
def Tam_UnseenZero : I32EnumAttrCase<"Zero", 2, "zero">;
def Tam_UnseenSeries : I32EnumAttrCase<"Series", 3, "series">;
def Tam_Unseen : I32EnumAttr<"Unseen",
    "the effect of a value unseen in training (abi.h)",
    [Tam_UnseenEdge, Tam_UnseenMean, Tam_UnseenZero, Tam_UnseenSeries]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}

def Tam_GridAttr : Tam_Struct<"Grid", "grid"> {
  let summary = "The evenly spaced values of an input, according to a profile";
  let description = [{
    The members of `tamrt_grid` (abi.h) without the input.

    ```mlir
    #tam.grid<levels = 24, first = 0.0, step = 0.5>
    ```

    Constraints:
    * (grid_c1) the step is finite and above 0.
  }];
  let parameters = (ins "int32_t":$levels,
                        Tam_Real<"one of the values">:$first,
                        Tam_Real<"the distance between values">:$step);
  let genVerifyDecl = 1;
}

def Tam_InputAttr : Tam_Struct<"Input", "input"> {
  let summary = "A column that a model reads, and how it is normalised";
  let description = [{
    The members of `tamrt_input` (abi.h), and the input's grid if one is known.

    ```mlir
    #tam.input<column = "hour", rule = period, hi = 24.0>
    ```
  }];
  let parameters = (ins StringRefParameter<"name in the data">:$column,
                        EnumParameter<Tam_Rule>:$rule,
                        DefaultValuedParameter<"int32_t", "0">:$levels,
                        Tam_OptionalEnum<Tam_Unseen, "Edge">:$unseen,
                        Tam_OptionalReal<"start of the period">:$lo,
                        Tam_OptionalReal<"end of the period">:$hi,
                        OptionalParameter<"::tamc::tam::GridAttr">:$grid);
}

def Tam_TableAttr : Tam_Struct<"Table", "table"> {
  let summary = "A table of numbers that a fit learns or draws";
  let description = [{
    A `tamrt_table` (abi.h). `given` are its contents if the spec has them.

    ```mlir
    #tam.table<name = "a.features", type = tensor<5x2xi32>>
    ```

    Constraints:
    * (table_c1) the type has rank 1 or 2, positive static sizes, and elements
      f64 or i32.
    * (table_c2) `given` is of that type.
  }];
  let parameters = (ins StringRefParameter<"unique in the model">:$name,
                        "::mlir::RankedTensorType":$type,
                        OptionalParameter<"::mlir::DenseElementsAttr">:$given);
  let genVerifyDecl = 1;
}

def Tam_LearnerRange : I32EnumAttrCase<"Range", 0, "range">;
def Tam_LearnerNeural : I32EnumAttrCase<"Neural", 1, "neural">;
def Tam_LearnerCenters : I32EnumAttrCase<"Centers", 2, "centers">;
def Tam_LearnerObliviousTrees
    : I32EnumAttrCase<"ObliviousTrees", 3, "oblivious_trees">;
def Tam_LearnerFlatTrees : I32EnumAttrCase<"FlatTrees", 4, "flat_trees">;
def Tam_LearnerKind : I32EnumAttr<"LearnerKind",
    "how a learner makes its tables (abi.h)",
    [Tam_LearnerRange, Tam_LearnerNeural, Tam_LearnerCenters,
     Tam_LearnerObliviousTrees, Tam_LearnerFlatTrees]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}

def Tam_LearnerAttr : Tam_Struct<"Learner", "learner"> {
  let summary = "Makes the tables of one feature map when a model is fitted";
  let description = [{
    The members of `tamrt_learner` (abi.h).

    ```mlir
    #tam.learner<kind = flat_trees, sizes = [5, 4], seed = 42, effect = 1,
                 inputs = [0], first_table = 0, table_count = 2>
    ```

    Constraints:
    * (learner_c1) there are two sizes.
  }];
  let parameters = (ins EnumParameter<Tam_LearnerKind>:$kind,
                        DefaultValuedParameter<"int32_t", "0">:$choice,
                        Tamc_List<"int64_t", "as the kind says">:$sizes,
                        Tam_OptionalReal<"as the kind says">:$number,
                        DefaultValuedParameter<"uint32_t", "0">:$seed,
                        "int32_t":$effect,
                        Tamc_List<"int32_t", "indices of inputs">:$inputs,
                        "int64_t":$first_table, "int64_t":$table_count);
  let genVerifyDecl = 1;
}

def Tam_EffectAttr : Tam_Struct<"Effect", "effect"> {
  let summary = "Contiguous columns of the design matrix";
  let description = [{
    The members of `tamrt_effect` (abi.h) that the spec determines.

    ```mlir
    #tam.effect<name = "a", term = "l(a)", first = 1, columns = 1>
    ```
  }];
  let parameters = (ins StringRefParameter<"unique in the model">:$name,
                        StringRefParameter<"as the user wrote it">:$term,
                        "int64_t":$first, "int64_t":$columns);
}

def Tam_StrengthAttr : Tam_Struct<"Strength", "strength"> {
  let summary = "The strength of a penalty";
  let description = [{
    The members of `tamrt_penalty` (abi.h). `value` is 10^`ap`.

    ```mlir
    #tam.strength<name = "a", effect = 1, ap = -2.0, value = 0.01, limit = 9.1>
    ```
  }];
  let parameters = (ins StringRefParameter<"unique in the model">:$name,
                        "int64_t":$effect,
                        Tam_Real<"as in the formula">:$ap,
                        Tam_Real<"the strength">:$value,
                        Tam_Real<"the largest ap that it may have">:$limit);
}

def Tam_OraclePlan : I32EnumAttrCase<"Plan", 0, "plan">;
def Tam_OracleEstimate : I32EnumAttrCase<"Estimate", 1, "estimate">;
def Tam_OracleRule : I32EnumAttr<"OracleRule",
    "what decides whether the direct solver fits in memory (abi.h)",
    [Tam_OraclePlan, Tam_OracleEstimate]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}

def Tam_OracleAttr : Tam_Struct<"Oracle", "oracle"> {
  let summary = "The spec's settings for decisions on memory";
  let description = [{
    The members of `tamrt_oracle` (abi.h); 0: the runtime's default.

    ```mlir
    #tam.oracle<rule = plan, ram_share = 0.5>
    ```
  }];
  let parameters = (ins EnumParameter<Tam_OracleRule>:$rule,
                        Tam_OptionalReal<"of free memory">:$device_share,
                        Tam_OptionalReal<"of free memory">:$ram_share,
                        Tam_OptionalReal<"of free memory">:$sliding_device_share,
                        Tam_OptionalReal<"of free memory">:$sliding_ram_share,
                        Tam_OptionalInteger<"most columns">:$direct_limit,
                        Tam_OptionalReal<"for `estimate`">:$estimate_factor);
}

def Tam_PlaceDevice : I32EnumAttrCase<"Device", 0, "device">;
def Tam_PlaceCpu : I32EnumAttrCase<"Cpu", 1, "cpu">;
def Tam_Place : I32EnumAttr<"Place", "where steps run (abi.h)",
    [Tam_PlaceDevice, Tam_PlaceCpu]> {
  let cppNamespace = "::tamc::tam";
  let genSpecializedAttr = 0;
}

def Tam_PlacementAttr : Tam_Struct<"Placement", "placement"> {
  let summary = "Where the spec wants steps to run";
  let description = [{
    The members of `tamrt_placement` (abi.h).

    ```mlir
    #tam.placement<sums = device, solve = cpu, predict = device>
    ```
  }];
  let parameters = (ins EnumParameter<Tam_Place>:$sums,
                        EnumParameter<Tam_Place>:$solve,
                        EnumParameter<Tam_Place>:$predict);
}

def Tam_AdaptAttr : Tam_Struct<"Adapt", "adapt"> {
  let summary = "The spec's sliding windows";
  let description = [{
    The members of `tamrt_adapt` (abi.h). The model that is fitted in windows
    is that of the module `@windows` in the model's own.

    ```mlir
    #tam.adapt<window = 365, update = 1, horizon = 1,
               corrects = true>
    ```

    Constraints:
    * (adapt_c1) window, update and horizon are at least 1.
  }];
  let parameters = (ins "int64_t":$window, "int64_t":$update,
                        "int64_t":$horizon,
                        DefaultValuedParameter<"bool", "false">:$corrects);
  let genVerifyDecl = 1;
}

def Tam_ModelAttr : Tam_Struct<"Model", "model"> {
  let summary = "What the spec says of a model";
  let description = [{
    The members of `tamrt_model` (abi.h) that the spec determines, and its
    requests to passes: the `solver`, `chunk_rows` (the most rows of a chunk)
    and `rows_per_group` (of a group in the training data, according to a
    profile). A text is empty, and a number 0, if the spec does not say. The
    import makes the attribute; passes only read it. What they decide is in
    #tam.variant.

    ```mlir
    #tam.model<name = "load", formula = "y ~ l(a)", target = "y", columns = 2,
               inputs = [<column = "a", rule = range>],
               effects = [<name = "offset", term = "offset", first = 0,
                           columns = 1>,
                          <name = "a", term = "l(a)", first = 1, columns = 1>]>
    ```

    Constraints:
    * (model_c1) `tam.model` is a #tam.model, on a module.
    * (model_c2) the effects of strengths, and the effects, inputs and tables of
      learners, are in the model.
  }];
  let parameters = (ins
      StringRefParameter<"of the model">:$name,
      Tam_OptionalText<"as the user wrote it">:$formula,
      Tam_OptionalText<"the feature maps as JSON (abi.h)">:$terms,
      Tam_OptionalText<"the canonical spec as YAML">:$spec,
      Tam_OptionalText<"SHA-256 of `spec`, in hex">:$spec_hash,
      StringRefParameter<"column">:$target,
      Tam_OptionalText<"column">:$group,
      Tam_OptionalText<"column">:$date,
      Tam_OptionalText<"column">:$weights,
      Tam_OptionalText<"such as \"cuda:1\"">:$device,
      "int64_t":$columns,
      Tam_OptionalInteger<"values that rows pass on to later rows">:$carry_bytes,
      Tam_OptionalEnum<Tam_Solver, "Auto">:$solver,
      Tam_OptionalInteger<"of the largest rung">:$chunk_rows,
      Tam_OptionalInteger<"in a group">:$rows_per_group,
      OptionalParameter<"::tamc::tam::OracleAttr">:$oracle,
      OptionalParameter<"::tamc::tam::PlacementAttr">:$placement,
      OptionalParameter<"::tamc::tam::AdaptAttr">:$adapt,
      Tamc_OptionalList<"::tamc::tam::InputAttr", "by index">:$inputs,
      Tamc_OptionalList<"::tamc::tam::EffectAttr", "the offset first">:$effects,
      Tamc_OptionalList<"::tamc::tam::StrengthAttr", "of penalties">:$strengths,
      Tamc_OptionalList<"::tamc::tam::TableAttr", "by index">:$tables,
      Tamc_OptionalList<"::tamc::tam::LearnerAttr", "by table">:$learners);
}

//===----------------------------------------------------------------------===//
// What passes decide
//===----------------------------------------------------------------------===//

def Tam_AccumulatorAttr : Tam_Struct<"Accumulator", "accumulator"> {
  let summary = "An accumulator in a state";
  let description = [{
    The members of `tamrt_accumulator` (abi.h).

    ```mlir
    #tam.accumulator<kind = fit_chunk, offset = 64, count = 3>
    ```

    Constraints:
    * (accumulator_c1) the steps of that kind are a solver's, and read rows
      (steps.def).
  }];
  let parameters = (ins EnumParameter<Tam_StepKind>:$kind, "int64_t":$offset,
                        "int64_t":$count,
                        Tam_OptionalReal<"of row counts">:$unit);
  let genVerifyDecl = 1;
}

def Tam_VariantAttr : Tam_Struct<"Variant", "variant"> {
  let summary = "What passes decide about a variant of a model";
  let description = [{
    `factored` are the effects whose blocks its steps `precondition` solve with
    (tam-choose-solver). `by_levels` are the inputs by whose levels its fit sums
    rows (tam-compress-levels). The bytes of its states, in the direct solver
    and in conjugate gradients, and the accumulators in them are known after
    tam-tile-rows.

    A module has up to three variants: `tam.plain`; `tam.by_levels`, whose own
    steps are the functions with the unit attribute `tam.by_levels`; and
    `tam.small_blocks`, likewise. The last two have the other steps of the plain
    variant, and its accumulators for these.

    ```mlir
    #tam.variant<state_bytes = 64, accumulators = [
        <kind = fit_chunk, offset = 0, count = 3>]>
    ```

    Constraints:
    * (variant_c1) a variant is a #tam.variant, on a module with a model.
    * (variant_c2) its effects and inputs are in the model, and the inputs have
      grids.
  }];
  let parameters = (ins
      Tamc_OptionalList<"int32_t", "indices of effects">:$factored,
      Tamc_OptionalList<"int32_t", "indices of inputs">:$by_levels,
      Tam_OptionalInteger<"of the direct solver">:$state_bytes,
      Tam_OptionalInteger<"of conjugate gradients">:$cg_state_bytes,
      Tamc_OptionalList<"::tamc::tam::AccumulatorAttr",
                       "in the states">:$accumulators);
  let extraClassDeclaration = [{
    /// The same with other effects or inputs.
    VariantAttr withFactored(::llvm::ArrayRef<int32_t> effects) const;
    VariantAttr withByLevels(::llvm::ArrayRef<int32_t> inputs) const;
    /// The same with more accumulators, and with states of at least these
    /// bytes.
    VariantAttr withMore(::llvm::ArrayRef<AccumulatorAttr> accumulators,
                         int64_t stateBytes, int64_t cgStateBytes) const;
  }];
}

#endif // TAMC_DIALECT_TAM_IR_TAMMODEL_TD
