//===- app/CommandLine.cpp - options of a model ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/CommandLine.h"

#include "app/CommandOptions.h"
#include "app/OptionValues.h"
#include "app/Parts.h"
#include "core/model/Candidates.h"
#include "io/Number.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>
#include <utility>

namespace tamrt {
namespace {

/// The error of `app` in the style of our messages: one line, lower case,
/// "expected X".
std::string describe(const CLI::ParseError &error, const CLI::App &app) {
  std::string message = error.what();
  auto part = [&](size_t end) { return message.substr(0, end); };
  if (dynamic_cast<const CLI::RequiredError *>(&error))
    return "expected " + part(message.find(" is required")) +
           "; --help tells more";
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error)) {
    std::string option = part(message.find(':'));
    return message.find("At Most") == std::string::npos
               ? "expected a value of " + option
               : "expected " + option + " once";
  }
  if (dynamic_cast<const CLI::ExtrasError *>(&error))
    // The error's own text has them in reverse order.
    return fmt::format("unexpected argument: {}; --help tells more",
                       fmt::join(app.remaining(/*recurse=*/true), " "));
  for (char &c : message)
    if (c == '\n')
      c = ' ';
  return message;
}

/// Options of fit and tune; `weights` describes their output.
void addTraining(CLI::App &command, Options &options, OptionTexts &texts,
                 const char *weights) {
  addInputOption(command, options, "TRAIN.csv",
                 "Training data, CSV; - for stdin");
  addOutputOption(command, options, weights, "W.safetensors")->required();
  command.add_flag("--stream", options.stream,
                   "Read the file again instead of keeping its rows");
  command.add_flag("--inference", options.inference,
                   "Also write what standard errors and summary need");
  command
      .add_option("--calibrate", texts.calibrate,
                  "Hold rows of each group out of the fit, and write what "
                  "conformal intervals need of them: a share of the last "
                  "rows, such as 0.2, rows from a date on, or "
                  "COLUMN=VALUE; the coefficients are those of the other "
                  "rows alone")
      ->check(split())
      ->type_name("SPLIT");
}

void addFit(const tamrt_model &model, CLI::App &fit, Options &options,
            OptionTexts &texts) {
  addTraining(fit, options, texts,
              "Weights to write, safetensors; - for stdout");
  addPenaltyOption(fit, texts);
  fit.add_option("--checkpoint", options.checkpoint,
                 "Keep the groups that have been solved in a file, from "
                 "which a fit that was lost goes on; for the direct solver, "
                 "also under MPI")
      ->check(file())
      ->type_name("FILE");
  addSolverOptions(model, fit, options, texts);
  addFormatOptions(fit, texts);
  addRunOptions(fit, options, texts);
}

void addTune(const tamrt_model &, CLI::App &tune, Options &options,
             OptionTexts &texts) {
  addTraining(tune, options, texts, "Weights to write, safetensors");
  addTuneOptions(tune, options, texts);
  addFormatOptions(tune, texts);
  addRunOptions(tune, options, texts);
}

/// The option --weights of a command that needs a fit.
void addWeightsOption(CLI::App &command, Options &options,
                      const char *what = "Weights of a fit; - for stdin") {
  command.add_option("--weights", options.weights, what)
      ->required()
      ->check(file())
      ->type_name("W.safetensors");
}

/// Options of predict and decompose.
void addPrediction(CLI::App &command, Options &options, OptionTexts &texts) {
  addInputOption(command, options, "NEW.csv", "Data, CSV; - for stdin");
  addWeightsOption(command, options);
  addOutputOption(command, options,
                  "Table to write, CSV; - for stdout, the default", "OUT.csv");
  command.add_flag("--stream", options.stream,
                   "Predict some rows at a time instead of keeping all");
  command.add_flag("--se", options.se,
                   "Standard errors, too; of effects that are centred");
  addFormatOptions(command, texts);
  addRunOptions(command, options, texts);
}

void addPredict(const tamrt_model &, CLI::App &predict, Options &options,
                OptionTexts &texts) {
  addPrediction(predict, options, texts);
  predict
      .add_option("--type", texts.type,
                  "response: the prediction; terms: every effect's part of "
                  "it; design: the design matrix")
      ->check(oneOf({"response", "terms", "design"}))
      ->type_name("TYPE");
  addIntervalOptions(predict, texts,
                     "Prediction intervals of these levels, such as 0.9,0.5");
}

void addDecompose(const tamrt_model &, CLI::App &decompose, Options &options,
                  OptionTexts &texts) {
  texts.type = "terms";
  addPrediction(decompose, options, texts);
}

/// The option --format of a text or JSON.
void addTextOrJson(CLI::App &command, OptionTexts &texts) {
  command.add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT");
}

