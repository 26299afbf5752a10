//===- TamKToLLVM.cpp - planned steps to the LLVM dialect -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A planned step is straight-line code of six ops. It is translated launch by
// launch, and any other op is an error. Partial conversion with the upstream
// patterns would build memref descriptors and silently leave unknown ops.
//
// The rungs of a large step share one function, which reads the offsets of its
// views from a table. A model of sixty terms has forty thousand launches;
// otherwise LLVM would generate code for all of them in each rung.
//
// LLVM takes more than linear time for one long block, so a large step is a
// function that calls others, of some launches each. An operand is computed in
// each part that uses it.
//
//===----------------------------------------------------------------------===//

#include "RungsOfStep.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Target/Target.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Launches of a function; a step of more consists of several.
static constexpr int64_t kPartLaunches = 64;
/// Buffers of the shortest list whose addresses a loop computes.
static constexpr size_t kMinLoopAddresses = 16;

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
  explicit Translator(ModuleOp module)
      : module(module), builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult run();

private:
  LogicalResult writeVersions(LLVM::LLVMFuncOp kernel,
                              ArrayRef<KernelVersion> kernelVersions);
  LLVM::LLVMFuncOp startFunction(func::FuncOp step, StringRef name,
                                 ArrayRef<Type> more = {});
  LogicalResult translateBody(func::FuncOp step, LLVM::LLVMFuncOp function);
  FailureOr<LLVM::LLVMFuncOp>
  startPart(func::FuncOp step, LLVM::LLVMFuncOp function, int64_t number);
  void copyAttributes(func::FuncOp step, LLVM::LLVMFuncOp function);
  LogicalResult translate(ArrayRef<func::FuncOp> rungs);
  LogicalResult check(func::FuncOp step);
  LogicalResult check(Operation &op);
  FailureOr<Value> viewOffset(memref::ViewOp view);
  FailureOr<Value> valueOf(Value value);
  FailureOr<Value> makeValue(Operation *op);
  LogicalResult appendValues(ValueRange from, SmallVectorImpl<Value> &to);
  LogicalResult translate(tamk::LaunchOp op);
  FailureOr<Value> listOf(tamk::LaunchOp op, ValueRange buffers);
  std::optional<int64_t> findPlace(Value buffer);
  LLVM::LLVMFuncOp findAddresses();
  LogicalResult translate(memref::GlobalOp op);
  Value bindArgument(BlockArgument argument);
  LLVM::LLVMFuncOp declareKernel(const tamk::Kernel &kernel);
  LLVM::GlobalOp makeTable(StringRef name, ArrayRef<int64_t> numbers);

  Type scalarType(ElementType type) {
    return type == ElementType::F64 ? Type(builder.getF64Type())
                                    : Type(builder.getI64Type());
  }
  Value constant(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
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
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  /// The function that is written, and what the values of the step are in it,
  /// as far as it used them.
  LLVM::LLVMFuncOp current;
  DenseMap<Value, Value> values;
  /// Whether the step's views have their offsets in a table, the last argument
  /// of the function; and their places in it.
  bool hasViewTable = false;
  DenseMap<Operation *, int64_t> viewPlaces;
  int64_t listsMade = 0;
};

} // namespace

LLVM::LLVMFuncOp Translator::declareKernel(const tamk::Kernel &kernel) {
  std::string symbol = ("tamrt_" + kernel.name).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  SmallVector<Type> types{pointer};
  for (const tamk::KernelParameter &parameter : kernel.parameters) {
    if (parameter.kind == ParameterKind::Scalar)
      types.push_back(scalarType(parameter.type));
    else
      types.push_back(pointer);
    if (parameter.kind == ParameterKind::InList)
      types.push_back(builder.getI64Type());
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), symbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types));
}

/// A constant of the module.
LLVM::GlobalOp Translator::makeTable(StringRef name,
                                     ArrayRef<int64_t> numbers) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto count = static_cast<int64_t>(numbers.size());
  Type i64 = builder.getI64Type();
  return LLVM::GlobalOp::create(
      builder, module.getLoc(), LLVM::LLVMArrayType::get(i64, count),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      DenseElementsAttr::get(RankedTensorType::get({count}, i64), numbers));
}

