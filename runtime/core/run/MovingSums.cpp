//===- core/run/MovingSums.cpp - windows that share their sums ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/MovingSums.h"

#include "core/Log.h"
#include "core/run/Work.h"
#include "io/Parallel.h"

#include <algorithm>
#include <cstring>

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

/// The fit of one unit on one thread.
class UnitFit {
public:
  UnitFit(const tamrt_model &model, Crew &crew, Worker &worker,
          const Dataset &data, const Group &rows, const WindowSteps &steps,
          void *kept)
      : model(model), ladder(*crew.ladder), device(*crew.device),
        worker(worker), data(data), rows(rows), steps(steps), kept(kept) {}

  /// Writes the coefficients of `count` windows.
  void run(size_t count, double *coefficients);

private:
  void start();
  void add(size_t first, size_t end);
  void solve(double *coefficients);
  void *keptAt(size_t index) const {
    return static_cast<char *>(kept) + int64_t(index) * keptStateBytes(model);
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
  void *kept;
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

void UnitFit::solve(double *coefficients) {
  if (!worker.place.good())
    return;
  const auto all = int64_t(steps.training);
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr, all, 0, all);
  });
  if (worker.place.good())
    std::memcpy(coefficients, worker.place.output,
                size_t(model.columns) * sizeof(double));
}

void UnitFit::run(size_t count, double *coefficients) {
  const size_t update = steps.update, last = count - 1;
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
  for (size_t window = 0; window < count && worker.place.good(); ++window) {
    const size_t end = window * update + steps.training;
    add(begin, end);
    begin = end;
    if (window < last) {
      // The kept sums serve one window.
      worker.place.state = keptAt(window);
      join(own);
    }
    solve(coefficients + window * size_t(model.columns));
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
                          const WindowSteps &steps,
                          const Normalization &normalization,
                          const Tables &tables, const RunOptions &options,
                          double *coefficients) {
  size_t most = 1;
  for (const WindowUnit &unit : units)
    most = std::max(most, unit.count);
  const int64_t keptBytes = int64_t(most) * keptStateBytes(model);
  auto makeCrewOf = [&](unsigned threads) {
    RunOptions of = options;
    of.threads = threads;
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
  std::vector<AlignedBuffer> kept;
  while (kept.size() < crew->workers.size()) {
    AlignedBuffer own = allocateKept(*crew->device, keptBytes);
    if (!own)
      break;
    kept.push_back(std::move(own));
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
    normalization.parameters(model, unit.first, worker.place.parameters,
                             options.strengths);
    worker.place.tables = tables.pointers();
    UnitFit(model, *crew, worker, data, data.groups()[u], steps,
            kept[worker.lane].data())
        .run(unit.count, coefficients + unit.first * size_t(model.columns));
  });
  if (done)
    crew->ladder->summarize();
  return done;
}

Status fitUnits(const tamrt_model &model, const Dataset &data,
                std::span<const WindowUnit> units, const WindowSteps &steps,
                const Normalization &normalization, const Tables &tables,
                const RunOptions &options, double *coefficients) {
  auto fitOn = [&](Device *device) {
    // Kept sums stay on one device.
    RunOptions onOne = options;
    onOne.device = device;
    onOne.others = {};
    onOne.allowCpuFallback = false;
    return fitOnDevice(model, data, units, steps, normalization, tables, onOne,
                       coefficients);
  };
  Status fitted = fitOn(options.device);
  if (fitted || !options.allowCpuFallback || !options.device ||
      options.device->isCpu())
    return fitted;
  log(LogLevel::Info, "{}; going on on 'cpu'", fitted.error().message);
  return fitOn(&Device::cpu());
}

} // namespace tamrt
