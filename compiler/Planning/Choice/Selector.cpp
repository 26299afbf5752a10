//===- Planning/Choice/Selector.cpp - good selections ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Selector.h"

#include "Choice/AliveIndex.h"
#include "Choice/Table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace tamc::planning;

namespace {

using Path = std::vector<int32_t>;

/// Bytes of an option that count against a capacity.
int64_t scarceBytes(const ChoiceModel &model,
                    const ChoiceModel::Option &option) {
  return model.capacity[option.resource] == infinite ? 0 : option.bytes;
}

/// By item: the most bytes of an option, times the time that it takes them.
std::vector<double> areasOf(const ChoiceModel &model) {
  std::vector<double> areas(model.items.size(), 0);
  for (const ChoiceModel::Stage &stage : model.stages)
    for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
      int64_t most = 0;
      for (const ChoiceModel::Option &option : model.optionsOf(stage))
        most = std::max(most, std::min(scarceBytes(model, option),
                                       ChoiceModel::bytesOf(piece, option)));
      areas[stage.item] +=
          static_cast<double>(most) * (piece.upper - piece.lower);
    }
  return areas;
}

int64_t sizeOf(const ChoiceModel &model, int32_t item) {
  const ChoiceModel::Stage &stage = model.stages[model.items[item].firstStage];
  int64_t most = 0;
  for (const ChoiceModel::Option &option : model.optionsOf(stage))
    most = std::max(most, option.bytes);
  return most;
}

} // namespace

Selection tamc::planning::chooseSafely(const ChoiceModel &model) {
  std::vector<int32_t> order(model.items.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](int32_t item) {
    int32_t options = model.stages[model.items[item].firstStage].options;
    return std::pair(options > 1, -sizeOf(model, item));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return key(a) < key(b); });
  Table table(model);
  Path path;
  for (int32_t item : order) {
    const ChoiceModel::Item &from = model.items[item];
    int32_t options = model.stages[from.firstStage].options;
    auto rate = [&](int32_t o) {
      int64_t excess = std::numeric_limits<int64_t>::min(), bytes = 0;
      for (const ChoiceModel::Stage &stage : model.stagesOf(from)) {
        excess = std::max(excess, table.excess(stage, o));
        bytes = std::max(bytes, scarceBytes(model, model.optionsOf(stage)[o]));
      }
      return std::tuple(excess > 0, bytes, excess);
    };
    int32_t best = 0;
    for (int32_t o = 1; o < options; ++o)
      if (rate(o) < rate(best))
        best = o;
    path.assign(from.stages, best);
    table.put(item, path);
  }
  return table.selection();
}

namespace {

Table tableOf(const ChoiceModel &model, const Selection &selection) {
  Table table(model);
  for (size_t i = 0; i < model.items.size(); ++i)
    table.put(static_cast<int32_t>(i),
              {selection.data() + model.items[i].firstStage,
               size_t(model.items[i].stages)});
  return table;
}

/// Lets each item in turn take its cheapest path with room, by costs(stage,
/// option). The loads stay within the capacities if they were.
template <typename Costs>
void reinsert(const ChoiceModel &model, Table &table,
              const std::vector<int32_t> &order, Costs costs, int shift,
              const Deadline &deadline) {
  Path path, old;
  size_t count = 0;
  for (int32_t item : order) {
    if (++count % 64 == 0 && deadline.passed())
      return;
    const ChoiceModel::Item &from = model.items[item];
    if (model.stages[from.firstStage].options == 1)
      continue;
    auto begin = table.selection().begin() + from.firstStage;
    old.assign(begin, begin + from.stages);
    table.take(item);
    bool fits =
        table.cheapest(item, path, costs, Cost(from.move) << shift).has_value();
    table.put(item, fits ? path : old);
  }
}

} // namespace

Selection tamc::planning::chooseBySize(const ChoiceModel &model) {
  Table table = tableOf(model, chooseSafely(model));
  std::vector<int32_t> order(model.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return sizeOf(model, a) > sizeOf(model, b);
  });
  auto costs = [&](int32_t stage, int32_t option) {
    return Cost(model.optionsOf(model.stages[stage])[option].cost);
  };
  Options none;
  reinsert(model, table, order, costs, 0, Deadline(none));
  return table.selection();
}

