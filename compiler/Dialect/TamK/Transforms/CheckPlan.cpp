//===- CheckPlan.cpp - instruments a planned program ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "BlockLiveness.h"
#include "EntrySizes.h"
#include "LiveRanges.h"

#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

namespace tamc::tamk {
#define GEN_PASS_DEF_CHECKPLAN
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc::tamk;

namespace {

/// The two functions that instrumented code calls.
struct Helpers {
  func::FuncOp claim, owns;
};

/// One function's instrumentation.
class Instrumentation {
public:
  Instrumentation(func::FuncOp function, Helpers helpers)
      : function(function), helpers(helpers), aliases(function),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  /// A planned buffer: its view, the shadow of its arena, its bytes.
  struct Buffer {
    memref::ViewOp view;
    Value shadow;
    /// A constant, or a value defined after the view.
    std::optional<int64_t> bytes;
    Value dynamicBytes;
    /// The op of the innermost block with the view and all uses that has the
    /// view, which may be the function; null if that is the view's own block.
    Operation *holder = nullptr;
  };

  Value makeTable(Value like, int64_t count, Type element);
  void checkBounds(Buffer &buffer);
  func::CallOp call(Location loc, func::FuncOp callee, const Buffer &buffer);
  Value rowOf(Location loc, const Buffer &buffer);
  Value loadPresent(Location loc, const Buffer &buffer);
  void setPresent(Location loc, const Buffer &buffer, bool value);
  void claim(Location loc, const Buffer &buffer);
  Value owns(Location loc, const Buffer &buffer);
  void begin(const Buffer &buffer);
  void check(Operation *use, ArrayRef<const Buffer *> buffers);

  func::FuncOp function;
  Helpers helpers;
  BufferAliases aliases;
  OpBuilder builder;
  /// For each row of the plan, whether the buffer has taken ownership of its
  /// bytes.
  Value claimed;
  /// For each row whose buffer is used outside the block of its view, whether
  /// it was allocated since that block was entered, and its bytes.
  Value present, sizes;
};

struct CheckPlan : public tamc::tamk::impl::CheckPlanBase<CheckPlan> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> planned;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kPlanAttrName) && !function.isExternal())
        planned.push_back(function);
    if (planned.empty())
      return;
    Helpers helpers = makeHelpers(getOperation());
    for (func::FuncOp function : planned) {
      if (failed(Instrumentation(function, helpers).run()))
        return signalPassFailure();
      function->removeAttr(kPlanAttrName);
    }
  }

private:
  static Helpers makeHelpers(ModuleOp module);
};

} // namespace

