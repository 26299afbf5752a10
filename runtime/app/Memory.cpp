//===- app/Memory.cpp - memory of a fit beside its arenas -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Memory.h"

#include "app/AdaptRun.h"
#include "app/StreamedAdapt.h"
#include "core/data/Dataset.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowSurvey.h"
#include "core/device/MachineMemory.h"
#include "core/learn/Learn.h"
#include "core/learn/Learners.h"
#include "core/model/Model.h"
#include "core/model/Steps.h"
#include "core/model/Sums.h"
#include "core/ranks/RankRows.h"
#include "core/ranks/Ranks.h"
#include "core/run/Crew.h"
#include "core/run/GroupFits.h"
#include "core/run/StreamedFit.h"
#include "core/run/Tune.h"
#include "core/run/Windows.h"
#include "io/CsvBlocks.h"
#include "io/GrowingArray.h"
#include "io/Thread.h"

#include <algorithm>

namespace tamrt {
namespace {

/// Beside the program: libstdc++, libm and libc with their data, of other
/// systems too, the first thread's stack, and the allocator, which keeps up to
/// a MiB at the heap's top and rounds up.
constexpr int64_t kLibraries = int64_t(8) << 20;

/// A block of a file with its index and the columns parsed from it. Fields of
/// one byte need the most memory.
constexpr int64_t kBlock = 16 * int64_t(CsvBlocks::kBlockBytes);

/// Names, metadata and bookkeeping of a group with a name of ordinary length.
constexpr int64_t kGroupText = 512;

/// There are three copies of coefficients, ranges and tables while they are
/// written: as computed, as tensors and as the file's bytes.
constexpr int64_t kWeightCopies = 3;

/// Bookkeeping of a group of a streamed fit, with a name of at most 24 bytes:
/// its text, which is twice in the reader's table while that grows, its name
/// and places; then also the fit in progress, the weights' header, and memory
/// of the survey that the C library keeps. Without names they were 280 and 430
/// bytes, and a name of 40 bytes takes 160.
constexpr int64_t kSurveyedGroup = 448;
constexpr int64_t kFittedGroup = 576;

/// MPI's library with its data, and its buffers for another rank: OpenMPI's
/// took 9 MB and 1 MB.
constexpr int64_t kMpi = int64_t(12) << 20;
constexpr int64_t kMpiOfRank = int64_t(1) << 20;

/// Bookkeeping of a group on all ranks, with a name of at most 24 bytes: its
/// texts and name, its rows and dates, and its part of the survey, as numbers
/// and as a message. Of a group whose rows a rank has: its node, its blocks,
/// and where its rows are.
constexpr int64_t kGroupOfRanks = 640;
constexpr int64_t kGroupOfRank = 360;

/// Sums over the rows of a group for its figures, with its name; those of an
/// effect.
constexpr int64_t kInferredGroup = 768;
constexpr int64_t kInferredEffect = 160;

/// What a search for penalties keeps of a group on rank 0 beside matrices: its
/// name, its scores and its row of the table; of a penalty of it; and of each
/// thread, in matrices of D x D numbers.
constexpr int64_t kTunedGroup = 384;
constexpr int64_t kTunedPenalty = 64;
constexpr int64_t kSearchMatrices = 8;

/// The cells of a row's keys in a table, with commas.
constexpr int64_t kKeyText = 24;

/// A node in a map, besides its numbers.
constexpr int64_t kNode = 120;

/// Values for a period, before it is known that they are few.
constexpr int64_t kPeriod = int64_t(2) << 20;

/// Bytes of a level of the sums of steps of a kind.
int64_t perLevel(const tamrt_model &model, tamrt_step_kind kind) {
  const StepSolver solver = describe(kind).solver;
  const int64_t own =
      firstStep(model, kind) ? levelLayout(model, solver).bytes : 0;
  return model.compression
             ? std::max(own,
                        levelLayout(*model.compression->model, solver).bytes)
             : own;
}

/// The ranges of a group's inputs.
int64_t rangesOfGroup(const tamrt_model &model) {
  return int64_t(sizeof(Range)) * model.input_count;
}

/// Most bytes of a streamed fit for a group: while rows are surveyed, in
/// vectors that double as they grow, or while they are fitted.
int64_t streamedGroup(const tamrt_model &model) {
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  const int64_t ranges = rangesOfGroup(model);
  int64_t surveyed = kSurveyedGroup + ranges +
                     2 * int64_t(sizeof(GroupDates) + 2 * sizeof(uint32_t) +
                                 sizeof(Spread) * columns.numbers.size());
  if (columns.weights)
    surveyed += int64_t(StreamedFit::kWeightBytesPerGroup);
  return std::max(surveyed, kFittedGroup + ranges +
                                int64_t(sizeof(double)) * model.columns);
}

} // namespace

MemoryNeed memoryNeed(const tamrt_model &model) {
  MemoryNeed need = {};
  // Tables are learnt before the arenas are allocated and after the text is
  // freed: the column that quantiles need is less than reading needed.
  need.constant = programBytes() + kLibraries + kBlock +
                  kWeightCopies * tableBytes(model) +
                  int64_t(learningBytes(model, kMaxRowsKept));
  // The stack with its guard pages, a block, and a block that is set aside.
  need.perThread =
      int64_t(Thread::kStackBytes) + (int64_t(64) << 10) + 2 * kBlock;
  need.perRow = int64_t(Dataset::bytesPerRow(model));
  need.perGroup = kGroupText + kWeightCopies * int64_t(sizeof(double)) *
                                   (model.columns + 2 * model.input_count);
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_APPLY_CHUNK})
    need.perLevel = std::max(need.perLevel, perLevel(model, kind));
  return need;
}

