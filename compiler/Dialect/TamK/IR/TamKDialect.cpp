//===- TamKDialect.cpp - the tamk dialect -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/ListParameter.h"
#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamc/Dialect/TamK/IR/Launches.h"
#include "tamc/Dialect/TamK/IR/LoopBuffers.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tamc::tamk;

#include "tamc/Dialect/TamK/IR/TamKDialect.cpp.inc"

#include "tamc/Dialect/TamK/IR/TamKEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tamc/Dialect/TamK/IR/TamKAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "tamc/Dialect/TamK/IR/TamKOps.cpp.inc"

//===----------------------------------------------------------------------===//
// The plan of an arena
//===----------------------------------------------------------------------===//

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, StringRef op, StringRef term,
                                 int64_t bytes, StringRef size, int64_t offset,
                                 int64_t first, int64_t last, int64_t space) {
  // buffer_c1
  if (bytes < 0 || offset < 0 || first < 0 || last < first)
    return emitError() << "expected bytes, an offset and launches in order, "
                          "none below 0";
  return success();
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t arenaBytes, int64_t alignment,
                               int64_t lowerBoundBytes, int64_t naiveBytes,
                               int64_t length, Reuse reuse, StringRef strategy,
                               std::optional<int64_t> sizesAt,
                               ArrayRef<BufferAttr> buffers) {
  // plan_c1
  if (std::min({arenaBytes, lowerBoundBytes, naiveBytes, length,
                sizesAt.value_or(0)}) < 0)
    return emitError() << "expected no number below 0";
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitError() << "expected a power of two as the alignment, got "
                       << alignment;
  // plan_c2
  for (BufferAttr buffer : buffers)
    if (buffer.getBytes() > arenaBytes ||
        buffer.getOffset() > arenaBytes - buffer.getBytes())
      return emitError() << "buffer '" << buffer.getName()
                         << "' ends beyond the arena's " << arenaBytes
                         << " bytes";
  return success();
}

std::string PlanAttr::getMethod() {
  std::string method = getStrategy().str();
  if (getReuse() == Reuse::BranchSafe)
    method += ", reuse branch-safe";
  return method;
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

void TamKDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tamc/Dialect/TamK/IR/TamKAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tamc/Dialect/TamK/IR/TamKOps.cpp.inc"
      >();
}

LogicalResult TamKDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kBufferAttrName) {
    if (!isa<memref::ViewOp>(op)) // plan_c4
      return op->emitError("'") << name << "' belongs on a 'memref.view'";
    auto row = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!row || !row.getType().isSignlessInteger(64) ||
        row.getInt() < 0) // plan_c4
      return op->emitError("'")
             << name << "' must be a row of the plan, an i64";
    return success();
  }
  if (name == kKernelAttrName || name == kBaselineAttrName ||
      name == kCpuCodeAttrName || name == kRunsTableAttrName) {
    if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError("'") << name << "' belongs on a function, as a unit";
    return success();
  }
  if (name == kLaunchesOfAttrName) {
    if (!isa<FunctionOpInterface>(op) || !isa<StringAttr>(attribute.getValue()))
      return op->emitError("'")
             << name << "' belongs on a function, as a string";
    return success();
  }
  if (name == kTableAttrName) {
    if (!isa<FunctionOpInterface>(op) ||
        !isa<FlatSymbolRefAttr>(attribute.getValue()))
      return op->emitError("'")
             << name << "' belongs on a function, as a symbol";
    return success();
  }
  if (name == kRarityAttrName) {
    auto cases = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::IfOp>(op) || !cases || !cases.getType().isInteger(32) ||
        cases.getInt() < 1)
      return op->emitError("'")
             << name << "' belongs on an 'scf.if', as an i32 from 1 on";
    return success();
  }
  if (name != kPlanAttrName)
    return op->emitError("unknown attribute '")
           << name << "' of the tamk dialect";
  // plan_c3
  if (!isa<FunctionOpInterface>(op) || !isa<PlanAttr>(attribute.getValue()))
    return op->emitError("'")
           << name << "' belongs on a function, as a #tamk.plan";
  return success();
}

