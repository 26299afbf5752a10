//===- tamplan/plan.h - the memory planner as a library ---------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Plans where buffers of known live ranges lie in memory. For C and C++. In
/// CMake:
///
///   find_package(tamc COMPONENTS Planning REQUIRED)
///   target_link_libraries(program PRIVATE tamc::Planning)
///
/// Live ranges are half-open intervals of whole numbers. Two buffers of one
/// space never share a byte while both are alive. docs/planning.md describes
/// all terms.
///
/// Functions for one problem or plan may not run at the same time; those for
/// different ones may. No function ends the program, except that a plan that
/// breaks a rule, a bug, aborts.
///
//===----------------------------------------------------------------------===//

#ifndef TAMPLAN_PLAN_H
#define TAMPLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Buffers, and the memories that they may lie in.
typedef struct tamplan_problem tamplan_problem;
/// Offsets, and what is known about them.
typedef struct tamplan_plan tamplan_plan;

typedef enum tamplan_status {
  /// No plan has a lower peak in any space (with a choice of spaces: a lower
  /// cost).
  TAMPLAN_OPTIMAL,
  /// A plan; its gap to the bound may be closed by a better one.
  TAMPLAN_FEASIBLE,
  /// No plan fits the capacities: proved.
  TAMPLAN_INFEASIBLE,
  /// None was found that fits, and there is no proof.
  TAMPLAN_NOT_FOUND,
  /// The same, because the time ran out.
  TAMPLAN_TIMED_OUT,
  /// The problem or an option breaks a rule; there are no offsets.
  TAMPLAN_INVALID
} tamplan_status;

/// How to plan. All zeros are the defaults.
typedef struct tamplan_options {
  /// A strategy of `tam-plan --help`; NULL is "auto".
  const char *strategy;
  /// Every offset is a multiple of this; 0 is 1.
  int64_t alignment;
  /// Seconds after which no search goes on; 0 is no limit.
  double time_limit;
  /// Decisions that a search may make; 0 is the strategy's default.
  int64_t nodes;
  /// Of the random parts; 0 is 1.
  uint64_t seed;
  /// Results do not depend on it; 0 is as many as the machine has.
  int32_t threads;
  /// With a choice of spaces: not 0, if a buffer may move beside its uses.
  int32_t evict;
  /// Not 0: buffers share bytes only if the operations' dependencies keep
  /// their uses apart in every order. The problem has to come from
  /// tamplan_read_problem().
  int32_t branch_safe;
} tamplan_options;

/// A buffer moves before the moment `time`.
typedef struct tamplan_copy {
  int32_t buffer;
  int32_t from;
  int32_t to;
  int64_t time;
  int64_t bytes;
} tamplan_copy;

/// A problem without buffers and with one space, 0, without limit. NULL if
/// memory is exhausted.
tamplan_problem *tamplan_new_problem(void);
/// Reads a problem in the JSON or the CSV form of tam-plan. NULL if it is
/// wrong: then `*message` is the error, with line and column, to be given to
/// tamplan_free_text(). `message` may be NULL.
tamplan_problem *tamplan_read_problem(const char *text, size_t size,
                                      char **message);
/// `problem` may be NULL.
void tamplan_free_problem(tamplan_problem *problem);

/// These change a problem. They return the index of what they add, or 0; -1 if
/// an index is wrong or memory is exhausted. Values are checked when the
/// problem is planned.

/// The first space that is added replaces space 0. `capacity` below 0 is no
/// limit. Every offset is a multiple of `alignment`.
int32_t tamplan_add_space(tamplan_problem *problem, const char *name,
                          int64_t capacity, int64_t alignment);
/// `name` may be NULL; it must be unique.
int32_t tamplan_add_buffer(tamplan_problem *problem, const char *name,
                           int64_t lower, int64_t upper, int64_t size,
                           int64_t alignment, int32_t space);
/// A further interval, after those that the buffer has; between them is a gap.
int32_t tamplan_add_life(tamplan_problem *problem, int32_t buffer,
                         int64_t lower, int64_t upper);
/// Fixes the offset.
int32_t tamplan_pin(tamplan_problem *problem, int32_t buffer, int64_t offset);
/// Buffers of one class, 0 or more, have one offset.
int32_t tamplan_set_alias(tamplan_problem *problem, int32_t buffer,
                          int32_t alias_class);
/// The buffer may live in this space, at this cost: for its life, or for each
/// use if it has uses. A buffer with a choice lies in one of these spaces.
int32_t tamplan_add_choice(tamplan_problem *problem, int32_t buffer,
                           int32_t space, int64_t cost);
/// A use at `time`, after those that the buffer has.
int32_t tamplan_add_use(tamplan_problem *problem, int32_t buffer, int64_t time);

int32_t tamplan_count_buffers(const tamplan_problem *problem);
int32_t tamplan_count_spaces(const tamplan_problem *problem);

/// Plans. `options` may be NULL. NULL only if memory is exhausted; the problem
/// may be changed or freed afterwards.
tamplan_plan *tamplan_make_plan(const tamplan_problem *problem,
                                const tamplan_options *options);
/// `plan` may be NULL.
void tamplan_free_plan(tamplan_plan *plan);

tamplan_status tamplan_get_status(const tamplan_plan *plan);
/// Why there is no plan, or no better one; "" if there is nothing to say. Lives
/// as long as the plan.
const char *tamplan_get_reason(const tamplan_plan *plan);
/// The strategy that found it.
const char *tamplan_get_strategy(const tamplan_plan *plan);
/// Bytes from the begin of the space; -1 without a plan or such a buffer. Also
/// without a plan that fits there may be offsets.
int64_t tamplan_get_offset(const tamplan_plan *plan, int32_t buffer);
/// The space of a buffer, the first one if it moves; -1 if there is none.
int32_t tamplan_get_space(const tamplan_plan *plan, int32_t buffer);
/// The end of the highest byte in use, and a number that no plan is below; -1
/// without a plan or such a space.
int64_t tamplan_get_peak(const tamplan_plan *plan, int32_t space);
int64_t tamplan_get_bound(const tamplan_plan *plan, int32_t space);
/// The sum of the costs, and a number that no plan is below; -1 without a
/// choice of spaces.
int64_t tamplan_get_cost(const tamplan_plan *plan);
int64_t tamplan_get_cost_bound(const tamplan_plan *plan);
int32_t tamplan_count_copies(const tamplan_plan *plan);
/// All zeros if there is no such copy.
tamplan_copy tamplan_get_copy(const tamplan_plan *plan, int32_t index);

/// The problem with the plan in the JSON form of tam-plan, which also has the
/// stays of buffers that move, and the page of `tam-plan --emit=html`. To be
/// given to tamplan_free_text(); NULL if memory is exhausted or the problem is
/// invalid, and for JSON if a name is not UTF-8.
char *tamplan_write_json(const tamplan_plan *plan);
char *tamplan_write_page(const tamplan_plan *plan);

/// Checks `count` offsets of another planner, by code that shares nothing with
/// the strategies. Returns 1 if they are correct and 0 if not: then `*message`,
/// to be given to tamplan_free_text(), says why. `message` may be NULL. The
/// problem has no choice of spaces.
int32_t tamplan_check(const tamplan_problem *problem, const int64_t *offsets,
                      size_t count, int64_t alignment, char **message);

/// `text` may be NULL.
void tamplan_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif // TAMPLAN_PLAN_H
