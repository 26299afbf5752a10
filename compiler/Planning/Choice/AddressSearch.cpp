//===- Planning/Choice/AddressSearch.cpp - choices with addresses ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/AddressSearch.h"

#include "Choice/CheapestPath.h"
#include "Placement/PlacePrices.h"
#include "Placement/Zones.h"
#include "Problem/Arithmetic.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace tamc::planning;

namespace {

using Path = std::vector<int32_t>;

/// More than any sum of costs: the loss of a stay that cannot leave.
constexpr Cost never = Cost(1) << 100;

/// Adjacent stages in one space, [first, last], numbered as in the model.
struct Stay {
  int32_t first, last;
};

class Search {
public:
  Search(const Problem &problem, const BuiltModel &built,
         const Options &options, const Deadline &deadline)
      : model(built.model), deadline(deadline), random(options.seed),
        chosen(model.stages.size(), -1), offsets(model.stages.size(), -1),
        loss(model.stages.size(), 0), cost(model.items.size(), 0),
        ideal(model.items.size(), 0), logged(model.items.size(), 0),
        failures(model.items.size(), 0) {
    for (const Space &space : problem.spaces) {
      capacity.push_back(space.capacity.value_or(infinite));
      spaceAlignment.push_back(space.alignment);
    }
    for (const std::vector<int32_t> &members : built.buffers) {
      int64_t bytes = 0, multiple = options.alignment, at = -1;
      for (int32_t member : members) {
        const Buffer &buffer = problem.buffers[member];
        bytes = std::max(bytes, buffer.size);
        multiple = commonMultiple(multiple, buffer.alignment);
        at = buffer.pin.value_or(at);
      }
      size.push_back(bytes);
      alignment.push_back(multiple);
      pin.push_back(at);
    }
    std::vector<std::pair<int32_t, int32_t>> times;
    for (const ChoiceModel::Item &item : model.items)
      times.push_back(
          timesOf({item.firstStage, item.firstStage + item.stages - 1}));
    const std::vector<int32_t> zones = Zones::beginsOf(std::move(times));
    for (size_t space = 0; space < capacity.size(); ++space)
      shelves.emplace_back(zones);
  }

  std::optional<Addressed> run(const Addressed &start, int64_t rounds) {
    if (!adopt(start))
      return std::nullopt;
    std::vector<int32_t> order;
    for (int64_t round = 0; round < rounds; ++round) {
      order.clear();
      for (size_t i = 0; i < model.items.size(); ++i)
        if (cost[i] > ideal[i])
          order.push_back(static_cast<int32_t>(i));
      if (order.empty() || deadline.passed())
        break;
      std::shuffle(order.begin(), order.end(), random);
      for (int32_t item : order) {
        if (deadline.passed())
          break;
        if (random() % (1 + failures[item] / 2) > 0)
          continue;
        // The first round has no ejections.
        failures[item] = attempt(item, round > 0) ? 0 : failures[item] + 1;
        for (int k = 0; k < moves && !isCrowded; ++k)
          moveAtRandom(static_cast<int32_t>(random() % model.items.size()));
      }
    }
    return Addressed{std::move(chosen), std::move(offsets)};
  }

private:
  /// Items that move to a random place after each exchange.
  static constexpr int moves = 2;
  /// Where more stays than this are alive, an exchange looks at so many that
  /// are neighbours, and no item moves at random.
  static constexpr size_t crowd = 512;

  bool isBounded(int32_t s, int32_t option) const {
    return capacity[optionOf(s, option).resource] != infinite;
  }
  const ChoiceModel::Option &optionOf(int32_t s, int32_t option) const {
    return model.options[model.stages[s].firstOption + option];
  }
  int32_t resourceOf(int32_t s) const {
    return optionOf(s, chosen[s]).resource;
  }

