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

/// Adds values like "rows=4096" to a binding, replacing older values; or
/// returns an error message. A name may appear only once.
std::optional<std::string> readBinding(const std::vector<std::string> &values,
                                       Binding &binding);

/// An error message if a name of the binding is not one of the problem's
/// symbols.
std::optional<std::string> checkSymbols(const Problem &problem,
                                        const Binding &binding);

/// Makes a symbolic plan from a plan made with the values of `planAt`, and
/// evaluates it and the problem with those of `binding`; or returns an error
/// message. Appends lines about it to `text`.
std::optional<std::string> bindPlan(const Options &options,
                                    const Binding &planAt,
                                    const Binding &binding, Problem &problem,
                                    Plan &made, SymbolicPlan &symbolic,
                                    std::string &text);

} // namespace tamc::planning

#endif // TAM_PLAN_SYMBOLS_H
