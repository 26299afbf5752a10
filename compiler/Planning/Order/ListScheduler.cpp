//===- Planning/ListScheduler.cpp - list scheduling -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/ListScheduler.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace tamc::planning;

namespace {

class Lister {
public:
  Lister(const Program &program, const ListRule &rule)
      : program(program), rule(rule), runner(program), peak(rule.target),
        keys(program.size()), since(program.size(), 0), during(program.spaces),
        afterwards(program.spaces) {}

  std::vector<int32_t> run() {
    for (size_t i = 0; i < program.size(); ++i)
      if (runner.isReady(static_cast<int32_t>(i)))
        enter(static_cast<int32_t>(i));
    std::vector<int32_t> order;
    order.reserve(program.size());
    while (!byRest.empty()) {
      int32_t next = choose();
      leave(next);
      order.push_back(next);
      runner.run(next, peak);
      ++clock;
      for (int32_t other : program.after[next])
        if (runner.isReady(other)) {
          since[other] = clock;
          enter(other);
        }
      for (int32_t buffer : program.buffersOf[next])
        for (int32_t member : program.groups[program.buffers[buffer].group])
          refresh(member);
    }
    return order;
  }

private:
  /// Entries of the first set are (bytes that remain, tie break, bytes needed,
  /// operation), those of the second (bytes needed, bytes that remain, tie
  /// break, operation).
  struct Key {
    int64_t rest = 0, need = 0, tie = 0;
  };
  using Entry = std::tuple<int64_t, int64_t, int64_t, int32_t>;

  Entry restEntry(int32_t op) const {
    const Key &key = keys[op];
    if (rule.rankFirst)
      return {std::min<int64_t>(key.rest, 0), key.tie, key.rest, op};
    return {key.rest, key.tie, key.need, op};
  }
  Entry needEntry(int32_t op) const {
    const Key &key = keys[op];
    return {key.need, key.rest, key.tie, op};
  }

  void enter(int32_t op) {
    runner.peek(op, during, afterwards);
    Key &key = keys[op];
    key.need = total(during);
    key.rest = 0;
    for (int64_t bytes : afterwards)
      key.rest = saturatingAdd(key.rest, bytes);
    key.tie =
        rule.deep ? (int64_t(-since[op]) << 31) + rule.rank[op] : rule.rank[op];
    byRest.insert(restEntry(op));
    byNeed.insert(needEntry(op));
  }

  void leave(int32_t op) {
    byRest.erase(restEntry(op));
    byNeed.erase(needEntry(op));
  }

  /// The bytes that an operation needs or frees change when one of its buffers
  /// becomes alive, or when the operation is the last that has yet to access
  /// it.
  void refresh(int32_t buffer) {
    const Program::Bytes &bytes = program.buffers[buffer];
    bool alone = runner.left(buffer) == 1;
    bool first =
        runner.left(buffer) + 1 == static_cast<int32_t>(bytes.touches.size());
    bool shared = program.groups[bytes.group].size() > 1;
    if (!alone && !first && !shared)
      return;
    for (int32_t op : bytes.touches)
      if (runner.isReady(op) && byRest.count(restEntry(op))) {
        leave(op);
        enter(op);
      }
  }

  bool fits(int32_t op) {
    runner.peek(op, during, afterwards);
    for (size_t space = 0; space < during.size(); ++space)
      if (saturatingAdd(runner.load()[space], during[space]) > peak[space])
        return false;
    return true;
  }

  int32_t choose() {
    constexpr int most = 64;
    int tried = 0;
    for (const Entry &entry : byRest) {
      if (fits(std::get<3>(entry)))
        return std::get<3>(entry);
      if (++tried == most)
        break;
    }
    return std::get<3>(*byNeed.begin());
  }

  const Program &program;
  const ListRule &rule;
  Runner runner;
  Load peak;
  std::vector<Key> keys;
  std::vector<int64_t> since;
  Load during, afterwards;
  int64_t clock = 0;
  std::set<Entry> byRest, byNeed;
};

} // namespace

std::vector<int32_t> tamc::planning::schedule(const Program &program,
                                              const ListRule &rule) {
  return Lister(program, rule).run();
}