StreamNeed streamNeed(const tamrt_model &model) {
  const StreamLimits limits;
  const MemoryNeed whole = memoryNeed(model);
  StreamNeed need = {};
  // When a part is full, each thread may still add a block, and one is set
  // aside.
  need.constant = whole.constant + int64_t(limits.rowBytes) + kBlock;
  need.perThread = whole.perThread + 2 * kBlock;
  need.perGroup = streamedGroup(model);
  need.groupLimit = int64_t(limits.stateBytes);
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_APPLY_CHUNK})
    if (const tamrt_step *step = firstStep(model, kind)) {
      const auto memoryOf = [&](const tamrt_model &of, const tamrt_step &rung) {
        return fitMemory(of, rung, TAMRT_SEGMENT_ROWS).total();
      };
      int64_t all = memoryOf(model, *step);
      // There must be memory for both ways to sum.
      if (model.compression)
        if (const tamrt_step *other =
                firstStep(*model.compression->model, kind))
          all = std::max(all, memoryOf(*model.compression->model, *other));
      const auto group =
          int64_t(GroupFits::bytesPerGroup(model, kind, TAMRT_SEGMENT_ROWS));
      need.uses.push_back({kind, all - group, group, perLevel(model, kind)});
    }

  need.perRow = keepsColumn(model) ? int64_t(sizeof(double)) : 0;
  need.kept = keptByLearners(model, std::nullopt);
  for (int64_t i = 0; i < model.input_count; ++i)
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO) {
      need.constant += kPeriod;
      need.kept.push_back("the distinct values of column '" +
                          std::string(model.inputs[i].column) +
                          "', for its period");
    }
  if (model.date)
    need.kept.push_back("all rows, if the dates of a group are not in order");
  return need;
}

/// What a rank has of its groups for the steps of `kind`: FIT_CHUNK, or those
/// of conjugate gradients, which iterate all of its groups together.
static RankNeed::Use rankUse(const tamrt_model &model, tamrt_step_kind kind) {
  constexpr auto number = int64_t(sizeof(double));
  const auto nodeOf = [&](tamrt_step_kind of) {
    return kNode + number * int64_t(SumsLayout(model, of).size());
  };
  RankNeed::Use use = {kind, kGroupOfRank + 3 * number * model.columns,
                       nodeOf(kind), 0};
  if (describe(kind).isCg()) {
    use.sketch = cgSketchBytes(model);
    // Vectors are sent to the ranks that have rows of the group.
    use.group += 3 * number * model.columns +
                 int64_t(GroupFits::bytesPerGroup(model, kind, 1)) - use.sketch;
    use.node += nodeOf(TAMRT_STEP_CG_CHUNK);
  }
  use.group += use.node;
  return use;
}

