//===- Planning/CheckChoice.cpp - checks a plan with a choice -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Check.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace tamc::planning;

namespace {

class ChoiceChecker {
public:
  ChoiceChecker(const Problem &problem, const Plan &plan,
                const CheckOptions &options)
      : problem(problem), plan(plan), options(options),
        stays(problem.buffers.size()) {}

  std::vector<Finding> run() {
    size_t count = problem.buffers.size();
    if (plan.offsets.size() != count || plan.spaces.size() != count) {
      add(Finding::Kind::Count, -1,
          "expected " + std::to_string(count) + " offsets and spaces, got " +
              std::to_string(plan.offsets.size()) + " and " +
              std::to_string(plan.spaces.size()));
      return std::move(findings);
    }
    collectStays();
    for (size_t i = 0; i < count; ++i)
      checkStays(static_cast<int32_t>(i));
    checkClasses();
    if (!findings.empty())
      return std::move(findings);
    checkCopies();
    checkAddresses();
    checkCost();
    if (findings.empty()) {
      checkPeaks();
      checkReasons();
    }
    return std::move(findings);
  }

private:
  struct Stay {
    int32_t space;
    Interval time;
    int64_t offset;
  };

  void add(Finding::Kind kind, int64_t buffer, std::string message) {
    if (findings.size() < options.limit)
      findings.push_back({kind, buffer, -1, std::move(message)});
  }
  std::string quoted(int64_t buffer) const {
    return "buffer '" + problem.buffers[buffer].name + "'";
  }
  std::string spaceName(int32_t space) const {
    return "'" + problem.spaces[space].name + "'";
  }
  static std::string text(Interval time) {
    return std::to_string(time.lower) + " to " + std::to_string(time.upper);
  }

  static std::pair<int64_t, int64_t> lifeOf(const Buffer &buffer) {
    int64_t lower = INT64_MAX, upper = 0;
    for (const Interval &each : buffer.live)
      if (each.lower < each.upper)
        lower = std::min(lower, each.lower),
        upper = std::max(upper, each.upper);
    for (const Window &each : buffer.windows)
      if (each.time.lower < each.time.upper)
        lower = std::min(lower, each.time.lower),
        upper = std::max(upper, each.time.upper);
    if (lower > upper)
      return {0, 0};
    return {lower, upper};
  }

  void collectStays() {
    for (const Residence &stay : plan.residences)
      stays[stay.buffer].push_back({stay.space, stay.time, stay.offset});
    for (size_t i = 0; i < stays.size(); ++i) {
      if (!stays[i].empty())
        continue;
      auto [lower, upper] = lifeOf(problem.buffers[i]);
      stays[i].push_back({plan.spaces[i], {lower, upper}, plan.offsets[i]});
    }
  }

  void checkStays(int32_t i) {
    const Buffer &buffer = problem.buffers[i];
    for (const Stay &stay : stays[i]) {
      bool allowed =
          buffer.choices.empty() ? stay.space == buffer.space : false;
      for (const SpaceChoice &choice : buffer.choices)
        allowed |= choice.space == stay.space;
      if (!allowed)
        add(Finding::Kind::Space, i,
            quoted(i) + " lies in " + spaceName(stay.space) +
                ", which is none of its spaces");
    }
    if (stays[i].front().space != plan.spaces[i])
      add(Finding::Kind::Space, i,
          quoted(i) + " has the space " + spaceName(plan.spaces[i]) +
              ", but its first stay is in " +
              spaceName(stays[i].front().space));
    if (stays[i].front().offset != plan.offsets[i])
      add(Finding::Kind::Residence, i,
          quoted(i) + " has another offset than its first stay");
    if (stays[i].size() == 1)
      return checkSingle(i);
    if (buffer.live.size() != 1 || !buffer.windows.empty() ||
        buffer.aliasClass >= 0)
      return add(Finding::Kind::Residence, i,
                 quoted(i) + " moves, but has gaps, windows or an alias");
    auto [lower, upper] = lifeOf(buffer);
    int64_t from = lower;
    for (size_t k = 0; k < stays[i].size(); ++k) {
      const Stay &stay = stays[i][k];
      if (stay.time.lower != from || stay.time.upper <= stay.time.lower)
        return add(Finding::Kind::Residence, i,
                   quoted(i) + ": expected a stay that begins at " +
                       std::to_string(from) + ", got " + text(stay.time));
      from = stay.time.upper;
      if (k == 0)
        continue;
      if (stay.space == stays[i][k - 1].space)
        add(Finding::Kind::Residence, i,
            quoted(i) + " stays twice in a row in " + spaceName(stay.space));
      bool beside = false;
      for (int64_t use : buffer.uses)
        beside |= use == stay.time.lower || use + 1 == stay.time.lower;
      if (!beside)
        add(Finding::Kind::Residence, i,
            quoted(i) + " moves before " + std::to_string(stay.time.lower) +
                ", which is not directly before or after a use");
    }
    if (from != upper)
      add(Finding::Kind::Residence, i,
          quoted(i) + ": its stays end at " + std::to_string(from) +
              ", its life at " + std::to_string(upper));
  }

