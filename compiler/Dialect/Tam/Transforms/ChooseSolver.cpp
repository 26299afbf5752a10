//===- ChooseSolver.cpp - how each linear system is solved ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCHOOSESOLVER
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

struct ChooseSolver
    : public tamc::tam::impl::TamChooseSolverBase<ChooseSolver> {
  using TamChooseSolverBase::TamChooseSolverBase;

  void runOnOperation() override {
    Solver asked = Solver::Auto;
    if (auto model =
            getOperation()->getAttrOfType<DictionaryAttr>(kModelAttrName))
      if (auto solver = model.getAs<SolverAttr>("solver"))
        asked = solver.getValue();
    getOperation().walk([&](SolveOp op) {
      if (op.getSolver() == Solver::Auto)
        choose(op, asked);
    });
  }

private:
  void choose(SolveOp op, Solver asked) {
    int64_t unknowns =
        cast<RankedTensorType>(op.getVector().getType()).getDimSize(0);
    if (asked == Solver::CG) {
      op.emitError("no kernels yet for solver 'cg', expected 'direct'");
      return signalPassFailure();
    }
    if (asked == Solver::Auto && unknowns > maxDirect) {
      op.emitError("no kernels yet for solver 'cg', which ")
          << unknowns << " coefficients call for, expected at most "
          << maxDirect.getValue() << " or 'solver: direct'";
      return signalPassFailure();
    }
    op.setSolver(Solver::Direct);
  }
};

} // namespace
