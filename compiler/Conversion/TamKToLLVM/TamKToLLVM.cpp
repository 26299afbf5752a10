//===- TamKToLLVM.cpp - planned steps to the LLVM dialect -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A planned step is straight-line code of six ops. It is translated op by op,
// and any other op is an error. Partial conversion with the upstream patterns
// would build memref descriptors and silently leave unknown ops.
//
// The launches of a step become a table, too (LaunchTable.h), which the rungs
// of a step share, except for the offsets of their views. The function of a
// large step reads it: a model of sixty terms has forty thousand launches, and
// LLVM would generate code for all of them in each rung. Devices that run
// several calls of a step together read the tables of all steps.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "LaunchTable.h"
#include "RowLoopsToLLVM.h"
#include "Steps.h"

#include "../ModelDescription/ModelDescription.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamc/Dialect/TamK/IR/Launches.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Rungs.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tamc {
#define GEN_PASS_DEF_CONVERTTAMKTOLLVM
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;
using tam::SlotKind;
using tamk::ElementType;
using tamk::ParameterKind;

/// Globals that the steps of a module have in common: the elements of its
/// constants, the literals of launch tables, and adapters of generated kernels.
static constexpr StringLiteral kConstantsName = "tam_constants",
                               kLiteralsName = "tam_literals",
                               kGeneratedName = "tam_generated";

namespace {

/// Positions of the parameters of tamrt_step_function.
enum StepParameter {
  Context,
  Arena,
  State,
  Carry,
  Parameters,
  Tables,
  Coefficients,
  Columns,
  Output,
  Rows,
  First,
  GroupRows,
  StepParameterCount
};

/// Translates one module.
class Translator {
public:
  Translator(ModuleOp module, int64_t tableOperands, bool allTables)
      : module(module), tableOperands(tableOperands), allTables(allTables),
        builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult run();

private:
  /// What a step's `tamrt_launches` has besides what all steps have in common.
  struct StepTable {
    std::string name, code, offsets;
    int64_t launches, scratch;
  };

  LLVM::LLVMFuncOp startFunction(func::FuncOp step, bool isCpuCode);
  LogicalResult translateBody(func::FuncOp step, LLVM::LLVMFuncOp function);
  LogicalResult translate(ArrayRef<func::FuncOp> rungs);
  LogicalResult makeTables(ArrayRef<func::FuncOp> rungs);
  LLVM::LLVMFuncOp translateToCode(func::FuncOp step);
  LLVM::LLVMFuncOp callTable(func::FuncOp step, const StepTable &table,
                             bool isCpuCode);
  LogicalResult translate(Operation *op);
  LogicalResult translate(tamk::LaunchOp op);
  LogicalResult checkNames();
  LogicalResult translateConstants();
  LogicalResult finishTables();
  FailureOr<Value> bindArgument(BlockArgument argument,
                                LLVM::LLVMFuncOp function);
  LLVM::LLVMFuncOp declareInterpreter();
  LLVM::LLVMFuncOp startAdapter(Location loc, StringRef name, size_t noAliases);
  FailureOr<std::string> writeAdapter(LLVM::LLVMFuncOp kernel);
  void makeNumbers(StringRef name, ArrayRef<int64_t> numbers);
  void makeRecord(StringRef name, Type type,
                  llvm::function_ref<void(SmallVectorImpl<Value> &)> fields);