namespace {

/// The stages as they come, with loads that ignore the bytes of moves.
class NextUse {
public:
  explicit NextUse(const ChoiceModel &model)
      : model(model), chosen(model.stages.size(), -1) {
    for (int64_t capacity : model.capacity)
      trees.emplace_back(capacity == infinite ? 1 : model.times);
  }

  Selection run() {
    std::vector<int32_t> order(model.stages.size());
    std::iota(order.begin(), order.end(), 0);
    auto begin = [&](int32_t s) {
      return model.pieces[model.stages[s].firstPiece].lower;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return begin(a) < begin(b); });
    // Fixed stages are there from the start.
    for (int32_t s : order)
      if (model.stages[s].options == 1)
        put(s, 0);
    std::vector<int32_t> alive;
    for (int32_t s : order) {
      const ChoiceModel::Stage &stage = model.stages[s];
      if (stage.options == 1)
        continue;
      std::erase_if(alive,
                    [&](int32_t other) { return lastOf(other) <= begin(s); });
      alive.push_back(s);
      put(s, wishOf(s));
      makeRoom(s, alive);
    }
    return chosen;
  }

private:
  int32_t lastOf(int32_t s) const {
    const ChoiceModel::Stage &stage = model.stages[s];
    return model.piecesOf(stage).back().upper;
  }

  /// A stage without costs follows the one before.
  int32_t wishOf(int32_t s) const {
    std::span<const ChoiceModel::Option> options =
        model.optionsOf(model.stages[s]);
    auto less = [](const ChoiceModel::Option &a, const ChoiceModel::Option &b) {
      return a.cost < b.cost;
    };
    auto [low, high] =
        std::minmax_element(options.begin(), options.end(), less);
    bool first = s == model.items[model.stages[s].item].firstStage;
    if (!first && low->cost == high->cost)
      return chosen[s - 1];
    return static_cast<int32_t>(low - options.begin());
  }

  void change(int32_t s, int64_t sign) {
    const ChoiceModel::Option &option =
        model.optionsOf(model.stages[s])[chosen[s]];
    if (model.capacity[option.resource] == infinite)
      return;
    for (const ChoiceModel::Piece &piece : model.piecesOf(model.stages[s]))
      trees[option.resource].add(piece.lower, piece.upper,
                                 sign * ChoiceModel::bytesOf(piece, option));
  }
  void put(int32_t s, int32_t option) {
    if (chosen[s] >= 0)
      change(s, -1);
    chosen[s] = option;
    change(s, 1);
  }

  /// The most bytes above the capacity during a stage that is in.
  int64_t excess(int32_t s, int32_t &time) const {
    const ChoiceModel::Option &option =
        model.optionsOf(model.stages[s])[chosen[s]];
    int64_t capacity = model.capacity[option.resource], most = 0;
    if (capacity == infinite)
      return 0;
    for (const ChoiceModel::Piece &piece : model.piecesOf(model.stages[s])) {
      const LoadTree &tree = trees[option.resource];
      int64_t over = tree.largest(piece.lower, piece.upper) - capacity;
      if (over > most) {
        most = over;
        time = tree.firstLargest(piece.lower, piece.upper);
      }
    }
    return most;
  }

  /// Moves a stage to its cheapest other option that has room; false if there
  /// is none.
  bool leave(int32_t s) {
    std::span<const ChoiceModel::Option> options =
        model.optionsOf(model.stages[s]);
    int32_t now = chosen[s], best = -1, time = 0;
    for (size_t o = 0; o < options.size(); ++o) {
      auto option = static_cast<int32_t>(o);
      if (option == now || (options[o].resource == options[now].resource &&
                            options[o].bytes >= options[now].bytes))
        continue;
      put(s, option);
      if (excess(s, time) == 0 &&
          (best < 0 || options[o].cost < options[best].cost))
        best = option;
      put(s, now);
    }
    if (best >= 0)
      put(s, best);
    return best >= 0;
  }

