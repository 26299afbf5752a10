//===- Model.cpp - the description of a model -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/steps.h"

#include "mlir/IR/Diagnostics.h"

#include <cmath>

using namespace mlir;
using namespace tamc::tam;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Numbers of the runtime
//===----------------------------------------------------------------------===//

template <typename T> static constexpr bool isNumber(T own, int32_t theirs) {
  return static_cast<int32_t>(own) == theirs;
}

static_assert(isNumber(Rule::Range, TAMRT_RULE_RANGE) &&
              isNumber(Rule::Codes, TAMRT_RULE_CODES) &&
              isNumber(Rule::Levels, TAMRT_RULE_LEVELS) &&
              isNumber(Rule::Period, TAMRT_RULE_PERIOD) &&
              isNumber(Rule::PeriodAuto, TAMRT_RULE_PERIOD_AUTO));
static_assert(isNumber(Unseen::Edge, TAMRT_UNSEEN_EDGE) &&
              isNumber(Unseen::Mean, TAMRT_UNSEEN_MEAN) &&
              isNumber(Unseen::Zero, TAMRT_UNSEEN_ZERO) &&
              isNumber(Unseen::Series, TAMRT_UNSEEN_SERIES));
static_assert(isNumber(LearnerKind::Range, TAMRT_LEARN_RANGE) &&
              isNumber(LearnerKind::Neural, TAMRT_LEARN_NEURAL) &&
              isNumber(LearnerKind::Centers, TAMRT_LEARN_CENTERS) &&
              isNumber(LearnerKind::ObliviousTrees,
                       TAMRT_LEARN_OBLIVIOUS_TREES) &&
              isNumber(LearnerKind::FlatTrees, TAMRT_LEARN_FLAT_TREES));
static_assert(isNumber(OracleRule::Plan, TAMRT_ORACLE_PLAN) &&
              isNumber(OracleRule::Estimate, TAMRT_ORACLE_ESTIMATE));
static_assert(isNumber(Place::Device, TAMRT_PLACE_DEVICE) &&
              isNumber(Place::Cpu, TAMRT_PLACE_CPU));

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

LogicalResult GridAttr::verify(EmitError emitError, int32_t levels, Real first,
                               Real step) {
  if (!(step > 0) || !std::isfinite(step)) // grid_c1
    return emitError() << "expected a finite step above 0 of a grid, got "
                       << double(step);
  return success();
}

LogicalResult TableAttr::verify(EmitError emitError, StringRef name,
                                RankedTensorType type,
                                DenseElementsAttr given) {
  if ((type.getRank() != 1 && type.getRank() != 2) ||
      llvm::any_of(type.getShape(), [](int64_t n) { return n <= 0; }) ||
      (!type.getElementType().isF64() &&
       !type.getElementType().isSignlessInteger(32))) // table_c1
    return emitError() << "expected one or two sizes above 0 and elements f64 "
                          "or i32 in table '"
                       << name << "', got " << type;
  if (given && given.getType() != type) // table_c2
    return emitError() << "expected elements of type " << type
                       << " as 'given' of table '" << name << "', got "
                       << given.getType();
  return success();
}

LogicalResult LearnerAttr::verify(EmitError emitError, LearnerKind kind,
                                  int32_t choice, ArrayRef<int64_t> sizes,
                                  Real number, uint32_t seed, int32_t effect,
                                  ArrayRef<int32_t> inputs, int64_t firstTable,
                                  int64_t tableCount) {
  if (sizes.size() != 2) // learner_c1
    return emitError() << "expected two sizes of a learner, got "
                       << sizes.size();
  return success();
}

LogicalResult AccumulatorAttr::verify(EmitError emitError, StepKind kind,
                                      int64_t offset, int64_t count,
                                      Real unit) {
  const auto &step = tamrt::describe(static_cast<int32_t>(kind));
  if (!step.takesRows() || step.solver == tamrt::StepSolver::None)
    return emitError() // accumulator_c1
           << "expected steps that add rows to accumulators, got '"
           << stringifyStepKind(kind) << "'";
  return success();
}

LogicalResult AdaptAttr::verify(EmitError emitError, int64_t window,
                                int64_t update, int64_t horizon,
                                bool corrects) {
  if (window < 1 || update < 1 || horizon < 1) // adapt_c1
    return emitError() << "expected window, update and horizon of at least 1, "
                          "got "
                       << window << ", " << update << " and " << horizon;
  return success();
}

