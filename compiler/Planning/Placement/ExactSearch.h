//===- Planning/ExactSearch.h - search for a packing ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_EXACTSEARCH_H
#define TAMC_PLANNING_EXACTSEARCH_H

#include "Placement/Packing.h"
#include "Strategies/Deadline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// A first-in, first-out queue of numbers below a limit, each at most once at a
/// time.
class WakeQueue {
public:
  explicit WakeQueue(size_t limit) : waits(limit, 0) {}

  bool empty() const { return head == queue.size(); }
  void wake(int32_t number) {
    if (waits[number])
      return;
    waits[number] = 1;
    queue.push_back(number);
  }
  int32_t pop() {
    int32_t number = queue[head++];
    if (empty()) {
      queue.clear();
      head = 0;
    }
    waits[number] = 0;
    return number;
  }
  void clear() {
    for (int32_t number : queue)
      waits[number] = 0;
    queue.clear();
    head = 0;
  }

private:
  std::vector<int32_t> queue;
  std::vector<uint8_t> waits;
  size_t head = 0;
};

/// Depth-first search for a packing within a height.
///
/// Each rectangle has a lower bound of its offset and the height of the skyline
/// below it. A rectangle none of whose neighbours can be lower is either placed
/// on the skyline or *postponed*: it must then lie on a neighbour that is not
/// placed yet. In the solution with the least sum of offsets no rectangle can
/// drop, which is the reason for the pruning. See docs/planning.md for the
/// rules.
class ExactSearch {
public:
  enum class Answer { Yes, No, Unknown };

  /// The rule that chooses a rectangle for branching.
  enum class Choice {
    LowestThenRank,
    FewestThenRank,
    LowestThenFewest,
    Balanced,
    BalancedUnranked,
    FewestUnranked,
    NumChoices
  };

  explicit ExactSearch(const Packing &packing);

  /// Searches for offsets with every end at most `height`, in at most `nodes`
  /// decisions. After Yes, solution() has them; No is a proof.
  Answer run(int64_t height, Choice choice, std::span<const double> rank,
             int64_t nodes, const Deadline &deadline);

  const std::vector<int64_t> &solution() const { return found; }
  /// Decisions of the last run; if it ended because its states took too much
  /// memory, the whole budget.
  int64_t nodes() const { return decisions; }

private:
  struct Buffer {
    int64_t least;   // lower bound of the offset
    int64_t skyline; // top of what is placed below
    bool placed;
  };
  struct Section {
    int64_t rest; // sum of the sizes not placed
    // Lowest and second lowest offset and end of the rectangles not placed.
    int64_t least1, least2, end1, end2;
    int32_t leastAt, endAt;
    int32_t count;
    int32_t firsts; // how many can be lowest
  };
  struct State {
    std::vector<Buffer> buffers;
    std::vector<Section> sections;
  };

  size_t bytesOfState() const;
  bool solve(size_t depth, int32_t begin, int32_t end);
  int32_t choose(const State &state, int32_t begin, int32_t end) const;
  int32_t lowestIn(const State &state, int32_t section) const;
  void copyTo(size_t depth, int32_t begin, int32_t end);
  bool place(State &state, int32_t buffer);
  bool raise(State &state, int32_t buffer, int64_t least);
  bool propagate(State &state);
  bool visitSection(State &state, int32_t section);
  bool visitBuffer(State &state, int32_t buffer);
  void clearQueues();
  /// Lowest offset and end among the unplaced neighbours.
  std::pair<int64_t, int64_t> below(const State &state, int32_t buffer) const;

  const Packing &packing;
  /// True once the deadline has passed; reads the clock from time to time.
  bool isLate();
  std::vector<State> states;
  std::vector<int64_t> found;
  WakeQueue sectionQueue, bufferQueue;
  std::vector<int32_t> raised;
  std::vector<uint8_t> raises;
  std::span<const double> rank;
  Choice choice = Choice::LowestThenRank;
  const Deadline *deadline = nullptr;
  int64_t height = 0, limit = 0, decisions = 0;
  uint32_t steps = 0;
  bool stopped = false;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_EXACTSEARCH_H
