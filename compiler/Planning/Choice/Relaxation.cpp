//===- Planning/Choice/Relaxation.cpp - Lagrangian relaxation -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Relaxation.h"

#include <algorithm>
#include <cmath>

using namespace tamc::planning;

namespace {

/// Sums of prices stay below this, so that products with bytes fit.
constexpr double mostPrices = 0x1p61;

int bitsOf(Cost value) {
  int bits = 0;
  for (; value > 0; value >>= 1)
    ++bits;
  return bits;
}

} // namespace

Relaxation::Relaxation(const ChoiceModel &model, Cost upper, int32_t places)
    : model(model), shift(std::clamp(58 - bitsOf(upper), 0, 44)),
      paid(model.options.size()), chosen(model.stages.size()) {
  addLimits(places);
  findActive();
  bestPrice = price;
  sumPrices();
  evaluate();
}

void Relaxation::addLimits(int32_t mostPlaces) {
  byResource.resize(model.capacity.size());
  for (size_t r = 0; r < model.capacity.size(); ++r) {
    auto resource = static_cast<int32_t>(r);
    byResource[r].push_back(resource);
    limits.push_back({resource, model.capacity[r], 0, 1});
  }
  for (size_t r = 0; r < model.capacity.size(); ++r)
    for (int32_t places = 1; places <= mostPlaces; ++places) {
      int64_t capacity = model.capacity[r];
      if (capacity == infinite || capacity < places)
        continue;
      // The weights are about as large as the bytes, so that a step changes all
      // prices alike.
      int64_t weight = capacity / places;
      limits.push_back(
          {static_cast<int32_t>(r), weight * places, places + 1, weight});
    }
}

void Relaxation::findActive() {
  size_t count = limits.size();
  times.resize(count);
  Loads most(count, std::vector<Cost>(model.times + 1, 0));
  std::vector<std::vector<bool>> begins(
      count, std::vector<bool>(model.times + 1, false));
  std::vector<std::vector<bool>> ends = begins;
  std::vector<int64_t> weights;
  for (const ChoiceModel::Stage &stage : model.stages) {
    bool moves =
        &stage - model.stages.data() != model.items[stage.item].firstStage;
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
      int32_t lower = piece.lower - (moves ? 1 : 0);
      // The most that an option of the resource holds.
      for (size_t limit = 0; limit < count; ++limit) {
        int64_t weight = -1;
        for (const ChoiceModel::Option &option : model.optionsOf(stage))
          if (option.resource == limits[limit].resource)
            weight =
                std::max(weight, weightOf(static_cast<int32_t>(limit),
                                          ChoiceModel::bytesOf(piece, option)));
        if (weight < 0 || (weight == 0 && limits[limit].parts > 0))
          continue;
        most[limit][lower] += weight;
        most[limit][piece.upper] -= weight;
        begins[limit][lower] = ends[limit][piece.upper] = true;
      }
    }
  }
  for (size_t limit = 0; limit < count; ++limit) {
    Cost load = 0;
    bool grown = false;
    for (int32_t time = 0; time <= model.times; ++time) {
      // Only the last time before something ends matters.
      if (grown && (ends[limit][time] || time == model.times)) {
        if (load > limits[limit].most)
          times[limit].push_back(time - 1);
        grown = false;
      }
      load += most[limit][time];
      grown |= begins[limit][time];
    }
  }
  // Limits that nothing can exceed go, but for the capacities.
  size_t kept = 0;
  for (size_t limit = 0; limit < count; ++limit) {
    if (limits[limit].parts > 0 && times[limit].empty())
      continue;
    if (limits[limit].parts > 0)
      byResource[limits[limit].resource].push_back(static_cast<int32_t>(kept));
    limits[kept] = limits[limit];
    std::swap(times[kept], times[limit]);
    ++kept;
  }
  limits.resize(kept);
  times.resize(kept);
  price.resize(kept);
  sums.resize(kept);
  exact.resize(kept);
  direction.resize(kept);
  for (size_t limit = 0; limit < kept; ++limit) {
    active += times[limit].size();
    if (times[limit].empty())
      continue;
    price[limit].assign(model.times, 0);
    exact[limit].assign(times[limit].size(), 0);
    direction[limit].assign(times[limit].size(), 0);
  }
}

void Relaxation::sumPrices() {
  for (size_t limit = 0; limit < price.size(); ++limit) {
    if (price[limit].empty())
      continue;
    sums[limit].resize(model.times + 1);
    sums[limit][0] = 0;
    for (int32_t time = 0; time < model.times; ++time)
      sums[limit][time + 1] = sums[limit][time] + price[limit][time];
  }
}

Cost Relaxation::priceOf(const ChoiceModel::Stage &stage,
                         int32_t option) const {
  const ChoiceModel::Option &from = model.optionsOf(stage)[option];
  Cost total = 0;
  for (int32_t limit : limitsOf(from.resource)) {
    const std::vector<Cost> &sum = sums[limit];
    if (sum.empty())
      continue;
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
      if (int64_t weight = weightOf(limit, ChoiceModel::bytesOf(piece, from)))
        total += (sum[piece.upper] - sum[piece.lower]) * weight;
  }
  return total;
}