  /// The times of a stay, with those of the copies before and after it.
  std::pair<int32_t, int32_t> timesOf(Stay stay) const {
    const ChoiceModel::Stage &first = model.stages[stay.first];
    const ChoiceModel::Stage &last = model.stages[stay.last];
    bool arrives = stay.first > model.items[first.item].firstStage;
    int32_t lower = model.piecesOf(first).front().lower;
    int32_t upper = model.piecesOf(last).front().upper;
    for (const ChoiceModel::Piece &piece : model.piecesOf(first))
      lower = std::min(lower, piece.lower);
    for (const ChoiceModel::Piece &piece : model.piecesOf(last))
      upper = std::max(upper, piece.upper);
    return {lower - (arrives ? 1 : 0), upper};
  }
  Shelves::Rectangle rectangleOf(Stay stay, int64_t offset) const {
    auto [lower, upper] = timesOf(stay);
    return {lower, upper, offset, offset + size[model.stages[stay.first].item],
            stay.first};
  }
  int64_t alignmentOf(int32_t item, int32_t resource) const {
    return commonMultiple(alignment[item], spaceAlignment[resource]);
  }

  /// The stays of an item's path in the spaces with a capacity.
  template <typename Visit>
  void forEachStay(int32_t item, const int32_t *path, Visit visit) const {
    const ChoiceModel::Item &from = model.items[item];
    for (int32_t k = 0, end; k < from.stages; k = end) {
      for (end = k + 1; end < from.stages && path[end] == path[k];)
        ++end;
      if (isBounded(from.firstStage + k, path[k]))
        visit(Stay{from.firstStage + k, from.firstStage + end - 1});
    }
  }

  /// The cheapest path of which every option is allowed(stage, option).
  template <typename Allowed>
  std::optional<Cost> cheapest(int32_t item, Path &path,
                               Allowed allowed) const {
    return cheapestPath(
        model, item, path,
        [&](int32_t s, int32_t o) -> std::optional<Cost> {
          if (!allowed(s, o))
            return std::nullopt;
          return optionOf(s, o).cost;
        },
        model.items[item].move, [](int32_t, int32_t) { return true; });
  }

  /// The path of an item that loses a stay, or all of them if `gone` is
  /// nothing; its other stays keep their addresses.
  std::optional<Cost> retreat(int32_t item, std::optional<Stay> gone,
                              Path &path) const {
    return cheapest(item, path, [&](int32_t s, int32_t o) {
      return !isBounded(s, o) ||
             (gone && o == chosen[s] && (s < gone->first || s > gone->last));
    });
  }

  /// Gives an item a path, with the offsets of its stages.
  void enter(int32_t item, const Path &path, const std::vector<int64_t> &at) {
    const ChoiceModel::Item &from = model.items[item];
    std::copy(path.begin(), path.end(), chosen.begin() + from.firstStage);
    std::copy(at.begin(), at.end(), offsets.begin() + from.firstStage);
    Cost sum = 0;
    for (int32_t k = 0; k < from.stages; ++k)
      sum += optionOf(from.firstStage + k, path[k]).cost +
             (k > 0 && path[k] != path[k - 1] ? from.move : 0);
    change += sum - cost[item];
    cost[item] = sum;
    Path other;
    forEachStay(item, path.data(), [&](Stay stay) {
      shelvesOf(stay).insert(rectangleOf(stay, offsets[stay.first]));
      std::optional<Cost> without = retreat(item, stay, other);
      loss[stay.first] = pin[item] < 0 && without ? *without - sum : never;
    });
  }

  void leave(int32_t item) {
    forEachStay(item, chosen.data() + model.items[item].firstStage,
                [&](Stay stay) {
                  shelvesOf(stay).erase(rectangleOf(stay, offsets[stay.first]));
                });
  }

  /// Notes what an item has, and takes it out.
  void take(int32_t item) {
    const ChoiceModel::Item &from = model.items[item];
    if (chosen[from.firstStage] < 0)
      return;
    if (logged[item] != attempts) {
      logged[item] = attempts;
      auto first = from.firstStage, end = first + from.stages;
      log.push_back({item,
                     Path(chosen.begin() + first, chosen.begin() + end),
                     {offsets.begin() + first, offsets.begin() + end}});
    }
    leave(item);
  }

  /// Gives the items noted last what they had, up to a length of the log.
  void restore(size_t length) {
    for (size_t k = length; k < log.size(); ++k)
      leave(log[k].item);
    for (; log.size() > length; log.pop_back()) {
      logged[log.back().item] = 0;
      enter(log.back().item, log.back().path, log.back().offsets);
    }
  }

