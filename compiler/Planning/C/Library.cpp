//===- Planning/C/Library.cpp - the planner for C -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamplan/plan.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Choice.h"
#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/Picture.h"
#include "tamc/Planning/Strategy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

using namespace tamc::planning;

struct tamplan_problem {
  Problem problem;
  /// Whether the space of `problem` was added by the user.
  bool hasSpaces = false;
};

struct tamplan_plan {
  Problem problem;
  Plan plan;
};

namespace {

/// Calls `body`; a lack of memory gives `failed`.
template <typename Result, typename Body>
Result guarded(Result failed, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failed;
  } catch (const std::length_error &) {
    return failed;
  }
}

char *copyText(std::string_view text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy) {
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
  }
  return copy;
}

void tell(char **message, std::string_view text) {
  if (message)
    *message = copyText(text);
}

std::string describe(const Diagnostic &wrong) {
  std::string text;
  if (wrong.line)
    text += "line " + std::to_string(wrong.line);
  if (wrong.line && wrong.column)
    text += ", column " + std::to_string(wrong.column);
  return text.empty() ? wrong.message : text + ": " + wrong.message;
}

/// Changes a buffer by `body`.
template <typename Body>
int32_t change(tamplan_problem *problem, int32_t buffer, Body body) noexcept {
  if (buffer < 0 || buffer >= tamplan_count_buffers(problem))
    return -1;
  return guarded<int32_t>(-1, [&] {
    body(problem->problem.buffers[buffer]);
    return 0;
  });
}

bool isSpace(const Problem &problem, int32_t space) {
  return space >= 0 && static_cast<size_t>(space) < problem.spaces.size();
}

Options optionsOf(const tamplan_options *given) {
  Options options;
  if (!given)
    return options;
  if (given->strategy)
    options.strategy = given->strategy;
  if (given->alignment)
    options.alignment = given->alignment;
  if (given->time_limit > 0)
    options.timeLimit = given->time_limit;
  options.nodes = given->nodes;
  if (given->seed)
    options.seed = given->seed;
  options.threads = given->threads;
  options.evict = given->evict != 0;
  options.reuse = given->branch_safe ? Reuse::BranchSafe : Reuse::Program;
  return options;
}

/// What is wrong with the options, or nothing.
std::string wrongOptions(const Problem &problem, const Options &options,
                         const tamplan_options *given) {
  if (options.alignment < 1)
    return "expected an alignment of 1 or more, got " +
           std::to_string(options.alignment);
  if (given && !(given->time_limit >= 0))
    return "expected a time limit of 0 seconds or more";
  if (options.nodes < 0 || options.threads < 0)
    return "expected nodes and threads of 0 or more";
  if (hasChoice(problem))
    return whyNotChosen(problem, options);
  if (options.evict)
    return "expected a choice of spaces with evict";
  return "";
}

int64_t at(const std::vector<int64_t> &values, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < values.size()
             ? values[index]
             : -1;
}

} // namespace

tamplan_problem *tamplan_new_problem(void) {
  return new (std::nothrow) tamplan_problem;
}

tamplan_problem *tamplan_read_problem(const char *text, size_t size,
                                      char **message) {
  if (message)
    *message = nullptr;
  return guarded<tamplan_problem *>(nullptr, [&]() -> tamplan_problem * {
    std::string_view view(text, size);
    size_t begin = view.find_first_not_of(" \t\r\n");
    auto result = begin != view.npos && view[begin] == '{' ? readJson(view)
                                                           : readCsv(view);
    std::optional<Diagnostic> wrong;
    if (auto *found = std::get_if<Diagnostic>(&result))
      wrong = *found;
    else
      wrong = validate(std::get<Problem>(result));
    if (!wrong && isSymbolic(std::get<Problem>(result)))
      wrong = Diagnostic{"expected sizes that are numbers"};
    if (wrong) {
      tell(message, describe(*wrong));
      return nullptr;
    }
    return new tamplan_problem{std::get<Problem>(std::move(result)), true};
  });
}

void tamplan_free_problem(tamplan_problem *problem) { delete problem; }

int32_t tamplan_add_space(tamplan_problem *problem, const char *name,
                          int64_t capacity, int64_t alignment) {
  return guarded<int32_t>(-1, [&] {
    Space space;
    space.name = name ? name : "";
    if (capacity >= 0)
      space.capacity = capacity;
    space.alignment = alignment;
    std::vector<Space> &spaces = problem->problem.spaces;
    if (problem->hasSpaces)
      spaces.push_back(std::move(space));
    else
      spaces.front() = std::move(space);
    problem->hasSpaces = true;
    return static_cast<int32_t>(spaces.size() - 1);
  });
}

int32_t tamplan_add_buffer(tamplan_problem *problem, const char *name,
                           int64_t lower, int64_t upper, int64_t size,
                           int64_t alignment, int32_t space) {
  if (!isSpace(problem->problem, space) ||
      tamplan_count_buffers(problem) == std::numeric_limits<int32_t>::max())
    return -1;
  return guarded<int32_t>(-1, [&] {
    int32_t index =
        addBuffer(problem->problem, lower, upper, size, name ? name : "");
    Buffer &buffer = problem->problem.buffers[index];
    buffer.alignment = alignment;
    buffer.space = space;
    return index;
  });
}

int32_t tamplan_add_life(tamplan_problem *problem, int32_t buffer,
                         int64_t lower, int64_t upper) {
  return change(problem, buffer, [&](Buffer &changed) {
    changed.live.push_back({lower, upper});
  });
}

int32_t tamplan_pin(tamplan_problem *problem, int32_t buffer, int64_t offset) {
  return change(problem, buffer,
                [&](Buffer &changed) { changed.pin = offset; });
}

