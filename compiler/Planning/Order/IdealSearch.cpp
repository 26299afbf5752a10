//===- Planning/IdealSearch.cpp - best-first search for a schedule --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/IdealSearch.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

using namespace tamc::planning;

namespace {

class Searcher {
public:
  Searcher(const Program &program, const Load &floor, int64_t limit,
           int64_t budget, const std::function<bool()> &stop)
      : program(program), limit(limit), budget(budget), stop(stop) {
    for (size_t i = 0; i < program.size(); ++i) {
      bool alone = true;
      for (int32_t group : program.groupsOf[i])
        alone &= program.groups[group].size() == 1;
      ownsItsBytes.push_back(alone);
    }
    Load peak = Runner(program).load();
    for (size_t space = 0; space < peak.size(); ++space)
      peak[space] = std::max(peak[space], floor[space]);
    push(-1, {}, std::move(peak), Set((program.size() + 63) / 64, 0));
  }

  LoadSearch run() {
    LoadSearch result;
    result.bound = limit;
    while (!queue.empty()) {
      Entry entry = queue.top();
      if (entry.cost >= limit)
        break;
      if (result.nodes >= budget || isFull() ||
          (result.nodes % 64 == 63 && stop())) {
        result.bound = entry.cost;
        break;
      }
      queue.pop();
      ++result.nodes;
      if (expand(entry.node)) {
        result.order = orderOf(entry.node);
        result.bound = entry.cost;
        break;
      }
    }
    return result;
  }

private:
  using Set = std::vector<uint64_t>;
  struct Node {
    int32_t parent;
    /// The operations that ran since the parent.
    std::vector<int32_t> ran;
    Load peak;
    Set done;
    int32_t count;
  };
  struct Entry {
    int64_t cost;
    int32_t count;
    int64_t load;
    int32_t node;
    /// The queue's order: low cost first, then deep sets, then low load.
    bool operator<(const Entry &other) const {
      return std::tuple(-cost, count, -load, -node) <
             std::tuple(-other.cost, other.count, -other.load, -other.node);
    }
  };

  /// Whether the sets take half a gigabyte.
  bool isFull() const {
    return nodes.size() * (program.size() / 64 + 16) >> 25;
  }

  /// Adds a set unless it was reached with the same or a lower load before.
  void push(int32_t parent, std::vector<int32_t> ran, Load peak, Set done,
            int64_t load = 0) {
    int64_t cost = total(peak);
    if (cost >= limit)
      return;
    std::vector<Load> &known = reached[done];
    for (const Load &other : known) {
      bool noWorse = true;
      for (size_t space = 0; space < peak.size(); ++space)
        noWorse &= other[space] <= peak[space];
      if (noWorse)
        return;
    }
    known.push_back(peak);
    int32_t count = static_cast<int32_t>(ran.size()) +
                    (parent < 0 ? 0 : nodes[parent].count);
    auto index = static_cast<int32_t>(nodes.size());
    nodes.push_back(
        {parent, std::move(ran), std::move(peak), std::move(done), count});
    queue.push({cost, count, load, index});
  }

  /// True when every operation has run.
  bool expand(int32_t index) {
    Set done = nodes[index].done;
    Load peak = nodes[index].peak;
    Runner runner(program);
    Load ignored(peak.size(), 0);
    for (int32_t op : orderOf(index))
      runner.run(op, ignored);
    auto count = static_cast<int32_t>(program.size());
    std::vector<int32_t> ready;
    for (int32_t op = 0; op < count; ++op)
      if (runner.isReady(op))
        ready.push_back(op);
    Load during(peak.size()), afterwards(peak.size());
    auto isFree = [&](int32_t op) {
      if (!ownsItsBytes[op])
        return false;
      runner.peek(op, during, afterwards);
      for (size_t space = 0; space < peak.size(); ++space)
        if (afterwards[space] > 0 ||
            saturatingAdd(runner.load()[space], during[space]) > peak[space])
          return false;
      return true;
    };
    // Operations that cost nothing run as part of this node.
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < ready.size(); ++i) {
        int32_t op = ready[i];
        if (!isFree(op))
          continue;
        runner.run(op, ignored);
        done[op / 64] |= uint64_t(1) << (op % 64);
        nodes[index].ran.push_back(op);
        ++nodes[index].count;
        ready.erase(ready.begin() + static_cast<int64_t>(i));
        for (int32_t next : program.after[op])
          if (runner.isReady(next))
            ready.push_back(next);
        moved = true;
        break;
      }
    }
    if (nodes[index].count == count)
      return true;
    for (int32_t op : ready) {
      runner.peek(op, during, afterwards);
      Load raised = peak;
      int64_t load = 0;
      for (size_t space = 0; space < peak.size(); ++space) {
        raised[space] = std::max(
            raised[space], saturatingAdd(runner.load()[space], during[space]));
        load = saturatingAdd(load, runner.load()[space] + afterwards[space]);
      }
      Set more = done;
      more[op / 64] |= uint64_t(1) << (op % 64);
      push(index, {op}, std::move(raised), std::move(more), load);
    }
    return false;
  }

  std::vector<int32_t> orderOf(int32_t index) const {
    std::vector<int32_t> chain, order;
    for (; index >= 0; index = nodes[index].parent)
      chain.push_back(index);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it)
      order.insert(order.end(), nodes[*it].ran.begin(), nodes[*it].ran.end());
    return order;
  }

  const Program &program;
  int64_t limit, budget;
  const std::function<bool()> &stop;
  std::vector<bool> ownsItsBytes;
  std::vector<Node> nodes;
  std::map<Set, std::vector<Load>> reached;
  std::priority_queue<Entry> queue;
};

} // namespace

LoadSearch tamc::planning::searchIdeals(const Program &program,
                                        const Load &floor, int64_t limit,
                                        int64_t nodes,
                                        const std::function<bool()> &stop) {
  return Searcher(program, floor, limit, nodes, stop).run();
}
