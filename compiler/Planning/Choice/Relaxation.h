//===- Planning/Choice/Relaxation.h - Lagrangian relaxation -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_RELAXATION_H
#define TAMC_PLANNING_CHOICE_RELAXATION_H

#include "Choice/Model.h"
#include "Strategies/Deadline.h"

namespace tamc::planning {

/// Lagrangian relaxation of the capacities: a byte of a resource has a price at
/// each time, and each item chooses on its own. Prices are whole multiples of
/// 2^-shift, and sums of prices are computed in whole numbers, so that the
/// bound is exact.
///
/// Each resource has several limits. The first is its capacity. The others are
/// roundings of it (Gomory, Chvatal): of stretches that take more than half of
/// the capacity there is one place, of those that take more than a third of it
/// there are two, where one of more than two thirds counts twice, and so on.
/// Without them the bound knows of no stretch that it cannot cut.
class Relaxation {
public:
  /// `upper` is a cost that some selection has, for the scale of the prices. A
  /// resource gets a rounded limit for each number of places up to `places`.
  Relaxation(const ChoiceModel &model, Cost upper, int32_t places = 4);

  /// Subgradient steps with the aim of reaching `upper`. Calls visit(selection)
  /// with the items' own choices of some steps; visit returns the least cost
  /// known.
  template <typename Visit>
  void improve(int64_t steps, const Deadline &deadline, Cost upper,
               Visit visit) {
    for (int64_t step = 0; step < steps && !isFinished(upper); ++step) {
      if (step > 0 && deadline.passed())
        break;
      evaluate();
      if (step % 16 == 0)
        upper = visit(chosen);
      move(upper);
    }
    restore();
  }

  /// No selection within the capacities costs less.
  Cost bound() const { return ceiling(best); }

  /// The rest of what a relaxed item pays from an option of a stage to its end,
  /// at the best prices, in units of 2^-shift. By option of the model.
  std::span<const Cost> toGo() const { return paid; }
  /// What a move to the option adds to that.
  Cost moving(const ChoiceModel::Stage &stage, int32_t option) const;
  /// A limit on the weights of what a resource holds at a time.
  struct Limit {
    int32_t resource = 0;
    /// The most weight.
    int64_t most = 0;
    /// A stretch of bytes has one weight for each of so many equal parts of the
    /// capacity and one byte; 0 if the bytes are the weight.
    int32_t parts = 0;
    int64_t weight = 1;
  };
  /// The first limits are the capacities of the resources, in their order.
  std::span<const Limit> allLimits() const { return limits; }
  /// The numbers of the limits of a resource.
  std::span<const int32_t> limitsOf(int32_t resource) const {
    return byResource[resource];
  }
  int64_t weightOf(int32_t limit, int64_t bytes) const {
    const Limit &from = limits[limit];
    if (from.parts == 0)
      return bytes;
    return static_cast<int64_t>(Cost(bytes) * from.parts /
                                (Cost(model.capacity[from.resource]) + 1) *
                                from.weight);
  }
  /// The price of a weight of a limit at a time.
  int64_t priceAt(int32_t limit, int32_t time) const {
    return price[limit].empty() ? 0 : price[limit][time];
  }
  /// The price of an option of a stage, without its cost.
  Cost priceOf(const ChoiceModel::Stage &stage, int32_t option) const;
  /// The bound in units of 2^-shift.
  Cost scaledBound() const { return best; }
  Cost ceiling(Cost scaled) const {
    return (scaled + (Cost(1) << shift) - 1) >> shift;
  }
  int scale() const { return shift; }

private:
  bool isFinished(Cost upper) const { return active == 0 || bound() >= upper; }
  void addLimits(int32_t mostPlaces);
  void findActive();
  Loads loadsOfLimits() const;
  /// Computes toGo(), the items' choices and the value at the prices.
  void evaluate();
  void sumPrices();
  /// A step along the subgradient.
  void move(Cost upper);
  /// Goes back to the best prices.
  void restore();

  const ChoiceModel &model;
  int shift = 0;
  std::vector<Limit> limits;
  std::vector<std::vector<int32_t>> byResource;
  /// By limit: the times at which a load may exceed it.
  std::vector<std::vector<int32_t>> times;
  size_t active = 0;
  std::vector<std::vector<int64_t>> price, bestPrice;
  std::vector<std::vector<Cost>> sums;
  std::vector<std::vector<double>> exact, direction;
  std::vector<Cost> paid;
  Selection chosen;
  Cost value = 0, best = 0;
  double step = 1;
  int without = 0;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_RELAXATION_H
