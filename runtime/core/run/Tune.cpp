//===- core/run/Tune.cpp - choosing penalties -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Tune.h"

#include "core/run/Gcv.h"

namespace tamrt {

Result<TuneResult> tune(const TuneProblem &problem, std::vector<double> start,
                        const TuneOptions &options, const TuneReport &report) {
  SearchGroups groups(problem, 0, problem.systems.groups.size(),
                      options.threads);
  return minimizeGcv(groups, std::move(start), options, report);
}

} // namespace tamrt