  void checkSingle(int32_t i) {
    auto [lower, upper] = lifeOf(problem.buffers[i]);
    const Interval &time = stays[i].front().time;
    if (time.lower != lower || time.upper != upper)
      add(Finding::Kind::Residence, i,
          quoted(i) + ": expected a stay of its whole life, got " + text(time));
  }

  void checkClasses() {
    std::map<int32_t, int32_t> first;
    for (size_t i = 0; i < stays.size(); ++i) {
      int32_t name = problem.buffers[i].aliasClass;
      if (name < 0)
        continue;
      int32_t other = first.try_emplace(name, int32_t(i)).first->second;
      if (plan.spaces[other] != plan.spaces[i])
        add(Finding::Kind::AliasClass, static_cast<int64_t>(i),
            quoted(static_cast<int64_t>(i)) + " lies in another space than " +
                quoted(other) + ", which is of the same alias class");
    }
  }

  void checkCopies() {
    using Key = std::tuple<int32_t, int64_t, int32_t, int32_t, int64_t>;
    std::multiset<Key> expected;
    for (size_t i = 0; i < stays.size(); ++i)
      for (size_t k = 1; k < stays[i].size(); ++k)
        expected.insert({static_cast<int32_t>(i), stays[i][k].time.lower,
                         stays[i][k - 1].space, stays[i][k].space,
                         problem.buffers[i].size});
    // A CSV file has no copies, and no stays either.
    for (const Copy &copy : plan.copies) {
      auto found = expected.find(
          {copy.buffer, copy.time, copy.from, copy.to, copy.bytes});
      if (found == expected.end())
        add(Finding::Kind::Copy, copy.buffer,
            "no stays of " + quoted(copy.buffer) + " need the copy of " +
                std::to_string(copy.bytes) + " bytes from " +
                spaceName(copy.from) + " to " + spaceName(copy.to) +
                " before " + std::to_string(copy.time));
      else
        expected.erase(found);
    }
    for (const auto &[buffer, time, from, to, bytes] : expected)
      add(Finding::Kind::Copy, buffer,
          "the copy of " + quoted(buffer) + " from " + spaceName(from) +
              " to " + spaceName(to) + " before " + std::to_string(time) +
              " is missing");
  }

  /// Every stay as a buffer, with a time between moments in which a buffer
  /// that moves holds both places.
  void checkAddresses() {
    Problem flat;
    flat.spaces = problem.spaces;
    std::vector<int64_t> offsets;
    bool doubled = !plan.residences.empty();
    auto moments = [doubled](Interval time) {
      if (!doubled || time.lower == time.upper)
        return time;
      return Interval{2 * time.lower, 2 * time.upper - 1};
    };
    for (size_t i = 0; i < stays.size(); ++i) {
      const Buffer &buffer = problem.buffers[i];
      for (size_t k = 0; k < stays[i].size(); ++k) {
        const Stay &stay = stays[i][k];
        Buffer made = buffer;
        made.choices.clear();
        made.uses.clear();
        made.space = stay.space;
        if (stays[i].size() > 1) {
          Interval time = {2 * stay.time.lower, 2 * stay.time.upper - 1};
          time.lower -= k > 0 ? 1 : 0;
          time.upper += k + 1 < stays[i].size() ? 1 : 0;
          made.live = {time};
        } else {
          std::vector<Interval> live;
          for (Interval each : buffer.live) {
            each = moments(each);
            // What goes on in the next moment is there between the two.
            if (doubled && !live.empty() && each.lower < each.upper &&
                live.back().upper + 1 == each.lower)
              live.back().upper = each.upper;
            else
              live.push_back(each);
          }
          made.live = std::move(live);
          for (Window &window : made.windows)
            window.time = moments(window.time);
        }
        flat.buffers.push_back(std::move(made));
        offsets.push_back(stay.offset);
      }
    }
    for (Finding &finding : check(flat, offsets, options))
      if (findings.size() < options.limit)
        findings.push_back(std::move(finding));
  }