/// Whether all of `indices` are those of elements of a list of `count`.
template <typename T> static bool areBelow(ArrayRef<T> indices, size_t count) {
  return llvm::all_of(indices, [&](T index) {
    return index >= 0 && static_cast<uint64_t>(index) < count;
  });
}

/// Whether one of `texts` would end early as a C string.
static bool haveNul(ArrayRef<StringRef> texts) {
  return llvm::any_of(texts,
                      [](StringRef text) { return text.contains('\0'); });
}

/// Checks what the numbers and texts of a model say about each other.
static LogicalResult verifyContents(Operation *op, ModelAttr model) {
  auto errorIn = [&](StringRef list, size_t index) {
    return op->emitError("expected in ")
           << list << "[" << index << "] of 'tam.model' ";
  };
  const std::pair<StringRef, int64_t> counts[] = {
      {"columns", model.getColumns()},
      {"carry_bytes", model.getCarryBytes()},
      {"chunk_rows", model.getChunkRows()},
      {"rows_per_group", model.getRowsPerGroup()}};
  for (auto [name, count] : counts)
    if (count < 0) // model_c4
      return op->emitError("expected no count below 0 in 'tam.model', got ")
             << name << " = " << count;
  if (haveNul({model.getName(), model.getFormula(), model.getTerms(),
               model.getSpec(), model.getSpecHash(), model.getTarget(),
               model.getGroup(), model.getDate(), model.getWeights(),
               model.getDevice()})) // model_c5
    return op->emitError("expected texts without NUL in 'tam.model'");
  for (auto [index, input] : llvm::enumerate(model.getInputs())) {
    GridAttr grid = input.getGrid();
    int32_t levels = std::min(input.getLevels(), grid ? grid.getLevels() : 0);
    if (levels < 0) // model_c4
      return errorIn("inputs", index) << "levels of at least 0, got " << levels;
    if (haveNul(input.getColumn())) // model_c5
      return errorIn("inputs", index) << "a text without NUL";
  }
  int64_t columns = 0;
  for (auto [index, effect] : llvm::enumerate(model.getEffects())) {
    if (effect.getFirst() != columns || effect.getColumns() < 1 ||
        effect.getColumns() > model.getColumns() - columns) // model_c3
      return errorIn("effects", index)
             << "columns from " << columns << " on, of " << model.getColumns()
             << ", got " << effect.getColumns() << " from "
             << effect.getFirst();
    columns += effect.getColumns();
    if (haveNul({effect.getName(), effect.getTerm()})) // model_c5
      return errorIn("effects", index) << "texts without NUL";
  }
  if (!model.getEffects().empty() && columns != model.getColumns())
    return op->emitError("expected 'tam.model' with effects of ") // model_c3
           << model.getColumns() << " columns, got " << columns;
  for (auto [index, strength] : llvm::enumerate(model.getStrengths()))
    if (haveNul(strength.getName())) // model_c5
      return errorIn("strengths", index) << "a text without NUL";
  for (auto [index, table] : llvm::enumerate(model.getTables()))
    if (haveNul(table.getName())) // model_c5
      return errorIn("tables", index) << "a text without NUL";
  return success();
}

LogicalResult tamc::tam::verifyModel(Operation *op, Attribute value) {
  if (!isa<ModuleOp>(op))
    return op->emitError("'tam.model' belongs on a module"); // model_c1
  auto model = dyn_cast<ModelAttr>(value);
  if (!model) // model_c1
    return op->emitError("expected a '#tam.model' as 'tam.model'");
  auto errorIn = [&](StringRef list, size_t index) {
    return op->emitError("expected in ")
           << list << "[" << index << "] of 'tam.model' ";
  };
  const size_t effects = model.getEffects().size(),
               tables = model.getTables().size();
  for (auto [index, strength] : llvm::enumerate(model.getStrengths()))
    if (!areBelow<int64_t>(strength.getEffect(), effects)) // model_c2
      return errorIn("strengths", index)
             << "an effect that exists, got " << strength.getEffect();
  for (auto [index, learner] : llvm::enumerate(model.getLearners())) {
    if (!areBelow<int32_t>(learner.getEffect(), effects)) // model_c2
      return errorIn("learners", index)
             << "an effect that exists, got " << learner.getEffect();
    if (!areBelow(learner.getInputs(), model.getInputs().size())) // model_c2
      return errorIn("learners", index)
             << "inputs that exist, got [" << learner.getInputs() << "]";
    const auto first = static_cast<uint64_t>(learner.getFirstTable()),
               count = static_cast<uint64_t>(learner.getTableCount());
    if (count > tables || first > tables - count) // model_c2
      return errorIn("learners", index)
             << "tables that exist, got " << learner.getTableCount() << " from "
             << learner.getFirstTable();
  }
  return verifyContents(op, model);
}

