//===- AfterEachPass.h - results before and after passes --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_PIPELINES_AFTEREACHPASS_H
#define TAMC_TEST_UNIT_PIPELINES_AFTEREACHPASS_H

#include "Sample.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <set>
#include <string>

namespace tamc::reference {

/// Interprets a module after each pass on tam that changes it, and compares the
/// results with those before. Stops at the first pass that changes them.
class AfterEachPass : public mlir::PassInstrumentation {
public:
  /// `before`: what the module gives for `sample`, in chunks of `chunkRows`,
  /// before the first pass. `found` gets the difference; `worked`, unless null,
  /// the passes that changed the module.
  AfterEachPass(const Sample &sample, Results before, int64_t chunkRows,
                std::string &found, std::set<std::string> *worked = nullptr)
      : sample(sample), before(before), first(std::move(before)),
        chunkRows(chunkRows), found(found), worked(worked) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  const Sample &sample;
  Results before, first;
  int64_t chunkRows;
  std::string &found;
  std::set<std::string> *worked;
  std::string text;
};

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_PIPELINES_AFTEREACHPASS_H