void addEvaluate(const tamrt_model &, CLI::App &evaluate, Options &options,
                 OptionTexts &texts) {
  addInputOption(evaluate, options, "TEST.csv",
                 "Data with the target, CSV; - for stdin");
  addWeightsOption(evaluate, options);
  addOutputOption(evaluate, options, "File to write; - for stdout, the default",
                  "OUT");
  evaluate
      .add_option("--by", options.by,
                  "Also by the values of a column, or by year, month, hour "
                  "or weekday (1 is Monday) of the date if there is no such "
                  "column")
      ->check(file())
      ->type_name("COLUMN");
  addIntervalOptions(evaluate, texts,
                     "Also how often the target is in intervals of these "
                     "levels, such as 0.9,0.5, their width and pinball loss");
  addTextOrJson(evaluate, texts);
  evaluate.add_flag("--stream", options.stream,
                    "Read some rows at a time instead of keeping all");
  addFormatOptions(evaluate, texts);
  addRunOptions(evaluate, options, texts);
}

void addCoefficients(const tamrt_model &, CLI::App &coefficients,
                     Options &options, OptionTexts &) {
  addWeightsOption(coefficients, options);
  coefficients.add_flag("--se", options.se, "Standard errors, too");
}

void addSummary(const tamrt_model &, CLI::App &summary, Options &options,
                OptionTexts &texts) {
  addWeightsOption(summary, options,
                   "Weights of a fit with --inference; - for stdin");
  addTextOrJson(summary, texts);
  summary.add_flag("--draw", options.draw,
                   "Also draw the effects, with characters");
  summary
      .add_option("--group", options.groupName,
                  "The group that --draw draws; default: the first")
      ->type_name("NAME");
}

void addPlot(const tamrt_model &, CLI::App &plot, Options &options,
             OptionTexts &texts) {
  plot.add_option("DATA.csv", options.input,
                  "Rows with the target, CSV; - for stdin; may be left out")
      ->check(file())
      ->type_name("");
  addWeightsOption(plot, options);
  // There is no page unless it is asked for.
  options.output.clear();
  addOutputOption(plot, options, "Page to write, HTML; - for stdout",
                  "PAGE.html");
  plot.add_option("--svg", options.svg,
                  "Folder for a picture of each effect and group")
      ->check(file())
      ->type_name("DIR");
  addFormatOptions(plot, texts);
  addRunOptions(plot, options, texts);
}

void addExport(const tamrt_model &, CLI::App &exported, Options &options,
               OptionTexts &texts) {
  addWeightsOption(exported, options);
  exported.add_option("--format", texts.format, "json, the default")
      ->check(oneOf({"json"}))
      ->type_name("FORMAT");
  addOutputOption(exported, options, "File to write; - for stdout, the default",
                  "MODEL.json");
}

void addBench(const tamrt_model &, CLI::App &bench, Options &options,
              OptionTexts &texts) {
  addInputOption(bench, options, "TRAIN.csv",
                 "Training data, CSV; - for stdin");
  bench
      .add_option("--runs", texts.runs,
                  "Runs of each, of which the fastest counts; default 5")
      ->check(count(INT32_MAX))
      ->type_name("N");
  bench.add_flag("--resident", options.resident,
                 "Copy the columns to a device before the time counts");
  addTextOrJson(bench, texts);
  addFormatOptions(bench, texts);
  addRowOptions(bench, options, texts);
  addMemoryOptions(bench, options, texts);
  bench.get_option("--device")
      ->description("auto, all, or a list such as cpu,cuda:1");
}

void addPlan(const tamrt_model &, CLI::App &plan, Options &options,
             OptionTexts &texts) {
  plan.add_option("--format", texts.format, "text, csv or json")
      ->check(oneOf({"text", "csv", "json"}))
      ->type_name("FORMAT");
  plan.add_flag("--draw", options.draw, "Draw it: time across, addresses up");
  plan.add_flag("--all-rungs", texts.allRungs,
                "Every rung buffer by buffer, not just the largest; csv and "
                "json hold all in any case");
  plan.add_option("--memory", texts.memory,
                  "Instead, say what fits into that many bytes, such as 1.5G")
      ->check(bytes())
      ->type_name("BYTES")
      ->group("Memory");
  plan.add_option("--rows", texts.rows, "Rows of the data")
      ->check(count(INT64_MAX))
      ->type_name("N")
      ->group("Memory");
  plan.add_option("--groups", texts.groups, "Groups of the data")
      ->check(count(INT64_MAX))
      ->type_name("N")
      ->group("Memory");
  plan.add_option("--threads", texts.threads,
                  "Most threads; default: the machine's")
      ->check(count(kMaxThreads))
      ->type_name("N")
      ->group("Memory");
  plan.add_flag("--sliding", texts.sliding,
                "As for windows that slide over the rows")
      ->group("Memory");
  addMemoryOptions(plan, options, texts);
  addSlidingShares(plan, options);
}

