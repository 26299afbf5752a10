//===- Planning/OrderSafety.cpp - dependencies that reuse adds ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/OrderSafety.h"

#include "Order/DataFlow.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Deadline.h"

#include <algorithm>
#include <tuple>

using namespace tamc::planning;

std::string tamc::planning::whyNotBranchSafe(const Problem &problem) {
  if (problem.operations.empty())
    return "branch-safe reuse needs the operations with what they read and "
           "write; live ranges alone say only the program's own order";
  if (problem.operations.size() > maxOrdered)
    return "branch-safe reuse knows at most " + std::to_string(maxOrdered) +
           " operations, got " + std::to_string(problem.operations.size());
  if (problem.buffers.size() > maxOrdered)
    return "branch-safe reuse knows at most " + std::to_string(maxOrdered) +
           " buffers, got " + std::to_string(problem.buffers.size());
  return {};
}

namespace {

class Finder {
public:
  Finder(const Problem &problem, std::span<const int64_t> offsets, size_t most,
         const Deadline &deadline)
      : problem(problem), offsets(offsets), most(most), deadline(deadline),
        flow(problem) {}

  HiddenDependencies run() {
    std::vector<int32_t> byAddress;
    for (size_t i = 0; i < offsets.size(); ++i)
      if (!flow.uses(static_cast<int32_t>(i)).nothing)
        byAddress.push_back(static_cast<int32_t>(i));
    std::sort(byAddress.begin(), byAddress.end(), [&](int32_t a, int32_t b) {
      return std::pair(offsets[a], a) < std::pair(offsets[b], b);
    });
    for (size_t i = 0; i < byAddress.size() && found.complete; ++i)
      for (size_t j = i + 1; j < byAddress.size() && found.complete; ++j) {
        int32_t a = byAddress[i], b = byAddress[j];
        int64_t end = offsets[a] + problem.buffers[a].size;
        if (offsets[b] >= end)
          break;
        const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
        if (x.space != y.space ||
            (x.aliasClass >= 0 && x.aliasClass == y.aliasClass))
          continue;
        compare(a, b, std::min(end, offsets[b] + y.size) - offsets[b]);
        if (work >= workBetweenLooks) {
          work = 0;
          found.complete = !deadline.passed();
        }
      }
    shorten(most);
    return std::move(found);
  }

private:
  void compare(int32_t a, int32_t b, int64_t bytes) {
    const Uses &x = flow.uses(a), &y = flow.uses(b);
    work += x.operations.size() + y.operations.size();
    if (x.upper <= y.lower)
      return between(a, b, bytes);
    if (y.upper <= x.lower)
      return between(b, a, bytes);
    // One lives in a gap of the other: some uses of each wait for the other.
    for (int32_t p : x.operations)
      for (int32_t q : y.operations) {
        if (p < q && !flow.before(p, q))
          add({p, q, a, b, bytes});
        if (q < p && !flow.before(q, p))
          add({q, p, b, a, bytes});
      }
  }

  /// `a` is the earlier buffer in the order of the list.
  void between(int32_t a, int32_t b, int64_t bytes) {
    const std::vector<int32_t> &uses = flow.uses(a).operations;
    for (int32_t definition : flow.uses(b).first)
      for (int32_t use : uses) {
        if (flow.before(use, definition))
          continue;
        work += uses.size();
        bool implied = std::any_of(uses.begin(), uses.end(), [&](int32_t last) {
          return flow.before(use, last);
        });
        if (!implied)
          add({use, definition, a, b, bytes});
      }
  }

  void add(const HiddenDependency &dependency) {
    ++found.count;
    found.worst.push_back(dependency);
    if (found.worst.size() >= 4 * most + 1024)
      shorten(most);
  }

  void shorten(size_t to) {
    std::sort(found.worst.begin(), found.worst.end(),
              [](const HiddenDependency &x, const HiddenDependency &y) {
                if (x.bytes != y.bytes)
                  return x.bytes > y.bytes;
                return std::tuple(x.before, x.after, x.first, x.second) <
                       std::tuple(y.before, y.after, y.first, y.second);
              });
    if (found.worst.size() > to)
      found.worst.resize(to);
  }

  const Problem &problem;
  std::span<const int64_t> offsets;
  size_t most;
  const Deadline &deadline;
  static constexpr size_t workBetweenLooks = 1 << 18;
  size_t work = 0;
  DataFlow flow;
  HiddenDependencies found;
};

} // namespace

HiddenDependencies tamc::planning::findHiddenDependencies(
    const Problem &problem, std::span<const int64_t> offsets, size_t most,
    std::optional<double> seconds) {
  Options options;
  options.timeLimit = seconds;
  Deadline deadline(options);
  return Finder(problem, offsets, most, deadline).run();
}
