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
#include "tamc/Target/Target.h"
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

/// The text under a key of `dictionary`; null if there is none.
static Field text(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<StringAttr>(key);
  return attribute ? text(attribute.getValue()) : Field{Field::Kind::Null};
}

/// An array of structs; null if it is empty.
static Field array(const Twine &name, StringRef type,
                   std::vector<Record> records) {
  if (records.empty())
    return {Field::Kind::Null};
  return {Field::Kind::Records, 0,          0,
          name.str(),           type.str(), std::move(records)};
}

static int64_t integer(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<IntegerAttr>(key);
  return attribute ? attribute.getInt() : 0;
}

static double real(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<FloatAttr>(key);
  return attribute ? attribute.getValueAsDouble() : 0;
}

static SmallVector<DictionaryAttr> rows(DictionaryAttr dictionary,
                                        StringRef key) {
  auto attribute = dictionary.getAs<ArrayAttr>(key);
  if (!attribute)
    return {};
  return llvm::to_vector(attribute.getAsRange<DictionaryAttr>());
}

/// Attributes of a step that its translation keeps until it is described.
static constexpr StringLiteral kStepNotes[] = {
    tam::kStepAttrName, tam::kByLevelsAttrName, tam::kSmallBlocksAttrName,
    tamk::kPlanAttrName};