void addInfo(const tamrt_model &, CLI::App &info, Options &options,
             OptionTexts &texts) {
  addTextOrJson(info, texts);
  info.add_flag("--devices", options.devices,
                "Instead, what devices were found, tested and skipped");
  addAllocatorOptions(info, options, texts);
}

constexpr CommandSpec kCommands[] = {
    {"fit", "Fit the model to training data", Command::Fit, addFit},
    {"tune", "Fit with penalties chosen by the rows", Command::Tune, addTune},
    {"predict", "Predict rows with given weights", Command::Predict,
     addPredict},
    {"decompose", "The same as predict --type=terms", Command::Predict,
     addDecompose},
    {"evaluate", "Print how far predictions are from the target",
     Command::Evaluate, addEvaluate},
    {"adapt", "Fit in windows that slide over the rows, and predict the next",
     Command::Adapt, addAdaptOptions},
    {"coefficients", "Print the coefficients of weights as CSV",
     Command::Coefficients, addCoefficients},
    {"summary", "Print what a fit with --inference found out", Command::Summary,
     addSummary},
    {"plot", "Draw the effects, and the residuals of data, on a page",
     Command::Plot, addPlot},
    {"export", "Write the fitted model for other programs, as JSON",
     Command::Export, addExport},
    {"bench", "Time fits and predictions on one or several devices",
     Command::Bench, addBench},
    {"plan", "Print the memory plan", Command::Plan, addPlan},
    {"info", "Print the spec, memory needs, device and versions", Command::Info,
     addInfo}};

} // namespace

std::string_view nameOf(IntervalMethod method) {
  switch (method) {
  case IntervalMethod::Gaussian:
    return "gaussian";
  case IntervalMethod::Conformal:
    return "conformal";
  case IntervalMethod::ConformalSigned:
    return "conformal-signed";
  }
  return "";
}