LogicalResult Translator::translate(memref::GlobalOp op) {
  auto initial =
      dyn_cast_if_present<DenseElementsAttr>(op.getInitialValueAttr());
  if (!initial || !op.getConstant())
    return op.emitOpError("expected a constant with its elements");
  auto type = LLVM::LLVMArrayType::get(op.getType().getElementType(),
                                       op.getType().getNumElements());
  builder.setInsertionPoint(op);
  auto flat = initial.reshape(RankedTensorType::get({initial.getNumElements()},
                                                    initial.getElementType()));
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, op.getSymName(), flat,
                         TAMRT_ALIGNMENT);
  op.erase();
  return success();
}

/// The value of a step's argument, computed from the nine parameters.
Value Translator::bindArgument(BlockArgument argument) {
  auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  tam::SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
  Location loc = argument.getLoc();
  auto parameter = [&](StepParameter position) -> Value {
    return current.getArgument(position);
  };
  int64_t offset = slot.getOffset();
  switch (slot.getKind()) {
  case SlotKind::Rows:
    return parameter(Rows);
  case SlotKind::First:
    return parameter(First);
  case SlotKind::Capacity:
    break;
  case SlotKind::Column:
    return LLVM::LoadOp::create(
        builder, loc, pointer,
        advance(loc, parameter(Columns), offset * int64_t(sizeof(void *))));
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
    return LLVM::LoadOp::create(
        builder, loc, pointer,
        advance(loc, parameter(Tables), offset * int64_t(sizeof(void *))));
  case SlotKind::Carry:
    return advance(loc, parameter(Carry), offset);
  }
  llvm_unreachable("all slots that a checked step uses are listed");
}

LogicalResult Translator::translate(tamk::LaunchOp op) {
  Location loc = op.getLoc();
  if (op.getGenerated()) {
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(op.getKernel());
    if (!kernel)
      return op.emitOpError("expected a function of the LLVM dialect '")
             << op.getKernel() << "'";
    SmallVector<Value> arguments{current.getArgument(Context)};
    if (failed(appendValues(op->getOperands(), arguments)))
      return failure();
    LLVM::CallOp::create(builder, loc, kernel, arguments);
    return success();
  }
  const tamk::Kernel &kernel = *tamk::lookupKernel(op.getKernel());
  ArrayRef<int32_t> absent =
      op.getAbsent() ? *op.getAbsent() : ArrayRef<int32_t>();
  SmallVector<Value> arguments{current.getArgument(Context)};
  auto inputs = op.getInputs();
  for (auto [position, parameter] : llvm::enumerate(kernel.inputs())) {
    if (llvm::is_contained(absent, static_cast<int32_t>(position))) {
      arguments.push_back(LLVM::ZeroOp::create(builder, loc, pointer));
    } else if (parameter.kind != ParameterKind::InList) {
      if (failed(appendValues(inputs.front(), arguments)))
        return failure();
      inputs = inputs.drop_front();
    } else {
      FailureOr<Value> list = listOf(op, inputs);
      if (failed(list))
        return failure();
      arguments.push_back(*list);
      arguments.push_back(constant(loc, inputs.size()));
    }
  }
  if (failed(appendValues(op.getScalars(), arguments)) ||
      failed(appendValues(op.getInits(), arguments)))
    return failure();
  LLVM::CallOp::create(builder, loc, declareKernel(kernel), arguments);
  return success();
}

