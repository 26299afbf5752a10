//===- app/Parts.cpp - fits of rows in several files ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Parts.h"

#include "app/Commands.h"
#include "app/OptionValues.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/model/ModelFile.h"
#include "core/run/Crew.h"
#include "core/run/PartFit.h"
#include "core/run/Progress.h"
#include "io/KeptMemory.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <unistd.h>

namespace tamrt {
namespace {

/// Options of work on rows or sums. Sums are on the CPU, so that rows are not
/// summed elsewhere.
void addWorkOptions(CLI::App &command, Options &options, OptionTexts &texts) {
  addRunOptions(command, options, texts);
  command.remove_option(command.get_option("--placement"));
}
void addSumOptions(CLI::App &command, Options &options, OptionTexts &texts) {
  addWorkOptions(command, options, texts);
  for (const char *name : {"--device-share", "--allow-cpu-fallback"})
    command.remove_option(command.get_option(name));
  // Refused with the alternative.
  command.get_option("--device")->group("");
}

/// "part.csv" of "rows/part.csv".
std::string nameOfPart(const Options &options) {
  if (!options.partName.empty() || options.input == "-")
    return options.partName;
  return std::filesystem::path(options.input).filename().string();
}

ReadOptions readOptions(const Options &options) {
  return {options.dropMissing, options.threads, CsvBlocks::kBlockBytes,
          options.format};
}

Status checkTerminal(const Options &options) {
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the output, got a terminal"};
  return {};
}

/// Runs body(run options, progress, timings) in a session. A command with a
/// part of the rows needs its name.
Status runStep(
    const tamrt_model &model, const Options &options, bool hasRows,
    const std::function<Status(RunOptions &, Progress &, Timings &)> &body) {
  if (hasRows && nameOfPart(options).empty())
    return Error{"expected --part NAME with rows from standard input, got "
                 "none"};
  if (hasRows && options.device != "cpu")
    return Error{"expected --device cpu, which has the sums of parts, got '" +
                 options.device +
                 "'; their solve, or a fit of the rows as one file, runs on "
                 "a device"};
  if (Status s = checkTerminal(options); !s)
    return s;
  return runSession(model, options, [&](const Session &session) -> Status {
    Progress progress(STDERR_FILENO, model.name);
    Timings timings;
    RunOptions run = session.run(options, progress);
    run.placement.sums = TAMRT_PLACE_CPU;
    if (Status s = body(run, progress, timings); !s)
      return s;
    session.finish(timings, options);
    return {};
  });
}

/// Writes a result, after the progress has been cleared.
Status write(const SafetensorsWriter &writer, const Options &options,
             Timings &timings) {
  if (Status s = writer.write(options.output); !s)
    return s;
  timings.end("write");
  return {};
}

/// A file of sums, whose numbers stay there, or of a survey.
struct SurveyOrSums {
  SafetensorsFile file;
  bool hasSums;
};

/// Errors: a file with neither.
Result<SurveyOrSums> openFile(const std::string &path) {
  Result<SafetensorsFile> file = SafetensorsFile::open(
      path, [](std::string_view name) { return name == SumsFile::kSums; });
  if (!file)
    return std::move(file).error();
  Result<bool> has = hasSums(*file);
  if (!has)
    return std::move(has).error();
  return SurveyOrSums{*std::move(file), *has};
}

/// Prints which groups' sums are not those of one file, if there are any.
void tellInexact(const tamrt_model &model, const PartedRows &rows) {
  size_t count = 0;
  std::string first;
  for (size_t g = 0; g < rows.parts.size(); ++g)
    if (!rows.isExact(g) && count++ == 0)
      first = rows.order.names[g];
  if (count == 0)
    return;
  tell(model, "note",
       (model.group
            ? std::to_string(count) + " of " +
                  std::to_string(rows.parts.size()) + " groups, such as '" +
                  first + "', are in parts that are"
            : std::string("the parts are")) +
           " not whole segments of " + std::to_string(TAMRT_SEGMENT_ROWS) +
           " rows in the order of the dates: the weights agree with those of "
           "one file up to rounding");
}

void addRows(CLI::App &command, Options &options) {
  addInputOption(command, options, "PART.csv",
                 "A part of the training data, CSV; - for stdin");
  command
      .add_option("--part", options.partName,
                  "The part's name; parts are in the order of their names; "
                  "default: that of the file, without folders")
      ->type_name("NAME");
}

void addSurvey(const tamrt_model &, CLI::App &survey, Options &options,
               OptionTexts &texts) {
  addRows(survey, options);
  addOutputOption(survey, options, "Survey to write, safetensors; - for stdout",
                  "PART.survey")
      ->required();
  addFormatOptions(survey, texts);
  addSumOptions(survey, options, texts);
}

void addMerge(const tamrt_model &, CLI::App &merge, Options &options,
              OptionTexts &) {
  merge
      .add_option("FILE", options.inputs,
                  "Surveys, or sums, of different parts, in any order")
      ->required()
      ->check(file())
      ->type_name("");
  addOutputOption(merge, options, "Survey or sums to write; - for stdout",
                  "ALL")
      ->required();
}

void addSums(const tamrt_model &, CLI::App &sums, Options &options,
             OptionTexts &texts) {
  addRows(sums, options);
  sums.add_option("--survey", options.survey, "Survey of all parts")
      ->required()
      ->check(file())
      ->type_name("ALL.survey");
  addOutputOption(sums, options, "Sums to write, safetensors; - for stdout",
                  "PART.sums")
      ->required();
  sums.add_flag("--stream", options.stream,
                "Sum some rows at a time instead of keeping all");
  addFormatOptions(sums, texts);
  addSumOptions(sums, options, texts);
}

void addSolve(const tamrt_model &, CLI::App &solve, Options &options,
              OptionTexts &texts) {
  addInputOption(solve, options, "ALL.sums", "Sums of all parts, merged");
  addOutputOption(solve, options, "Weights to write, safetensors; - for stdout",
                  "W.safetensors")
      ->required();
  addPenaltyOption(solve, texts);
  solve.add_flag("--inference", options.inference,
                 "Also write what standard errors and summary need, as far as "
                 "sums have it");
  addWorkOptions(solve, options, texts);
  for (const char *name : {"--chunk-rows", "--drop-missing"})
    solve.remove_option(solve.get_option(name));
}

void addSplit(const tamrt_model &, CLI::App &split, Options &options,
              OptionTexts &texts) {
  addInputOption(split, options, "TRAIN.csv",
                 "Training data, CSV, a file that is read three times");
  split.add_option("--parts", texts.parts, "Most parts")
      ->required()
      ->check(count(INT32_MAX))
      ->type_name("N");
  addOutputOption(split, options, "Folder for the parts", "DIR")->required();
  split.add_flag("--whole-groups", options.wholeGroups,
                 "Keep all rows of a group in one part");
  addFormatOptions(split, texts);
  addRowOptions(split, options, texts);
  split.remove_option(split.get_option("--chunk-rows"));
}

} // namespace

std::span<const CommandSpec> partCommands() {
  static constexpr CommandSpec commands[] = {
      {"survey", "Find what a fit in parts must know of a part of the rows",
       Command::Survey, addSurvey},
      {"merge", "Join surveys, or sums, of parts", Command::Merge, addMerge},
      {"sums", "Sum a part of the rows", Command::Sums, addSums},
      {"solve", "Fit the model to the sums of all parts", Command::Solve,
       addSolve},
      {"split", "Divide rows into parts whose fit has the bytes of one fit",
       Command::Split, addSplit}};
  return commands;
}

void parsePartOptions(const CLI::App &command, const OptionTexts &texts,
                      Options &options) {
  const std::span<const CommandSpec> commands = partCommands();
  if (std::none_of(commands.begin(), commands.end(),
                   [&](const CommandSpec &each) {
                     return each.command == options.command;
                   }))
    return;
  // Others are used if they are asked for.
  const CLI::Option *device = command.get_option_no_throw("--device");
  if (!device || device->empty() || options.device == "auto")
    options.device = "cpu";
  if (!texts.parts.empty())
    options.parts = *parseCount(texts.parts, INT32_MAX);
}

Status runSurvey(const tamrt_model &model, const Options &options) {
  return runStep(
      model, options, /*hasRows=*/true,
      [&](RunOptions &run, Progress &progress, Timings &timings) -> Status {
        if (Status s = checkParts(model); !s)
          return s;
        Result<RowReader> reader =
            RowReader::open(options.source(), model, readOptions(options));
        if (!reader)
          return std::move(reader).error();
        Result<Survey> survey =
            surveyPart(model, nameOfPart(options), *reader, run);
        if (!survey)
          return std::move(survey).error();
        timings.end("survey");
        progress.clear();
        if (options.dropMissing)
          tell(model, "note", reader->describeDropped());
        return write(serialize(model, *survey), options, timings);
      });
}

static Status mergeSurveys(const tamrt_model &model, const Options &options,
                           std::vector<SafetensorsFile> files) {
  Survey all;
  for (SafetensorsFile &each : files) {
    const SafetensorsFile file = std::move(each);
    Result<Survey> survey = loadSurvey(model, file);
    if (!survey)
      return std::move(survey).error();
    if (Status s = join(all, *std::move(survey), file.path()); !s)
      return s;
  }
  // What the parts contradict each other in is found now.
  {
    Result<PartedRows> rows = combine(model, all, options.output);
    if (!rows)
      return std::move(rows).error();
    tellInexact(model, *rows);
  }
  return serialize(model, all).write(options.output);
}

/// The survey in a file of sums or of a survey, and what follows from it.
static Result<SurveyedFit> openFit(const tamrt_model &model,
                                   const std::string &path) {
  std::string name;
  // The file's bytes are freed before the rest is computed.
  auto survey = [&]() -> Result<Survey> {
    Result<SurveyOrSums> given = openFile(path);
    if (!given)
      return std::move(given).error();
    name = given->file.path();
    return loadSurvey(model, given->file);
  }();
  if (!survey)
    return std::move(survey).error();
  if (Status s = checkParts(model); !s)
    return std::move(s).error();
  return prepareParts(model, *std::move(survey), name);
}

static Status mergeSums(const tamrt_model &model, const Options &options,
                        std::vector<SafetensorsFile> files) {
  Result<Survey> survey = loadSurvey(model, files.front());
  if (!survey)
    return std::move(survey).error();
  const std::string first = files.front().path();
  Result<std::string> hash = surveyHashOf(files.front());
  if (!hash)
    return std::move(hash).error();
  std::vector<SumsFile> all;
  for (SafetensorsFile &file : files) {
    if (Status s = checkSpec(model, file, "sums"); !s)
      return s;
    Result<std::string> other = surveyHashOf(file);
    if (!other)
      return std::move(other).error();
    if (*other != *hash)
      return Error{file.path() + ": expected sums with the survey of '" +
                   first + "', got those of another survey"};
    Result<SumsFile> sums = SumsFile::load(std::move(file));
    if (!sums)
      return std::move(sums).error();
    all.push_back(*std::move(sums));
  }
  Result<SurveyedFit> fit = prepareParts(model, *std::move(survey), first);
  if (!fit)
    return std::move(fit).error();
  for (SumsFile &sums : all)
    if (Status s = sums.check(fit->layout, fit->survey, fit->rows); !s)
      return s;
  return mergeSums(model, fit->layout, fit->survey, all, options.output);
}

Status runMerge(const tamrt_model &model, const Options &options) {
  if (Status s = checkOutput(options); !s)
    return s;
  if (Status s = checkTerminal(options); !s)
    return s;
  std::vector<SafetensorsFile> files;
  bool areSums = false;
  for (const std::string &path : options.inputs) {
    Result<SurveyOrSums> given = openFile(path);
    if (!given)
      return std::move(given).error();
    if (!files.empty() && given->hasSums != areSums)
      return Error{path + ": expected " + (areSums ? "sums" : "a survey") +
                   " as in '" + options.inputs.front() + "', got " +
                   (given->hasSums ? "sums" : "a survey")};
    areSums = given->hasSums;
    files.push_back(std::move(given->file));
  }
  return areSums ? mergeSums(model, options, std::move(files))
                 : mergeSurveys(model, options, std::move(files));
}

Status checkRoute(const tamrt_model &model, const SurveyedFit &fit,
                  const RunOptions &run) {
  const std::vector<size_t> &rows = fit.rows.groupRows;
  Result<FitRoute> route =
      chooseSolver(model, *std::max_element(rows.begin(), rows.end()), run);
  if (!route)
    return std::move(route).error();
  if (route->solver == SolverChoice::Direct)
    return {};
  return Error{"expected a fit with the direct solver, which reads the rows "
               "once, got conjugate gradients (" +
               route->note +
               "); compile with --solver direct, or fit the rows as one file"};
}

Status runSums(const tamrt_model &model, const Options &options) {
  return runStep(
      model, options, /*hasRows=*/true,
      [&](RunOptions &run, Progress &progress, Timings &timings) -> Status {
        Result<SurveyedFit> fit = openFit(model, options.survey);
        if (!fit)
          return std::move(fit).error();
        if (Status s = checkRoute(model, *fit, run); !s)
          return s;
        const std::string name = nameOfPart(options);
        const std::vector<PartSurvey> &parts = fit->survey.parts;
        const auto part = std::find_if(
            parts.begin(), parts.end(),
            [&](const PartSurvey &each) { return each.name == name; });
        if (part == parts.end())
          return Error{
              options.survey + ": expected a survey of part '" + name +
              "', got those of '" + parts.front().name + "'" +
              (parts.size() > 1
                   ? " and " + std::to_string(parts.size() - 1) + " more"
                   : "") +
              "; survey it, and merge the surveys, or name it by --part"};
        Result<RowReader> reader =
            RowReader::open(options.source(), model, readOptions(options));
        if (!reader)
          return std::move(reader).error();
        PartSums work(model, *fit, size_t(part - parts.begin()), *reader, run);
        const bool streams = options.stream && work.areOrdered();
        if (streams)
          keepMemory(StreamLimits().keptBytes());
        if (options.stream && !streams)
          tell(model, "note",
               "--stream keeps all rows, " +
                   std::to_string(part->rows() * Dataset::bytesPerRow(model)) +
                   " bytes: their dates are not in order");
        Result<SafetensorsOutput> output = beginSums(
            model, fit->layout,
            {fit->survey, {size_t(part - parts.begin())}, work.nodes()},
            options.output);
        if (!output)
          return std::move(output).error();
        work.expectTexts();
        fit->forgetParts(size_t(part - parts.begin()));
        auto take = [&](size_t node, std::span<const double> numbers) {
          return output->write(SumsFile::kSums, node * fit->layout.size(),
                               numbers);
        };
        if (Status s =
                streams ? work.sumStreamed(take) : work.sumInMemory(take);
            !s)
          return s;
        timings.end("sums");
        progress.clear();
        if (options.dropMissing)
          tell(model, "note", reader->describeDropped());
        for (const std::string &note : work.notes())
          tell(model, "note", note);
        timings.note("readings of the file", int64_t(work.readings()));
        if (Status s = output->commit(); !s)
          return s;
        timings.end("write");
        return {};
      });
}

/// Begins weights that have their penalties alone; the coefficients come later.
static Result<WeightsOutput> beginWeights(const tamrt_model &model,
                                          SurveyedFit &fit, Weights &weights,
                                          bool infers,
                                          const std::string &path) {
  // Lent, not copied: of many groups they are large. Their numbers stay where
  // they are, so the output may refer to them.
  auto exchange = [&] {
    std::swap(weights.groups, fit.rows.order.names);
    std::swap(weights.normalization, fit.rows.normalization);
    std::swap(weights.tables, fit.tables);
  };
  exchange();
  Result<WeightsOutput> output =
      WeightsOutput::create(model, weights, infers, path);
  exchange();
  return output;
}

/// Checks that a fit of sums is not asked for what rows alone can give.
static Status checkNeedsNoRows(const Options &options) {
  for (auto [name, isGiven] :
       {std::pair("--grid", options.grid),
        std::pair("--calibrate", options.calibrate.has_value()),
        std::pair("--stream", options.stream),
        std::pair("--drop-missing", options.dropMissing),
        std::pair("--chunk-rows", options.chunkRows > 0),
        std::pair("--sep, --decimal or --missing",
                  options.format.separator != ',' ||
                      !options.format.readsPlainNumbers())})
    if (isGiven)
      return Error{std::string("expected no ") + name + " with sums, got '" +
                   options.input + "', which has no rows"};
  return {};
}

Status runSolve(const tamrt_model &model, const Options &given) {
  Options options = given;
  if (Status s = checkNeedsNoRows(options); !s)
    return s;
  const bool tunes = options.command == Command::Tune;
  if (options.device == "auto")
    options.device = "cpu";
  return runStep(
      model, options, /*hasRows=*/false,
      [&](RunOptions &run, Progress &progress, Timings &timings) -> Status {
        run.strengths = options.penalties.strengths;
        // Asks for it; the numbers are written as they come.
        Inference asked;
        if (options.inference)
          run.inference = &asked;
        ChosenAps chosen;
        if (tunes)
          choosePenalties(model, options, timings, chosen, run);
        Result<SurveyOrSums> opened = openFile(options.input);
        if (!opened)
          return std::move(opened).error();
        if (!opened->hasSums)
          return Error{opened->file.path() +
                       ": expected sums, got a survey; the sums of "
                       "each part come from it (sums --survey)"};
        Result<Survey> survey = loadSurvey(model, opened->file);
        if (!survey)
          return std::move(survey).error();
        Result<SumsFile> sums = SumsFile::load(std::move(opened->file));
        if (!sums)
          return std::move(sums).error();
        Result<SurveyedFit> fit =
            prepareParts(model, *std::move(survey), sums->path());
        if (!fit)
          return std::move(fit).error();
        if (Status s = sums->check(fit->layout, fit->survey, fit->rows); !s)
          return s;
        fit->forgetParts();
        timings.end("read");
        std::optional<WeightsOutput> output;
        Systems systems;
        Result<std::vector<double>> coefficients = fitChosen(
            model, fit->rows.order.names, fit->rows.normalization, fit->tables,
            run, systems,
            [&](const RunOptions &with) -> Result<std::vector<double>> {
              if (!with.systems) {
                Weights weights;
                setAps(model, options, chosen, weights);
                Result<WeightsOutput> begun = beginWeights(
                    model, *fit, weights, options.inference, options.output);
                if (!begun)
                  return std::move(begun).error();
                output.emplace(*std::move(begun));
              }
              // Coefficients are written as they come.
              Status solved = solveSums(
                  model, *fit, *sums, with,
                  [&](size_t first, std::span<const double> coefficients,
                      const Inference &inferred) {
                    return output->write(first, coefficients, inferred);
                  });
              if (!solved)
                return std::move(solved).error();
              return std::vector<double>();
            });
        if (!coefficients)
          return std::move(coefficients).error();
        timings.end("solve");
        progress.clear();
        tellInexact(model, fit->rows);
        if (Status s = output->commit(); !s)
          return s;
        timings.end("write");
        if (options.inference)
          tell(model, "note",
               "--inference adds " +
                   std::to_string(fit->rows.groupRows.size() *
                                  Inference::bytesPerGroup(model)) +
                   " bytes to the weights; statistics that need each row are "
                   "missing");
        return tunes ? print(formatChosen(model, options, fit->rows.order.names,
                                          chosen))
                     : Status();
      });
}

} // namespace tamrt
