//===- Planning/Auto.cpp - strategy auto: the portfolio -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Placement/Packing.h"
#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Portfolio.h"
#include "Strategies/Threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>

using namespace tamc::planning;

namespace {

/// Searches that run in parallel, each with its own seed. Their number depends
/// only on the instance, so that the answer does not depend on the number of
/// threads. On a large instance one long search is better than many short ones.
constexpr size_t maxStreams = 8, streamsOfLarge = 2, large = 4096;

/// Without limits each stream makes a plan of Crowd in each round, also if that
/// takes more than the budget; with more buffers it takes too long.
constexpr size_t mostForCrowd = 50000;

/// Ejection takes many insertions to reach its next target, and streams share
/// their plans only between rounds. So after each round the better half of its
/// streams goes on, with twice the budget (successive halving), down to this
/// number.
constexpr size_t fewestEjecting = 2;

/// The searches, in the order of their turns: those that may end soon first.
enum Part : size_t { kCrowd, kExact, kEjection, kWheel, numParts };

/// By part: its budget in a round.
using Turn = std::array<int64_t, numParts>;

/// The budget of a part is halved at most so many times while only others find
/// better plans.
constexpr int mostHalvings = 3;

class Portfolio {
public:
  Portfolio(const Instance &instance, const Options &options,
            const Deadline &deadline, Placement &best)
      : instance(instance), options(options), deadline(deadline), best(best),
        bound(boundOf(instance).bytes), exact(canSearchExactly(instance)),
        searches(!exact || !isFaithful(instance) || instance.size() > 500),
        setup(4e-8 * static_cast<double>(totalConflicts(instance)) +
              4e-6 * static_cast<double>(instance.size())),
        numStreams(instance.size() > large ? streamsOfLarge : maxStreams),
        streams(numStreams) {
    plays[kCrowd] = searches && instance.simple;
    plays[kExact] = exact;
    plays[kEjection] = instance.simple && instance.size() <= large;
    plays[kWheel] = searches;
    for (size_t stream = 0; stream < numStreams; ++stream)
      ejecting.push_back(stream);
  }

  bool isDone() {
    best.optimal |= peakOf(instance, best.offsets) <= bound;
    // After a proof that nothing fits, the search ends.
    return best.optimal || std::max(best.bound, bound) > instance.capacity ||
           deadline.passed();
  }

  /// The budget counts decisions of the exact search.
  void run(int64_t budget) {
    auto items = static_cast<int64_t>(instance.size());
    // Costs in insertions. A decision takes about as long as five, a decode as
    // a decision for each item, a plan of Crowd as 20 decodes.
    const Turn costs = {100 * items, 5, 1, 5 * items};
    const Turn most = {1 << 16, infinite / 64, infinite / 64, 1 << 20};
    Turn turn = {1, 20 * items, 100 * items, 50};
    const bool hasLimit = options.nodes || instance.size() > mostForCrowd;
    const Turn least = {hasLimit ? 0 : 1, 1, 1, 1};
    int64_t left = budget > infinite / 5 ? infinite : 5 * budget;
    while (left > 0 && !isDone()) {
      Turn cut = {};
      int64_t spent = 0;
      for (size_t part = 0; part < numParts; ++part) {
        if (!plays[part])
          continue;
        auto players = static_cast<int64_t>(part == kEjection ? ejecting.size()
                                                              : numStreams);
        int64_t share = turn[part] >> halvings[part];
        share *= static_cast<int64_t>(numStreams) / players;
        cut[part] = std::min(
            share, std::max(left / players / costs[part], least[part]));
        spent = saturatingAdd(spent, cut[part] * costs[part] * players);
        turn[part] = std::min(2 * turn[part], most[part]);
      }
      playRound(cut);
      left -= std::min(left, spent);
    }
  }

private:
  size_t threads() const {
    size_t most = options.threads > 0
                      ? static_cast<size_t>(options.threads)
                      : std::max(1u, std::thread::hardware_concurrency());
    return std::min(most, numStreams);
  }

  struct Stream {
    /// Made in their first turns.
    std::array<std::unique_ptr<Improver>, numParts> parts;
    Placement found;
    /// The part that found the last better plan of the round, if any.
    std::optional<size_t> finder;
    /// The peak of the plan that ejection found in the round; `infinite` if it
    /// found no better one.
    int64_t ejected = infinite;
    bool ends = false;
    std::atomic<bool> stop = false;
  };

  std::unique_ptr<Improver> make(size_t part, uint64_t seed) const {
    switch (part) {
    case kCrowd:
      return makeCrowd(instance, seed);
    case kExact:
      return makeExact(instance, seed);
    case kEjection:
      return makeEjection(instance, seed);
    default:
      return makeSearch(instance, seed);
    }
  }

