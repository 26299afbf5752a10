//===- Planning/Problem.h - planning problems -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PROBLEM_H
#define TAMC_PLANNING_PROBLEM_H

#include "tamc/Planning/SizeExpression.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamc::planning {

/// Half-open interval of time, [lower, upper). Empty when lower == upper.
struct Interval {
  int64_t lower = 0;
  int64_t upper = 0;
  friend bool operator==(const Interval &, const Interval &) = default;
};

/// During `time`, only the bytes [lower, upper) of the buffer are in use.
struct Window {
  Interval time;
  int64_t lower = 0;
  int64_t upper = 0;
  friend bool operator==(const Window &, const Window &) = default;
};

/// A space that a buffer may live in.
struct SpaceChoice {
  /// Index into Problem::spaces.
  int32_t space = 0;
  /// Cost of living there; of each use if the buffer has uses. 0 or more.
  int64_t cost = 0;
  friend bool operator==(const SpaceChoice &, const SpaceChoice &) = default;
};

/// A piece of memory that a program needs during a live range.
///
/// A buffer occupies [offset, offset + size) during `live`, only the window's
/// bytes during the time of a window, and nothing at any other time. A buffer
/// of size 0, or one that never lives, occupies nothing.
struct Buffer {
  /// Unique in a problem; messages use it.
  std::string name;
  /// Bytes, 0 to 2^63-1.
  int64_t size = 0;
  /// Index into Problem::expressions; `size` is a value of that expression. -1
  /// if the size is a number.
  int32_t expression = -1;
  /// The offset is a multiple of this; at least 1, any integer.
  int64_t alignment = 1;
  /// Sorted, disjoint; holes between intervals are the buffer's gaps.
  std::vector<Interval> live;
  /// Sorted, disjoint from each other and from `live`.
  std::vector<Window> windows;
  /// Index into Problem::spaces. The plan chooses it if there are `choices`.
  int32_t space = 0;
  /// The spaces that the buffer may live in, in distinct spaces; empty if it
  /// lives in `space`. Such a buffer has no pin, and its size is a number.
  std::vector<SpaceChoice> choices;
  /// Times at which the program uses the buffer, ascending, within `live`.
  std::vector<int64_t> uses;
  /// Buffers of one class (0 or more) share an offset; -1 is no class. All
  /// buffers of a class lie in one space and have no windows.
  int32_t aliasClass = -1;
  /// The offset is fixed to this value.
  std::optional<int64_t> pin;
  /// An offset that a strategy may try first; it need not be used.
  std::optional<int64_t> hint;
  /// The buffer is an output. Only the tree's pools use this.
  bool output = false;
  /// Strategy `reuse` reuses bytes only within one kind. The index of a
  /// combination of device, element type and stream.
  int32_t kind = 0;
  /// Index into Problem::notes; -1 is none.
  int32_t note = -1;
};

/// A memory of the machine.
struct Space {
  std::string name;
  /// Bytes; unbounded if there is none.
  std::optional<int64_t> capacity;
  /// Every offset in this space is a multiple of this.
  int64_t alignment = 1;
};

/// One step of the program whose buffers are planned. The program's own order
/// is the order of Problem::operations; every operation is listed after those
/// it depends on. An operation depends on the last writers of the buffers that
/// it reads, on all earlier users of the buffers that it writes, and on
/// `after`.
struct Operation {
  std::string name;
  /// Indices of buffers.
  std::vector<int32_t> reads;
  std::vector<int32_t> writes;
  /// Indices of operations that must come before this one, in addition to the
  /// dependencies through buffers.
  std::vector<int32_t> after;
};

/// Buffers to be placed, their spaces, and, if it is known, the program that
/// uses them.
struct Problem {
  std::string name;
  std::vector<Buffer> buffers;
  /// Never empty in a valid problem.
  std::vector<Space> spaces = {Space{}};
  /// Sizes that depend on symbols.
  std::vector<SizeExpression> expressions;
  /// The program; empty if only live ranges are known.
  std::vector<Operation> operations;
  /// Texts about buffers, such as the stack of an allocation; the page shows
  /// them.
  std::vector<std::string> notes;
};

/// Whether a buffer may live in several spaces.
bool hasChoice(const Problem &problem);

/// Adds a buffer that lives in [lower, upper) of space 0; returns its index.
/// Without a name its name is its index.
int32_t addBuffer(Problem &problem, int64_t lower, int64_t upper, int64_t size,
                  std::string name = {});

/// An error in a problem or its text.
struct Diagnostic {
  std::string message;
  /// 1-based line of the text; 0 if there is none.
  int64_t line = 0;
  /// Index of the buffer; -1 if the error is not about one buffer.
  int64_t buffer = -1;
  /// Index of the operation; -1 if the error is not about one operation.
  int64_t operation = -1;
  /// 1-based byte of the line; 0 if only the line is known.
  int64_t column = 0;
};

/// The first violation of the rules in this file, or none. Pins must be
/// multiples of the least common multiple of the buffer's alignment, the
/// space's and `alignment`. A pinned buffer that ends above the capacity is no
/// violation, but no plan fits. O(n log n).
std::optional<Diagnostic> validate(const Problem &problem,
                                   int64_t alignment = 1);

/// Sets Buffer::output on the buffers that live to the end of the program:
/// those whose last interval ends at the latest end of all intervals.
void markLastAsOutputs(Problem &problem);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PROBLEM_H
