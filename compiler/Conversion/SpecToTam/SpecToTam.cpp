//===- SpecToTam.cpp - imports a spec as the solver graph -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Conversion/SpecToTam.h"

#include "Effects.h"
#include "Inputs.h"
#include "Learners.h"
#include "TermsText.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA256.h"

#include <cmath>

using namespace mlir;
using namespace tamc;
using spec::ModelSpec;
using spec::Term;

static std::string sha256(StringRef text) {
  std::array<uint8_t, 32> digest =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

namespace {

/// A function under construction, with the values that all variants need.
/// Arguments that only some terms read are added at their first use.
class Variant : public Variables {
public:
  Variant(OpBuilder &builder, const std::vector<Input> &inputs,
          int64_t strengthCount, func::FuncOp function)
      : builder(builder), inputs(inputs), strengthCount(strengthCount),
        normalized(inputs.size()), function(function) {}

  /// Returns the argument in a slot, which it adds if there is none.
  Value argument(Type type, tam::SlotKind kind, int64_t offset = 0) {
    auto slot = tam::SlotAttr::get(builder.getContext(), kind, offset);
    auto [known, isNew] = arguments.try_emplace(slot);
    if (isNew) {
      known->second =
          function.getBody().front().addArgument(type, function.getLoc());
      slots.push_back(slot);
    }
    return known->second;
  }

  Value column(Location loc, const Input &input) override {
    size_t index = indexOf(input);
    Value raw = argument(rawType(input), tam::SlotKind::Column, index);
    if (!normalized[index])
      normalized[index] =
          input.rule == TAMRT_RULE_LEVELS
              ? raw
              : Value(tam::NormalizeOp::create(builder, loc, raw.getType(), raw,
                                               parameters(input)));
    return normalized[index];
  }
  Value parameters(const Input &input) override {
    if (input.rule == TAMRT_RULE_LEVELS)
      return {};
    auto type =
        RankedTensorType::get({TAMRT_INPUT_PARAMETERS}, builder.getF64Type());
    int64_t offset = indexOf(input) * TAMRT_INPUT_PARAMETERS * sizeof(double);
    return argument(type, tam::SlotKind::Parameters, offset);
  }
  Value table(int64_t index, RankedTensorType type) override {
    return argument(type, tam::SlotKind::Table, index);
  }
  Value strengths() override {
    auto type = RankedTensorType::get({strengthCount}, builder.getF64Type());
    int64_t offset = static_cast<int64_t>(inputs.size()) *
                     TAMRT_INPUT_PARAMETERS * sizeof(double);
    return argument(type, tam::SlotKind::Parameters, offset);
  }
  Value groupRows() override {
    return argument(builder.getIndexType(), tam::SlotKind::GroupRows);
  }
  Value carry(int64_t size) override {
    Value carry = argument(RankedTensorType::get({size}, builder.getF64Type()),
                           tam::SlotKind::Carry, carryBytes);
    carrySlots[carry] = slots.back();
    carryBytes += llvm::alignTo(size * sizeof(double), TAMRT_ALIGNMENT);
    return carry;
  }
  void carryOn(Value carry, Value carried) override {
    carries.push_back({carrySlots.lookup(carry), carried});
  }

  /// Adds the arguments of all inputs, so that arguments are in the order of
  /// the inputs.
  void addInputs() {
    for (auto [index, input] : llvm::enumerate(inputs))
      argument(rawType(input), tam::SlotKind::Column, index);
    for (const Input &input : inputs)
      parameters(input);
  }

  /// Returns `result` in the slot of the output, and the carries.
  void finish(Value result) {
    SmallVector<Value> results{result};
    SmallVector<tam::SlotAttr> resultSlots{
        tam::SlotAttr::get(builder.getContext(), tam::SlotKind::Output, 0)};
    for (auto [slot, value] : carries) {
      results.push_back(value);
      resultSlots.push_back(slot);
    }
    func::ReturnOp::create(builder, function.getLoc(), results);
    function.setType(
        builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                ValueRange(results).getTypes()));
    tam::setArgumentSlots(function, slots);
    tam::setResultSlots(function, resultSlots);
    builder.setInsertionPointAfter(function);
  }

private:
  size_t indexOf(const Input &input) const {
    return llvm::find(inputs, input) - inputs.begin();
  }
  Type rawType(const Input &input) {
    Type element = input.rule == TAMRT_RULE_LEVELS ? Type(builder.getI32Type())
                                                   : Type(builder.getF64Type());
    return RankedTensorType::get({ShapedType::kDynamic}, element);
  }

  OpBuilder &builder;
  const std::vector<Input> &inputs;
  int64_t strengthCount;
  DenseMap<tam::SlotAttr, Value> arguments;
  SmallVector<tam::SlotAttr> slots;
  SmallVector<Value> normalized;
  DenseMap<Value, tam::SlotAttr> carrySlots;
  SmallVector<std::pair<tam::SlotAttr, Value>> carries;

public:
  func::FuncOp function;
  Value rows = {};
  SmallVector<Value> designs = {};
  Value target = {}, weights = {};
  int64_t carryBytes = 0;
};

class Importer {
public:
  Importer(MLIRContext &context, const llvm::SourceMgr &sources,
           const ModelSpec &spec)
      : builder(&context), sources(sources), spec(spec),
        inputs(collectInputs(spec)), learners(collectLearners(spec, inputs)),
        strengths(collectStrengths(spec)), names(spec.effectNames()) {}

  OwningOpRef<ModuleOp> run();

private:
  Location locate(llvm::SMLoc position, StringRef name);
  Location locate(const Term &term) {
    return locate(term.range.Start, term.text);
  }
  Variant begin(StringRef name, std::optional<tam::StepKind> kind);
  SmallVector<Value> addCoefficients(Variant &variant);
  void buildFit();
  tam::ModelAttr describeModel();
  tam::InputAttr describe(const Input &input);
  tam::GridAttr describeGrid(const Input &input);
  tam::TableAttr describe(const Table &table);
  tam::LearnerAttr describe(const Learner &learner);
  tam::StrengthAttr describe(const Strength &strength);
  tam::OracleAttr describe(const spec::OracleSettings &oracle);
  tam::PlacementAttr describe(const spec::PlacementSettings &placement);
  tam::AdaptAttr describe(const spec::AdaptSettings &adapt);
  SmallVector<tam::EffectAttr> describeEffects();

  OpBuilder builder;
  const llvm::SourceMgr &sources;
  const ModelSpec &spec;
  std::vector<Input> inputs;
  Learners learners;
  std::vector<Strength> strengths;
  std::vector<std::string> names;
  SmallVector<Location> locations; // of the effects, the offset first
  SmallVector<int64_t> columns;    // of the effects, the offset first
  int64_t carryBytes = 0;
};

} // namespace

