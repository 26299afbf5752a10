//===- Planning/Problem.cpp - rules of a valid problem --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Problem.h"

#include "Order/DataFlow.h"
#include "Problem/Arithmetic.h"
#include "Problem/NameTable.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

using namespace tamc::planning;

int32_t tamc::planning::addBuffer(Problem &problem, int64_t lower,
                                  int64_t upper, int64_t size,
                                  std::string name) {
  auto index = static_cast<int32_t>(problem.buffers.size());
  Buffer buffer;
  buffer.name = name.empty() ? std::to_string(index) : std::move(name);
  buffer.size = size;
  buffer.live.push_back({lower, upper});
  problem.buffers.push_back(std::move(buffer));
  return index;
}

namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// Checks the choices of a buffer; empty if they satisfy the rules.
std::string checkChoices(const Problem &problem, const Buffer &buffer) {
  if (buffer.choices.empty())
    return {};
  for (size_t i = 0; i < buffer.choices.size(); ++i) {
    const SpaceChoice &choice = buffer.choices[i];
    if (choice.space < 0 ||
        choice.space >= static_cast<int64_t>(problem.spaces.size()))
      return "expected a space below " + number(problem.spaces.size()) +
             ", got " + number(choice.space);
    if (choice.cost < 0)
      return "expected a cost of 0 or more, got " + number(choice.cost);
    for (size_t j = 0; j < i; ++j)
      if (buffer.choices[j].space == choice.space)
        return "expected distinct spaces, got '" +
               problem.spaces[choice.space].name + "' twice";
  }
  if (buffer.choices.size() > 1 && buffer.pin)
    return "a buffer with a pin needs one space, got a choice of " +
           number(buffer.choices.size());
  if (buffer.choices.size() == 1 &&
      buffer.choices.front().space != buffer.space)
    return "expected the space of the only choice, got " + number(buffer.space);
  return {};
}

/// Checks that the uses are ascending and within the live range.
std::string checkUses(const Buffer &buffer) {
  int64_t last = -1;
  for (int64_t use : buffer.uses) {
    if (use <= last)
      return "expected ascending uses of 0 or more, got " + number(use) +
             (last < 0 ? std::string() : " after " + number(last));
    last = use;
    auto contains = [use](const Interval &interval) {
      return interval.lower <= use && use < interval.upper;
    };
    bool lives = std::any_of(buffer.live.begin(), buffer.live.end(), contains);
    for (const Window &window : buffer.windows)
      lives |= contains(window.time);
    if (!lives)
      return "expected uses within the live range, got " + number(use);
  }
  return {};
}

/// The spaces of a buffer, ascending.
std::vector<int32_t> spacesOf(const Buffer &buffer) {
  std::vector<int32_t> spaces;
  for (const SpaceChoice &choice : buffer.choices)
    spaces.push_back(choice.space);
  if (spaces.empty())
    spaces.push_back(buffer.space);
  std::sort(spaces.begin(), spaces.end());
  return spaces;
}

/// Checks the rules for a single buffer; empty if it satisfies them.
std::string checkBuffer(const Problem &problem, const Buffer &buffer,
                        int64_t alignment) {
  if (buffer.size < 0)
    return "expected a size of 0 or more, got " + number(buffer.size);
  if (buffer.alignment < 1)
    return "expected an alignment of 1 or more, got " +
           number(buffer.alignment);
  if (buffer.space < 0 ||
      buffer.space >= static_cast<int64_t>(problem.spaces.size()))
    return "expected a space below " + number(problem.spaces.size()) +
           ", got " + number(buffer.space);
  if (buffer.aliasClass < -1)
    return "expected an alias class of -1 or more, got " +
           number(buffer.aliasClass);
  if (buffer.aliasClass >= 0 && !buffer.windows.empty())
    return "a buffer of an alias class cannot have windows";

  if (std::string message = checkChoices(problem, buffer); !message.empty())
    return message;

  // Only for a buffer with windows; most have none.
  std::vector<Interval> all;
  int64_t last = 0;
  auto sorted = [&](Interval interval) -> std::string {
    if (interval.lower < 0)
      return "expected a time of 0 or more, got " + number(interval.lower);
    if (interval.upper < interval.lower)
      return "expected upper >= lower, got lower " + number(interval.lower) +
             " and upper " + number(interval.upper);
    if (interval.lower < last)
      return "expected sorted, disjoint intervals, got one that begins at " +
             number(interval.lower) + " after one that ends at " + number(last);
    last = interval.upper;
    if (!buffer.windows.empty())
      all.push_back(interval);
    return {};
  };
  for (const Interval &interval : buffer.live)
    if (std::string message = sorted(interval); !message.empty())
      return message;
  last = 0;
  for (const Window &window : buffer.windows) {
    if (std::string message = sorted(window.time); !message.empty())
      return message;
    if (window.lower < 0 || window.upper < window.lower ||
        window.upper > buffer.size)
      return "expected a window within 0 and " + number(buffer.size) +
             ", got " + number(window.lower) + " to " + number(window.upper);
  }
  if (!buffer.windows.empty()) {
    std::sort(all.begin(), all.end(), [](Interval a, Interval b) {
      return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
    });
    last = 0;
    for (const Interval &interval : std::vector<Interval>(all))
      if (interval.lower < last)
        return "expected windows outside the live intervals";
      else
        last = interval.upper;
  }

  if (std::string message = checkUses(buffer); !message.empty())
    return message;
  if (!buffer.pin)
    return {};
  const Space &space = problem.spaces[buffer.space];
  if (*buffer.pin < 0)
    return "expected a pin of 0 or more, got " + number(*buffer.pin);
  int64_t end = saturatingAdd(*buffer.pin, buffer.size);
  if (end == infinite && *buffer.pin != infinite - buffer.size)
    return "expected pin + size below 2^63, got pin " + number(*buffer.pin) +
           " and size " + number(buffer.size);
  int64_t multiple = commonMultiple(commonMultiple(buffer.alignment, alignment),
                                    space.alignment);
  if (*buffer.pin % multiple != 0)
    return "expected a pin that is a multiple of " + number(multiple) +
           ", got " + number(*buffer.pin);
  return {};
}

