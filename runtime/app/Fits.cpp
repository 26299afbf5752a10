//===- app/Fits.cpp - plan --memory ---------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Memory.h"
#include "core/device/Devices.h"
#include "core/model/Model.h"
#include "core/run/Executor.h"
#include "core/run/Placement.h"
#include "io/Parallel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;

/// The result for one use of the model.
struct Answer {
  std::string use;
  bool isFit = false;
  /// Memory that remains besides that of the program and its data.
  int64_t freeBytes = 0;
  Question question;
  Decision decision;
  /// Memory that the machine must have for the smallest rung on one thread, and
  /// for the largest on all threads.
  int64_t minMemory = 0, maxMemory = 0;
  /// The reason if it does not fit; else empty.
  std::string why;
};

/// `a * b + c`, saturated.
int64_t bounded(int64_t a, int64_t b, int64_t c) {
  const double sum = double(a) * double(b) + double(c);
  return sum < 9e18 ? a * b + c : std::numeric_limits<int64_t>::max();
}

/// The need of the chosen solver, and its rungs.
const Need &needOf(const Answer &answer) {
  return answer.question.needOf(answer.decision.solver);
}
const std::vector<RungNeed> &rungsOf(const Answer &answer) {
  return needOf(answer).rungs;
}

/// "direct solver".
std::string_view shortName(SolverChoice solver) {
  return solver == SolverChoice::Direct ? "direct solver" : nameOf(solver);
}

Answer answer(const tamrt_model &model, tamrt_step_kind kind,
              const Options &options, const RunOptions &run) {
  Answer answer;
  const bool isFit = describe(kind).isDirect();
  answer.isFit = isFit;
  answer.use = isFit ? "fit" : describe(kind).name;
  // Memory used before the steps run. For predictions the data are not counted:
  // their size in memory depends on their text.
  const MemoryNeed need = memoryNeed(model);
  const unsigned readers = chooseThreads(options.threads, SIZE_MAX, 1);
  int64_t besides = need.constant + (readers - 1) * need.perThread;
  if (isFit)
    besides = bounded(options.planRows, need.perRow,
                      bounded(options.planGroups, need.perGroup, besides));
  // If negative, the memory that is missing before the work starts.
  const double fraction = options.allocator.fraction;
  answer.freeBytes = std::min(options.memoryBytes - besides,
                              reservableBytes(fraction, options.memoryBytes));

  int64_t groupRows = 1;
  if (options.planRows > 0)
    groupRows =
        (options.planRows + options.planGroups - 1) / options.planGroups;
  else
    for (tamrt_step_kind of : {kind, isFit ? TAMRT_STEP_APPLY_CHUNK : kind})
      for (const tamrt_step *step : stepsOf(model, of))
        groupRows = std::max(groupRows, step->rung_rows);
  answer.question = questionOf(model, kind, size_t(options.planGroups),
                               size_t(groupRows), answer.freeBytes, run);
  answer.question.work = options.planWork;
  answer.decision = decide(answer.question, options.oracle);

  const double share =
      options.oracle.share(answer.question.place, options.planWork);
  const std::vector<RungNeed> &rungs = rungsOf(answer);
  auto memoryFor = [&](int64_t bytes) {
    const double free = std::ceil(double(bytes) / share);
    if (free / fraction >= 9e18)
      return std::numeric_limits<int64_t>::max();
    auto least = int64_t(std::ceil(free / fraction));
    while (reservableBytes(fraction, least) < int64_t(free))
      ++least;
    return std::max(least, bounded(1, int64_t(free), besides));
  };
  const int64_t shared = needOf(answer).sharedBytes;
  answer.minMemory = memoryFor(bounded(rungs.back().bytes, 1, shared));
  answer.maxMemory =
      memoryFor(bounded(rungs.front().bytes, answer.question.threads, shared));
  if (!answer.decision.fits)
    answer.why =
        tooLittle(answer.question, answer.decision, options.oracle, "");
  return answer;
}

int64_t rowsOf(const Answer &answer) {
  return rungsOf(answer)[answer.decision.rung].rows;
}

std::string formatText(const std::vector<Answer> &answers, const Device &device,
                       const Options &options) {
  std::string text = fmt::format("memory: {} bytes\n", options.memoryBytes);
  if (options.planRows > 0)
    text += fmt::format("data: {} rows in {} group{}\n", options.planRows,
                        options.planGroups, options.planGroups == 1 ? "" : "s");
  else
    text += "data: not counted; --rows and --groups tell their size\n";
  if (const int64_t reserve = device.reserveBytes(); reserve > 0)
    text += fmt::format("reserve: {} bytes that the kernels of '{}' take "
                        "beside the plan, counted below\n",
                        reserve, device.label());
  for (const Answer &answer : answers) {
    const Decision &decision = answer.decision;
    if (decision.fits)
      text += fmt::format(
          "{}: fits: {}chunks of {} row{}, {} thread{}: {} of {} bytes, the "
          "share of {} left by {}\n",
          answer.use,
          answer.isFit ? fmt::format("{} ({}), ", shortName(decision.solver),
                                     decision.reason)
                       : "",
          rowsOf(answer), rowsOf(answer) == 1 ? "" : "s", decision.threads,
          decision.threads == 1 ? "" : "s", decision.bytes, decision.budget,
          answer.freeBytes,
          answer.isFit ? "program and data"
                       : "the program; rows are not counted, and with --stream "
                         "they need none");
    else
      text += fmt::format("{}: does not fit: {}\n", answer.use, answer.why);
    text +=
        fmt::format("  needed at least: --memory {}\n"
                    "  for the largest chunks on {} thread{}: --memory {}\n",
                    answer.minMemory, answer.question.threads,
                    answer.question.threads == 1 ? "" : "s", answer.maxMemory);
  }
  return text;
}