Location Importer::locate(llvm::SMLoc position, StringRef name) {
  Location place = builder.getUnknownLoc();
  if (unsigned buffer =
          position.isValid() ? sources.FindBufferContainingLoc(position) : 0) {
    auto [line, column] = sources.getLineAndColumn(position, buffer);
    place = FileLineColLoc::get(
        builder.getContext(),
        sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column);
  }
  return NameLoc::get(builder.getStringAttr(name), place);
}

/// Opens a function and builds its designs. @fit, which has no kind of step
/// before rows are tiled, also reads the target and the row weights.
Variant Importer::begin(StringRef name, std::optional<tam::StepKind> kind) {
  Location loc = locate(spec.formulaRange.Start, spec.name);
  auto function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  if (kind)
    function->setAttr(tam::kStepAttrName,
                      tam::StepAttr::get(builder.getContext(), *kind, 0));
  builder.setInsertionPointToEnd(function.addEntryBlock());

  Variant variant(builder, inputs, static_cast<int64_t>(strengths.size()),
                  function);
  variant.rows = variant.argument(builder.getIndexType(), tam::SlotKind::Rows);
  variant.addInputs();
  auto column =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getF64Type());
  int64_t targetSlot = inputs.size();
  if (!kind) {
    variant.target =
        variant.argument(column, tam::SlotKind::Column, targetSlot);
    if (!spec.weights.empty())
      variant.weights =
          variant.argument(column, tam::SlotKind::Column, targetSlot + 1);
  }

  variant.designs.push_back(
      buildOffset(builder, locations.front(), variant.rows));
  for (auto [index, term] : llvm::enumerate(spec.terms))
    variant.designs.push_back(
        buildDesign(builder, locations[index + 1], term, learners, variant));
  columns.clear();
  for (Value design : variant.designs)
    columns.push_back(cast<RankedTensorType>(design.getType()).getDimSize(1));
  carryBytes = variant.carryBytes;
  return variant;
}

SmallVector<Value> Importer::addCoefficients(Variant &variant) {
  SmallVector<Value> coefficients;
  int64_t first = 0;
  for (int64_t count : columns) {
    coefficients.push_back(variant.argument(
        RankedTensorType::get({count}, builder.getF64Type()),
        tam::SlotKind::Coefficients, first * int64_t(sizeof(double))));
    first += count;
  }
  return coefficients;
}

