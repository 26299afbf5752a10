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
#include "core/run/Windows.h"
#include "core/run/Work.h"
#include "io/Parallel.h"
#include "kernels/cpu/Substitution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

/// Most windows of a unit, and bytes of the sums that it keeps: each row of 64
/// windows of 365 rows is summed 1.2 times.
constexpr size_t kMostWindows = 64;
constexpr int64_t kKeptBytes = int64_t(4) << 20;

/// Bound of the rounding errors of sums, of N N' and of N ||y||, N being the
/// norms of the numbers that are summed.
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();

/// Distance of the states.
int64_t stateDistance(const tamrt_model &model) {
  return alignedBytes(std::max<int64_t>(model.state_bytes, 1));
}

/// What a thread keeps for its units.
struct UnitScratch {
  /// States: those that a unit keeps, and last the one that is added to.
  AlignedBuffer states;
  WindowBasis basis;
  /// P + 1e-6 I: the numbers of the lower triangle other than 0, and their
  /// places in it.
  std::vector<SparseNumber> penalty;
  std::vector<double> workspace;
  /// By column: the squared norms of WindowBasis::change; a design row,
  /// and A^-1 times it.
  std::vector<double> squaredNorms, solved;
  /// Sums of w y^2 of the unit's first rows.
  std::vector<double> squares;
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