  Value constant(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
  }
  Value addressOf(Location loc, StringRef global) {
    return LLVM::AddressOfOp::create(builder, loc, pointer, global);
  }
  Value advance(Location loc, Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    // A constant index of the op has few bits; the state may be larger than it
    // can express.
    LLVM::GEPArg offset = llvm::isInt<LLVM::kGEPConstantBitWidth>(bytes)
                              ? LLVM::GEPArg(static_cast<int32_t>(bytes))
                              : LLVM::GEPArg(constant(loc, bytes));
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  ModuleOp module;
  /// Least operands of a step whose functions read its tables, as
  /// countCodeOperands() counts. To read one takes the runtime some
  /// nanoseconds, which matters only in a prediction of one row by a step of
  /// few launches. To generate its code takes tamc much longer.
  int64_t tableOperands;
  /// Whether all steps get tables, or only those whose functions read them.
  bool allTables;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  DenseMap<Value, Value> values;
  /// Offsets of the module's constants in the global that has them all, and its
  /// bytes.
  llvm::StringMap<int64_t> constants;
  int64_t constantBytes = 0;
  LaunchEncoder encoder{constants};
  /// The generated kernels that steps call which are code.
  DenseSet<Operation *> calledByCode;
  SmallVector<StepTable> stepTables;
};

} // namespace

/// Checks that the names of the globals which all steps have in common are
/// free.
LogicalResult Translator::checkNames() {
  for (StringRef name : {kConstantsName, kLiteralsName, kGeneratedName})
    if (Operation *other = module.lookupSymbol(name))
      return other->emitOpError("expected no symbol '") << name << "'";
  return success();
}

/// Puts the elements of all constants into one global.
LogicalResult Translator::translateConstants() {
  std::vector<char> bytes;
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>())) {
    auto initial =
        dyn_cast_if_present<DenseElementsAttr>(global.getInitialValueAttr());
    if (!initial || !global.getConstant())
      return global.emitOpError("expected a constant with its elements");
    bytes.resize(llvm::alignTo(bytes.size(), TAMRT_ALIGNMENT));
    constants[global.getSymName()] = int64_t(bytes.size());
    ArrayRef<char> raw = initial.getRawData();
    int64_t repeated = initial.isSplat() ? initial.getNumElements() : 1;
    for (int64_t i = 0; i < repeated; ++i)
      bytes.insert(bytes.end(), raw.begin(), raw.end());
    global.erase();
  }
  if (bytes.empty())
    return success();
  constantBytes = int64_t(bytes.size());
  auto type = RankedTensorType::get({constantBytes}, builder.getI8Type());
  builder.setInsertionPointToStart(module.getBody());
  LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements()),
      /*isConstant=*/true, LLVM::Linkage::Internal, kConstantsName,
      DenseElementsAttr::getFromRawBuffer(type, bytes), TAMRT_ALIGNMENT);
  return success();
}

/// The value of a step's argument, computed from the step's parameters.
FailureOr<Value> Translator::bindArgument(BlockArgument argument,
                                          LLVM::LLVMFuncOp function) {
  FailureOr<tam::SlotAttr> found = getSlot(argument);
  if (failed(found))
    return failure();
  tam::SlotAttr slot = *found;
  Location loc = argument.getLoc();
  auto parameter = [&](StepParameter position) -> Value {
    return function.getArgument(position);
  };
  int64_t offset = slot.getOffset();
  switch (slot.getKind()) {
  case SlotKind::Rows:
    return parameter(Rows);
  case SlotKind::First:
    return parameter(First);
  case SlotKind::Capacity:
  case SlotKind::Inference:
  case SlotKind::System:
    break;
  case SlotKind::Column:
    return Value(LLVM::LoadOp::create(
        builder, loc, pointer,
        advance(loc, parameter(Columns), offset * int64_t(sizeof(void *)))));
  case SlotKind::Parameters:
    return advance(loc, parameter(Parameters), offset);
  case SlotKind::Coefficients:
    return advance(loc, parameter(Coefficients), offset);
  case SlotKind::State:
    return advance(loc, parameter(State), offset);
  case SlotKind::Output:
    return advance(loc, parameter(Output), offset);
  case SlotKind::Arena:
    return parameter(Arena);
  case SlotKind::GroupRows:
    return parameter(GroupRows);
  case SlotKind::Table:
    return Value(LLVM::LoadOp::create(
        builder, loc, pointer,
        advance(loc, parameter(Tables), offset * int64_t(sizeof(void *)))));
  case SlotKind::Carry:
    return advance(loc, parameter(Carry), offset);
  }
  llvm_unreachable("getSlot returns no other slots");
}