  void checkCost() {
    if (!plan.cost)
      return;
    __int128 cost = 0;
    for (size_t i = 0; i < stays.size(); ++i) {
      const Buffer &buffer = problem.buffers[i];
      auto priceIn = [&](int32_t space) {
        __int128 price = 0;
        for (const SpaceChoice &choice : buffer.choices)
          if (choice.space == space)
            price = choice.cost;
        return price;
      };
      if (buffer.uses.empty())
        cost += priceIn(stays[i].front().space);
      for (int64_t use : buffer.uses)
        for (const Stay &stay : stays[i])
          if (stay.time.lower <= use && use < stay.time.upper)
            cost += priceIn(stay.space);
      cost += static_cast<__int128>(stays[i].size() - 1) * buffer.size;
    }
    constexpr int64_t last = std::numeric_limits<int64_t>::max();
    auto expected = static_cast<int64_t>(std::min<__int128>(cost, last));
    if (*plan.cost != expected)
      add(Finding::Kind::Cost, -1,
          "expected the cost " + std::to_string(expected) + ", got " +
              std::to_string(*plan.cost));
    if (!plan.costBound)
      return;
    if (*plan.costBound > *plan.cost || *plan.costBound < 0)
      add(Finding::Kind::CostBound, -1,
          "expected a bound from 0 to the cost " + std::to_string(*plan.cost) +
              ", got " + std::to_string(*plan.costBound));
    if (plan.status == Status::Optimal && options.costDecides &&
        *plan.costBound != *plan.cost)
      add(Finding::Kind::CostBound, -1,
          "an optimal plan has the cost of its bound, got " +
              std::to_string(*plan.cost) + " and " +
              std::to_string(*plan.costBound));
  }

  void checkPeaks() {
    if (plan.peak.empty())
      return;
    std::vector<int64_t> peak(problem.spaces.size(), 0);
    for (size_t i = 0; i < stays.size(); ++i) {
      auto [lower, upper] = lifeOf(problem.buffers[i]);
      if (holds(static_cast<int32_t>(i)) && lower < upper)
        for (const Stay &stay : stays[i])
          peak[stay.space] =
              std::max(peak[stay.space], stay.offset + problem.buffers[i].size);
    }
    for (size_t space = 0; space < peak.size(); ++space)
      if (plan.peak[space] != peak[space])
        add(Finding::Kind::Peak, -1,
            "expected the peak " + std::to_string(peak[space]) + " of space " +
                spaceName(static_cast<int32_t>(space)) + ", got " +
                std::to_string(plan.peak[space]));
  }

  bool holds(int32_t i) const { return !holdings(i, 0).empty(); }

  /// When a stay holds how many bytes.
  std::vector<std::pair<Interval, int64_t>> holdings(int32_t i,
                                                     size_t k) const {
    const Buffer &buffer = problem.buffers[i];
    const Interval &stay = stays[i][k].time;
    std::vector<std::pair<Interval, int64_t>> list;
    auto take = [&](Interval time, int64_t bytes) {
      time = {std::max(time.lower, stay.lower),
              std::min(time.upper, stay.upper)};
      if (time.lower < time.upper && bytes > 0)
        list.push_back({time, bytes});
    };
    for (const Interval &each : buffer.live)
      take(each, buffer.size);
    for (const Window &each : buffer.windows)
      take(each.time, each.upper - each.lower);
    return list;
  }

  /// Bytes that a buffer holds of a space.
  struct Holding {
    Interval time;
    int64_t bytes;
    int32_t buffer;
  };

  /// The holdings of a space by the begin of their times. `latest` is a binary
  /// tree over them, whose node has the latest end of those below it.
  struct Holdings {
    std::vector<Holding> list;
    std::vector<int64_t> latest;
    size_t leaves = 1;
  };

  /// What holds bytes of a space at a time: the sum, the number of buffers, and
  /// the largest ones, at most 8.
  struct Present {
    int64_t sum = 0;
    int64_t count = 0;
    std::vector<int32_t> largest;
  };

