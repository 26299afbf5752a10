//===- app/CommandOptions.h - options of commands ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Groups of options that several commands have, and what is checked of them
/// together. Internal to CommandLine.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_COMMANDOPTIONS_H
#define TAMRT_APP_COMMANDOPTIONS_H

#include "app/CommandLine.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

constexpr int64_t kMaxThreads = 4096;

/// Texts from the command line that are yet to be parsed.
struct OptionTexts {
  std::string threads, chunkRows, timings, type = "response", format = "text";
  std::string memory, oracle, rows, groups, allocator = "direct",
                                            growth = "exact";
  double wait = 0;
  std::string solver = "auto", tolerance, maxIterations,
              preconditioner = "sketch";
  std::string separator = ",", decimal = ".";
  std::vector<std::string> placement, missing, penalties, intervals;
  std::string criterion = "gcv", bounds, candidates, cycles, gamma, runs,
              calibrate, split, method = "gaussian", windows, window, update,
              horizon, parts;
  bool allRungs = false, sliding = false;
};

/// A command of a model's executable.
struct CommandSpec {
  const char *name, *what;
  Command command;
  /// Adds the options. The parser calls it once the command is given.
  void (*addOptions)(const tamrt_model &model, CLI::App &command,
                     Options &options, OptionTexts &texts);
};

/// Parses a text such as "solve=cpu" into `placement`; false if it is invalid.
bool parsePlace(std::string_view text, tamrt_placement &placement);

/// Options of a command: of the devices' allocators; of the oracle and the
/// placement, these included; of the shares for windows; of work on rows; of a
/// run, all of these but the shares for windows included; of the data's format.
void addAllocatorOptions(CLI::App &command, Options &options,
                         OptionTexts &texts);
void addMemoryOptions(CLI::App &command, Options &options, OptionTexts &texts);
void addSlidingShares(CLI::App &command, Options &options);
void addRowOptions(CLI::App &command, Options &options, OptionTexts &texts);
void addRunOptions(CLI::App &command, Options &options, OptionTexts &texts);
void addFormatOptions(CLI::App &command, OptionTexts &texts);

/// A required input of a command, named `name`; the help says that it is
/// `what`.
void addInputOption(CLI::App &command, Options &options, const char *name,
                    const char *what);

/// The option --output, of which the help says `what` and whose value it calls
/// `value`. Returns it; it is required only if the caller says so.
CLI::Option *addOutputOption(CLI::App &command, Options &options,
                             const char *what, const char *value);

/// The option --ap.
void addPenaltyOption(CLI::App &fit, OptionTexts &texts);

/// Options of the solvers that the model has, and a check of --solver for a
/// model with one.
void addSolverOptions(const tamrt_model &model, CLI::App &fit, Options &options,
                      OptionTexts &texts);
Status checkOnlySolver(const tamrt_model &model, const std::string &solver);

/// Options of intervals; `what` describes their levels.
void addIntervalOptions(CLI::App &command, OptionTexts &texts,
                        const char *what);
Status parseIntervals(const OptionTexts &texts, Options &options);

/// Options of the choice of penalties.
void addTuneOptions(CLI::App &tune, Options &options, OptionTexts &texts);
Status parseTune(const tamrt_model &model, const OptionTexts &texts,
                 Options &options);

/// Options of `adapt`, with those of the model that is fitted in windows.
void addAdaptOptions(const tamrt_model &model, CLI::App &adapt,
                     Options &options, OptionTexts &texts);
Status parseAdapt(const tamrt_model &model, const OptionTexts &texts,
                  Options &options);

} // namespace tamrt

#endif // TAMRT_APP_COMMANDOPTIONS_H
