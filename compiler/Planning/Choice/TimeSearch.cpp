//===- Planning/Choice/TimeSearch.cpp - selections by time ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Selector.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// What happens at a time, in this order.
enum class Kind : char { End, Die, Begin, Decide };

struct Happening {
  int32_t time;
  Kind kind;
  int32_t stage;
  int32_t piece; // of the model, for End and Begin
};

/// A decision, and the state that it was made in.
struct Step {
  int32_t before;
  int32_t stage;
  int32_t option;
};

/// Partial selections: the options of the items alive, the loads, and a bound
/// on the cost of all that continue it.
struct States {
  size_t slots = 0, limits = 0;
  std::vector<Cost> bound;
  std::vector<int32_t> step;
  /// By state and slot: the option, 0 where no item is.
  std::vector<uint16_t> options;
  /// By state and limit of the relaxation; and what is released after this
  /// time.
  std::vector<int64_t> load, leaving;

  size_t size() const { return bound.size(); }
  void append(const States &from, size_t i) {
    bound.push_back(from.bound[i]);
    step.push_back(from.step[i]);
    auto copy = [i](auto &to, const auto &list, size_t width) {
      to.insert(to.end(), list.begin() + std::ptrdiff_t(i * width),
                list.begin() + std::ptrdiff_t((i + 1) * width));
    };
    copy(options, from.options, slots);
    copy(load, from.load, limits);
    copy(leaving, from.leaving, limits);
  }
  States none() const {
    States empty;
    empty.slots = slots;
    empty.limits = limits;
    return empty;
  }
};

class Search {
public:
  Search(const ChoiceModel &model, const Relaxation &relaxation, size_t width,
         const Deadline &deadline, Selected &best)
      : model(model), relaxation(relaxation), width(width), deadline(deadline),
        best(best), slot(model.items.size(), -1) {
    list();
    states.limits = relaxation.allLimits().size();
    states.slots = assignSlots();
    states.bound = {relaxation.scaledBound()};
    states.step = {-1};
    states.options.assign(states.slots, 0);
    states.load.assign(states.limits, 0);
    states.leaving.assign(states.limits, 0);
  }

  /// The bound that the search proved.
  Cost run() {
    size_t at = 0;
    while (at < happenings.size() && states.size() > 0) {
      int32_t time = happenings[at].time;
      bool died = false;
      for (; at < happenings.size() && happenings[at].time == time; ++at) {
        const Happening &now = happenings[at];
        if (died && now.kind != Kind::Die) {
          merge();
          died = false;
        }
        if (now.kind == Kind::Decide)
          decide(now.stage);
        else if (now.kind == Kind::Die)
          died = true, die(now.stage);
        else
          change(now);
        if (deadline.passed())
          return relaxation.bound();
      }
      if (died)
        merge();
      leave(time, at < happenings.size() ? happenings[at].time : model.times);
    }
    if (states.size() > 0)
      adopt();
    Cost proved = known();
    if (dropped)
      proved = std::min(proved, relaxation.ceiling(*dropped));
    return std::max(proved, relaxation.bound());
  }

private:
  /// A cost that only better selections matter below.
  Cost known() const {
    return best.selection.empty() ? std::numeric_limits<Cost>::max()
                                  : best.cost;
  }

  void list() {
    for (size_t i = 0; i < model.items.size(); ++i) {
      const ChoiceModel::Item &item = model.items[i];
      for (int32_t k = 0; k < item.stages; ++k) {
        int32_t s = item.firstStage + k;
        const ChoiceModel::Stage &stage = model.stages[s];
        for (int32_t p = 0; p < stage.pieces; ++p) {
          const ChoiceModel::Piece &piece = model.piecesOf(stage)[p];
          bool last = p + 1 == stage.pieces;
          int32_t index = stage.firstPiece + p;
          if (p == 0 && k == 0)
            happenings.push_back({piece.lower, Kind::Decide, s, index});
          else if (p == 0)
            happenings.push_back(
                {model.arrival(stage), Kind::Decide, s, index});
          else
            happenings.push_back({piece.lower, Kind::Begin, s, index});
          if (k + 1 == item.stages || !last)
            happenings.push_back({piece.upper, Kind::End, s, index});
          if (k + 1 == item.stages && last)
            happenings.push_back({piece.upper, Kind::Die, s, index});
        }
      }
    }
    std::stable_sort(happenings.begin(), happenings.end(),
                     [](const Happening &a, const Happening &b) {
                       return a.time != b.time ? a.time < b.time
                                               : a.kind < b.kind;
                     });
  }