LogicalResult Translator::translate(tamk::LaunchOp op) {
  Location loc = op.getLoc();
  if (op.getGenerated()) {
    FailureOr<LLVM::LLVMFuncOp> kernel = getGeneratedKernel(op);
    if (failed(kernel))
      return failure();
    SmallVector<Value> arguments{
        builder.getBlock()->getParent()->getArgument(Context)};
    for (Value value : op->getOperands())
      arguments.push_back(values.lookup(value));
    LLVM::CallOp::create(builder, loc, *kernel, arguments);
    calledByCode.insert(*kernel);
    return success();
  }
  const tamk::Kernel &kernel = *tamk::lookupKernel(op.getKernel());
  ArrayRef<int32_t> absent =
      op.getAbsent() ? *op.getAbsent() : ArrayRef<int32_t>();
  SmallVector<Value> arguments{
      builder.getBlock()->getParent()->getArgument(Context)};
  auto inputs = op.getInputs();
  for (auto [position, parameter] : llvm::enumerate(kernel.inputs())) {
    if (llvm::is_contained(absent, static_cast<int32_t>(position))) {
      arguments.push_back(LLVM::ZeroOp::create(builder, loc, pointer));
    } else if (parameter.kind != ParameterKind::InList) {
      arguments.push_back(values.lookup(inputs.front()));
      inputs = inputs.drop_front();
    } else {
      int64_t count = inputs.size();
      Value list = LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                                          constant(loc, count));
      for (auto [index, input] : llvm::enumerate(inputs))
        LLVM::StoreOp::create(
            builder, loc, values.lookup(input),
            advance(loc, list, index * int64_t(sizeof(void *))));
      arguments.push_back(list);
      arguments.push_back(constant(loc, count));
    }
  }
  for (Value value : op.getScalars())
    arguments.push_back(values.lookup(value));
  for (Value value : op.getInits())
    arguments.push_back(values.lookup(value));
  LLVM::CallOp::create(builder, loc, declareKernel(module, kernel), arguments);
  return success();
}

LogicalResult Translator::translate(Operation *op) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tamk::LaunchOp launch) { return translate(launch); })
      .Case([&](arith::ConstantOp constantOp) -> LogicalResult {
        Type type = constantOp.getType();
        if (type.isIndex())
          type = builder.getI64Type();
        Attribute value = constantOp.getValue();
        if (auto integer = dyn_cast<IntegerAttr>(value))
          value = builder.getIntegerAttr(type, integer.getInt());
        values[constantOp] = LLVM::ConstantOp::create(builder, loc, type,
                                                      cast<TypedAttr>(value));
        return success();
      })
      .Case([&](memref::ViewOp view) -> LogicalResult {
        FailureOr<int64_t> offset = getViewOffset(view);
        if (failed(offset))
          return failure();
        values[view] =
            LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                values.lookup(view.getSource()),
                                ArrayRef<LLVM::GEPArg>{constant(loc, *offset)});
        return success();
      })
      .Case([&](memref::GetGlobalOp global) -> LogicalResult {
        values[global] = advance(loc, addressOf(loc, kConstantsName),
                                 constants.lookup(global.getName()));
        return success();
      })
      .Case([&](memref::CastOp castOp) -> LogicalResult {
        values[castOp] = values.lookup(castOp.getSource());
        return success();
      })
      .Case([&](func::ReturnOp ret) -> LogicalResult {
        LLVM::ReturnOp::create(builder, loc, ValueRange());
        return success();
      })
      .Default([](Operation *other) { return emitStepOpError(other); });
}

/// Starts a step's function. `isCpuCode`: as in noteStep().
LLVM::LLVMFuncOp Translator::startFunction(func::FuncOp step, bool isCpuCode) {
  SmallVector<Type> types(StepParameterCount, pointer);
  types[Rows] = types[First] = types[GroupRows] = builder.getI64Type();
  builder.setInsertionPoint(step);
  auto function = LLVM::LLVMFuncOp::create(
      builder, step.getLoc(), step.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types),
      LLVM::Linkage::Internal);
  // A step that calls the runtime's kernels alone is not worth optimising: it
  // is addresses at constant offsets, and runs once for a group. Those that
  // call generated kernels run for a row, too.
  if (!isCpuCode) {
    function.setOptimizeNone(true);
    function.setNoInline(true);
  }
  for (StepParameter position : {Arena, State, Carry}) {
    function.setArgAttr(position, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(TAMRT_ALIGNMENT));
    function.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  }
  builder.setInsertionPointToEnd(function.addEntryBlock(builder));
  noteStep(step, function, isCpuCode);
  return function;
}