/// What the rows of `adapt --stream` take if all groups are open at the same
/// time.
struct StreamAnswer {
  int64_t rowsPerGroup, bytes, budget, minMemory;

  bool fits() const { return bytes <= budget; }
};

StreamAnswer answerStream(const tamrt_model &model, const Options &options) {
  const WindowStreamNeed need =
      windowStreamNeed(model, *model.adapt, windowsOfSpec(model).perUnit);
  StreamAnswer answer = {need.rowsPerGroup, 0, 0, 0};
  if (options.planRows > 0)
    answer.rowsPerGroup = std::min(answer.rowsPerGroup,
                                   (options.planRows + options.planGroups - 1) /
                                       options.planGroups);
  answer.bytes = bounded(bounded(options.planGroups, answer.rowsPerGroup, 0),
                         need.perRow, 0);
  const double share =
      options.oracle.share(MemoryPlace::Ram, WorkKind::Sliding);
  answer.budget = budgetOf(options.memoryBytes, share);
  answer.minMemory =
      int64_t(std::min(std::ceil(double(answer.bytes) / share), 9e18));
  return answer;
}

std::string formatText(const StreamAnswer &answer, const Options &options) {
  return fmt::format(
      "window rows of a stream: {}: at most {} row{} of each group at a time, "
      "of {} group{}: {} of {} bytes\n"
      "  needed at least: --memory {}\n",
      answer.fits() ? "fits" : "does not fit", answer.rowsPerGroup,
      answer.rowsPerGroup == 1 ? "" : "s", options.planGroups,
      options.planGroups == 1 ? "" : "s", answer.bytes, answer.budget,
      answer.minMemory);
}

json toJson(const StreamAnswer &answer) {
  return {{"fits", answer.fits()},
          {"rows_per_group", answer.rowsPerGroup},
          {"bytes", answer.bytes},
          {"budget", answer.budget},
          {"least_memory", answer.minMemory}};
}

std::string formatJson(const std::vector<Answer> &answers,
                       const std::optional<StreamAnswer> &stream,
                       const Device &device, const Options &options) {
  json uses = json::array();
  for (const Answer &answer : answers) {
    const Decision &decision = answer.decision;
    uses.push_back(
        {{"use", answer.use},
         {"fits", decision.fits},
         {"solver", decision.solver == SolverChoice::Direct ? "direct" : "cg"},
         {"small_blocks", decision.solver == SolverChoice::SmallBlocks},
         {"reason", decision.reason},
         {"rows", rowsOf(answer)},
         {"threads", decision.threads},
         {"bytes", decision.bytes},
         {"budget", decision.budget},
         {"free", answer.freeBytes},
         {"least_memory", answer.minMemory},
         {"most_memory", answer.maxMemory},
         {"why", answer.why}});
  }
  json all = {{"memory", options.memoryBytes},    {"rows", options.planRows},
              {"groups", options.planGroups},     {"device", device.label()},
              {"reserve", device.reserveBytes()}, {"uses", uses}};
  if (stream)
    all["stream"] = toJson(*stream);
  return all.dump() + "\n";
}

} // namespace

Result<std::string> formatFits(const tamrt_model &model,
                               const Options &options) {
  if (options.planFormat == PlanFormat::Csv)
    return Error{"expected --memory with --format text or json, got csv"};
  // Several devices are of one kind.
  Result<std::vector<ChosenDevice>> devices = chooseDevices(options.device);
  if (!devices)
    return std::move(devices).error();
  RunOptions run;
  run.threads = options.threads;
  run.device = &*devices->front();
  run.placement = options.placement;
  std::vector<Answer> answers;
  auto modelOf = [&](tamrt_step_kind kind) -> const tamrt_model & {
    return modelOn(*run.device, run.placement, kind, model);
  };
  auto addWindows = [&] {
    Options sliding = options;
    sliding.planWork = WorkKind::Sliding;
    for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_PREDICT}) {
      answers.push_back(
          answer(*modelOf(kind).adapt->model, kind, sliding, run));
      answers.back().use = "window " + answers.back().use;
    }
  };
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_PREDICT,
                               TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN}) {
    const tamrt_model &own = modelOf(kind);
    answers.push_back(answer(own, kind, options, run));
    // The steps for the rows are not known yet: take those that need more.
    if (!describe(kind).isDirect() || !own.compression)
      continue;
    Answer other = answer(*own.compression->model, kind, options, run);
    if (other.minMemory > answers.back().minMemory)
      answers.back() = std::move(other);
  }
  if (model.adapt)
    addWindows();
  std::optional<StreamAnswer> stream;
  if (model.adapt)
    stream = answerStream(model, options);
  if (options.planFormat == PlanFormat::Json)
    return formatJson(answers, stream, *run.device, options);
  return formatText(answers, *run.device, options) +
         (stream ? formatText(*stream, options) : "");
}

} // namespace tamrt