void tamc::noteStep(func::FuncOp step, FunctionOpInterface function) {
  for (StringRef name : kStepNotes)
    if (Attribute value = step->getAttr(name))
      function->setAttr(name, value);
  WalkResult walk = step.walk([](tamk::LaunchOp launch) {
    return launch.getGenerated() ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    function->setAttr(tamk::kCpuCodeAttrName, UnitAttr::get(step.getContext()));
}

void tamc::removeNotes(ModuleOp module) {
  module->removeAttr(tam::kModelAttrName);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    for (StringRef name : kStepNotes)
      function->removeAttr(name);
    function->removeAttr(tamk::kCpuCodeAttrName);
    function->removeAttr(tamk::kTableAttrName);
    function->removeAttr(tamk::kRunsTableAttrName);
  }
}

/// The struct that describes the module's dictionary `key`; null if there is
/// none.
static Field single(DictionaryAttr model, StringRef key, StringRef type,
                    llvm::function_ref<Record(DictionaryAttr)> describe) {
  auto row = model.getAs<DictionaryAttr>(key);
  if (!row)
    return {Field::Kind::Null};
  return array("tam_" + key, type, {describe(row)});
}

static Record describeOracle(DictionaryAttr row) {
  return {i32(integer(row, "rule")),
          i32(0),
          f64(real(row, "device_share")),
          f64(real(row, "ram_share")),
          f64(real(row, "sliding_device_share")),
          f64(real(row, "sliding_ram_share")),
          i64(integer(row, "direct_limit")),
          f64(real(row, "estimate_factor"))};
}

static Record describePlacement(DictionaryAttr row) {
  return {i32(integer(row, "sums")), i32(integer(row, "solve")),
          i32(integer(row, "predict")), i32(0)};
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
static Field describeBuffers(StringRef step, ArrayRef<DictionaryAttr> buffers,
                             PlanTexts &texts) {
  if (buffers.empty())
    return {Field::Kind::Null};
  SmallVector<int64_t> numbers;
  for (DictionaryAttr row : buffers) {
    for (StringRef key : {"name", "op", "term"}) {
      auto text = row.getAs<StringAttr>(key);
      numbers.push_back(texts.indexOf(text ? text.getValue() : ""));
    }
    for (StringRef key : {"bytes", "offset", "first", "last"})
      numbers.push_back(integer(row, key));
  }
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
  auto plan = function->getAttrOfType<DictionaryAttr>(tamk::kPlanAttrName);
  SmallVector<DictionaryAttr> buffers = rows(plan, "buffers");
  auto table = function->getAttrOfType<FlatSymbolRefAttr>(tamk::kTableAttrName);
  return {i32(static_cast<int64_t>(step.getKind())),
          i32(integer(plan, "length")),
          i32(function->hasAttr(tamk::kCpuCodeAttrName)),
          i32(function->hasAttr(tamk::kRunsTableAttrName)),
          text(function.getName()),
          i64(step.getRung()),
          i64(integer(plan, "arena_bytes")),
          i64(integer(plan, "lower_bound_bytes")),
          i64(integer(plan, "naive_bytes")),
          text(tamk::planMethod(plan)),
          {Field::Kind::Address, 0, 0, function.getName().str()},
          i64(static_cast<int64_t>(buffers.size())),
          describeBuffers(function.getName(), buffers, texts),
          table ? Field{Field::Kind::Address, 0, 0, table.getValue().str()}
                : Field{Field::Kind::Null}};
}

static Record describeLearner(DictionaryAttr row, size_t index) {
  ArrayRef<int64_t> sizes = row.getAs<DenseI64ArrayAttr>("sizes");
  std::vector<Record> inputs;
  for (int32_t input : row.getAs<DenseI32ArrayAttr>("inputs").asArrayRef())
    inputs.push_back({i32(input)});
  auto count = static_cast<int64_t>(inputs.size());
  return {
      i32(integer(row, "kind")),
      i32(integer(row, "choice")),
      i64(sizes[0]),
      i64(sizes[1]),
      f64(real(row, "number")),
      i32(integer(row, "seed")),
      i32(integer(row, "effect")),
      i64(count),
      array("tam_learner_inputs_" + Twine(index), "int32_t", std::move(inputs)),
      i64(integer(row, "first_table")),
      i64(integer(row, "table_count"))};
}

/// Entry `index` of the model's tables.
static FailureOr<Record> describeTable(ModuleOp module, DictionaryAttr row,
                                       size_t index) {
  ArrayRef<int64_t> shape = row.getAs<DenseI64ArrayAttr>("shape");
  bool isInteger = integer(row, "is_integer") != 0;
  Field given{Field::Kind::Null};
  if (Attribute attribute = row.get("given")) {
    Builder builder(module.getContext());
    auto type = RankedTensorType::get(
        shape, isInteger ? Type(builder.getI32Type()) : builder.getF64Type());
    auto numbers = dyn_cast<DenseElementsAttr>(attribute);
    if (!numbers || numbers.getType() != type)
      return module.emitError("expected elements of type ")
             << type << " as 'given' of table " << row.get("name");
    given = {Field::Kind::Numbers,
             0,
             0,
             "tam_given_" + std::to_string(index),
             isInteger ? "int32_t" : "double",
             {},
             numbers};
  }
  return Record{text(row, "name"),
                i32(isInteger),
                i32(static_cast<int64_t>(shape.size())),
                i64(shape[0]),
                i64(shape.size() > 1 ? shape[1] : 1),
                std::move(given)};
}

static std::vector<Record> describeAccumulators(DictionaryAttr model,
                                                StringRef key) {
  std::vector<Record> accumulators;
  for (DictionaryAttr row : rows(model, key))
    accumulators.push_back(
        {i32(integer(row, "kind")), i32(0), i64(integer(row, "offset")),
         i64(integer(row, "count")), f64(real(row, "unit"))});
  return accumulators;
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

static std::vector<Record> describeEffects(DictionaryAttr model,
                                           StringRef factored) {
  std::vector<Record> effects;
  for (DictionaryAttr row : rows(model, "effects"))
    effects.push_back({text(row, "name"), text(row, "term"),
                       i64(integer(row, "first")), i64(integer(row, "columns")),
                       i32(integer(row, factored)), i32(0)});
  return effects;
}

static std::vector<Record> describePenalties(DictionaryAttr model) {
  std::vector<Record> penalties;
  for (DictionaryAttr row : rows(model, "penalties"))
    penalties.push_back({text(row, "name"), i64(integer(row, "effect")),
                         f64(real(row, "ap")), f64(real(row, "strength"))});
  return penalties;
}

/// Replaces the records at an index of a model's record.
static void replace(Record &model, size_t at, StringRef name, StringRef type,
                    std::vector<Record> records) {
  model[at] = i64(int64_t(records.size()));
  model[at + 1] = array(name, type, std::move(records));
}

/// The tamrt_model with small blocks of the model that `whole` describes.
static Record describeSmallBlocks(DictionaryAttr model, Record whole,
                                  Parts parts, const Places &places) {
  whole = shared(std::move(whole));
  whole[places.cgStateBytes] =
      i64(integer(model, tam::kSmallBlocksStateBytesName));
  replace(whole, places.accumulators, "tam_small_blocks_accumulators",
          "tamrt_accumulator", std::move(parts.accumulators));
  replace(whole, places.effects, "tam_small_blocks_effects", "tamrt_effect",
          std::move(parts.effects));
  replace(whole, places.steps, "tam_small_blocks_steps", "tamrt_step",
          std::move(parts.steps));
  return whole;
}

/// The tamrt_compression of the model that `whole` describes.
static Record describeCompression(DictionaryAttr model, Record whole,
                                  Parts parts, const Places &places) {
  std::vector<Record> grids;
  for (auto [index, row] : llvm::enumerate(rows(model, "inputs")))
    if (auto grid = row.getAs<DictionaryAttr>("grid");
        grid && row.contains("by_levels"))
      grids.push_back({i32(static_cast<int64_t>(index)),
                       i32(integer(grid, "levels")), f64(real(grid, "first")),
                       f64(real(grid, "step"))});
  whole = shared(std::move(whole));
  replace(whole, places.accumulators, "tam_level_accumulators",
          "tamrt_accumulator", std::move(parts.accumulators));
  replace(whole, places.steps, "tam_level_steps", "tamrt_step",
          std::move(parts.steps));
  auto count = static_cast<int64_t>(grids.size());
  return {i64(count), array("tam_grids", "tamrt_grid", std::move(grids)),
          array("tam_by_levels", "tamrt_model", {std::move(whole)})};
}

FailureOr<Record> tamc::describeModel(ModuleOp module, StringRef version) {
  auto model = module->getAttrOfType<DictionaryAttr>(tam::kModelAttrName);
  if (!model)
    return module.emitError("expected a module with '")
           << tam::kModelAttrName << "'";
  FailureOr<std::unique_ptr<Target>> target = targetOf(module);
  if (failed(target))
    return failure();
  std::vector<Record> inputs, tables, learners;
  for (DictionaryAttr row : rows(model, "inputs"))
    inputs.push_back({text(row, "column"), i32(integer(row, "rule")),
                      i32(integer(row, "levels")), i32(integer(row, "unseen")),
                      i32(0), f64(real(row, "lo")), f64(real(row, "hi"))});
  for (auto [index, row] : llvm::enumerate(rows(model, "tables"))) {
    FailureOr<Record> table = describeTable(module, row, index);
    if (failed(table))
      return failure();
    tables.push_back(std::move(*table));
  }
  for (auto [index, row] : llvm::enumerate(rows(model, "learners")))
    learners.push_back(describeLearner(row, index));
  Parts parts = {describeEffects(model, "factored"),
                 describeAccumulators(model, tam::kAccumulatorsName),
                 {}};
  // A variant has its own steps of some kinds and shares the others.
  Parts levels = {
      {}, describeAccumulators(model, tam::kLevelAccumulatorsName), {}};
  for (const Record &accumulator : parts.accumulators)
    if (stepOf(accumulator).variant != tamrt::StepVariant::Levels)
      levels.accumulators.push_back(accumulator);
  Parts small = {describeEffects(model, "factored_small"),
                 describeAccumulators(model, tam::kSmallBlocksAccumulatorsName),
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
      i32((*target)->getLevel()),
      text(model, "name"),
      text(model, "formula"),
      text(model, "spec"),
      text(model, "spec_hash"),
      text(model, "target"),
      text(model, "group"),
      text(model, "date"),
      text(model, "weights"),
      text(solverName),
      text(model, "device"),
      text(version),
      text(LLVM_VERSION_STRING),
      i64(integer(model, "columns")),
      i64(integer(model, "state_bytes")),
      i64(integer(model, "carry_bytes")),
  };
  Places places;
  places.cgStateBytes = record.size();
  record.push_back(i64(integer(model, "cg_state_bytes")));
  places.accumulators = record.size();
  llvm::append_range(
      record,
      Record{
          accumulatorCount,
          array("tam_accumulators", "tamrt_accumulator",
                std::move(parts.accumulators)),
          single(model, "oracle", "tamrt_oracle", describeOracle),
          single(model, "placement", "tamrt_placement", describePlacement),
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
  std::vector<Record> penalties = describePenalties(model);
  record.push_back(i64(static_cast<int64_t>(penalties.size())));
  record.push_back(
      array("tam_penalties", "tamrt_penalty", std::move(penalties)));
  record.push_back(std::move(planTexts).array());
  places.steps = record.size();
  record.push_back(stepCount);
  record.push_back(array("tam_steps", "tamrt_step", std::move(parts.steps)));
  const Field none{Field::Kind::Null};
  Record plain = record;
  llvm::append_range(plain, Record{none, none});
  record.push_back(
      hasSmall
          ? array("tam_small_blocks", "tamrt_model",
                  {describeSmallBlocks(model, plain, std::move(small), places)})
          : none);
  plain = record;
  plain.push_back(none);
  record.push_back(hasLevels
                       ? array("tam_compression", "tamrt_compression",
                               {describeCompression(model, std::move(plain),
                                                    std::move(levels), places)})
                       : none);
  return record;
}
