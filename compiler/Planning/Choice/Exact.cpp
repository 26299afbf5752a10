//===- Planning/Choice/Exact.cpp - complete search of choices -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Exact.h"

#include "Problem/Buffers.h"

#include "tamc/Planning/LowerBound.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tamc::planning;

namespace {

/// Bytes of an item: those of its largest buffer that is needed at some time.
int64_t sizeOf(const Problem &problem, const BuiltModel &built, size_t item) {
  int64_t size = 0;
  for (int32_t buffer : built.buffers[item])
    if (occupies(problem.buffers[buffer]))
      size = std::max(size, problem.buffers[buffer].size);
  return size;
}

/// The packing of one space.
struct Packed {
  /// infinite if nothing fits, or nothing was found.
  int64_t peak = 0;
  /// No packing is lower; or, without one that fits, there is none.
  bool proved = false;
};

/// Decisions that packings may make for each of the search's: they are as many
/// times faster. Without a bound, a search of few choices would pack for
/// minutes.
constexpr int64_t kPackingShare = 25;

class ExactSearch {
public:
  ExactSearch(const Problem &problem, const BuiltModel &built,
              const Relaxation &relaxation, const Options &options,
              int64_t nodes, const Deadline &deadline)
      : problem(problem), built(built), model(built.model),
        relaxation(relaxation), options(options), budget(nodes),
        packingLeft(options.timeLimit
                        ? infinite
                        : kPackingShare *
                              std::min(nodes, infinite / kPackingShare)),
        deadline(deadline), chosen(model.stages.size(), 0),
        load(model.capacity.size(), std::vector<int64_t>(model.times, 0)),
        most(model.capacity.size(), 0) {
    order.resize(model.items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return bytesOf(a) > bytesOf(b);
    });
    for (int32_t item : order)
      for (int32_t k = 0; k < model.items[item].stages; ++k)
        sequence.push_back(model.items[item].firstStage + k);
    // A bound counts the padding of all buffers, a peak not that of the
    // topmost.
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      int64_t pad = 0;
      for (size_t i = 0; i < model.items.size(); ++i)
        for (const ChoiceModel::Stage &stage : model.stagesOf(model.items[i]))
          for (const ChoiceModel::Option &option : model.optionsOf(stage))
            if (option.resource == static_cast<int32_t>(space))
              pad = std::max(pad, option.bytes - sizeOf(problem, built, i));
      padding.push_back(pad);
    }
  }

  ExactChoice run() {
    result.complete = true;
    floor = leastTotalPeak(problem, built);
    descend(0, relaxation.scaledBound());
    result.nodes = used;
    result.bound =
        result.complete && result.best ? result.cost : relaxation.bound();
    if (!stopped && unproved) {
      result.complete = false;
      result.bound =
          std::max(relaxation.bound(),
                   result.best ? std::min(result.cost, *unproved) : *unproved);
    }
    return std::move(result);
  }

