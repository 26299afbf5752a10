//===- ExportModel.cpp - the model's description as a constant --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/Config/llvm-config.h"

namespace tamc {
#define GEN_PASS_DEF_EXPORTMODEL
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;

namespace {

/// One field of a constant struct: its type, and how to make its value where
/// constants are built.
struct Field {
  Type type;
  std::function<Value(OpBuilder &, Location)> build;
};

using Struct = SmallVector<Field>;

/// Builds nested constants. Layouts follow abi.h field by field; C's rules and
/// LLVM's agree for the types used.
class Exporter {
public:
  Exporter(ModuleOp module, DictionaryAttr model)
      : module(module), model(model), builder(module.getBodyRegion()),
        loc(module.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  LogicalResult run(StringRef symbol, StringRef version);
  void addMain(StringRef symbol);

private:
  Field i32(int64_t value) { return number(builder.getI32Type(), value); }
  Field i64(int64_t value) { return number(builder.getI64Type(), value); }
  Field number(Type type, int64_t value) {
    return {type, [type, value](OpBuilder &b, Location loc) -> Value {
              return LLVM::ConstantOp::create(b, loc, type, value);
            }};
  }
  Field f64(double value) {
    Type type = builder.getF64Type();
    return {type, [type, value](OpBuilder &b, Location loc) -> Value {
              return LLVM::ConstantOp::create(b, loc, type,
                                              b.getF64FloatAttr(value));
            }};
  }
  Field address(StringRef symbol) {
    Type type = pointer;
    return {type,
            [type, name = symbol.str()](OpBuilder &b, Location loc) -> Value {
              return LLVM::AddressOfOp::create(b, loc, type, name);
            }};
  }
  Field null() {
    Type type = pointer;
    return {type, [type](OpBuilder &b, Location loc) -> Value {
              return LLVM::ZeroOp::create(b, loc, type);
            }};
  }
  /// A NUL-terminated text; equal texts share one constant.
  Field text(StringRef value);
  /// The text under a key of `dictionary`; null where there is none.
  Field text(DictionaryAttr dictionary, StringRef key) {
    auto attribute = dictionary.getAs<StringAttr>(key);
    return attribute ? text(attribute.getValue()) : null();
  }
  /// A constant array of structs; null where it is empty.
  Field array(const Twine &name, ArrayRef<Struct> rows);
  LLVM::LLVMStructType typeOf(const Struct &fields) {
    SmallVector<Type> types;
    for (const Field &field : fields)
      types.push_back(field.type);
    return LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  }
  Value build(OpBuilder &b, const Struct &fields) {
    Value value = LLVM::UndefOp::create(b, loc, typeOf(fields));
    for (auto [index, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(b, loc, value, field.build(b, loc),
                                          static_cast<int64_t>(index));
    return value;
  }
  void global(StringRef name, Type type, LLVM::Linkage linkage,
              llvm::function_ref<Value(OpBuilder &)> initial);
  Struct describeStep(LLVM::LLVMFuncOp function);

  ModuleOp module;
  DictionaryAttr model;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
  llvm::StringMap<std::string> texts;
};

int64_t integer(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<IntegerAttr>(key);
  return attribute ? attribute.getInt() : 0;
}

double real(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<FloatAttr>(key);
  return attribute ? attribute.getValueAsDouble() : 0;
}

SmallVector<DictionaryAttr> rows(DictionaryAttr dictionary, StringRef key) {
  auto attribute = dictionary.getAs<ArrayAttr>(key);
  if (!attribute)
    return {};
  return llvm::to_vector(attribute.getAsRange<DictionaryAttr>());
}

} // namespace

Field Exporter::text(StringRef value) {
  std::string &name = texts[value];
  if (name.empty()) {
    name = "tam_text_" + std::to_string(texts.size());
    std::string bytes = (value + StringRef("\0", 1)).str();
    LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        builder.getStringAttr(bytes));
  }
  return address(name);
}

void Exporter::global(StringRef name, Type type, LLVM::Linkage linkage,
                      llvm::function_ref<Value(OpBuilder &)> initial) {
  auto op = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                   linkage, name, Attribute());
  OpBuilder inner(module.getContext());
  inner.createBlock(&op.getInitializerRegion());
  LLVM::ReturnOp::create(inner, loc, initial(inner));
}

Field Exporter::array(const Twine &name, ArrayRef<Struct> elements) {
  if (elements.empty())
    return null();
  auto type =
      LLVM::LLVMArrayType::get(typeOf(elements.front()), elements.size());
  std::string symbol = name.str();
  global(symbol, type, LLVM::Linkage::Internal, [&](OpBuilder &b) {
    Value value = LLVM::UndefOp::create(b, loc, type);
    for (auto [index, fields] : llvm::enumerate(elements))
      value = LLVM::InsertValueOp::create(b, loc, value, build(b, fields),
                                          static_cast<int64_t>(index));
    return value;
  });
  return address(symbol);
}

Struct Exporter::describeStep(LLVM::LLVMFuncOp function) {
  auto step = function->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
  auto plan = function->getAttrOfType<DictionaryAttr>(tamk::kPlanAttrName);
  SmallVector<Struct> buffers;
  for (DictionaryAttr row : rows(plan, "buffers"))
    buffers.push_back({text(row, "name"), text(row, "op"), text(row, "term"),
                       i64(integer(row, "bytes")), i64(integer(row, "offset")),
                       i32(integer(row, "first")), i32(integer(row, "last"))});
  return {i32(static_cast<int64_t>(step.getKind())),
          i32(integer(plan, "length")),
          text(function.getName()),
          i64(step.getRung()),
          i64(integer(plan, "arena_bytes")),
          i64(integer(plan, "lower_bound_bytes")),
          i64(integer(plan, "naive_bytes")),
          text(plan, "strategy"),
          address(function.getName()),
          i64(buffers.size()),
          array("tam_buffers_" + function.getName(), buffers)};
}

LogicalResult Exporter::run(StringRef symbol, StringRef version) {
  SmallVector<Struct> inputs, effects, steps;
  for (DictionaryAttr row : rows(model, "inputs"))
    inputs.push_back({text(row, "column"), i32(integer(row, "rule")),
                      i32(integer(row, "levels")), i32(integer(row, "unseen")),
                      i32(0), f64(real(row, "lo")), f64(real(row, "hi"))});
  for (DictionaryAttr row : rows(model, "effects"))
    effects.push_back({text(row, "name"), text(row, "term"),
                       i64(integer(row, "first")),
                       i64(integer(row, "columns"))});
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(tam::kStepAttrName))
      continue;
    if (!function->hasAttr(tamk::kPlanAttrName))
      return function.emitOpError("expected a planned step");
    steps.push_back(describeStep(function));
  }
  auto solver = model.getAs<tam::SolverAttr>("solver");
  // A spec of `auto` that came this far was given the direct solver.
  StringRef solverName = solver && solver.getValue() != tam::Solver::Auto
                             ? tam::stringifySolver(solver.getValue())
                             : tam::stringifySolver(tam::Solver::Direct);
  Struct description = {i32(TAMRT_ABI_VERSION),
                        i32(0),
                        text(model, "name"),
                        text(model, "formula"),
                        text(model, "spec"),
                        text(model, "spec_hash"),
                        text(model, "target"),
                        text(model, "group"),
                        text(model, "date"),
                        text(model, "weights"),
                        text(solverName),
                        text(version),
                        text(LLVM_VERSION_STRING),
                        i64(integer(model, "columns")),
                        i64(integer(model, "state_bytes")),
                        i64(inputs.size()),
                        array("tam_inputs", inputs),
                        i64(effects.size()),
                        array("tam_effects", effects),
                        i64(steps.size()),
                        array("tam_steps", steps)};
  global(symbol, typeOf(description), LLVM::Linkage::External,
         [&](OpBuilder &b) { return build(b, description); });
  return success();
}

