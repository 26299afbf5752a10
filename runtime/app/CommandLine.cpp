//===- app/CommandLine.cpp - options of a model ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/CommandLine.h"

#include "app/OptionValues.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tamrt {
namespace {

/// CLI11's error in the style of our messages: one line, lower case, "expected
/// X".
std::string describe(const CLI::ParseError &error) {
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
    return "unexpected argument" + message.substr(message.rfind(':')) +
           "; --help tells more";
  for (char &c : message)
    if (c == '\n')
      c = ' ';
  return message;
}

constexpr int64_t kMaxThreads = 4096;

/// Texts from the command line that are yet to be parsed.
struct Texts {
  std::string threads, chunkRows, timings, type = "response", format = "text";
  std::string memory, oracle, rows, groups, allocator = "direct",
                                            growth = "exact";
  double wait = 0;
  std::string solver = "auto", tolerance, maxIterations,
              preconditioner = "sketch";
  std::string separator = ",", decimal = ".";
  std::vector<std::string> placement, missing, penalties, intervals, bounds,
      candidates;
  std::string cycles, runs;
  bool allRungs = false, sliding = false;
};

/// Parses a text such as "solve=cpu" into `placement`; false if it is invalid.
bool parsePlace(std::string_view text, tamrt_placement &placement) {
  const size_t equals = std::min(text.find('='), text.size());
  const std::string_view step = text.substr(0, equals);
  const std::string_view place = text.substr(std::min(equals + 1, text.size()));
  int32_t *of = step == "sums"      ? &placement.sums
                : step == "solve"   ? &placement.solve
                : step == "predict" ? &placement.predict
                                    : nullptr;
  if (!of || (place != "cpu" && place != "device"))
    return false;
  *of = place == "cpu" ? TAMRT_PLACE_CPU : TAMRT_PLACE_DEVICE;
  return true;
}

CLI::Validator place() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        tamrt_placement ignored = {};
        if (parsePlace(text, ignored))
          return "";
        return "expected sums, solve or predict, = and cpu or device, such as "
               "solve=cpu, got '" +
               text + "'";
      },
      "");
}