/// The addresses of buffers, as a kernel takes a list of them. A loop computes
/// those of a long list from constants where the buffers lie at known offsets.
FailureOr<Value> Translator::listOf(tamk::LaunchOp op, ValueRange buffers) {
  Location loc = op.getLoc();
  auto count = static_cast<int64_t>(buffers.size());
  Value list = LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                                      constant(loc, count));
  SmallVector<int64_t> places;
  if (buffers.size() >= kMinLoopAddresses)
    for (Value buffer : buffers) {
      std::optional<int64_t> place = findPlace(buffer);
      if (!place)
        break;
      places.push_back(*place);
    }
  if (!places.empty() && places.size() == buffers.size()) {
    std::string name =
        (current.getName() + "_list_" + Twine(listsMade++)).str();
    if (failed(tam::verifyFreeName(op->getParentOfType<func::FuncOp>(), name)))
      return failure();
    LLVM::GlobalOp table = makeTable(name, places);
    Value address =
        LLVM::AddressOfOp::create(builder, loc, pointer, table.getSymName());
    LLVM::CallOp::create(builder, loc, findAddresses(),
                         ValueRange{list, address, constant(loc, count),
                                    current.getArgument(Arena),
                                    current.getArgument(State)});
    return list;
  }
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    FailureOr<Value> value = valueOf(buffer);
    if (failed(value))
      return failure();
    LLVM::StoreOp::create(builder, loc, *value,
                          advance(loc, list, index * int64_t(sizeof(void *))));
  }
  return list;
}

/// A buffer's offset in the arena or, plus one, in the state; none if it is not
/// a known multiple of 2 in one of them.
std::optional<int64_t> Translator::findPlace(Value buffer) {
  while (auto castOp = buffer.getDefiningOp<memref::CastOp>())
    buffer = castOp.getSource();
  std::optional<int64_t> place;
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    tam::SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
    if (slot && slot.getKind() == SlotKind::State)
      place = slot.getOffset() + 1;
  } else if (auto view = buffer.getDefiningOp<memref::ViewOp>();
             view && !hasViewTable) {
    if (FailureOr<int64_t> offset = getViewOffset(view); succeeded(offset))
      place = *offset;
  }
  if (place && *place % 2 != (isa<BlockArgument>(buffer) ? 1 : 0))
    return std::nullopt;
  return place;
}

/// A function that writes the addresses of a list of buffers from their places:
/// void(void **list, const int64_t *places, int64_t count, char *arena,
/// char *state).
LLVM::LLVMFuncOp Translator::findAddresses() {
  constexpr StringLiteral name = "tam_find_addresses";
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = module.getLoc();
  Type i64 = builder.getI64Type();
  builder.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer, i64, pointer, pointer}),
      LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(builder);
  Block *body = builder.createBlock(&function.getBody(),
                                    function.getBody().end(), {i64}, {loc});
  Block *end =
      builder.createBlock(&function.getBody(), function.getBody().end());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(builder, loc, ValueRange{constant(loc, 0)}, body);
  builder.setInsertionPointToEnd(body);
  Value index = body->getArgument(0);
  auto at = [&](Value base, Type type, Value offset) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer, type, base,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  Value place = LLVM::LoadOp::create(builder, loc, i64,
                                     at(function.getArgument(1), i64, index));
  Value one = constant(loc, 1);
  Value isState = LLVM::TruncOp::create(
      builder, loc, builder.getI1Type(),
      LLVM::AndOp::create(builder, loc, place, one).getResult());
  Value base = LLVM::SelectOp::create(
      builder, loc, isState, function.getArgument(4), function.getArgument(3));
  Value offset = LLVM::AndOp::create(builder, loc, place, constant(loc, ~1));
  LLVM::StoreOp::create(builder, loc, at(base, builder.getI8Type(), offset),
                        at(function.getArgument(0), pointer, index));
  Value next = LLVM::AddOp::create(builder, loc, index, one);
  Value isMore = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt,
                                      next, function.getArgument(2));
  LLVM::CondBrOp::create(builder, loc, isMore, body, ValueRange{next}, end,
                         ValueRange());
  return function;
}

/// Offset of a view in bytes.
FailureOr<Value> Translator::viewOffset(memref::ViewOp view) {
  Location loc = view.getLoc();
  if (hasViewTable) {
    int64_t place = viewPlaces.lookup(view) * int64_t(sizeof(int64_t));
    return Value(LLVM::LoadOp::create(
        builder, loc, builder.getI64Type(),
        advance(loc, current.getArguments().back(), place)));
  }
  FailureOr<int64_t> offset = getViewOffset(view);
  if (failed(offset))
    return failure();
  return constant(loc, *offset);
}

