//===- Planning/Choice/PlanChoice.cpp - plans with a choice of spaces -----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Choice.h"

#include "Choice/AddressSearch.h"
#include "Choice/Build.h"
#include "Choice/Exact.h"
#include "Choice/Reasons.h"
#include "Choice/Selector.h"
#include "Choice/Table.h"
#include "Placement/Placer.h"
#include "Problem/Buffers.h"
#include "Strategies/Judge.h"
#include "tamc/Planning/LowerBound.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

using namespace tamc::planning;

std::string tamc::planning::whyNotChosen(const Problem &problem,
                                         const Options &options) {
  Cost bytes = 0;
  for (const Buffer &buffer : problem.buffers) {
    bytes += buffer.size;
    if (!buffer.choices.empty() && buffer.expression >= 0)
      return "buffer '" + buffer.name +
             "': a size with symbols needs one space, got a choice";
    if (options.evict && !buffer.live.empty() &&
        buffer.live.back().upper >= int64_t(1) << 61)
      return "buffer '" + buffer.name +
             "': with copies, expected times below 2^61";
  }
  if (bytes >= Cost(1) << 61)
    return "to choose spaces, expected sizes below 2^61 in total";
  if (options.reuse == Reuse::BranchSafe)
    return "spaces are chosen for the order of the program only; expected one "
           "space for each buffer, or the reuse 'program'";
  return {};
}

namespace {

/// A selection with the offsets of its stays.
struct Candidate {
  Selection selection;
  Plan plan;
  PlacedProblem placed;
  /// Of the placed problem; its buffers are the stays.
  Plan packed;
  bool fits() const { return packed.fits(); }
};

class Planner {
public:
  Planner(const Problem &problem, const Options &options)
      : problem(problem), options(options), deadline(options),
        built(buildModel(problem, options)), model(built.model),
        itemOf(problem.buffers.size(), -1) {
    for (size_t i = 0; i < built.buffers.size(); ++i)
      for (int32_t buffer : built.buffers[i])
        itemOf[buffer] = static_cast<int32_t>(i);
  }

  Plan run() {
    if (model.items.empty()) {
      consider({});
      return finish(true);
    }
    if (options.chooser != Chooser::Search)
      return runBaseline();
    SelectOptions selecting;
    selecting.seed = options.seed;
    selecting.nodes = options.nodes;
    selecting.hasTimeLimit = options.timeLimit.has_value();
    Options third = options;
    if (options.timeLimit)
      third.timeLimit = *options.timeLimit * 0.35;
    const Deadline until(third);
    Selected selected = select(model, selecting, until);
    bound = selected.bound;
    nodes = selected.nodes;
    if (selected.impossible)
      return fail(Status::Infeasible,
                  "no choice of spaces is within the capacities: " +
                      tightest());
    if (!selected.selection.empty()) {
      Candidate first = consider(selected.selection);
      if (options.objective == Objective::Peak)
        considerEachSpace(selecting);
      else if (!first.fits())
        repairAll(first);
    }
    bool proved = searchExactly();
    if (!proved)
      useRestOfTime(selecting);
    if (!best && !proved) {
      consider(chooseBySize(model));
      if (!best && isSmall())
        considerRest();
      if (!best)
        consider(chooseSafely(model));
    }
    if (!best)
      return proved
                 ? fail(Status::Infeasible,
                        "no choice of spaces can be packed within the "
                        "capacities: " +
                            tightest())
                 : fail(deadline.passed() ? Status::TimedOut : Status::NotFound,
                        "no choice of spaces was found whose buffers can be "
                        "packed within the capacities");
    if (!proved)
      fillHoles();
    return finish(proved);
  }

private:
  static constexpr size_t small = 40;
  bool isSmall() const { return model.stages.size() <= small; }

