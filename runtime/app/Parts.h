//===- app/Parts.h - fits of rows in several files --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The commands of a fit whose rows are in several files: survey, merge, sums,
/// solve and split.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_PARTS_H
#define TAMRT_APP_PARTS_H

#include "app/CommandLine.h"
#include "app/CommandOptions.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <CLI/CLI.hpp>

#include <span>

namespace tamrt {

struct RunOptions;
struct SurveyedFit;

/// The commands.
std::span<const CommandSpec> partCommands();

/// Parses the options of the command of `options` if it is one of them.
void parsePartOptions(const CLI::App &command, const OptionTexts &texts,
                      Options &options);

/// Reads a part of the rows and writes its survey.
Status runSurvey(const tamrt_model &model, const Options &options);

/// Reads surveys, or sums, and writes those of all their parts.
Status runMerge(const tamrt_model &model, const Options &options);

/// Reads a part of the rows and the survey of all parts, writes its sums.
Status runSums(const tamrt_model &model, const Options &options);

/// Checks that a fit of all rows would use the direct solver.
Status checkRoute(const tamrt_model &model, const SurveyedFit &fit,
                  const RunOptions &run);

/// Reads the sums of all parts and writes weights, by the command tune with
/// penalties chosen from the sums.
Status runSolve(const tamrt_model &model, const Options &options);

/// Writes the rows of a file to several files, whose fit in parts has the bytes
/// of a fit of the file.
Status runSplit(const tamrt_model &model, const Options &options);

} // namespace tamrt

#endif // TAMRT_APP_PARTS_H
