//===- app/Calibrate.h - fit --calibrate ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_CALIBRATE_H
#define TAMRT_APP_CALIBRATE_H

#include "app/CommandLine.h"
#include "core/data/Split.h"
#include "core/model/Calibration.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

namespace tamrt {

/// Predicts the held-out rows of the data with `weights`, which were fitted to
/// the others. \returns the residuals of those of positive weight.
///
/// Errors: those of a prediction; a residual that is not finite; a group whose
/// held-out rows all have weight 0.
Result<Calibration> calibrate(const tamrt_model &model, const Options &options,
                              const Weights &weights, const HeldOut &heldOut,
                              const RunOptions &run);

} // namespace tamrt

#endif // TAMRT_APP_CALIBRATE_H