LogicalResult Translator::translateBody(func::FuncOp step,
                                        LLVM::LLVMFuncOp function) {
  for (BlockArgument argument : step.getArguments()) {
    if (argument.use_empty())
      continue;
    FailureOr<Value> value = bindArgument(argument, function);
    if (failed(value))
      return failure();
    values[argument] = *value;
  }
  for (Operation &op : step.getBody().front())
    if (failed(translate(&op)))
      return failure();
  return success();
}

/// Translates a step, or rungs whose launches are those of the first one.
LogicalResult Translator::translate(ArrayRef<func::FuncOp> rungs) {
  for (func::FuncOp step : rungs) {
    if (!step.getBody().hasOneBlock())
      return step.emitOpError("expected a step of one block");
    if (step.getNumResults() > 0)
      return step.emitOpError("expected a step without results, got ")
             << step.getNumResults();
  }
  func::FuncOp first = rungs.front();
  const bool readsTable =
      tamk::countCodeOperands(first, rungs.size()) >= tableOperands;
  const bool hasTable = readsTable || allTables;
  const bool isCpuCode = launchesGenerated(first);
  for (func::FuncOp step : rungs)
    if (!readsTable && step->hasAttr(tamk::kLaunchesOfAttrName))
      return step.emitOpError("expected launches of its own, as its function "
                              "is code");
  const size_t before = stepTables.size();
  if (hasTable && failed(makeTables(rungs)))
    return failure();
  for (auto [index, step] : llvm::enumerate(rungs)) {
    const StepTable *table = hasTable ? &stepTables[before + index] : nullptr;
    LLVM::LLVMFuncOp function =
        readsTable ? callTable(step, *table, isCpuCode) : translateToCode(step);
    if (!function)
      return failure();
    if (table)
      function->setAttr(
          tamk::kTableAttrName,
          FlatSymbolRefAttr::get(builder.getContext(), table->name));
  }
  for (func::FuncOp step : rungs)
    step.erase();
  return success();
}

/// Makes a table for each of some rungs, which share the code.
LogicalResult Translator::makeTables(ArrayRef<func::FuncOp> rungs) {
  func::FuncOp first = rungs.front();
  FailureOr<EncodedStep> encoded = encoder.encode(first);
  if (failed(encoded))
    return failure();
  std::string code = (first.getName() + "_code").str();
  if (failed(tam::verifyFreeName(first, code)))
    return failure();
  makeNumbers(code, encoded->code);
  auto inFirst = first.getBody().front().getOps<memref::ViewOp>();
  const auto views = size_t(std::distance(inFirst.begin(), inFirst.end()));
  for (func::FuncOp step : rungs) {
    FailureOr<SmallVector<int64_t>> offsets = getViewOffsets(step);
    if (failed(offsets))
      return failure();
    if (offsets->size() != views)
      return step.emitOpError("expected a view for each of the ")
             << views << " views of '" << first.getName() << "', got "
             << offsets->size();
    StepTable table = {(step.getName() + "_launches").str(), code,
                       (step.getName() + "_offsets").str(), encoded->launches,
                       encoded->scratch};
    if (failed(tam::verifyFreeName(step, table.name)) ||
        failed(tam::verifyFreeName(step, table.offsets)))
      return failure();
    makeNumbers(table.offsets, *offsets);
    stepTables.push_back(std::move(table));
  }
  return success();
}

/// Translates a step to code; null after an error.
LLVM::LLVMFuncOp Translator::translateToCode(func::FuncOp step) {
  LLVM::LLVMFuncOp function = startFunction(step, launchesGenerated(step));
  return succeeded(translateBody(step, function)) ? function : nullptr;
}

/// A constant array of the module.
void Translator::makeNumbers(StringRef name, ArrayRef<int64_t> numbers) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto count = static_cast<int64_t>(numbers.size());
  Type i64 = builder.getI64Type();
  LLVM::GlobalOp::create(
      builder, module.getLoc(), LLVM::LLVMArrayType::get(i64, count),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      DenseElementsAttr::get(RankedTensorType::get({count}, i64), numbers));
}

