//===- app/Penalties.h - strengths of penalties, by name --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_PENALTIES_H
#define TAMRT_APP_PENALTIES_H

#include "io/Error.h"
#include "tamrt/abi.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {

/// Penalties other than the formula's.
struct ChosenPenalties {
  /// Names and aps, as they were given.
  std::vector<std::pair<std::string, double>> aps;
  /// The strengths of all of the model's penalties (tamrt_penalty); empty if no
  /// penalty was given.
  std::vector<double> strengths;
};

/// Parses texts of a penalty's name, '=' and the ap to use instead of the
/// formula's, such as "temperature=-2".
///
/// Errors: a text of another form, a name that is no penalty's (with the names
/// there are), an ap outside the formula's limits, a name that comes twice.
Result<ChosenPenalties> parsePenalties(const tamrt_model &model,
                                       std::span<const std::string> texts);

} // namespace tamrt

#endif // TAMRT_APP_PENALTIES_H