/// Options of the devices' allocators.
void addAllocatorOptions(CLI::App &command, Options &options, Texts &texts) {
  command
      .add_option("--allocator", texts.allocator,
                  "Who hands out memory: direct (the device itself), bfc (best "
                  "fit) or caching (by stream)")
      ->check(oneOf({"direct", "bfc", "caching"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Memory");
  command
      .add_option("--memory-growth", texts.growth,
                  "How bfc takes memory: exact (what is asked for), double "
                  "(regions that double) or all (its share, at once)")
      ->check(oneOf({"exact", "double", "all"}))
      ->type_name("HOW")
      ->capture_default_str()
      ->group("Memory");
  command
      .add_option("--memory-fraction", options.allocator.fraction,
                  "Part of a device's memory that may be taken, free or not")
      ->check(positive(1))
      ->type_name("SHARE")
      ->capture_default_str()
      ->group("Memory");
}

/// Options of the oracle and of the placement.
void addMemoryOptions(CLI::App &command, Options &options, Texts &texts) {
  constexpr const char *group = "Memory";
  auto share = [&](const char *name, double &value, const char *what) {
    command.add_option(name, value, what)
        ->check(positive(1))
        ->type_name("SHARE")
        ->capture_default_str()
        ->group(group);
  };
  command
      .add_option("--device", options.device,
                  "auto, cpu, or a backend's, such as cuda:1 or cuda:0,cuda:1")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--placement", texts.placement,
                  "Where steps run: sums, solve or predict = cpu or device")
      ->check(place())
      ->delimiter(',')
      ->type_name("STEP=PLACE")
      ->group(group);
  command
      .add_option("--oracle", texts.oracle,
                  "How it is known what fits: by the plan, or by an estimate")
      ->check(oneOf({"plan", "estimate"}))
      ->type_name("RULE")
      ->capture_default_str()
      ->group(group);
  share("--device-share", options.oracle.deviceShare,
        "Part of a device's free memory that work may take");
  share("--ram-share", options.oracle.ramShare,
        "Part of free RAM that work may take");
  command
      .add_option("--direct-limit", options.oracle.directColumns,
                  "Most columns of the direct solver where there is another")
      ->check(count(INT64_MAX))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--estimate-factor", options.oracle.estimateFactor,
                  "Matrices that the estimate counts")
      ->check(positive(1e6))
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  addAllocatorOptions(command, options, texts);
}

/// Options of work on rows.
void addRowOptions(CLI::App &command, Options &options, Texts &texts) {
  command
      .add_option("--threads", texts.threads,
                  "Most threads; default: the machine's")
      ->check(count(kMaxThreads))
      ->type_name("N");
  command
      .add_option("--chunk-rows", texts.chunkRows,
                  "Most rows of a chunk, to save memory")
      ->check(count(INT64_MAX))
      ->type_name("N");
  command.add_flag("--drop-missing", options.dropMissing,
                   "Leave out rows with a missing or infinite value");
}

void addRunOptions(CLI::App &command, Options &options, Texts &texts) {
  addRowOptions(command, options, texts);
  command
      .add_flag("--timings{table}", texts.timings,
                "Seconds per phase on stderr; also --timings=json")
      ->check(oneOf({"table", "json"}));
  command
      .add_option("--trace", options.trace,
                  "File for a trace of the run, which Perfetto opens")
      ->check(file())
      ->type_name("OUT.json");
  addMemoryOptions(command, options, texts);
  command
      .add_option("--memory", texts.memory,
                  "Most bytes that count as free, such as 1.5G")
      ->check(bytes())
      ->type_name("BYTES")
      ->group("Memory");
  command
      .add_flag("--allow-cpu-fallback", options.allowCpuFallback,
                "Use the CPU where a device has too little memory")
      ->group("Memory");
  command
      .add_option("--memory-wait", texts.wait,
                  "Longest wait, in all, for memory that others release")
      ->check(positive(1e9))
      ->type_name("SECONDS")
      ->group("Memory");
  command
      .add_option("--memory-snapshot", options.memorySnapshot,
                  "File for what was where in the device's memory when most of "
                  "it was in use, which tam-plan draws")
      ->check(file())
      ->type_name("OUT.json")
      ->group("Memory");
}

/// Options of the data's format.
void addFormatOptions(CLI::App &command, Texts &texts) {
  constexpr const char *group = "Data";
  command
      .add_option("--sep", texts.separator,
                  "What separates fields: a comma, ';', '|', ':', ' ' or tab")
      ->check(separator())
      ->type_name("BYTE")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--decimal", texts.decimal,
                  "What separates the fraction of a number: . or ,")
      ->check(oneOf({".", ","}))
      ->type_name("BYTE")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--missing", texts.missing,
                  "A text that is a missing value, too; may be repeated")
      ->type_name("TEXT")
      ->take_all()
      ->group(group);
}

/// Checks `solver`, a value of --solver, for a model with one solver.
Status checkOnlySolver(const tamrt_model &model, const std::string &solver) {
  if (hasDirect(model) && hasCg(model))
    return {};
  const char *own = hasDirect(model) ? "direct" : "cg";
  if (solver == "auto" || solver == own)
    return {};
  return Error{fmt::format(
      "--solver: expected {}, the only solver of this model, got '{}'; a model "
      "that tamc compiles with --solver auto {} has both",
      own, solver,
      hasDirect(model) ? "--min-cg 0"
                       : "--max-direct " + std::to_string(model.columns))};
}

/// Options of the solvers that the model has.
void addSolverOptions(const tamrt_model &model, CLI::App &fit, Options &options,
                      Texts &texts) {
  CLI::Option *solver = fit.add_option(
      "--solver", texts.solver, "auto, direct or cg (conjugate gradients)");
  solver->type_name("SOLVER");
  if (hasCg(model) && hasDirect(model))
    solver->check(oneOf({"auto", "direct", "cg"}));
  else
    // Without a choice it is not worth a line of the help. It is checked later,
    // for CLI11's messages do not name an option that is hidden.
    solver->group("");
  if (!hasCg(model))
    return;
  fit.add_option("--tolerance", texts.tolerance,
                 "Conjugate gradients end when |r|/|b| is below; default 1e-10")
      ->check(tolerance())
      ->type_name("TOL");
  fit.add_option("--max-iterations", texts.maxIterations,
                 "Most iterations of conjugate gradients; default 5000")
      ->check(count(INT64_MAX))
      ->type_name("N");
  fit.add_option("--preconditioner", texts.preconditioner,
                 "Of conjugate gradients: sketch, the default, block or none")
      ->check(oneOf({"sketch", "block", "none"}))
      ->type_name("NAME");
  fit.add_flag("--allow-unconverged", options.allowUnconverged,
               "Warn, rather than fail, when iterations do not converge");
}

