//===- tam-plan/Symbols.h - the options --bind and --plan-at ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_SYMBOLS_H
#define TAM_PLAN_SYMBOLS_H

#include "tamc/Planning/Symbolic.h"

#include <optional>
#include <string>
#include <vector>

namespace tamc::planning {

/// Adds values like "rows=4096" to a binding, over what it has; or says what is
/// wrong with one. A name has one value.
std::optional<std::string> readBinding(const std::vector<std::string> &values,
                                       Binding &binding);

/// Says which name of the binding is none of the problem's symbols.
std::optional<std::string> checkSymbols(const Problem &problem,
                                        const Binding &binding);

/// Makes a plan symbolic, which was made at the values of `planAt`, and moves
/// it and the problem to those of `binding`; or says what is wrong with these.
/// Appends lines about it to `text`.
std::optional<std::string> bindPlan(const Options &options,
                                    const Binding &planAt,
                                    const Binding &binding, Problem &problem,
                                    Plan &made, SymbolicPlan &symbolic,
                                    std::string &text);

} // namespace tamc::planning

#endif // TAM_PLAN_SYMBOLS_H
