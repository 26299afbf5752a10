//===- app/Engine.cpp - a model's commands inside a program ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/engine.h"

#include "app/Commands.h"
#include "app/FitCommand.h"
#include "app/Prediction.h"
#include "core/FunctionRef.h"
#include "core/model/Model.h"
#include "io/FrameRows.h"
#include "io/TextIndex.h"
#include "io/Thread.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>

namespace tamrt {
namespace {

/// Stands for a file on a command line whose files are in memory.
constexpr char kNoFile[] = "memory";

/// Runs `body` on a thread with the stack that steps need, and turns its error
/// and exceptions into that of the report.
void runReported(EngineReport &report, FunctionRef<Status()> body) {
  // Device::cpu() and where messages go are the process's.
  static std::mutex turn;
  std::lock_guard lock(turn);
  report = {};
  std::mutex noting;
  const MessageSink sink = [&](std::string_view kind, std::string_view text) {
    std::lock_guard lock(noting);
    report.notes.emplace_back(kind, text);
  };
  const SinkScope scope(sink);
  struct Run {
    FunctionRef<Status()> body;
    std::string error;
  } run{body, {}};
  try {
    Thread thread(
        [](void *argument) {
          Run &run = *static_cast<Run *>(argument);
          try {
            if (Status s = run.body(); !s)
              run.error = std::move(s).error().message;
          } catch (const std::bad_alloc &) {
            run.error = "out of memory";
          } catch (const std::exception &exception) {
            run.error = std::string("internal error: ") + exception.what();
          }
        },
        &run);
    thread.join();
  } catch (const std::system_error &failure) {
    run.error = std::string("cannot start a thread: ") + failure.what();
  }
  report.error = std::move(run.error);
}

/// The options of a command whose files are in memory.
Result<Options> parseOptions(const tamrt_model &model,
                             std::vector<std::string> arguments,
                             const std::vector<std::string> &more,
                             const tamrt_frame &frame) {
  arguments.insert(arguments.begin(), model.name);
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  const Command commands[] = {Command::Fit, Command::Predict};
  Result<Options> options =
      parseCommandLine(model, int(argv.size()), argv.data());
  if (!options)
    return options;
  if (std::find(std::begin(commands), std::end(commands), options->command) ==
      std::end(commands))
    return Error{"expected options of '" + arguments[1] + "'"};
  if (options->output != kNoFile)
    return Error{"expected no file for the output"};
  options->input.clear();
  options->weights.clear();
  options->output.clear();
  options->frame = &frame;
  return options;
}

} // namespace

FittedModel::FittedModel(const tamrt_model &model,
                         std::unique_ptr<Weights> weights)
    : model(model), weights(std::move(weights)) {}

FittedModel::~FittedModel() = default;

std::unique_ptr<FittedModel>
FittedModel::fit(const tamrt_model &model, const tamrt_frame &frame,
                 const std::vector<std::string> &more, EngineReport &report) {
  std::unique_ptr<FittedModel> fitted;
  runReported(report, [&]() -> Status {
    Result<Options> options =
        parseOptions(model, {"fit", kNoFile, "-o", kNoFile}, more, frame);
    if (!options)
      return std::move(options).error();
    return runSession(model, *options, [&](const Session &session) -> Status {
      FitCommand command(model, *options, session);
      Result<Weights> weights = command.fit();
      if (!weights)
        return std::move(weights).error();
      command.tellNotes(*weights);
      fitted.reset(new FittedModel(
          model, std::make_unique<Weights>(*std::move(weights))));
      return {};
    });
  });
  return report.error.empty() ? std::move(fitted) : nullptr;
}

std::unique_ptr<FittedModel> FittedModel::load(const tamrt_model &model,
                                               std::string_view bytes,
                                               const std::string &name,
                                               EngineReport &report) {
  std::unique_ptr<FittedModel> fitted;
  runReported(report, [&]() -> Status {
    FileBytes copy = {std::make_unique_for_overwrite<char[]>(bytes.size()),
                      bytes.size()};
    std::memcpy(copy.data.get(), bytes.data(), bytes.size());
    Result<Weights> weights =
        loadWeights(model, SafetensorsFile::parse(std::move(copy), name),
                    {FilePart::IfPresent, FilePart::IfPresent});
    if (!weights)
      return std::move(weights).error();
    fitted.reset(
        new FittedModel(model, std::make_unique<Weights>(*std::move(weights))));
    return {};
  });
  return report.error.empty() ? std::move(fitted) : nullptr;
}

std::string FittedModel::bytes(EngineReport &report) const {
  std::string bytes;
  runReported(report, [&]() -> Status {
    Result<std::string> written = serialize(model, *weights).bytes();
    if (!written)
      return std::move(written).error();
    bytes = *std::move(written);
    return {};
  });
  return bytes;
}

const std::vector<std::string> &FittedModel::groups() const {
  return weights->groups;
}

const std::vector<double> &FittedModel::coefficients() const {
  return weights->coefficients;
}

PredictedTable FittedModel::predict(const tamrt_frame &frame,
                                    const std::string &name,
                                    const std::vector<std::string> &more,
                                    EngineReport &report) const {
  PredictedTable out;
  runReported(report, [&]() -> Status {
    Result<Options> options = parseOptions(
        model, {name, kNoFile, "--weights", kNoFile, "-o", kNoFile}, more,
        frame);
    if (!options)
      return std::move(options).error();
    size_t rowCount = 0;
    for (int64_t i = 0; i < frame.batch_count; ++i)
      rowCount += size_t(frame.batches[i].rows);
    auto use = [&](const Prediction &prediction, const PredictedRows &rows) {
      const size_t width = prediction.width();
      const size_t errorWidth = prediction.standardErrors().width();
      const size_t all = width + errorWidth;
      if (out.names.empty()) {
        out.names = outputNames(model, options->type);
        const std::vector<std::string> more =
            prediction.standardErrors().names();
        out.names.insert(out.names.end(), more.begin(), more.end());
        out.numbers.assign(rowCount * all,
                           std::numeric_limits<double>::quiet_NaN());
      }
      for (size_t row = 0; row < rows.data.rowCount(); ++row) {
        double *to =
            out.numbers.data() + rows.lines[rows.data.fileRows()[row]] * all;
        std::copy_n(rows.numbers.data() + row * width, width, to);
        std::copy_n(rows.errors.data() + row * errorWidth, errorWidth,
                    to + width);
      }
      return Status();
    };
    return runSession(model, *options, [&](const Session &session) -> Status {
      Timings timings;
      Progress progress(-1, model.name);
      const RunOptions run = session.run(*options, progress);
      if (Status s = Prediction::checkMemory(model, *options, run); !s)
        return s;
      Result<RowReader> reader =
          RowReader::open(options->source(), model,
                          {weights->groups, weights->normalization.levels},
                          {options->dropMissing, options->threads});
      if (!reader)
        return std::move(reader).error();
      Prediction prediction(model, *options, *weights, run);
      Status predicted = prediction.forEachPart(
          *reader, timings, nullptr,
          [&](const PredictedRows &rows) { return use(prediction, rows); });
      if (!predicted)
        return predicted;
      prediction.tellNotes(*reader);
      return {};
    });
  });
  return report.error.empty() ? std::move(out) : PredictedTable();
}

std::string describeModelFault(const tamrt_model &model) {
  EngineReport report;
  runReported(report, [&] { return checkModel(model); });
  return report.error;
}

std::vector<std::string> distinctTexts(const tamrt_frame &frame,
                                       std::string_view column) {
  std::vector<std::string> texts;
  const auto *const end = frame.names + frame.column_count;
  const auto *const at = std::find(frame.names, end, column);
  if (at == end)
    return texts;
  const auto index = size_t(at - frame.names);
  TextIndex seen;
  for (int64_t i = 0; i < frame.batch_count; ++i) {
    const tamrt_frame_batch &batch = frame.batches[i];
    constexpr int64_t kSome = 8192;
    for (int64_t first = 0; first < batch.rows; first += kSome) {
      const FrameRows rows(frame, batch, size_t(first),
                           size_t(std::min(kSome, batch.rows - first)));
      for (size_t row = 0; row < rows.rowCount(); ++row)
        if (const std::string_view text = rows.field(row, index); !text.empty())
          seen.add(text);
    }
  }
  for (uint32_t id = 0; id < seen.size(); ++id)
    texts.emplace_back(seen[id]);
  return texts;
}

std::string planOf(const tamrt_model &model) {
  const AllPlans plans = allPlans(model);
  return formatPlan({plans.steps, plans.texts.data()}, PlanFormat::Text);
}

} // namespace tamrt
