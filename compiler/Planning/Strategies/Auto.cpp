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

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

using namespace tamc::planning;

namespace {

/// Searches that run in parallel, each with its own seed. Their number depends
/// only on the instance, so that the answer does not depend on the number of
/// threads. On a large instance one long search is better than many short ones.
constexpr size_t maxStreams = 8, streamsOfLarge = 2, large = 4096;

/// The budget of each stream in a round.
struct Turn {
  int64_t decisions, decodes, crowds, insertions;
};

/// Approximate cost of a plan of Crowd, in decodes.
constexpr int64_t decodesOfCrowd = 20;

class Portfolio {
public:
  Portfolio(const Instance &instance, const Options &options,
            const Deadline &deadline, Placement &best)
      : instance(instance), options(options), deadline(deadline), best(best),
        bound(boundOf(instance).bytes), exact(canSearchExactly(instance)),
        searches(!exact || !isFaithful(instance) || instance.size() > 500),
        setup(4e-8 * static_cast<double>(totalConflicts(instance)) +
              4e-6 * static_cast<double>(instance.size())),
        crowds(searches && instance.simple),
        ejects(instance.simple && instance.size() <= large),
        numStreams(instance.size() > large ? streamsOfLarge : maxStreams),
        exacts(numStreams), wheels(numStreams), crowdeds(numStreams),
        ejectors(numStreams) {}

  bool isDone() {
    best.optimal |= peakOf(instance, best.offsets) <= bound;
    // After a proof that nothing fits, the search ends.
    return best.optimal || std::max(best.bound, bound) > instance.capacity ||
           deadline.passed();
  }

  void run(int64_t budget) {
    auto items = static_cast<int64_t>(instance.size());
    auto streams = static_cast<int64_t>(numStreams);
    Turn turn{20 * items, 50, 1, 100 * items};
    // One decode takes about as long as one decision for each item, and an
    // insertion a fifth of a decision.
    for (int64_t spent = 0; spent < budget && !isDone();) {
      int64_t left = budget - spent;
      Turn cut{
          std::clamp<int64_t>(left / streams, 1, turn.decisions),
          std::clamp<int64_t>(left / streams / items, 1, turn.decodes),
          crowds
              ? std::min(left / streams / items / decodesOfCrowd, turn.crowds)
              : 0,
          ejects ? std::clamp<int64_t>(left / streams * 5, 1, turn.insertions)
                 : 0};
      playRound(cut);
      spent = saturatingAdd(spent, exact ? cut.decisions * streams : 0);
      spent =
          saturatingAdd(spent, searches ? cut.decodes * items * streams : 0);
      spent =
          saturatingAdd(spent, cut.crowds * decodesOfCrowd * items * streams);
      spent = saturatingAdd(spent, cut.insertions / 5 * streams);
      turn.insertions = std::min(2 * turn.insertions, infinite / 64);
      turn.crowds = std::min<int64_t>(2 * turn.crowds, 1 << 16);
      turn.decodes = std::min<int64_t>(2 * turn.decodes, 1 << 20);
      turn.decisions = std::min(2 * turn.decisions, infinite / 64);
    }
  }

private:
  size_t threads() const {
    size_t most = options.threads > 0
                      ? static_cast<size_t>(options.threads)
                      : std::max(1u, std::thread::hardware_concurrency());
    return std::min(most, numStreams);
  }

  /// True if the placement ends the search.
  bool play(size_t stream, const Turn &turn, Placement &mine) {
    if (stops[stream].load(std::memory_order_relaxed) || deadline.passed())
      return false;
    Deadline until = deadline;
    until.stopWith(&stops[stream]);
    uint64_t seed = options.seed * maxStreams + stream;
    // First the searches that may end soon.
    if (turn.crowds > 0) {
      if (!crowdeds[stream])
        crowdeds[stream] = makeCrowd(instance, seed);
      crowdeds[stream]->run(turn.crowds, until, mine);
    }
    if (exact && !mine.optimal && (exacts[stream] || deadline.left() > setup)) {
      if (!exacts[stream])
        exacts[stream] = makeExact(instance, seed);
      exacts[stream]->run(turn.decisions, until, mine);
    }
    if (turn.insertions > 0 && !mine.optimal) {
      if (!ejectors[stream])
        ejectors[stream] = makeEjection(instance, seed);
      ejectors[stream]->run(turn.insertions, until, mine);
    }
    if (searches && !mine.optimal) {
      if (!wheels[stream])
        wheels[stream] = makeSearch(instance, seed);
      wheels[stream]->run(turn.decodes, until, mine);
    }
    return mine.optimal || mine.bound > instance.capacity;
  }

  /// Streams are merged in their order, up to the first one that ends the
  /// search. Results of later streams are dropped, because they depend on
  /// timing.
  void playRound(const Turn &turn) {
    std::vector<Placement> found(numStreams, best);
    for (std::atomic<bool> &stop : stops)
      stop = false;
    std::array<bool, maxStreams> ends = {};
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t stream; (stream = next++) < numStreams;) {
        ends[stream] = play(stream, turn, found[stream]);
        for (size_t later = stream + 1; ends[stream] && later < numStreams;
             ++later)
          stops[later] = true;
      }
    };
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < threads(); ++i)
      helpers.emplace_back(work);
    work();
    for (std::thread &helper : helpers)
      helper.join();

    Placement merged = best;
    for (size_t stream = 0; stream < numStreams; ++stream) {
      Placement &mine = found[stream];
      merged.nodes += mine.nodes - best.nodes;
      merged.bound = std::max(merged.bound, mine.bound);
      if (mine.optimal ||
          peakOf(instance, mine.offsets) < peakOf(instance, merged.offsets)) {
        merged.offsets = std::move(mine.offsets);
        merged.optimal = mine.optimal;
      }
      if (ends[stream])
        break;
    }
    best = std::move(merged);
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
  bool crowds, ejects;
  size_t numStreams;
  /// By stream; made in its first round.
  std::vector<std::unique_ptr<Improver>> exacts, wheels, crowdeds, ejectors;
  std::array<std::atomic<bool>, maxStreams> stops = {};
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
                                       : 50000;
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
