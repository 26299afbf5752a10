//===- AfterEachPass.cpp - results before and after passes ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AfterEachPass.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tamc::reference;

void AfterEachPass::runBeforePass(Pass *, Operation *op) {
  text.clear();
  llvm::raw_string_ostream(text) << *op;
}

void AfterEachPass::runAfterPass(Pass *pass, Operation *op) {
  std::string after;
  llvm::raw_string_ostream(after) << *op;
  if (after == text || !found.empty())
    return;
  if (worked)
    worked->insert(pass->getArgument().str());
  auto results = Results::of(cast<ModuleOp>(op), sample, chunkRows);
  if (failed(results)) {
    found = "after " + pass->getArgument().str() + ": cannot be interpreted";
    return;
  }
  // What the first module did not have must not change from here on.
  found = first.findDifference(*results);
  if (found.empty())
    found = before.findDifference(*results);
  if (!found.empty())
    found = "after " + pass->getArgument().str() + ": " + found;
  before = std::move(*results);
}