  /// Fits the unit's windows.
  void run(const WindowUnit &unit, const WindowFits &fits);

private:
  void start();
  void add(size_t first, size_t end);
  void solve(double *coefficients);
  void solveSystem(size_t window, const WindowFits &fits);
  bool isUncertain(size_t window, const WindowFits &fits, double factor,
                   const double *matrix, const double *coefficients);
  void findPenalty();
  void sumSquares();
  void *stateAt(size_t index) const {
    return scratch.states.as<char>() + int64_t(index) * stateDistance(model);
  }
  /// Sets the worker's state, which may be undefined, to another.
  void copy(void *other) {
    if (device.isCpu())
      std::memcpy(worker.place.state, other, size_t(model.state_bytes));
    else {
      start();
      worker.join(ladder, other);
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
  /// The unit's first window, and whether the ranges of its windows differ from
  /// the unit's.
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

/// Solves the equations of a unit that is one window.
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

/// Solves the equations of a window of the unit, which follow from those of the
/// sums.
void UnitFit::solveSystem(size_t window, const WindowFits &fits) {
  if (!worker.place.good())
    return;
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
  scratch.squaredNorms.resize(d);
  for (size_t k = 0; k < d; ++k)
    scratch.squaredNorms[k] = matrix[k * d + k];
  if (changes)
    scratch.basis.change(
        [&](size_t input) {
          auto rangeIn = [&](const Normalization &of, size_t group) {
            const double *range =
                of.ranges.data() + (group * inputs + input) * 2;
            return Range{range[0], range[1]};
          };
          return std::pair(rangeIn(unitRanges, rows.place),
                           rangeIn(normalization, firstWindow + window));
        },
        matrix, vector, scratch.squaredNorms);
  double factor = 1;
  if (steps.hasWeights) {
    // The offset's sum is that of the weights.
    const double sum = matrix[0];
    if (!(sum > 0) || !std::isfinite(sum)) {
      worker.place.context.status = TAMRT_ERROR_OVERFLOW;
      worker.place.context.detail = 0;
      return;
    }
    factor = double(all) / sum;
    for (size_t k = 0; k < d; ++k) {
      vector[k] *= factor;
      for (size_t i = k; i < d; ++i)
        matrix[k * d + i] *= factor;
    }
  }
  for (const SparseNumber &number : scratch.penalty)
    matrix[number.at] += double(all) * number.value;
  Device::cpu().kernels()->cholesky_solve(&worker.place.context, int64_t(d),
                                          matrix, vector,
                                          scratch.workspace.data());
  if (!worker.place.good())
    return;
  std::memcpy(fits.coefficients + (firstWindow + window) * d, vector,
              d * sizeof(double));
  fits.isUncertain[firstWindow + window] =
      isUncertain(window, fits, factor, matrix, vector);
}

/// Whether rounding errors of the sums may change the predictions of a window
/// by more than kWindowError. With errors E of A and e of b a prediction phi'x
/// changes by phi'A^-1 (e - E x), E and e being at most kRounding N N' and
/// kRounding N ||y|| but for signs that differ from number to number. O(D^2)
/// for each row that the window predicts.
bool UnitFit::isUncertain(size_t window, const WindowFits &fits, double factor,
                          const double *matrix, const double *coefficients) {
  const auto d = size_t(model.columns);
  const std::vector<double> &norms = scratch.squaredNorms;
  const size_t start = window * steps.update;
  double right =
      scratch.squares[start + steps.training] - scratch.squares[start];
  double largest = 0;
  for (size_t k = 0; k < d; ++k) {
    right += norms[k] * coefficients[k] * coefficients[k];
    largest = std::max(largest, norms[k]);
  }
  const double rounding = kRounding * factor * std::sqrt(right);
  // ||x||^2 is at most this times x'A x.
  const double most = 1 / (TAMRT_PENALTY_FLOOR * double(steps.training));
  scratch.solved.resize(d);
  double *const solved = scratch.solved.data();
  const size_t end = fits.starts[firstWindow + window + 1];
  for (size_t row = fits.starts[firstWindow + window]; row < end; ++row) {
    const double *design = fits.ahead.data() + row * d;
    double prediction = 0;
    for (size_t k = 0; k < d; ++k)
      prediction += design[k] * coefficients[k];
    const double allowed = kWindowError * std::fabs(prediction);
    // A bound that costs half as much is enough for most.
    std::copy_n(design, d, solved);
    cpu::substituteForward(matrix, int64_t(d), solved);
    const double form = std::inner_product(solved, solved + d, solved, 0.0);
    if (rounding * std::sqrt(largest * most * form) <= allowed)
      continue;
    Device::cpu().kernels()->cholesky_apply(&worker.place.context, matrix,
                                            design, int64_t(d), solved);
    double left = 0;
    for (size_t k = 0; k < d; ++k)
      left += norms[k] * solved[k] * solved[k];
    // NaN is uncertain, too.
    if (!(rounding * std::sqrt(left) <= allowed))
      return true;
  }
  return false;
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
  for (size_t k = 0; k < d; ++k)
    for (size_t i = k; i < d; ++i)
      if (const double value = worker.place.output[k * d + i]; value != 0)
        scratch.penalty.push_back({k * d + i, value});
}

void UnitFit::sumSquares() {
  const double *target = data.target() + rows.first;
  const double *weights =
      data.weights() ? data.weights() + rows.first : nullptr;
  scratch.squares.assign(1, 0.0);
  for (size_t row = 0; row < rows.rows; ++row)
    scratch.squares.push_back(scratch.squares.back() +
                              (weights ? weights[row] : 1.0) * target[row] *
                                  target[row]);
}

void UnitFit::run(const WindowUnit &unit, const WindowFits &fits) {
  firstWindow = unit.first;
  changes = unit.changes;
  const bool hasSystem = unit.count > 1 || steps.hasWeights;
  const size_t update = steps.update, last = unit.count - 1;
  void *const own = stateAt(last);
  worker.place.state = own;
  worker.setColumns(model, data, rows.first);
  if (hasSystem && scratch.penalty.empty())
    findPenalty();
  if (hasSystem)
    sumSquares();
  const std::vector<double> none(hasSystem ? size_t(model.penalty_count) : 0,
                                 0.0);
  unitRanges.parameters(model, rows.place, worker.place.parameters, none);
  // Sums of the rows from the start of each window to that of the last one.
  for (size_t window = last; window-- > 0;) {
    worker.place.state = stateAt(window);
    if (window + 1 < last)
      copy(stateAt(window + 1));
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
      worker.place.state = stateAt(window);
      worker.join(ladder, own);
    }
    if (hasSystem)
      solveSystem(window, fits);
    else
      solve(fits.coefficients + firstWindow * size_t(model.columns));
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
  return size_t(
      std::clamp<int64_t>(kKeptBytes / stateDistance(model), 1, int64_t(most)));
}

/// The threads of a run of units, and their memory on the crew's device.
struct UnitCrew {
  Crew crew;
  std::vector<UnitScratch> scratch;
};

/// Threads for units, each with `stateBytes` for states.
static Result<UnitCrew> makeUnitCrew(const tamrt_model &model, size_t units,
                                     size_t training, int64_t stateBytes,
                                     const WindowBasis &basis,
                                     UnitMemory &memory, RunOptions options) {
  if (memory.bytes != stateBytes)
    memory = {{}, stateBytes};
  const size_t most = chooseThreads(options.threads, units, 1);
  for (size_t threads = most;;) {
    options.threads = unsigned(threads);
    Result<Crew> crew =
        makeCrew(model, TAMRT_STEP_FIT_CHUNK, units, training, options,
                 StateOf::Group, int64_t(threads) * stateBytes);
    // A shortage that the oracle foresees needs no warning.
    LogLevel level = LogLevel::Info;
    std::string why;
    if (crew) {
      std::vector<UnitScratch> scratch;
      auto allocate = [&] {
        if (!crew->device->isCpu() || memory.blocks.empty())
          return crew->device->allocate(size_t(stateBytes), "sums of windows");
        AlignedBuffer block = std::move(memory.blocks.back());
        memory.blocks.pop_back();
        return block;
      };
      while (scratch.size() < crew->workers.size()) {
        AlignedBuffer states = allocate();
        if (!states && scratch.empty()) {
          crew->device->purge();
          states = allocate();
        }
        if (!states)
          break;
        scratch.push_back({std::move(states), basis, {}, {}, {}, {}, {}});
      }
      if (!scratch.empty()) {
        if (scratch.size() < crew->workers.size())
          log(LogLevel::Warning, "device '{}' has memory for {} of {} threads",
              crew->device->label(), scratch.size(), crew->workers.size());
        crew->workers.resize(scratch.size());
        return UnitCrew{*std::move(crew), std::move(scratch)};
      }
      level = LogLevel::Warning;
      why = "expected " + std::to_string(stateBytes) +
            " bytes of memory for the sums of windows on device '" +
            crew->device->label() + "', got " +
            std::to_string(crew->device->memory().freeBytes) + " free";
    } else {
      why = crew.error().message;
    }
    if (!takeLess(threads, most, "threads", options, level, why))
      return Error{why};
  }
}

Status fitUnits(const tamrt_model &model, const Dataset &data,
                std::span<const WindowUnit> units, const WindowSteps &steps,
                const WindowBasis &basis, const Normalization &unitRanges,
                const Normalization &normalization, const Tables &tables,
                const RunOptions &options, UnitMemory &memory,
                const WindowFits &fits) {
  // With the memory of FIT_SYSTEM; the sums of a unit stay on one device.
  Systems systems;
  RunOptions own = options;
  own.systems = &systems;
  own.others = {};
  size_t most = 1;
  for (const WindowUnit &unit : units)
    most = std::max(most, unit.count);
  Result<UnitCrew> made =
      makeUnitCrew(model, units.size(), steps.training,
                   int64_t(most) * stateDistance(model), basis, memory, own);
  if (!made)
    return std::move(made).error();
  auto &[crew, scratch] = *made;
  Work work(model, data.groups(), crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t u) {
    const WindowUnit &unit = units[u];
    worker.place.tables = tables.pointers();
    UnitFit(model, crew, worker, data, data.groups()[u], steps, unitRanges,
            normalization, scratch[worker.lane])
        .run(unit, fits);
  });
  if (done)
    crew.ladder->summarize();
  if (crew.device->isCpu())
    for (UnitScratch &each : scratch)
      memory.blocks.push_back(std::move(each.states));
  return done;
}

} // namespace tamrt
