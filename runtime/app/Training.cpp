//===- app/Training.cpp - rows that are ready for a fit -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Training.h"

#include "app/Commands.h"
#include "core/learn/Learners.h"
#include "core/model/Weights.h"

namespace tamrt {

Result<Training> readTraining(const tamrt_model &model, const Options &options,
                              RowReader reader, const RunOptions &run,
                              const std::function<void()> &afterReading) {
  Result<RowReader::AllRows> read = reader.readAll();
  if (!read)
    return std::move(read).error();
  if (options.dropMissing)
    tell(model, "note", reader.describeDropped());
  Result<std::vector<LevelTable>> levels = reader.levelTables();
  if (!levels)
    return std::move(levels).error();
  const GroupOrder order = reader.groupOrder();
  Training training = {reader.path(),
                       order.names,
                       Dataset::arrange(std::move(read->rows), reader, order,
                                        model, *levels, options.threads),
                       {},
                       {}};
  {
    // Release the reader's blocks: the rung may need their memory.
    const RowReader done = std::move(reader);
  }
  afterReading();

  if (Status s = checkTexts(model, training.groups, *levels); !s)
    return training.located(std::move(s).error());
  Result<Normalization> normalization =
      normalize(model, training.data, *std::move(levels), run.threads);
  if (!normalization)
    return training.located(std::move(normalization).error());
  training.normalization = *std::move(normalization);
  if (Status s = training.data.scaleWeights(); !s)
    return training.located(std::move(s).error());
  run.progress->update("learn", 0, 0);
  Result<Tables> tables = learn(model, training.data, training.normalization);
  if (!tables)
    return training.located(std::move(tables).error());
  training.tables = *std::move(tables);
  return training;
}

} // namespace tamrt
