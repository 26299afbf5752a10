//===- SpecToTam.cpp - from a spec to the solver graph ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Conversion/SpecToTam.h"

#include "Effects.h"
#include "Inputs.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

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

/// A function under construction, with the values all variants need.
struct Variant {
  func::FuncOp function;
  Value rows = {};
  SmallVector<Value> designs = {};
  Value target = {}, weights = {};
};

class Importer {
public:
  Importer(MLIRContext &context, const llvm::SourceMgr &sources,
           const ModelSpec &spec)
      : builder(&context), sources(sources), spec(spec),
        inputs(collectInputs(spec)), names(spec.effectNames()) {}

  OwningOpRef<ModuleOp> run();

private:
  Location locate(llvm::SMLoc position, StringRef name);
  Location locate(const Term &term) {
    return locate(term.range.Start, term.text);
  }
  tam::SlotAttr slot(tam::SlotKind kind, int64_t offset = 0) {
    return tam::SlotAttr::get(builder.getContext(), kind, offset);
  }
  Variant begin(StringRef name, std::optional<tam::StepKind> kind);
  void finish(Variant &variant, Value result);
  SmallVector<Value> addCoefficients(Variant &variant);
  void buildFit();
  Value sumRows(Variant &variant, Location loc, Value a, Value b);
  DictionaryAttr describeModel();

  OpBuilder builder;
  const llvm::SourceMgr &sources;
  const ModelSpec &spec;
  std::vector<Input> inputs;
  std::vector<std::string> names;
  SmallVector<Location> locations; // of the effects, the offset first
  SmallVector<int64_t> columns;    // of the effects, the offset first
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

/// Opens a function and builds its designs. @fit, which no step stands for
/// until rows are tiled, reads the target and the row weights too.
Variant Importer::begin(StringRef name, std::optional<tam::StepKind> kind) {
  Location loc = locate(spec.formulaRange.Start, spec.name);
  auto function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  if (kind)
    function->setAttr(tam::kStepAttrName,
                      tam::StepAttr::get(builder.getContext(), *kind, 0));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);

  SmallVector<Attribute> slots;
  auto add = [&](Type type, tam::SlotAttr slot) {
    slots.push_back(slot);
    return body->addArgument(type, loc);
  };
  Variant variant{.function = function};
  variant.rows = add(builder.getIndexType(), slot(tam::SlotKind::Rows));
  auto column =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getF64Type());
  auto codes =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  auto block =
      RankedTensorType::get({TAMRT_INPUT_PARAMETERS}, builder.getF64Type());
  SmallVector<Value> raw, parameters, normalized(inputs.size());
  for (auto [index, input] : llvm::enumerate(inputs)) {
    bool isLevels = input.rule == TAMRT_RULE_LEVELS;
    raw.push_back(
        add(isLevels ? codes : column, slot(tam::SlotKind::Column, index)));
  }
  for (auto [index, input] : llvm::enumerate(inputs)) {
    int64_t offset = index * TAMRT_INPUT_PARAMETERS * sizeof(double);
    parameters.push_back(
        input.rule == TAMRT_RULE_LEVELS
            ? Value()
            : Value(add(block, slot(tam::SlotKind::Parameters, offset))));
  }
  int64_t targetSlot = inputs.size();
  if (!kind) {
    variant.target = add(column, slot(tam::SlotKind::Column, targetSlot));
    if (!spec.weights.empty())
      variant.weights =
          add(column, slot(tam::SlotKind::Column, targetSlot + 1));
  }

  variant.designs.push_back(
      buildOffset(builder, locations.front(), variant.rows));
  for (auto [index, term] : llvm::enumerate(spec.terms)) {
    size_t input = llvm::find(inputs, inputOf(term)) - inputs.begin();
    Location loc = locations[index + 1];
    if (!normalized[input])
      normalized[input] =
          parameters[input]
              ? Value(tam::NormalizeOp::create(builder, loc, column, raw[input],
                                               parameters[input]))
              : raw[input];
    variant.designs.push_back(
        buildDesign(builder, loc, term, normalized[input], parameters[input]));
  }
  columns.clear();
  for (Value design : variant.designs)
    columns.push_back(cast<RankedTensorType>(design.getType()).getDimSize(1));

  function.setType(
      builder.getFunctionType(body->getArgumentTypes(), TypeRange()));
  for (auto [index, slot] : llvm::enumerate(slots))
    function.setArgAttr(index, tam::kSlotAttrName, slot);
  return variant;
}

