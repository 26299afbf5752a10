//===- tam-drive.cpp - programs that run steps on given rows ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns the steps of a model, after bufferisation, into a program of upstream
/// dialects, which upstream's passes lower and mlir-runner runs:
///
///   tam-drive steps.mlir --run=fit --data=data.json --rows=0,1,300
///
/// Row loops become functions beside the steps, launches become calls of the
/// runtime's kernels (Driven.cpp). `main` runs the steps on the first rows of
/// the JSON file (DataFile.h), and prints what tam-interpret prints.
///
//===----------------------------------------------------------------------===//

#include "LaunchCalls.h"
#include "ToolInput.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/InitAll.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <map>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;
using tam::SlotKind;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tam-drive");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<steps.mlir>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> dataFile("data", cl::desc("Data, JSON"),
                                     cl::value_desc("file"), cl::Required,
                                     cl::cat(category));
static cl::opt<std::string>
    what("run", cl::desc("The function, or the three steps of it, to run"),
         cl::value_desc("name"), cl::init("fit"), cl::cat(category));
static cl::list<int64_t> rowCounts("rows",
                                   cl::desc("Use only the first N rows; a "
                                            "result for each N"),
                                   cl::value_desc("N"), cl::CommaSeparated,
                                   cl::cat(category));
static cl::opt<int64_t> chunkRows("chunk-rows",
                                  cl::desc("Most rows of a chunk; 0: all"),
                                  cl::init(0), cl::cat(category));

/// Bytes of a number.
static int64_t bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

namespace {

/// An argument of a step.
struct Argument {
  tam::SlotAttr slot;
  Type type;
};

/// Writes `main`.
class Program {
public:
  Program(ModuleOp module, LaunchCalls &calls, const DataFile &data)
      : calls(calls), module(module), b(calls.b), loc(module.getLoc()),
        data(data) {
    for (auto step : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < step.getNumArguments(); ++i)
        if (tam::SlotAttr slot = tam::getArgumentSlot(step, i))
          steps[step.getName().str()].push_back(
              {slot, step.getArgumentTypes()[i]});
  }

