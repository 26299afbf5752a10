//===- app/Engine.cpp - a model's commands inside a program ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/engine.h"

#include "app/Adapt.h"
#include "app/Commands.h"
#include "app/FitCommand.h"
#include "app/Prediction.h"
#include "core/FunctionRef.h"
#include "core/Interruption.h"
#include "core/model/Model.h"
#include "io/FrameRows.h"
#include "io/KeptMemory.h"
#include "io/TextIndex.h"
#include "io/Thread.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <pthread.h>
#include <span>
#include <system_error>
#include <unistd.h>

namespace tamrt {
namespace {

/// Stands for a file on a command line whose files are in memory.
constexpr char kNoFile[] = "memory";

/// Most memory that a process keeps from run to run.
constexpr size_t kMostKept = size_t(64) << 20;

/// How long the caller of a run sleeps between looks at its watch.
constexpr auto kWatchInterval = std::chrono::milliseconds(50);

/// A run on a thread of its own, and what its caller sees of it.
class Run {
public:
  Run(FunctionRef<Status()> body, EngineReport &report)
      : body(body), report(report) {}

  /// Runs `body` on a thread with the stack that steps need.
  void start(const EngineWatch &watch) {
    isInterrupted = false;
    Thread thread([](void *self) { static_cast<Run *>(self)->work(); }, this);
    std::unique_lock lock(mutex);
    std::string shown;
    while (!changed.wait_for(lock, kWatchInterval, [&] { return isOver; })) {
      std::string line = progress;
      lock.unlock();
      if (watch.isInterrupted && !isInterrupted && watch.isInterrupted())
        isInterrupted = true;
      if (line != shown && watch.showProgress)
        watch.showProgress(line);
      shown = std::move(line);
      lock.lock();
    }
    lock.unlock();
    thread.join();
    if (!shown.empty() && watch.showProgress)
      watch.showProgress({});
  }

  void add(std::string_view kind, std::string_view text) {
    std::lock_guard lock(mutex);
    report.notes.emplace_back(kind, text);
  }
  void show(std::string_view line) {
    std::lock_guard lock(mutex);
    progress = line;
  }

private:
  void work() {
    try {
      if (Status s = body(); !s)
        report.error = std::move(s).error().message;
    } catch (const std::bad_alloc &) {
      report.error = "out of memory";
    } catch (const Interrupted &interruption) {
      report.error = interruption.what();
      report.wasInterrupted = true;
    } catch (const std::exception &exception) {
      report.error = std::string("internal error: ") + exception.what();
    }
    std::lock_guard lock(mutex);
    isOver = true;
    changed.notify_all();
  }

  FunctionRef<Status()> body;
  EngineReport &report;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
  std::string progress;
};

/// Whose turn it is to run: Device::cpu() and where messages go are the
/// process's.
struct Turn {
  std::timed_mutex mutex;
  /// Whether a run is under way.
  std::atomic<bool> isTaken = false;
  /// Whether one was, on a thread of the parent, when this process was forked:
  /// it never ends here, and what it changed stays half done.
  bool isLost = false;
};

Turn &turnOfProcess() {
  static Turn turn;
  [[maybe_unused]] static const int forgets =
      ::pthread_atfork(nullptr, nullptr, [] {
        turn.isLost |= turn.isTaken;
        new (&turn.mutex) std::timed_mutex;
      });
  return turn;
}

/// A turn while a run has it.
struct Taken {
  explicit Taken(Turn &turn) : turn(turn) { turn.isTaken = true; }
  Taken(const Taken &) = delete;
  Taken &operator=(const Taken &) = delete;
  ~Taken() { turn.isTaken = false; }

  Turn &turn;
};

/// Runs `body` when it is the caller's turn, and turns its error and exceptions
/// into that of the report.
void runReported(const EngineWatch &watch, EngineReport &report,
                 FunctionRef<Status()> body) {
  Turn &turn = turnOfProcess();
  report = {};
  if (turn.isLost) {
    report.error = "expected a process that was not forked during a run, got "
                   "one whose parent ran a model on another thread meanwhile; "
                   "start it before the run or by another method than fork";
    return;
  }
  std::unique_lock lock(turn.mutex, std::defer_lock);
  while (!lock.try_lock_for(kWatchInterval))
    if (watch.isInterrupted && watch.isInterrupted()) {
      report.error = Interrupted().what();
      report.wasInterrupted = true;
      return;
    }
  const Taken taken(turn);
  keepMemory(kMostKept);
  Run run(body, report);
  const MessageSink messages = [&](std::string_view kind,
                                   std::string_view text) {
    run.add(kind, text);
  };
  const ProgressSink lines = [&](std::string_view line) { run.show(line); };
  const SinkScope messageScope(messages, report.printed);
  const ProgressScope progressScope(lines);
  try {
    run.start(watch);
  } catch (const std::system_error &failure) {
    report.error = std::string("cannot start a thread: ") + failure.what();
  }
  trimKeptMemory();
}

Result<Options> parseArguments(const tamrt_model &model,
                               const std::vector<std::string> &arguments) {
  std::vector<const char *> argv = {model.name};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  return parseCommandLine(model, int(argv.size()), argv.data());
}

} // namespace

struct EngineModel::Lines {
  static constexpr size_t kMost = 64;
  std::map<std::vector<std::string>, Options> options;
};

EngineModel::EngineModel(const tamrt_model &model)
    : model(model), parsed(std::make_unique<Lines>()) {}

EngineModel::~EngineModel() = default;

namespace {

/// The options of a command, one of `commands`, whose files are in memory.
Result<Options> parseOptions(const EngineModel &model,
                             std::span<const Command> commands,
                             std::vector<std::string> arguments,
                             const std::vector<std::string> &more,
                             const tamrt_frame *frame) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  auto &known = model.lines().options;
  auto at = known.find(arguments);
  if (at == known.end()) {
    Result<Options> parsed = parseArguments(model.get(), arguments);
    if (!parsed)
      return parsed;
    if (known.size() == EngineModel::Lines::kMost)
      known.clear();
    at = known.emplace(arguments, *std::move(parsed)).first;
  }
  Result<Options> options = at->second;
  if (std::find(commands.begin(), commands.end(), options->command) ==
      commands.end())
    return Error{"expected options of '" + arguments[0] + "'"};
  if (options->output == kNoFile)
    options->output.clear();
  options->input.clear();
  options->weights.clear();
  options->frame = frame;
  return options;
}

} // namespace