void Exporter::addMain(StringRef symbol) {
  Type i32 = builder.getI32Type();
  auto runtime = LLVM::LLVMFuncOp::create(
      builder, loc, "tamrt_main",
      LLVM::LLVMFunctionType::get(i32, {pointer, i32, pointer}));
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, "main", LLVM::LLVMFunctionType::get(i32, {i32, pointer}));
  OpBuilder body(module.getContext());
  body.setInsertionPointToEnd(entry.addEntryBlock(body));
  Value address = LLVM::AddressOfOp::create(body, loc, pointer, symbol);
  auto call = LLVM::CallOp::create(
      body, loc, runtime,
      ValueRange{address, entry.getArgument(0), entry.getArgument(1)});
  LLVM::ReturnOp::create(body, loc, call.getResult());
}

namespace {

struct ExportModel : public tamc::impl::ExportModelBase<ExportModel> {
  using ExportModelBase::ExportModelBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto model = module->getAttrOfType<DictionaryAttr>(tam::kModelAttrName);
    if (!model) {
      module.emitError("expected a module with '")
          << tam::kModelAttrName << "'";
      return signalPassFailure();
    }
    Exporter exporter(module, model);
    if (failed(exporter.run(symbol, version)))
      return signalPassFailure();
    if (entry)
      exporter.addMain(symbol);
    // The description now is data; what is left is plain LLVM.
    module->removeAttr(tam::kModelAttrName);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      function->removeAttr(tam::kStepAttrName);
      function->removeAttr(tamk::kPlanAttrName);
    }
  }
};

} // namespace