LogicalResult tamc::tam::verifyVariant(Operation *op, StringRef name,
                                       Attribute value) {
  auto variant = dyn_cast<VariantAttr>(value);
  if (!variant) // variant_c1
    return op->emitError("expected a '#tam.variant' as '") << name << "'";
  auto module = dyn_cast<ModuleOp>(op);
  ModelAttr model = module ? getModel(module) : ModelAttr();
  if (!model) // variant_c1
    return op->emitError("'")
           << name << "' belongs on a module with a '#tam.model'";
  if (!areBelow(variant.getFactored(), model.getEffects().size()))
    return op->emitError("expected effects that exist as 'factored' of '")
           << name << "', got [" << variant.getFactored() << "]"; // variant_c2
  ArrayRef<InputAttr> inputs = model.getInputs();
  if (!areBelow(variant.getByLevels(), inputs.size()) ||
      llvm::any_of(variant.getByLevels(),
                   [&](int32_t input) { return !inputs[input].getGrid(); }))
    return op->emitError("expected inputs with grids as 'by_levels' of '")
           << name << "', got [" << variant.getByLevels() << "]"; // variant_c2
  const int64_t bytes = variant.getStateBytes(),
                cgBytes = variant.getCgStateBytes();
  if (bytes < 0 || cgBytes < 0) // variant_c3
    return op->emitError("expected states of at least 0 bytes in '")
           << name << "', got " << bytes << " and " << cgBytes;
  for (auto [index, sums] : llvm::enumerate(variant.getAccumulators())) {
    const int64_t state =
        sums.getKind() == StepKind::FitChunk ? bytes : cgBytes;
    if (sums.getOffset() < 0 || sums.getOffset() > state ||
        sums.getCount() < 0 ||
        sums.getCount() > (state - sums.getOffset()) / int64_t(sizeof(double)))
      return op->emitError("expected accumulators[") // variant_c3
             << index << "] of '" << name << "' within a state of " << state
             << " bytes, got " << sums.getCount() << " numbers from byte "
             << sums.getOffset();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

std::string tamc::tam::getStepTitle(FunctionOpInterface step) {
  auto module = dyn_cast<ModuleOp>(step->getParentOp());
  const bool isOfWindows =
      module && module.getSymName().value_or("") == kWindowsName;
  return (isOfWindows ? "window_" : "") + step.getName().str();
}

ModelAttr tamc::tam::getModel(ModuleOp module) {
  return module->getAttrOfType<ModelAttr>(kModelAttrName);
}

VariantAttr tamc::tam::getVariant(ModuleOp module, StringRef name) {
  auto variant = module->getAttrOfType<VariantAttr>(name);
  return variant ? variant
                 : VariantAttr::get(module.getContext(), {}, {}, 0, 0, {});
}

void tamc::tam::removeModel(ModuleOp module) {
  for (StringRef name : {kModelAttrName, kPlainAttrName, kByLevelsAttrName,
                         kSmallBlocksAttrName})
    module->removeAttr(name);
}

VariantAttr VariantAttr::withFactored(ArrayRef<int32_t> effects) const {
  return get(getContext(), effects, getByLevels(), getStateBytes(),
             getCgStateBytes(), getAccumulators());
}

VariantAttr VariantAttr::withByLevels(ArrayRef<int32_t> inputs) const {
  return get(getContext(), getFactored(), inputs, getStateBytes(),
             getCgStateBytes(), getAccumulators());
}

VariantAttr VariantAttr::withMore(ArrayRef<AccumulatorAttr> accumulators,
                                  int64_t stateBytes,
                                  int64_t cgStateBytes) const {
  SmallVector<AccumulatorAttr> all(getAccumulators());
  llvm::append_range(all, accumulators);
  return get(getContext(), getFactored(), getByLevels(),
             std::max(getStateBytes(), stateBytes),
             std::max(getCgStateBytes(), cgStateBytes), all);
}
