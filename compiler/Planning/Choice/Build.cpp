//===- Planning/Choice/Build.cpp - the model of a problem -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Build.h"

#include "Problem/Buffers.h"
#include "Problem/Instance.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

using namespace tamc::planning;

bool tamc::planning::hasChoice(const Problem &problem) {
  return std::any_of(
      problem.buffers.begin(), problem.buffers.end(),
      [](const Buffer &buffer) { return !buffer.choices.empty(); });
}

bool tamc::planning::mayMove(const Buffer &buffer) {
  return !buffer.uses.empty() && buffer.choices.size() > 1 &&
         buffer.live.size() == 1 && buffer.windows.empty() &&
         buffer.aliasClass < 0 && occupies(buffer);
}

Cost tamc::planning::costOfChoice(const Buffer &buffer,
                                  const SpaceChoice &choice) {
  return Cost(choice.cost) *
         static_cast<int64_t>(std::max<size_t>(buffer.uses.size(), 1));
}

std::vector<SpaceChoice> tamc::planning::choicesOf(const Buffer &buffer) {
  return buffer.choices.empty() ? std::vector<SpaceChoice>{{buffer.space, 0}}
                                : buffer.choices;
}

std::vector<std::pair<Interval, bool>>
tamc::planning::stretchesOf(const Buffer &buffer) {
  std::vector<std::pair<Interval, bool>> list;
  int64_t from = buffer.live.front().lower, end = buffer.live.front().upper;
  for (int64_t use : buffer.uses) {
    if (from < use)
      list.push_back({{from, use}, false});
    list.push_back({{use, use + 1}, true});
    from = use + 1;
  }
  if (from < end)
    list.push_back({{from, end}, false});
  return list;
}

namespace {

/// Moments as ticks, with time for copies between them. Adjacent intervals are
/// one stay.
std::vector<Interval> toTicks(const std::vector<Interval> &live) {
  std::vector<Interval> ticks;
  for (const Interval &each : live) {
    if (each.lower == each.upper)
      continue;
    if (!ticks.empty() && ticks.back().upper + 1 == 2 * each.lower)
      ticks.back().upper = 2 * each.upper - 1;
    else
      ticks.push_back({2 * each.lower, 2 * each.upper - 1});
  }
  return ticks;
}

void toTicks(Problem &problem) {
  for (Buffer &buffer : problem.buffers) {
    buffer.live = toTicks(buffer.live);
    for (Window &window : buffer.windows)
      if (window.time.lower < window.time.upper)
        window.time = {2 * window.time.lower, 2 * window.time.upper - 1};
      else
        window.time = {2 * window.time.lower, 2 * window.time.lower};
  }
}

/// By space: the number that all its offsets are multiples of.
std::vector<int64_t> grainsOf(const Problem &problem, const BuiltModel &built,
                              const Options &options) {
  std::vector<int64_t> grains(problem.spaces.size(), 0);
  for (size_t i = 0; i < built.buffers.size(); ++i)
    for (int32_t space : built.spaces[i])
      for (int32_t b : built.buffers[i]) {
        const Buffer &buffer = problem.buffers[b];
        int64_t alignment = commonMultiple(
            commonMultiple(buffer.alignment, problem.spaces[space].alignment),
            options.alignment);
        grains[space] = std::gcd(grains[space], alignment);
        if (buffer.pin && *buffer.pin > 0)
          grains[space] = std::gcd(grains[space], *buffer.pin);
        for (const Window &window : buffer.windows)
          if (window.lower != 0)
            grains[space] = 1;
      }
  for (int64_t &grain : grains)
    grain = std::max<int64_t>(grain, 1);
  return grains;
}

class Builder {
public:
  Builder(const Problem &problem, const Options &options)
      : problem(problem), options(options) {}

