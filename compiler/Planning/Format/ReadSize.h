//===- Planning/ReadSize.h - sizes in CSV and JSON --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_READSIZE_H
#define TAMC_PLANNING_READSIZE_H

#include "tamc/Planning/Problem.h"
#include "tamc/Planning/SizeExpression.h"

#include <optional>
#include <string>
#include <string_view>

namespace tamc::planning {

/// Whether a text is an expression and not a number.
bool isExpression(std::string_view text);

/// Sets the size of a buffer of the problem to an expression and its value at
/// the binding. Returns a message if the text has an error.
std::optional<std::string> readExpression(std::string_view text,
                                          const Binding &binding,
                                          Problem &problem, Buffer &buffer);

} // namespace tamc::planning

#endif // TAMC_PLANNING_READSIZE_H