void Importer::buildFit() {
  Variant fit = begin("fit", std::nullopt);
  // The location of the formula, without a name: these ops belong to all terms.
  Location loc = cast<NameLoc>(fit.function.getLoc()).getChildLoc();
  SmallVector<Value> penalties =
      buildPenalties(builder, locations, spec.terms, learners, fit);
  int64_t d = llvm::sum_of(columns);
  auto vectorType = RankedTensorType::get({d}, builder.getF64Type());
  auto equations = tam::NormalEquationsOp::create(
      builder, loc, RankedTensorType::get({d, d}, builder.getF64Type()),
      vectorType, fit.rows, fit.designs, fit.target, fit.weights, penalties);
  Value beta =
      tam::SolveOp::create(builder, loc, vectorType, equations.getMatrix(),
                           equations.getVector(), tam::Solver::Auto);
  fit.finish(beta);
}

tam::TableAttr Importer::describe(const Table &table) {
  Type element =
      table.isInteger ? Type(builder.getI32Type()) : Type(builder.getF64Type());
  auto type = RankedTensorType::get(table.shape, element);
  DenseElementsAttr given;
  if (table.isInteger && !table.given.empty())
    given = DenseElementsAttr::get(
        type,
        ArrayRef<int32_t>(llvm::map_to_vector(table.given, [](double number) {
          return static_cast<int32_t>(number);
        })));
  else if (!table.given.empty())
    given = DenseElementsAttr::get(type, table.given);
  return tam::TableAttr::get(builder.getContext(), table.name, type, given);
}

tam::LearnerAttr Importer::describe(const Learner &learner) {
  return tam::LearnerAttr::get(
      builder.getContext(), static_cast<tam::LearnerKind>(learner.kind),
      learner.choice, learner.sizes, learner.number, learner.seed,
      learner.effect, learner.inputs, learner.firstTable, learner.tableCount);
}

tam::StrengthAttr Importer::describe(const Strength &strength) {
  return tam::StrengthAttr::get(builder.getContext(), strength.name,
                                strength.effect, strength.ap, strength.value,
                                strength.limit);
}

tam::OracleAttr Importer::describe(const spec::OracleSettings &oracle) {
  auto number = [](std::optional<double> value) { return value.value_or(0); };
  return tam::OracleAttr::get(
      builder.getContext(),
      oracle.estimates ? tam::OracleRule::Estimate : tam::OracleRule::Plan,
      number(oracle.deviceShare), number(oracle.ramShare),
      number(oracle.slidingDeviceShare), number(oracle.slidingRamShare),
      oracle.directLimit.value_or(0), number(oracle.estimateFactor));
}

tam::PlacementAttr
Importer::describe(const spec::PlacementSettings &placement) {
  auto place = [](bool onCpu) {
    return onCpu ? tam::Place::Cpu : tam::Place::Device;
  };
  return tam::PlacementAttr::get(
      builder.getContext(), place(placement.sumsOnCpu),
      place(placement.solveOnCpu), place(placement.predictOnCpu));
}

tam::AdaptAttr Importer::describe(const spec::AdaptSettings &adapt) {
  return tam::AdaptAttr::get(builder.getContext(), adapt.window, adapt.update,
                             adapt.horizon, !adapt.formula.empty());
}

/// The grid of an input's values, starting where the input's range begins; null
/// if none is known.
tam::GridAttr Importer::describeGrid(const Input &input) {
  if (!spec.profile)
    return {};
  auto found = llvm::find_if(spec.profile->grids, [&](const spec::Grid &grid) {
    return grid.column == input.column;
  });
  if (found == spec.profile->grids.end())
    return {};
  double before = 0;
  switch (input.rule) {
  case TAMRT_RULE_RANGE:
  case TAMRT_RULE_PERIOD_AUTO:
    break;
  case TAMRT_RULE_PERIOD:
    before = std::round((found->first - input.lo) / found->step);
    if (before < 0 || before > static_cast<double>(spec::maxGridLevels) ||
        !spec::isOnGrid(*found, input.lo))
      return {};
    // grid_points (kernels.def) has no value for a point beyond the period's
    // end.
    if (before + static_cast<double>(found->levels) - 1 >
        (input.hi - input.lo) / found->step + 0x1p-40)
      return {};
    break;
  default:
    return {};
  }
  int64_t levels = found->levels + static_cast<int64_t>(before);
  return tam::GridAttr::get(builder.getContext(), static_cast<int32_t>(levels),
                            found->first, found->step);
}

tam::InputAttr Importer::describe(const Input &input) {
  return tam::InputAttr::get(builder.getContext(), input.column,
                             static_cast<tam::Rule>(input.rule),
                             static_cast<int32_t>(input.levels),
                             static_cast<tam::Unseen>(input.unseen), input.lo,
                             input.hi, describeGrid(input));
}

