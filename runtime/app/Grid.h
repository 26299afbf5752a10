//===- app/Grid.h - tune --grid ---------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The choice of values for the tokens of a formula.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_GRID_H
#define TAMRT_APP_GRID_H

#include "app/CommandLine.h"
#include "app/Session.h"

namespace tamrt {

/// Chooses the values that predict held-out rows best, fits all rows with them,
/// writes the weights and prints the choice. The model has candidates.
Status chooseValues(const tamrt_model &model, const Options &options,
                    const Session &session);

} // namespace tamrt

#endif // TAMRT_APP_GRID_H
