//===- core/run/MovingSums.cpp - windows that share their sums ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/MovingSums.h"

#include "core/Log.h"
#include "core/run/UnitPenalties.h"
#include "core/run/Work.h"
#include "io/Parallel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

/// Most windows of a unit, and bytes of the sums that it keeps: each row of 64
/// windows of 365 rows is summed 1.2 times.
constexpr size_t kMostWindows = 64;
constexpr int64_t kKeptBytes = int64_t(4) << 20;

/// Distance of the kept states.
int64_t keptStateBytes(const tamrt_model &model) {
  return alignedBytes(std::max<int64_t>(model.state_bytes, 1));
}

/// What a thread keeps for its units.
struct UnitScratch {
  AlignedBuffer kept;
  WindowBasis basis;
  /// P + 1e-6 I, a lower triangle, by column: the numbers other than 0.
  std::vector<std::vector<SparseNumber>> penalty;
  std::vector<double> workspace;
};

/// The fit of one unit on one thread.
class UnitFit {
public:
  UnitFit(const tamrt_model &model, Crew &crew, Worker &worker,
          const Dataset &data, const Group &rows, const WindowSteps &steps,
          const Normalization &unitRanges, const Normalization &normalization,
          UnitScratch &scratch)
      : model(model), ladder(*crew.ladder), device(*crew.device),
        worker(worker), data(data), rows(rows), steps(steps),
        unitRanges(unitRanges), normalization(normalization), scratch(scratch) {
  }

  /// Writes the coefficients of the unit's windows.
  void run(const WindowUnit &unit, double *coefficients);

private:
  void start();
  void add(size_t first, size_t end);
  void solve(size_t window, double *coefficients);
  void solveSystem(size_t window, double *coefficients);
  void findPenalty();
  void *keptAt(size_t index) const {
    return scratch.kept.as<char>() + int64_t(index) * keptStateBytes(model);
  }
  /// Adds the sums of another state to those of the worker's. What lies between
  /// accumulators is not read.
  void join(void *other) {
    if (!worker.place.good())
      return;
    const auto *const others = static_cast<const double *>(other);
    worker.attempt(ladder, [&] {
      runOn(device, ladder.options.kernels, worker.place, [&](Workplace &here) {
        here.join(model.state_bytes / int64_t(sizeof(double)), {&others, 1},
                  static_cast<double *>(here.state));
      });
    });
  }
  /// Sets the worker's state, which may be undefined, to another.
  void copy(void *other) {
    if (device.isCpu())
      std::memcpy(worker.place.state, other, size_t(model.state_bytes));
    else {
      start();
      join(other);
    }
  }

  const tamrt_model &model;
  Ladder &ladder;
  Device &device;
  Worker &worker;
  const Dataset &data;
  const Group &rows;
  const WindowSteps &steps;
  const Normalization &unitRanges, &normalization;
  UnitScratch &scratch;
  /// The unit's first window, and whether the equations of its windows differ
  /// from those of its sums.
  size_t firstWindow = 0;
  bool changes = false;
};

void UnitFit::start() {
  if (!worker.place.good())
    return;
  worker.setColumns(model, data, rows.first);
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_INIT), nullptr, 0, 0,
               int64_t(steps.training));
  });
}

/// Adds rows [first, end) of the unit to the sums in the state.
void UnitFit::add(size_t first, size_t end) {
  attemptChunks(
      ladder, worker, TAMRT_STEP_FIT_CHUNK, end - first,
      [&](const tamrt_step &step, size_t at, size_t count) {
        worker.setColumns(model, data, rows.first + first + at);
        worker.run(step, nullptr, int64_t(count), int64_t(at),
                   int64_t(steps.training), int64_t(end - first - at - count));
      },
      [](size_t, size_t) {});
}

void UnitFit::solve(size_t window, double *coefficients) {
  if (!worker.place.good())
    return;
  if (changes)
    return solveSystem(window, coefficients);
  const auto all = int64_t(steps.training);
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr, all, 0, all);
  });
  if (worker.place.good())
    std::memcpy(coefficients, worker.place.output,
                size_t(model.columns) * sizeof(double));
}