/// The value of an operand of a launch in the function that is written.
FailureOr<Value> Translator::valueOf(Value value) {
  if (Value known = values.lookup(value))
    return known;
  FailureOr<Value> made;
  if (auto argument = dyn_cast<BlockArgument>(value))
    made = bindArgument(argument);
  else
    made = makeValue(value.getDefiningOp());
  if (succeeded(made))
    values[value] = *made;
  return made;
}

LogicalResult Translator::appendValues(ValueRange from,
                                       SmallVectorImpl<Value> &to) {
  for (Value value : from) {
    FailureOr<Value> made = valueOf(value);
    if (failed(made))
      return failure();
    to.push_back(*made);
  }
  return success();
}

/// The result of an op that is no launch.
FailureOr<Value> Translator::makeValue(Operation *op) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](arith::ConstantOp constantOp) -> FailureOr<Value> {
        Type type = constantOp.getType();
        if (type.isIndex())
          type = builder.getI64Type();
        Attribute value = constantOp.getValue();
        if (auto integer = dyn_cast<IntegerAttr>(value))
          value = builder.getIntegerAttr(type, integer.getInt());
        return Value(LLVM::ConstantOp::create(builder, loc, type,
                                              cast<TypedAttr>(value)));
      })
      .Case([&](memref::ViewOp view) -> FailureOr<Value> {
        FailureOr<Value> base = valueOf(view.getSource());
        if (failed(base))
          return failure();
        FailureOr<Value> bytes = viewOffset(view);
        if (failed(bytes))
          return failure();
        return Value(LLVM::GEPOp::create(builder, loc, pointer,
                                         builder.getI8Type(), *base,
                                         ArrayRef<LLVM::GEPArg>{*bytes}));
      })
      .Case([&](memref::GetGlobalOp global) -> FailureOr<Value> {
        return Value(
            LLVM::AddressOfOp::create(builder, loc, pointer, global.getName()));
      })
      .Case([&](memref::CastOp castOp) { return valueOf(castOp.getSource()); })
      .Default([](Operation *other) -> FailureOr<Value> {
        return other->emitOpError("expected only launches, views and "
                                  "constants in a planned step");
      });
}

/// Checks the slots of a step's arguments that have uses.
LogicalResult Translator::check(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments()) {
    if (argument.use_empty())
      continue;
    tam::SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
    if (!slot)
      return step.emitOpError("expected a slot of argument ")
             << argument.getArgNumber();
    if (slot.getKind() == SlotKind::Capacity)
      return step.emitOpError("expected 'capacity' to be a constant");
    if (slot.getKind() == SlotKind::Arena && slot.getOffset() != 0)
      return step.emitOpError("expected one memory space");
  }
  return success();
}

/// Checks an op of a step, whether or not a launch uses its result.
LogicalResult Translator::check(Operation &op) {
  if (auto view = dyn_cast<memref::ViewOp>(op))
    return hasViewTable ? success() : LogicalResult(getViewOffset(view));
  if (isa<tamk::LaunchOp, arith::ConstantOp, memref::GetGlobalOp,
          memref::CastOp, func::ReturnOp>(op))
    return success();
  return LogicalResult(makeValue(&op));
}

/// Starts a step's function, whose parameters are those of
/// tamrt_step_function and `more`.
LLVM::LLVMFuncOp Translator::startFunction(func::FuncOp step, StringRef name,
                                           ArrayRef<Type> more) {
  SmallVector<Type> types(StepParameterCount, pointer);
  types[Rows] = types[First] = types[GroupRows] = builder.getI64Type();
  types.append(more.begin(), more.end());
  builder.setInsertionPoint(step);
  auto function = LLVM::LLVMFuncOp::create(
      builder, step.getLoc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types),
      LLVM::Linkage::Internal);
  for (StepParameter position : {Arena, State, Carry}) {
    function.setArgAttr(position, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(TAMRT_ALIGNMENT));
    function.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  }
  builder.setInsertionPointToEnd(function.addEntryBlock(builder));
  return function;
}

