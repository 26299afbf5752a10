//===- app/CommandOptions.cpp - options of commands -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/CommandOptions.h"

#include "app/OptionValues.h"
#include "core/model/Candidates.h"
#include "io/Number.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tamrt {

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

void addInputOption(CLI::App &command, Options &options, const char *name,
                    const char *what) {
  command.add_option(name, options.input, what)
      ->required()
      ->check(file())
      ->type_name("");
}

CLI::Option *addOutputOption(CLI::App &command, Options &options,
                             const char *what, const char *value) {
  return command.add_option("-o,--output", options.output, what)
      ->check(file())
      ->type_name(value);
}

/// Places with commas between them.
static CLI::Validator places() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        tamrt_placement ignored = {};
        for (const std::string &part : splitAtCommas(text))
          if (!parsePlace(part, ignored))
            return "expected sums, solve or predict, = and cpu or device, such "
                   "as solve=cpu, got '" +
                   part + "'";
        return "";
      },
      "");
}

void addAllocatorOptions(CLI::App &command, Options &options,
                         OptionTexts &texts) {
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

void addMemoryOptions(CLI::App &command, Options &options, OptionTexts &texts) {
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
      ->check(places())
      ->type_name("STEP=PLACE")
      ->allow_extra_args(false)
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

void addSlidingShares(CLI::App &command, Options &options) {
  for (auto [name, value] :
       {std::pair("--sliding-device-share", &options.oracle.slidingDeviceShare),
        std::pair("--sliding-ram-share", &options.oracle.slidingRamShare)})
    command.add_option(name, *value, "The share for sliding windows")
        ->check(positive(1))
        ->type_name("SHARE")
        ->capture_default_str()
        ->group("Memory");
}

void addRowOptions(CLI::App &command, Options &options, OptionTexts &texts) {
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

void addRunOptions(CLI::App &command, Options &options, OptionTexts &texts) {
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

void addFormatOptions(CLI::App &command, OptionTexts &texts) {
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
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
}

Status checkOnlySolver(const tamrt_model &model, const std::string &solver) {
  if (hasChoice(model))
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

void addPenaltyOption(CLI::App &fit, OptionTexts &texts) {
  fit.add_option("--ap", texts.penalties,
                 "Another ap than the formula's for a penalty (see info), such "
                 "as temperature=-2; may be repeated")
      ->type_name("NAME=AP")
      ->allow_extra_args(false);
}

void addSolverOptions(const tamrt_model &model, CLI::App &fit, Options &options,
                      OptionTexts &texts) {
  CLI::Option *solver = fit.add_option(
      "--solver", texts.solver, "auto, direct or cg (conjugate gradients)");
  solver->type_name("SOLVER");
  if (hasChoice(model))
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

void addIntervalOptions(CLI::App &command, OptionTexts &texts,
                        const char *what) {
  command.add_option("--interval", texts.intervals, what)
      ->check(levels())
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  command
      .add_option("--method", texts.method,
                  "Of intervals: gaussian, from standard errors (fit "
                  "--inference) and the rows' weights; conformal, from the "
                  "rows held out by fit --calibrate; or conformal-signed, "
                  "where errors are skewed")
      ->check(oneOf({"gaussian", "conformal", "conformal-signed"}))
      ->type_name("NAME")
      ->capture_default_str();
}

Status parseIntervals(const OptionTexts &texts, Options &options) {
  for (const std::string &list : texts.intervals)
    for (const std::string &text : splitAtCommas(list)) {
      options.intervals.push_back(*parseLevel(text));
      const std::string name = nameOfLevel(text);
      if (std::count(options.intervalNames.begin(), options.intervalNames.end(),
                     name))
        return Error{"--interval: " + text + ": expected once, got twice"};
      options.intervalNames.push_back(name);
    }
  for (IntervalMethod method :
       {IntervalMethod::Conformal, IntervalMethod::ConformalSigned})
    if (texts.method == nameOf(method))
      options.method = method;
  if (options.method != IntervalMethod::Gaussian && options.intervals.empty())
    return Error{"expected --interval with --method=" + texts.method};
  if (!options.intervals.empty() && options.type != TAMRT_STEP_PREDICT)
    return Error{"expected --interval with --type=response, got " + texts.type};
  return {};
}

void addTuneOptions(CLI::App &tune, Options &options, OptionTexts &texts) {
  constexpr const char *group = "Penalties";
  tune.add_option("--criterion", texts.criterion,
                  "What the penalties minimise: gcv (generalised "
                  "cross-validation) or reml (restricted maximum likelihood)")
      ->check(oneOf({"gcv", "reml"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  tune.add_flag("--per-group", options.tune.perGroup,
                "Penalties for each group, not for all in common")
      ->group(group);
  tune.add_option("--bounds", texts.bounds,
                  "Least and greatest ap; default -30,6")
      ->check(aps())
      ->type_name("LOW,HIGH")
      ->group(group);
  tune.add_option("--candidates", texts.candidates,
                  "For gcv: the aps to try of each penalty; default: a step of "
                  "a tenth of the bounds' distance down and up")
      ->check(aps())
      ->type_name("AP,AP,..")
      ->group(group);
  tune.add_option("--gamma", texts.gamma,
                  "For gcv: how much an effective degree of freedom counts; "
                  "default 1.4")
      ->check(positive(1e6))
      ->type_name("G")
      ->group(group);
  tune.add_option("--cycles", texts.cycles,
                  "For gcv: most cycles over all penalties; default 15")
      ->check(count(INT32_MAX))
      ->type_name("N")
      ->group(group);
  tune.add_flag("--grid", options.grid,
                "Choose values for the formula's tokens instead: those that "
                "predict held-out rows best")
      ->group(group);
  tune.add_option("--split", texts.split,
                  "For --grid: the rows to hold out, as for --calibrate; "
                  "default 0.2")
      ->check(split())
      ->type_name("SPLIT")
      ->group(group);
  tune.add_option("--format", texts.format, "text or json")
      ->check(oneOf({"text", "json"}))
      ->type_name("FORMAT")
      ->group(group);
}

void addAdaptOptions(const tamrt_model &model, CLI::App &adapt,
                     Options &options, OptionTexts &texts) {
  addInputOption(adapt, options, "DATA.csv", "Data, CSV; - for stdin");
  adapt
      .add_option("--weights", options.weights,
                  "Weights of the fit whose residuals are corrected; - for "
                  "stdin")
      ->check(file())
      ->type_name("W.safetensors");
  addOutputOption(adapt, options,
                  "Table to write, CSV; - for stdout, the default", "OUT.csv");
  adapt
      .add_option("--coefficients", options.windowCoefficients,
                  "Table to write of the coefficients of each window")
      ->check(file())
      ->type_name("OUT.csv");
  adapt.add_flag("--stream", options.stream,
                 "Read the file twice instead of keeping its rows");
  adapt
      .add_option("--forget", options.forget,
                  "Factor of a row's weight for each later row of its window")
      ->check(positive(1))
      ->type_name("F")
      ->capture_default_str();
  adapt
      .add_option("--windows", texts.windows,
                  "Most windows at once, to save memory")
      ->check(count(INT64_MAX))
      ->type_name("N");
  for (const auto &[name, text, what] :
       {std::tuple("--window", &texts.window,
                   "Rows that a window trains on, instead of the spec's"),
        std::tuple("--update", &texts.update,
                   "Rows that a window predicts, instead of the spec's"),
        std::tuple("--horizon", &texts.horizon,
                   "The first of them, counted from the window's last row, "
                   "instead of the spec's")})
    adapt.add_option(name, *text, what)
        ->check(count(UINT32_MAX))
        ->type_name("ROWS");
  addPenaltyOption(adapt, texts);
  addSolverOptions(model.adapt ? *model.adapt->model : model, adapt, options,
                   texts);
  addFormatOptions(adapt, texts);
  addRunOptions(adapt, options, texts);
  addSlidingShares(adapt, options);
  for (const char *name : {"--ram-share", "--device-share"})
    adapt.remove_option(adapt.get_option(name));
  // A window has a fixed number of rows.
  adapt.remove_option(adapt.get_option("--drop-missing"));
}

Status parseAdapt(const tamrt_model &model, const OptionTexts &texts,
                  Options &options) {
  if (!model.adapt)
    return Error{"expected a model whose spec has 'adapt', got one without"};
  if (model.adapt->corrects && options.weights.empty())
    return Error{"expected --weights of the fit whose residuals are corrected; "
                 "--help tells more"};
  if (!model.adapt->corrects && !options.weights.empty())
    return Error{"expected no --weights, because 'adapt' of the spec has no "
                 "formula"};
  for (auto [number, text] : {std::pair(&options.window, &texts.window),
                              std::pair(&options.update, &texts.update),
                              std::pair(&options.horizon, &texts.horizon)})
    if (!text->empty())
      *number = *parseCount(*text, UINT32_MAX);
  if (!texts.windows.empty())
    options.windowsAtOnce = *parseCount(texts.windows, INT64_MAX);
  return {};
}

/// Checks and parses the options of a grid, and those that it has no use for.
static Status parseGrid(const tamrt_model &model, const OptionTexts &texts,
                        Options &options) {
  if (!options.grid && !texts.split.empty())
    return Error{"expected --grid with --split"};
  if (!options.grid)
    return {};
  if (!hasCandidates(model))
    return Error{"expected a formula with tokens, such as k=$k, with --grid, "
                 "got one without"};
  for (auto [name, isGiven] :
       {std::pair("--criterion=reml", texts.criterion == "reml"),
        std::pair("--per-group", options.tune.perGroup),
        std::pair("--bounds", !texts.bounds.empty()),
        std::pair("--candidates", !texts.candidates.empty()),
        std::pair("--gamma", !texts.gamma.empty()),
        std::pair("--cycles", !texts.cycles.empty()),
        std::pair("--inference", options.inference),
        std::pair("--calibrate", !texts.calibrate.empty())})
    if (isGiven)
      return Error{fmt::format("expected no {} with --grid", name)};
  options.split = *parseSplit(texts.split.empty() ? "0.2" : texts.split);
  options.split.option = "--split";
  return {};
}

Status parseTune(const tamrt_model &model, const OptionTexts &texts,
                 Options &options) {
  if (Status s = parseGrid(model, texts, options); !s)
    return s;
  TuneOptions &tune = options.tune;
  if (!texts.bounds.empty()) {
    const std::vector<std::string> bounds = splitAtCommas(texts.bounds);
    if (bounds.size() != 2)
      return Error{fmt::format("expected --bounds LOW,HIGH, got {} numbers",
                               bounds.size())};
    tune.low = *parseAp(bounds[0]);
    tune.high = *parseAp(bounds[1]);
    if (!(tune.low < tune.high))
      return Error{
          fmt::format("expected the first of --bounds below the second, got {}",
                      texts.bounds)};
  }
  if (texts.criterion == "reml") {
    tune.criterion = Criterion::Reml;
    for (auto [name, isGiven] :
         {std::pair("--candidates", !texts.candidates.empty()),
          std::pair("--gamma", !texts.gamma.empty()),
          std::pair("--cycles", !texts.cycles.empty())})
      if (isGiven)
        return Error{
            fmt::format("expected {} with --criterion gcv, got reml", name)};
  }
  const std::vector<std::string> candidates =
      texts.candidates.empty() ? std::vector<std::string>()
                               : splitAtCommas(texts.candidates);
  for (const std::string &text : candidates) {
    const double ap = *parseAp(text);
    if (!(tune.low <= ap && ap <= tune.high))
      return Error{fmt::format(
          "--candidates: expected aps within the bounds, {} to {}, got '{}'",
          tune.low, tune.high, text)};
    tune.candidates.push_back(ap);
  }
  if (!texts.gamma.empty())
    tune.gamma = *parseNumber(texts.gamma);
  if (!texts.cycles.empty())
    tune.cycles = size_t(*parseCount(texts.cycles, INT32_MAX));
  if (options.output == "-")
    return Error{"expected a file for the weights, got standard output, which "
                 "gets the penalties"};
  return {};
}

} // namespace tamrt
