//===- core/run/PenaltySearch.cpp - the groups of a search for penalties --===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PenaltySearch.h"

namespace tamrt {

bool SearchScratch::invert(std::vector<double> &inverse,
                           double &logDeterminant) {
  const size_t d = columns;
  double numbers[2];
  context.kernels->cholesky_inverse(&context, int64_t(d), matrix.data(),
                                    triangle.data(), numbers, workspace.data());
  if (context.status != TAMRT_OK)
    return false;
  logDeterminant = numbers[0];
  inverse.resize(d * d);
  const double *next = triangle.data();
  for (size_t i = 0; i < d; ++i)
    for (size_t k = 0; k <= i; ++k)
      inverse[i * d + k] = inverse[k * d + i] = *next++;
  return true;
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
