//===- TamBytecode.cpp - bytecode of the description of a model -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "tamc/Dialect/StructBytecode.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

using namespace mlir;
using namespace tamc;

namespace tamc::tam {

static std::optional<Rule> symbolize(std::type_identity<Rule>, uint32_t n) {
  return symbolizeRule(n);
}
static std::optional<Unseen> symbolize(std::type_identity<Unseen>, uint32_t n) {
  return symbolizeUnseen(n);
}
static std::optional<LearnerKind> symbolize(std::type_identity<LearnerKind>,
                                            uint32_t n) {
  return symbolizeLearnerKind(n);
}
static std::optional<OracleRule> symbolize(std::type_identity<OracleRule>,
                                           uint32_t n) {
  return symbolizeOracleRule(n);
}
static std::optional<Place> symbolize(std::type_identity<Place>, uint32_t n) {
  return symbolizePlace(n);
}
static std::optional<Solver> symbolize(std::type_identity<Solver>, uint32_t n) {
  return symbolizeSolver(n);
}
static std::optional<StepKind> symbolize(std::type_identity<StepKind>,
                                         uint32_t n) {
  return symbolizeStepKind(n);
}

} // namespace tamc::tam

using namespace tamc::tam;

using GridStruct = AttributeStruct<GridAttr, &GridAttr::getLevels,
                                   &GridAttr::getFirst, &GridAttr::getStep>;
using InputStruct =
    AttributeStruct<InputAttr, &InputAttr::getColumn, &InputAttr::getRule,
                    &InputAttr::getLevels, &InputAttr::getUnseen,
                    &InputAttr::getLo, &InputAttr::getHi, &InputAttr::getGrid>;
using TableStruct = AttributeStruct<TableAttr, &TableAttr::getName,
                                    &TableAttr::getType, &TableAttr::getGiven>;
using LearnerStruct =
    AttributeStruct<LearnerAttr, &LearnerAttr::getKind, &LearnerAttr::getChoice,
                    &LearnerAttr::getSizes, &LearnerAttr::getNumber,
                    &LearnerAttr::getSeed, &LearnerAttr::getEffect,
                    &LearnerAttr::getInputs, &LearnerAttr::getFirstTable,
                    &LearnerAttr::getTableCount>;
using EffectStruct =
    AttributeStruct<EffectAttr, &EffectAttr::getName, &EffectAttr::getTerm,
                    &EffectAttr::getFirst, &EffectAttr::getColumns>;
using StrengthStruct =
    AttributeStruct<StrengthAttr, &StrengthAttr::getName,
                    &StrengthAttr::getEffect, &StrengthAttr::getAp,
                    &StrengthAttr::getValue, &StrengthAttr::getLimit>;
using OracleStruct = AttributeStruct<
    OracleAttr, &OracleAttr::getRule, &OracleAttr::getDeviceShare,
    &OracleAttr::getRamShare, &OracleAttr::getSlidingDeviceShare,
    &OracleAttr::getSlidingRamShare, &OracleAttr::getDirectLimit,
    &OracleAttr::getEstimateFactor>;
using PlacementStruct =
    AttributeStruct<PlacementAttr, &PlacementAttr::getSums,
                    &PlacementAttr::getSolve, &PlacementAttr::getPredict>;
using AdaptStruct =
    AttributeStruct<AdaptAttr, &AdaptAttr::getWindow, &AdaptAttr::getUpdate,
                    &AdaptAttr::getHorizon, &AdaptAttr::getCorrects>;
using ModelStruct = AttributeStruct<
    ModelAttr, &ModelAttr::getName, &ModelAttr::getFormula,
    &ModelAttr::getTerms, &ModelAttr::getSpec, &ModelAttr::getSpecHash,
    &ModelAttr::getTarget, &ModelAttr::getGroup, &ModelAttr::getDate,
    &ModelAttr::getWeights, &ModelAttr::getDevice, &ModelAttr::getColumns,
    &ModelAttr::getCarryBytes, &ModelAttr::getSolver, &ModelAttr::getChunkRows,
    &ModelAttr::getRowsPerGroup, &ModelAttr::getOracle,
    &ModelAttr::getPlacement, &ModelAttr::getAdapt, &ModelAttr::getInputs,
    &ModelAttr::getEffects, &ModelAttr::getStrengths, &ModelAttr::getTables,
    &ModelAttr::getLearners>;
using AccumulatorStruct =
    AttributeStruct<AccumulatorAttr, &AccumulatorAttr::getKind,
                    &AccumulatorAttr::getOffset, &AccumulatorAttr::getCount,
                    &AccumulatorAttr::getUnit>;
using VariantStruct =
    AttributeStruct<VariantAttr, &VariantAttr::getFactored,
                    &VariantAttr::getByLevels, &VariantAttr::getStateBytes,
                    &VariantAttr::getCgStateBytes,
                    &VariantAttr::getAccumulators>;

std::unique_ptr<BytecodeDialectInterface>
tamc::tam::makeBytecode(Dialect *dialect) {
  return std::make_unique<StructBytecode<
      GridStruct, InputStruct, TableStruct, LearnerStruct, EffectStruct,
      StrengthStruct, OracleStruct, PlacementStruct, AdaptStruct, ModelStruct,
      AccumulatorStruct, VariantStruct>>(dialect);
}
