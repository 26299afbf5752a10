//===- MemorySpaces.cpp - a choice of memories ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemorySpaces.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// The number of 0 or more that a text is.
static std::optional<int64_t> parseNumber(StringRef text) {
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number < 0)
    return {};
  return number;
}

std::variant<SmallVector<MemorySpace>, std::string>
tamc::tamk::parseMemorySpaces(ArrayRef<std::string> texts,
                              MLIRContext *context) {
  SmallVector<MemorySpace> spaces;
  for (const std::string &text : texts) {
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, ':');
    auto wrong = [&](const Twine &what) {
      return ("in memory space '" + text + "' " + what).str();
    };
    if (parts.size() != 2 && parts.size() != 3)
      return wrong("expected SPACE:COST or SPACE:COST:CAPACITY");
    MemorySpace space;
    if (parts[0] != "default") {
      ScopedDiagnosticHandler silence(context,
                                      [](Diagnostic &) { return success(); });
      space.attribute = parseAttribute(parts[0], context);
      if (!space.attribute)
        return wrong("expected an attribute or 'default', got '" + parts[0] +
                     "'");
    }
    std::optional<int64_t> cost = parseNumber(parts[1]);
    if (!cost)
      return wrong("expected a cost of 0 or more, got '" + parts[1] + "'");
    space.cost = *cost;
    if (parts.size() == 3) {
      space.capacity = parseNumber(parts[2]);
      if (!space.capacity)
        return wrong("expected a capacity of 0 or more, got '" + parts[2] +
                     "'");
    }
    for (const MemorySpace &other : spaces)
      if (other.attribute == space.attribute)
        return wrong("expected another one, it is listed before");
    spaces.push_back(space);
  }
  return spaces;
}

void tamc::tamk::settleSpaces(planning::Problem &problem, planning::Plan &plan,
                              SpaceNumbers &numbers) {
  std::vector<bool> isUsed(problem.spaces.size());
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    if (!plan.spaces.empty())
      buffer.space = plan.spaces[index];
    buffer.choices.clear();
    isUsed[buffer.space] = true;
  }
  // Without buffers one space stays: a problem has one.
  isUsed[0] = isUsed[0] || problem.buffers.empty();
  std::vector<int32_t> renumbered(problem.spaces.size(), -1);
  SpaceNumbers used;
  std::vector<planning::Space> spaces;
  std::vector<int64_t> peak, bound;
  for (auto [key, number] : numbers) {
    if (!isUsed[number])
      continue;
    renumbered[number] = static_cast<int32_t>(spaces.size());
    used.insert({key, renumbered[number]});
    spaces.push_back(problem.spaces[number]);
    peak.push_back(plan.peak[number]);
    bound.push_back(plan.bound[number]);
  }
  for (planning::Buffer &buffer : problem.buffers)
    buffer.space = renumbered[buffer.space];
  problem.spaces = std::move(spaces);
  numbers = std::move(used);
  plan.peak = std::move(peak);
  plan.bound = std::move(bound);
}

/// Whether an op accesses a memory of any space, and has no result that names
/// it.
static bool takesAnySpace(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return false;
  return isa<memref::LoadOp, memref::StoreOp, memref::CopyOp, memref::DeallocOp,
             memref::DimOp, memref::AtomicRMWOp, memref::GenericAtomicRMWOp,
             memref::ExtractAlignedPointerAsIndexOp, affine::AffineLoadOp,
             affine::AffineStoreOp, linalg::LinalgOp>(op) ||
         op->getName().getDialectNamespace() == "vector";
}

Type tamc::tamk::inSpaceOf(Type type, Value value) {
  Attribute space = cast<BaseMemRefType>(value.getType()).getMemorySpace();
  if (auto ranked = dyn_cast<MemRefType>(type))
    return MemRefType::Builder(ranked).setMemorySpace(space);
  if (auto unranked = dyn_cast<UnrankedMemRefType>(type))
    return UnrankedMemRefType::get(unranked.getElementType(), space);
  return type;
}

void tamc::tamk::replaceInSpace(OpBuilder &builder, OpOperand &use, Value to,
                                Value &cast) {
  Operation *user = use.getOwner();
  Value from = use.get();
  auto view = dyn_cast<ViewLikeOpInterface>(user);
  if (takesAnySpace(user) || from.getType() == to.getType()) {
    use.set(to);
  } else if (view && view.getViewSource() == from &&
             use.getOperandNumber() == 0 &&
             !isa<memref::MemorySpaceCastOp>(user)) {
    builder.setInsertionPoint(user);
    Operation *moved = builder.clone(*user);
    moved->setOperand(0, to);
    for (auto [before, after] :
         llvm::zip(user->getResults(), moved->getResults())) {
      if (!isa<BaseMemRefType>(before.getType())) {
        before.replaceAllUsesWith(after);
        continue;
      }
      after.setType(inSpaceOf(after.getType(), to));
      replaceInSpace(builder, before, after);
    }
    user->erase();
  } else {
    if (!cast) {
      builder.setInsertionPointAfterValue(to);
      cast = memref::MemorySpaceCastOp::create(builder, to.getLoc(),
                                               from.getType(), to);
    }
    use.set(cast);
  }
}

void tamc::tamk::replaceInSpace(OpBuilder &builder, Value from, Value to) {
  Value cast;
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses()))
    replaceInSpace(builder, use, to, cast);
}