  BuiltModel build() {
    evict = options.evict && std::any_of(problem.buffers.begin(),
                                         problem.buffers.end(), mayMove);
    Problem flat;
    flat.buffers = problem.buffers;
    for (Buffer &buffer : flat.buffers) {
      buffer.space = 0;
      buffer.choices.clear();
      buffer.uses.clear();
    }
    if (evict)
      toTicks(flat);
    std::vector<int32_t> all;
    for (size_t i = 0; i < flat.buffers.size(); ++i)
      all.push_back(static_cast<int32_t>(i));
    Instance instance = makeInstance(flat, 0, all, options);
    std::vector<bool> holds(problem.buffers.size(), false);
    for (size_t i = 0; i < instance.size(); ++i) {
      auto first = instance.buffers.begin() + instance.firstBuffer[i];
      auto last = instance.buffers.begin() + instance.firstBuffer[i + 1];
      built.buffers.emplace_back(first, last);
      for (int32_t buffer : built.buffers.back())
        holds[buffer] = true;
    }
    addIdle(holds);
    for (const std::vector<int32_t> &members : built.buffers)
      built.spaces.push_back(commonSpaces(members));
    std::vector<int64_t> grains = grainsOf(problem, built, options);
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      std::optional<int64_t> capacity = problem.spaces[space].capacity;
      built.model.capacity.push_back(
          capacity ? alignUp(*capacity, grains[space]) : infinite);
    }
    collectTimes(instance);
    for (size_t i = 0; i < instance.size(); ++i)
      addItem(instance, i, grains);
    return std::move(built);
  }

private:
  /// Buffers that hold no byte follow the item of their class; those without
  /// one take their cheapest space together with their class.
  void addIdle(const std::vector<bool> &holds) {
    std::map<int32_t, size_t> itemOf;
    for (size_t i = 0; i < built.buffers.size(); ++i)
      if (int32_t name = problem.buffers[built.buffers[i].front()].aliasClass;
          name >= 0)
        itemOf[name] = i;
    built.idle.resize(built.buffers.size());
    built.resting.assign(problem.buffers.size(), -1);
    std::map<int32_t, std::vector<int32_t>> groups;
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      auto index = static_cast<int32_t>(i);
      int32_t name = problem.buffers[i].aliasClass;
      if (holds[i])
        continue;
      if (auto found = itemOf.find(name); name >= 0 && found != itemOf.end())
        built.idle[found->second].push_back(index);
      else
        groups[name >= 0 ? name : -2 - index].push_back(index);
    }
    for (const auto &[name, members] : groups) {
      std::optional<Cost> least;
      int32_t best = 0;
      for (int32_t space : commonSpaces(members)) {
        Cost cost = 0;
        for (int32_t member : members)
          cost += costIn(problem.buffers[member], space);
        if (!least || cost < *least) {
          least = cost;
          best = space;
        }
      }
      built.fixed += least.value_or(0);
      for (int32_t member : members)
        built.resting[member] = best;
    }
  }

  static Cost costIn(const Buffer &buffer, int32_t space) {
    for (const SpaceChoice &choice : buffer.choices)
      if (choice.space == space)
        return costOfChoice(buffer, choice);
    return 0;
  }

  std::vector<int32_t> commonSpaces(const std::vector<int32_t> &members) const {
    std::vector<int32_t> spaces;
    for (const SpaceChoice &choice :
         choicesOf(problem.buffers[members.front()]))
      spaces.push_back(choice.space);
    for (int32_t member : members) {
      std::vector<SpaceChoice> own = choicesOf(problem.buffers[member]);
      std::erase_if(spaces, [&](int32_t space) {
        return std::none_of(
            own.begin(), own.end(),
            [&](const SpaceChoice &choice) { return choice.space == space; });
      });
    }
    return spaces;
  }

  bool moves(size_t item) const {
    const std::vector<int32_t> &members = built.buffers[item];
    return evict && members.size() == 1 &&
           mayMove(problem.buffers[members.front()]);
  }

  /// The ticks of a stretch; all but the last go on to the next.
  static Interval ticksOf(Interval stretch, bool last) {
    return {2 * stretch.lower, 2 * stretch.upper - (last ? 1 : 0)};
  }

  void collectTimes(const Instance &instance) {
    ranks = instance.times;
    for (size_t i = 0; i < instance.size(); ++i) {
      if (!moves(i))
        continue;
      auto stretches = stretchesOf(problem.buffers[built.buffers[i].front()]);
      for (size_t k = 1; k < stretches.size(); ++k) {
        ranks.push_back(2 * stretches[k].first.lower - 1);
        ranks.push_back(2 * stretches[k].first.lower);
      }
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    built.model.times = static_cast<int32_t>(ranks.size());
  }

  int32_t rank(int64_t time) const {
    return static_cast<int32_t>(
        std::lower_bound(ranks.begin(), ranks.end(), time) - ranks.begin());
  }

  void addItem(const Instance &instance, size_t i,
               const std::vector<int64_t> &grains) {
    ChoiceModel &model = built.model;
    const Item &item = instance.items[i];
    const std::vector<int32_t> &members = built.buffers[i];
    ChoiceModel::Item made;
    made.firstStage = static_cast<int32_t>(model.stages.size());
    auto addStage = [&](int32_t firstPiece, int32_t pieces, bool pays,
                        bool perUse) {
      ChoiceModel::Stage stage;
      stage.item = static_cast<int32_t>(model.items.size());
      stage.firstPiece = firstPiece;
      stage.pieces = pieces;
      stage.firstOption = static_cast<int32_t>(model.options.size());
      stage.options = static_cast<int32_t>(built.spaces[i].size());
      for (int32_t space : built.spaces[i]) {
        Cost cost = 0;
        for (const auto *list :
             {&members, std::as_const(built.idle).data() + i})
          for (int32_t member : *list)
            for (const SpaceChoice &choice : choicesOf(problem.buffers[member]))
              if (choice.space == space && pays)
                cost += perUse ? Cost(choice.cost)
                               : costOfChoice(problem.buffers[member], choice);
        model.options.push_back(
            {space, alignUp(item.size, grains[space]), saturate(cost)});
      }
      model.stages.push_back(stage);
    };
    if (moves(i)) {
      auto stretches = stretchesOf(problem.buffers[members.front()]);
      for (size_t k = 0; k < stretches.size(); ++k) {
        Interval ticks = ticksOf(stretches[k].first, k + 1 == stretches.size());
        auto piece = static_cast<int32_t>(model.pieces.size());
        model.pieces.push_back({rank(ticks.lower), rank(ticks.upper), -1});
        addStage(piece, 1, stretches[k].second, true);
        built.times.push_back(stretches[k].first);
      }
      made.move = item.size;
    } else {
      auto first = static_cast<int32_t>(model.pieces.size());
      for (const Piece &piece : instance.piecesOf(item)) {
        bool whole = piece.from == 0 && piece.to == item.size;
        model.pieces.push_back({rank(instance.times[piece.lower]),
                                rank(instance.times[piece.upper]),
                                whole ? -1 : piece.to - piece.from});
      }
      addStage(first, item.pieces, true, false);
      built.times.push_back(
          {instance.times[item.lower], instance.times[item.upper]});
    }
    made.stages = static_cast<int32_t>(model.stages.size()) - made.firstStage;
    model.items.push_back(made);
  }

  const Problem &problem;
  const Options &options;
  bool evict = false;
  BuiltModel built;
  std::vector<int64_t> ranks;
};

} // namespace

