//===- Planning/Symbolic.cpp - plans that hold for all sizes --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Symbolic.h"

#include "Order/BitMatrix.h"
#include "Order/DataFlow.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Judge.h"
#include "tamc/Planning/LowerBound.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

using namespace tamc::planning;

bool tamc::planning::isSymbolic(const Problem &problem) {
  return !problem.expressions.empty();
}

std::set<std::string> tamc::planning::symbolsOf(const Problem &problem) {
  std::set<std::string> symbols;
  for (const SizeExpression &expression : problem.expressions)
    expression.collectSymbols(symbols);
  return symbols;
}

namespace {

/// Raises `multiple` to the common multiple with what the offset of the buffer
/// has to be a multiple of. If that exceeds 2^63-1, returns the two numbers
/// that have none.
std::optional<std::pair<int64_t, int64_t>> addAlignments(int64_t &multiple,
                                                         const Problem &problem,
                                                         const Buffer &buffer,
                                                         int64_t alignment) {
  for (int64_t each :
       {buffer.alignment, problem.spaces[buffer.space].alignment, alignment}) {
    int64_t common = commonMultiple(multiple, each);
    // Only a number that is too large is no multiple.
    if (common % multiple != 0 || common % each != 0)
      return std::pair(multiple, each);
    multiple = common;
  }
  return std::nullopt;
}

/// A message about a buffer whose alignments, with those of its alias class,
/// have a common multiple above 2^63-1.
std::string checkAlignments(const Problem &problem, int64_t alignment) {
  std::unordered_map<int32_t, int64_t> byClass;
  for (const Buffer &buffer : problem.buffers) {
    int64_t own = 1;
    int64_t &multiple =
        buffer.aliasClass < 0
            ? own
            : byClass.try_emplace(buffer.aliasClass, 1).first->second;
    if (auto wrong = addAlignments(multiple, problem, buffer, alignment))
      return "buffer '" + buffer.name +
             "': expected alignments with a common multiple below 2^63, got " +
             std::to_string(wrong->first) + " and " +
             std::to_string(wrong->second);
  }
  return {};
}

} // namespace

std::string tamc::planning::whyNotSymbolic(const Problem &problem,
                                           int64_t alignment) {
  if (problem.buffers.size() > maxOrdered)
    return "symbolic plans have at most " + std::to_string(maxOrdered) +
           " buffers, got " + std::to_string(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    if (buffer.pin)
      return "buffer '" + buffer.name +
             "': a pin cannot hold for all values of the symbols";
    if (!buffer.windows.empty())
      return "buffer '" + buffer.name +
             "': windows cannot be planned beside symbolic sizes";
  }
  return checkAlignments(problem, alignment);
}

std::optional<Diagnostic> tamc::planning::bindSizes(Problem &problem,
                                                    const Binding &binding) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    Buffer &buffer = problem.buffers[i];
    if (buffer.expression < 0)
      continue;
    const SizeExpression &expression = problem.expressions[buffer.expression];
    std::optional<int64_t> size = expression.evaluate(binding, unboundSymbol);
    if (!size)
      return Diagnostic{"buffer '" + buffer.name + "': the size " +
                            expression.text() + " exceeds 2^63-1",
                        0, static_cast<int64_t>(i)};
    buffer.size = *size;
  }
  return std::nullopt;
}

namespace {

/// By buffer: those that it must not share bytes with, whatever their sizes.
BitMatrix conflictsOf(const Problem &problem, const Options &options) {
  size_t count = problem.buffers.size();
  if (options.reuse == Reuse::BranchSafe) {
    Problem some = problem;
    for (Buffer &buffer : some.buffers)
      if (buffer.expression >= 0)
        buffer.size = std::max<int64_t>(buffer.size, 1);
    if (options.lastAreOutputs)
      markLastAsOutputs(some);
    return DataFlow(some).conflicts();
  }
  BitMatrix conflicts(count, count);
  auto meet = [](const Buffer &a, const Buffer &b) {
    for (Interval x : a.live)
      for (Interval y : b.live)
        if (x.lower < x.upper && y.lower < y.upper && x.lower < y.upper &&
            y.lower < x.upper)
          return true;
    return false;
  };
  auto never = [](const Buffer &buffer) {
    return buffer.size == 0 && buffer.expression < 0;
  };
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j) {
      const Buffer &a = problem.buffers[i], &b = problem.buffers[j];
      if (a.space != b.space || never(a) || never(b) ||
          (a.aliasClass >= 0 && a.aliasClass == b.aliasClass) || !meet(a, b))
        continue;
      conflicts.set(i, j);
      conflicts.set(j, i);
    }
  return conflicts;
}

} // namespace