SymbolRefAttr tamc::tamk::rowLoopSymbol(StringAttr loop) {
  auto *context = loop.getContext();
  return SymbolRefAttr::get(StringAttr::get(context, kRowLoopsName),
                            FlatSymbolRefAttr::get(loop));
}

ModuleOp tamc::tamk::findRowLoops(ModuleOp module) {
  return module.lookupSymbol<ModuleOp>(kRowLoopsName);
}

bool tamc::tamk::isRowLoops(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module && module->getParentOp() && module.getSymName() &&
         *module.getSymName() == kRowLoopsName;
}

int64_t tamc::tamk::countLaunchOperands(Operation *step) {
  int64_t operands = 0;
  for (auto launch : step->getRegion(0).getOps<LaunchOp>())
    operands += launch->getNumOperands();
  return operands;
}

bool tamc::tamk::fitsRowLoop(Type type, Type actual) {
  auto shaped = dyn_cast<ShapedType>(actual);
  if (!shaped)
    return type == actual;
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType() == shaped.getElementType() &&
         shaped.hasRank() &&
         succeeded(verifyCompatibleShape(memref.getShape(), shaped.getShape()));
}

LogicalResult tamc::tamk::verifyLoopBuffers(ModuleOp loops) {
  auto isRefused = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return isa<BaseMemRefType>(type);
    Type number = memref.getElementType();
    return memref.getRank() != 1 || !memref.isLastDimUnitStride() ||
           !number.isIntOrFloat() || number.getIntOrFloatBitWidth() % 8 != 0;
  };
  WalkResult result = loops.walk([&](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    if (auto global = dyn_cast<memref::GlobalOp>(op))
      types.push_back(global.getType());
    auto *refused = llvm::find_if(types, isRefused);
    if (refused == types.end())
      return WalkResult::advance();
    return op->emitOpError("expected buffers of rank 1 and of contiguous "
                           "numbers in a row loop, got ")
           << *refused;
  });
  return failure(result.wasInterrupted());
}

/// Null for buffers of any type.
static Type elementType(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::Any:
    return {};
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::I32:
    return IntegerType::get(context, 32);
  case ElementType::I64:
    return IntegerType::get(context, 64);
  }
  llvm_unreachable("all element types are listed");
}

/// The parameter that each of `count` operands is bound to, given the kernel's
/// parameters of that group and the absent ones among them; failure if the
/// counts do not match.
static FailureOr<SmallVector<const KernelParameter *>>
bindParameters(ArrayRef<KernelParameter> parameters, size_t count,
               ArrayRef<int32_t> absent) {
  for (auto [index, position] : llvm::enumerate(absent))
    if (position < 0 || position >= static_cast<int64_t>(parameters.size()) ||
        parameters[position].kind != ParameterKind::InOptional ||
        llvm::is_contained(absent.take_front(index), position))
      return failure();
  SmallVector<const KernelParameter *> bound;
  for (const auto &[position, parameter] : llvm::enumerate(parameters)) {
    if (llvm::is_contained(absent, static_cast<int32_t>(position)))
      continue;
    if (parameter.kind == ParameterKind::InList)
      while (bound.size() < count)
        bound.push_back(&parameter);
    else
      bound.push_back(&parameter);
  }
  if (bound.size() != count)
    return failure();
  return bound;
}

/// Whether an op is code of a row loop.
static bool isInRowLoop(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && isRowLoops(module);
}

/// Whether the elements of a memref lie one after another; where the first one
/// is does not matter.
static bool isContiguous(MemRefType type) {
  auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (!layout)
    return false;
  int64_t expected = 1;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(type.getShape(), layout.getStrides()))) {
    if (stride != expected)
      return false;
    expected = ShapedType::isDynamic(size) || ShapedType::isDynamic(expected)
                   ? ShapedType::kDynamic
                   : expected * size;
  }
  return true;
}

