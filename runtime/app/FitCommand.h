//===- app/FitCommand.h - one run of fit or tune ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_FITCOMMAND_H
#define TAMRT_APP_FITCOMMAND_H

#include "app/Calibrate.h"
#include "app/CommandLine.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "core/run/Progress.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <unistd.h>

namespace tamrt {

/// One run of fit or tune, without its output. The arguments must outlive it.
class FitCommand {
public:
  FitCommand(const tamrt_model &model, const Options &options,
             const Session &session)
      : progress(STDERR_FILENO, model.name), model(model), options(options),
        session(session) {}

  /// Reads the rows of `options.source()` and fits. Prints notes about the rows
  /// and how they are summed. Errors: those of reading, of the choice of
  /// penalties, and of steps.
  Result<Weights> fit();

  /// Prints what is of interest when the weights have been written.
  void tellNotes(const Weights &weights);

  Timings timings;
  Progress progress;
  CgSummary summary;
  ChosenAps chosen;

private:
  const tamrt_model &model;
  const Options &options;
  const Session &session;
  HeldOut heldOut;
};

/// Fits all rows, of which `reader` is at the first one, in memory or, if the
/// options ask for that, by reading them again. Ends the phases of the fit.
Result<Weights> fitRows(const tamrt_model &model, const Options &options,
                        RowReader reader, const RunOptions &run,
                        Timings &timings);

/// Warns of groups that did not converge.
void tellUnconverged(const tamrt_model &model, const CgSummary &summary);

/// Prints how much larger inference makes the weights, and whether the floor
/// shifts the predictions of a group much.
void tellInference(const tamrt_model &model, const Weights &weights);

/// Notes the iterations of conjugate gradients, if there were any.
void noteIterations(const CgSummary &summary, Timings &timings);

} // namespace tamrt

#endif // TAMRT_APP_FITCOMMAND_H