Cost Relaxation::moving(const ChoiceModel::Stage &stage, int32_t option) const {
  const ChoiceModel::Option &to = model.optionsOf(stage)[option];
  Cost total = Cost(model.items[stage.item].move) << shift;
  for (int32_t limit : limitsOf(to.resource))
    total +=
        Cost(priceAt(limit, model.arrival(stage))) * weightOf(limit, to.bytes);
  return total;
}

Loads Relaxation::loadsOfLimits() const {
  Loads loads(limits.size(), std::vector<Cost>(model.times + 1, 0));
  for (const ChoiceModel::Item &item : model.items)
    for (int32_t k = 0; k < item.stages; ++k) {
      int32_t s = item.firstStage + k;
      const ChoiceModel::Stage &stage = model.stages[s];
      const ChoiceModel::Option &option = model.optionsOf(stage)[chosen[s]];
      for (int32_t limit : limitsOf(option.resource)) {
        std::vector<Cost> &load = loads[limit];
        for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
          int64_t weight = weightOf(limit, ChoiceModel::bytesOf(piece, option));
          load[piece.lower] += weight;
          load[piece.upper] -= weight;
        }
        if (k > 0 && chosen[s] != chosen[s - 1]) {
          int64_t weight = weightOf(limit, option.bytes);
          load[model.arrival(stage)] += weight;
          load[model.arrival(stage) + 1] -= weight;
        }
      }
    }
  for (std::vector<Cost> &load : loads)
    for (size_t time = 1; time < load.size(); ++time)
      load[time] += load[time - 1];
  return loads;
}

void Relaxation::evaluate() {
  value = 0;
  std::vector<int32_t> next;
  for (const ChoiceModel::Item &item : model.items) {
    size_t options = model.stages[item.firstStage].options;
    next.assign(size_t(item.stages) * options, 0);
    for (int32_t k = item.stages - 1; k >= 0; --k) {
      const ChoiceModel::Stage &stage = model.stages[item.firstStage + k];
      // The cheapest option to move to, for all options of the stage.
      Cost least = 0, cheapest = 0;
      int32_t arrived = -1;
      if (k + 1 < item.stages) {
        const ChoiceModel::Stage &after = model.stages[item.firstStage + k + 1];
        for (int32_t o = 0; o < after.options; ++o) {
          Cost cost = paid[after.firstOption + o] + moving(after, o);
          if (arrived < 0 || cost < least) {
            least = cost;
            arrived = o;
          }
        }
      }
      for (int32_t o = 0; o < stage.options; ++o) {
        Cost cost = (Cost(model.options[stage.firstOption + o].cost) << shift) +
                    priceOf(stage, o);
        if (arrived >= 0) {
          const ChoiceModel::Stage &after =
              model.stages[item.firstStage + k + 1];
          Cost stay = paid[after.firstOption + o];
          next[size_t(k) * options + o] = stay <= least ? o : arrived;
          cost += std::min(stay, least);
        }
        paid[stage.firstOption + o] = cost;
        if (k == 0 && (o == 0 || cost < cheapest)) {
          cheapest = cost;
          chosen[item.firstStage] = o;
        }
      }
      if (k == 0)
        value += cheapest;
    }
    for (int32_t k = 1; k < item.stages; ++k)
      chosen[item.firstStage + k] =
          next[size_t(k - 1) * options + chosen[item.firstStage + k - 1]];
  }
  for (size_t limit = 0; limit < price.size(); ++limit)
    for (int32_t time : times[limit])
      value -= Cost(price[limit][time]) * limits[limit].most;
  if (value > best) {
    best = value;
    bestPrice = price;
    without = 0;
  } else {
    ++without;
  }
}

void Relaxation::move(Cost upper) {
  Loads loads = loadsOfLimits();
  // Where the price is 0 and the load within the capacity, nothing pulls.
  double norm = 0;
  constexpr double memory = 0.6;
  for (size_t limit = 0; limit < price.size(); ++limit)
    for (size_t k = 0; k < times[limit].size(); ++k) {
      auto excess = static_cast<double>(loads[limit][times[limit][k]] -
                                        limits[limit].most);
      double &pull = direction[limit][k];
      pull = excess + memory * pull;
      if (exact[limit][k] <= 0 && pull < 0)
        pull = 0;
      norm += pull * pull;
    }
  if (norm == 0)
    return;
  if (without >= 12) {
    step *= 0.7;
    without = 0;
  }
  double unit = std::ldexp(1.0, shift);
  double wanted =
      static_cast<double>(upper) * unit * 1.001 - static_cast<double>(value);
  double length = step * std::max(wanted, unit * 1e-3) / norm;
  double sum = 0;
  for (size_t limit = 0; limit < price.size(); ++limit)
    for (size_t k = 0; k < times[limit].size(); ++k) {
      double &at = exact[limit][k];
      at = std::max(at + length * direction[limit][k], 0.0);
      sum += at;
    }
  double shrink = sum > mostPrices ? mostPrices / sum : 1;
  for (size_t limit = 0; limit < price.size(); ++limit)
    for (size_t k = 0; k < times[limit].size(); ++k)
      price[limit][times[limit][k]] =
          static_cast<int64_t>(exact[limit][k] *= shrink);
  sumPrices();
}

void Relaxation::restore() {
  price = bestPrice;
  for (size_t limit = 0; limit < price.size(); ++limit)
    for (size_t k = 0; k < times[limit].size(); ++k)
      exact[limit][k] = static_cast<double>(price[limit][times[limit][k]]);
  sumPrices();
  evaluate();
}