void Importer::finish(Variant &variant, Value result) {
  Location loc = variant.function.getLoc();
  func::ReturnOp::create(builder, loc, result);
  variant.function.setType(builder.getFunctionType(
      variant.function.getArgumentTypes(), result.getType()));
  variant.function.setResultAttr(0, tam::kSlotAttrName,
                                 slot(tam::SlotKind::Output));
  builder.setInsertionPointAfter(variant.function);
}

SmallVector<Value> Importer::addCoefficients(Variant &variant) {
  SmallVector<Value> coefficients;
  int64_t first = 0;
  for (auto [index, count] : llvm::enumerate(columns)) {
    func::FuncOp function = variant.function;
    unsigned position = function.getNumArguments();
    auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
        tam::kSlotAttrName,
        slot(tam::SlotKind::Coefficients, first * int64_t(sizeof(double)))));
    (void)function.insertArgument(
        position, RankedTensorType::get({count}, builder.getF64Type()),
        attributes, locations[index]);
    coefficients.push_back(function.getArgument(position));
    first += count;
  }
  return coefficients;
}

/// a'Wb, or a'Wy when `b` is a column.
Value Importer::sumRows(Variant &variant, Location loc, Value a, Value b) {
  auto left = cast<RankedTensorType>(a.getType());
  auto right = cast<RankedTensorType>(b.getType());
  SmallVector<int64_t> shape{left.getDimSize(1)};
  if (right.getRank() == 2)
    shape.push_back(right.getDimSize(1));
  auto type = RankedTensorType::get(shape, builder.getF64Type());
  Value zeros = tam::ZerosOp::create(builder, loc, type);
  if (right.getRank() == 2)
    return tam::GramOp::create(builder, loc, type, a, b, variant.weights,
                               zeros);
  return tam::RhsOp::create(builder, loc, type, a, b, variant.weights, zeros);
}

void Importer::buildFit() {
  Variant fit = begin("fit", std::nullopt);
  // The place of the formula, without a name: these serve all terms.
  Location loc = cast<NameLoc>(fit.function.getLoc()).getChildLoc();
  SmallVector<Value> blocks, vectors, penalties;
  for (auto [i, a] : llvm::enumerate(fit.designs)) {
    for (Value b : ArrayRef(fit.designs).drop_front(i))
      blocks.push_back(sumRows(fit, locations[i], a, b));
    vectors.push_back(sumRows(fit, locations[i], a, fit.target));
    penalties.push_back(
        i == 0 ? buildOffsetPenalty(builder, locations[i])
               : buildPenalty(builder, locations[i], spec.terms[i - 1]));
  }
  int64_t d = llvm::sum_of(columns);
  Value matrix = tam::NormalMatrixOp::create(
      builder, loc, RankedTensorType::get({d, d}, builder.getF64Type()),
      fit.rows, blocks, penalties);
  auto vectorType = RankedTensorType::get({d}, builder.getF64Type());
  Value vector = tam::NormalVectorOp::create(builder, loc, vectorType, vectors);
  Value beta = tam::SolveOp::create(builder, loc, vectorType, matrix, vector,
                                    tam::Solver::Auto);
  finish(fit, beta);
}