/// The largest rung of a fit of groups of so many rows by the direct solver, or
/// by conjugate gradients.
static int64_t largestFit(const tamrt_model &model, tamrt_step_kind kind,
                          FitExtra extra = {},
                          int64_t rows = TAMRT_SEGMENT_ROWS) {
  int64_t most = 0;
  for (const tamrt_step *step : stepsOf(model, kind))
    most = std::max(most, fitMemory(model, *step, rows, extra).total());
  return most;
}

/// The same of a type of output; 0 if there is none.
static int64_t largestOutput(const tamrt_model &model, tamrt_step_kind kind) {
  int64_t most = 0;
  for (const tamrt_step *step : stepsOf(model, kind))
    most = std::max(most, predictMemory(model, *step, step->rung_rows).total());
  return most;
}

/// Messages to rank 0 of what a group has `bytes` of: a block, of a group at
/// least, as a message that grows, and as rank 0 receives it.
static int64_t messagesOf(int64_t bytes) {
  return 3 * std::max(int64_t(kMessageBlockBytes), bytes);
}

/// What inference adds to a fit by ranks, whose largest rung takes `rungBytes`.
static RankNeed::Gathered inferenceOfRank(const tamrt_model &model,
                                          int64_t rungBytes) {
  const auto bytes = int64_t(Inference::bytesPerGroup(model));
  RankNeed::Gathered need = {};
  need.messages = messagesOf(bytes);
  // The rows' residuals come after the solves.
  const int64_t most =
      std::max(largestFit(model, TAMRT_STEP_FIT_CHUNK, {.infers = true}),
               largestOutput(model, TAMRT_STEP_TERMS));
  need.perThread = most - rungBytes;
  need.perOwnGroup = bytes + kInferredGroup +
                     kInferredEffect * model.effect_count +
                     rangesOfGroup(model);
  // As found, and as the file's bytes.
  need.perGroupOfFirst = 2 * bytes;
  return need;
}

/// What the choice of penalties adds to such a fit.
static RankNeed::Gathered tuneOfRank(const tamrt_model &model,
                                     int64_t rungBytes) {
  const auto bytes = int64_t(Systems::bytesPerGroup(model));
  RankNeed::Gathered need = {};
  need.messages = messagesOf(bytes);
  need.perThread =
      largestFit(model, TAMRT_STEP_FIT_CHUNK, {.takesSystem = true}) -
      rungBytes +
      kSearchMatrices * int64_t(sizeof(double)) * model.columns * model.columns;
  need.perOwnGroup = bytes;
  need.perGroupOfFirst = bytes + tuneBytesPerGroup(model, Criterion::Gcv) +
                         kTunedGroup + kTunedPenalty * model.penalty_count;
  return need;
}

/// A row while ranks exchange it. A column exists twice then, with the order of
/// the rows before and after; parts of the former and long runs of the latter
/// take less than a byte.
static int64_t exchangedRow(const tamrt_model &model) {
  return int64_t(Dataset::bytesPerReadRow(model) + 2 * sizeof(uint32_t) +
                 sizeof(double) + 1);
}

std::optional<RankNeed> rankNeed(const tamrt_model &model) {
  if (!checkRangesSuffice(model))
    return std::nullopt;
  const MemoryNeed whole = memoryNeed(model);
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  RankNeed need = {};
  need.constant = whole.constant + kMpi;
  need.perThread = whole.perThread;
  need.perLevel = whole.perLevel;
  need.perRank = kMpiOfRank;
  need.perFileRow = int64_t(Dataset::bytesPerReadRow(model));
  need.perRow = std::max(whole.perRow, exchangedRow(model));
  need.perGroup = kGroupOfRanks + int64_t(sizeof(double)) * model.columns +
                  rangesOfGroup(model) +
                  2 * int64_t(sizeof(Spread)) * model.input_count;
  // The message of all ranks, and those of each.
  need.perGroupOfFirst = 2 * int64_t(sizeof(double)) * (model.columns + 1);
  if (columns.weights)
    need.perGroup += int64_t(RankRows::kWeightBytesPerGroup);
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_APPLY_CHUNK})
    if (firstStep(model, kind))
      need.uses.push_back(rankUse(model, kind));
  if (std::ranges::any_of(need.uses, &RankNeed::Use::sketch))
    need.sketchLimit = int64_t(StreamLimits().stateBytes);
  if (hasDirect(model)) {
    const int64_t rung = largestFit(model, TAMRT_STEP_FIT_CHUNK);
    need.inference = inferenceOfRank(model, rung);
    need.tune = tuneOfRank(model, rung);
  }
  return need;
}