  Plan fail(Status status, std::string reason) {
    Plan plan;
    plan.status = status;
    plan.strategy = options.strategy;
    plan.reason = std::move(reason);
    plan.nodes = nodes;
    plan.bound.assign(problem.spaces.size(), 0);
    plan.costBound = saturate(bound + built.fixed);
    return plan;
  }

  /// The moment at which the capacities are farthest below what is needed.
  std::string tightest() const {
    std::vector<Cost> change(model.times + 1, 0);
    for (const ChoiceModel::Stage &stage : model.stages)
      for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
        int64_t least = infinite;
        for (const ChoiceModel::Option &option : model.optionsOf(stage))
          least = std::min(least, model.capacity[option.resource] == infinite
                                      ? 0
                                      : ChoiceModel::bytesOf(piece, option));
        change[piece.lower] += least;
        change[piece.upper] -= least;
      }
    Cost now = 0, most = 0;
    for (Cost each : change)
      most = std::max(most, now += each);
    Cost capacity = 0;
    for (int64_t each : model.capacity)
      capacity += each == infinite ? 0 : each;
    return "the buffers that need a bounded space take up to " +
           std::to_string(saturate(most)) +
           " bytes at one time, and these "
           "spaces have " +
           std::to_string(saturate(capacity));
  }

  Options packing(double share) const {
    Options packing = options;
    if (packing.strategy.empty())
      packing.strategy = "auto";
    if (options.timeLimit)
      packing.timeLimit = std::max(deadline.left() * share, 0.0);
    return packing;
  }

  Candidate pack(const Selection &selection, double share) {
    Candidate made;
    made.selection = selection;
    setSpaces(problem, built, selection, made.plan);
    made.placed = placeStays(problem, made.plan, !made.plan.residences.empty());
    made.packed = plan(made.placed.problem, packing(share));
    return made;
  }

  bool isBetter(const Candidate &a, const Candidate &b) const {
    std::pair costs(costOf(model, a.selection), costOf(model, b.selection));
    std::pair peaks(a.packed.totalPeak(), b.packed.totalPeak());
    if (options.objective == Objective::Cost)
      return std::pair<Cost, Cost>(costs.first, peaks.first) <
             std::pair<Cost, Cost>(costs.second, peaks.second);
    return std::pair<Cost, Cost>(peaks.first, costs.first) <
           std::pair<Cost, Cost>(peaks.second, costs.second);
  }

  /// Packs a selection and keeps it if it is the best one that fits.
  Candidate consider(const Selection &selection, double share = 0.3) {
    Candidate made = pack(selection, share);
    if (made.fits() && (!best || isBetter(made, *best)))
      best = made;
    return made;
  }

  /// What packing did not need of the time limit goes to another choice.
  void useRestOfTime(SelectOptions selecting) {
    if (!options.timeLimit || !best || options.objective == Objective::Peak ||
        model.items.size() > 3000 || costOf(model, best->selection) <= bound)
      return;
    ++selecting.seed;
    selecting.places = 0;
    Options part = options;
    part.timeLimit = std::max(deadline.left() * 0.8, 0.0);
    Selected selected = select(model, selecting, Deadline(part));
    nodes += selected.nodes;
    bound = std::max(bound, selected.bound);
    if (!selected.selection.empty() &&
        selected.cost < costOf(model, best->selection))
      if (Candidate made = consider(selected.selection, 0.3); !made.fits())
        moveOutUntilItFits(made, false);
  }

