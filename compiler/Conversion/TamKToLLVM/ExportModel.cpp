//===- ExportModel.cpp - the model's description as a constant --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ModelDescription/ModelDescription.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <cmath>

namespace tamc {
#define GEN_PASS_DEF_EXPORTMODEL
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;

namespace {

/// Builds nested constants. Layouts follow abi.h field by field; C's rules and
/// LLVM's agree for the types used.
class Exporter {
public:
  explicit Exporter(ModuleOp module)
      : module(module), builder(module.getBodyRegion()), loc(module.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  /// Makes the constant `symbol` of a struct.
  void run(StringRef symbol, const Record &record, LLVM::Linkage linkage);
  void addMain(StringRef symbol);
  /// Adds the functions of a library, which pass the model to the runtime.
  void addLibrary(StringRef symbol, StringRef prefix);

private:
  Type typeOf(char letter);
  Type typeOf(const Field &field);
  LLVM::LLVMStructType typeOf(const Record &record);
  Type typeOf(ArrayRef<Record> records);
  /// Makes the globals that a field or struct refers to.
  void prepare(const Field &field);
  void prepare(const Record &record);
  Value build(OpBuilder &b, const Field &field);
  Value build(OpBuilder &b, const Record &record);
  Value build(OpBuilder &b, ArrayRef<Record> records);
  void global(StringRef name, Type type, LLVM::Linkage linkage,
              llvm::function_ref<Value(OpBuilder &)> initial);

  ModuleOp module;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
  /// The global of each text; equal texts share one.
  llvm::StringMap<std::string> texts;
};

} // namespace

Type Exporter::typeOf(const Field &field) {
  switch (field.kind) {
  case Field::Kind::I32:
    return builder.getI32Type();
  case Field::Kind::I64:
    return builder.getI64Type();
  case Field::Kind::F64:
    return builder.getF64Type();
  default:
    return pointer;
  }
}

LLVM::LLVMStructType Exporter::typeOf(const Record &record) {
  SmallVector<Type> types;
  for (const Field &field : record)
    types.push_back(typeOf(field));
  return LLVM::LLVMStructType::getLiteral(module.getContext(), types);
}

/// How many records one constant inserts, of so many in an array. LLVM copies
/// an array for each record that is inserted, so a long one consists of shorter
/// ones, which lie in memory as one would.
static size_t pieceOf(size_t count) {
  return std::max<size_t>(16, std::llround(std::sqrt(double(count))));
}

Type Exporter::typeOf(ArrayRef<Record> records) {
  Type record = typeOf(records.front());
  const size_t piece = pieceOf(records.size());
  if (records.size() <= piece)
    return LLVM::LLVMArrayType::get(record, records.size());
  SmallVector<Type> types;
  while (!records.empty()) {
    ArrayRef<Record> some = records.take_front(piece);
    types.push_back(typeOf(some));
    records = records.drop_front(some.size());
  }
  return LLVM::LLVMStructType::getLiteral(module.getContext(), types);
}

void Exporter::prepare(const Field &field) {
  if (field.kind == Field::Kind::Text) {
    std::string &name = texts[field.text];
    if (!name.empty())
      return;
    name = "tam_text_" + std::to_string(texts.size());
    std::string bytes = field.text + std::string(1, '\0');
    LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        builder.getStringAttr(bytes));
  }
  if (field.kind == Field::Kind::Numbers || field.kind == Field::Kind::Rows) {
    DenseElementsAttr numbers = field.numbers;
    Type element = numbers.getElementType();
    int64_t count = numbers.getNumElements();
    LLVM::GlobalOp::create(
        builder, loc, LLVM::LLVMArrayType::get(element, count),
        /*isConstant=*/true, LLVM::Linkage::Internal, field.text,
        numbers.reshape(RankedTensorType::get({count}, element)));
  }
  if (field.kind == Field::Kind::External)
    LLVM::GlobalOp::create(builder, loc, builder.getI8Type(),
                           /*isConstant=*/true, LLVM::Linkage::External,
                           field.text, Attribute());
  if (field.kind == Field::Kind::Records) {
    for (const Record &record : field.records)
      prepare(record);
    global(field.text, typeOf(field.records), LLVM::Linkage::Internal,
           [&](OpBuilder &b) { return build(b, field.records); });
  }
}

void Exporter::prepare(const Record &record) {
  for (const Field &field : record)
    prepare(field);
}

Value Exporter::build(OpBuilder &b, const Field &field) {
  switch (field.kind) {
  case Field::Kind::I32:
    // Also for uint32_t: the bits are the same.
    return LLVM::ConstantOp::create(b, loc, typeOf(field),
                                    static_cast<int32_t>(field.integer));
  case Field::Kind::I64:
    return LLVM::ConstantOp::create(b, loc, typeOf(field), field.integer);
  case Field::Kind::F64:
    return LLVM::ConstantOp::create(b, loc, typeOf(field),
                                    b.getF64FloatAttr(field.real));
  case Field::Kind::Text:
    return LLVM::AddressOfOp::create(b, loc, pointer, texts[field.text]);
  case Field::Kind::Address:
  case Field::Kind::External:
  case Field::Kind::Records:
  case Field::Kind::Numbers:
  case Field::Kind::Rows:
    return LLVM::AddressOfOp::create(b, loc, pointer, field.text);
  case Field::Kind::Null:
    return LLVM::ZeroOp::create(b, loc, pointer);
  }
  llvm_unreachable("all kinds are listed");
}

Value Exporter::build(OpBuilder &b, const Record &record) {
  Value value = LLVM::UndefOp::create(b, loc, typeOf(record));
  for (auto [index, field] : llvm::enumerate(record))
    value = LLVM::InsertValueOp::create(b, loc, value, build(b, field),
                                        static_cast<int64_t>(index));
  return value;
}

Value Exporter::build(OpBuilder &b, ArrayRef<Record> records) {
  Value value = LLVM::UndefOp::create(b, loc, typeOf(records));
  const size_t piece = pieceOf(records.size());
  const bool isWhole = records.size() <= piece;
  for (int64_t index = 0; !records.empty(); ++index) {
    ArrayRef<Record> some = records.take_front(isWhole ? 1 : piece);
    value = LLVM::InsertValueOp::create(
        b, loc, value, isWhole ? build(b, some.front()) : build(b, some),
        index);
    records = records.drop_front(some.size());
  }
  return value;
}

void Exporter::global(StringRef name, Type type, LLVM::Linkage linkage,
                      llvm::function_ref<Value(OpBuilder &)> initial) {
  auto op = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                   linkage, name, Attribute());
  OpBuilder inner(module.getContext());
  inner.createBlock(&op.getInitializerRegion());
  LLVM::ReturnOp::create(inner, loc, initial(inner));
}