/// Options of the choice of penalties.
void addTuneOptions(CLI::App &tune, Options &options, Texts &texts) {
  constexpr const char *group = "Penalties";
  tune.add_option("--bounds", texts.bounds,
                  "Least and greatest ap; default -30,6")
      ->delimiter(',')
      ->check(ap())
      ->type_name("LOW,HIGH")
      ->allow_extra_args(false)
      ->group(group);
  tune.add_option("--candidates", texts.candidates,
                  "The aps to try of each penalty; default: a step of a tenth "
                  "of the bounds' distance down and up")
      ->delimiter(',')
      ->check(ap())
      ->type_name("AP,AP,..")
      ->allow_extra_args(false)
      ->group(group);
  tune.add_option("--gamma", options.gcv.gamma,
                  "How much an effective degree of freedom counts in the score")
      ->check(positive(1e6))
      ->type_name("G")
      ->capture_default_str()
      ->group(group);
  tune.add_option("--cycles", texts.cycles,
                  "Most cycles over all penalties; default 15")
      ->check(count(INT32_MAX))
      ->type_name("N")
      ->group(group);
  tune.add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT")
      ->group(group);
}

Status parseTune(const Texts &texts, Options &options) {
  GcvOptions &gcv = options.gcv;
  if (!texts.bounds.empty()) {
    if (texts.bounds.size() != 2)
      return Error{fmt::format("expected --bounds LOW,HIGH, got {} numbers",
                               texts.bounds.size())};
    gcv.low = *parseAp(texts.bounds[0]);
    gcv.high = *parseAp(texts.bounds[1]);
    if (!(gcv.low < gcv.high))
      return Error{fmt::format(
          "expected the first of --bounds below the second, got {},{}",
          texts.bounds[0], texts.bounds[1])};
  }
  for (const std::string &text : texts.candidates)
    gcv.candidates.push_back(*parseAp(text));
  if (!texts.cycles.empty())
    gcv.cycles = size_t(*parseCount(texts.cycles, INT32_MAX));
  if (options.output == "-")
    return Error{"expected a file for the weights, got standard output, which "
                 "gets the penalties"};
  return {};
}

} // namespace