  void makeRoom(int32_t s, const std::vector<int32_t> &alive) {
    std::vector<int32_t> stuck;
    for (int32_t time = 0; excess(s, time) > 0;) {
      int32_t resource = model.optionsOf(model.stages[s])[chosen[s]].resource;
      int32_t victim = -1;
      for (int32_t other : alive)
        if (model.optionsOf(model.stages[other])[chosen[other]].resource ==
                resource &&
            std::find(stuck.begin(), stuck.end(), other) == stuck.end() &&
            (victim < 0 || lastOf(other) > lastOf(victim)))
          victim = other;
      if (victim < 0)
        return;
      if (!leave(victim))
        stuck.push_back(victim);
    }
  }

  const ChoiceModel &model;
  Selection chosen;
  std::vector<LoadTree> trees;
};

/// Exchanges: an item takes the path it wants, others leave for it and take the
/// cheapest paths that are left.
class Exchange {
public:
  Exchange(const ChoiceModel &model, Selection &selection, uint64_t seed)
      : model(model), table(tableOf(model, selection)), index(model),
        random(seed), best(selection) {
    Table empty(model);
    for (size_t i = 0; i < model.items.size(); ++i) {
      Path path;
      std::optional<Cost> least = empty.cheapest(static_cast<int32_t>(i), path);
      ideal.push_back(least.value_or(infinite));
      wish.push_back(std::move(path));
    }
  }

  void run(int64_t rounds, const Deadline &deadline) {
    std::vector<int32_t> order;
    for (int64_t round = 0; round < rounds; ++round) {
      order.clear();
      for (size_t i = 0; i < model.items.size(); ++i)
        if (auto item = static_cast<int32_t>(i);
            !wish[i].empty() && table.costOf(item) > ideal[i])
          order.push_back(item);
      if (order.empty())
        break;
      std::shuffle(order.begin(), order.end(), random);
      bool better = false;
      for (int32_t item : order) {
        if (deadline.passed())
          return;
        better |= attempt(item);
      }
      best = table.selection();
      calm = better ? 0 : calm + 1;
      if (calm > 20)
        return;
    }
  }

  const Selection &result() {
    best = table.selection();
    return best;
  }

private:
  /// More than these are drawn from, at a crowded time.
  static constexpr size_t mostVictims = 3000;

  struct Saved {
    int32_t item;
    Path path;
  };

  void remove(int32_t item) {
    auto begin = table.selection().begin() + model.items[item].firstStage;
    saved.push_back({item, Path(begin, begin + model.items[item].stages)});
    before += table.costOf(item);
    table.take(item);
  }

  bool undo() {
    for (const Saved &each : saved)
      if (table.isIn(each.item))
        table.take(each.item);
    for (const Saved &each : saved)
      table.put(each.item, each.path);
    return false;
  }

  /// The item in a resource at a time that loses least a byte if it leaves; -1
  /// if none was found.
  int32_t victimAt(int32_t resource, int32_t time, int32_t except) {
    int32_t victim = -1;
    double least = 0;
    std::uniform_real_distribution<double> noise(0.4, 1.6);
    index.collect(time, mostVictims, random, alive);
    for (int32_t s : alive) {
      const ChoiceModel::Stage &stage = model.stages[s];
      if (stage.item == except || !table.isIn(stage.item))
        continue;
      const ChoiceModel::Option &now =
          model.optionsOf(stage)[table.selection()[s]];
      if (now.resource != resource || now.bytes == 0)
        continue;
      Cost other = std::numeric_limits<Cost>::max();
      for (const ChoiceModel::Option &option : model.optionsOf(stage))
        if (option.resource != resource || option.bytes < now.bytes)
          other = std::min<Cost>(other, option.cost);
      if (other == std::numeric_limits<Cost>::max())
        continue;
      if (model.items[stage.item].stages > 1)
        other += model.items[stage.item].move;
      double loss = (static_cast<double>(other - now.cost) + 0.01) /
                    static_cast<double>(now.bytes) * noise(random);
      if (victim < 0 || loss < least) {
        victim = stage.item;
        least = loss;
      }
    }
    return victim;
  }