LLVM::LLVMFuncOp Translator::declareInterpreter() {
  constexpr StringLiteral name = "tamrt_run_launches";
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  SmallVector<Type> types(StepParameterCount + 2, pointer);
  for (StepParameter position : {Rows, First, GroupRows})
    types[position + 2] = builder.getI64Type();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types));
}

/// The function of a step that calls the runtime with its table.
LLVM::LLVMFuncOp Translator::callTable(func::FuncOp step,
                                       const StepTable &table, bool isCpuCode) {
  Location loc = step.getLoc();
  LLVM::LLVMFuncOp function = startFunction(step, isCpuCode);
  function->setAttr(tamk::kRunsTableAttrName, builder.getUnitAttr());
  Value scratch =
      LLVM::AllocaOp::create(builder, loc, pointer, builder.getI64Type(),
                             constant(loc, table.scratch));
  SmallVector<Value> arguments(function.getArguments());
  arguments.insert(arguments.begin() + 1,
                   {addressOf(loc, table.name), scratch});
  LLVM::CallOp::create(builder, loc, declareInterpreter(), arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return function;
}

/// A constant struct or array of the module.
void Translator::makeRecord(
    StringRef name, Type type,
    llvm::function_ref<void(SmallVectorImpl<Value> &)> fields) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  Location loc = module.getLoc();
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  builder.createBlock(&global.getInitializerRegion());
  SmallVector<Value> values;
  fields(values);
  Value record = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    record = LLVM::InsertValueOp::create(builder, loc, record, value,
                                         static_cast<int64_t>(index));
  LLVM::ReturnOp::create(builder, loc, record);
}

/// Starts an internal function of a context, a list of arguments, and as many
/// more pointers to what nothing else points to.
LLVM::LLVMFuncOp Translator::startAdapter(Location loc, StringRef name,
                                          size_t noAliases) {
  SmallVector<Type> types(2 + noAliases, pointer);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types),
      LLVM::Linkage::Internal);
  for (size_t i = 2; i < types.size(); ++i)
    function.setArgAttr(static_cast<unsigned>(i),
                        LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  builder.setInsertionPointToEnd(function.addEntryBlock(builder));
  return function;
}