private:
  int64_t bytesOf(int32_t item) const {
    int64_t most = 0;
    for (const ChoiceModel::Option &option :
         model.optionsOf(model.stages[model.items[item].firstStage]))
      most = std::max(most, option.bytes);
    return most;
  }

  bool isWorse(Cost cost, int64_t peak) const {
    if (!result.best)
      return false;
    return options.objective == Objective::Cost
               ? cost > result.cost ||
                     (cost == result.cost && peak >= result.peak)
               : peak > result.peak ||
                     (peak == result.peak && cost >= result.cost);
  }

  int64_t peakBound() const {
    int64_t sum = 0;
    for (size_t r = 0; r < most.size(); ++r)
      sum += std::max<int64_t>(most[r] - padding[r], 0);
    return std::max(sum, floor);
  }

  /// Adds the bytes; false if they exceed the capacity.
  bool add(int32_t resource, int32_t lower, int32_t upper, int64_t bytes) {
    bool fits = true;
    for (int32_t t = lower; t < upper; ++t) {
      load[resource][t] += bytes;
      most[resource] = std::max(most[resource], load[resource][t]);
      fits &= load[resource][t] <= model.capacity[resource];
    }
    return fits;
  }

  bool change(int32_t s, int32_t option, bool arrives, int64_t sign) {
    const ChoiceModel::Stage &stage = model.stages[s];
    const ChoiceModel::Option &to = model.optionsOf(stage)[option];
    bool fits = true;
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage))
      fits &= add(to.resource, piece.lower, piece.upper,
                  sign * ChoiceModel::bytesOf(piece, to));
    if (arrives)
      fits &= add(to.resource, model.arrival(stage), model.arrival(stage) + 1,
                  sign * to.bytes);
    return fits;
  }

  void descend(size_t at, Cost bound) {
    if (stopped || isWorse(relaxation.ceiling(bound), peakBound()))
      return;
    if (++used > budget || deadline.passed()) {
      stopped = true;
      result.complete = false;
      return;
    }
    if (at == sequence.size()) {
      leaf();
      return;
    }
    int32_t s = sequence[at];
    const ChoiceModel::Stage &stage = model.stages[s];
    bool first = s == model.items[stage.item].firstStage;
    std::span<const Cost> toGo = relaxation.toGo();
    std::vector<std::pair<Cost, int32_t>> ways;
    for (int32_t o = 0; o < stage.options; ++o) {
      Cost cost = toGo[stage.firstOption + o];
      if (!first && o != chosen[s - 1])
        cost += relaxation.moving(stage, o);
      ways.push_back({cost, o});
    }
    std::sort(ways.begin(), ways.end());
    for (auto [cost, o] : ways) {
      std::vector<int64_t> before = most;
      bool arrives = !first && o != chosen[s - 1];
      chosen[s] = o;
      if (change(s, o, arrives, 1))
        descend(at + 1, bound + cost - ways.front().first);
      change(s, o, arrives, -1);
      most = before;
      if (stopped)
        return;
    }
  }

  void leaf() {
    Cost cost = costOf(model, chosen);
    Plan plan;
    setSpaces(problem, built, chosen, plan);
    PlacedProblem placed = placeStays(problem, plan, true);
    std::vector<std::vector<int32_t>> members(problem.spaces.size());
    for (size_t i = 0; i < placed.problem.buffers.size(); ++i)
      members[placed.problem.buffers[i].space].push_back(
          static_cast<int32_t>(i));
    int64_t sum = 0;
    bool proved = true;
    for (size_t space = 0; space < members.size(); ++space) {
      Packed packed = pack(placed, static_cast<int32_t>(space), members[space]);
      if (packed.peak == infinite && packed.proved)
        return;
      proved &= packed.proved;
      sum = saturatingAdd(sum, packed.peak);
    }
    if (!proved && !isWorse(cost, peakBound()))
      unproved = unproved ? std::min(*unproved, cost) : cost;
    if (sum == infinite || isWorse(cost, sum))
      return;
    result.best = chosen;
    result.cost = cost;
    result.peak = sum;
  }

  Packed pack(const PlacedProblem &placed, int32_t space,
              const std::vector<int32_t> &members) {
    if (members.empty())
      return {0, true};
    std::vector<int64_t> key = {space};
    Problem alone;
    alone.spaces = {placed.problem.spaces[space]};
    for (int32_t member : members) {
      const Buffer &buffer = placed.problem.buffers[member];
      key.push_back(placed.owner[member]);
      for (const Interval &interval : buffer.live) {
        key.push_back(interval.lower);
        key.push_back(interval.upper);
      }
    }
    auto [found, fresh] = known.try_emplace(std::move(key));
    if (!fresh)
      return found->second;
    for (int32_t member : members) {
      alone.buffers.push_back(placed.problem.buffers[member]);
      alone.buffers.back().space = 0;
    }
    if (packingLeft <= 0) {
      stopped = true;
      result.complete = false;
      return {infinite, false};
    }
    Options packing = options;
    packing.strategy = "auto";
    packing.threads = 1;
    packing.nodes = packingLeft < kAutoNodes ? packingLeft : 0;
    if (options.timeLimit)
      packing.timeLimit = std::max(deadline.left(), 0.0);
    Plan made = tamc::planning::plan(alone, packing);
    Packed packed;
    packed.peak = made.fits() ? made.totalPeak() : infinite;
    packed.proved = made.fits() ? made.status == Status::Optimal
                                : made.status == Status::Infeasible;
    // Without a proof all were spent, though not all of them are counted.
    packingLeft -=
        std::min(packed.proved ? made.nodes : kAutoNodes, packingLeft);
    return found->second = packed;
  }

  const Problem &problem;
  const BuiltModel &built;
  const ChoiceModel &model;
  const Relaxation &relaxation;
  const Options &options;
  int64_t budget, used = 0;
  /// Decisions that packings may still make; `infinite`, or nearly, with a time
  /// limit.
  int64_t packingLeft;
  const Deadline &deadline;
  Selection chosen;
  std::vector<std::vector<int64_t>> load;
  std::vector<int64_t> most, padding;
  int64_t floor = 0;
  std::vector<int32_t> order, sequence;
  std::map<std::vector<int64_t>, Packed> known;
  ExactChoice result;
  bool stopped = false;
  /// The least cost of a choice whose packing is unknown, or not proved.
  std::optional<Cost> unproved;
};

} // namespace

int64_t tamc::planning::leastTotalPeak(const Problem &problem,
                                       const BuiltModel &built) {
  std::vector<Cost> load(built.model.times + 1, 0);
  for (size_t i = 0; i < built.model.items.size(); ++i)
    for (const ChoiceModel::Stage &stage :
         built.model.stagesOf(built.model.items[i])) {
      int64_t size = sizeOf(problem, built, i);
      for (const ChoiceModel::Piece &piece : built.model.piecesOf(stage)) {
        int64_t bytes = piece.bytes >= 0 ? piece.bytes : size;
        load[piece.lower] += bytes;
        load[piece.upper] -= bytes;
      }
    }
  Cost now = 0, most = 0;
  for (Cost each : load)
    most = std::max(most, now += each);
  return saturate(most);
}

ExactChoice tamc::planning::searchChoices(const Problem &problem,
                                          const BuiltModel &built,
                                          const Relaxation &relaxation,
                                          const Options &options, int64_t nodes,
                                          const Deadline &deadline) {
  return ExactSearch(problem, built, relaxation, options, nodes, deadline)
      .run();
}