BuiltModel tamc::planning::buildModel(const Problem &problem,
                                      const Options &options) {
  return Builder(problem, options).build();
}

void tamc::planning::setSpaces(const Problem &problem, const BuiltModel &built,
                               const Selection &selection, Plan &plan) {
  plan.spaces.clear();
  plan.residences.clear();
  plan.copies.clear();
  plan.spaces = built.resting;
  for (size_t i = 0; i < built.buffers.size(); ++i) {
    const ChoiceModel::Item &item = built.model.items[i];
    auto spaceOf = [&](int32_t s) { return built.spaces[i][selection[s]]; };
    for (const std::vector<int32_t> *list : {&built.buffers[i], &built.idle[i]})
      for (int32_t member : *list)
        plan.spaces[member] = spaceOf(item.firstStage);
    bool moved = false;
    for (int32_t s = item.firstStage + 1; s < item.firstStage + item.stages;
         ++s)
      moved |= selection[s] != selection[s - 1];
    if (!moved)
      continue;
    int32_t buffer = built.buffers[i].front();
    for (int32_t s = item.firstStage; s < item.firstStage + item.stages; ++s) {
      bool first = s == item.firstStage;
      if (!first && selection[s] == selection[s - 1]) {
        plan.residences.back().time.upper = built.times[s].upper;
        continue;
      }
      if (!first)
        plan.copies.push_back({buffer, built.times[s].lower, spaceOf(s - 1),
                               spaceOf(s), problem.buffers[buffer].size});
      plan.residences.push_back({buffer, spaceOf(s), built.times[s], 0});
    }
  }
  std::stable_sort(plan.residences.begin(), plan.residences.end(),
                   [](const Residence &a, const Residence &b) {
                     return a.buffer < b.buffer;
                   });
  std::stable_sort(
      plan.copies.begin(), plan.copies.end(), [](const Copy &a, const Copy &b) {
        return std::pair(a.time, a.buffer) < std::pair(b.time, b.buffer);
      });
  plan.cost = saturate(built.fixed + costOf(built.model, selection));
}