int32_t tamplan_set_alias(tamplan_problem *problem, int32_t buffer,
                          int32_t alias_class) {
  if (alias_class < 0)
    return -1;
  return change(problem, buffer,
                [&](Buffer &changed) { changed.aliasClass = alias_class; });
}

int32_t tamplan_add_choice(tamplan_problem *problem, int32_t buffer,
                           int32_t space, int64_t cost) {
  if (!isSpace(problem->problem, space))
    return -1;
  return change(problem, buffer, [&](Buffer &changed) {
    changed.choices.push_back({space, cost});
  });
}

int32_t tamplan_add_use(tamplan_problem *problem, int32_t buffer,
                        int64_t time) {
  return change(problem, buffer,
                [&](Buffer &changed) { changed.uses.push_back(time); });
}

int32_t tamplan_count_buffers(const tamplan_problem *problem) {
  return static_cast<int32_t>(problem->problem.buffers.size());
}

int32_t tamplan_count_spaces(const tamplan_problem *problem) {
  return static_cast<int32_t>(problem->problem.spaces.size());
}

tamplan_plan *tamplan_make_plan(const tamplan_problem *problem,
                                const tamplan_options *given) {
  return guarded<tamplan_plan *>(nullptr, [&] {
    auto made = std::make_unique<tamplan_plan>();
    made->problem = problem->problem;
    Options options = optionsOf(given);
    if (auto wrong =
            validate(made->problem, std::max<int64_t>(options.alignment, 1)))
      made->plan.reason = wrong->message;
    else
      made->plan.reason = wrongOptions(made->problem, options, given);
    if (made->plan.reason.empty())
      made->plan = plan(made->problem, options);
    return made.release();
  });
}

void tamplan_free_plan(tamplan_plan *plan) { delete plan; }

tamplan_status tamplan_get_status(const tamplan_plan *plan) {
  switch (plan->plan.status) {
  case Status::Optimal:
    return TAMPLAN_OPTIMAL;
  case Status::Feasible:
    return TAMPLAN_FEASIBLE;
  case Status::Infeasible:
    return TAMPLAN_INFEASIBLE;
  case Status::NotFound:
    return TAMPLAN_NOT_FOUND;
  case Status::TimedOut:
    return TAMPLAN_TIMED_OUT;
  case Status::Invalid:
    break;
  }
  return TAMPLAN_INVALID;
}

const char *tamplan_get_reason(const tamplan_plan *plan) {
  return plan->plan.reason.c_str();
}

const char *tamplan_get_strategy(const tamplan_plan *plan) {
  return plan->plan.strategy.c_str();
}

int64_t tamplan_get_offset(const tamplan_plan *plan, int32_t buffer) {
  for (const Residence &stay : plan->plan.residences)
    if (stay.buffer == buffer)
      return stay.offset;
  return at(plan->plan.offsets, buffer);
}

int32_t tamplan_get_space(const tamplan_plan *plan, int32_t buffer) {
  if (at(plan->plan.offsets, buffer) < 0)
    return -1;
  return plan->plan.spaces.empty() ? plan->problem.buffers[buffer].space
                                   : plan->plan.spaces[buffer];
}

int64_t tamplan_get_peak(const tamplan_plan *plan, int32_t space) {
  return at(plan->plan.peak, space);
}

int64_t tamplan_get_bound(const tamplan_plan *plan, int32_t space) {
  return at(plan->plan.bound, space);
}

int64_t tamplan_get_cost(const tamplan_plan *plan) {
  return plan->plan.cost.value_or(-1);
}

int64_t tamplan_get_cost_bound(const tamplan_plan *plan) {
  return plan->plan.costBound.value_or(-1);
}

int32_t tamplan_count_copies(const tamplan_plan *plan) {
  return static_cast<int32_t>(plan->plan.copies.size());
}

tamplan_copy tamplan_get_copy(const tamplan_plan *plan, int32_t index) {
  if (index < 0 || index >= tamplan_count_copies(plan))
    return {};
  const Copy &copy = plan->plan.copies[index];
  return {copy.buffer, copy.from, copy.to, copy.time, copy.bytes};
}

char *tamplan_write_json(const tamplan_plan *plan) {
  if (plan->plan.status == Status::Invalid ||
      !whyNotJson(plan->problem).empty())
    return nullptr;
  return guarded<char *>(
      nullptr, [&] { return copyText(writeJson(plan->problem, &plan->plan)); });
}

char *tamplan_write_page(const tamplan_plan *plan) {
  if (plan->plan.status == Status::Invalid)
    return nullptr;
  return guarded<char *>(nullptr, [&] {
    Resolved resolved = resolve(plan->problem, plan->plan);
    return copyText(toPage(resolved.problem, {&resolved.plan, 1}));
  });
}

int32_t tamplan_check(const tamplan_problem *problem, const int64_t *offsets,
                      size_t count, int64_t alignment, char **message) {
  if (message)
    *message = nullptr;
  return guarded<int32_t>(0, [&] {
    CheckOptions options;
    options.alignment = alignment;
    std::string wrong;
    if (alignment < 1)
      wrong = "expected an alignment of 1 or more";
    else if (hasChoice(problem->problem))
      wrong = "expected a problem without a choice of spaces";
    else if (auto found = validate(problem->problem, alignment))
      wrong = found->message;
    else if (auto findings = check(problem->problem, {offsets, count}, options);
             !findings.empty())
      wrong = findings.front().message;
    if (!wrong.empty())
      tell(message, wrong);
    return wrong.empty() ? 1 : 0;
  });
}

void tamplan_free_text(char *text) { std::free(text); }