  const Holdings &holdingsOf(int32_t space) {
    if (bySpace.empty()) {
      bySpace.resize(problem.spaces.size());
      for (size_t i = 0; i < stays.size(); ++i)
        for (size_t k = 0; k < stays[i].size(); ++k)
          for (auto [held, bytes] : holdings(static_cast<int32_t>(i), k))
            bySpace[stays[i][k].space].list.push_back(
                {held, bytes, static_cast<int32_t>(i)});
      for (Holdings &each : bySpace) {
        std::stable_sort(each.list.begin(), each.list.end(),
                         [](const Holding &a, const Holding &b) {
                           return a.time.lower < b.time.lower;
                         });
        while (each.leaves < each.list.size())
          each.leaves *= 2;
        each.latest.assign(2 * each.leaves, INT64_MIN);
        for (size_t i = 0; i < each.list.size(); ++i)
          each.latest[each.leaves + i] = each.list[i].time.upper;
        for (size_t i = each.leaves; i-- > 1;)
          each.latest[i] = std::max(each.latest[2 * i], each.latest[2 * i + 1]);
      }
    }
    return bySpace[space];
  }

  /// Calls each(holding) for those of a node that contain the time.
  template <typename Function>
  static void visit(const Holdings &from, size_t node, int64_t time,
                    Function each) {
    if (from.latest[node] <= time)
      return;
    if (node < from.leaves) {
      visit(from, 2 * node, time, each);
      visit(from, 2 * node + 1, time, each);
    } else if (from.list[node - from.leaves].time.lower <= time) {
      each(from.list[node - from.leaves]);
    }
  }

  /// Many reasons name the same time.
  const Present &presentAt(int32_t space, int64_t time) {
    auto [found, isNew] = presents.try_emplace({space, time});
    Present &present = found->second;
    if (!isNew)
      return present;
    visit(holdingsOf(space), 1, time, [&](const Holding &each) {
      present.sum += each.bytes;
      present.largest.push_back(each.buffer);
    });
    present.count = static_cast<int64_t>(present.largest.size());
    std::sort(present.largest.begin(), present.largest.end(),
              [&](int32_t a, int32_t b) {
                return std::pair(-problem.buffers[a].size, a) <
                       std::pair(-problem.buffers[b].size, b);
              });
    present.largest.resize(std::min<size_t>(present.largest.size(), 8));
    present.largest.shrink_to_fit();
    return present;
  }

  void checkReasons() {
    // A text without a summary has no reasons.
    if (!plan.cost)
      return;
    std::multimap<std::pair<int32_t, int64_t>, const Reason *> given;
    for (const Reason &reason : plan.reasons)
      given.insert({{reason.buffer, reason.outside.lower}, &reason});
    for (size_t i = 0; i < stays.size(); ++i) {
      const Buffer &buffer = problem.buffers[i];
      auto index = static_cast<int32_t>(i);
      if (buffer.choices.empty() || !holds(index))
        continue;
      int64_t least = buffer.choices.front().cost;
      for (const SpaceChoice &choice : buffer.choices)
        least = std::min(least, choice.cost);
      for (size_t k = 0; k < stays[i].size(); ++k) {
        auto isBest = [&](int32_t space) {
          for (const SpaceChoice &choice : buffer.choices)
            if (choice.space == space && choice.cost == least)
              return true;
          return false;
        };
        if (isBest(stays[i][k].space))
          continue;
        auto found = given.find({index, stays[i][k].time.lower});
        if (found == given.end()) {
          add(Finding::Kind::Reason, index,
              quoted(index) + " is outside its cheapest space from " +
                  text(stays[i][k].time) + " without a reason");
          continue;
        }
        const Reason &reason = *found->second;
        given.erase(found);
        if (!(reason.outside == stays[i][k].time) || !isBest(reason.space))
          add(Finding::Kind::Reason, index,
              "the reason of " + quoted(index) +
                  " is for other times or not for its cheapest space");
        else
          checkReason(index, k, reason);
      }
    }
    for (const auto &[key, reason] : given)
      add(Finding::Kind::Reason, key.first,
          quoted(key.first) +
              " has a reason, but is not outside its cheapest "
              "space from " +
              text(reason->outside));
  }

  /// By how many bytes the holdings of a stay, or of its alias class, exceed
  /// the capacity at a time; the sum of a class is that of its largest.
  int64_t lackingAt(const std::vector<std::pair<int32_t, size_t>> &together,
                    const Reason &reason, int64_t time) {
    int64_t sum = presentAt(reason.space, time).sum, own = -1;
    for (auto [i, k] : together)
      for (auto [held, bytes] : holdings(i, k))
        if (held.lower <= time && time < held.upper)
          own = std::max(own, bytes);
    return own < 0 ? INT64_MIN
                   : sum + own - *problem.spaces[reason.space].capacity;
  }