Result<Options> parseCommandLine(const tamrt_model &model, int argc,
                                 const char *const *argv) {
  Options options;
  OptionTexts texts;
  options.oracle = oracleOptions(model.oracle);
  texts.oracle = ruleName(options.oracle.rule);
  if (model.placement)
    options.placement = *model.placement;
  if (model.device)
    options.device = model.device;
  CLI::App app(std::string("Additive model: ") + model.formula, model.name);
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string(model.name) + " (tamc " +
                                        model.tamc_version + ", LLVM " +
                                        model.llvm_version + ")");

  // Options of the command that is given alone: those of all would take half
  // the time of a short run.
  const CommandSpec *given = nullptr;
  const CLI::App *command = nullptr;
  for (std::span<const CommandSpec> commands :
       {std::span<const CommandSpec>(kCommands), partCommands()})
    for (const CommandSpec &each : commands) {
      CLI::App *added = app.add_subcommand(each.name, each.what);
      added->preparse_callback([&, added](size_t) {
        given = &each;
        command = added;
        each.addOptions(model, *added, options, texts);
      });
    }

  // After "--option=" CLI11 would take the next argument as the value.
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (const std::string_view text = argv[i];
        text.starts_with("--") && text.find('=') == text.size() - 1)
      return Error{fmt::format("expected a value of {}",
                               text.substr(0, text.size() - 1))};

  // CLI11 reports errors by exceptions, which are caught here.
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    options.help = app.help();
    return options;
  } catch (const CLI::CallForVersion &) {
    options.help = app.version() + "\n";
    return options;
  } catch (const CLI::ParseError &error) {
    return Error{describe(error, app)};
  }

  if (!given)
    return Error{"expected a command: fit, tune, predict, decompose, evaluate, "
                 "adapt, coefficients, summary, plot, export, bench, plan, "
                 "info, or survey, merge, sums, solve or split for a fit in "
                 "parts; --help tells more"};
  options.command = given->command;
  parsePartOptions(*command, texts, options);

  if (hasCandidates(model) && !options.grid &&
      options.command != Command::Plan && options.command != Command::Info)
    return Error{"expected tune --grid, which chooses values for the tokens of "
                 "the formula, or plan or info; the formula that it prints is "
                 "that of a model with the other commands"};
  if (!texts.threads.empty())
    options.threads = unsigned(*parseCount(texts.threads, kMaxThreads));
  if (!texts.chunkRows.empty())
    options.chunkRows = *parseCount(texts.chunkRows, INT64_MAX);
  const bool adapts = options.command == Command::Adapt;
  if (adapts)
    if (Status s = parseAdapt(model, texts, options); !s)
      return std::move(s).error();
  // Of the fits.
  const bool tunes = options.command == Command::Tune;
  const tamrt_model &fitted = adapts ? *model.adapt->model : model;
  if (Status s = checkOnlySolver(fitted, texts.solver); !s)
    return std::move(s).error();
  if (texts.solver != "auto")
    options.solver = texts.solver == "cg" ? FitSolver::Cg : FitSolver::Direct;
  if ((options.inference || tunes) &&
      (!hasDirect(model) || options.solver == FitSolver::Cg))
    return Error{fmt::format(
        "expected the direct solver with {}, got conjugate gradients",
        tunes ? "tune" : "--inference")};
  if (!texts.calibrate.empty())
    options.calibrate = *parseSplit(texts.calibrate);
  if (tunes)
    if (Status s = parseTune(model, texts, options); !s)
      return std::move(s).error();
  Result<ChosenPenalties> penalties = parsePenalties(fitted, texts.penalties);
  if (!penalties)
    return std::move(penalties).error();
  options.penalties = *std::move(penalties);
  if (!texts.tolerance.empty())
    options.cg.tolerance = *parseTolerance(texts.tolerance);
  if (!texts.maxIterations.empty())
    options.cg.maxIterations = *parseCount(texts.maxIterations, INT64_MAX);
  if (texts.preconditioner == "none")
    options.cg.preconditioner = Preconditioner::None;
  else if (texts.preconditioner == "block")
    options.cg.preconditioner = Preconditioner::Block;
  if (!texts.runs.empty())
    options.runs = *parseCount(texts.runs, INT32_MAX);
  if (!texts.timings.empty())
    options.timings =
        texts.timings == "json" ? TimingsFormat::Json : TimingsFormat::Table;
  options.format.separator = *parseSeparator(texts.separator);
  options.format.decimal = texts.decimal.front();
  for (const std::string &text : texts.missing)
    options.format.addMissing(text);
  if (!texts.memory.empty())
    options.memoryBytes = *parseBytes(texts.memory);
  options.oracle.rule =
      texts.oracle == "estimate" ? OracleRule::Estimate : OracleRule::Plan;
  options.allocator.kind = *allocatorOf(texts.allocator);
  options.allocator.growth = *growthOf(texts.growth);
  options.allocator.wait = std::chrono::duration<double>(texts.wait);
  if (options.allocator.growth != RegionGrowth::Exact &&
      options.allocator.kind != AllocatorKind::BestFit)
    return Error{"expected --allocator bfc with --memory-growth " +
                 texts.growth + ", got " + texts.allocator};
  std::set<std::string> placed;
  for (const std::string &text : texts.placement)
    for (const std::string &place : splitAtCommas(text)) {
      const std::string step = place.substr(0, place.find('='));
      if (!placed.insert(step).second)
        return Error{"expected one place for each step with --placement, got "
                     "two for " +
                     step};
      parsePlace(place, options.placement);
    }
  if (!texts.rows.empty())
    options.planRows = *parseCount(texts.rows, INT64_MAX);
  if (!texts.groups.empty())
    options.planGroups = *parseCount(texts.groups, INT64_MAX);
  if (texts.sliding)
    options.planWork = WorkKind::Sliding;
  if (options.command == Command::Plan && texts.memory.empty() &&
      (!texts.rows.empty() || !texts.groups.empty() || texts.sliding))
    return Error{"expected --memory with --rows, --groups or --sliding"};
  if (texts.type == "terms")
    options.type = TAMRT_STEP_TERMS;
  else if (texts.type == "design")
    options.type = TAMRT_STEP_DESIGN;
  if (Status s = parseIntervals(texts, options); !s)
    return std::move(s).error();
  if (options.se && options.type == TAMRT_STEP_DESIGN)
    return Error{"expected --se with --type=response or terms, got design"};
  if (texts.format == "csv")
    options.planFormat = PlanFormat::Csv;
  else if (texts.format == "json") {
    options.planFormat = PlanFormat::Json;
    options.infoFormat = InfoFormat::Json;
  }
  if (texts.allRungs)
    options.planScope = PlanScope::AllRungs;
  if (options.input == "-" && options.weights == "-")
    return Error{"expected the data or the weights from standard input, got "
                 "both; give one of them as a file"};
  if (options.command == Command::Plot && options.output.empty() &&
      options.svg.empty())
    return Error{"expected -o PAGE.html or --svg DIR, or both, got neither"};
  if (options.command == Command::Summary && options.draw &&
      options.infoFormat == InfoFormat::Json)
    return Error{"expected --draw without --format, or with --format=text"};
  if (!options.groupName.empty() && !options.draw)
    return Error{"expected --draw with --group"};
  if (options.draw && options.memoryBytes > 0)
    return Error{"expected --draw without --memory"};
  if (options.draw && options.planFormat != PlanFormat::Text)
    return Error{"expected --draw without --format, or with --format=text"};
  return options;
}

} // namespace tamrt
