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
#include "core/model/ModelFile.h"
#include "core/run/Crew.h"
#include "core/run/PartFit.h"
#include "core/run/Progress.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace tamrt {
namespace {

/// Options of work on rows or sums, which is on the CPU.
void addWorkOptions(CLI::App &command, Options &options, OptionTexts &texts) {
  addRunOptions(command, options, texts);
  for (const char *name :
       {"--device", "--placement", "--device-share", "--allow-cpu-fallback"})
    command.remove_option(command.get_option(name));
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

/// Checks the name of the part and that the output is not a terminal.
Status checkPart(const Options &options) {
  if (nameOfPart(options).empty())
    return Error{"expected --part NAME with rows from standard input, got "
                 "none"};
  return {};
}

Status checkTerminal(const Options &options) {
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the output, got a terminal"};
  return {};
}

/// One of the files of sums or surveys, with its path in messages.
Result<SafetensorsFile> openFile(const std::string &path) {
  return SafetensorsFile::open(path);
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

} // namespace

void addPartCommands(CLI::App &app, Options &options, OptionTexts &texts) {
  auto addOutput = [&](CLI::App *command, const char *what, const char *type) {
    command->add_option("-o,--output", options.output, what)
        ->required()
        ->check(file())
        ->type_name(type);
  };
  auto addRows = [&](CLI::App *command) {
    command
        ->add_option("PART.csv", options.input,
                     "A part of the training data, CSV; - for stdin")
        ->required()
        ->check(file())
        ->type_name("");
    command
        ->add_option("--part", options.partName,
                     "The part's name; parts are in the order of their names; "
                     "default: that of the file, without folders")
        ->type_name("NAME");
  };
  CLI::App *survey = app.add_subcommand(
      "survey", "Find what a fit in parts must know of a part of the rows");
  addRows(survey);
  addOutput(survey, "Survey to write, safetensors; - for stdout",
            "PART.survey");
  addFormatOptions(*survey, texts);
  addWorkOptions(*survey, options, texts);

  CLI::App *merge =
      app.add_subcommand("merge", "Join surveys, or sums, of parts");
  merge
      ->add_option("FILE", options.inputs,
                   "Surveys, or sums, of different parts, in any order")
      ->required()
      ->check(file())
      ->type_name("");
  addOutput(merge, "Survey or sums to write; - for stdout", "ALL");

  CLI::App *sums = app.add_subcommand("sums", "Sum a part of the rows");
  addRows(sums);
  sums->add_option("--survey", options.survey, "Survey of all parts")
      ->required()
      ->check(file())
      ->type_name("ALL.survey");
  addOutput(sums, "Sums to write, safetensors; - for stdout", "PART.sums");
  sums->add_flag("--stream", options.stream,
                 "Sum some rows at a time instead of keeping all");
  addFormatOptions(*sums, texts);
  addWorkOptions(*sums, options, texts);

  CLI::App *solve =
      app.add_subcommand("solve", "Fit the model to the sums of all parts");
  solve->add_option("ALL.sums", options.input, "Sums of all parts, merged")
      ->required()
      ->check(file())
      ->type_name("");
  addOutput(solve, "Weights to write, safetensors; - for stdout",
            "W.safetensors");
  solve
      ->add_option("--ap", texts.penalties,
                   "Another ap than the formula's for a penalty (see info), "
                   "such as temperature=-2; may be repeated")
      ->type_name("NAME=AP")
      ->allow_extra_args(false);
  addWorkOptions(*solve, options, texts);
  for (const char *name : {"--chunk-rows", "--drop-missing"})
    solve->remove_option(solve->get_option(name));

  CLI::App *split = app.add_subcommand(
      "split", "Divide rows into parts whose fit has the bytes of one fit");
  split
      ->add_option("TRAIN.csv", options.input,
                   "Training data, CSV, a file that is read three times")
      ->required()
      ->check(file())
      ->type_name("");
  split->add_option("--parts", texts.parts, "Most parts")
      ->required()
      ->check(count(INT32_MAX))
      ->type_name("N");
  split->add_option("-o,--output", options.output, "Folder for the parts")
      ->required()
      ->check(file())
      ->type_name("DIR");
  split->add_flag("--whole-groups", options.wholeGroups,
                  "Keep all rows of a group in one part");
  addFormatOptions(*split, texts);
  addRowOptions(*split, options, texts);
  split->remove_option(split->get_option("--chunk-rows"));
}

bool parsePartCommand(const CLI::App &app, const OptionTexts &texts,
                      Options &options) {
  constexpr std::pair<const char *, Command> commands[] = {
      {"survey", Command::Survey},
      {"merge", Command::Merge},
      {"sums", Command::Sums},
      {"solve", Command::Solve},
      {"split", Command::Split}};
  for (auto [name, command] : commands)
    if (app.got_subcommand(name)) {
      options.command = command;
      // Sums of parts are joined by the CPU.
      options.device = "cpu";
      if (!texts.parts.empty())
        options.parts = *parseCount(texts.parts, INT32_MAX);
      return true;
    }
  return false;
}

Status runSurvey(const tamrt_model &model, const Options &options) {
  if (Status s = checkPart(options); !s)
    return s;
  if (Status s = checkTerminal(options); !s)
    return s;
  return runSession(model, options, [&](const Session &session) -> Status {
    Progress progress(STDERR_FILENO, model.name);
    Timings timings;
    if (Status s = checkParts(model); !s)
      return s;
    Result<RowReader> reader =
        RowReader::open(options.source(), model, readOptions(options));
    if (!reader)
      return std::move(reader).error();
    Result<Survey> survey = surveyPart(model, nameOfPart(options), *reader,
                                       session.run(options, progress));
    if (!survey)
      return std::move(survey).error();
    timings.end("survey");
    progress.clear();
    if (options.dropMissing)
      tell(model, "note", reader->describeDropped());
    if (Status s = serialize(model, *survey).write(options.output); !s)
      return s;
    timings.end("write");
    session.finish(timings, options);
    return {};
  });
}

static Status mergeSurveys(const tamrt_model &model, const Options &options,
                           std::vector<SafetensorsFile> files) {
  Survey all;
  for (const SafetensorsFile &file : files) {
    Result<Survey> survey = loadSurvey(model, file);
    if (!survey)
      return std::move(survey).error();
    if (Status s = join(all, *std::move(survey), file.path()); !s)
      return s;
  }
  // What the parts contradict each other in is found now.
  Result<PartedRows> rows = combine(model, all, options.output);
  if (!rows)
    return std::move(rows).error();
  tellInexact(model, *rows);
  return serialize(model, all).write(options.output);
}

/// Reads the sums in `file` for a fit that knows its survey.
static Result<Sums> readSums(const SafetensorsFile &file,
                             const SurveyedFit &fit) {
  return loadSums(fit.layout, file, fit.survey, fit.rows);
}

/// The survey in a file of sums, and what follows from it.
static Result<SurveyedFit> readFit(const tamrt_model &model,
                                   const SafetensorsFile &file) {
  Result<Survey> survey = loadSurvey(model, file);
  if (!survey)
    return std::move(survey).error();
  return prepareParts(model, *std::move(survey), file.path());
}

static Status mergeSums(const tamrt_model &model, const Options &options,
                        std::vector<SafetensorsFile> files) {
  Result<SurveyedFit> fit = readFit(model, files.front());
  if (!fit)
    return std::move(fit).error();
  Result<std::string> hash = surveyHashOf(files.front());
  if (!hash)
    return std::move(hash).error();
  Result<Sums> all = readSums(files.front(), *fit);
  if (!all)
    return std::move(all).error();
  for (size_t i = 1; i < files.size(); ++i) {
    if (Status s = checkSpec(model, files[i], "sums"); !s)
      return s;
    Result<std::string> other = surveyHashOf(files[i]);
    if (!other)
      return std::move(other).error();
    if (*other != *hash)
      return Error{files[i].path() + ": expected sums with the survey of '" +
                   files.front().path() + "', got those of another survey"};
    Result<Sums> sums = readSums(files[i], *fit);
    if (!sums)
      return std::move(sums).error();
    if (Status s = join(fit->layout, *all, *std::move(sums), files[i].path());
        !s)
      return s;
  }
  Result<SafetensorsWriter> writer = serialize(model, fit->layout, *all);
  if (!writer)
    return std::move(writer).error();
  return writer->write(options.output);
}

Status runMerge(const tamrt_model &model, const Options &options) {
  if (Status s = checkOutput(options); !s)
    return s;
  if (Status s = checkTerminal(options); !s)
    return s;
  std::vector<SafetensorsFile> files;
  bool areSums = false;
  for (const std::string &path : options.inputs) {
    Result<SafetensorsFile> file = openFile(path);
    if (!file)
      return std::move(file).error();
    Result<bool> has = hasSums(*file);
    if (!has)
      return std::move(has).error();
    if (!files.empty() && *has != areSums)
      return Error{path + ": expected " + (areSums ? "sums" : "a survey") +
                   " as in '" + options.inputs.front() + "', got " +
                   (*has ? "sums" : "a survey")};
    areSums = *has;
    files.push_back(*std::move(file));
  }
  return areSums ? mergeSums(model, options, std::move(files))
                 : mergeSurveys(model, options, std::move(files));
}

/// Checks that a fit of all rows would use the direct solver.
static Status checkRoute(const tamrt_model &model, const SurveyedFit &fit,
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
  if (Status s = checkPart(options); !s)
    return s;
  if (Status s = checkTerminal(options); !s)
    return s;
  return runSession(model, options, [&](const Session &session) -> Status {
    Progress progress(STDERR_FILENO, model.name);
    Timings timings;
    const RunOptions run = session.run(options, progress);
    Result<SafetensorsFile> file = openFile(options.survey);
    if (!file)
      return std::move(file).error();
    Result<bool> has = hasSums(*file);
    if (!has)
      return std::move(has).error();
    Result<SurveyedFit> fit = readFit(model, *file);
    if (!fit)
      return std::move(fit).error();
    if (Status s = checkRoute(model, *fit, run); !s)
      return s;
    const std::string name = nameOfPart(options);
    const std::vector<PartSurvey> &parts = fit->survey.parts;
    const auto part =
        std::find_if(parts.begin(), parts.end(),
                     [&](const PartSurvey &each) { return each.name == name; });
    if (part == parts.end())
      return Error{options.survey + ": expected a survey of part '" + name +
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
    if (options.stream && !streams)
      tell(model, "note",
           "--stream keeps all rows, " +
               std::to_string(part->rows() * Dataset::bytesPerRow(model)) +
               " bytes: their dates are not in order");
    Result<Sums> sums = streams ? work.sumStreamed() : work.sumInMemory();
    if (!sums)
      return std::move(sums).error();
    timings.end("sums");
    progress.clear();
    if (options.dropMissing)
      tell(model, "note", reader->describeDropped());
    for (const std::string &note : work.notes())
      tell(model, "note", note);
    Result<SafetensorsWriter> writer = serialize(model, fit->layout, *sums);
    if (!writer)
      return std::move(writer).error();
    if (Status s = writer->write(options.output); !s)
      return s;
    timings.end("write");
    timings.note("readings of the file", int64_t(work.readings()));
    session.finish(timings, options);
    return {};
  });
}

Status runSolve(const tamrt_model &model, const Options &options) {
  if (Status s = checkTerminal(options); !s)
    return s;
  return runSession(model, options, [&](const Session &session) -> Status {
    Progress progress(STDERR_FILENO, model.name);
    Timings timings;
    RunOptions run = session.run(options, progress);
    run.strengths = options.penalties.strengths;
    Result<SafetensorsFile> file = openFile(options.input);
    if (!file)
      return std::move(file).error();
    Result<bool> has = hasSums(*file);
    if (!has)
      return std::move(has).error();
    if (!*has)
      return Error{file->path() + ": expected sums, got a survey; the sums of "
                                  "each part come from it (sums --survey)"};
    Result<SurveyedFit> fit = readFit(model, *file);
    if (!fit)
      return std::move(fit).error();
    Result<Sums> sums = readSums(*file, *fit);
    if (!sums)
      return std::move(sums).error();
    timings.end("read");
    Result<Weights> weights = solveSums(model, *fit, *sums, file->path(), run);
    if (!weights)
      return std::move(weights).error();
    weights->tables = std::move(fit->tables);
    weights->penalties = options.penalties.aps;
    timings.end("solve");
    progress.clear();
    tellInexact(model, fit->rows);
    if (Status s = serialize(model, *weights).write(options.output); !s)
      return s;
    timings.end("write");
    session.finish(timings, options);
    return {};
  });
}

} // namespace tamrt