  /// A stay leaves; its item keeps the other stays.
  void eject(Stay stay) {
    int32_t item = model.stages[stay.first].item;
    Path path;
    retreat(item, stay, path);
    take(item);
    std::vector<int64_t> at(path.size(), -1);
    for (size_t k = 0; k < path.size(); ++k)
      if (int32_t s = model.items[item].firstStage + static_cast<int32_t>(k);
          isBounded(s, path[k]))
        at[k] = offsets[s];
    enter(item, path, at);
  }

  /// The stays of an item leave a place in a resource.
  void vacate(int32_t item, int32_t resource, const Shelves::Rectangle &place) {
    while (true) {
      Stay there = {-1, -1};
      forEachStay(
          item, chosen.data() + model.items[item].firstStage, [&](Stay stay) {
            Shelves::Rectangle mine = rectangleOf(stay, offsets[stay.first]);
            if (resourceOf(stay.first) == resource &&
                mine.lower < place.upper && place.lower < mine.upper &&
                mine.begin < place.end && place.begin < mine.end)
              there = stay;
          });
      if (there.first < 0)
        return;
      eject(there);
    }
  }

  /// Lets an item that is in take a cheaper path, which costs others less than
  /// it saves by ejections; false if it keeps its own.
  bool settle(int32_t item, bool ejects) {
    take(item);
    const size_t begin = log.size();
    const ChoiceModel::Item &from = model.items[item];
    const int32_t options = model.stages[from.firstStage].options;
    const Path old(chosen.begin() + from.firstStage,
                   chosen.begin() + from.firstStage + from.stages);
    const std::vector<int64_t> were(offsets.begin() + from.firstStage,
                                    offsets.begin() + from.firstStage +
                                        from.stages);
    banned.assign(size_t(from.stages) * options, 0);
    auto ban = [&](int32_t s, int32_t option) -> char & {
      return banned[size_t(s - from.firstStage) * options + option];
    };
    const Cost before = change;
    Path path;
    std::vector<int64_t> at;
    while (true) {
      std::optional<Cost> least =
          cheapest(item, path, [&](int32_t s, int32_t o) {
            return !ban(s, o) &&
                   size[item] <= capacity[optionOf(s, o).resource];
          });
      if (!least || *least >= cost[item]) {
        if (old.front() >= 0)
          enter(item, old, were);
        return false;
      }
      at.assign(from.stages, -1);
      std::optional<Stay> failed;
      std::vector<Stay> done;
      forEachStay(item, path.data(), [&](Stay stay) {
        if (failed)
          return;
        int32_t option = path[stay.first - from.firstStage];
        int64_t offset = firstFit(stay, option);
        if (offset == infinite && ejects)
          offset = makeRoom(stay, option,
                            2 * (cost[item] - *least) - (change - before));
        if (offset == infinite) {
          failed = stay;
          return;
        }
        for (int32_t s = stay.first; s <= stay.last; ++s)
          at[s - from.firstStage] = offset;
        shelves[optionOf(stay.first, option).resource].insert(
            rectangleOf(stay, offset));
        done.push_back(stay);
      });
      for (Stay stay : done)
        shelves[optionOf(stay.first, path[stay.first - from.firstStage])
                    .resource]
            .erase(rectangleOf(stay, at[stay.first - from.firstStage]));
      if (!failed)
        break;
      restore(begin);
      int32_t option = path[failed->first - from.firstStage], longest = -1;
      bool any = false;
      for (int32_t s = failed->first; s <= failed->last; ++s) {
        if (longest < 0 || rank(s) > rank(longest))
          longest = s;
        if (firstFit({s, s}, option) == infinite) {
          ban(s, option) = 1;
          any = true;
        }
      }
      if (!any)
        ban(longest, option) = 1;
    }
    enter(item, path, at);
    return true;
  }

