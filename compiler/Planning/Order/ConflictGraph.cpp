//===- Planning/ConflictGraph.cpp - conflict graphs as problems -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/ConflictGraph.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <deque>

using namespace tamc::planning;

std::optional<std::vector<std::vector<int32_t>>>
tamc::planning::coverByCliques(const BitMatrix &conflicts, BitMatrix missing,
                               size_t most) {
  std::vector<std::vector<int32_t>> cliques;
  std::vector<uint64_t> candidates;
  size_t members = 0;
  for (size_t seed = 0; seed < conflicts.rows(); ++seed) {
    while (true) {
      int64_t partner = firstCommon(missing.row(seed), conflicts.row(seed));
      if (partner < 0)
        break;
      std::vector<int32_t> clique = {static_cast<int32_t>(seed)};
      std::span<const uint64_t> row = conflicts.row(seed);
      candidates.assign(row.begin(), row.end());
      auto add = [&](int64_t vertex) {
        for (int32_t member : clique) {
          missing.reset(member, vertex);
          missing.reset(vertex, member);
        }
        clique.push_back(static_cast<int32_t>(vertex));
        std::span<const uint64_t> other = conflicts.row(vertex);
        for (size_t word = 0; word < candidates.size(); ++word)
          candidates[word] &= other[word];
      };
      add(partner);
      // Add only vertices that cover another pair.
      for (size_t i = 0; i < clique.size(); ++i)
        for (int64_t next;
             (next = firstCommon(candidates, missing.row(clique[i]))) >= 0;)
          add(next);
      members += clique.size();
      if (members > most)
        return std::nullopt;
      cliques.push_back(std::move(clique));
    }
  }
  return cliques;
}

namespace {

/// Maximum flow by shortest augmenting paths in levels (Dinic 1970).
class Flow {
public:
  explicit Flow(size_t nodes) : arcs(nodes), level(nodes), next(nodes) {}

  void connect(int32_t from, int32_t to, __int128 capacity) {
    arcs[from].push_back({to, static_cast<int32_t>(arcs[to].size()), capacity});
    arcs[to].push_back({from, static_cast<int32_t>(arcs[from].size()) - 1, 0});
  }

  void run(int32_t source, int32_t sink) {
    while (findLevels(source, sink)) {
      std::fill(next.begin(), next.end(), 0);
      while (augment(source, sink))
        ;
    }
  }

  /// After run(): the node is on the source's side of the cut.
  bool reachable(int32_t node) const { return level[node] >= 0; }

private:
  struct Arc {
    int32_t to, back;
    __int128 rest;
  };

  bool findLevels(int32_t source, int32_t sink) {
    std::fill(level.begin(), level.end(), -1);
    std::deque<int32_t> queue = {source};
    level[source] = 0;
    while (!queue.empty()) {
      int32_t at = queue.front();
      queue.pop_front();
      for (const Arc &arc : arcs[at])
        if (arc.rest > 0 && level[arc.to] < 0) {
          level[arc.to] = level[at] + 1;
          queue.push_back(arc.to);
        }
    }
    return level[sink] >= 0;
  }

  /// Follows one path along the levels, without recursion.
  bool augment(int32_t source, int32_t sink) {
    std::vector<std::pair<int32_t, size_t>> path; // node and its arc
    int32_t at = source;
    while (at != sink) {
      size_t &arc = next[at];
      while (
          arc < arcs[at].size() &&
          (arcs[at][arc].rest <= 0 || level[arcs[at][arc].to] != level[at] + 1))
        ++arc;
      if (arc < arcs[at].size()) {
        path.push_back({at, arc});
        at = arcs[at][arc].to;
        continue;
      }
      if (path.empty())
        return false;
      at = path.back().first;
      ++next[at];
      path.pop_back();
    }
    __int128 least = arcs[path[0].first][path[0].second].rest;
    for (auto [node, arc] : path)
      least = std::min(least, arcs[node][arc].rest);
    for (auto [node, arc] : path) {
      Arc &forward = arcs[node][arc];
      forward.rest -= least;
      arcs[forward.to][forward.back].rest += least;
    }
    return true;
  }

