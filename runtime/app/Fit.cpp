//===- app/Fit.cpp - fit --------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Timings.h"
#include "core/Executor.h"
#include "core/Learners.h"
#include "core/Weights.h"
#include "kernels/cpu/CpuKernels.h"

#include <cstdio>
#include <optional>
#include <unistd.h>

namespace tamrt {

Status runFit(const tamrt_model &model, const Options &options) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};

  if (Status s = checkOutput(options); !s)
    return s;
  Result<CsvFile> opened = CsvFile::open(options.input, options.threads);
  if (!opened)
    return std::move(opened).error();
  progress.update("read", 0, 0);
  std::optional<CsvFile> file = *std::move(opened);
  Result<Dataset> data = Dataset::read(
      *file, model, {Purpose::Fit, options.dropMissing, options.threads});
  if (!data)
    return std::move(data).error();
  if (options.dropMissing)
    tell(model, "note",
         "dropped " + std::to_string(data->droppedCount()) + " of " +
             std::to_string(file->rowCount()) + " rows: missing values");
  Result<std::vector<LevelTable>> levels = data->levels(*file);
  if (!levels)
    return std::move(levels).error();
  data->encode(*file, *levels);
  const std::string path = file->path();
  // The text has served; its memory may be what the rung needs.
  file.reset();
  timings.end("read");

  auto located = [&](Error error) {
    return Error{path + ": " + error.message};
  };
  if (Status s = checkTexts(model, *data, *levels); !s)
    return located(std::move(s).error());
  Weights weights;
  Result<Normalization> normalization =
      normalize(model, *data, *std::move(levels));
  if (!normalization)
    return located(std::move(normalization).error());
  weights.normalization = *std::move(normalization);
  progress.update("learn", 0, 0);
  Result<Tables> tables = learn(model, *data, weights.normalization);
  if (!tables)
    return located(std::move(tables).error());
  weights.tables = *std::move(tables);
  Result<std::vector<double>> coefficients = fitGroups(
      model, *data, weights.normalization, weights.tables,
      {options.threads, options.chunkRows, &tamrt_cpu_kernels, &progress});
  if (!coefficients)
    return located(std::move(coefficients).error());
  weights.coefficients = *std::move(coefficients);
  for (const Group &group : data->groups())
    weights.groups.push_back(group.name);
  timings.end("fit");

  if (Status s = serialize(model, weights).write(options.output); !s)
    return s;
  timings.end("write");
  progress.clear();
  std::fputs(timings.format(options.timings).c_str(), stderr);
  return {};
}

} // namespace tamrt
