//===- core/run/Tune.cpp - choosing penalties -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Tune.h"

#include "core/run/Gcv.h"
#include "core/run/Reml.h"
#include "io/Parallel.h"

#include <atomic>
#include <optional>

namespace tamrt {
namespace {

/// Searches for the penalties of some groups in common.
class Search {
public:
  Search(const TuneProblem &problem, const std::vector<double> &start,
         const TuneOptions &options)
      : problem(problem), start(start), options(options) {}

  /// Must be called first.
  Status prepare() {
    if (options.criterion != Criterion::Reml)
      return {};
    basis = PenaltyBasis::find(problem.penalties);
    if (!basis)
      return Error{"expected penalties of products that are sums of Kronecker "
                   "products, got others"};
    return {};
  }

  Result<TuneResult> run(size_t first, size_t count, unsigned threads,
                         const TuneReport &report) const {
    SearchGroups groups(problem, first, count, threads);
    return options.criterion == Criterion::Reml
               ? minimizeReml(groups, *basis, options, report)
               : minimizeGcv(groups, start, options, report);
  }

private:
  const TuneProblem &problem;
  const std::vector<double> &start;
  const TuneOptions &options;
  std::optional<PenaltyBasis> basis;
};

} // namespace

int64_t tuneBytesPerGroup(const tamrt_model &model, Criterion criterion) {
  const int64_t d = model.columns;
  const int64_t numbers =
      d * d + d + (criterion == Criterion::Gcv ? triangleSize(d) : 0);
  return numbers * int64_t(sizeof(double));
}

Result<std::vector<TuneResult>> tune(const TuneProblem &problem,
                                     const std::vector<double> &start,
                                     const TuneOptions &options,
                                     const TuneReport &report) {
  const size_t count = problem.systems.groups.size();
  Search search(problem, start, options);
  if (Status s = search.prepare(); !s)
    return std::move(s).error();
  std::vector<TuneResult> found;
  if (!options.perGroup) {
    Result<TuneResult> result = search.run(0, count, options.threads, report);
    if (!result)
      return std::move(result).error();
    found.push_back(*std::move(result));
    return found;
  }
  std::vector<std::optional<Result<TuneResult>>> results(count);
  std::atomic<size_t> next = 0;
  forEachPiece(chooseThreads(options.threads, count, 1), [&](unsigned piece) {
    for (size_t g; (g = next++) < count;)
      results[g] = search.run(g, 1, 1, [&](TuneProgress now) {
        // The caller's thread alone shows progress.
        now.group = g;
        if (piece == 0)
          report(now);
      });
  });
  for (std::optional<Result<TuneResult>> &result : results) {
    if (!*result)
      return std::move(*result).error();
    found.push_back(**std::move(result));
  }
  return found;
}

} // namespace tamrt
