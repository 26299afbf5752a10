//===- app/CommandLine.h - options of a model -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_COMMANDLINE_H
#define TAMRT_APP_COMMANDLINE_H

#include "core/device/DeviceAllocator.h"
#include "core/device/Oracle.h"
#include "core/run/Executor.h"
#include "io/CsvFormat.h"
#include "io/Error.h"
#include "tamrt/abi.h"
#include "tamrt/plan_table.h"

#include <cstdint>
#include <string>

namespace tamrt {

enum class Command { Help, Fit, Predict, Coefficients, Plan, Info };

enum class TimingsFormat { None, Table, Json };

enum class InfoFormat { Text, Json };

/// A parsed command line; which fields count depends on the command.
struct Options {
  Command command = Command::Help;
  /// Text of --help or --version.
  std::string help;
  /// Data in, weights, output; "-" is standard input or output.
  std::string input, weights, output = "-";
  /// 0: as many as the machine has.
  unsigned threads = 0;
  /// 0: the model's largest rung.
  int64_t chunkRows = 0;
  bool dropMissing = false;
  /// How the data are written.
  CsvFormat format;
  /// Keeps sums, or some predictions at a time, instead of all rows.
  bool stream = false;
  /// Of fit.
  FitSolver solver = FitSolver::Auto;
  CgOptions cg = {};
  bool allowUnconverged = false;
  bool draw = false;
  TimingsFormat timings = TimingsFormat::None;
  PlanFormat planFormat = PlanFormat::Text;
  PlanScope planScope = PlanScope::LargestRungs;
  InfoFormat infoFormat = InfoFormat::Text;
  /// Of info: what devices there are, instead of the model.
  bool devices = false;
  /// What the steps run on: "auto", "cpu", "cuda:1".
  std::string device = "auto";
  OracleOptions oracle;
  /// How memory is handed out, on every device of the run.
  AllocatorOptions allocator;
  /// Most bytes that count as free; of plan: of the machine to answer for. 0:
  /// not given.
  int64_t memoryBytes = 0;
  bool allowCpuFallback = false;
  /// Which steps are on the CPU whatever the device.
  tamrt_placement placement = {};
  /// File to write a trace to; empty: none.
  std::string trace;
  /// File to write a snapshot of the device's memory to; empty: none.
  std::string memorySnapshot;
  /// Of plan: the data and the work to answer for. 0 rows: as many as the
  /// largest rung takes.
  int64_t planRows = 0, planGroups = 1;
  WorkKind planWork = WorkKind::Static;
  /// PREDICT, TERMS or DESIGN.
  tamrt_step_kind type = TAMRT_STEP_PREDICT;
};

/// Parses the arguments of a model's executable. Never throws; errors say what
/// was expected, without the program's name.
Result<Options> parseCommandLine(const tamrt_model &model, int argc,
                                 const char *const *argv);

} // namespace tamrt

#endif // TAMRT_APP_COMMANDLINE_H