/// Writes a tamrt_generated_kernel that calls a generated kernel; returns its
/// name. A kernel that is called by tables alone becomes part of a function
/// that has the versions instead: it reads its arguments, of which there are
/// hundreds, where it uses them. But it gets those that nothing else aliases,
/// as an address that was read may alias all, and LLVM's scheduler would not
/// move loads of other memory to where they are used.
FailureOr<std::string> Translator::writeAdapter(LLVM::LLVMFuncOp kernel) {
  std::string name = (kernel.getName() + "_launch").str(),
              inner = (kernel.getName() + "_list").str();
  if (failed(tam::verifyFreeName(kernel, name)) ||
      failed(tam::verifyFreeName(kernel, inner)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  auto read = [&](LLVM::LLVMFuncOp in, unsigned argument) -> Value {
    return LLVM::LoadOp::create(
        builder, loc, kernel.getArgumentTypes()[argument],
        advance(loc, in.getArgument(1),
                int64_t((argument - 1) * sizeof(tamrt_argument))),
        /*alignment=*/sizeof(tamrt_argument), /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/true);
  };
  /// Calls the kernel with the arguments of the list.
  auto callKernel = [&](LLVM::LLVMFuncOp in, ArrayRef<unsigned> given) {
    SmallVector<Value> arguments{in.getArgument(0)};
    for (unsigned i = 1; i < kernel.getNumArguments(); ++i) {
      const unsigned *found = llvm::find(given, i);
      arguments.push_back(found == given.end()
                              ? read(in, i)
                              : in.getArgument(2 + static_cast<unsigned>(
                                                       found - given.begin())));
    }
    LLVM::CallOp::create(builder, loc, kernel, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  };
  if (calledByCode.contains(kernel)) {
    callKernel(startAdapter(loc, name, 0), {});
    return name;
  }
  SmallVector<unsigned> noAliases;
  for (unsigned i = 1; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName()))
      noAliases.push_back(i);
  LLVM::LLVMFuncOp versioned = startAdapter(loc, inner, noAliases.size());
  callKernel(versioned, noAliases);
  versioned.setPassthroughAttr(kernel.getPassthroughAttr());
  kernel.removePassthroughAttr();
  kernel.setNoInline(false);
  kernel.setAlwaysInline(true);

  builder.setInsertionPointAfter(versioned);
  LLVM::LLVMFuncOp adapter = startAdapter(loc, name, 0);
  SmallVector<Value> arguments{adapter.getArgument(0), adapter.getArgument(1)};
  for (unsigned argument : noAliases)
    arguments.push_back(read(adapter, argument));
  LLVM::CallOp::create(builder, loc, versioned, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return name;
}

/// Makes the `tamrt_launches` of the steps, and what they have in common.
LogicalResult Translator::finishTables() {
  SmallVector<int64_t> literals = encoder.takeLiterals();
  if (!literals.empty())
    makeNumbers(kLiteralsName, literals);
  SmallVector<std::string> adapters;
  for (LLVM::LLVMFuncOp kernel : encoder.takeGenerated()) {
    FailureOr<std::string> adapter = writeAdapter(kernel);
    if (failed(adapter))
      return failure();
    adapters.push_back(*adapter);
  }
  Location loc = module.getLoc();
  if (!adapters.empty())
    makeRecord(kGeneratedName,
               LLVM::LLVMArrayType::get(pointer, adapters.size()),
               [&](SmallVectorImpl<Value> &fields) {
                 for (StringRef adapter : adapters)
                   fields.push_back(addressOf(loc, adapter));
               });
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      {builder.getI64Type(), builder.getI64Type(), pointer, pointer, pointer,
       pointer, builder.getI64Type(), pointer});
  auto orNull = [&](StringRef name, bool isThere) -> Value {
    return isThere ? addressOf(loc, name)
                   : Value(LLVM::ZeroOp::create(builder, loc, pointer));
  };
  for (const StepTable &table : stepTables)
    makeRecord(table.name, type, [&](SmallVectorImpl<Value> &fields) {
      fields.append({constant(loc, table.launches),
                     constant(loc, table.scratch), addressOf(loc, table.code),
                     addressOf(loc, table.offsets),
                     orNull(kLiteralsName, !literals.empty()),
                     orNull(kConstantsName, !constants.empty()),
                     constant(loc, constantBytes),
                     orNull(kGeneratedName, !adapters.empty())});
    });
  return success();
}

LogicalResult Translator::run() {
  if (failed(convertRowLoops(module)))
    return failure();
  if (failed(checkNames()) || failed(translateConstants()))
    return failure();
  FailureOr<SmallVector<SmallVector<func::FuncOp>>> groups = groupRungs(module);
  if (failed(groups))
    return failure();
  for (ArrayRef<func::FuncOp> rungs : *groups)
    if (failed(translate(rungs)))
      return failure();
  return finishTables();
}

/// Removes the steps for standard errors and for the choice of penalties, and
/// the constants that only they read.
static void removeInference(ModuleOp module) {
  for (auto step : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    auto attribute = step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
    if (!attribute)
      continue;
    const tamrt::StepDescription &about =
        tamrt::describe(static_cast<int32_t>(attribute.getKind()));
    if (about.isExtra() || about.output == tamrt::StepOutput::RowForms)
      step.erase();
  }
  SymbolTableCollection tables;
  const SymbolUserMap users(tables, module);
  for (auto constant :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (constant.isPrivate() && users.useEmpty(constant))
      constant.erase();
}

namespace {

struct ConvertTamKToLLVM
    : public tamc::impl::ConvertTamKToLLVMBase<ConvertTamKToLLVM> {
  using ConvertTamKToLLVMBase::ConvertTamKToLLVMBase;

  void runOnOperation() override {
    if (library)
      removeInference(getOperation());
    if (failed(Translator(getOperation(), tableOperands,
                          /*allTables=*/!library)
                   .run()))
      signalPassFailure();
  }
};

} // namespace
