//===- tamrt/plan_table.h - the memory plan as text -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory plan of a model as a table, as CSV, as JSON and as a drawing:
/// what `model plan` and `tamc --emit=plan` print. Pure functions of abi.h's
/// structs.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLAN_TABLE_H
#define TAMRT_PLAN_TABLE_H

#include "tamrt/abi.h"

#include <span>
#include <string>

namespace tamrt {

/// How a plan is written.
///
/// Text: the steps of `PlanScope`, separated by empty lines, in this form:
///
///     step fit_chunk_256: 256 rows, 3 launches, strategy tree
///     arena 4096 bytes, lower bound 4096, naive 6144
///     buffer  op          term  bytes  live    offset
///     x       tam.linear  l(x)   2048  [0, 2)       0
///     values  tam.linear  l(x)   2048  [1, 3)    2048
///
/// A step without rungs has no "256 rows, ", and a step without buffers has no
/// lines from "buffer" on. Then a table with a line for every step of every
/// rung:
///
///     step           rows  arena  lower bound  peak  naive
///     fit_init          -      0            0     0      0
///     fit_chunk_256   256   4096         4096  4096   6144
///
/// `peak` is the largest sum of bytes alive at one launch, with each buffer
/// rounded up to the alignment: no placement needs less. Columns are as wide as
/// their widest cell, two blanks apart; numbers are flush right; no line ends
/// with a blank.
///
/// CSV: a line of names, then a line per buffer. A step without buffers has one
/// line whose last seven cells are empty.
/// step,rung,launches,strategy,arena,lower_bound,naive,buffer,op,term,bytes,
/// first,last,offset
///
/// JSON: one line, {"steps": [{"step", "rung", "launches", "strategy", "arena",
/// "lower_bound", "naive", "buffers": [{"buffer", "op", "term", "bytes",
/// "first", "last", "offset"}]}]}, keys in this order, no blanks.
enum class PlanFormat { Text, Csv, Json };

/// The steps whose buffers the text forms list.
enum class PlanScope {
  /// Only the first rung of each step, which is the largest.
  LargestRungs,
  AllRungs
};

/// Steps, and the texts that their buffers name (tamrt_model::plan_texts).
struct PlannedSteps {
  std::span<const tamrt_step> steps;
  const char *const *texts;
};

/// The plan of `plan.steps`, in their order; ends with a line end. CSV and JSON
/// contain all rungs, whatever the scope. Pure.
std::string formatPlan(PlannedSteps plan, PlanFormat format,
                       PlanScope scope = PlanScope::LargestRungs);

/// A drawing of the plan. Each step of `scope` has the heading of the text
/// form, then a chart with time to the right and addresses upwards, and a
/// legend. A character stands for one or more launches and for 1/16 of the
/// arena, rounded up to the alignment:
///
///     128 |.bb
///         |aa.
///       0 +---
///          0 to 3, 1 launch and 64 bytes a character
///     a x  tam.linear  l(x)
///     b values  tam.linear  l(x)
///
/// A character that several buffers share shows the smallest; '.' is free.
/// Pure.
std::string drawPlan(PlannedSteps plan,
                     PlanScope scope = PlanScope::LargestRungs);

} // namespace tamrt

#endif // TAMRT_PLAN_TABLE_H