PlacedProblem tamc::planning::placeStays(const Problem &problem,
                                         const Plan &plan, bool ticks) {
  PlacedProblem placed;
  Problem &to = placed.problem;
  to.name = problem.name;
  to.spaces = problem.spaces;
  to.buffers = problem.buffers;
  std::vector<bool> moves(problem.buffers.size(), false);
  for (const Residence &stay : plan.residences)
    moves[stay.buffer] = true;
  if (ticks)
    toTicks(to);
  for (size_t i = 0; i < to.buffers.size(); ++i) {
    Buffer &buffer = to.buffers[i];
    buffer.choices.clear();
    buffer.uses.clear();
    buffer.space = plan.spaces[i];
    placed.owner.push_back(static_cast<int32_t>(i));
  }
  if (plan.residences.empty()) {
    to.operations = problem.operations;
    to.expressions = problem.expressions;
    return placed;
  }
  std::unordered_set<std::string> names;
  for (const Buffer &buffer : problem.buffers)
    names.insert(buffer.name);
  for (size_t k = 0; k < plan.residences.size(); ++k) {
    const Residence &stay = plan.residences[k];
    bool first = k == 0 || plan.residences[k - 1].buffer != stay.buffer;
    bool last = k + 1 == plan.residences.size() ||
                plan.residences[k + 1].buffer != stay.buffer;
    if (!first) {
      Buffer more = to.buffers[stay.buffer];
      more.name = problem.buffers[stay.buffer].name + "@" +
                  std::to_string(stay.time.lower);
      while (!names.insert(more.name).second)
        more.name += "'";
      to.buffers.push_back(std::move(more));
      placed.owner.push_back(stay.buffer);
    }
    Buffer &buffer = first ? to.buffers[stay.buffer] : to.buffers.back();
    buffer.space = stay.space;
    buffer.live = {stay.time};
    // Copies come and go between two moments.
    if (ticks)
      buffer.live = {{2 * stay.time.lower - (first ? 0 : 1),
                      2 * stay.time.upper - (last ? 1 : 0)}};
  }
  return placed;
}
