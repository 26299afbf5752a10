//===- Planning/Picture/Boxes.h - rectangles of pictures --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PICTURE_BOXES_H
#define TAMC_PLANNING_PICTURE_BOXES_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamc::planning {

/// A rectangle of a picture: addresses [begin, end) during [lower, upper).
/// Either may be empty, for a buffer of size 0 or an empty live range.
struct Box {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int32_t buffer = 0;
  friend bool operator==(const Box &, const Box &) = default;
  bool isLine() const { return lower == upper || begin == end; }
};

/// The rectangles of one space, whose buffers are `members`, sorted by lower,
/// begin and buffer. O(n log n) for n members.
std::vector<Box> boxesOf(const Problem &problem,
                         std::span<const int64_t> offsets,
                         std::span<const int32_t> members);

/// A step of a curve: `bytes` from `time` on, until the next step.
struct Step {
  int64_t time = 0;
  int64_t bytes = 0;
  friend bool operator==(const Step &, const Step &) = default;
};

/// Bytes alive over time. An alias class counts once, with its largest live
/// buffer. The last step is 0. At most 2^63-1. `members` are the space's
/// buffers. O(n log n) for n members.
std::vector<Step> loadOf(const Problem &problem, int32_t space,
                         std::span<const int32_t> members);

/// The end of the highest byte alive over time. O(n log n).
std::vector<Step> highWaterOf(const std::vector<Box> &boxes);

/// The curve itself if it has at most `count` steps, else one of at most
/// `count` steps, each the maximum over an equal part of time. Never below the
/// curve, and equal to it in its maximum. `count` is at least 2.
std::vector<Step> thin(const std::vector<Step> &curve, int count);

/// The operations that write and read each buffer, in program order.
class BufferUses {
public:
  explicit BufferUses(const Problem &problem);
  /// "written by conv, read by pool, add" with at most four names of a kind;
  /// empty if no operation is known to access it.
  std::string describe(int32_t buffer) const;

private:
  const Problem &problem;
  std::vector<std::vector<int32_t>> writers, readers;
};

/// The description of a buffer as lines of text, its name first.
std::string describeBuffer(const Problem &problem, const BufferUses &uses,
                           int64_t offset, int32_t buffer);

/// Name of a space in messages and pictures; "memory" if it has none.
std::string titleOf(const Space &space);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PICTURE_BOXES_H