Result<Options> parseCommandLine(const tamrt_model &model, int argc,
                                 const char *const *argv) {
  Options options;
  Texts texts;
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

  auto addFit = [&](const char *name, const char *what, const char *weights) {
    CLI::App *command = app.add_subcommand(name, what);
    command
        ->add_option("TRAIN.csv", options.input,
                     "Training data, CSV; - for stdin")
        ->required()
        ->check(file())
        ->type_name("");
    command->add_option("-o,--output", options.output, weights)
        ->required()
        ->check(file())
        ->type_name("W.safetensors");
    command->add_flag("--stream", options.stream,
                      "Read the file again instead of keeping its rows");
    command->add_flag("--inference", options.inference,
                      "Also write what standard errors and summary need");
    return command;
  };
  CLI::App *fit = addFit("fit", "Fit the model to training data",
                         "Weights to write, safetensors; - for stdout");
  fit->add_option(
         "--ap", texts.penalties,
         "Another ap than the formula's for a penalty (see info), such "
         "as temperature=-2; may be repeated")
      ->type_name("NAME=AP")
      ->allow_extra_args(false);
  addSolverOptions(model, *fit, options, texts);
  addFormatOptions(*fit, texts);
  addRunOptions(*fit, options, texts);

  CLI::App *tune = addFit(
      "tune", "Fit with penalties that minimise the GCV score of the rows",
      "Weights to write, safetensors");
  addTuneOptions(*tune, options, texts);
  addFormatOptions(*tune, texts);
  addRunOptions(*tune, options, texts);

  auto addPredict = [&](const char *name, const char *what) {
    CLI::App *command = app.add_subcommand(name, what);
    command->add_option("NEW.csv", options.input, "Data, CSV; - for stdin")
        ->required()
        ->check(file())
        ->type_name("");
    command
        ->add_option("--weights", options.weights,
                     "Weights of a fit; - for stdin")
        ->required()
        ->check(file())
        ->type_name("W.safetensors");
    command
        ->add_option("-o,--output", options.output,
                     "Table to write, CSV; - for stdout, the default")
        ->check(file())
        ->type_name("OUT.csv");
    command->add_flag("--stream", options.stream,
                      "Predict some rows at a time instead of keeping all");
    command->add_flag("--se", options.se,
                      "Standard errors, too; of effects that are centred");
    addFormatOptions(*command, texts);
    addRunOptions(*command, options, texts);
    return command;
  };
  CLI::App *predict = addPredict("predict", "Predict rows with given weights");
  predict
      ->add_option("--type", texts.type,
                   "response: the prediction; terms: every effect's part of "
                   "it; design: the design matrix")
      ->check(oneOf({"response", "terms", "design"}))
      ->type_name("TYPE");
  predict
      ->add_option("--interval", texts.intervals,
                   "Prediction intervals of these levels, such as 0.9,0.5")
      ->delimiter(',')
      ->check(level())
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  CLI::App *decompose =
      addPredict("decompose", "The same as predict --type=terms");

  CLI::App *coefficients = app.add_subcommand(
      "coefficients", "Print the coefficients of weights as CSV");
  coefficients
      ->add_option("--weights", options.weights,
                   "Weights of a fit; - for stdin")
      ->required()
      ->check(file())
      ->type_name("W.safetensors");
  coefficients->add_flag("--se", options.se, "Standard errors, too");

  CLI::App *summary = app.add_subcommand(
      "summary", "Print what a fit with --inference found out");
  summary
      ->add_option("--weights", options.weights,
                   "Weights of a fit with --inference; - for stdin")
      ->required()
      ->check(file())
      ->type_name("W.safetensors");
  summary->add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT");

  CLI::App *exported = app.add_subcommand(
      "export", "Write the fitted model for other programs, as JSON");
  exported
      ->add_option("--weights", options.weights,
                   "Weights of a fit; - for stdin")
      ->required()
      ->check(file())
      ->type_name("W.safetensors");
  exported->add_option("--format", texts.format, "json, the default")
      ->check(oneOf({"json"}))
      ->type_name("FORMAT");
  exported
      ->add_option("-o,--output", options.output,
                   "File to write; - for stdout, the default")
      ->check(file())
      ->type_name("MODEL.json");

  CLI::App *bench = app.add_subcommand(
      "bench", "Time fits and predictions on one or several devices");
  bench
      ->add_option("TRAIN.csv", options.input,
                   "Training data, CSV; - for stdin")
      ->required()
      ->check(file())
      ->type_name("");
  bench
      ->add_option("--runs", texts.runs,
                   "Runs of each, of which the fastest counts; default 5")
      ->check(count(INT32_MAX))
      ->type_name("N");
  bench->add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT");
  addFormatOptions(*bench, texts);
  addRowOptions(*bench, options, texts);
  addMemoryOptions(*bench, options, texts);
  bench->get_option("--device")
      ->description("auto, all, or a list such as cpu,cuda:1");

  CLI::App *plan = app.add_subcommand("plan", "Print the memory plan");
  plan->add_option("--format", texts.format, "text, csv or json")
      ->check(oneOf({"text", "csv", "json"}))
      ->type_name("FORMAT");
  plan->add_flag("--draw", options.draw, "Draw it: time across, addresses up");
  plan->add_flag("--all-rungs", texts.allRungs,
                 "Every rung buffer by buffer, not just the largest; csv and "
                 "json hold all in any case");
  plan->add_option("--memory", texts.memory,
                   "Instead, say what fits into that many bytes, such as 1.5G")
      ->check(bytes())
      ->type_name("BYTES")
      ->group("Memory");
  plan->add_option("--rows", texts.rows, "Rows of the data")
      ->check(count(INT64_MAX))
      ->type_name("N")
      ->group("Memory");
  plan->add_option("--groups", texts.groups, "Groups of the data")
      ->check(count(INT64_MAX))
      ->type_name("N")
      ->group("Memory");
  plan->add_option("--threads", texts.threads,
                   "Most threads; default: the machine's")
      ->check(count(kMaxThreads))
      ->type_name("N")
      ->group("Memory");
  plan->add_flag("--sliding", texts.sliding,
                 "As for windows that slide over the rows")
      ->group("Memory");
  addMemoryOptions(*plan, options, texts);
  for (auto [name, value] :
       {std::pair("--sliding-device-share", &options.oracle.slidingDeviceShare),
        std::pair("--sliding-ram-share", &options.oracle.slidingRamShare)})
    plan->add_option(name, *value, "The share for sliding windows")
        ->check(positive(1))
        ->type_name("SHARE")
        ->capture_default_str()
        ->group("Memory");

  CLI::App *info = app.add_subcommand(
      "info", "Print the spec, memory needs, device and versions");
  info->add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT");
  info->add_flag("--devices", options.devices,
                 "Instead, what devices were found, tested and skipped");
  addAllocatorOptions(*info, options, texts);

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
    return Error{describe(error)};
  }

  if (*fit)
    options.command = Command::Fit;
  else if (*tune)
    options.command = Command::Tune;
  else if (*predict || *decompose)
    options.command = Command::Predict;
  else if (*coefficients)
    options.command = Command::Coefficients;
  else if (*summary)
    options.command = Command::Summary;
  else if (*exported)
    options.command = Command::Export;
  else if (*bench)
    options.command = Command::Bench;
  else if (*plan)
    options.command = Command::Plan;
  else if (*info)
    options.command = Command::Info;
  else
    return Error{
        "expected a command: fit, tune, predict, decompose, coefficients, "
        "summary, export, bench, plan or info; --help tells more"};

  if (!texts.threads.empty())
    options.threads = unsigned(*parseCount(texts.threads, kMaxThreads));
  if (!texts.chunkRows.empty())
    options.chunkRows = *parseCount(texts.chunkRows, INT64_MAX);
  if (Status s = checkOnlySolver(model, texts.solver); !s)
    return std::move(s).error();
  if (texts.solver != "auto")
    options.solver = texts.solver == "cg" ? FitSolver::Cg : FitSolver::Direct;
  if ((options.inference || *tune) &&
      (!hasDirect(model) || options.solver == FitSolver::Cg))
    return Error{fmt::format(
        "expected the direct solver with {}, got conjugate gradients",
        *tune ? "tune" : "--inference")};
  if (*tune)
    if (Status s = parseTune(texts, options); !s)
      return std::move(s).error();
  Result<ChosenPenalties> penalties = parsePenalties(model, texts.penalties);
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
  for (const std::string &text : texts.placement)
    parsePlace(text, options.placement);
  if (!texts.rows.empty())
    options.planRows = *parseCount(texts.rows, INT64_MAX);
  if (!texts.groups.empty())
    options.planGroups = *parseCount(texts.groups, INT64_MAX);
  if (texts.sliding)
    options.planWork = WorkKind::Sliding;
  if (*plan && texts.memory.empty() &&
      (!texts.rows.empty() || !texts.groups.empty() || texts.sliding))
    return Error{"expected --memory with --rows, --groups or --sliding"};
  if (texts.type == "terms" || *decompose)
    options.type = TAMRT_STEP_TERMS;
  else if (texts.type == "design")
    options.type = TAMRT_STEP_DESIGN;
  for (const std::string &text : texts.intervals) {
    options.intervals.push_back(*parseLevel(text));
    const std::string name = nameOfLevel(text);
    if (std::count(options.intervalNames.begin(), options.intervalNames.end(),
                   name))
      return Error{"--interval: " + text + ": expected once, got twice"};
    options.intervalNames.push_back(name);
  }
  if (!options.intervals.empty() && options.type != TAMRT_STEP_PREDICT)
    return Error{"expected --interval with --type=response, got " + texts.type};
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
  if (options.draw && options.memoryBytes > 0)
    return Error{"expected --draw without --memory"};
  if (options.draw && options.planFormat != PlanFormat::Text)
    return Error{"expected --draw without --format, or with --format=text"};
  return options;
}

} // namespace tamrt
