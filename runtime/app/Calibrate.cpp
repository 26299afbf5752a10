//===- app/Calibrate.cpp - fit --calibrate --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Calibrate.h"

#include "app/Prediction.h"

#include <cmath>

namespace tamrt {

Result<Calibration> calibrate(const tamrt_model &model, const Options &options,
                              const Weights &weights, const HeldOut &heldOut,
                              const RunOptions &run) {
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.choice = {&heldOut.marks, /*wanted=*/true};
  Result<RowReader> reader = RowReader::open(
      options.source(), model,
      {weights.groups, weights.normalization.levels, Purpose::Evaluate},
      reading);
  if (!reader)
    return std::move(reader).error();
  std::vector<std::vector<double>> residuals(weights.groups.size());
  auto locate = [&](size_t group) {
    return reader->path() + ": " +
           (model.group ? "group '" + weights.groups[group] + "': " : "");
  };
  // The phases of the prediction are a part of the fit's.
  Timings ignored;
  Prediction prediction(model, options, weights, run);
  Status predicted = prediction.forEachPart(
      *reader, ignored, nullptr, [&](const PredictedRows &rows) -> Status {
        const double *targets = rows.data.target();
        const double *rowWeights = rows.data.weights();
        for (const Group &group : rows.data.groups())
          for (size_t row = group.first; row < group.first + group.rows;
               ++row) {
            if (rowWeights && !(rowWeights[row] > 0))
              continue;
            // Zero has one sign, so that the order of equal residuals does not
            // matter.
            const double residual = targets[row] - rows.numbers[row] + 0.0;
            if (!std::isfinite(residual))
              return Error{locate(group.place) +
                           "expected finite residuals of the held-out rows, "
                           "got an infinite one"};
            residuals[group.place].push_back(residual);
          }
        return {};
      });
  if (!predicted)
    return std::move(predicted).error();
  for (size_t g = 0; g < residuals.size(); ++g)
    if (residuals[g].empty())
      return Error{locate(g) + "expected a held-out row of positive weight, "
                               "got none"};
  return Calibration(options.calibrate->text, std::move(residuals));
}

} // namespace tamrt
