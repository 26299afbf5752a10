//===- BlockLiveness.cpp - names of a buffer in blocks --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLiveness.h"
#include "LiveRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tamc::tamk;

/// The op of a block of `body` that is `op` or has it in its regions.
static Operation *topOf(Region &body, Operation *op) {
  while (op->getParentRegion() != &body)
    op = op->getParentOp();
  return op;
}

/// The values that an op or a branch makes of one of its operands.
static SmallVector<Value> madeOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(user)) {
    SmallVector<Value> made;
    if (auto argument =
            branch.getSuccessorBlockArgument(use.getOperandNumber()))
      made.push_back(*argument);
    return made;
  }
  return SmallVector<Value>(user->getResults());
}

SmallVector<NameSpan> tamc::tamk::spansOfNames(Region &body, Value buffer,
                                               const BufferAliases &aliases) {
  BufferAliases::Values names = aliases.resolve(buffer);
  // An address that is compared names it, too.
  SmallVector<Value> all(names.begin(), names.end());
  DenseSet<Value> needed;
  auto need = [&](Value name) {
    for (Value source : aliases.resolveReverse(name))
      needed.insert(source);
    needed.insert(name);
  };
  for (Value name : names)
    for (Operation *user : name.getUsers()) {
      if (!isTimeless(user))
        need(name);
      if (!isa<memref::ExtractAlignedPointerAsIndexOp>(user))
        continue;
      all.push_back(user->getResult(0));
      if (llvm::any_of(user->getResult(0).getUsers(),
                       llvm::IsaPred<arith::CmpIOp>)) {
        need(name);
        needed.insert(user->getResult(0));
      }
    }

  SmallVector<NameSpan> spans;
  for (Value name : all) {
    if (!needed.contains(name))
      continue;
    Operation *definition = name.getDefiningOp();
    Block *home = name.getParentBlock();
    if (home->getParent() != &body) {
      definition = topOf(body, home->getParentOp());
      home = definition->getBlock();
    } else if (definition) {
      definition = topOf(body, definition);
    }
    llvm::MapVector<Block *, Operation *> last;
    DenseSet<Block *> atBegin, atEnd;
    SmallVector<Block *> work;
    for (OpOperand &use : name.getUses()) {
      Operation *user = use.getOwner();
      bool isComparison = isa<arith::CmpIOp>(user);
      if (!isComparison && isTimeless(user)) {
        // A terminator in a region counts: what it passes on may be needed.
        bool isNested = isTerminator(user) && user->getParentRegion() != &body;
        if (!isNested && llvm::none_of(madeOf(use), [&](Value made) {
              return needed.contains(made);
            }))
          continue;
      }
      Operation *top = topOf(body, user);
      // What it starts lasts until the block waits.
      if (Operation *await = findAwait(top))
        top = await;
      Operation *&latest = last[top->getBlock()];
      if (!latest || latest->isBeforeInBlock(top))
        latest = top;
      if (top->getBlock() != home)
        work.push_back(top->getBlock());
    }
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      if (!atBegin.insert(block).second)
        continue;
      for (Block *before : block->getPredecessors()) {
        atEnd.insert(before);
        if (before != home)
          work.push_back(before);
      }
    }
    for (Block &block : body) {
      bool isHome = &block == home;
      Operation *latest = last.lookup(&block);
      if ((!isHome && !atBegin.contains(&block)) ||
          (!latest && !atEnd.contains(&block)))
        continue;
      spans.push_back({&block, isHome ? definition : nullptr,
                       atEnd.contains(&block) ? nullptr : latest});
    }
  }
  return spans;
}

SmallVector<Operation *>
tamc::tamk::endsWithoutNames(Region &body, ArrayRef<NameSpan> spans) {
  DenseSet<Block *> named;
  for (const NameSpan &span : spans)
    if (!span.to || span.to == span.block->getTerminator())
      named.insert(span.block);
  SmallVector<Operation *> ends;
  for (Block &block : body)
    if (block.getNumSuccessors() > 0 && !named.contains(&block))
      ends.push_back(block.getTerminator());
  return ends;
}