  LogicalResult write() {
    b.setInsertionPointToEnd(module.getBody());
    auto main = func::FuncOp::create(b, loc, "main", b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(main.addEntryBlock());
    for (int64_t rows : rowCounts)
      if (failed(writeGroup(rows)))
        return failure();
    func::ReturnOp::create(b, loc);
    return verify(module);
  }

private:
  /// Runs the steps on the first `rows` rows.
  LogicalResult writeGroup(int64_t rows) {
    groupRows = rows;
    int64_t chunk = chunkRows > 0 ? chunkRows : std::max<int64_t>(rows, 1);
    auto callChunks = [&](const std::string &name) {
      for (int64_t first = 0; first < rows || first == 0; first += chunk)
        if (failed(call(name, first, std::min(chunk, rows - first))))
          return failure();
      return success();
    };
    state = allocate(SlotKind::State);
    output = allocate(SlotKind::Output);
    if (module.lookupSymbol(what)) {
      if (failed(callChunks(what)))
        return failure();
    } else if (failed(call(what + "_init", 0, 0)) ||
               failed(callChunks(what + "_chunk")) ||
               failed(call(what + "_finish", 0, rows))) {
      return failure();
    }
    Value count = LLVM::ConstantOp::create(
        b, loc, b.getI64Type(),
        cast<MemRefType>(output.getType()).getNumElements() /
            static_cast<int64_t>(sizeof(double)));
    calls.call("tam_driven_print", {calls.addressOf(output), count});
    return success();
  }

  /// The type of an argument for a group, where columns have all rows.
  MemRefType typeFor(Type type, int64_t rows) {
    auto memref = cast<MemRefType>(type);
    SmallVector<int64_t> shape(memref.getShape());
    for (int64_t &size : shape)
      if (ShapedType::isDynamic(size))
        size = rows;
    return MemRefType::get(shape, memref.getElementType());
  }

  /// The memory of all slots of a kind in the steps to be run.
  Value allocate(SlotKind kind) {
    int64_t bytes = 0;
    for (auto &[name, arguments] : steps)
      for (const Argument &argument : arguments)
        if (argument.slot.getKind() == kind &&
            StringRef(name).starts_with(what.getValue())) {
          MemRefType type = typeFor(argument.type, groupRows);
          bytes = std::max(bytes, argument.slot.getOffset() +
                                      type.getNumElements() *
                                          bytesOf(type.getElementType()));
        }
    return memref::AllocOp::create(b, loc,
                                   MemRefType::get({bytes}, b.getI8Type()),
                                   b.getI64IntegerAttr(TAMRT_ALIGNMENT));
  }

  /// Calls a step on rows first..first+rows-1.
  LogicalResult call(const std::string &name, int64_t first, int64_t rows) {
    auto step = module.lookupSymbol<func::FuncOp>(name);
    if (!step)
      return module.emitError("expected a function @") << name;
    SmallVector<Value> arguments;
    for (const Argument &argument : steps[name]) {
      Value value = valueOf(argument, first, rows);
      if (!value)
        return step.emitError("expected data for ") << argument.slot;
      arguments.push_back(value);
    }
    func::CallOp::create(b, loc, step, arguments);
    return success();
  }

  /// What a step gets for an argument; null if there is none.
  Value valueOf(const Argument &argument, int64_t first, int64_t rows) {
    int64_t offset = argument.slot.getOffset();
    switch (argument.slot.getKind()) {
    case SlotKind::Rows:
    case SlotKind::Capacity:
      return number(rows);
    case SlotKind::First:
      return number(first);
    case SlotKind::GroupRows:
      return number(groupRows);
    case SlotKind::Column:
      return offset < static_cast<int64_t>(data.columns.size())
                 ? constant(data.columns[offset], first, rows, argument.type)
                 : Value();
    case SlotKind::Parameters:
      return block(data.parameters, argument);
    case SlotKind::Coefficients:
      return block(data.coefficients, argument);
    case SlotKind::State:
      return view(state, offset, argument.type, rows);
    case SlotKind::Output: {
      // A column, of which the chunk's rows are written, or not by rows.
      auto type = cast<MemRefType>(argument.type);
      if (!type.hasStaticShape())
        offset += first * bytesOf(type.getElementType());
      return view(output, offset, type, rows);
    }
    default:
      return {};
    }
  }

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  Value view(Value memory, int64_t bytes, Type type, int64_t rows) {
    auto memref = cast<MemRefType>(type);
    SmallVector<Value> sizes(memref.getNumDynamicDims(), number(rows));
    return memref::ViewOp::create(b, loc, memref, memory, number(bytes), sizes);
  }

  /// Some parameters or coefficients.
  Value block(const Vector &numbers, const Argument &argument) {
    return constant(
        numbers,
        argument.slot.getOffset() / static_cast<int64_t>(sizeof(double)),
        cast<MemRefType>(argument.type).getNumElements(), argument.type);
  }

  /// A global with some numbers; null if there are not so many.
  Value constant(const Vector &numbers, int64_t first, int64_t count,
                 Type type) {
    if (first + count > static_cast<int64_t>(numbers.size()))
      return {};
    MemRefType known = typeFor(type, count);
    Type element = known.getElementType();
    auto tensor = RankedTensorType::get(known.getShape(), element);
    SmallVector<Attribute> values;
    for (int64_t i = first; i < first + count; ++i)
      values.push_back(
          isa<FloatType>(element)
              ? Attribute(b.getFloatAttr(element, numbers[i]))
              : b.getIntegerAttr(element, static_cast<int64_t>(numbers[i])));
    std::string name = "data_" + std::to_string(globals++);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      memref::GlobalOp::create(b, loc, name, b.getStringAttr("private"), known,
                               DenseElementsAttr::get(tensor, values),
                               /*constant=*/true, /*alignment=*/IntegerAttr());
    }
    Value buffer = memref::GetGlobalOp::create(b, loc, known, name);
    return known == type
               ? buffer
               : memref::CastOp::create(b, loc, cast<MemRefType>(type), buffer);
  }

  LaunchCalls &calls;
  ModuleOp module;
  OpBuilder &b;
  Location loc;
  const DataFile &data;
  std::map<std::string, SmallVector<Argument>> steps;
  /// Of the group: its rows, accumulators and output.
  int64_t groupRows = 0;
  Value state, output;
  int globals = 0;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Makes programs of a model's steps\n");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadDialect<LLVM::LLVMDialect>();
  ToolInput input(context);
  if (failed(input.read(inputFile, dataFile)))
    return 1;
  if (rowCounts.empty())
    rowCounts.push_back(input.getData().rows);
  LaunchCalls calls(input.getModule());
  Program program(input.getModule(), calls, input.getData());
  calls.replaceLaunches();
  if (failed(program.write()))
    return 1;
  input.getModule().print(llvm::outs());
  return 0;
}