/// Starts a part of a step's function and calls it there, with the function's
/// arguments.
FailureOr<LLVM::LLVMFuncOp> Translator::startPart(func::FuncOp step,
                                                  LLVM::LLVMFuncOp function,
                                                  int64_t number) {
  std::string name = (function.getName() + "_part_" + Twine(number)).str();
  if (failed(tam::verifyFreeName(step, name)))
    return failure();
  LLVM::LLVMFuncOp part = startFunction(
      step, name,
      function.getArgumentTypes().drop_front(size_t(StepParameterCount)));
  part.setNoInline(true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&function.getBody().back());
  LLVM::CallOp::create(builder, step.getLoc(), part, function.getArguments());
  return part;
}

LogicalResult Translator::translateBody(func::FuncOp step,
                                        LLVM::LLVMFuncOp function) {
  Block &body = step.getBody().front();
  auto count = llvm::range_size(body.getOps<tamk::LaunchOp>());
  int64_t launches = 0, parts = 0;
  current = function;
  if (failed(check(step)))
    return failure();
  for (Operation &op : body) {
    if (failed(check(op)))
      return failure();
    auto launch = dyn_cast<tamk::LaunchOp>(op);
    if (!launch)
      continue;
    if (count > kPartLaunches && launches++ % kPartLaunches == 0) {
      if (parts > 0)
        LLVM::ReturnOp::create(builder, step.getLoc(), ValueRange());
      FailureOr<LLVM::LLVMFuncOp> part = startPart(step, function, parts++);
      if (failed(part))
        return failure();
      current = *part;
      values.clear();
    }
    if (failed(translate(launch)))
      return failure();
  }
  LLVM::ReturnOp::create(builder, step.getLoc(), ValueRange());
  if (parts > 0) {
    builder.setInsertionPointToEnd(&function.getBody().back());
    LLVM::ReturnOp::create(builder, step.getLoc(), ValueRange());
  }
  values.clear();
  return success();
}

/// Copies the attributes with the step's kind and plan.
void Translator::copyAttributes(func::FuncOp step, LLVM::LLVMFuncOp function) {
  for (StringRef name : {tam::kStepAttrName, tam::kByLevelsAttrName,
                         tam::kSmallBlocksAttrName, tamk::kPlanAttrName})
    if (Attribute value = step->getAttr(name))
      function->setAttr(name, value);
}