/// `claim(shadow, claimed, begin, bytes, owner)` sets the owner of each byte
/// unless `claimed[owner]`. `owns(shadow, claimed, begin, bytes, owner)`
/// returns whether it is still the owner of each byte.
Helpers CheckPlan::makeHelpers(ModuleOp module) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = builder.getUnknownLoc();
  Type index = builder.getIndexType(), i1 = builder.getI1Type();
  auto shadow = MemRefType::get({ShapedType::kDynamic}, index);
  auto flags = MemRefType::get({ShapedType::kDynamic}, i1);
  SymbolTable symbols(module);
  auto make = [&](StringRef name, TypeRange results) {
    auto function = func::FuncOp::create(
        loc, name,
        builder.getFunctionType({shadow, flags, index, index, index}, results));
    function.setPrivate();
    symbols.insert(function);
    builder.setInsertionPointToStart(function.addEntryBlock());
    return function;
  };
  auto overBytes = [&](func::FuncOp function, ValueRange carried) {
    Value begin = function.getArgument(2);
    Value end =
        arith::AddIOp::create(builder, loc, begin, function.getArgument(3));
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    return scf::ForOp::create(builder, loc, begin, end, one, carried);
  };

  Helpers helpers;
  Value yes;
  helpers.claim = make("__plan_claim", {});
  {
    Value claimed =
        memref::LoadOp::create(builder, loc, helpers.claim.getArgument(1),
                               helpers.claim.getArgument(4));
    yes = arith::ConstantIntOp::create(builder, loc, i1, 1);
    Value isNew = arith::XOrIOp::create(builder, loc, claimed, yes);
    auto branch = scf::IfOp::create(builder, loc, isNew,
                                    /*withElseRegion=*/false);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(builder, loc, yes, helpers.claim.getArgument(1),
                            helpers.claim.getArgument(4));
    scf::ForOp loop = overBytes(helpers.claim, {});
    builder.setInsertionPointToStart(loop.getBody());
    memref::StoreOp::create(builder, loc, helpers.claim.getArgument(4),
                            helpers.claim.getArgument(0),
                            loop.getInductionVar());
  }

  helpers.owns = make("__plan_owns", i1);
  yes = arith::ConstantIntOp::create(builder, loc, i1, 1);
  scf::ForOp loop = overBytes(helpers.owns, yes);
  func::ReturnOp::create(builder, loc, loop.getResults());
  builder.setInsertionPointToStart(loop.getBody());
  Value found = memref::LoadOp::create(
      builder, loc, helpers.owns.getArgument(0), loop.getInductionVar());
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     found, helpers.owns.getArgument(4));
  Value all = arith::AndIOp::create(builder, loc, same,
                                    loop.getRegionIterArgs().front());
  scf::YieldOp::create(builder, loc, all);
  return helpers;
}

static int64_t rowOf(memref::ViewOp view) {
  return view->getAttrOfType<IntegerAttr>(kBufferAttrName).getInt();
}

/// Memory of `count` elements, or of one element for each byte of `like`, which
/// lives until the function returns.
Value Instrumentation::makeTable(Value like, int64_t count, Type element) {
  Location loc = function.getLoc();
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> size;
  if (ShapedType::isDynamic(count)) {
    builder.setInsertionPointAfterValue(like);
    size.push_back(memref::DimOp::create(builder, loc, like, 0));
  }
  auto alloc = memref::AllocOp::create(builder, loc,
                                       MemRefType::get({count}, element), size);
  Value table = memref::CastOp::create(
      builder, loc, MemRefType::get({ShapedType::kDynamic}, element), alloc);
  freeAtEnd(function, alloc);
  return table;
}

Value Instrumentation::rowOf(Location loc, const Buffer &buffer) {
  return arith::ConstantIndexOp::create(builder, loc, ::rowOf(buffer.view));
}

func::CallOp Instrumentation::call(Location loc, func::FuncOp callee,
                                   const Buffer &buffer) {
  memref::ViewOp view = buffer.view;
  Value bytes = buffer.dynamicBytes;
  if (buffer.bytes)
    bytes = arith::ConstantIndexOp::create(builder, loc, *buffer.bytes);
  else if (buffer.holder)
    bytes = memref::LoadOp::create(builder, loc, sizes, rowOf(loc, buffer));
  // The constant of a view in a branch is in the branch.
  Value shift = view.getByteShift();
  if (std::optional<int64_t> constant = getConstantIntValue(shift);
      constant && buffer.holder)
    shift = arith::ConstantIndexOp::create(builder, loc, *constant);
  return func::CallOp::create(
      builder, loc, callee,
      ValueRange{buffer.shadow, claimed, shift, bytes, rowOf(loc, buffer)});
}

Value Instrumentation::loadPresent(Location loc, const Buffer &buffer) {
  return memref::LoadOp::create(builder, loc, present, rowOf(loc, buffer));
}

void Instrumentation::setPresent(Location loc, const Buffer &buffer,
                                 bool value) {
  Value flag =
      arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), value);
  memref::StoreOp::create(builder, loc, flag, present, rowOf(loc, buffer));
}