  bool attempt(int32_t item) {
    saved.clear();
    before = 0;
    remove(item);
    const ChoiceModel::Item &from = model.items[item];
    for (int32_t k = 0; k < from.stages; ++k) {
      const ChoiceModel::Stage &stage = model.stages[from.firstStage + k];
      int32_t option = wish[item][k];
      while (table.excess(stage, option) > 0) {
        if (saved.size() > 12)
          return undo();
        int32_t victim = victimAt(model.optionsOf(stage)[option].resource,
                                  table.fullest(stage, option), item);
        if (victim < 0)
          return undo();
        remove(victim);
      }
    }
    Path path;
    std::optional<Cost> cost = table.cheapest(item, path);
    if (!cost)
      return undo();
    table.put(item, path);
    Cost after = *cost;
    std::vector<size_t> back(saved.size() - 1);
    std::iota(back.begin(), back.end(), 1);
    std::stable_sort(back.begin(), back.end(), [&](size_t a, size_t b) {
      return sizeOf(model, saved[a].item) > sizeOf(model, saved[b].item);
    });
    for (size_t each : back) {
      cost = table.cheapest(saved[each].item, path);
      if (!cost || (after += *cost) >= before)
        return undo();
      table.put(saved[each].item, path);
    }
    return after < before ? true : undo();
  }

  const ChoiceModel &model;
  Table table;
  AliveIndex index;
  std::mt19937_64 random;
  Selection best;
  std::vector<Cost> ideal;
  std::vector<Path> wish;
  std::vector<Saved> saved;
  std::vector<int32_t> alive;
  Cost before = 0;
  int calm = 0;
};

} // namespace

Selection tamc::planning::chooseByNextUse(const ChoiceModel &model) {
  return NextUse(model).run();
}

void tamc::planning::improveSelection(const ChoiceModel &model,
                                      Selection &selection, int64_t rounds,
                                      uint64_t seed, const Deadline &deadline) {
  Exchange exchange(model, selection, seed);
  exchange.run(rounds, deadline);
  selection = exchange.result();
}

namespace {

class Select {
public:
  Select(const ChoiceModel &model, const SelectOptions &options,
         const Deadline &deadline)
      : model(model), options(options), deadline(deadline),
        safe(chooseSafely(model)), areas(areasOf(model)) {}

  Selected run() {
    if (isWithin(model, safe)) {
      offer(safe);
      offer(chooseBySize(model));
    }
    // It looks at all alive items again and again.
    if (model.items.size() <= most)
      offer(chooseByNextUse(model));
    Cost upper = 0;
    if (best.selection.empty())
      for (const ChoiceModel::Stage &stage : model.stages) {
        int64_t most = 0;
        for (const ChoiceModel::Option &option : model.optionsOf(stage))
          most = std::max(most, option.cost);
        upper += Cost(most) + model.items[stage.item].move;
      }
    else
      upper = best.cost;
    Relaxation relaxation(model, upper, options.places);
    // Costs of items that pay no price.
    auto work = static_cast<double>(model.options.size() + model.times);
    int64_t steps =
        options.nodes > 0
            ? std::max<int64_t>(options.nodes / 100, 1)
            : std::clamp<int64_t>(static_cast<int64_t>(4e7 / work), 40, 800);
    if (options.hasTimeLimit)
      steps = infinite;
    double share = deadline.left() / 4;
    Options part;
    if (options.hasTimeLimit)
      part.timeLimit = std::max(share, 0.0);
    const Deadline quarter(part);
    relaxation.improve(std::min<int64_t>(steps, 4000), quarter, upper,
                       [&](const Selection &) {
                         if (model.items.size() <= most)
                           round(relaxation);
                         return best.selection.empty() ? upper : best.cost;
                       });
    best.bound = relaxation.bound();
    if (!best.selection.empty() && !isDone()) {
      round(relaxation);
      improve();
    }
    if (best.selection.empty() && relaxation.bound() > upper) {
      best.impossible = true;
      return std::move(best);
    }
    searchByTime(relaxation);
    best.stopped = !isDone() && deadline.passed();
    return std::move(best);
  }

private:
  /// More items than this get fewer rounds of what takes long.
  static constexpr size_t most = 3000;