  void checkReason(int32_t i, size_t k, const Reason &reason) {
    auto wrong = [&](const std::string &message) {
      add(Finding::Kind::Reason, i, "the reason of " + quoted(i) + message);
    };
    const Space &space = problem.spaces[reason.space];
    if (!space.capacity) {
      if (reason.kind != Reason::Kind::Plan)
        wrong(": its cheapest space has no capacity");
      return;
    }
    std::vector<std::pair<int32_t, size_t>> together = {{i, k}};
    if (int32_t name = problem.buffers[i].aliasClass; name >= 0) {
      together.clear();
      for (size_t j = 0; j < stays.size(); ++j)
        if (problem.buffers[j].aliasClass == name)
          together.push_back({static_cast<int32_t>(j), 0});
    }
    int64_t stretch = 0;
    const Present &present = presentAt(reason.space, reason.time);
    int64_t lacking = lackingAt(together, reason, reason.time);
    if (reason.kind == Reason::Kind::Plan) {
      if (lacking > 0)
        wrong(" says that there is room, but " + std::to_string(lacking) +
              " bytes are lacking");
      return;
    }
    if (lacking == INT64_MIN)
      return wrong(" names a time at which it holds no byte");
    if (reason.kind == Reason::Kind::Bytes && lacking != reason.lacking)
      return wrong(": expected " + std::to_string(lacking) +
                   " bytes lacking, got " + std::to_string(reason.lacking));
    if (reason.lacking <= 0)
      return wrong(" lacks no bytes");
    if (reason.kind == Reason::Kind::Stretch) {
      int64_t need = stretchLacking(together, reason, stretch);
      if (need != reason.lacking)
        return wrong(": expected " + std::to_string(need) +
                     " bytes lacking in a stretch, got " +
                     std::to_string(reason.lacking));
    }
    if (reason.count != present.count)
      return wrong(": expected " + std::to_string(present.count) +
                   " buffers there, got " + std::to_string(reason.count));
    if (present.largest != reason.there)
      wrong(" does not name the largest buffers that are there");
  }

  int64_t
  stretchLacking(const std::vector<std::pair<int32_t, size_t>> &together,
                 const Reason &reason, int64_t &stretch) const {
    const Space &space = problem.spaces[reason.space];
    int64_t size = 0, multiple = 1;
    std::vector<Interval> mine;
    for (auto [i, k] : together) {
      const Buffer &buffer = problem.buffers[i];
      size = std::max(size, buffer.size);
      multiple = std::lcm(multiple, buffer.alignment);
      for (auto [held, bytes] : holdings(i, k))
        mine.push_back(held);
    }
    multiple = std::lcm(std::lcm(multiple, space.alignment), options.alignment);
    // Tries to begin at 0 and behind each buffer.
    std::vector<std::pair<int64_t, int64_t>> used;
    for (size_t j = 0; j < stays.size(); ++j)
      for (const Stay &stay : stays[j]) {
        if (stay.space != reason.space)
          continue;
        const Buffer &buffer = problem.buffers[j];
        auto take = [&](Interval time, int64_t from, int64_t to) {
          time = {std::max(time.lower, stay.time.lower),
                  std::min(time.upper, stay.time.upper)};
          for (const Interval &own : mine)
            if (time.lower < time.upper && own.lower < time.upper &&
                time.lower < own.upper && from < to) {
              used.push_back({stay.offset + from, stay.offset + to});
              return;
            }
        };
        for (const Interval &each : buffer.live)
          take(each, 0, buffer.size);
        for (const Window &each : buffer.windows)
          take(each.time, each.lower, each.upper);
      }
    std::vector<int64_t> begins = {0};
    for (auto [from, to] : used)
      begins.push_back((to + multiple - 1) / multiple * multiple);
    for (int64_t begin : begins) {
      int64_t end = *space.capacity;
      for (auto [from, to] : used)
        if (to > begin)
          end = std::min(end, from);
      stretch = std::max(stretch, end - begin);
    }
    return size - stretch;
  }

  const Problem &problem;
  const Plan &plan;
  const CheckOptions &options;
  /// By buffer.
  std::vector<std::vector<Stay>> stays;
  /// Made when a reason is checked.
  std::vector<Holdings> bySpace;
  std::map<std::pair<int32_t, int64_t>, Present> presents;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> tamc::planning::checkChoice(const Problem &problem,
                                                 const Plan &plan,
                                                 const CheckOptions &options) {
  return ChoiceChecker(problem, plan, options).run();
}