  /// With Objective::Peak: as much as possible in one space.
  void considerEachSpace(SelectOptions selecting) {
    selecting.nodes = 5000;
    ChoiceModel other = model;
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      for (ChoiceModel::Option &option : other.options)
        option.cost = option.resource != static_cast<int32_t>(space);
      Options part = options;
      if (options.timeLimit)
        part.timeLimit = std::max(deadline.left() / 8, 0.0);
      Selected selected = select(other, selecting, Deadline(part));
      if (!selected.selection.empty())
        consider(selected.selection, 0.2);
    }
  }

  /// If the bytes fit but the packing does not: moves items out of the space,
  /// and chooses again for a smaller capacity.
  void repairAll(const Candidate &first) {
    bool isLarge = model.items.size() > 3000;
    if (isLarge) {
      exchange(first, 0.15);
      reselect(first, isLarge);
      if (best)
        exchange(Candidate(*best), 0.85);
    }
    if (isLarge && best)
      return;
    moveOutUntilItFits(first, isLarge);
    if (!isLarge)
      reselect(first, isLarge);
  }

  /// Calls body(stage) for the stages of a stay's buffer within its time.
  template <class Body>
  void forEachStage(const Residence &stay, const Body &body) const {
    const ChoiceModel::Item &item = model.items[itemOf[stay.buffer]];
    for (int32_t s = item.firstStage; s < item.firstStage + item.stages; ++s)
      if (stay.time.lower <= built.times[s].lower &&
          built.times[s].lower < stay.time.upper)
        body(s);
  }

  /// By stage: the offset of a candidate's stay; -1 if it has none.
  std::vector<int64_t> offsetsOf(const Candidate &candidate) const {
    std::vector<int64_t> offsets(model.stages.size(), -1);
    if (candidate.packed.offsets.empty())
      return offsets;
    for (size_t i = 0; i < built.buffers.size(); ++i)
      std::fill_n(offsets.begin() + model.items[i].firstStage,
                  model.items[i].stages,
                  candidate.packed.offsets[built.buffers[i].front()]);
    forEachStay(candidate.plan.residences, problem.buffers.size(),
                [&](const Residence &stay, size_t index) {
                  forEachStage(stay, [&](int32_t stage) {
                    offsets[stage] = candidate.packed.offsets[index];
                  });
                });
    return offsets;
  }

  /// Makes a candidate of a selection whose addresses are known in the spaces
  /// with a capacity; the other spaces are packed.
  Candidate complete(const Addressed &found) {
    Candidate made;
    made.selection = found.selection;
    setSpaces(problem, built, made.selection, made.plan);
    made.placed = placeStays(problem, made.plan, !made.plan.residences.empty());
    std::vector<int64_t> offsets(made.placed.problem.buffers.size(), -1);
    for (size_t i = 0; i < built.buffers.size(); ++i)
      for (int32_t member : built.buffers[i])
        offsets[member] = found.offsets[model.items[i].firstStage];
    forEachStay(made.plan.residences, problem.buffers.size(),
                [&](const Residence &stay, size_t index) {
                  forEachStage(stay, [&](int32_t stage) {
                    if (built.times[stage].lower == stay.time.lower)
                      offsets[index] = found.offsets[stage];
                  });
                });
    Problem rest = made.placed.problem;
    for (size_t i = 0; i < offsets.size(); ++i)
      if (offsets[i] >= 0) {
        rest.buffers[i].live.clear();
        rest.buffers[i].windows.clear();
      }
    made.packed = plan(rest, packing(0.05));
    if (made.packed.offsets.empty())
      return made;
    for (size_t i = 0; i < offsets.size(); ++i)
      if (offsets[i] >= 0)
        made.packed.offsets[i] = offsets[i];
    measure(made);
    made.packed.status = Status::Feasible;
    judge(made.placed.problem, made.packed);
    return made;
  }

  /// Peaks, pools and bounds of a candidate whose offsets have changed.
  void measure(Candidate &made) const {
    made.packed.peak.clear();
    made.packed.pools.clear();
    fillPeaks(made.placed.problem, made.packed);
    made.packed.bound.clear();
    for (const Bound &each :
         lowerBounds(made.placed.problem, options.alignment))
      made.packed.bound.push_back(each.bytes);
  }

  /// Exchanges between the stays of a candidate, which need not fit.
  void exchange(const Candidate &first, double share) {
    Options part = options;
    if (options.timeLimit)
      part.timeLimit = std::max(deadline.left() * share, 0.0);
    std::optional<Addressed> found = searchAddresses(
        problem, built, options, {first.selection, offsetsOf(first)},
        options.timeLimit ? infinite : 16, Deadline(part));
    if (!found)
      return;
    Candidate made = complete(*found);
    if (made.fits() && (!best || isBetter(made, *best)))
      best = std::move(made);
  }

  void moveOutUntilItFits(const Candidate &first, bool isLarge) {
    Candidate failed = first;
    Selection moved = first.selection;
    Departures left;
    for (int round = 0; round < (isLarge ? 2 : 60); ++round) {
      if (deadline.passed() && round > 1)
        return;
      if (!moveOut(failed, moved, left, isLarge))
        return;
      failed = consider(moved, isLarge ? 0.3 : 0.1);
      if (failed.fits())
        return;
    }
  }

  /// Chooses again for capacities that leave room for what cannot be packed.
  /// Large problems look for the least cut that is enough.
  void reselect(const Candidate &first, bool isLarge) {
    double cut = isLarge ? 0.5 : 0;
    const int rounds = isLarge ? 2 : 6;
    for (int round = 0; round < rounds && !deadline.passed(); ++round) {
      ChoiceModel smaller = model;
      const Loads loads = loadsOf(model, first.selection);
      bool any = false;
      for (size_t space = 0; space < problem.spaces.size(); ++space) {
        std::optional<int64_t> capacity = problem.spaces[space].capacity;
        if (!capacity || first.packed.peak.empty() ||
            first.packed.peak[space] <= *capacity)
          continue;
        any = true;
        Cost load = *std::max_element(loads[space].begin(), loads[space].end());
        auto over = static_cast<double>(first.packed.peak[space] - *capacity);
        smaller.capacity[space] = std::max<int64_t>(
            saturate(load) - 1 - static_cast<int64_t>(cut * over), 0);
      }
      if (!any)
        return;
      SelectOptions selecting;
      selecting.seed = options.seed;
      selecting.hasTimeLimit = options.timeLimit.has_value();
      Options part = options;
      if (options.timeLimit)
        part.timeLimit = std::max(deadline.left() / 5, 0.0);
      Selected selected = select(smaller, selecting, Deadline(part));
      bool promises =
          !selected.selection.empty() &&
          !(best && selected.cost >= costOf(model, best->selection));
      if (!promises && !isLarge)
        return;
      bool fits = false;
      if (promises) {
        Candidate made = consider(selected.selection, isLarge ? 0.2 : 0.1);
        fits = made.fits();
        if (isLarge)
          exchange(made, 0.3);
      }
      if (fits && !isLarge)
        return;
      cut = isLarge ? (fits || !promises ? cut * 0.5 : cut * 2) : cut + 0.3;
    }
  }

  /// The stages that have left a space. They do not return, or else two spaces
  /// could pass an item to each other for ever.
  using Departures = std::set<std::pair<int32_t, int32_t>>;

  /// Lets items leave the spaces whose packing is too high: the cheapest of
  /// those that share time with a stay above the capacity, or with `all` every
  /// such stay itself.
  bool moveOut(const Candidate &failed, Selection &selection, Departures &left,
               bool all) {
    if (failed.packed.offsets.empty())
      return false;
    const std::vector<Buffer> &stays = failed.placed.problem.buffers;
    auto overshoot = [&](size_t i) {
      std::optional<int64_t> capacity = problem.spaces[stays[i].space].capacity;
      return capacity && occupies(stays[i])
                 ? failed.packed.offsets[i] + stays[i].size - *capacity
                 : 0;
    };
    Table table(model);
    for (size_t i = 0; i < model.items.size(); ++i)
      table.put(static_cast<int32_t>(i),
                {selection.data() + model.items[i].firstStage,
                 size_t(model.items[i].stages)});
    auto spansOf = [](const Buffer &buffer) {
      Interval span = {INT64_MAX, 0};
      for (const Interval &each : buffer.live)
        span = {std::min(span.lower, each.lower),
                std::max(span.upper, each.upper)};
      for (const Window &each : buffer.windows)
        span = {std::min(span.lower, each.time.lower),
                std::max(span.upper, each.time.upper)};
      return span;
    };
    const std::vector<Interval> residences = residencesOf(failed);
    bool any = false;
    std::vector<bool> seen(model.items.size(), false);
    for (size_t i = 0; i < stays.size(); ++i) {
      int64_t over = overshoot(i);
      if (over <= 0)
        continue;
      struct Way {
        Cost cost;
        int32_t item;
        size_t stay;
        std::vector<int32_t> path;
      };
      std::optional<Way> cheapest;
      Interval span = spansOf(stays[i]);
      for (size_t j = all ? i : 0; j < (all ? i + 1 : stays.size()); ++j) {
        Interval other = spansOf(stays[j]);
        int32_t item = itemOf[failed.placed.owner[j]];
        if (stays[j].space != stays[i].space || item < 0 || seen[item] ||
            other.upper <= span.lower || span.upper <= other.lower)
          continue;
        if (model.stages[model.items[item].firstStage].options < 2)
          continue;
        auto begin = table.selection().begin() + model.items[item].firstStage;
        std::vector<int32_t> old(begin, begin + model.items[item].stages);
        Cost before = table.costOf(item);
        table.take(item);
        std::vector<int32_t> path;
        const Cost huge = Cost(1) << 90;
        auto costs = [&](int32_t s, int32_t o) {
          const ChoiceModel::Option &option =
              model.optionsOf(model.stages[s])[o];
          const bool leaves =
              option.resource != stays[j].space || !isDuring(s, residences[j]);
          return Cost(option.cost) +
                 (leaves && !left.count({s, option.resource}) ? 0 : huge);
        };
        std::optional<Cost> cost =
            table.cheapest(item, path, costs, model.items[item].move);
        if (cost && *cost < huge)
          if (Cost more = *cost - before; !cheapest || more < cheapest->cost)
            cheapest = Way{more, item, j, path};
        table.put(item, old);
      }
      if (!cheapest)
        continue;
      table.take(cheapest->item);
      table.put(cheapest->item, cheapest->path);
      const ChoiceModel::Item &item = model.items[cheapest->item];
      for (int32_t s = item.firstStage; s < item.firstStage + item.stages; ++s)
        if (isDuring(s, residences[cheapest->stay]))
          left.insert({s, stays[cheapest->stay].space});
      seen[cheapest->item] = true;
      any = true;
      if (!all)
        break;
    }
    selection = table.selection();
    return any;
  }

  bool isDuring(int32_t stage, const Interval &time) const {
    return time.lower < built.times[stage].upper &&
           built.times[stage].lower < time.upper;
  }

  /// By stay: its times in the problem; everything for one that does not move.
  std::vector<Interval> residencesOf(const Candidate &candidate) const {
    std::vector<Interval> times(candidate.placed.owner.size(), {0, infinite});
    forEachStay(
        candidate.plan.residences, problem.buffers.size(),
        [&](const Residence &stay, size_t index) { times[index] = stay.time; });
    return times;
  }

  bool searchExactly() {
    if (!isSmall())
      return false;
    Cost upper = 0;
    for (const ChoiceModel::Option &option : model.options)
      upper = std::max(upper, Cost(option.cost));
    upper *= static_cast<int64_t>(model.stages.size());
    if (best)
      upper = costOf(model, best->selection);
    Relaxation relaxation(model, upper);
    relaxation.improve(100, deadline, upper,
                       [&](const Selection &) { return upper; });
    ExactChoice found =
        searchChoices(problem, built, relaxation, options,
                      options.nodes > 0 ? options.nodes : 200000, deadline);
    nodes += found.nodes;
    if (found.best)
      consider(*found.best, 1);
    if (options.objective == Objective::Cost && (found.best || !found.complete))
      bound = std::max(bound, found.bound);
    if (!found.complete || !found.best)
      return found.complete;
    // The search packs with `auto`; options.strategy may not do as well.
    return best && costOf(model, best->selection) == found.cost &&
           (options.objective == Objective::Cost ||
            best->packed.totalPeak() == found.peak);
  }

  /// Other choices for a problem whose packing is hard.
  void considerRest() { consider(chooseByNextUse(model)); }

  Plan runBaseline() {
    Selection selection = options.chooser == Chooser::Size
                              ? chooseBySize(model)
                              : chooseByNextUse(model);
    Relaxation relaxation(model, costOf(model, selection));
    bound = relaxation.bound();
    Candidate made = pack(selection, 0.5);
    Departures left;
    for (int round = 0; round < 1000 && !made.fits(); ++round) {
      if (!moveOut(made, selection, left, model.items.size() > 3000))
        break;
      made = pack(selection, 0.5);
    }
    if (!made.fits())
      return fail(Status::NotFound,
                  "the choice of spaces cannot be packed within the "
                  "capacities");
    best = made;
    return finish(false);
  }

  /// Buffers outside their cheapest space that have a free stretch of addresses
  /// there move in.
  void fillHoles() {
    if (options.objective == Objective::Peak)
      return;
    for (size_t space = 0; space < problem.spaces.size(); ++space)
      if (problem.spaces[space].capacity)
        fillHoles(static_cast<int32_t>(space));
  }

  void fillHoles(int32_t space) {
    Problem alone;
    alone.spaces = {problem.spaces[space]};
    std::vector<int32_t> stays;
    std::map<int32_t, Cost> gains;
    const std::vector<Buffer> &placed = best->placed.problem.buffers;
    std::vector<bool> moves(problem.buffers.size(), false);
    for (const Residence &stay : best->plan.residences)
      moves[stay.buffer] = true;
    for (size_t i = 0; i < placed.size(); ++i) {
      int32_t owner = best->placed.owner[i];
      const Buffer &buffer = problem.buffers[owner];
      if (placed[i].space != space) {
        Cost gain = 0, here = -1;
        for (const SpaceChoice &choice : choicesOf(buffer)) {
          if (choice.space == placed[i].space)
            gain += costOfChoice(buffer, choice);
          if (choice.space == space)
            here = costOfChoice(buffer, choice);
        }
        if (here < 0 || moves[owner] || buffer.aliasClass >= 0 ||
            !occupies(buffer) || gain <= here)
          continue;
        gains[static_cast<int32_t>(stays.size())] = gain - here;
      }
      stays.push_back(static_cast<int32_t>(i));
      alone.buffers.push_back(placed[i]);
      alone.buffers.back().space = 0;
    }
    if (gains.empty())
      return;
    std::vector<int32_t> all;
    for (size_t i = 0; i < stays.size(); ++i)
      all.push_back(static_cast<int32_t>(i));
    Instance instance = makeInstance(alone, 0, all, options);
    Placer placer(instance);
    std::vector<std::pair<Cost, int32_t>> order;
    for (size_t item = 0; item < instance.size(); ++item) {
      int32_t first = instance.buffers[instance.firstBuffer[item]];
      if (auto found = gains.find(first); found != gains.end())
        order.push_back({-found->second, static_cast<int32_t>(item)});
      else if (instance.items[item].pin < 0)
        placer.place(static_cast<int32_t>(item),
                     best->packed.offsets[stays[first]]);
    }
    std::sort(order.begin(), order.end());
    size_t count = 0;
    bool changed = false;
    for (auto [gain, item] : order) {
      if (++count % 16 == 0 && deadline.passed())
        break;
      int64_t offset = placer.firstFit(item);
      if (offset == infinite ||
          offset > *problem.spaces[space].capacity - instance.items[item].size)
        continue;
      placer.place(item, offset);
      int32_t stay = stays[instance.buffers[instance.firstBuffer[item]]];
      int32_t owner = best->placed.owner[stay];
      best->plan.spaces[owner] = space;
      best->placed.problem.buffers[stay].space = space;
      best->packed.offsets[stay] = offset;
      settle(owner, space);
      changed = true;
    }
    if (!changed)
      return;
    measure(*best);
  }

  /// A buffer without an alias class lies in a space for life.
  void settle(int32_t buffer, int32_t space) {
    if (itemOf[buffer] < 0)
      return;
    const std::vector<int32_t> &spaces = built.spaces[itemOf[buffer]];
    const ChoiceModel::Item &item = model.items[itemOf[buffer]];
    auto option = static_cast<int32_t>(
        std::find(spaces.begin(), spaces.end(), space) - spaces.begin());
    for (int32_t k = 0; k < item.stages; ++k)
      best->selection[item.firstStage + k] = option;
  }

  Plan finish(bool proved) {
    Plan plan = std::move(best->packed);
    insistOnCorrectness(best->placed.problem, plan, options);
    plan.spaces = std::move(best->plan.spaces);
    plan.residences = std::move(best->plan.residences);
    plan.copies = std::move(best->plan.copies);
    std::vector<int64_t> offsets = std::move(plan.offsets);
    plan.offsets.assign(offsets.begin(),
                        offsets.begin() +
                            std::ptrdiff_t(problem.buffers.size()));
    forEachStay(
        plan.residences, problem.buffers.size(),
        [&](Residence &stay, size_t index) { stay.offset = offsets[index]; });
    plan.cost = saturate(built.fixed + costOf(model, best->selection));
    plan.costBound = std::min(*plan.cost, saturate(built.fixed + bound));
    plan.nodes += nodes;
    int64_t least = leastTotalPeak(problem, built);
    if (options.objective == Objective::Cost) {
      if (proved)
        plan.costBound = plan.cost;
      // A cost that saturates is that of many plans.
      plan.status = *plan.cost == *plan.costBound && *plan.cost < infinite
                        ? Status::Optimal
                        : Status::Feasible;
    } else {
      plan.status = proved || plan.totalPeak() == least ? Status::Optimal
                                                        : Status::Feasible;
    }
    plan.stopped = plan.status != Status::Optimal && deadline.passed();
    setReasons(problem, options.alignment, deadline, plan);
    return plan;
  }

  const Problem &problem;
  const Options &options;
  const Deadline deadline;
  BuiltModel built;
  const ChoiceModel &model;
  /// By buffer: its item, -1 if it has none.
  std::vector<int32_t> itemOf;
  std::optional<Candidate> best;
  Cost bound = 0;
  int64_t nodes = 0;
};

} // namespace