FittedModel::FittedModel(const EngineModel &model,
                         std::unique_ptr<Weights> weights)
    : engine(model), model(model.get()), weights(std::move(weights)) {}

FittedModel::~FittedModel() = default;

std::unique_ptr<FittedModel>
FittedModel::fit(const EngineModel &engine, const tamrt_frame &frame,
                 const std::string &name, const std::vector<std::string> &more,
                 const EngineWatch &watch, EngineReport &report) {
  const tamrt_model &model = engine.get();
  std::unique_ptr<FittedModel> fitted;
  runReported(watch, report, [&]() -> Status {
    const Command commands[] = {Command::Fit, Command::Tune};
    Result<Options> options = parseOptions(
        engine, commands, {name, kNoFile, "-o", kNoFile}, more, &frame);
    if (!options)
      return std::move(options).error();
    if (options->grid)
      return Error{"expected tune without --grid: values of tokens are chosen "
                   "by the executable alone"};
    return runSession(model, *options, [&](const Session &session) -> Status {
      FitCommand command(model, *options, session);
      Result<Weights> weights = command.fit();
      if (!weights)
        return std::move(weights).error();
      command.tellNotes(*weights);
      if (options->command == Command::Tune)
        if (Status s = print(
                formatChosen(model, *options, weights->groups, command.chosen));
            !s)
          return s;
      fitted.reset(new FittedModel(
          engine, std::make_unique<Weights>(*std::move(weights))));
      return {};
    });
  });
  return report.error.empty() ? std::move(fitted) : nullptr;
}

std::unique_ptr<FittedModel> FittedModel::load(const EngineModel &engine,
                                               std::string_view bytes,
                                               const std::string &name,
                                               EngineReport &report) {
  const tamrt_model &model = engine.get();
  std::unique_ptr<FittedModel> fitted;
  runReported({}, report, [&]() -> Status {
    FileBytes copy = {std::make_unique_for_overwrite<char[]>(bytes.size()),
                      bytes.size()};
    std::memcpy(copy.data.get(), bytes.data(), bytes.size());
    Result<Weights> weights =
        loadWeights(model, SafetensorsFile::parse(std::move(copy), name),
                    {FilePart::IfPresent, FilePart::IfPresent});
    if (!weights)
      return std::move(weights).error();
    fitted.reset(new FittedModel(
        engine, std::make_unique<Weights>(*std::move(weights))));
    return {};
  });
  return report.error.empty() ? std::move(fitted) : nullptr;
}