/// Bytes of a number in the text of a table, with its comma, at most.
static constexpr int64_t kNumberText = 25;

/// Bytes of a row in the text of a table with so many numbers.
static int64_t textOfRow(int64_t numbers) {
  return int64_t(grownBytes(size_t(kKeyText + 1 + kNumberText * numbers)));
}

/// A rank that predicts: the program, its tables and MPI.
static int64_t predictingRank(const tamrt_model &model) {
  return programBytes() + kLibraries + kBlock +
         kWeightCopies * tableBytes(model) + kMpi;
}

/// A group of weights while they are read.
static int64_t groupOfWeights(const tamrt_model &model) {
  return kGroupText +
         2 * int64_t(sizeof(double)) * (model.columns + 2 * model.input_count);
}

/// What standard errors of a type of output take.
static RankTableNeed::Errors errorsOf(const tamrt_model &model,
                                      tamrt_step_kind kind) {
  constexpr auto number = int64_t(sizeof(double));
  RankTableNeed::Errors errors = {};
  errors.kind = kind;
  errors.perThread = std::max<int64_t>(
      largestOutput(model, TAMRT_STEP_VARIANCES) - largestOutput(model, kind),
      0);
  errors.perRow = number * outputWidth(model, TAMRT_STEP_VARIANCES);
  errors.perColumn = number + int64_t(grownBytes(kNumberText));
  errors.perGroup = int64_t(Inference::bytesPerGroup(model));
  // Errors of centred effects.
  if (kind == TAMRT_STEP_TERMS) {
    errors.perRow += number * model.effect_count;
    errors.perGroup += number * (model.columns + 2 * model.effect_count);
  }
  errors.perRow =
      std::max<int64_t>(errors.perRow - textOfRow(outputWidth(model, kind)), 0);
  // Row weights, which intervals alone read.
  if (kind == TAMRT_STEP_PREDICT && model.weights)
    errors.perRow += int64_t(grownBytes(sizeof(double)));
  return errors;
}

std::optional<RankTableNeed> rankTableNeed(const tamrt_model &model) {
  if (model.carry_bytes > 0)
    return std::nullopt;
  RankTableNeed need = {};
  need.constant = predictingRank(model);
  need.messagesOfFirst = int64_t(kMessageBlockBytes);
  need.perThread = memoryNeed(model).perThread;
  need.perRank = kMpiOfRank;
  need.perGroup = groupOfWeights(model);
  for (tamrt_step_kind kind :
       {TAMRT_STEP_PREDICT, TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN}) {
    if (!firstStep(model, kind))
      continue;
    const int64_t width = outputWidth(model, kind);
    // The keys and where they end; the rows in the order of the file.
    need.uses.push_back(
        {kind, int64_t(Dataset::bytesPerPredictedRow(model)) +
                   int64_t(grownBytes(size_t(kKeyText) + sizeof(uint64_t))) +
                   int64_t(sizeof(double)) * width + int64_t(sizeof(uint32_t)) +
                   textOfRow(width)});
    if (kind != TAMRT_STEP_DESIGN && firstStep(model, TAMRT_STEP_VARIANCES))
      need.errors.push_back(errorsOf(model, kind));
  }
  return need;
}

WindowOptions windowsOfSpec(const tamrt_model &model) {
  const tamrt_adapt &adapt = *model.adapt;
  RunOptions run;
  run.oracle = oracleOptions(model.oracle);
  run.work = WorkKind::Sliding;
  WindowOptions windows = {.training = size_t(adapt.window),
                           .update = size_t(adapt.update)};
  if (const Result<FitRoute> route =
          chooseSolver(*adapt.model, windows.training, run))
    windows.perUnit = windowsOfUnit(*adapt.model, *route, windows);
  return windows;
}

