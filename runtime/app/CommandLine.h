//===- app/CommandLine.h - options of a model -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_COMMANDLINE_H
#define TAMRT_APP_COMMANDLINE_H

#include "app/Penalties.h"
#include "core/data/Split.h"
#include "core/device/DeviceAllocator.h"
#include "core/device/Oracle.h"
#include "core/run/Executor.h"
#include "core/run/Tune.h"
#include "io/CsvFormat.h"
#include "io/Error.h"
#include "tamrt/abi.h"
#include "tamrt/plan_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

struct Weights;

enum class Command {
  Help,
  Fit,
  Tune,
  Predict,
  Evaluate,
  Adapt,
  Coefficients,
  Summary,
  Export,
  Bench,
  Plot,
  Plan,
  Info,
  Survey,
  Merge,
  Sums,
  Solve,
  Split
};

enum class TimingsFormat { None, Table, Json };

enum class InfoFormat { Text, Json };

/// What intervals come from: the normal distribution with the standard error of
/// a prediction; or the residuals of held-out rows, by magnitude or by sign.
enum class IntervalMethod { Gaussian, Conformal, ConformalSigned };

/// The method's name on the command line.
std::string_view nameOf(IntervalMethod method);

/// A parsed command line. Each command uses some of the fields.
struct Options {
  Command command = Command::Help;
  /// Text of --help or --version.
  std::string help;
  /// Files of data, weights and output; "-" is standard input or output.
  std::string input, weights, output = "-";
  /// Rows in memory, which are read instead of the file of data; null: none.
  const tamrt_frame *frame = nullptr;
  /// Weights in memory, which are used instead of their file; null: none.
  const Weights *fitted = nullptr;
  /// 0: as many as the machine has.
  unsigned threads = 0;
  /// 0: the model's largest rung.
  int64_t chunkRows = 0;
  bool dropMissing = false;
  /// Format of the data.
  CsvFormat format;
  /// Processes the rows in parts instead of keeping all rows in memory.
  bool stream = false;
  /// For fit.
  FitSolver solver = FitSolver::Auto;
  CgOptions cg = {};
  ChosenPenalties penalties;
  bool allowUnconverged = false;
  /// For fit: the file with what has been solved so far; empty: none.
  std::string checkpoint;
  /// For fit: write what standard errors and summaries need.
  bool inference = false;
  /// For fit and tune: the rows that are held out to calibrate intervals.
  std::optional<Split> calibrate;
  /// For tune: the choice of penalties, or of values for the formula's tokens
  /// by rows that are held out.
  TuneOptions tune;
  bool grid = false;
  Split split;
  /// For predict and coefficients: print standard errors.
  bool se = false;
  /// For predict and evaluate: the levels of intervals, each above 0 and below
  /// 1, and their texts without "0." for the names of columns.
  std::vector<double> intervals;
  std::vector<std::string> intervalNames;
  IntervalMethod method = IntervalMethod::Gaussian;
  /// For evaluate: a column, or a part of the date; empty: none.
  std::string by;
  /// For adapt: the factor of a row's weight for each row after it, most
  /// windows at once (0: as many as have room), and the file for their
  /// coefficients (empty: none).
  double forget = 1;
  /// For adapt: numbers of rows instead of the spec's (tamrt_adapt); 0: the
  /// spec's.
  int64_t window = 0, update = 0, horizon = 0;
  int64_t windowsAtOnce = 0;
  std::string windowCoefficients;
  bool draw = false;
  /// For plot: folder for pictures; empty: none. No page if `output` is empty.
  std::string svg;
  /// For summary --draw: the group; empty: the first.
  std::string groupName;
  TimingsFormat timings = TimingsFormat::None;
  PlanFormat planFormat = PlanFormat::Text;
  PlanScope planScope = PlanScope::LargestRungs;
  InfoFormat infoFormat = InfoFormat::Text;
  /// For bench: runs of each device.
  int64_t runs = 5;
  /// For bench: columns are copied to a device before the time counts.
  bool resident = false;
  /// For info: print the devices instead of the model.
  bool devices = false;
  /// The device of the steps: "auto", "cpu", "cuda:1".
  std::string device = "auto";
  OracleOptions oracle;
  /// Options of the allocator on every device of the run.
  AllocatorOptions allocator;
  /// Most bytes that count as free; for plan, the bytes of the machine in
  /// question. 0: not given.
  int64_t memoryBytes = 0;
  bool allowCpuFallback = false;
  /// Which steps run on the CPU whatever the device.
  tamrt_placement placement = {};
  /// File to write a trace to; empty: none.
  std::string trace;
  /// File to write a snapshot of the device's memory to; empty: none.
  std::string memorySnapshot;
  /// For plan: size of the data in question. 0 rows: as many as the largest
  /// rung takes.
  int64_t planRows = 0, planGroups = 1;
  WorkKind planWork = WorkKind::Static;
  /// PREDICT, TERMS or DESIGN.
  tamrt_step_kind type = TAMRT_STEP_PREDICT;

  /// For merge: the files. For survey and sums: the part's name; empty: the
  /// file's. For sums: the survey of all parts. For split: most parts.
  std::vector<std::string> inputs;
  std::string partName, survey;
  int64_t parts = 0;
  bool wholeGroups = false;

  /// Whether there are rows, of a file or in memory.
  bool hasRows() const { return frame || !input.empty(); }
  /// Where the rows come from.
  DataSource source() const {
    return frame ? DataSource(*frame) : DataSource(input);
  }
};

/// Parses the arguments of a model's executable. Never throws; errors have the
/// expected values, without the program's name.
Result<Options> parseCommandLine(const tamrt_model &model, int argc,
                                 const char *const *argv);

} // namespace tamrt

#endif // TAMRT_APP_COMMANDLINE_H