/// Solves the equations of a window of the unit, which follow from those of the
/// sums.
void UnitFit::solveSystem(size_t window, double *coefficients) {
  const auto all = int64_t(steps.training);
  // Without the floor of any rows: small weights would vanish beside it.
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_SYSTEM), nullptr, 0, 0, 0);
  });
  if (!worker.place.good())
    return;
  const auto d = size_t(model.columns);
  double *matrix = worker.place.output;
  double *vector = matrix + vectorInSystem(model.columns);
  const size_t inputs = normalization.inputs();
  scratch.basis.change(
      [&](size_t input) {
        auto rangeIn = [&](const Normalization &of, size_t group) {
          const double *range = of.ranges.data() + (group * inputs + input) * 2;
          return Range{range[0], range[1]};
        };
        return std::pair(rangeIn(unitRanges, rows.place),
                         rangeIn(normalization, firstWindow + window));
      },
      matrix, vector);
  if (steps.hasWeights) {
    const double *weights = data.weights() + rows.first + window * steps.update;
    const double sum = std::accumulate(weights, weights + all, 0.0);
    if (!(sum > 0) || !std::isfinite(sum)) {
      worker.place.context.status = TAMRT_ERROR_OVERFLOW;
      worker.place.context.detail = 0;
      return;
    }
    const double factor = double(all) / sum;
    for (size_t k = 0; k < d; ++k) {
      vector[k] *= factor;
      for (size_t i = k; i < d; ++i)
        matrix[k * d + i] *= factor;
    }
  }
  for (size_t k = 0; k < d; ++k)
    for (const SparseNumber &number : scratch.penalty[k])
      matrix[k * d + number.at] += double(all) * number.value;
  Device::cpu().kernels()->cholesky_solve(&worker.place.context, int64_t(d),
                                          matrix, vector,
                                          scratch.workspace.data());
  if (worker.place.good())
    std::memcpy(coefficients, vector, d * sizeof(double));
}

/// Finds P + 1e-6 I, which all units have in common.
void UnitFit::findPenalty() {
  unitRanges.parameters(model, rows.place, worker.place.parameters);
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_PENALTY), nullptr, 1, 0, 1);
  });
  if (!worker.place.good())
    return;
  const auto d = size_t(model.columns);
  scratch.workspace.resize(size_t(TAMRT_SOLVE_WORKSPACE(d)));
  scratch.penalty.resize(d);
  for (size_t k = 0; k < d; ++k)
    for (size_t i = k; i < d; ++i)
      if (const double value = worker.place.output[k * d + i]; value != 0)
        scratch.penalty[k].push_back({i, value});
}

void UnitFit::run(const WindowUnit &unit, double *coefficients) {
  firstWindow = unit.first;
  changes = steps.hasWeights;
  for (size_t window = 0; window < unit.count; ++window)
    changes |=
        !unitRanges.areEqual(rows.place, normalization, firstWindow + window);
  worker.setColumns(model, data, rows.first);
  if (changes && scratch.penalty.empty())
    findPenalty();
  const std::vector<double> none(changes ? size_t(model.penalty_count) : 0,
                                 0.0);
  unitRanges.parameters(model, rows.place, worker.place.parameters, none);
  const size_t update = steps.update, last = unit.count - 1;
  void *const own = worker.place.state;
  // Sums of the rows from the start of each window to that of the last one.
  for (size_t window = last; window-- > 0;) {
    worker.place.state = keptAt(window);
    if (window + 1 < last)
      copy(keptAt(window + 1));
    else
      start();
    add(window * update, (window + 1) * update);
  }
  worker.place.state = own;
  start();
  size_t begin = last * update;
  for (size_t window = 0; window < unit.count && worker.place.good();
       ++window) {
    const size_t end = window * update + steps.training;
    add(begin, end);
    begin = end;
    if (window < last) {
      // The kept sums serve one window.
      worker.place.state = keptAt(window);
      join(own);
    }
    solve(window, coefficients + window * size_t(model.columns));
    worker.place.state = own;
  }
}

} // namespace