  void play(size_t index, const Turn &turn) {
    Stream &stream = streams[index];
    if (stream.stop.load(std::memory_order_relaxed) || deadline.passed())
      return;
    Deadline until = deadline;
    until.stopWith(&stream.stop);
    Placement &mine = stream.found;
    int64_t peak = peakOf(instance, mine.offsets);
    for (size_t part = 0; part < numParts && !mine.optimal; ++part) {
      std::unique_ptr<Improver> &improver = stream.parts[part];
      if (turn[part] == 0 ||
          (part == kEjection && !std::ranges::count(ejecting, index)) ||
          (part == kExact && !improver && deadline.left() <= setup))
        continue;
      if (!improver)
        improver = make(part, options.seed * maxStreams + index);
      improver->run(turn[part], until, mine);
      int64_t now = peakOf(instance, mine.offsets);
      if (now < peak) {
        stream.finder = part;
        if (part == kEjection)
          stream.ejected = now;
      }
      peak = now;
    }
    stream.ends = mine.optimal || mine.bound > instance.capacity;
  }

  /// Streams are merged in their order, up to the first one that ends the
  /// search. Results of later streams are dropped, because they depend on
  /// timing.
  void playRound(const Turn &turn) {
    for (Stream &stream : streams) {
      stream.found = best;
      stream.finder.reset();
      stream.ejected = infinite;
      stream.ends = stream.stop = false;
    }
    std::atomic<size_t> next = 0;
    runOnThreads(threads(), [&] {
      for (size_t index; (index = next++) < numStreams;) {
        play(index, turn);
        for (size_t later = index + 1;
             streams[index].ends && later < numStreams; ++later)
          streams[later].stop = true;
      }
    });
    chooseEjecting();

    Placement merged = best;
    std::optional<size_t> finder;
    for (Stream &stream : streams) {
      Placement &mine = stream.found;
      merged.nodes += mine.nodes - best.nodes;
      merged.bound = std::max(merged.bound, mine.bound);
      if (mine.optimal ||
          peakOf(instance, mine.offsets) < peakOf(instance, merged.offsets)) {
        merged.offsets = std::move(mine.offsets);
        merged.optimal = mine.optimal;
        finder = stream.finder;
      }
      if (stream.ends)
        break;
    }
    best = std::move(merged);
    for (size_t part = 0; part < numParts; ++part)
      halvings[part] = finder && *finder != part
                           ? std::min(halvings[part] + 1, mostHalvings)
                           : std::max(halvings[part] - 1, 0);
  }

  /// Keeps the streams whose ejection found the lowest plans: what other parts
  /// found says nothing about it. The others' pools are deleted.
  void chooseEjecting() {
    std::ranges::stable_sort(
        ejecting, {}, [&](size_t index) { return streams[index].ejected; });
    size_t kept = std::max(ejecting.size() / 2, fewestEjecting);
    while (ejecting.size() > kept) {
      streams[ejecting.back()].parts[kEjection].reset();
      ejecting.pop_back();
    }
  }

  const Instance &instance;
  const Options &options;
  const Deadline &deadline;
  Placement &best;
  int64_t bound;
  bool exact, searches;
  /// Seconds to set up the exact search on a slow machine; the setup cannot be
  /// interrupted.
  double setup;
  std::array<bool, numParts> plays = {};
  std::array<int, numParts> halvings = {};
  size_t numStreams;
  std::vector<Stream> streams;
  /// The streams whose turn has ejection.
  std::vector<size_t> ejecting;
};

/// First cheap strategies, for an immediate incumbent. Then searches that prove
/// and searches that improve, in rounds whose budgets double. Ends at the
/// bound, at a proof, or with the budget.
Placement placeBest(const Instance &instance, const Options &options) {
  Deadline deadline(options);
  Placement best = placeBySkyline(instance, options, deadline);
  if (instance.size() == 0)
    return best;
  if (!instance.simple)
    compact(instance, best.offsets, deadline);
  int64_t budget = options.nodes       ? options.nodes
                   : options.timeLimit ? infinite
                                       : kAutoNodes;
  Portfolio portfolio(instance, options, deadline, best);
  if (!portfolio.isDone() && !isFaithful(instance) && instance.size() <= 64)
    improveByOrders(instance, std::min<int64_t>(budget, 100000), deadline,
                    best);
  portfolio.run(budget);
  best.stopped = !best.optimal && deadline.passed();
  return best;
}

} // namespace

namespace tamc::planning {
Plan planAuto(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, placeBest);
}
} // namespace tamc::planning