SmallVector<tam::EffectAttr> Importer::describeEffects() {
  SmallVector<tam::EffectAttr> effects;
  int64_t first = 0;
  for (auto [index, count] : llvm::enumerate(columns)) {
    StringRef term =
        index == 0 ? "offset" : StringRef(spec.terms[index - 1].text);
    effects.push_back(tam::EffectAttr::get(builder.getContext(), names[index],
                                           term, first, count));
    first += count;
  }
  return effects;
}

tam::ModelAttr Importer::describeModel() {
  auto describeAll = [&](const auto &list) {
    return llvm::map_to_vector(
        list, [&](const auto &element) { return describe(element); });
  };
  const std::string canonical = spec.canonical();
  return tam::ModelAttr::get(
      builder.getContext(), spec.name, spec.formula,
      describeTerms(spec, inputs, learners), canonical, sha256(canonical),
      spec.target, spec.group, spec.date, spec.weights,
      spec.device == "auto" ? "" : StringRef(spec.device),
      llvm::sum_of(columns), carryBytes,
      spec.solver == spec::Solver::CG                    ? tam::Solver::CG
      : spec.solver == spec::Solver::Direct || spec.grid ? tam::Solver::Direct
                                                         : tam::Solver::Auto,
      spec.chunkRows.value_or(0), spec.profile ? spec.profile->rowsPerGroup : 0,
      spec.oracle ? describe(*spec.oracle) : tam::OracleAttr(),
      spec.placement ? describe(*spec.placement) : tam::PlacementAttr(),
      spec.adapt ? describe(*spec.adapt) : tam::AdaptAttr(),
      describeAll(inputs), describeEffects(), describeAll(strengths),
      describeAll(learners.tables), describeAll(learners.learners));
}

OwningOpRef<ModuleOp> Importer::run() {
  bool failed = false;
  auto refuse = [&](const Term &term, const Twine &why) {
    sources.PrintMessage(term.range.Start, llvm::SourceMgr::DK_Error, why,
                         term.range);
    failed = true;
  };
  int64_t room = kMaxColumns - 1, bytesLeft = kMaxPenaltyBytes;
  for (const Term &term : spec.terms) {
    if (std::string missing = missingKernels(term); !missing.empty())
      refuse(term, missing);
    room -= columnsOf(term);
    if (room < 0 && !failed)
      refuse(term, "expected at most " + Twine(kMaxColumns) +
                       " columns of all terms and the offset, got more by "
                       "this term");
    if (failed)
      continue;
    bytesLeft -= penaltyBytes(term);
    if (bytesLeft < 0)
      refuse(term, "expected penalties of at most " + Twine(kMaxPenaltyBytes) +
                       " bytes of all terms, got more by this term; they are "
                       "constants of the model, which has at most 2 GiB");
  }
  if (failed)
    return {};

  Location loc = locate(spec.formulaRange.Start, spec.name);
  locations.push_back(locate(spec.formulaRange.Start, "offset"));
  for (const Term &term : spec.terms)
    locations.push_back(locate(term));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());

  buildFit();

  auto column =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getF64Type());
  Variant predict = begin("predict", tam::StepKind::Predict);
  predict.finish(tam::PredictOp::create(builder, loc, column, predict.designs,
                                        addCoefficients(predict),
                                        /*start=*/Value()));
  auto matrix = [&](int64_t width) {
    return RankedTensorType::get({ShapedType::kDynamic, width},
                                 builder.getF64Type());
  };
  Variant terms = begin("terms", tam::StepKind::Terms);
  terms.finish(tam::DecomposeOp::create(builder, loc, matrix(columns.size()),
                                        terms.designs, addCoefficients(terms)));
  Variant design = begin("design", tam::StepKind::Design);
  design.finish(tam::DesignOp::create(
      builder, loc, matrix(llvm::sum_of(columns)), design.designs));
  Variant variances = begin("variances", tam::StepKind::Variances);
  Value triangle = variances.argument(
      RankedTensorType::get({tamrt::triangleSize(llvm::sum_of(columns))},
                            builder.getF64Type()),
      tam::SlotKind::Coefficients);
  variances.finish(tam::QuadraticFormsOp::create(
      builder, loc, matrix(1 + columns.size()), variances.designs, triangle));
  (*module)->setAttr(tam::kModelAttrName, describeModel());
  return module;
}

OwningOpRef<ModuleOp> tamc::importSpec(MLIRContext &context,
                                       const llvm::SourceMgr &sources,
                                       const ModelSpec &spec) {
  context.loadDialect<func::FuncDialect, tam::TamDialect>();
  return Importer(context, sources, spec).run();
}