  bool isDone() const {
    return !best.selection.empty() && best.cost <= best.bound;
  }

  void offer(const Selection &selection) {
    Cost cost = costOf(model, selection);
    if ((best.selection.empty() || cost < best.cost) &&
        isWithin(model, selection)) {
      best.selection = selection;
      best.cost = cost;
    }
  }

  /// Items that the prices make choose most decidedly go first.
  void round(const Relaxation &relaxation) {
    if (best.selection.empty() && !isWithin(model, safe))
      return;
    std::span<const Cost> toGo = relaxation.toGo();
    std::vector<double> urgency(model.items.size());
    for (size_t i = 0; i < model.items.size(); ++i) {
      const ChoiceModel::Stage &stage = model.stages[model.items[i].firstStage];
      Cost least = toGo[stage.firstOption], second = -1;
      for (int32_t o = 1; o < stage.options; ++o) {
        Cost cost = toGo[stage.firstOption + o];
        if (cost < least)
          std::swap(cost, least);
        second = second < 0 ? cost : std::min(second, cost);
      }
      urgency[i] = second < 0 ? 0
                              : static_cast<double>(second - least) /
                                    std::max(areas[i], 1.0);
    }
    std::vector<int32_t> order(model.items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return urgency[a] > urgency[b];
    });
    Table table = tableOf(model, isWithin(model, safe) ? safe : best.selection);
    int shift = relaxation.scale();
    auto priced = [&](int32_t s, int32_t option) {
      const ChoiceModel::Stage &stage = model.stages[s];
      return (Cost(model.optionsOf(stage)[option].cost) << shift) +
             relaxation.priceOf(stage, option);
    };
    reinsert(model, table, order, priced, shift, deadline);
    auto plain = [&](int32_t s, int32_t option) {
      return Cost(model.optionsOf(model.stages[s])[option].cost);
    };
    reinsert(model, table, order, plain, 0, deadline);
    offer(table.selection());
  }

  void improve() {
    size_t items = model.items.size();
    Options part;
    if (options.hasTimeLimit)
      part.timeLimit = std::max(deadline.left() / 3, 0.0);
    else if (items > 20000)
      return;
    Selection selection = best.selection;
    improveSelection(model, selection,
                     options.hasTimeLimit ? 1000
                     : items > 2000       ? 2
                                          : 30,
                     options.seed, Deadline(part));
    offer(selection);
  }

  void searchByTime(const Relaxation &relaxation) {
    // The alive at one time are the length of a state.
    std::vector<int64_t> change(model.times + 1, 0);
    for (const ChoiceModel::Item &item : model.items) {
      const ChoiceModel::Stage &last =
          model.stages[item.firstStage + item.stages - 1];
      ++change[model.pieces[model.stages[item.firstStage].firstPiece].lower];
      --change[model.piecesOf(last).back().upper];
    }
    int64_t alive = 0, most = 1;
    for (int64_t each : change)
      most = std::max(most, alive += each);
    double each = static_cast<double>(model.stages.size()) *
                  static_cast<double>(most + 16);
    double budget = options.hasTimeLimit ? 4e10 : 4e8;
    for (size_t width = 64; !isDone() && !deadline.passed(); width *= 4) {
      if (static_cast<double>(width) * each > budget || width > 70000)
        return;
      Cost proved = searchOverTime(model, relaxation, width, deadline, best);
      if (proved == std::numeric_limits<Cost>::max()) {
        best.impossible = true;
        return;
      }
      best.bound = std::max(best.bound, proved);
    }
  }

  const ChoiceModel &model;
  const SelectOptions &options;
  const Deadline &deadline;
  Selection safe;
  std::vector<double> areas;
  Selected best;
};

} // namespace

Selected tamc::planning::select(const ChoiceModel &model,
                                const SelectOptions &options,
                                const Deadline &deadline) {
  return Select(model, options, deadline).run();
}
