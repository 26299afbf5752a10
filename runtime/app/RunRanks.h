//===- app/RunRanks.h - commands on several processes -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_RUNRANKS_H
#define TAMRT_APP_RUNRANKS_H

#include "app/CommandLine.h"
#include "app/Timings.h"
#include "core/model/Weights.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/Ranks.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "tamrt/abi.h"

#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Runs the command of the options on ranks, of which there are several; each
/// returns the same error. Errors: a command that ranks do not do together.
Status runOnRanks(const tamrt_model &model, const Options &options,
                  const Ranks &ranks);

/// Fits the rows of the files that the options' pattern names, on any number of
/// ranks. Rank 0 writes the weights.
Status fitOnRanks(const tamrt_model &model, const Options &options,
                  const Ranks &ranks);

/// Predicts the rows of such files; rank 0 writes them in the files' order.
Status predictOnRanks(const tamrt_model &model, const Options &options,
                      const Ranks &ranks);

/// Fits and predicts windows of the rows of such files; rank 0 writes the
/// tables, that of rows in the files' order.
Status adaptOnRanks(const tamrt_model &model, const Options &options,
                    const Ranks &ranks);

/// The text of the predictions of this rank's pieces, with a header if it is
/// the first. Ends the phases of `timings`. Errors: those of reading and of
/// `Prediction`.
Result<GrowingArray<char>>
predictPieces(const tamrt_model &model, const Options &options,
              const Weights &weights, std::span<const RankPiece> pieces,
              bool hasHeader, const RunOptions &run, Timings &timings,
              std::vector<std::string> &notes,
              std::vector<std::string> &warnings);

} // namespace tamrt

#endif // TAMRT_APP_RUNRANKS_H
