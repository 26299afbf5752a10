//===- app/Fit.h - fits of the rows of a file -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What fit and tune have in common.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_FIT_H
#define TAMRT_APP_FIT_H

#include "app/CommandLine.h"
#include "app/Timings.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

namespace tamrt {

/// Fits all rows, of which `reader` is at the first one, in memory or, if the
/// options ask for that, by reading them again. Ends the phases of the fit.
Result<Weights> fitRows(const tamrt_model &model, const Options &options,
                        RowReader reader, const RunOptions &run,
                        Timings &timings);

} // namespace tamrt

#endif // TAMRT_APP_FIT_H
