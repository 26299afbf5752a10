//===- core/run/PenaltySearch.cpp - the groups of a search for penalties --===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PenaltySearch.h"

#include <algorithm>

namespace tamrt {

bool SearchScratch::invert(double &logDeterminant) {
  const size_t d = columns;
  double numbers[2];
  context.kernels->cholesky_inverse(&context, int64_t(d), matrix.data(),
                                    triangle.data(), numbers, workspace.data());
  if (context.status != TAMRT_OK)
    return false;
  logDeterminant = numbers[0];
  return true;
}

void SearchScratch::unpack(std::vector<double> &inverse) const {
  const size_t d = columns;
  inverse.resize(d * d);
  // Tiles, so that the columns that are written stay in the first-level cache.
  constexpr size_t kTile = 16;
  for (size_t top = 0; top < d; top += kTile)
    for (size_t left = 0; left <= top; left += kTile)
      for (size_t i = top; i < std::min(top + kTile, d); ++i) {
        const double *row = triangle.data() + i * (i + 1) / 2;
        for (size_t k = left; k < std::min(left + kTile, i + 1); ++k)
          inverse[i * d + k] = inverse[k * d + i] = row[k];
      }
}

SearchGroups::SearchGroups(const TuneProblem &problem, size_t first,
                           size_t count, unsigned threads)
    : problem(problem), first(first), count(count),
      scratch(chooseThreads(threads, count, 1)) {
  const auto d = size_t(problem.model.columns);
  for (size_t thread = 0; thread < scratch.size(); ++thread) {
    SearchScratch &own = scratch[thread];
    own.thread = thread;
    own.context.kernels = Device::cpu().kernels();
    own.columns = d;
    own.matrix.resize(d * d);
    own.triangle.resize(size_t(triangleSize(int64_t(d))));
    own.workspace.resize(size_t(TAMRT_INVERSE_WORKSPACE(d)));
  }
}

Error SearchGroups::errorOf(size_t g, const std::string &message) const {
  return Error{(problem.model.group
                    ? "group '" + problem.names[first + g] + "': "
                    : "") +
               message};
}

} // namespace tamrt
