//===- Planning/Choice/Table.h - loads over time ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_TABLE_H
#define TAMC_PLANNING_CHOICE_TABLE_H

#include "Choice/CheapestPath.h"
#include "Choice/Model.h"

#include <algorithm>
#include <limits>

namespace tamc::planning {

/// The largest value of a range of time, where values change by ranges. Both
/// take O(log times).
class LoadTree {
public:
  explicit LoadTree(int32_t times) {
    while (leaves < times)
      leaves *= 2;
    nodes.assign(size_t(leaves) * 2, {});
  }

  void add(int32_t lower, int32_t upper, int64_t value) {
    add(1, 0, leaves, {lower, upper}, value);
  }
  int64_t largest(int32_t lower, int32_t upper) const {
    return largest(1, 0, leaves, {lower, upper});
  }

  /// The first time in [lower, upper) with the largest value.
  int32_t firstLargest(int32_t lower, int32_t upper) const {
    int64_t most = largest(lower, upper);
    while (upper - lower > 1) {
      int32_t middle = lower + (upper - lower) / 2;
      (largest(lower, middle) == most ? upper : lower) = middle;
    }
    return lower;
  }

private:
  struct Range {
    int32_t lower, upper;
  };
  /// The largest value below a node, and what was added to all of them.
  struct Node {
    int64_t most = 0, added = 0;
  };

  void add(size_t node, int32_t from, int32_t to, Range range, int64_t value) {
    if (range.lower <= from && to <= range.upper) {
      nodes[node].most += value;
      nodes[node].added += value;
      return;
    }
    int32_t middle = (from + to) / 2;
    if (range.lower < middle)
      add(2 * node, from, middle, range, value);
    if (range.upper > middle)
      add(2 * node + 1, middle, to, range, value);
    nodes[node].most =
        std::max(nodes[2 * node].most, nodes[2 * node + 1].most) +
        nodes[node].added;
  }

  int64_t largest(size_t node, int32_t from, int32_t to, Range range) const {
    if (range.lower <= from && to <= range.upper)
      return nodes[node].most;
    int32_t middle = (from + to) / 2;
    int64_t most = std::numeric_limits<int64_t>::min() / 4;
    if (range.lower < middle)
      most = largest(2 * node, from, middle, range);
    if (range.upper > middle)
      most = std::max(most, largest(2 * node + 1, middle, to, range));
    return most + nodes[node].added;
  }

  int32_t leaves = 1;
  std::vector<Node> nodes;
};

/// A selection under construction, with the loads of the resources that have a
/// capacity. An item is in or out.
class Table {
public:
  explicit Table(const ChoiceModel &model)
      : model(model), chosen(model.stages.size(), -1) {
    for (int64_t capacity : model.capacity)
      trees.emplace_back(capacity == infinite ? 1 : model.times);
  }

  bool isIn(int32_t item) const {
    return chosen[model.items[item].firstStage] >= 0;
  }
  const Selection &selection() const { return chosen; }

  /// Puts an item in; `path` has its options by stage.
  void put(int32_t item, std::span<const int32_t> path) {
    const ChoiceModel::Item &from = model.items[item];
    std::copy(path.begin(), path.end(), chosen.begin() + from.firstStage);
    change(item, 1);
  }
  /// Takes an item out.
  void take(int32_t item) {
    change(item, -1);
    const ChoiceModel::Item &from = model.items[item];
    std::fill_n(chosen.begin() + from.firstStage, from.stages, -1);
  }

  /// The most bytes by which the option would exceed its capacity; 0 or less
  /// if it fits.
  int64_t excess(const ChoiceModel::Stage &stage, int32_t option) const {
    const ChoiceModel::Option &from = model.optionsOf(stage)[option];
    int64_t capacity = model.capacity[from.resource];
    int64_t most = std::numeric_limits<int64_t>::min();
    if (capacity == infinite)
      return most;
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
      most = std::max(
          most, ChoiceModel::bytesOf(piece, from) - capacity +
                    trees[from.resource].largest(piece.lower, piece.upper));
    return most;
  }
  /// The load of a resource at a time.
  int64_t load(int32_t resource, int32_t time) const {
    return model.capacity[resource] == infinite
               ? 0
               : trees[resource].largest(time, time + 1);
  }

  /// The time of the largest load of the resource during the stage.
  int32_t fullest(const ChoiceModel::Stage &stage, int32_t option) const {
    const ChoiceModel::Option &from = model.optionsOf(stage)[option];
    const LoadTree &tree = trees[from.resource];
    int32_t at = 0;
    int64_t most = std::numeric_limits<int64_t>::min();
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
      if (int64_t load = tree.largest(piece.lower, piece.upper) +
                         ChoiceModel::bytesOf(piece, from);
          load > most) {
        most = load;
        at = tree.firstLargest(piece.lower, piece.upper);
      }
    return at;
  }

  /// The cheapest path of an item that is out, where an option of a stage costs
  /// costs(stage, option) and a move `move`; nothing if no path fits.
  template <typename Costs>
  std::optional<Cost> cheapest(int32_t item, std::vector<int32_t> &path,
                               Costs costs, Cost move) const {
    return cheapestPath(
        model, item, path,
        [&](int32_t s, int32_t option) -> std::optional<Cost> {
          if (excess(model.stages[s], option) > 0)
            return std::nullopt;
          return costs(s, option);
        },
        move,
        [&](int32_t s, int32_t option) {
          return arrives(model.stages[s], option);
        });
  }

  /// The cheapest path by the model's costs.
  std::optional<Cost> cheapest(int32_t item, std::vector<int32_t> &path) const {
    auto costs = [&](int32_t stage, int32_t option) {
      return Cost(model.optionsOf(model.stages[stage])[option].cost);
    };
    return cheapest(item, path, costs, model.items[item].move);
  }

  /// The cost of an item that is in.
  Cost costOf(int32_t item) const {
    const ChoiceModel::Item &from = model.items[item];
    Cost cost = 0;
    for (int32_t s = from.firstStage; s < from.firstStage + from.stages; ++s) {
      cost += model.optionsOf(model.stages[s])[chosen[s]].cost;
      if (s > from.firstStage && chosen[s] != chosen[s - 1])
        cost += from.move;
    }
    return cost;
  }

private:
  bool arrives(const ChoiceModel::Stage &stage, int32_t option) const {
    const ChoiceModel::Option &to = model.optionsOf(stage)[option];
    int64_t capacity = model.capacity[to.resource];
    return capacity == infinite ||
           load(to.resource, model.arrival(stage)) + to.bytes <= capacity;
  }

  void change(int32_t item, int64_t sign) {
    const ChoiceModel::Item &from = model.items[item];
    for (int32_t s = from.firstStage; s < from.firstStage + from.stages; ++s) {
      const ChoiceModel::Stage &stage = model.stages[s];
      const ChoiceModel::Option &option = model.optionsOf(stage)[chosen[s]];
      if (model.capacity[option.resource] == infinite)
        continue;
      LoadTree &tree = trees[option.resource];
      for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
        tree.add(piece.lower, piece.upper,
                 sign * ChoiceModel::bytesOf(piece, option));
      if (s > from.firstStage && chosen[s] != chosen[s - 1])
        tree.add(model.arrival(stage), model.arrival(stage) + 1,
                 sign * option.bytes);
    }
  }
  const ChoiceModel &model;
  Selection chosen;
  std::vector<LoadTree> trees;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_TABLE_H