/// Translates a step, or rungs that share the code of the first one.
LogicalResult Translator::translate(ArrayRef<func::FuncOp> rungs) {
  for (func::FuncOp step : rungs) {
    if (!step.getBody().hasOneBlock())
      return step.emitOpError("expected a step of one block");
    if (step.getNumResults() > 0)
      return step.emitOpError("expected a step without results, got ")
             << step.getNumResults();
  }
  func::FuncOp first = rungs.front();
  if (rungs.size() == 1) {
    LLVM::LLVMFuncOp function = startFunction(first, first.getName());
    copyAttributes(first, function);
    if (failed(translateBody(first, function)))
      return failure();
    first.erase();
    return success();
  }

  std::string name = (first.getName() + "_rungs").str();
  if (failed(tam::verifyFreeName(first, name)))
    return failure();
  LLVM::LLVMFuncOp shared = startFunction(first, name, pointer);
  shared.setNoInline(true);
  viewPlaces.clear();
  for (auto view : first.getBody().front().getOps<memref::ViewOp>())
    viewPlaces.try_emplace(view, viewPlaces.size());
  hasViewTable = true;
  LogicalResult status = translateBody(first, shared);
  hasViewTable = false;
  if (failed(status))
    return failure();
  for (func::FuncOp step : rungs) {
    FailureOr<SmallVector<int64_t>> offsets = getViewOffsets(step);
    if (failed(offsets))
      return failure();
    std::string tableName = (step.getName() + "_views").str();
    if (failed(tam::verifyFreeName(step, tableName)))
      return failure();
    Location loc = step.getLoc();
    LLVM::GlobalOp table = makeTable(tableName, *offsets);
    LLVM::LLVMFuncOp function = startFunction(step, step.getName());
    copyAttributes(step, function);
    SmallVector<Value> arguments(function.getArguments());
    arguments.push_back(
        LLVM::AddressOfOp::create(builder, loc, pointer, table.getSymName()));
    LLVM::CallOp::create(builder, loc, shared, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }
  for (func::FuncOp step : rungs)
    step.erase();
  return success();
}

/// Turns a generated kernel into a function that chooses, by the machine's
/// level, between the kernel and copies of it for wider vectors. All give the
/// same bits.
LogicalResult
Translator::writeVersions(LLVM::LLVMFuncOp kernel,
                          ArrayRef<KernelVersion> kernelVersions) {
  kernel->removeAttr(tamk::kKernelAttrName);
  Location loc = kernel.getLoc();
  std::string name = kernel.getName().str();
  builder.setInsertionPointAfter(kernel);
  SmallVector<std::pair<int64_t, LLVM::LLVMFuncOp>> versions;
  for (const KernelVersion &version : kernelVersions) {
    std::string versionName = (name + "_" + version.name).str();
    if (failed(tam::verifyFreeName(kernel, versionName)))
      return failure();
    auto copy = cast<LLVM::LLVMFuncOp>(builder.clone(*kernel));
    copy.setName(versionName);
    copy.setTargetFeaturesAttr(
        LLVM::TargetFeaturesAttr::get(builder.getContext(), version.features));
    versions.emplace_back(version.level, copy);
  }
  std::string baselineName = name + "_baseline";
  if (failed(tam::verifyFreeName(kernel, baselineName)))
    return failure();
  kernel.setName(baselineName);
  StringRef ask = "tamrt_cpu_level";
  auto level = module.lookupSymbol<LLVM::LLVMFuncOp>(ask);
  if (!level)
    level = LLVM::LLVMFuncOp::create(
        builder, loc, ask,
        LLVM::LLVMFunctionType::get(builder.getI64Type(), {}));
  auto choice = LLVM::LLVMFuncOp::create(
      builder, loc, name, kernel.getFunctionType(), LLVM::Linkage::Internal);
  builder.setInsertionPointToEnd(choice.addEntryBlock(builder));
  Value known =
      LLVM::CallOp::create(builder, loc, level, ValueRange()).getResult();
  auto callVersion = [&](LLVM::LLVMFuncOp version) {
    LLVM::CallOp::create(builder, loc, version, choice.getArguments());
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  };
  for (auto [needed, version] : versions) {
    Value has = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sge,
                                     known, constant(loc, needed));
    Block *test = builder.getInsertionBlock();
    Block *call = builder.createBlock(&choice.getBody(), choice.end());
    Block *otherwise = builder.createBlock(&choice.getBody(), choice.end());
    builder.setInsertionPointToEnd(test);
    LLVM::CondBrOp::create(builder, loc, has, call, otherwise);
    builder.setInsertionPointToEnd(call);
    callVersion(version);
    builder.setInsertionPointToEnd(otherwise);
  }
  callVersion(kernel);
  return success();
}

LogicalResult Translator::run() {
  FailureOr<std::unique_ptr<Target>> target = targetOf(module);
  if (failed(target))
    return failure();
  ArrayRef<KernelVersion> versions = (*target)->getVersions();
  auto isOne = [&](LLVM::LLVMFuncOp kernel) {
    return versions.empty() || kernel->hasAttr(tamk::kBaselineAttrName);
  };
  for (auto kernel : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
    if (kernel->hasAttr(tamk::kKernelAttrName)) {
      if (!isOne(kernel) && failed(writeVersions(kernel, versions)))
        return failure();
      kernel->removeAttr(tamk::kKernelAttrName);
      kernel->removeAttr(tamk::kBaselineAttrName);
    }
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (failed(translate(global)))
      return failure();
  for (ArrayRef<func::FuncOp> rungs : groupRungs(module))
    if (failed(translate(rungs)))
      return failure();
  return success();
}

namespace {

struct ConvertTamKToLLVM
    : public tamc::impl::ConvertTamKToLLVMBase<ConvertTamKToLLVM> {
  void runOnOperation() override {
    if (failed(Translator(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