  std::vector<std::vector<Arc>> arcs;
  std::vector<int32_t> level;
  std::vector<size_t> next;
};

/// Largest graph for which the flow is computed: it has an arc for each pair.
constexpr size_t maxForFlow = 700;

std::vector<int32_t> cliqueByFlow(std::span<const int64_t> weights,
                                  std::span<const int32_t> vertices,
                                  const BitMatrix &precedes) {
  auto count = static_cast<int32_t>(vertices.size());
  int32_t source = 2 * count, sink = source + 1;
  Flow flow(2 * vertices.size() + 2);
  constexpr __int128 unbounded = static_cast<__int128>(1) << 100;
  for (int32_t i = 0; i < count; ++i) {
    flow.connect(source, i, weights[vertices[i]]);
    flow.connect(count + i, sink, weights[vertices[i]]);
    for (int32_t j = 0; j < count; ++j)
      if (precedes.test(vertices[i], vertices[j]))
        flow.connect(i, count + j, unbounded);
  }
  flow.run(source, sink);
  // The antichain has the vertices that neither side of the cut pays for.
  std::vector<int32_t> clique;
  for (int32_t i = 0; i < count; ++i)
    if (flow.reachable(i) && !flow.reachable(count + i))
      clique.push_back(vertices[i]);
  return clique;
}

} // namespace

std::vector<int32_t> tamc::planning::heaviestClique(
    const BitMatrix &conflicts, std::span<const int64_t> weights,
    std::span<const int32_t> vertices, const BitMatrix &precedes) {
  std::vector<int32_t> order;
  for (int32_t vertex : vertices)
    if (weights[vertex] > 0)
      order.push_back(vertex);
  if (order.size() <= maxForFlow)
    return cliqueByFlow(weights, order, precedes);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return weights[a] > weights[b];
  });
  // Greedy cliques, each grown from one of the heaviest vertices by adding the
  // heaviest candidate.
  std::vector<int32_t> best;
  __int128 most = 0;
  constexpr size_t seeds = 32;
  for (size_t start = 0; start < std::min(seeds, order.size()); ++start) {
    std::vector<int32_t> clique = {order[start]};
    __int128 weight = weights[order[start]];
    for (int32_t vertex : order) {
      if (!conflicts.test(order[start], vertex) ||
          !std::all_of(clique.begin(), clique.end(), [&](int32_t member) {
            return conflicts.test(member, vertex);
          }))
        continue;
      clique.push_back(vertex);
      weight += weights[vertex];
    }
    if (weight > most) {
      most = weight;
      best = std::move(clique);
    }
  }
  return best;
}

std::vector<int64_t>
tamc::planning::placeByConflicts(const Instance &instance,
                                 const BitMatrix &conflicts,
                                 std::span<const int32_t> order) {
  std::vector<int64_t> offsets(instance.size(), 0);
  // Sorted by offset, so that one pass visits the gaps in order.
  std::vector<int32_t> placed;
  auto insert = [&](int32_t item) {
    placed.insert(std::upper_bound(placed.begin(), placed.end(), item,
                                   [&](int32_t a, int32_t b) {
                                     return offsets[a] < offsets[b];
                                   }),
                  item);
  };
  for (size_t i = 0; i < instance.size(); ++i)
    if (instance.items[i].pin >= 0) {
      offsets[i] = instance.items[i].pin;
      insert(static_cast<int32_t>(i));
    }
  for (int32_t item : order) {
    const Item &mine = instance.items[item];
    if (mine.pin >= 0)
      continue;
    int64_t at = 0;
    for (int32_t other : placed) {
      if (!conflicts.test(item, other))
        continue;
      if (offsets[other] >= saturatingAdd(at, mine.size))
        break;
      int64_t end = saturatingAdd(offsets[other], instance.items[other].size);
      if (end > at)
        at = alignUp(end, mine.alignment);
    }
    offsets[item] = at;
    insert(item);
  }
  return offsets;
}
