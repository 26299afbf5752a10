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

Relaxation::Relaxation(const ChoiceModel &model, Cost upper)
    : model(model), shift(std::clamp(58 - bitsOf(upper), 0, 44)),
      times(model.capacity.size()), price(model.capacity.size()),
      sums(model.capacity.size()), exact(model.capacity.size()),
      direction(model.capacity.size()), paid(model.options.size()),
      chosen(model.stages.size()) {
  findActive();
  bestPrice = price;
  sumPrices();
  evaluate();
}

void Relaxation::findActive() {
  size_t resources = model.capacity.size();
  Loads most(resources, std::vector<Cost>(model.times + 1, 0));
  std::vector<std::vector<bool>> begins(
      resources, std::vector<bool>(model.times + 1, false));
  std::vector<std::vector<bool>> ends = begins;
  for (const ChoiceModel::Stage &stage : model.stages) {
    bool moves =
        &stage - model.stages.data() != model.items[stage.item].firstStage;
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
      // The most that an option of the resource holds.
      for (size_t resource = 0; resource < resources; ++resource) {
        int64_t bytes = -1;
        for (const ChoiceModel::Option &option : model.optionsOf(stage))
          if (option.resource == static_cast<int32_t>(resource))
            bytes = std::max(bytes, ChoiceModel::bytesOf(piece, option));
        if (bytes < 0)
          continue;
        int32_t lower = piece.lower - (moves ? 1 : 0);
        most[resource][lower] += bytes;
        most[resource][piece.upper] -= bytes;
        begins[resource][lower] = ends[resource][piece.upper] = true;
      }
    }
  }
  for (size_t resource = 0; resource < resources; ++resource) {
    Cost load = 0;
    bool grown = false;
    for (int32_t time = 0; time <= model.times; ++time) {
      // Only the last time before something ends matters.
      if (grown && (ends[resource][time] || time == model.times)) {
        if (load > model.capacity[resource])
          times[resource].push_back(time - 1);
        grown = false;
      }
      load += most[resource][time];
      grown |= begins[resource][time];
    }
    active += times[resource].size();
    if (times[resource].empty())
      continue;
    price[resource].assign(model.times, 0);
    exact[resource].assign(times[resource].size(), 0);
    direction[resource].assign(times[resource].size(), 0);
  }
}

void Relaxation::sumPrices() {
  for (size_t resource = 0; resource < price.size(); ++resource) {
    if (price[resource].empty())
      continue;
    sums[resource].resize(model.times + 1);
    sums[resource][0] = 0;
    for (int32_t time = 0; time < model.times; ++time)
      sums[resource][time + 1] = sums[resource][time] + price[resource][time];
  }
}

Cost Relaxation::priceOf(const ChoiceModel::Stage &stage,
                         int32_t option) const {
  const ChoiceModel::Option &from = model.optionsOf(stage)[option];
  const std::vector<Cost> &sum = sums[from.resource];
  if (sum.empty())
    return 0;
  Cost total = 0;
  for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
    total += (sum[piece.upper] - sum[piece.lower]) *
             ChoiceModel::bytesOf(piece, from);
  return total;
}

Cost Relaxation::moving(const ChoiceModel::Stage &stage, int32_t option) const {
  const ChoiceModel::Option &to = model.optionsOf(stage)[option];
  return (Cost(model.items[stage.item].move) << shift) +
         Cost(priceAt(to.resource, model.arrival(stage))) * to.bytes;
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
  for (size_t resource = 0; resource < price.size(); ++resource)
    for (int32_t time : times[resource])
      value -= Cost(price[resource][time]) * model.capacity[resource];
  if (value > best) {
    best = value;
    bestPrice = price;
    without = 0;
  } else {
    ++without;
  }
}

void Relaxation::move(Cost upper) {
  Loads loads = loadsOf(model, chosen);
  // Where the price is 0 and the load within the capacity, nothing pulls.
  double norm = 0;
  constexpr double memory = 0.6;
  for (size_t resource = 0; resource < price.size(); ++resource)
    for (size_t k = 0; k < times[resource].size(); ++k) {
      auto excess = static_cast<double>(loads[resource][times[resource][k]] -
                                        model.capacity[resource]);
      double &pull = direction[resource][k];
      pull = excess + memory * pull;
      if (exact[resource][k] <= 0 && pull < 0)
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
  for (size_t resource = 0; resource < price.size(); ++resource)
    for (size_t k = 0; k < times[resource].size(); ++k) {
      double &at = exact[resource][k];
      at = std::max(at + length * direction[resource][k], 0.0);
      sum += at;
    }
  double shrink = sum > mostPrices ? mostPrices / sum : 1;
  for (size_t resource = 0; resource < price.size(); ++resource)
    for (size_t k = 0; k < times[resource].size(); ++k)
      price[resource][times[resource][k]] =
          static_cast<int64_t>(exact[resource][k] *= shrink);
  sumPrices();
}

void Relaxation::restore() {
  price = bestPrice;
  for (size_t resource = 0; resource < price.size(); ++resource)
    for (size_t k = 0; k < times[resource].size(); ++k)
      exact[resource][k] =
          static_cast<double>(price[resource][times[resource][k]]);
  sumPrices();
  evaluate();
}