Plan tamc::planning::planChoice(const Problem &problem,
                                const Options &options) {
  if (std::string reason = whyNotChosen(problem, options); !reason.empty()) {
    Plan plan;
    plan.strategy = options.strategy;
    plan.reason = std::move(reason);
    return plan;
  }
  auto begin = std::chrono::steady_clock::now();
  Plan plan = Planner(problem, options).run();
  plan.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return plan;
}

Resolved tamc::planning::resolve(const Problem &problem, const Plan &plan) {
  Resolved resolved;
  resolved.plan = plan;
  if (plan.spaces.empty()) {
    resolved.problem = problem;
    for (Buffer &buffer : resolved.problem.buffers) {
      if (!buffer.choices.empty())
        buffer.space = buffer.choices.front().space;
      buffer.choices.clear();
    }
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      resolved.owner.push_back(static_cast<int32_t>(i));
    return resolved;
  }
  PlacedProblem placed = placeStays(problem, plan, false);
  resolved.problem = std::move(placed.problem);
  resolved.owner = std::move(placed.owner);
  resolved.plan.offsets.resize(resolved.problem.buffers.size());
  forEachStay(plan.residences, problem.buffers.size(),
              [&](const Residence &stay, size_t index) {
                resolved.plan.offsets[index] = stay.offset;
              });
  return resolved;
}