DictionaryAttr Importer::describeModel() {
  SmallVector<NamedAttribute> model;
  auto text = [&](StringRef value) { return builder.getStringAttr(value); };
  auto set = [&](StringRef key, Attribute value) {
    model.push_back(builder.getNamedAttr(key, value));
  };
  auto setIfGiven = [&](StringRef key, StringRef value) {
    if (!value.empty())
      set(key, text(value));
  };
  std::string canonical = spec.canonical();
  set("name", text(spec.name));
  set("formula", text(spec.formula));
  set("spec", text(canonical));
  set("spec_hash", text(sha256(canonical)));
  set("target", text(spec.target));
  setIfGiven("group", spec.group);
  setIfGiven("date", spec.date);
  setIfGiven("weights", spec.weights);
  set("columns", builder.getI64IntegerAttr(llvm::sum_of(columns)));
  set("solver", tam::SolverAttr::get(
                    builder.getContext(),
                    spec.solver == spec::Solver::Auto     ? tam::Solver::Auto
                    : spec.solver == spec::Solver::Direct ? tam::Solver::Direct
                                                          : tam::Solver::CG));
  if (spec.chunkRows)
    set("chunk_rows", builder.getI64IntegerAttr(*spec.chunkRows));

  SmallVector<Attribute> inputAttrs, effectAttrs;
  for (const Input &input : inputs)
    inputAttrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("column", text(input.column)),
         builder.getNamedAttr("rule", builder.getI32IntegerAttr(input.rule)),
         builder.getNamedAttr("levels",
                              builder.getI32IntegerAttr(input.levels)),
         builder.getNamedAttr("unseen",
                              builder.getI32IntegerAttr(input.unseen)),
         builder.getNamedAttr("lo", builder.getF64FloatAttr(input.lo)),
         builder.getNamedAttr("hi", builder.getF64FloatAttr(input.hi))}));
  int64_t first = 0;
  for (auto [index, count] : llvm::enumerate(columns)) {
    StringRef term =
        index == 0 ? "offset" : StringRef(spec.terms[index - 1].text);
    effectAttrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", text(names[index])),
         builder.getNamedAttr("term", text(term)),
         builder.getNamedAttr("first", builder.getI64IntegerAttr(first)),
         builder.getNamedAttr("columns", builder.getI64IntegerAttr(count))}));
    first += count;
  }
  set("inputs", builder.getArrayAttr(inputAttrs));
  set("effects", builder.getArrayAttr(effectAttrs));
  return builder.getDictionaryAttr(model);
}

OwningOpRef<ModuleOp> Importer::run() {
  bool failed = false;
  for (const Term &term : spec.terms)
    if (!hasKernels(term.kind)) {
      sources.PrintMessage(term.range.Start, llvm::SourceMgr::DK_Error,
                           "no kernels yet for term '" + term.text +
                               "', expected l, f, s, c or p",
                           term.range);
      failed = true;
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
  finish(predict, tam::PredictOp::create(builder, loc, column, predict.designs,
                                         addCoefficients(predict)));
  auto matrix = [&](int64_t width) {
    return RankedTensorType::get({ShapedType::kDynamic, width},
                                 builder.getF64Type());
  };
  Variant terms = begin("terms", tam::StepKind::Terms);
  finish(terms,
         tam::DecomposeOp::create(builder, loc, matrix(columns.size()),
                                  terms.designs, addCoefficients(terms)));
  Variant design = begin("design", tam::StepKind::Design);
  finish(design,
         tam::DesignOp::create(builder, loc, matrix(llvm::sum_of(columns)),
                               design.designs));
  (*module)->setAttr(tam::kModelAttrName, describeModel());
  return module;
}

OwningOpRef<ModuleOp> tamc::importSpec(MLIRContext &context,
                                       const llvm::SourceMgr &sources,
                                       const ModelSpec &spec) {
  context.loadDialect<func::FuncDialect, tam::TamDialect>();
  return Importer(context, sources, spec).run();
}