SymbolicPlan tamc::planning::makeSymbolic(const Problem &problem,
                                          const std::vector<int64_t> &offsets,
                                          const Options &options) {
  size_t count = problem.buffers.size();
  SymbolicPlan plan;
  plan.below.resize(count);
  std::map<int32_t, int32_t> firstOf;
  std::vector<std::vector<int32_t>> members(count);
  std::vector<bool> occupies(count, false);
  std::vector<int64_t> multiple(count, 1);
  for (size_t i = 0; i < count; ++i) {
    const Buffer &buffer = problem.buffers[i];
    auto index = static_cast<int32_t>(i);
    int32_t first =
        buffer.aliasClass < 0
            ? index
            : firstOf.try_emplace(buffer.aliasClass, index).first->second;
    plan.first.push_back(first);
    members[first].push_back(index);
    occupies[first] = occupies[first] || buffer.size > 0;
    addAlignments(multiple[first], problem, buffer, options.alignment);
    if (first == index)
      plan.order.push_back(index);
  }
  for (size_t i = 0; i < count; ++i)
    plan.alignment.push_back(multiple[plan.first[i]]);
  std::sort(plan.order.begin(), plan.order.end(), [&](int32_t a, int32_t b) {
    return std::tuple(!occupies[a], offsets[a], a) <
           std::tuple(!occupies[b], offsets[b], b);
  });
  std::vector<int32_t> rank(count, -1);
  for (size_t i = 0; i < plan.order.size(); ++i)
    for (int32_t member : members[plan.order[i]])
      rank[member] = static_cast<int32_t>(i);

  BitMatrix conflicts = conflictsOf(problem, options);
  // By first buffer: the buffers that it lies above.
  BitMatrix under(count, count);
  std::vector<int32_t> candidates;
  for (int32_t top : plan.order) {
    candidates.clear();
    for (int32_t member : members[top])
      forEachBit(conflicts.row(member), [&](size_t other) {
        if (rank[other] < rank[top])
          candidates.push_back(static_cast<int32_t>(other));
      });
    // From the highest down: buffers that lie below a higher candidate are not
    // listed again.
    std::sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
      return std::pair(-rank[a], a) < std::pair(-rank[b], b);
    });
    candidates.erase(std::unique(candidates.begin(), candidates.end()),
                     candidates.end());
    std::span<uint64_t> row = under.row(top);
    for (int32_t other : candidates) {
      if (row[other / 64] >> (other % 64) & 1)
        continue;
      plan.below[top].push_back(other);
      std::span<const uint64_t> theirs = under.row(plan.first[other]);
      for (size_t word = 0; word < row.size(); ++word)
        row[word] |= theirs[word];
      under.set(top, other);
    }
    std::sort(plan.below[top].begin(), plan.below[top].end());
  }
  return plan;
}

std::optional<std::vector<int64_t>>
tamc::planning::evaluate(const Problem &problem, const SymbolicPlan &plan) {
  std::vector<int64_t> offsets(problem.buffers.size(), 0);
  for (int32_t top : plan.order) {
    int64_t at = 0;
    for (int32_t other : plan.below[top]) {
      int64_t end;
      if (__builtin_add_overflow(offsets[plan.first[other]],
                                 problem.buffers[other].size, &end))
        return std::nullopt;
      at = std::max(at, end);
    }
    offsets[top] = alignUp(at, plan.alignment[top]);
    if (offsets[top] == infinite)
      return std::nullopt;
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = offsets[plan.first[i]];
    if (offsets[i] > infinite - problem.buffers[i].size)
      return std::nullopt;
  }
  return offsets;
}

std::string tamc::planning::offsetText(const Problem &problem,
                                       const SymbolicPlan &plan,
                                       int32_t buffer) {
  int32_t first = plan.first[buffer];
  if (first != buffer)
    return "offset(" + problem.buffers[first].name + ")";
  if (plan.below[buffer].empty())
    return "0";
  std::string text;
  for (int32_t other : plan.below[buffer]) {
    const Buffer &under = problem.buffers[other];
    text +=
        (text.empty() ? "offset(" : ", offset(") + under.name + ") + " +
        (under.expression >= 0 ? problem.expressions[under.expression].text()
                               : std::to_string(under.size));
  }
  if (plan.below[buffer].size() > 1)
    text = "max(" + text + ")";
  return plan.alignment[buffer] == 1
             ? text
             : "align(" + text + ", " + std::to_string(plan.alignment[buffer]) +
                   ")";
}

std::optional<Diagnostic> tamc::planning::rebind(Problem &problem, Plan &plan,
                                                 const SymbolicPlan &symbolic,
                                                 const Binding &binding,
                                                 const Options &options) {
  if (std::optional<Diagnostic> wrong = bindSizes(problem, binding))
    return wrong;
  std::optional<std::vector<int64_t>> offsets = evaluate(problem, symbolic);
  if (!offsets)
    return Diagnostic{"the plan exceeds 2^63-1 bytes at these values"};
  plan.offsets = std::move(*offsets);
  plan.pools.clear();
  plan.reason.clear();
  plan.bound.clear();
  for (const Bound &bound : lowerBounds(problem, options.alignment))
    plan.bound.push_back(bound.bytes);
  insistOnCorrectness(problem, plan, options);
  fillPeaks(problem, plan);
  plan.status = Status::Feasible;
  judge(problem, plan);
  return std::nullopt;
}