/// The largest rung that a thread of `adapt` runs.
static int64_t largestOfWindows(const tamrt_model &model) {
  const tamrt_model &own = *model.adapt->model;
  const int64_t rows = model.adapt->window;
  int64_t most = std::max(
      {largestFit(own, TAMRT_STEP_FIT_CHUNK, {.takesSystem = true}, rows),
       largestFit(own, TAMRT_STEP_APPLY_CHUNK, {}, rows),
       largestOutput(own, TAMRT_STEP_PREDICT),
       largestOutput(own, TAMRT_STEP_DESIGN)});
  if (own.small_blocks)
    most = std::max(
        most, largestFit(*own.small_blocks, TAMRT_STEP_APPLY_CHUNK, {}, rows));
  if (model.adapt->corrects)
    most = std::max({most, largestOutput(model, TAMRT_STEP_PREDICT),
                     largestOutput(model, TAMRT_STEP_TERMS)});
  return most;
}

/// A row of `adapt` on a rank, at its peak.
static int64_t adaptedRow(const tamrt_model &model) {
  constexpr auto number = int64_t(sizeof(double));
  constexpr auto index = int64_t(sizeof(uint32_t));
  const JointInputs joint(model);
  const ModelColumns columns = columnsOf(joint.model(), Purpose::Fit);
  const auto levels = index * int64_t(columns.levels.size());
  // Keys, where they end, lines, and where the row went.
  const int64_t kept = int64_t(grownBytes(size_t(kKeyText) + sizeof(uint64_t)) +
                               grownBytes(sizeof(uint64_t))) +
                       index;
  // Levels are copied before rows are arranged.
  const int64_t arranged =
      int64_t(Dataset::bytesPerRow(joint.model())) + levels;
  // Columns and forecasts; of a correction the base prediction, its residual
  // and effects, also as they come from the base model.
  int64_t fitted =
      index + number * int64_t(columns.numbers.size() + 1) + levels;
  int64_t effects = 0;
  const bool corrects = model.adapt->corrects;
  if (corrects) {
    // Levels have codes of the base model, too.
    fitted += 2 * number + levels;
    const auto own = std::count_if(
        joint.places.begin(), joint.places.end(),
        [](const JointInputs::Place &place) { return place.effect; });
    fitted += number * own;
    effects = own > 0 ? number * model.effect_count : 0;
  }
  // Forecasts and base predictions as they are returned; then the table.
  const int64_t width = corrects ? 3 : 1;
  const int64_t returned = (corrects ? 2 : 1) * number;
  const int64_t told = returned + std::max(2 * number, textOfRow(width));
  return kept + std::max({exchangedRow(joint.model()), arranged,
                          fitted + std::max(effects, told)});
}

RankWindowNeed rankWindowNeed(const tamrt_model &model,
                              const WindowOptions &windows) {
  const tamrt_model &own = *model.adapt->model;
  const WindowMemory memory = windowMemory(own, windows);
  RankWindowNeed need = {};
  need.constant = predictingRank(model) + memory.unit +
                  (&own == &model ? 0 : kWeightCopies * tableBytes(own));
  need.messagesOfFirst = int64_t(kMessageBlockBytes);
  need.perThread = memoryNeed(model).perThread;
  need.perRank = kMpiOfRank;
  need.windows = largestOfWindows(model) + memory.perThread +
                 int64_t(learningBytes(
                     own, std::min(size_t(model.adapt->window), kMaxRowsKept)));
  need.perRow = adaptedRow(model);
  need.perWindow = int64_t(sizeof(Window));
  // Its keys as they are asked for, sent and received, and the table.
  need.perCoefficients = 4 * int64_t(sizeof(uint32_t)) +
                         2 * (kKeyText + int64_t(sizeof(uint64_t))) +
                         int64_t(sizeof(std::string_view)) +
                         textOfRow(own.columns + 1);
  need.perGroup = kGroupOfRanks + kGroupOfRank +
                  (model.adapt->corrects ? groupOfWeights(model) : 0);
  return need;
}

WindowStreamNeed windowStreamNeed(const tamrt_model &model,
                                  const tamrt_adapt &adapt, size_t perUnit) {
  // A row's number in the file takes more than one in memory does.
  const size_t number = sizeof(uint64_t) - sizeof(uint32_t);
  const size_t forecast = sizeof(double);
  return {int64_t(StreamLimits().rowBytes),
          int64_t(Dataset::bytesPerRow(*model.adapt->model) + number +
                  forecast + WaitingRows::kBytesPerRow),
          adapt.window + adapt.horizon - 1 + int64_t(perUnit) * adapt.update};
}

} // namespace tamrt
