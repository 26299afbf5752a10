//===- Planning/Choice/AliveIndex.h - stages by time ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_ALIVEINDEX_H
#define TAMC_PLANNING_CHOICE_ALIVEINDEX_H

#include "Choice/Model.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace tamc::planning {

/// The stages that hold bytes at a time: an interval tree (Edelsbrunner 1980)
/// over the pieces of the stages with several options. Takes O(n log n) to
/// build and O(n) memory.
class AliveIndex {
public:
  explicit AliveIndex(const ChoiceModel &model) {
    while (width < model.times)
      width *= 2;
    nodes.resize(size_t(width) * 2);
    for (size_t s = 0; s < model.stages.size(); ++s) {
      const ChoiceModel::Stage &stage = model.stages[s];
      if (stage.options > 1)
        for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
          insert({piece.lower, piece.upper, static_cast<int32_t>(s)});
    }
    for (Node &node : nodes) {
      node.byUpper = node.byLower;
      std::stable_sort(
          node.byLower.begin(), node.byLower.end(),
          [](const Entry &a, const Entry &b) { return a.lower < b.lower; });
      std::stable_sort(
          node.byUpper.begin(), node.byUpper.end(),
          [](const Entry &a, const Entry &b) { return a.upper > b.upper; });
    }
  }

  /// Replaces `alive` by those at a time, ascending. If there are more than
  /// `most` of them, by an eighth of `most` drawn at random, perhaps with
  /// repetitions. O(log n + k log k) for k in the list.
  template <typename Random>
  void collect(int32_t time, size_t most, Random &random,
               std::vector<int32_t> &alive) const {
    alive.clear();
    std::array<std::span<const Entry>, 32> found;
    size_t lists = 0, count = 0;
    int32_t from = 0, to = width;
    for (size_t node = 1; node < nodes.size();) {
      int32_t middle = from + (to - from) / 2;
      const Node &here = nodes[node];
      bool left = time < middle;
      // All entries contain the middle: those that begin by `time`, or end
      // after it.
      const std::vector<Entry> &list = left ? here.byLower : here.byUpper;
      auto end = std::partition_point(
          list.begin(), list.end(), [&](const Entry &each) {
            return left ? each.lower <= time : each.upper > time;
          });
      found[lists] = {list.begin(), end};
      count += found[lists++].size();
      node = 2 * node + (left ? 0 : 1);
      (left ? to : from) = middle;
    }
    if (count <= most) {
      for (size_t k = 0; k < lists; ++k)
        for (const Entry &entry : found[k])
          alive.push_back(entry.stage);
      std::sort(alive.begin(), alive.end());
      return;
    }
    for (size_t draws = 0; draws < most / 8; ++draws) {
      size_t at = random() % count, k = 0;
      for (; at >= found[k].size(); ++k)
        at -= found[k].size();
      alive.push_back(found[k][at].stage);
    }
  }

private:
  struct Entry {
    int32_t lower, upper, stage;
  };
  struct Node {
    std::vector<Entry> byLower, byUpper;
  };

  void insert(const Entry &entry) {
    if (entry.lower >= entry.upper)
      return;
    int32_t from = 0, to = width;
    size_t node = 1;
    while (to - from > 1) {
      int32_t middle = from + (to - from) / 2;
      if (entry.lower <= middle && middle < entry.upper)
        break;
      bool left = entry.upper <= middle;
      node = 2 * node + (left ? 0 : 1);
      (left ? to : from) = middle;
    }
    nodes[node].byLower.push_back(entry);
  }

  int32_t width = 1;
  std::vector<Node> nodes;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_ALIVEINDEX_H
