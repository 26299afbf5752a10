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
///       "device": "gpu", "dtype": "f64", "stream": "0"}],
///    "operations": [
///      {"name": "conv", "reads": ["x"], "writes": ["y"], "after": ["init"]}],
///    "order": [["init", "conv"]]}           the same as "after" above
///
/// A size is a number, or a text like "8*rows" (SizeExpression.h).
/// Only `buffers` with `name` and `size` is required; what is not known is an
/// error, but for `snapshot`, in which a run-time allocator says more, and
/// `checksum`, which must be that of the file (tamrt/checksum.h). Errors, too:
/// a member that an object has twice, and more than 1000 lists and objects
/// within each other. A buffer without a life gets it from the operations, which
/// happen at times 0, 1, ... in the order they are given: from the first that
/// touches it (from 0 on when that one reads it) to the last; an output lives
/// to the end. `"live": []` is a life that is empty: the buffer never takes any
/// bytes. The list of operations keeps the order that they ask for; what that
/// is, is said in Problem.h. Errors carry line and column.
std::variant<Problem, Diagnostic> readJson(std::string_view text,
                                           const CsvOptions &options = {});

/// The problem in the form above, and with `plan` the members "plan" (status,
/// strategy, reason, peak and bound by space, pools, nodes) and, in each
/// buffer, "offset"; with `report` in "plan" also "order", what reuse does to
/// the order; with `symbolic` in each buffer "bytes" and "offsetExpression".
/// Read back, none is looked at. Ends with a newline.
std::string writeJson(const Problem &problem, const Plan *plan = nullptr,
                      const OrderReport *report = nullptr,
                      const SymbolicPlan *symbolic = nullptr);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JSON_H
