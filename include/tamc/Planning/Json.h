//===- Planning/Json.h - problems and plans as JSON -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_JSON_H
#define TAMC_PLANNING_JSON_H

#include "tamc/Planning/Csv.h"
#include "tamc/Planning/OrderReport.h"
#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Symbolic.h"

#include <string>
#include <string_view>
#include <variant>

namespace tamc::planning {

/// Reads a problem:
///
///   {"name": "net",
///    "spaces": [{"name": "sram", "capacity": 1048576, "alignment": 64}],
///    "buffers": [
///      {"name": "x", "size": 4096, "alignment": 16, "space": "sram",
///       "live": [[0, 4], [6, 9]],          or "lower": 0, "upper": 9
///       "windows": [[4, 6, 0, 128]],       time, time, byte, byte
///       "alias": "state", "pin": 0, "hint": 0, "output": false,
///       "device": "gpu", "dtype": "f64", "stream": "0"},
///      {"name": "y", "size": 64, "lower": 2, "upper": 9, "uses": [2, 8],
///       "spaces": {"sram": 0, "dram": 12}}],   instead of "space"
///    "operations": [
///      {"name": "conv", "reads": ["x"], "writes": ["y"], "after": ["init"]}],
///    "order": [["init", "conv"]]}           the same as "after" above
///
/// A size is a number, or a string like "8*rows" (SizeExpression.h).
/// Only `buffers` with `name` and `size` is required. `checksum` must be that
/// of the file (tamrt/checksum.h). Errors are other unknown members (except
/// `snapshot`, which has the statistics of a run-time allocator), a member that
/// an object has twice, and more than 1000 nested lists and objects. A buffer
/// without a live range gets it from the operations, which run at times
/// 0, 1, ... in the order of the list: it lives from the first operation that
/// uses it (from 0 if that one reads it) to the last; an output lives to the
/// end. `"live": []` is an empty live range: the buffer never takes any bytes.
/// The list of operations must respect their dependencies (Problem.h). Errors
/// have line and column.
std::variant<Problem, Diagnostic> readJson(std::string_view text,
                                           const CsvOptions &options = {});

/// An error message if JSON cannot have the names of a problem, which a CSV
/// file may have in any bytes: two of them could become one. Empty otherwise.
std::string whyNotJson(const Problem &problem);

/// The problem in the form above. whyNotJson() has to be empty. With `plan`
/// there is also the member "plan" (status, strategy, reason, peak and bound by
/// space, pools, nodes) and in each buffer "offset". With a choice of spaces
/// each buffer has its "space" as well, and "residences" if it moves; "plan"
/// has "cost", "cost_bound", "copies", and "outside", the reasons. With
/// `report`, "plan" has the member "order", the effect of reuse on the order.
/// With `symbolic` each buffer has "bytes" and "offsetExpression". `snapshot`,
/// if not empty, is JSON for the member "snapshot". readJson ignores all of
/// these, and the "space" of a buffer with "spaces". Ends with a newline.
std::string writeJson(const Problem &problem, const Plan *plan = nullptr,
                      const OrderReport *report = nullptr,
                      const SymbolicPlan *symbolic = nullptr,
                      std::string_view snapshot = {});

/// Reads a plan for a problem: a text by writeJson(), or one by writeCsv(),
/// which has offsets and spaces only. Buffers are matched by name; each must be
/// there once. What the text does not have is left empty.
std::variant<Plan, Diagnostic> readPlan(std::string_view text,
                                        const Problem &problem);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JSON_H
