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
#include <limits>
#include <unistd.h>

namespace tamrt {

Status runFit(const tamrt_model &model, const Options &options) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};

  if (Status s = checkOutput(options); !s)
    return s;
  Result<RowReader> reader = RowReader::open(
      options.input, model, {options.dropMissing, options.threads});
  if (!reader)
    return std::move(reader).error();
  progress.update("read", 0, 0);
  Result<Rows> rows = reader->read(std::numeric_limits<size_t>::max());
  if (!rows)
    return std::move(rows).error();
  if (options.dropMissing)
    tell(model, "note",
         "dropped " + std::to_string(reader->dropped()) + " of " +
             std::to_string(reader->fileRows()) + " rows: missing values");
  Result<std::vector<LevelTable>> levels = reader->levelTables();
  if (!levels)
    return std::move(levels).error();
  const GroupOrder order = sortGroups(reader->groups(), model.group);
  const Dataset data = Dataset::arrange(*std::move(rows), *reader, order, model,
                                        *levels, options.threads);
  const std::string path = reader->path();
  // The text has served; its memory may be what the rung needs.
  reader = Error{};
  timings.end("read");

  auto located = [&](Error error) {
    return Error{path + ": " + error.message};
  };
  if (Status s = checkTexts(model, data, *levels); !s)
    return located(std::move(s).error());
  Weights weights;
  Result<Normalization> normalization =
      normalize(model, data, *std::move(levels));
  if (!normalization)
    return located(std::move(normalization).error());
  weights.normalization = *std::move(normalization);
  progress.update("learn", 0, 0);
  Result<Tables> tables = learn(model, data, weights.normalization);
  if (!tables)
    return located(std::move(tables).error());
  weights.tables = *std::move(tables);
  Result<std::vector<double>> coefficients = fitGroups(
      model, data, weights.normalization, weights.tables,
      {options.threads, options.chunkRows, &tamrt_cpu_kernels, &progress});
  if (!coefficients)
    return located(std::move(coefficients).error());
  weights.coefficients = *std::move(coefficients);
  for (const Group &group : data.groups())
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