/// A cycle of operations, each of which must come after the next one; empty if
/// there is none. O(operations + dependencies).
std::vector<int32_t>
findCycle(const std::vector<std::vector<int32_t>> &before) {
  enum class Mark : char { New, Open, Closed };
  std::vector<Mark> marks(before.size(), Mark::New);
  // The current path, and the number of branches already followed at each
  // operation.
  std::vector<std::pair<int32_t, size_t>> path;
  for (size_t start = 0; start < before.size(); ++start) {
    if (marks[start] != Mark::New)
      continue;
    marks[start] = Mark::Open;
    path.assign(1, {static_cast<int32_t>(start), 0});
    while (!path.empty()) {
      auto &[at, branch] = path.back();
      if (branch == before[at].size()) {
        marks[at] = Mark::Closed;
        path.pop_back();
        continue;
      }
      int32_t other = before[at][branch++];
      if (marks[other] == Mark::Closed)
        continue;
      if (marks[other] == Mark::New) {
        marks[other] = Mark::Open;
        path.push_back({other, 0});
        continue;
      }
      std::vector<int32_t> cycle;
      size_t from = 0;
      while (path[from].first != other)
        ++from;
      for (; from < path.size(); ++from)
        cycle.push_back(path[from].first);
      return cycle;
    }
  }
  return {};
}

/// Checks that in the list every operation comes after those in its `after` and
/// those that it depends on through buffers.
std::optional<Diagnostic> checkOrder(const Problem &problem) {
  int64_t wrong = -1;
  int32_t later = -1;
  for (size_t i = 0; i < problem.operations.size() && wrong < 0; ++i)
    for (int32_t before : problem.operations[i].after)
      if (before >= static_cast<int64_t>(i)) {
        wrong = static_cast<int64_t>(i);
        later = before;
        break;
      }
  // Dependencies through buffers follow the order of the list, so that without
  // one of these there is no cycle.
  if (wrong < 0)
    return std::nullopt;
  auto name = [&](int64_t i) { return "'" + problem.operations[i].name + "'"; };
  std::vector<int32_t> cycle = findCycle(dependencies(problem));
  Diagnostic diagnostic;
  if (cycle.empty()) {
    diagnostic.message = "operation " + name(wrong) + " is to run after " +
                         name(later) + ", which is later in the list";
    diagnostic.operation = wrong;
    return diagnostic;
  }
  diagnostic.operation = cycle.front();
  diagnostic.message =
      "the order of the operations is cyclic: " + name(cycle.front());
  constexpr size_t most = 8;
  for (size_t i = 1; i < cycle.size() && i < most; ++i)
    diagnostic.message += " after " + name(cycle[i]);
  diagnostic.message +=
      cycle.size() > most ? " and so on" : " after " + name(cycle.front());
  return diagnostic;
}

