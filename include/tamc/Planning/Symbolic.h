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

/// Why the problem's plan cannot hold for all sizes: it has pins, windows, or
/// more than 2^15 buffers. Lower case, no full stop; empty when it can.
std::string whyNotSymbolic(const Problem &problem);

/// Sets Buffer::size where it is an expression. The error is one of overflow.
std::optional<Diagnostic> bindSizes(Problem &problem, const Binding &binding);

/// Which buffers lie below which. The offset of a buffer is, for every value of
/// the symbols, 0 or the largest of the ends of those below it, rounded up to
/// its alignment; buffers of a class have one offset.
struct SymbolicPlan {
  /// By buffer: those right below it, sorted; for a class they are listed with
  /// its first buffer alone, and its others have that one's offset. A buffer
  /// that lies below through others is left out.
  std::vector<std::vector<int32_t>> below;
  /// By buffer: the first buffer of its class; itself without one.
  std::vector<int32_t> first;
  /// Every multiple that the offset has to keep, by buffer.
  std::vector<int64_t> alignment;
  /// First buffers, each after those it lies on.
  std::vector<int32_t> order;
};

/// The relation in a concrete plan of a problem whose sizes are bound.
/// Buffers that occupy nothing at this binding lie above the others.
/// whyNotSymbolic() is empty. O(buffers^2).
SymbolicPlan makeSymbolic(const Problem &problem,
                          const std::vector<int64_t> &offsets,
                          const Options &options);

/// The offsets at the sizes that the problem has now; nothing when one would
/// end above 2^63-1.
std::optional<std::vector<int64_t>> evaluate(const Problem &problem,
                                             const SymbolicPlan &plan);

/// The first pair of buffers that may not share bytes and of which neither is
/// below the other, directly or through others, as text: none means that the
/// plan is correct for every value of the symbols. Checks alignments, too.
/// Shares no code with makeSymbolic().
std::string checkSymbolic(const Problem &problem, const SymbolicPlan &plan,
                          const Options &options);

/// The offset of a buffer in terms of others and of symbols, like
/// "align(max(offset(x) + 8*rows, offset(y) + 64), 64)".
std::string offsetText(const Problem &problem, const SymbolicPlan &plan,
                       int32_t buffer);

/// Binds the sizes of a problem, moves a plan to them and judges it: peaks,
/// bounds, status. The plan was made by plan(), for any sizes. The error is one
/// of overflow.
std::optional<Diagnostic> rebind(Problem &problem, Plan &plan,
                                 const SymbolicPlan &symbolic,
                                 const Binding &binding,
                                 const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_SYMBOLIC_H
