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

/// Bytes of the packed sums of rows.
int64_t packedBytes(const tamrt_model &model) {
  return levelLayout(model, StepSolver::Direct).bytes;
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
    return static_cast<char *>(kept) + int64_t(index) * packedBytes(model);
  }
  /// Calls body(here, numbers, those in the state, those at `packed`) for each
  /// sum, on the device of the sums; it runs kernels that can run again.
  template <class Body> void forEach(void *packed, const Body &body) {
    forEachSum(model, TAMRT_STEP_FIT_CHUNK,
               [&](const tamrt_accumulator &each, int64_t offset) {
                 worker.attempt(ladder, [&] {
                   runOn(device, ladder.options.kernels, worker.place,
                         [&](Workplace &here) {
                           body(here, each.count, numbersIn(here.state, each),
                                numbersAt(packed, offset));
                         });
                 });
                 return worker.place.good();
               });
  }
  static void copy(Workplace &here, int64_t count, const double *from,
                   double *to) {
    here.clear(count, to);
    if (here.good())
      here.join(count, {&from, 1}, to);
  }
  /// Stores the sums of the state, loads them, and joins others with them.
  void store(void *packed) {
    forEach(packed, [](Workplace &here, int64_t count, double *sums,
                       double *to) { copy(here, count, sums, to); });
  }
  void load(void *packed) {
    forEach(packed, [](Workplace &here, int64_t count, double *sums,
                       double *from) { copy(here, count, from, sums); });
  }
  void join(void *packed) {
    forEach(packed, [](Workplace &here, int64_t count, double *sums,
                       const double *others) {
      here.join(count, {&others, 1}, sums);
    });
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
  // Sums of the rows from the start of each window to that of the last one.
  for (size_t window = last; window-- > 0;) {
    start();
    add(window * update, (window + 1) * update);
    if (window + 1 < last)
      join(keptAt(window + 1));
    store(keptAt(window));
  }
  start();
  size_t begin = last * update;
  for (size_t window = 0; window < count && worker.place.good(); ++window) {
    const size_t end = window * update + steps.training;
    add(begin, end);
    begin = end;
    double *own = coefficients + window * size_t(model.columns);
    if (window == last)
      return solve(own);
    store(keptAt(last));
    join(keptAt(window));
    solve(own);
    load(keptAt(last));
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
  return size_t(
      std::clamp<int64_t>(kKeptBytes / packedBytes(model), 1, int64_t(most)));
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
static Result<std::vector<double>>
fitOnDevice(const tamrt_model &model, const Dataset &data,
            std::span<const WindowUnit> units, const WindowSteps &steps,
            const Normalization &normalization, const Tables &tables,
            const RunOptions &options) {
  const auto width = size_t(model.columns);
  size_t windows = 0, most = 1;
  for (const WindowUnit &unit : units) {
    windows += unit.count;
    most = std::max(most, unit.count);
  }
  std::vector<double> coefficients(windows * width);
  const int64_t keptBytes = int64_t(most) * packedBytes(model);
  const unsigned threads = chooseThreads(options.threads, units.size(), 1);
  Result<Crew> crew =
      makeCrew(model, TAMRT_STEP_FIT_CHUNK, units.size(), steps.training,
               options, StateOf::Worker, int64_t(threads) * keptBytes);
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
        .run(unit.count, coefficients.data() + unit.first * width);
  });
  if (!done)
    return std::move(done).error();
  crew->ladder->summarize();
  return coefficients;
}

Result<std::vector<double>>
fitUnits(const tamrt_model &model, const Dataset &data,
         std::span<const WindowUnit> units, const WindowSteps &steps,
         const Normalization &normalization, const Tables &tables,
         const RunOptions &options) {
  auto fitOn = [&](Device *device) {
    // Kept sums stay on one device.
    RunOptions onOne = options;
    onOne.device = device;
    onOne.others = {};
    onOne.allowCpuFallback = false;
    return fitOnDevice(model, data, units, steps, normalization, tables, onOne);
  };
  Result<std::vector<double>> fitted = fitOn(options.device);
  if (fitted || !options.allowCpuFallback || !options.device ||
      options.device->isCpu())
    return fitted;
  log(LogLevel::Info, "{}; going on on 'cpu'", fitted.error().message);
  return fitOn(&Device::cpu());
}

} // namespace tamrt
