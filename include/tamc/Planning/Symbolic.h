//===- Planning/Symbolic.h - plans that hold for all sizes ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SYMBOLIC_H
#define TAMC_PLANNING_SYMBOLIC_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/SizeExpression.h"
#include "tamc/Planning/Strategy.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tamc::planning {

/// The value of an unbound symbol while the plan is made.
constexpr int64_t unboundSymbol = 1024;

/// True when a size is an expression.
bool isSymbolic(const Problem &problem);

/// The symbols of all sizes.
std::set<std::string> symbolsOf(const Problem &problem);

/// Why there is no plan of the problem for all sizes: it has pins, windows,
/// more than 2^15 buffers, or alignments without a common multiple below 2^63.
/// `alignment` is Options::alignment. Lower case, no full stop; empty if there
/// is a plan. The problem must be valid.
std::string whyNotSymbolic(const Problem &problem, int64_t alignment);

/// Sets Buffer::size of the buffers whose size is an expression. The only error
/// is overflow.
std::optional<Diagnostic> bindSizes(Problem &problem, const Binding &binding);

/// Which buffers lie below which. For every value of the symbols, the offset of
/// a buffer is the largest end of the buffers below it, rounded up to its
/// alignment, or 0 if there are none. Buffers of a class have one offset.
struct SymbolicPlan {
  /// By buffer: the buffers directly below it, sorted, without those that lie
  /// below one of these. Only the first buffer of a class has a list; the other
  /// buffers have its offset.
  std::vector<std::vector<int32_t>> below;
  /// By buffer: the first buffer of its class; itself without one.
  std::vector<int32_t> first;
  /// By buffer: the offset must be a multiple of this.
  std::vector<int64_t> alignment;
  /// First buffers, each after those that it lies on.
  std::vector<int32_t> order;
};

/// The relation from a concrete plan of a problem whose sizes are bound.
/// Buffers that are empty at this binding lie above the others.
/// whyNotSymbolic() must be empty. O(buffers^2).
SymbolicPlan makeSymbolic(const Problem &problem,
                          const std::vector<int64_t> &offsets,
                          const Options &options);

/// The offsets for the problem's present sizes; nothing if a buffer would end
/// above 2^63-1.
std::optional<std::vector<int64_t>> evaluate(const Problem &problem,
                                             const SymbolicPlan &plan);

/// A message about the first pair of buffers that must not share bytes although
/// neither is below the other, directly or through others. If it is empty, the
/// plan is correct for every value of the symbols. Checks alignments, too.
/// Shares no code with makeSymbolic().
std::string checkSymbolic(const Problem &problem, const SymbolicPlan &plan,
                          const Options &options);

/// The offset of a buffer in terms of others and of symbols, like
/// "align(max(offset(x) + 8*rows, offset(y) + 64), 64)".
std::string offsetText(const Problem &problem, const SymbolicPlan &plan,
                       int32_t buffer);

/// Binds the sizes of a problem, computes the plan's offsets for them and
/// evaluates it: peaks, bounds, status. The plan was made by plan(), for any
/// sizes. The only error is overflow.
std::optional<Diagnostic> rebind(Problem &problem, Plan &plan,
                                 const SymbolicPlan &symbolic,
                                 const Binding &binding,
                                 const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_SYMBOLIC_H
