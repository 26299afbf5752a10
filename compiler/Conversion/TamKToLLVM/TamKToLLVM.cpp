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
// The rungs of a large step share one function, which reads the offsets of its
// views from a table. A model of sixty terms has forty thousand launches;
// otherwise LLVM would generate code for all of them in each rung.
//
//===----------------------------------------------------------------------===//

#include "../ModelDescription/ModelDescription.h"
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
  LogicalResult translate(ArrayRef<func::FuncOp> rungs);
  FailureOr<Value> viewOffset(memref::ViewOp view);
  LogicalResult translate(Operation *op);
  LogicalResult translate(tamk::LaunchOp op);
  LogicalResult translate(memref::GlobalOp op);
  FailureOr<Value> bindArgument(func::FuncOp step, unsigned index,
                                LLVM::LLVMFuncOp function);
  LLVM::LLVMFuncOp declareKernel(const tamk::Kernel &kernel);

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
  DenseMap<Value, Value> values;
  /// For rungs that share a function: its last argument, which holds the
  /// offsets of the views, and the number of offsets read so far. Null for a
  /// step of its own.
  Value viewOffsets;
  int64_t viewsRead = 0;
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
FailureOr<Value> Translator::bindArgument(func::FuncOp step, unsigned index,
                                          LLVM::LLVMFuncOp function) {
  tam::SlotAttr slot = tam::getArgumentSlot(step, index);
  if (!slot)
    return step.emitOpError("expected a slot of argument ") << index;
  Location loc = step.getArgument(index).getLoc();
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
    return step.emitOpError("expected 'capacity' to be a constant");
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
    if (offset != 0)
      return step.emitOpError("expected one memory space");
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
  llvm_unreachable("all slots are listed");
}

LogicalResult Translator::translate(tamk::LaunchOp op) {
  Location loc = op.getLoc();
  if (op.getGenerated()) {
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(op.getKernel());
    if (!kernel)
      return op.emitOpError("expected a function of the LLVM dialect '")
             << op.getKernel() << "'";
    SmallVector<Value> arguments{
        builder.getBlock()->getParent()->getArgument(Context)};
    for (Value value : op->getOperands())
      arguments.push_back(values.lookup(value));
    LLVM::CallOp::create(builder, loc, kernel, arguments);
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
  LLVM::CallOp::create(builder, loc, declareKernel(kernel), arguments);
  return success();
}

/// Offset of a view in bytes.
FailureOr<Value> Translator::viewOffset(memref::ViewOp view) {
  Location loc = view.getLoc();
  if (viewOffsets) {
    int64_t place = viewsRead++ * int64_t(sizeof(int64_t));
    return Value(LLVM::LoadOp::create(builder, loc, builder.getI64Type(),
                                      advance(loc, viewOffsets, place)));
  }
  FailureOr<int64_t> offset = getViewOffset(view);
  if (failed(offset))
    return failure();
  return constant(loc, *offset);
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
        FailureOr<Value> bytes = viewOffset(view);
        if (failed(bytes))
          return failure();
        values[view] = LLVM::GEPOp::create(
            builder, loc, pointer, builder.getI8Type(),
            values.lookup(view.getSource()), ArrayRef<LLVM::GEPArg>{*bytes});
        return success();
      })
      .Case([&](memref::GetGlobalOp global) -> LogicalResult {
        values[global] =
            LLVM::AddressOfOp::create(builder, loc, pointer, global.getName());
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
      .Default([](Operation *other) {
        return other->emitOpError("expected only launches, views and "
                                  "constants in a planned step");
      });
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

LogicalResult Translator::translateBody(func::FuncOp step,
                                        LLVM::LLVMFuncOp function) {
  for (BlockArgument argument : step.getArguments()) {
    if (argument.use_empty())
      continue;
    FailureOr<Value> value =
        bindArgument(step, argument.getArgNumber(), function);
    if (failed(value))
      return failure();
    values[argument] = *value;
  }
  for (Operation &op : step.getBody().front())
    if (failed(translate(&op)))
      return failure();
  return success();
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
    noteStep(first, function);
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
  viewOffsets = shared.getArgument(StepParameterCount);
  viewsRead = 0;
  LogicalResult status = translateBody(first, shared);
  viewOffsets = {};
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
    builder.setInsertionPoint(step);
    auto table = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI64Type(), offsets->size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, tableName,
        DenseElementsAttr::get(RankedTensorType::get({int64_t(offsets->size())},
                                                     builder.getI64Type()),
                               ArrayRef<int64_t>(*offsets)));
    LLVM::LLVMFuncOp function = startFunction(step, step.getName());
    noteStep(step, function);
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
