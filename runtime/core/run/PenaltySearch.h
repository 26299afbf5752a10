//===- core/run/PenaltySearch.h - the groups of a search for penalties -*- C++
//-*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What searches by any criterion share: the groups, whose scores are computed
/// by several threads, and the memory of a thread. Internal to Tune.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PENALTYSEARCH_H
#define TAMRT_CORE_RUN_PENALTYSEARCH_H

#include "core/device/Device.h"
#include "core/run/Crew.h"
#include "core/run/Tune.h"
#include "io/Parallel.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace tamrt {

/// Memory of one thread.
struct SearchScratch {
  /// Of the threads of a search, from 0.
  size_t thread;
  tamrt_context context = {};
  /// D, and a matrix of D x D.
  size_t columns;
  std::vector<double> matrix;
  std::vector<double> triangle, workspace;

  /// Overwrites `triangle` with the lower triangle of the inverse of `matrix`,
  /// which is overwritten, too, and `logDeterminant` with the logarithm of its
  /// determinant. \returns false after an error of `context`.
  bool invert(double &logDeterminant);
  /// Whether the equations had no solution, which is then no error any more.
  bool forgetFailure();
  /// Overwrites `inverse` with all of it.
  void unpack(std::vector<double> &inverse) const;
};

/// The groups of a search, which may be some of a problem's, and its threads.
class SearchGroups {
public:
  SearchGroups(const TuneProblem &problem, size_t first, size_t count,
               unsigned threads);

  size_t size() const { return count; }
  size_t threads() const { return scratch.size(); }
  const System &operator[](size_t g) const {
    return problem.systems.groups[first + g];
  }
  /// The mean by which the row weights were divided.
  double weightMean(size_t g) const {
    return problem.systems.weightMeans.empty()
               ? 1
               : problem.systems.weightMeans[first + g];
  }
  /// Whether some strength is beyond the default bounds or its limit, so that
  /// there may be no fit (`isFit`).
  bool mustCheck(const std::vector<double> &strengths) const;
  /// Whether no strength is above its limit, and the coefficients of a fit of
  /// group g with these strengths have the residual sum of squares `squares`.
  /// Fits solve their equations as they are: beside penalties beyond those of
  /// the default bounds the rows' sums lose their digits, and searches, which
  /// avoid that, must not choose such a fit.
  bool isFit(size_t g, const std::vector<double> &strengths, double squares,
             SearchScratch &own) const;
  /// The error of a search that begins where there is no fit of group g.
  Error noFit(size_t g, const TuneOptions &options) const;
  /// Checks that the squares of the targets of each group neither overflow nor
  /// vanish. `score` is the name of what needs them.
  Status checkSquares(const char *score) const;
  /// An error that names the group.
  Error errorOf(size_t g, const std::string &message) const;

  /// Calls body(g, scratch), which returns false after an error of the
  /// scratch's context, for each group, on several threads. The error is that
  /// of the first group that has one.
  template <class Body> Status forEach(const Body &body) {
    std::vector<tamrt_context> failures(count);
    std::atomic<size_t> next = 0;
    forEachPiece(unsigned(scratch.size()), [&](unsigned piece) {
      SearchScratch &own = scratch[piece];
      for (size_t g; (g = next++) < count;) {
        own.context.status = TAMRT_OK;
        if (!body(g, own))
          failures[g] = own.context;
      }
    });
    for (size_t g = 0; g < count; ++g)
      if (failures[g].status != TAMRT_OK)
        return describe(problem.model, problem.names[first + g], failures[g]);
    return {};
  }

  const TuneProblem &problem;

private:
  size_t first, count;
  std::vector<SearchScratch> scratch;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PENALTYSEARCH_H