  size_t assignSlots() {
    std::vector<int32_t> free;
    int32_t used = 0;
    for (const Happening &now : happenings) {
      int32_t item = model.stages[now.stage].item;
      if (now.kind == Kind::Die)
        free.push_back(slot[item]);
      if (now.kind != Kind::Decide || slot[item] >= 0)
        continue;
      if (free.empty())
        free.push_back(used++);
      slot[item] = free.back();
      free.pop_back();
    }
    return static_cast<size_t>(used);
  }

  uint16_t &optionOf(size_t state, int32_t stage) {
    return states
        .options[state * states.slots + size_t(slot[model.stages[stage].item])];
  }

  void change(const Happening &now) {
    const ChoiceModel::Stage &stage = model.stages[now.stage];
    for (size_t i = 0; i < states.size(); ++i) {
      const ChoiceModel::Option &option =
          model.optionsOf(stage)[optionOf(i, now.stage)];
      int64_t bytes = ChoiceModel::bytesOf(model.pieces[now.piece], option);
      add(states.load, i, option.resource,
          now.kind == Kind::Begin ? bytes : -bytes);
    }
    if (now.kind == Kind::Begin)
      keep([&](size_t i) { return fits(states, i); });
  }

  /// Adds bytes that a state holds in a resource, or takes them if below 0.
  void add(std::vector<int64_t> &loads, size_t state, int32_t resource,
           int64_t bytes) const {
    for (int32_t limit : relaxation.limitsOf(resource)) {
      int64_t weight = relaxation.weightOf(limit, std::abs(bytes));
      loads[state * states.limits + size_t(limit)] +=
          bytes < 0 ? -weight : weight;
    }
  }

  bool fits(const States &from, size_t i) const {
    for (size_t r = 0; r < model.capacity.size(); ++r)
      if (model.capacity[r] != infinite &&
          from.load[i * from.limits + r] > model.capacity[r])
        return false;
    return true;
  }

  template <typename Predicate> void keep(Predicate isKept) {
    States kept = states.none();
    for (size_t i = 0; i < states.size(); ++i)
      if (isKept(i))
        kept.append(states, i);
    if (kept.size() != states.size())
      states = std::move(kept);
  }

  void die(int32_t stage) {
    for (size_t i = 0; i < states.size(); ++i)
      optionOf(i, stage) = 0;
  }

  /// States with equal options of the items alive have the same future.
  void merge() {
    if (states.size() < 2)
      return;
    auto row = [&](size_t i) {
      return std::string_view(reinterpret_cast<const char *>(
                                  states.options.data() + i * states.slots),
                              states.slots * sizeof(uint16_t));
    };
    std::unordered_map<std::string_view, size_t> first;
    first.reserve(states.size());
    std::vector<bool> kept(states.size(), false);
    for (size_t i = 0; i < states.size(); ++i) {
      auto [found, fresh] = first.try_emplace(row(i), i);
      if (!fresh && states.bound[i] < states.bound[found->second]) {
        kept[found->second] = false;
        found->second = i;
      }
      if (found->second == i)
        kept[i] = true;
    }
    keep([&](size_t i) { return kept[i]; });
  }