/// Checks the operands of a launch, independent of its kernel.
static LogicalResult verifyForms(LaunchOp op) {
  bool anyTensor = false, anyMemRef = false;
  for (Type type : op->getOperandTypes()) {
    anyTensor |= isa<TensorType>(type);
    if (auto memref = dyn_cast<MemRefType>(type)) {
      anyMemRef = true;
      bool isLayout = memref.getLayout().isIdentity() ||
                      (isContiguous(memref) && isInRowLoop(op));
      if (!isLayout) // launch_c5
        return op.emitOpError("expected the identity layout, got ") << memref;
    }
  }
  if (anyTensor && anyMemRef) // launch_c4
    return op.emitOpError("expected tensors or memrefs, got both");
  TypeRange expectedResults =
      anyTensor ? TypeRange(op.getInits().getTypes()) : TypeRange();
  if (op.getNumResults() != expectedResults.size()) // launch_c4
    return op.emitOpError("expected ")
           << expectedResults.size()
           << " results of the destinations' types, got " << op.getNumResults();
  for (auto [index, expected, actual] :
       llvm::enumerate(expectedResults, op.getResultTypes()))
    if (actual != expected) // launch_c4
      return op.emitOpError("expected result ")
             << index << " of " << expected << ", got " << actual;
  return success();
}

LogicalResult LaunchOp::verify() {
  ArrayRef<int32_t> absent = getAbsent() ? *getAbsent() : ArrayRef<int32_t>();
  const Kernel *kernel = lookupKernel(getKernel());
  if (getGenerated()) {
    if (!absent.empty()) // launch_c6
      return emitOpError("expected all inputs of a generated kernel");
    return verifyForms(*this);
  }
  if (!kernel) // launch_c1
    return emitOpError("expected a kernel of the runtime, got '")
           << getKernel() << "'";
  struct Group {
    StringRef name;
    OperandRange operands;
    ArrayRef<KernelParameter> parameters;
    ArrayRef<int32_t> absent;
  } groups[] = {{"inputs", getInputs(), kernel->inputs(), absent},
                {"scalars", getScalars(), kernel->scalars(), {}},
                {"destinations", getInits(), kernel->outputs(), {}}};
  for (const Group &group : groups) {
    auto bound =
        bindParameters(group.parameters, group.operands.size(), group.absent);
    if (failed(bound)) // launch_c2
      return emitOpError("expected ")
             << group.parameters.size() << " " << group.name << " of '"
             << getKernel() << "', got " << group.operands.size()
             << " and absent " << group.absent.size();
    for (auto [operand, parameter] : llvm::zip(group.operands, *bound)) {
      Type expected = elementType(parameter->type, getContext());
      if (!expected)
        continue;
      Type actual = getElementTypeOrSelf(operand.getType());
      bool isCount = actual.isIndex() && expected.isInteger(64) &&
                     parameter->kind == ParameterKind::Scalar;
      if (actual != expected && !isCount) // launch_c3
        return emitOpError("expected ")
               << expected << " for '" << parameter->name << "', got "
               << operand.getType();
    }
  }
  return verifyForms(*this);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getGenerated())
    return success();
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, rowLoopSymbol(getKernelAttr()));
  if (!kernel) // launch_c1
    return emitOpError("expected a row loop '") << getKernel() << "'";
  if (kernel.getNumArguments() != getNumOperands()) // launch_c1
    return emitOpError("expected a row loop of ")
           << getNumOperands() << " arguments, got '" << getKernel() << "' of "
           << kernel.getNumArguments();
  for (auto [type, operand] :
       llvm::zip(kernel.getArgumentTypes(), getOperandTypes()))
    if (!fitsRowLoop(type, operand)) // launch_c7
      return emitOpError("expected a row loop that takes ")
             << operand << ", got '" << getKernel() << "' with " << type;
  return success();
}

bool LaunchOp::readsInit(unsigned index) {
  return getGenerated() || lookupKernel(getKernel())->outputs()[index].kind ==
                               ParameterKind::InOut;
}

StringRef LaunchOp::getInitName(unsigned index) {
  return getGenerated() ? StringRef("sums")
                        : lookupKernel(getKernel())->outputs()[index].name;
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (auto [index, operand] : llvm::enumerate(getInitsMutable())) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (readsInit(index))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), &operand,
                         SideEffects::DefaultResource::get());
  }
}