/// A new allocation owns no bytes yet.
void Instrumentation::begin(const Buffer &buffer) {
  memref::ViewOp view = buffer.view;
  Location loc = view.getLoc();
  builder.setInsertionPointAfter(view);
  Value no = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
  memref::StoreOp::create(builder, loc, no, claimed, rowOf(loc, buffer));
  if (!buffer.holder)
    return;
  setPresent(loc, buffer, true);
  if (!buffer.bytes) {
    builder.setInsertionPointAfterValue(buffer.dynamicBytes);
    memref::StoreOp::create(builder, loc, buffer.dynamicBytes, sizes,
                            rowOf(loc, buffer));
  }
  if (buffer.holder != function) {
    builder.setInsertionPoint(buffer.holder);
    setPresent(loc, buffer, false);
    return;
  }
  builder.setInsertionPointAfterValue(present);
  setPresent(loc, buffer, false);
  // A value of a later block may name the buffer, or another one: then this one
  // is there no longer.
  Region &body = function.getBody();
  for (Operation *end :
       endsWithoutNames(body, spansOfNames(body, view.getResult(), aliases))) {
    builder.setInsertionPoint(end);
    setPresent(loc, buffer, false);
  }
}

void Instrumentation::claim(Location loc, const Buffer &buffer) {
  if (!buffer.holder) {
    call(loc, helpers.claim, buffer);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, loadPresent(loc, buffer),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  call(loc, helpers.claim, buffer);
}

/// Whether the buffer owns its bytes, or is not there.
Value Instrumentation::owns(Location loc, const Buffer &buffer) {
  if (!buffer.holder)
    return call(loc, helpers.owns, buffer).getResult(0);
  auto branch = scf::IfOp::create(builder, loc, builder.getI1Type(),
                                  loadPresent(loc, buffer),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value isOwner = call(loc, helpers.owns, buffer).getResult(0);
  scf::YieldOp::create(builder, loc, isOwner);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value yes =
      arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  scf::YieldOp::create(builder, loc, yes);
  return branch.getResult(0);
}

void Instrumentation::check(Operation *use, ArrayRef<const Buffer *> buffers) {
  builder.setInsertionPoint(use);
  Location loc = use->getLoc();
  // All claims come before the checks: if two buffers that the op uses overlap,
  // the check of one of them fails.
  for (const Buffer *buffer : buffers)
    claim(loc, *buffer);
  for (const Buffer *buffer : buffers)
    cf::AssertOp::create(
        builder, loc, owns(loc, *buffer),
        ("wrong memory plan: '" + use->getName().getStringRef() + "' in '" +
         function.getName() + "' uses buffer " + Twine(::rowOf(buffer->view)) +
         ", whose bytes another buffer took")
            .str());
}

/// Whether offset, bytes and arena of a view are constants.
static bool isStatic(memref::ViewOp view) {
  return view.getType().hasStaticShape() &&
         cast<MemRefType>(view.getSource().getType()).hasStaticShape() &&
         getConstantIntValue(view.getByteShift());
}

/// Checks that a view whose offset, bytes and arena are constants lies in its
/// arena.
static LogicalResult verifyBounds(memref::ViewOp view, int64_t bytes) {
  int64_t begin = *getConstantIntValue(view.getByteShift());
  int64_t arena = cast<MemRefType>(view.getSource().getType()).getDimSize(0);
  if (begin < 0 || begin > arena || bytes > arena - begin)
    return view.emitError("wrong memory plan: buffer ")
           << ::rowOf(view) << " begins at byte " << begin << " and takes "
           << bytes << " of an arena of " << arena;
  return success();
}

/// Adds code after a view that aborts if the view is not in its arena: its
/// bytes would have no shadow.
void Instrumentation::checkBounds(Buffer &buffer) {
  memref::ViewOp view = buffer.view;
  Location loc = view.getLoc();
  builder.setInsertionPointAfter(view);
  Value bytes = arith::ConstantIndexOp::create(
      builder, loc,
      *elementBytes(view.getType()) *
          std::accumulate(view.getType().getShape().begin(),
                          view.getType().getShape().end(), int64_t(1),
                          [](int64_t product, int64_t size) {
                            return ShapedType::isDynamic(size) ? product
                                                               : product * size;
                          }));
  for (Value size : view.getSizes())
    bytes = arith::MulIOp::create(builder, loc, bytes, size);
  if (!buffer.bytes)
    buffer.dynamicBytes = bytes;
  // All of these must be at least 0: the offset, the bytes, the bytes of the
  // arena after the offset, and those after the view. The last can wrap around
  // only if one of the others is negative.
  Value begin = view.getByteShift();
  Value arena = memref::DimOp::create(builder, loc, view.getSource(), 0);
  Value behind = arith::SubIOp::create(builder, loc, arena, begin);
  Value rest = arith::SubIOp::create(builder, loc, behind, bytes);
  Value any = begin;
  for (Value each : {bytes, behind, rest})
    any = arith::OrIOp::create(builder, loc, any, each);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, any, zero);
  cf::AssertOp::create(builder, loc, inside,
                       ("wrong memory plan: buffer " + Twine(::rowOf(view)) +
                        " in '" + function.getName() +
                        "' reaches over the end of its arena")
                           .str());
}

LogicalResult Instrumentation::run() {
  SmallVector<Buffer> buffers;
  auto plan = function->getAttrOfType<PlanAttr>(kPlanAttrName);
  const int64_t rows = plan.getBuffers().size();
  WalkResult walked = function.walk([&](memref::ViewOp view) -> WalkResult {
    if (!view->hasAttr(kBufferAttrName))
      return WalkResult::advance();
    if (::rowOf(view) >= rows)
      return view.emitError("wrong memory plan: expected one of ")
             << rows << " buffers, got buffer " << ::rowOf(view);
    std::optional<int64_t> bytes = bytesOf(view.getType());
    if (!elementBytes(view.getType()) ||
        (!bytes && view.getType().hasStaticShape()))
      return view.emitError("wrong memory plan: the bytes of buffer ")
             << ::rowOf(view) << " are not known";
    buffers.push_back({view, {}, bytes, {}, {}});
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  llvm::MapVector<Operation *, SmallVector<const Buffer *>> uses;
  bool hasHolders = false;
  for (Buffer &buffer : buffers) {
    if (isStatic(buffer.view) &&
        failed(verifyBounds(buffer.view, *buffer.bytes)))
      return failure();
    SetVector<Operation *> users;
    Operation *holder = buffer.view;
    for (Value alias :
         aliases.resolve(memref::ViewOp(buffer.view).getResult())) {
      for (Operation *user : alias.getUsers())
        if (!isTimeless(user) && users.insert(user))
          uses[user].push_back(&buffer);
      // A loop carries it to the next iteration.
      if (auto argument = dyn_cast<BlockArgument>(alias))
        while (argument.getOwner()->getParentOp()->isProperAncestor(holder))
          holder = holder->getParentOp();
    }
    for (Operation *user : users)
      while (!holder->getBlock()->findAncestorOpInBlock(*user))
        holder = holder->getParentOp();
    if (holder != buffer.view) {
      buffer.holder = holder;
      hasHolders = true;
    }
  }

  if (buffers.empty())
    return success();
  if (hasHolders) {
    present = makeTable({}, rows, builder.getI1Type());
    sizes = makeTable({}, rows, builder.getIndexType());
  }
  claimed = makeTable({}, rows, builder.getI1Type());
  DenseMap<Value, Value> shadows;
  for (Buffer &buffer : buffers) {
    Value arena = buffer.view.getSource();
    Value &shadow = shadows[arena];
    if (!shadow)
      shadow = makeTable(arena, cast<MemRefType>(arena.getType()).getDimSize(0),
                         builder.getIndexType());
    buffer.shadow = shadow;
  }
  for (Buffer &buffer : buffers)
    if (!isStatic(buffer.view))
      checkBounds(buffer);
  for (auto &[use, used] : uses)
    check(use, used);
  for (const Buffer &buffer : buffers)
    begin(buffer);
  return success();
}
