//===- Planning/Program.cpp - operations of a schedule --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Program.h"

#include "Order/DataFlow.h"
#include "Problem/Arithmetic.h"

#include <algorithm>
#include <unordered_map>

using namespace tamc::planning;

Program::Program(const Problem &problem)
    : before(dependencies(problem)), after(problem.operations.size()),
      buffersOf(problem.operations.size()), groupsOf(problem.operations.size()),
      spaces(problem.spaces.size()) {
  for (size_t i = 0; i < before.size(); ++i)
    for (int32_t earlier : before[i])
      after[earlier].push_back(static_cast<int32_t>(i));
  std::vector<int32_t> index(problem.buffers.size(), -1);
  std::unordered_map<int32_t, int32_t> groupOf;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.size == 0)
      continue;
    index[i] = static_cast<int32_t>(buffers.size());
    auto fresh = static_cast<int32_t>(groups.size());
    int32_t group =
        buffer.aliasClass < 0
            ? fresh
            : groupOf.try_emplace(buffer.aliasClass, fresh).first->second;
    if (group == fresh)
      groups.emplace_back();
    groups[group].push_back(index[i]);
    buffers.push_back(
        {buffer.size, buffer.space, group, false, buffer.output, {}});
  }
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    auto self = static_cast<int32_t>(i);
    auto touch = [&](int32_t buffer, bool reads) {
      if (index[buffer] < 0)
        return;
      Bytes &bytes = buffers[index[buffer]];
      bytes.input |= reads && bytes.touches.empty();
      if (bytes.touches.empty() || bytes.touches.back() != self) {
        bytes.touches.push_back(self);
        buffersOf[i].push_back(index[buffer]);
        groupsOf[i].push_back(bytes.group);
      }
    };
    for (int32_t buffer : problem.operations[i].reads)
      touch(buffer, true);
    for (int32_t buffer : problem.operations[i].writes)
      touch(buffer, false);
    std::sort(groupsOf[i].begin(), groupsOf[i].end());
    groupsOf[i].erase(std::unique(groupsOf[i].begin(), groupsOf[i].end()),
                      groupsOf[i].end());
  }
}

Program Program::reversed() const {
  Program other = *this;
  std::swap(other.before, other.after);
  for (Bytes &bytes : other.buffers)
    std::swap(bytes.input, bytes.output);
  return other;
}

int64_t Program::touches() const {
  int64_t sum = 0;
  for (const std::vector<int32_t> &list : buffersOf)
    sum += static_cast<int64_t>(list.size());
  return sum;
}

Runner::Runner(const Program &program)
    : program(program), now(program.spaces, 0), add(program.spaces, 0),
      keep(program.spaces, 0), done(program.size(), false),
      started(program.buffers.size(), false) {
  for (const std::vector<int32_t> &list : program.before)
    waits.push_back(static_cast<int32_t>(list.size()));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    started[i] = program.buffers[i].input;
    rest.push_back(static_cast<int32_t>(program.buffers[i].touches.size()));
  }
  for (const std::vector<int32_t> &group : program.groups) {
    int64_t most = 0;
    for (int32_t member : group)
      if (started[member])
        most = std::max(most, program.buffers[member].size);
    int64_t &load = now[program.buffers[group.front()].space];
    load = saturatingAdd(load, most);
  }
}

void Runner::peek(int32_t operation, Load &during, Load &afterwards) const {
  std::fill(during.begin(), during.end(), 0);
  std::fill(afterwards.begin(), afterwards.end(), 0);
  for (int32_t group : program.groupsOf[operation]) {
    int64_t had = 0, has = 0, will = 0;
    int32_t space = 0;
    for (int32_t member : program.groups[group]) {
      const Program::Bytes &bytes = program.buffers[member];
      space = bytes.space;
      bool touched = program.groups[group].size() == 1 ||
                     std::binary_search(bytes.touches.begin(),
                                        bytes.touches.end(), operation);
      bool alive = started[member] && (rest[member] > 0 || bytes.output);
      int32_t left = rest[member] - (touched ? 1 : 0);
      if (alive)
        had = std::max(had, bytes.size);
      if (alive || touched)
        has = std::max(has, bytes.size);
      if ((alive || touched) && (left > 0 || bytes.output))
        will = std::max(will, bytes.size);
    }
    during[space] = saturatingAdd(during[space], has - had);
    afterwards[space] += will - had;
  }
}

void Runner::run(int32_t operation, Load &peak) {
  peek(operation, add, keep);
  for (size_t space = 0; space < now.size(); ++space) {
    peak[space] = std::max(peak[space], saturatingAdd(now[space], add[space]));
    now[space] += keep[space];
  }
  done[operation] = true;
  for (int32_t buffer : program.buffersOf[operation]) {
    started[buffer] = true;
    --rest[buffer];
  }
  for (int32_t next : program.after[operation])
    --waits[next];
}

int64_t tamc::planning::total(const Load &load) {
  int64_t sum = 0;
  for (int64_t bytes : load)
    sum = saturatingAdd(sum, bytes);
  return sum;
}

Load tamc::planning::peakOf(const Program &program,
                            std::span<const int32_t> order) {
  Runner runner(program);
  Load peak = runner.load();
  for (int32_t operation : order)
    runner.run(operation, peak);
  return peak;
}