void Exporter::run(StringRef symbol, const Record &record,
                   LLVM::Linkage linkage) {
  prepare(record);
  global(symbol, typeOf(record), linkage,
         [&](OpBuilder &b) { return build(b, record); });
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

/// A function of a library. Types are letters: `p` a pointer, `z` a size_t or
/// int64_t, `i` an int.
struct LibraryFunction {
  /// The name after the prefix, and after `tamrt_embed_` in the runtime.
  StringRef name;
  char result;
  /// Types of the parameters, without the model.
  StringRef parameters;
  /// Whether the runtime's function takes the model as its first parameter.
  bool takesModel = true;
};

/// As runtime/embed/Embed.h declares them.
constexpr LibraryFunction libraryFunctions[] = {
    {"status_string", 'p', "i", false},
    {"weights_size", 'z', "z"},
    {"fit_arena_size", 'z', "zz"},
    {"predict_arena_size", 'z', "z"},
    {"fit", 'i', "ppzpzp"},
    {"predict", 'i', "ppzpzpp"},
    {"decompose", 'i', "ppzpzpp"},
    {"group_count", 'z', "pz"},
    {"coefficients", 'p', "pzz"},
    {"group_id", 'i', "pzpp"},
    {"level", 'i', "pzppp"},
    {"load_size", 'z', "pz"},
    {"load", 'i', "pzpzp"},
    {"save_size", 'z', "pz"},
    {"save", 'i', "pzpzp"},
};

} // namespace

Type Exporter::typeOf(char letter) {
  switch (letter) {
  case 'p':
    return pointer;
  case 'z':
    return builder.getI64Type();
  default:
    return builder.getI32Type();
  }
}

void Exporter::addLibrary(StringRef symbol, StringRef prefix) {
  for (const LibraryFunction &function : libraryFunctions) {
    SmallVector<Type> own;
    for (char letter : function.parameters)
      own.push_back(typeOf(letter));
    SmallVector<Type> passed = own;
    if (function.takesModel)
      passed.insert(passed.begin(), pointer);
    Type result = typeOf(function.result);
    auto runtime = LLVM::LLVMFuncOp::create(
        builder, loc, ("tamrt_embed_" + function.name).str(),
        LLVM::LLVMFunctionType::get(result, passed));
    auto entry = LLVM::LLVMFuncOp::create(
        builder, loc, (prefix + "_" + function.name).str(),
        LLVM::LLVMFunctionType::get(result, own));
    OpBuilder body(module.getContext());
    body.setInsertionPointToEnd(entry.addEntryBlock(body));
    SmallVector<Value> arguments(entry.getArguments());
    if (function.takesModel)
      arguments.insert(arguments.begin(),
                       LLVM::AddressOfOp::create(body, loc, pointer, symbol));
    auto call = LLVM::CallOp::create(body, loc, runtime, arguments);
    LLVM::ReturnOp::create(body, loc, call.getResult());
  }
}

namespace {

struct ExportModel : public tamc::impl::ExportModelBase<ExportModel> {
  using ExportModelBase::ExportModelBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    FailureOr<Record> description =
        describeModel(module, *target, version, {windows, devices});
    if (failed(description))
      return signalPassFailure();
    Exporter exporter(module);
    exporter.run(symbol, *description,
                 prefix.empty() ? LLVM::Linkage::External
                                : LLVM::Linkage::Internal);
    if (!prefix.empty())
      exporter.addLibrary(symbol, prefix);
    else if (entry)
      exporter.addMain(symbol);
    // The description is now data; the rest of the module is plain LLVM.
    removeNotes(module);
  }
};

} // namespace