  void decide(int32_t s) {
    const ChoiceModel::Stage &stage = model.stages[s];
    const ChoiceModel::Item &item = model.items[stage.item];
    std::span<const Cost> toGo = relaxation.toGo();
    bool first = s == item.firstStage;
    const ChoiceModel::Piece &piece = model.pieces[stage.firstPiece];
    Cost limit = best.selection.empty() ? std::numeric_limits<Cost>::max()
                                        : (best.cost - 1) << relaxation.scale();
    // Candidates: state and option, with their bounds.
    struct Candidate {
      Cost bound;
      int32_t state, option;
    };
    std::vector<Candidate> candidates;
    std::vector<Cost> paid(stage.options);
    for (size_t i = 0; i < states.size(); ++i) {
      int32_t now = first ? -1 : optionOf(i, s);
      for (int32_t o = 0; o < stage.options; ++o)
        paid[o] = toGo[stage.firstOption + o] +
                  (first || o == now ? 0 : relaxation.moving(stage, o));
      Cost least = *std::min_element(paid.begin(), paid.end());
      for (int32_t o = 0; o < stage.options; ++o) {
        Cost bound = states.bound[i] + paid[o] - least;
        if (bound > limit)
          continue;
        const ChoiceModel::Option &option = model.optionsOf(stage)[o];
        int64_t bytes = ChoiceModel::bytesOf(piece, option);
        if (o != now && model.capacity[option.resource] != infinite &&
            states.load[i * states.limits + size_t(option.resource)] + bytes >
                model.capacity[option.resource])
          continue;
        candidates.push_back({bound, static_cast<int32_t>(i), o});
      }
    }
    if (candidates.size() > width) {
      auto less = [](const Candidate &a, const Candidate &b) {
        return a.bound != b.bound   ? a.bound < b.bound
               : a.state != b.state ? a.state < b.state
                                    : a.option < b.option;
      };
      std::nth_element(candidates.begin(),
                       candidates.begin() + std::ptrdiff_t(width),
                       candidates.end(), less);
      Cost least = candidates[width].bound;
      dropped = dropped ? std::min(*dropped, least) : least;
      candidates.resize(width);
      std::sort(candidates.begin(), candidates.end(), less);
    }
    States next = states.none();
    for (const Candidate &candidate : candidates) {
      auto i = static_cast<size_t>(candidate.state);
      int32_t now = first ? -1 : optionOf(i, s);
      next.append(states, i);
      size_t made = next.size() - 1;
      next.bound[made] = candidate.bound;
      next.step[made] = static_cast<int32_t>(steps.size());
      steps.push_back({states.step[i], s, candidate.option});
      const ChoiceModel::Option &option =
          model.optionsOf(stage)[candidate.option];
      int64_t bytes = ChoiceModel::bytesOf(piece, option);
      if (candidate.option != now) {
        add(next.load, made, option.resource, bytes);
        if (now >= 0) {
          const ChoiceModel::Option &left = model.optionsOf(stage)[now];
          add(next.leaving, made, left.resource, left.bytes);
        }
      }
      next.options[made * next.slots + size_t(slot[stage.item])] =
          static_cast<uint16_t>(candidate.option);
    }
    states = std::move(next);
    best.nodes += static_cast<int64_t>(candidates.size());
  }

  /// The times from `time` to `next` are over: room that was not used cannot be
  /// used any more, so that its price is not paid.
  void leave(int32_t time, int32_t next) {
    std::span<const Relaxation::Limit> limits = relaxation.allLimits();
    for (size_t i = 0; i < states.size(); ++i)
      for (size_t r = 0; r < states.limits; ++r) {
        int64_t &load = states.load[i * states.limits + r];
        int64_t &leaving = states.leaving[i * states.limits + r];
        for (int32_t t = time; t < next; ++t) {
          if (int64_t price = relaxation.priceAt(static_cast<int32_t>(r), t))
            states.bound[i] += Cost(price) * (limits[r].most - load);
          load -= leaving;
          leaving = 0;
        }
      }
  }

  void adopt() {
    size_t least = 0;
    for (size_t i = 1; i < states.size(); ++i)
      if (states.bound[i] < states.bound[least])
        least = i;
    Selection found(model.stages.size(), 0);
    for (int32_t at = states.step[least]; at >= 0; at = steps[at].before)
      found[steps[at].stage] = steps[at].option;
    Cost cost = costOf(model, found);
    if (!isWithin(model, found) || cost >= known())
      return;
    best.selection = std::move(found);
    best.cost = cost;
  }

  const ChoiceModel &model;
  const Relaxation &relaxation;
  size_t width;
  const Deadline &deadline;
  Selected &best;
  std::vector<int32_t> slot; // by item
  std::vector<Happening> happenings;
  std::vector<Step> steps;
  States states;
  /// The least bound of a state that was dropped because of the width.
  std::optional<Cost> dropped;
};

} // namespace

Cost tamc::planning::searchOverTime(const ChoiceModel &model,
                                    const Relaxation &relaxation, size_t width,
                                    const Deadline &deadline, Selected &best) {
  return Search(model, relaxation, width, deadline, best).run();
}