std::string FittedModel::bytes(EngineReport &report) const {
  std::string bytes;
  runReported({}, report, [&]() -> Status {
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
                                    const EngineWatch &watch,
                                    EngineReport &report) const {
  PredictedTable out;
  runReported(watch, report, [&]() -> Status {
    const Command commands[] = {Command::Predict};
    Result<Options> options = parseOptions(
        engine, commands, {name, kNoFile, "--weights", kNoFile, "-o", kNoFile},
        more, &frame);
    if (!options)
      return std::move(options).error();
    if (Status s = checkParts(*weights, kWeightsInMemory,
                              StandardErrors::partsFor(*options));
        !s)
      return s;
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
      const std::span<const uint32_t> fileRows = rows.data.fileRows();
      auto put = [&](const auto &placeOf) {
        if (all == 1) {
          for (size_t row = 0; row < fileRows.size(); ++row)
            out.numbers[placeOf(row)] = rows.numbers[row];
          return;
        }
        for (size_t row = 0; row < fileRows.size(); ++row) {
          double *to = out.numbers.data() + placeOf(row) * all;
          std::copy_n(rows.numbers.data() + row * width, width, to);
          std::copy_n(rows.errors.data() + row * errorWidth, errorWidth,
                      to + width);
        }
      };
      if (rows.lines.empty())
        put([&](size_t row) { return size_t(fileRows[row]); });
      else
        put([&](size_t row) { return size_t(rows.lines[fileRows[row]]); });
      return Status();
    };
    return runSession(model, *options, [&](const Session &session) -> Status {
      Timings timings;
      Progress progress(STDERR_FILENO, model.name);
      const RunOptions run = session.run(*options, progress);
      if (Status s = Prediction::checkMemory(model, *options, run); !s)
        return s;
      ReadOptions reading = {options->dropMissing, options->threads};
      // The caller has the frame.
      reading.keepKeys = false;
      reading.keepLines = options->dropMissing || options->stream;
      reading.keepDates = model.carry_bytes > 0;
      reading.inPlace = true;
      Result<RowReader> reader =
          RowReader::open(options->source(), model,
                          {weights->groups, weights->normalization.levels,
                           StandardErrors::purposeOf(*options)},
                          reading);
      if (!reader)
        return std::move(reader).error();
      Prediction prediction(model, *options, *weights, run);
      Status predicted = prediction.forEachPart(
          *reader, timings, nullptr,
          [&](const PredictedRows &rows) { return use(prediction, rows); });
      if (!predicted)
        return predicted;
      progress.clear();
      prediction.tellNotes(*reader);
      return {};
    });
  });
  return report.error.empty() ? std::move(out) : PredictedTable();
}

void FittedModel::run(const tamrt_frame *frame, const std::string &name,
                      const std::vector<std::string> &more,
                      const EngineWatch &watch, EngineReport &report) const {
  runReported(watch, report, [&]() -> Status {
    const Command commands[] = {Command::Summary, Command::Evaluate,
                                Command::Plot, Command::Export};
    std::vector<std::string> arguments = {name, "--weights", kNoFile};
    if (frame)
      arguments.insert(arguments.begin() + 1, kNoFile);
    Result<Options> options =
        parseOptions(engine, commands, arguments, more, frame);
    if (!options)
      return std::move(options).error();
    options->fitted = weights.get();
    return runCommand(model, *options);
  });
}

AdaptedTable adaptRows(const EngineModel &engine, const FittedModel *base,
                       const tamrt_frame &frame, bool keepsCoefficients,
                       const std::vector<std::string> &more,
                       const EngineWatch &watch, EngineReport &report) {
  AdaptedTable out;
  runReported(watch, report, [&]() -> Status {
    const Command commands[] = {Command::Adapt};
    std::vector<std::string> arguments = {"adapt", kNoFile, "-o", kNoFile};
    if (base)
      arguments.insert(arguments.end(), {"--weights", kNoFile});
    Result<Options> options =
        parseOptions(engine, commands, arguments, more, &frame);
    if (!options)
      return std::move(options).error();
    options->fitted = base ? base->weights.get() : nullptr;
    return runSession(engine.get(), *options, [&](const Session &session) {
      AdaptRun run(session.modelOf(engine.get(), *options), *options, session);
      if (Status s = run.prepare(); !s)
        return s;
      Adaptation adaptation(run);
      std::function<void(const FittedWindow &)> take;
      if (keepsCoefficients)
        take = [&](const FittedWindow &window) {
          out.group.push_back(int64_t(window.group));
          out.index.push_back(int64_t(window.index));
          out.row.push_back(int64_t(window.row));
          out.coefficients.insert(out.coefficients.end(),
                                  window.coefficients.begin(),
                                  window.coefficients.end());
        };
      if (Status s = adaptation.compute(/*keepsKeys=*/false, take); !s)
        return s;
      for (const Group &group : adaptation.groups())
        out.groups.push_back(group.name);
      out.rows.names = run.names();
      out.rows.numbers.reserve(adaptation.rowCount() * out.rows.names.size());
      adaptation.forEachRow([&](size_t, std::span<const double> numbers) {
        out.rows.numbers.insert(out.rows.numbers.end(), numbers.begin(),
                                numbers.end());
      });
      run.tellNotes(adaptation.counts());
      return Status();
    });
  });
  return report.error.empty() ? std::move(out) : AdaptedTable();
}

CommandData dataOf(const tamrt_model &model,
                   const std::vector<std::string> &arguments,
                   EngineReport &report) {
  CommandData data;
  runReported({}, report, [&]() -> Status {
    const Result<Options> options = parseArguments(model, arguments);
    if (!options)
      return options.error();
    data.path = options->input;
    data.columns = {options->by, options->split.column};
    if (options->calibrate)
      data.columns.push_back(options->calibrate->column);
    return {};
  });
  return data;
}

void runCommandLine(const tamrt_model &model, const tamrt_frame *frame,
                    const std::vector<std::string> &arguments,
                    const EngineWatch &watch, EngineReport &report) {
  runReported(watch, report, [&]() -> Status {
    Result<Options> options = parseArguments(model, arguments);
    if (!options)
      return std::move(options).error();
    options->frame = frame;
    return runCommand(model, *options);
  });
}

void releaseMemory() { keepMemory(0); }

std::string describeModelFault(const tamrt_model &model) {
  EngineReport report;
  runReported({}, report, [&] { return checkModel(model); });
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
