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
class Relaxation {
public:
  /// `upper` is a cost that some selection has, for the scale of the prices.
  Relaxation(const ChoiceModel &model, Cost upper);

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
  /// The price of a byte of a resource at a time.
  int64_t priceAt(int32_t resource, int32_t time) const {
    return price[resource].empty() ? 0 : price[resource][time];
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
  void findActive();
  /// Computes toGo(), the items' choices and the value at the prices.
  void evaluate();
  void sumPrices();
  /// A step along the subgradient.
  void move(Cost upper);
  /// Goes back to the best prices.
  void restore();

  const ChoiceModel &model;
  int shift = 0;
  /// By resource: the times at which a load may exceed the capacity.
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