std::optional<Diagnostic> checkOperations(const Problem &problem) {
  auto buffers = static_cast<int64_t>(problem.buffers.size());
  auto operations = static_cast<int64_t>(problem.operations.size());
  for (int64_t i = 0; i < operations; ++i) {
    const Operation &operation = problem.operations[i];
    for (const std::vector<int32_t> *list :
         {&operation.reads, &operation.writes})
      for (int32_t buffer : *list)
        if (buffer < 0 || buffer >= buffers)
          return Diagnostic{"operation '" + operation.name +
                                "': expected a buffer below " +
                                number(buffers) + ", got " + number(buffer),
                            0, -1, i};
    for (int32_t before : operation.after)
      if (before < 0 || before >= operations)
        return Diagnostic{"operation '" + operation.name +
                              "': expected an operation below " +
                              number(operations) + ", got " + number(before),
                          0, -1, i};
  }
  return checkOrder(problem);
}

/// Checks that the buffers of a class are in one space and have at most one
/// pin.
std::optional<Diagnostic> checkClasses(const Problem &problem) {
  std::unordered_map<int32_t, int64_t> first, pinned;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.aliasClass < 0)
      continue;
    auto index = static_cast<int64_t>(i);
    const Buffer &other =
        problem
            .buffers[first.try_emplace(buffer.aliasClass, index).first->second];
    if (spacesOf(other) != spacesOf(buffer))
      return Diagnostic{"buffer '" + buffer.name + "': expected the space" +
                            (other.choices.empty() ? "" : "s") + " of '" +
                            other.name + "', which is of the same alias class",
                        0, index};
    if (!buffer.pin)
      continue;
    const Buffer &pin =
        problem.buffers[pinned.try_emplace(buffer.aliasClass, index)
                            .first->second];
    if (*pin.pin != *buffer.pin)
      return Diagnostic{"buffer '" + buffer.name + "': expected the pin " +
                            number(*pin.pin) + " of '" + pin.name +
                            "', which is of the same alias class, got " +
                            number(*buffer.pin),
                        0, index};
  }
  // A pin of one member is a pin of all of them.
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.aliasClass < 0 || buffer.pin)
      continue;
    auto found = pinned.find(buffer.aliasClass);
    if (found == pinned.end())
      continue;
    Buffer copy = buffer;
    copy.pin = problem.buffers[found->second].pin;
    if (std::string message = checkBuffer(problem, copy, 1); !message.empty())
      return Diagnostic{"buffer '" + buffer.name + "': " + message, 0,
                        static_cast<int64_t>(i)};
  }
  return std::nullopt;
}

} // namespace

std::optional<Diagnostic> tamc::planning::validateNamed(const Problem &problem,
                                                        int64_t alignment,
                                                        bool unique) {
  if (alignment < 1)
    return Diagnostic{"expected an alignment of 1 or more, got " +
                      number(alignment)};
  if (problem.spaces.empty())
    return Diagnostic{"expected a space, got none"};
  for (const Space &space : problem.spaces) {
    if (space.alignment < 1)
      return Diagnostic{"space '" + space.name +
                        "': expected an alignment of 1 or more, got " +
                        number(space.alignment)};
    if (space.capacity && *space.capacity < 0)
      return Diagnostic{"space '" + space.name +
                        "': expected a capacity of 0 or more, got " +
                        number(*space.capacity)};
  }
  if (problem.buffers.size() > size_t(1) << 30)
    return Diagnostic{"expected at most 2^30 buffers, got " +
                      number(problem.buffers.size())};
  NameTable names;
  if (!unique)
    names.reserve(problem.buffers.size());
  bool classes = false;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    auto index = static_cast<int64_t>(i);
    if (!unique && names.insert(problem, buffer.name, i) >= 0)
      return Diagnostic{"duplicate buffer '" + buffer.name + "'", 0, index};
    if (std::string message = checkBuffer(problem, buffer, alignment);
        !message.empty())
      return Diagnostic{"buffer '" + buffer.name + "': " + message, 0, index};
    classes |= buffer.aliasClass >= 0;
  }
  if (classes)
    if (std::optional<Diagnostic> wrong = checkClasses(problem))
      return wrong;
  return checkOperations(problem);
}

std::optional<Diagnostic> tamc::planning::validate(const Problem &problem,
                                                   int64_t alignment) {
  return validateNamed(problem, alignment, false);
}

void tamc::planning::markLastAsOutputs(Problem &problem) {
  int64_t last = -1;
  auto end = [](const Buffer &buffer) {
    int64_t upper = buffer.live.empty() ? -1 : buffer.live.back().upper;
    if (!buffer.windows.empty())
      upper = std::max(upper, buffer.windows.back().time.upper);
    return upper;
  };
  for (const Buffer &buffer : problem.buffers)
    last = std::max(last, end(buffer));
  for (Buffer &buffer : problem.buffers)
    if (end(buffer) == last)
      buffer.output = true;
}