  /// Stages without a use leave first, then long ones.
  std::pair<bool, int32_t> rank(int32_t s) const {
    auto [lower, upper] = timesOf({s, s});
    auto list = model.optionsOf(model.stages[s]);
    bool isUse = std::any_of(list.begin(), list.end(), [&](const auto &each) {
      return each.cost != list.front().cost;
    });
    return {!isUse, upper - lower};
  }

  Zones &shelvesOf(Stay stay) { return shelves[resourceOf(stay.first)]; }

  int64_t firstFit(Stay stay, int32_t option) const {
    int32_t item = model.stages[stay.first].item;
    int32_t resource = optionOf(stay.first, option).resource;
    auto [lower, upper] = timesOf(stay);
    return shelves[resource].firstFit(lower, upper, size[item],
                                      alignmentOf(item, resource),
                                      capacity[resource]);
  }

  /// Ejects the stays at the offset where that costs least, if it costs less
  /// than `budget`, and returns the offset; `infinite` if it costs more.
  int64_t makeRoom(Stay stay, int32_t option, Cost budget) {
    int32_t item = model.stages[stay.first].item;
    int32_t resource = optionOf(stay.first, option).resource;
    auto [lower, upper] = timesOf(stay);
    shelves[resource].collect(lower, upper, met);
    int64_t from = 0, to = capacity[resource];
    isCrowded = met.size() > crowd;
    if (isCrowded) {
      size_t first = random() % (met.size() - crowd);
      from = met[first].begin;
      to = met[first + crowd].begin;
      std::erase_if(met, [&](const Shelves::Rectangle &each) {
        return each.end <= from || each.begin >= to;
      });
    }
    const int64_t bytes = size[item], multiple = alignmentOf(item, resource);
    ends = met;
    std::sort(ends.begin(), ends.end(),
              [](const auto &a, const auto &b) { return a.end < b.end; });
    losses.start(bytes, met, ends, [&](int32_t s) {
      return model.stages[s].item == item ? never : loss[s];
    });
    int64_t best = infinite;
    auto consider = [&](int64_t offset) {
      if (offset < from || offset > to - bytes)
        return;
      losses.go(offset);
      if (Cost lost = losses.price(); lost < budget) {
        best = offset;
        budget = lost;
      }
    };
    consider(alignUp(from, multiple));
    for (const Shelves::Rectangle &each : ends)
      consider(alignUp(each.end, multiple));
    losses.rewind();
    for (const Shelves::Rectangle &each : met)
      if (each.begin >= bytes)
        consider((each.begin - bytes) / multiple * multiple);
    if (best == infinite)
      return infinite;
    leaving.clear();
    for (const Shelves::Rectangle &each : met)
      if (each.begin < best + bytes && each.end > best)
        leaving.push_back(each.item);
    for (int32_t s : leaving)
      vacate(model.stages[s].item, resource,
             {lower, upper, best, best + bytes, s});
    return best;
  }

  /// One exchange; false if it was undone.
  bool attempt(int32_t item, bool ejects) {
    ++attempts;
    log.clear();
    change = 0;
    if (!settle(item, ejects))
      return false;
    std::vector<int32_t> others;
    for (const Saved &each : log)
      if (each.item != item)
        others.push_back(each.item);
    std::stable_sort(others.begin(), others.end(), [&](int32_t a, int32_t b) {
      return cost[a] - ideal[a] > cost[b] - ideal[b];
    });
    for (int32_t other : others)
      if (cost[other] > ideal[other])
        settle(other, false);
    if (change < 0)
      return true;
    restore(0);
    return false;
  }

