//===- ModelDescription.cpp - a model's constants as a tree -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelDescription.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace tamc;

static Field i32(int64_t value) { return {Field::Kind::I32, value}; }
static Field i64(int64_t value) { return {Field::Kind::I64, value}; }
static Field f64(double value) { return {Field::Kind::F64, 0, value}; }

static Field text(StringRef value) {
  return {Field::Kind::Text, 0, 0, value.str()};
}

/// A text; null if it is empty.
static Field textIfAny(StringRef value) {
  return value.empty() ? Field{Field::Kind::Null} : text(value);
}

/// An array of structs; null if it is empty.
static Field array(const Twine &name, StringRef type,
                   std::vector<Record> records) {
  if (records.empty())
    return {Field::Kind::Null};
  return {Field::Kind::Records, 0,          0,
          name.str(),           type.str(), std::move(records)};
}

/// Attributes of a step that its translation keeps until it is described.
static constexpr StringLiteral kStepNotes[] = {
    tam::kStepAttrName, tam::kByLevelsAttrName, tam::kSmallBlocksAttrName,
    tamk::kPlanAttrName};

bool tamc::launchesGenerated(func::FuncOp step) {
  return step
      .walk([](tamk::LaunchOp launch) {
        return launch.getGenerated() ? WalkResult::interrupt()
                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

void tamc::noteStep(func::FuncOp step, FunctionOpInterface function,
                    bool isCpuCode) {
  for (StringRef name : kStepNotes)
    if (Attribute value = step->getAttr(name))
      function->setAttr(name, value);
  if (isCpuCode)
    function->setAttr(tamk::kCpuCodeAttrName, UnitAttr::get(step.getContext()));
}

void tamc::removeNotes(ModuleOp module) {
  tam::removeModel(module);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    for (StringRef name : kStepNotes)
      function->removeAttr(name);
    function->removeAttr(tamk::kCpuCodeAttrName);
    function->removeAttr(tamk::kTableAttrName);
    function->removeAttr(tamk::kRunsTableAttrName);
  }
}

/// The struct of the settings; null if there are none.
static Field describe(tam::OracleAttr oracle) {
  if (!oracle)
    return {Field::Kind::Null};
  return array(
      "tam_oracle", "tamrt_oracle",
      {{i32(int64_t(oracle.getRule())), i32(0), f64(oracle.getDeviceShare()),
        f64(oracle.getRamShare()), f64(oracle.getSlidingDeviceShare()),
        f64(oracle.getSlidingRamShare()), i64(oracle.getDirectLimit()),
        f64(oracle.getEstimateFactor())}});
}

static Field describe(tam::PlacementAttr placement) {
  if (!placement)
    return {Field::Kind::Null};
  return array(
      "tam_placement", "tamrt_placement",
      {{i32(int64_t(placement.getSums())), i32(int64_t(placement.getSolve())),
        i32(int64_t(placement.getPredict())), i32(0)}});
}

/// The address of the model `name` of another module; null without a name.
static Field modelNamed(StringRef name) {
  if (name.empty())
    return {Field::Kind::Null};
  return {Field::Kind::External, 0, 0, name.str()};
}

static Field describe(tam::AdaptAttr adapt, StringRef windows) {
  if (!adapt)
    return {Field::Kind::Null};
  return array(
      "tam_adapt", "tamrt_adapt",
      {{i64(adapt.getWindow()), i64(adapt.getUpdate()), i64(adapt.getHorizon()),
        i32(adapt.getCorrects()), i32(0), modelNamed(windows)}});
}

namespace {

/// What the buffers of all steps name: each text once, in the order of first
/// use.
class PlanTexts {
public:
  int64_t indexOf(StringRef text) {
    auto [entry, isNew] =
        indices.try_emplace(text, static_cast<int64_t>(records.size()));
    if (isNew)
      records.push_back({::text(text)});
    return entry->second;
  }

  /// The array `plan_texts`.
  Field array() && {
    return ::array("tam_plan_texts", "char *const", std::move(records));
  }

private:
  llvm::StringMap<int64_t> indices;
  std::vector<Record> records;
};

} // namespace

/// The buffers of the plan of `step`.
static Field describeBuffers(StringRef step, ArrayRef<tamk::BufferAttr> buffers,
                             PlanTexts &texts) {
  if (buffers.empty())
    return {Field::Kind::Null};
  SmallVector<int64_t> numbers;
  for (tamk::BufferAttr row : buffers)
    numbers.append({texts.indexOf(row.getName()), texts.indexOf(row.getOp()),
                    texts.indexOf(row.getTerm()), row.getBytes(),
                    row.getOffset(), row.getFirst(), row.getLast()});
  const auto count = static_cast<int64_t>(buffers.size());
  auto type = RankedTensorType::get(
      {count, static_cast<int64_t>(numbers.size()) / count},
      IntegerType::get(buffers.front().getContext(), 64));
  return {Field::Kind::Rows,
          0,
          0,
          ("tam_buffers_" + step).str(),
          "tamrt_buffer",
          {},
          DenseElementsAttr::get(type, ArrayRef(numbers))};
}

static Record describeStep(FunctionOpInterface function, PlanTexts &texts) {
  auto step = function->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
  auto plan = function->getAttrOfType<tamk::PlanAttr>(tamk::kPlanAttrName);
  ArrayRef<tamk::BufferAttr> buffers = plan.getBuffers();
  auto table = function->getAttrOfType<FlatSymbolRefAttr>(tamk::kTableAttrName);
  return {i32(static_cast<int64_t>(step.getKind())),
          i32(plan.getLength()),
          i32(function->hasAttr(tamk::kCpuCodeAttrName)),
          i32(function->hasAttr(tamk::kRunsTableAttrName)),
          text(tam::getStepTitle(function)),
          i64(step.getRung()),
          i64(plan.getArenaBytes()),
          i64(plan.getLowerBoundBytes()),
          i64(plan.getNaiveBytes()),
          text(plan.getMethod()),
          {Field::Kind::Address, 0, 0, function.getName().str()},
          i64(static_cast<int64_t>(buffers.size())),
          describeBuffers(function.getName(), buffers, texts),
          table ? Field{Field::Kind::Address, 0, 0, table.getValue().str()}
                : Field{Field::Kind::Null}};
}

static Record describe(tam::InputAttr input) {
  return {text(input.getColumn()),
          i32(int64_t(input.getRule())),
          i32(input.getLevels()),
          i32(int64_t(input.getUnseen())),
          i32(0),
          f64(input.getLo()),
          f64(input.getHi())};
}

/// Entry `index` of the model's learners.
static Record describe(tam::LearnerAttr learner, size_t index) {
  std::vector<Record> inputs;
  for (int32_t input : learner.getInputs())
    inputs.push_back({i32(input)});
  auto count = static_cast<int64_t>(inputs.size());
  return {
      i32(int64_t(learner.getKind())),
      i32(learner.getChoice()),
      i64(learner.getSizes()[0]),
      i64(learner.getSizes()[1]),
      f64(learner.getNumber()),
      i32(learner.getSeed()),
      i32(learner.getEffect()),
      i64(count),
      array("tam_learner_inputs_" + Twine(index), "int32_t", std::move(inputs)),
      i64(learner.getFirstTable()),
      i64(learner.getTableCount())};
}

/// Entry `index` of the model's tables.
static Record describe(tam::TableAttr table, size_t index) {
  ArrayRef<int64_t> shape = table.getType().getShape();
  bool isInteger = table.getType().getElementType().isInteger();
  Field given{Field::Kind::Null};
  if (table.getGiven())
    given = {Field::Kind::Numbers,
             0,
             0,
             "tam_given_" + std::to_string(index),
             isInteger ? "int32_t" : "double",
             {},
             table.getGiven()};
  return {text(table.getName()),
          i32(isInteger),
          i32(static_cast<int64_t>(shape.size())),
          i64(shape[0]),
          i64(shape.size() > 1 ? shape[1] : 1),
          std::move(given)};
}

static Record describe(tam::AccumulatorAttr accumulator) {
  return {i32(int64_t(accumulator.getKind())), i32(0),
          i64(accumulator.getOffset()), i64(accumulator.getCount()),
          f64(accumulator.getUnit())};
}

static Record describe(tam::StrengthAttr strength) {
  return {text(strength.getName()), i64(strength.getEffect()),
          f64(strength.getAp()), f64(strength.getValue()),
          f64(strength.getLimit())};
}

/// The descriptions of all elements of a list.
template <typename T> static std::vector<Record> describeAll(ArrayRef<T> list) {
  std::vector<Record> records;
  for (T element : list)
    records.push_back(describe(element));
  return records;
}

/// The same for elements whose arrays get their index as part of the name.
template <typename T>
static std::vector<Record> describeWithIndex(ArrayRef<T> list) {
  std::vector<Record> records;
  for (auto [index, element] : llvm::enumerate(list))
    records.push_back(describe(element, index));
  return records;
}

/// A record without its arrays, which have been defined already.
static Record shared(Record record) {
  for (Field &field : record)
    if (field.kind == Field::Kind::Records ||
        field.kind == Field::Kind::Numbers || field.kind == Field::Kind::Rows)
      field = {Field::Kind::Address, 0, 0, field.text};
  return record;
}

/// What the steps are of the kind that is the first field of `record`, a
/// tamrt_step or a tamrt_accumulator.
static const tamrt::StepDescription &stepOf(const Record &record) {
  return tamrt::describe(int32_t(record.front().integer));
}

namespace {

/// The parts in which models of one spec differ.
struct Parts {
  std::vector<Record> effects, accumulators, steps;
};

/// Indices in the record of a model: of the bytes of a state, and of the counts
/// of parts, each of which is followed by the parts.
struct Places {
  size_t cgStateBytes, accumulators, effects, steps;
};

} // namespace

/// The effects of a model; `factored` are the indices of those that are.
static std::vector<Record> describeEffects(ArrayRef<tam::EffectAttr> effects,
                                           ArrayRef<int32_t> factored) {
  SmallVector<bool> isFactored(effects.size());
  for (int32_t index : factored)
    isFactored[index] = true;
  std::vector<Record> records;
  for (auto [effect, flag] : llvm::zip_equal(effects, isFactored))
    records.push_back({text(effect.getName()), text(effect.getTerm()),
                       i64(effect.getFirst()), i64(effect.getColumns()),
                       i32(flag), i32(0)});
  return records;
}

/// Replaces the records at an index of a model's record.
static void replace(Record &model, size_t at, StringRef name, StringRef type,
                    std::vector<Record> records) {
  model[at] = i64(int64_t(records.size()));
  model[at + 1] = array(name, type, std::move(records));
}

/// The tamrt_model with small blocks of the model that `whole` describes.
static Record describeSmallBlocks(int64_t cgStateBytes, Record whole,
                                  Parts parts, const Places &places) {
  whole = shared(std::move(whole));
  whole[places.cgStateBytes] = i64(cgStateBytes);
  replace(whole, places.accumulators, "tam_small_blocks_accumulators",
          "tamrt_accumulator", std::move(parts.accumulators));
  replace(whole, places.effects, "tam_small_blocks_effects", "tamrt_effect",
          std::move(parts.effects));
  replace(whole, places.steps, "tam_small_blocks_steps", "tamrt_step",
          std::move(parts.steps));
  return whole;
}

/// The tamrt_compression of the model that `whole` describes.
static Record describeCompression(ArrayRef<tam::InputAttr> inputs,
                                  ArrayRef<int32_t> byLevels, Record whole,
                                  Parts parts, const Places &places) {
  std::vector<Record> grids;
  for (int32_t index : byLevels) {
    tam::GridAttr grid = inputs[index].getGrid();
    grids.push_back({i32(index), i32(grid.getLevels()), f64(grid.getFirst()),
                     f64(grid.getStep())});
  }
  whole = shared(std::move(whole));
  replace(whole, places.accumulators, "tam_level_accumulators",
          "tamrt_accumulator", std::move(parts.accumulators));
  replace(whole, places.steps, "tam_level_steps", "tamrt_step",
          std::move(parts.steps));
  auto count = static_cast<int64_t>(grids.size());
  return {i64(count), array("tam_grids", "tamrt_grid", std::move(grids)),
          array("tam_by_levels", "tamrt_model", {std::move(whole)})};
}

FailureOr<Record> tamc::describeModel(ModuleOp module, const Target &target,
                                      StringRef version,
                                      const OtherModels &others) {
  tam::ModelAttr model = tam::getModel(module);
  if (!model)
    return module.emitError("expected a module with '")
           << tam::kModelAttrName << "'";
  const auto plain = tam::getVariant(module, tam::kPlainAttrName);
  const auto byLevels = tam::getVariant(module, tam::kByLevelsAttrName);
  const auto smallBlocks = tam::getVariant(module, tam::kSmallBlocksAttrName);
  std::vector<Record> inputs = describeAll(model.getInputs()),
                      tables = describeWithIndex(model.getTables()),
                      learners = describeWithIndex(model.getLearners());
  Parts parts = {describeEffects(model.getEffects(), plain.getFactored()),
                 describeAll(plain.getAccumulators()),
                 {}};
  // A variant has its own steps of some kinds and shares the others.
  Parts levels = {{}, describeAll(byLevels.getAccumulators()), {}};
  for (const Record &accumulator : parts.accumulators)
    if (stepOf(accumulator).variant != tamrt::StepVariant::Levels)
      levels.accumulators.push_back(accumulator);
  Parts small = {describeEffects(model.getEffects(), smallBlocks.getFactored()),
                 describeAll(smallBlocks.getAccumulators()),
                 {}};
  for (const Record &accumulator : parts.accumulators)
    if (!stepOf(accumulator).isCg())
      small.accumulators.push_back(accumulator);
  PlanTexts planTexts;
  bool isDirect = false, isCg = false, hasLevels = false, hasSmall = false;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!function->hasAttr(tam::kStepAttrName))
      continue;
    if (!function->hasAttr(tamk::kPlanAttrName))
      return function->emitOpError("expected a planned step");
    Record step = describeStep(function, planTexts);
    const tamrt::StepDescription &about = stepOf(step);
    if (function->hasAttr(tam::kByLevelsAttrName)) {
      hasLevels = true;
      levels.steps.push_back(std::move(step));
      continue;
    }
    if (function->hasAttr(tam::kSmallBlocksAttrName)) {
      hasSmall = true;
      small.steps.push_back(std::move(step));
      continue;
    }
    if (about.variant != tamrt::StepVariant::Levels)
      levels.steps.push_back(shared(step));
    if (about.variant != tamrt::StepVariant::Blocks)
      small.steps.push_back(shared(step));
    parts.steps.push_back(std::move(step));
    isDirect |= about.isDirect();
    isCg |= about.isCg();
  }
  StringRef solverName = tam::stringifySolver(
      !isCg ? tam::Solver::Direct
            : (isDirect ? tam::Solver::Auto : tam::Solver::CG));
  Field inputCount = i64(int64_t(inputs.size())),
        tableCount = i64(int64_t(tables.size())),
        learnerCount = i64(int64_t(learners.size())),
        effectCount = i64(int64_t(parts.effects.size())),
        stepCount = i64(int64_t(parts.steps.size())),
        accumulatorCount = i64(int64_t(parts.accumulators.size()));
  Record record{
      i32(TAMRT_ABI_VERSION),
      i32(target.getLevel()),
      text(model.getName()),
      text(model.getFormula()),
      textIfAny(model.getTerms()),
      text(model.getSpec()),
      text(model.getSpecHash()),
      text(model.getTarget()),
      textIfAny(model.getGroup()),
      textIfAny(model.getDate()),
      textIfAny(model.getWeights()),
      text(solverName),
      textIfAny(model.getDevice()),
      text(version),
      text(LLVM_VERSION_STRING),
      i64(model.getColumns()),
      i64(std::max(plain.getStateBytes(), byLevels.getStateBytes())),
      i64(model.getCarryBytes()),
  };
  Places places;
  places.cgStateBytes = record.size();
  record.push_back(i64(plain.getCgStateBytes()));
  places.accumulators = record.size();
  llvm::append_range(
      record, Record{
                  accumulatorCount,
                  array("tam_accumulators", "tamrt_accumulator",
                        std::move(parts.accumulators)),
                  describe(model.getOracle()),
                  describe(model.getPlacement()),
                  inputCount,
                  array("tam_inputs", "tamrt_input", std::move(inputs)),
                  tableCount,
                  array("tam_tables", "tamrt_table", std::move(tables)),
                  learnerCount,
                  array("tam_learners", "tamrt_learner", std::move(learners)),
              });
  places.effects = record.size();
  record.push_back(effectCount);
  record.push_back(
      array("tam_effects", "tamrt_effect", std::move(parts.effects)));
  std::vector<Record> penalties = describeAll(model.getStrengths());
  record.push_back(i64(static_cast<int64_t>(penalties.size())));
  record.push_back(
      array("tam_penalties", "tamrt_penalty", std::move(penalties)));
  record.push_back(std::move(planTexts).array());
  places.steps = record.size();
  record.push_back(stepCount);
  record.push_back(array("tam_steps", "tamrt_step", std::move(parts.steps)));
  const Field none{Field::Kind::Null};
  Record whole = record;
  llvm::append_range(whole, Record{none, none, none, none});
  record.push_back(
      hasSmall ? array("tam_small_blocks", "tamrt_model",
                       {describeSmallBlocks(smallBlocks.getCgStateBytes(),
                                            whole, std::move(small), places)})
               : none);
  whole = record;
  llvm::append_range(whole, Record{none, none, none});
  record.push_back(
      hasLevels ? array("tam_compression", "tamrt_compression",
                        {describeCompression(
                            model.getInputs(), byLevels.getByLevels(),
                            std::move(whole), std::move(levels), places)})
                : none);
  record.push_back(describe(model.getAdapt(), others.windows));
  record.push_back(modelNamed(others.devices));
  return record;
}