Result<size_t> windowsPerUnit(const tamrt_model &model,
                              const WindowSteps &steps,
                              const RunOptions &options) {
  const size_t most =
      std::min(kMostWindows, (steps.training - 1) / steps.update + 1);
  if (most == 1 || model.carry_bytes > 0 || steps.training > TAMRT_SEGMENT_ROWS)
    return size_t(1);
  const std::span accumulators(model.accumulators,
                               size_t(model.accumulator_count));
  if (std::any_of(accumulators.begin(), accumulators.end(),
                  [](const tamrt_accumulator &each) {
                    return each.kind == TAMRT_STEP_FIT_CHUNK && each.unit != 0;
                  }))
    return size_t(1);
  Result<FitRoute> route = chooseSolver(model, steps.training, options);
  if (!route)
    return std::move(route).error();
  if (route->solver != SolverChoice::Direct)
    return size_t(1);
  return size_t(std::clamp<int64_t>(kKeptBytes / keptStateBytes(model), 1,
                                    int64_t(most)));
}

/// Memory of a device for kept sums; null if there is none.
static AlignedBuffer allocateKept(Device &device, int64_t bytes) {
  AlignedBuffer kept = device.allocate(size_t(bytes), "kept sums");
  if (kept)
    return kept;
  device.purge();
  return device.allocate(size_t(bytes), "kept sums");
}

/// fitUnits on the device of the options, which have no other.
static Status fitOnDevice(const tamrt_model &model, const Dataset &data,
                          std::span<const WindowUnit> units,
                          const WindowSteps &steps, const WindowBasis &basis,
                          const Normalization &unitRanges,
                          const Normalization &normalization,
                          const Tables &tables, const RunOptions &options,
                          double *coefficients) {
  // With the memory of FIT_SYSTEM.
  Systems systems;
  const auto d = size_t(model.columns);
  size_t most = 1;
  for (const WindowUnit &unit : units)
    most = std::max(most, unit.count);
  const int64_t keptBytes = int64_t(most) * keptStateBytes(model);
  auto makeCrewOf = [&](unsigned threads) {
    RunOptions of = options;
    of.threads = threads;
    of.systems = &systems;
    return makeCrew(model, TAMRT_STEP_FIT_CHUNK, units.size(), steps.training,
                    of, StateOf::Worker, int64_t(threads) * keptBytes);
  };
  unsigned threads = chooseThreads(options.threads, units.size(), 1);
  Result<Crew> crew = makeCrewOf(threads);
  // Each thread keeps sums of its own.
  while (!crew && threads > 1)
    crew = makeCrewOf(threads /= 2);
  if (!crew)
    return std::move(crew).error();
  std::vector<UnitScratch> kept;
  while (kept.size() < crew->workers.size()) {
    AlignedBuffer own = allocateKept(*crew->device, keptBytes);
    if (!own)
      break;
    kept.push_back({std::move(own), basis, {}, {}});
  }
  if (kept.empty())
    return Error{"expected " + std::to_string(keptBytes) +
                 " bytes of memory on device '" + crew->device->label() +
                 "' for the sums of windows, got less"};
  // Fewer threads need less.
  crew->workers.resize(kept.size());
  Work work(model, data.groups(), *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t u) {
    const WindowUnit &unit = units[u];
    worker.place.tables = tables.pointers();
    UnitFit(model, *crew, worker, data, data.groups()[u], steps, unitRanges,
            normalization, kept[worker.lane])
        .run(unit, coefficients + unit.first * d);
  });
  if (done)
    crew->ladder->summarize();
  return done;
}

Status fitUnits(const tamrt_model &model, const Dataset &data,
                std::span<const WindowUnit> units, const WindowSteps &steps,
                const WindowBasis &basis, const Normalization &unitRanges,
                const Normalization &normalization, const Tables &tables,
                const RunOptions &options, double *coefficients) {
  auto fitOn = [&](Device *device) {
    // Kept sums stay on one device.
    RunOptions onOne = options;
    onOne.device = device;
    onOne.others = {};
    onOne.allowCpuFallback = false;
    return fitOnDevice(model, data, units, steps, basis, unitRanges,
                       normalization, tables, onOne, coefficients);
  };
  Status fitted = fitOn(options.device);
  if (fitted || !options.allowCpuFallback || !options.device ||
      options.device->isCpu())
    return fitted;
  log(LogLevel::Info, "{}; going on on 'cpu'", fitted.error().message);
  return fitOn(&Device::cpu());
}

} // namespace tamrt