  /// The first stay of an item moves to a random free place in its space, so
  /// that free bytes join and part again.
  void moveAtRandom(int32_t item) {
    const ChoiceModel::Item &from = model.items[item];
    std::optional<Stay> first;
    if (pin[item] < 0)
      forEachStay(item, chosen.data() + from.firstStage, [&](Stay stay) {
        if (!first)
          first = stay;
      });
    if (!first)
      return;
    const int32_t resource = resourceOf(first->first);
    const int64_t multiple = alignmentOf(item, resource);
    const Shelves::Rectangle old = rectangleOf(*first, offsets[first->first]);
    shelves[resource].collect(old.lower, old.upper, met);
    int64_t at = 0, to = old.begin;
    uint64_t ways = 0;
    auto consider = [&](int64_t end) {
      int64_t low = alignUp(at, multiple);
      if (end < size[item] || low > end - size[item])
        return;
      if (random() % ++ways == 0)
        to = random() % 2 ? low : (end - size[item]) / multiple * multiple;
    };
    for (const Shelves::Rectangle &other : met) {
      if (other.item == first->first)
        continue;
      consider(other.begin);
      at = std::max(at, other.end);
    }
    consider(capacity[resource]);
    if (to == old.begin)
      return;
    shelves[resource].erase(old);
    for (int32_t s = first->first; s <= first->last; ++s)
      offsets[s] = to;
    shelves[resource].insert(rectangleOf(*first, to));
  }

  bool adopt(const Addressed &start) {
    ++attempts;
    Path path, bare;
    std::vector<int64_t> at;
    std::vector<int32_t> waiting;
    for (size_t i = 0; i < model.items.size(); ++i) {
      auto item = static_cast<int32_t>(i);
      const ChoiceModel::Item &from = model.items[i];
      std::optional<Cost> least =
          cheapest(item, path, [&](int32_t s, int32_t o) {
            return size[i] <= capacity[optionOf(s, o).resource];
          });
      ideal[i] = least.value_or(0);
      auto offsetOf = [&](int32_t s) {
        return pin[i] >= 0 ? pin[i] : start.offsets[s];
      };
      auto isKept = [&](int32_t s, int32_t o) {
        return o == start.selection[s] && offsetOf(s) >= 0 &&
               offsetOf(s) + size[i] <= capacity[optionOf(s, o).resource];
      };
      std::optional<Cost> kept =
          cheapest(item, path, [&](int32_t s, int32_t o) {
            return !isBounded(s, o) || isKept(s, o);
          });
      if (!kept) {
        if (!least)
          return false;
        waiting.push_back(item);
        continue;
      }
      at.assign(from.stages, -1);
      for (int32_t k = 0; k < from.stages; ++k)
        if (isBounded(from.firstStage + k, path[k]))
          at[k] = offsetOf(from.firstStage + k);
      enter(item, path, at);
    }
    // Items that need a space with a capacity.
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&](int32_t a, int32_t b) { return size[a] > size[b]; });
    for (int32_t item : waiting) {
      ++attempts;
      log.clear();
      cost[item] = never / 4;
      if (!settle(item, true))
        return false;
    }
    return true;
  }

  struct Saved {
    int32_t item;
    Path path;
    std::vector<int64_t> offsets;
  };

  const ChoiceModel &model;
  const Deadline &deadline;
  std::mt19937_64 random;
  /// By resource.
  std::vector<int64_t> capacity, spaceAlignment;
  /// By item; `pin` is -1 for most.
  std::vector<int64_t> size, alignment, pin;
  /// By stage; -1 for items that are out, and for offsets without a capacity.
  Selection chosen;
  std::vector<int64_t> offsets;
  /// By first stage of a stay: what its item pays more without it.
  std::vector<Cost> loss;
  /// By item: its cost, and that of its cheapest path.
  std::vector<Cost> cost, ideal;
  std::vector<Zones> shelves;
  /// What the items of an attempt had before; `logged` has the attempt that
  /// noted an item last.
  std::vector<Saved> log;
  std::vector<int64_t> logged;
  /// By item: how often it was tried in vain since it succeeded.
  std::vector<int32_t> failures;
  int64_t attempts = 0;
  /// What the attempt has added to the cost.
  Cost change = 0;
  /// The last exchange was at a crowded time.
  bool isCrowded = false;
  // Of one step.
  std::vector<char> banned;
  std::vector<Shelves::Rectangle> met, ends;
  PlacePrices<Cost> losses;
  std::vector<int32_t> leaving;
};

} // namespace

std::optional<Addressed>
tamc::planning::searchAddresses(const Problem &problem, const BuiltModel &built,
                                const Options &options, const Addressed &start,
                                int64_t rounds, const Deadline &deadline) {
  return Search(problem, built, options, deadline).run(start, rounds);
}
