//===- core/run/MovingSums.cpp - windows that share their sums ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/MovingSums.h"

#include "core/Log.h"
#include "core/run/Matrix.h"
#include "core/run/RowSums.h"
#include "core/run/UnitPenalties.h"
#include "core/run/Windows.h"
#include "core/run/Work.h"
#include "io/Parallel.h"
#include "kernels/cpu/CholeskyBundle.h"
#include "kernels/cpu/Substitution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace tamrt {
namespace {

/// Most windows of a unit, and bytes of the sums that it keeps and of its
/// design rows: each row of 64 windows of 365 rows is summed 1.2 times.
constexpr size_t kMostWindows = 64;
constexpr size_t kKeptBytes = size_t(4) << 20;

/// Sums that are kept on each thread before fewer threads are taken: of 64
/// windows, rows before their last one are then added 4 times.
constexpr size_t kFewKept = 8;

/// Most rows between the starts of two windows whose design is computed. The
/// steps of a fit take less time for a row, but more for a system of few.
constexpr size_t kMostDesigned = 4;

/// Most columns of a model whose systems are solved in bundles: of 46 columns a
/// bundle takes half the time, of 9 a tenth.
constexpr size_t kMostBundled = 48;

/// The fewest systems that a bundle solves in less time than they take alone.
constexpr size_t leastBundled(size_t d) { return 1 + d / 10; }

/// Numbers of a bundle's matrices, right-hand sides, factors, solutions, and
/// design rows; none if systems are solved one at a time.
constexpr size_t bundleSize(size_t d, size_t systems) {
  return systems > 1 ? systems * (2 * d * d + 3 * d) : 0;
}

/// Bound of the rounding errors of sums, of N N' and of N ||y||, N being the
/// norms of the numbers that are summed.
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();

/// What a thread keeps for its units.
struct UnitScratch {
  /// For `kept` windows at a time, the sums of the rows from the start of each
  /// to that of the last one, after them the sums to which rows are added, and
  /// the numbers of a bundle.
  AlignedBuffer sums;
  WindowBasis basis;
  /// P + 1e-6 I: the numbers of the lower triangle other than 0, and their
  /// places in it.
  std::vector<SparseNumber> penalty = {};
  std::vector<double> workspace = {};
  /// By system and column: the squared norms of WindowBasis::change. Design
  /// rows that are solved, and their forms phi'A^-1 phi.
  std::vector<double> squaredNorms = {}, solved = {}, forms = {};
  /// Sums of w y^2 of the unit's first rows.
  std::vector<double> squares = {};
  size_t kept = 0;
  /// Systems that are assembled before they are solved: 1, or a bundle.
  size_t systems = 1;
};

/// The fit of one unit on one thread.
class UnitFit {
public:
  UnitFit(const tamrt_model &model, Crew &crew, Worker &worker,
          const Dataset &data, const Group &rows, const WindowSteps &steps,
          const Normalization &unitRanges, const Normalization &normalization,
          std::span<const double> strengths, UnitScratch &scratch)
      : model(model), ladder(*crew.ladder), worker(worker), data(data),
        rows(rows), steps(steps), unitRanges(unitRanges),
        normalization(normalization), strengths(strengths), scratch(scratch) {}

  /// Fits the unit's windows. `ends` is its part of UnitEnds.
  void run(const WindowUnit &unit, const double *ends, const WindowFits &fits);

private:
  void start();
  void add(size_t first, size_t end);
  void sumRows(size_t first, size_t end, double *sums);
  void addEnds(size_t first, size_t end, const double *design,
               const double *from, double *to);
  void solve(const WindowFits &fits);
  void leave(size_t window, const WindowFits &fits);
  void keepSums(size_t begin, size_t end, size_t last, const double *ends);
  void assemble(size_t window, const double *kept, const WindowFits &fits);
  void solveAssembled(const WindowFits &fits);
  void solveAlone(size_t index, const WindowFits &fits);
  void findFormsOfBundle(size_t count, const WindowFits &fits);
  static void copyOfBundle(const double *numbers, size_t index, size_t count,
                           double *to);
  template <typename FactorOf>
  bool isUncertain(size_t index, const WindowFits &fits, const double *forms,
                   size_t stride, const FactorOf &factorOf);
  void findPenalty();
  void sumSquares();
  double *sumsAt(size_t index) const {
    return scratch.sums.as<double>() + index * sumsSize(size_t(model.columns));
  }
  double *bundle() const { return sumsAt(scratch.kept + 1); }
  size_t rowsOf(size_t window, const WindowFits &fits) const {
    return fits.starts[firstWindow + window + 1] -
           fits.starts[firstWindow + window];
  }
  const double *designOf(size_t window, const WindowFits &fits) const {
    return fits.ahead.data() +
           fits.starts[firstWindow + window] * size_t(model.columns);
  }

  const tamrt_model &model;
  Ladder &ladder;
  Worker &worker;
  const Dataset &data;
  const Group &rows;
  const WindowSteps &steps;
  const Normalization &unitRanges, &normalization;
  /// Of the penalties; empty: the model's.
  std::span<const double> strengths;
  UnitScratch &scratch;
  /// The unit's first window, and whether the ranges of its windows differ from
  /// the unit's.
  size_t firstWindow = 0;
  bool changes = false;
  /// The windows of the systems that are assembled, and the factors of their
  /// weights.
  struct Assembled {
    size_t window;
    double factor;
  };
  std::array<Assembled, cpu::kBundleSystems> assembled;
  size_t assembledCount = 0;
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

/// Adds rows [first, end) of the unit to sums by the steps of a fit.
void UnitFit::sumRows(size_t first, size_t end, double *sums) {
  start();
  add(first, end);
  if (!worker.place.good())
    return;
  // Without the floor of any rows: small weights would vanish beside it.
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_SYSTEM), nullptr, 0, 0, 0);
  });
  if (worker.place.good())
    addSystem(worker.place.output,
              worker.place.output + vectorInSystem(model.columns),
              size_t(model.columns), sums);
}

/// Sets `to` to the sums `from` with rows [first, end) of the unit added, whose
/// design begins at `design` if they are few.
void UnitFit::addEnds(size_t first, size_t end, const double *design,
                      const double *from, double *to) {
  const auto d = size_t(model.columns);
  if (!hasDesignOfEnds(steps)) {
    if (from != to)
      std::copy_n(from, sumsSize(d), to);
    sumRows(first, end, to);
    return;
  }
  const double *target = data.target() + rows.first;
  const double *weights =
      data.weights() ? data.weights() + rows.first : nullptr;
  for (size_t row = first; row < end; ++row, design += d, from = to)
    addRow(design, d, weights ? weights[row] : 1.0, target[row], from, to);
}

/// Leaves a window whose equations have no solution to the fit of its rows
/// alone: its error, if that has one, too, is the window's.
void UnitFit::leave(size_t window, const WindowFits &fits) {
  tamrt_context &context = worker.place.context;
  if (context.status != TAMRT_ERROR_NOT_POSITIVE_DEFINITE &&
      context.status != TAMRT_ERROR_OVERFLOW)
    return;
  context.status = TAMRT_OK;
  fits.isUncertain[firstWindow + window] = 1;
}

/// Solves the equations of a unit that is one window.
void UnitFit::solve(const WindowFits &fits) {
  if (!worker.place.good())
    return;
  const auto all = int64_t(steps.training);
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr, all, 0, all);
  });
  if (!worker.place.good())
    return leave(0, fits);
  const auto d = size_t(model.columns);
  std::memcpy(fits.coefficients + firstWindow * d, worker.place.output,
              d * sizeof(double));
}

/// Computes the sums to keep of windows [begin, end): of the rows from the
/// start of each to that of the window `last`, which are added from the last
/// ones on.
void UnitFit::keepSums(size_t begin, size_t end, size_t last,
                       const double *ends) {
  const auto d = size_t(model.columns);
  const double *before = nullptr;
  for (size_t window = last; window-- > begin;) {
    double *const sums = sumsAt(std::min(window, end - 1) - begin);
    if (!before) {
      std::fill_n(sums, sumsSize(d), 0.0);
      before = sums;
    }
    const size_t first = window * steps.update;
    addEnds(first, first + steps.update, ends + first * d, before, sums);
    before = sums;
  }
}

/// Assembles the equations of a window of the unit, which follow from those of
/// the sums and, but for the last window, of its kept ones, and solves all that
/// are assembled when there are as many as are solved at once.
void UnitFit::assemble(size_t window, const double *kept,
                       const WindowFits &fits) {
  if (!worker.place.good())
    return;
  const auto all = int64_t(steps.training);
  const auto d = size_t(model.columns);
  const size_t stride = scratch.systems, index = assembledCount;
  double *matrix = worker.place.output;
  double *vector = matrix + vectorInSystem(model.columns);
  if (stride > 1) {
    matrix = bundle() + index;
    vector = matrix + stride * d * d;
  }
  expandSums(sumsAt(scratch.kept), kept, d, stride, matrix, vector);
  scratch.squaredNorms.resize(stride * d);
  double *const norms = scratch.squaredNorms.data() + index * d;
  for (size_t k = 0; k < d; ++k)
    norms[k] = matrix[k * (d + 1) * stride];
  if (changes) {
    const size_t inputs = normalization.inputs();
    auto rangeIn = [&](const Normalization &of, size_t group, size_t input) {
      const double *range = of.ranges.data() + (group * inputs + input) * 2;
      return Range{range[0], range[1]};
    };
    scratch.basis.change(
        [&](size_t input) {
          return std::pair(rangeIn(unitRanges, rows.place, input),
                           rangeIn(normalization, firstWindow + window, input));
        },
        stride, matrix, vector, norms);
  }
  double factor = 1;
  if (steps.hasWeights) {
    // The offset's sum is that of the weights.
    const double sum = matrix[0];
    if (!(sum > 0) || !std::isfinite(sum)) {
      worker.place.context.status = TAMRT_ERROR_OVERFLOW;
      return leave(window, fits);
    }
    factor = double(all) / sum;
    for (size_t k = 0; k < d; ++k) {
      vector[k * stride] *= factor;
      for (size_t i = k; i < d; ++i)
        matrix[(k * d + i) * stride] *= factor;
    }
  }
  for (const SparseNumber &number : scratch.penalty)
    matrix[number.at * stride] += double(all) * number.value;
  assembled[assembledCount++] = {window, factor};
  if (assembledCount == stride)
    solveAssembled(fits);
}

/// Solves the equations that are assembled.
void UnitFit::solveAssembled(const WindowFits &fits) {
  const auto d = size_t(model.columns);
  constexpr auto stride = size_t(cpu::kBundleSystems);
  const size_t count = std::exchange(assembledCount, 0);
  if (!worker.place.good() || count == 0)
    return;
  if (scratch.systems == 1)
    return solveAlone(0, fits);
  const double *const matrices = bundle();
  const double *const vectors = matrices + stride * d * d;
  double *const factors = bundle() + stride * (d * d + d);
  double *const solutions = factors + stride * d * d;
  uint32_t left = (uint32_t(1) << count) - 1;
  if (count >= leastBundled(d)) {
    left &= cpu::solveBundle(int64_t(d), matrices, vectors, factors, solutions);
    findFormsOfBundle(count, fits);
  }
  double *const matrix = worker.place.output;
  for (size_t index = 0; index < count; ++index) {
    if (left >> index & 1)
      continue;
    const size_t window = firstWindow + assembled[index].window;
    copyOfBundle(solutions, index, d, fits.coefficients + window * d);
    fits.isUncertain[window] =
        isUncertain(index, fits, scratch.forms.data() + index, stride, [&] {
          copyOfBundle(factors, index, d * d, matrix);
          return matrix;
        });
  }
  // These use the memory of the forms, too.
  for (size_t index = 0; index < count; ++index) {
    if (!(left >> index & 1))
      continue;
    copyOfBundle(matrices, index, d * d, matrix);
    copyOfBundle(vectors, index, d, matrix + vectorInSystem(model.columns));
    solveAlone(index, fits);
  }
}

/// Copies the numbers of a system of a bundle.
void UnitFit::copyOfBundle(const double *numbers, size_t index, size_t count,
                           double *to) {
  for (size_t k = 0; k < count; ++k)
    to[k] = numbers[k * cpu::kBundleSystems + index];
}

/// Solves the assembled equations `index`, which are in the worker's output.
void UnitFit::solveAlone(size_t index, const WindowFits &fits) {
  const auto d = size_t(model.columns);
  const size_t window = assembled[index].window;
  double *const matrix = worker.place.output;
  double *const vector = matrix + vectorInSystem(model.columns);
  Device::cpu().kernels()->cholesky_solve(&worker.place.context, int64_t(d),
                                          matrix, vector,
                                          scratch.workspace.data());
  if (!worker.place.good())
    return leave(window, fits);
  std::memcpy(fits.coefficients + (firstWindow + window) * d, vector,
              d * sizeof(double));
  const size_t count = rowsOf(window, fits);
  scratch.forms.resize(std::max(scratch.forms.size(), count));
  scratch.solved.resize(d * cpu::kFormsAtOnce);
  cpu::inverseForms(matrix, int64_t(d), designOf(window, fits), int64_t(count),
                    scratch.solved.data(), scratch.forms.data());
  fits.isUncertain[firstWindow + window] =
      isUncertain(index, fits, scratch.forms.data(), 1, [&] { return matrix; });
}

/// Computes the forms of the rows that the first `count` windows of a bundle
/// predict: row r of window s is number r * kBundleSystems + s of `forms`.
void UnitFit::findFormsOfBundle(size_t count, const WindowFits &fits) {
  const auto d = size_t(model.columns);
  constexpr auto stride = size_t(cpu::kBundleSystems);
  size_t most = 0;
  for (size_t index = 0; index < count; ++index)
    most = std::max(most, rowsOf(assembled[index].window, fits));
  scratch.forms.resize(std::max(scratch.forms.size(), most * stride));
  const double *const factors = bundle() + stride * (d * d + d);
  double *const solved = bundle() + stride * (2 * d * d + 2 * d);
  for (size_t row = 0; row < most; ++row) {
    for (size_t index = 0; index < count; ++index) {
      const size_t window = assembled[index].window;
      if (row >= rowsOf(window, fits))
        continue;
      const double *const design = designOf(window, fits) + row * d;
      for (size_t k = 0; k < d; ++k)
        solved[k * stride + index] = design[k];
    }
    cpu::inverseFormsOfBundle(factors, int64_t(d), solved,
                              scratch.forms.data() + row * stride);
  }
}

/// Whether rounding errors of the sums may change the predictions of a window
/// by more than kWindowError. With errors E of A and e of b a prediction phi'x
/// changes by phi'A^-1 (e - E x), E and e being at most kRounding N N' and
/// kRounding N ||y|| but for signs that differ from number to number. O(D^2)
/// for each row that the window predicts.
/// `forms` has the forms of these rows, `stride` apart; factorOf() returns A's
/// factor.
template <typename FactorOf>
bool UnitFit::isUncertain(size_t index, const WindowFits &fits,
                          const double *forms, size_t stride,
                          const FactorOf &factorOf) {
  const auto d = size_t(model.columns);
  const auto [window, factor] = assembled[index];
  const double *const norms = scratch.squaredNorms.data() + index * d;
  const double *const coefficients =
      fits.coefficients + (firstWindow + window) * d;
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
  const size_t count = rowsOf(window, fits);
  for (size_t row = 0; row < count; ++row) {
    const double *design = designOf(window, fits) + row * d;
    const double allowed =
        kWindowError * std::fabs(dot(design, coefficients, d));
    // A bound that costs half as much is enough for most.
    if (rounding * std::sqrt(largest * most * forms[row * stride]) <= allowed)
      continue;
    scratch.solved.resize(d * cpu::kFormsAtOnce);
    double *const solved = scratch.solved.data();
    Device::cpu().kernels()->cholesky_apply(&worker.place.context, factorOf(),
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
  unitRanges.parameters(model, rows.place, worker.place.parameters, strengths);
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
  scratch.squares.resize(rows.rows + 1);
  double sum = 0;
  for (size_t row = 0; row < rows.rows; ++row) {
    scratch.squares[row] = sum;
    sum += (weights ? weights[row] : 1.0) * target[row] * target[row];
  }
  scratch.squares[rows.rows] = sum;
}

void UnitFit::run(const WindowUnit &unit, const double *ends,
                  const WindowFits &fits) {
  firstWindow = unit.first;
  changes = unit.changes;
  const auto d = size_t(model.columns);
  const size_t update = steps.update, last = unit.count - 1;
  const size_t common = last * update;
  worker.setColumns(model, data, rows.first);
  if (last == 0 && !steps.hasWeights) {
    unitRanges.parameters(model, rows.place, worker.place.parameters,
                          strengths);
    start();
    add(0, steps.training);
    solve(fits);
    return;
  }
  if (scratch.penalty.empty())
    findPenalty();
  sumSquares();
  const std::vector<double> none(size_t(model.penalty_count), 0.0);
  unitRanges.parameters(model, rows.place, worker.place.parameters, none);
  double *const sums = sumsAt(scratch.kept);
  std::fill_n(sums, sumsSize(d), 0.0);
  sumRows(common, steps.training, sums);
  size_t begin = 0, end = 0;
  for (size_t window = 0; window < unit.count && worker.place.good();
       ++window) {
    if (window > 0) {
      const size_t before = (window - 1) * update;
      addEnds(steps.training + before, steps.training + before + update,
              ends + (common + before) * d, sums, sums);
    }
    if (window == end && window < last) {
      begin = window;
      end = std::min(begin + scratch.kept, last);
      keepSums(begin, end, last, ends);
    }
    assemble(window, window < last ? sumsAt(window - begin) : nullptr, fits);
  }
  solveAssembled(fits);
}

} // namespace

bool hasDesignOfEnds(const WindowSteps &steps) {
  return steps.update <= kMostDesigned;
}

size_t windowsPerUnit(const tamrt_model &model, SolverChoice solver,
                      const WindowSteps &steps) {
  const size_t most =
      std::min(kMostWindows, (steps.training - 1) / steps.update + 1);
  if (most == 1 || solver != SolverChoice::Direct || model.carry_bytes > 0 ||
      steps.training > TAMRT_SEGMENT_ROWS)
    return 1;
  const std::span accumulators(model.accumulators,
                               size_t(model.accumulator_count));
  if (std::any_of(accumulators.begin(), accumulators.end(),
                  [](const tamrt_accumulator &each) {
                    return each.kind == TAMRT_STEP_FIT_CHUNK && each.unit != 0;
                  }))
    return 1;
  const auto d = size_t(model.columns);
  const size_t ends = hasDesignOfEnds(steps) ? 2 * steps.update * d : 0;
  return std::clamp<size_t>(
      kKeptBytes / (sizeof(double) * (sumsSize(d) + ends)), 1, most);
}

/// The threads of a run of units, and their memory on the crew's device.
struct UnitCrew {
  Crew crew;
  std::vector<UnitScratch> scratch;
};

/// What a run of units has memory for: threads, and on each of them windows
/// whose sums are kept and systems that are solved at once.
struct UnitSizes {
  size_t threads, kept, systems;
};

/// Bytes of a thread for the sums that it keeps, those to which it adds rows,
/// and a bundle of systems.
static int64_t sumsBytes(const tamrt_model &model, const UnitSizes &sizes) {
  const auto d = size_t(model.columns);
  return int64_t(
      ((sizes.kept + 1) * sumsSize(d) + bundleSize(d, sizes.systems)) *
      sizeof(double));
}

/// The sizes that so many threads and windows of a unit can use.
static UnitSizes sizesOf(const tamrt_model &model, size_t threads,
                         size_t mostWindows) {
  const bool hasBundles =
      mostWindows > 1 && size_t(model.columns) <= kMostBundled;
  return {threads, mostWindows - 1,
          hasBundles ? size_t(cpu::kBundleSystems) : 1};
}

int64_t unitSumsBytes(const tamrt_model &model, size_t perUnit) {
  return sumsBytes(model, sizesOf(model, 1, perUnit));
}

/// What is given up after a lack of memory, in this order: half of a size, as
/// long as it is above `least`, or all but that.
struct GivenUp {
  size_t UnitSizes::*size;
  size_t least;
  bool byHalves;
  /// Whether the memory is the CPU's whatever the crew's device is.
  bool isOnCpu;
  const char *what;
};
static constexpr GivenUp kGivenUp[] = {
    {&UnitSizes::kept, kFewKept, true, true, "kept sums"},
    {&UnitSizes::systems, 1, false, true, "systems"},
    {&UnitSizes::threads, 1, true, false, "threads"},
    {&UnitSizes::kept, 1, true, true, "kept sums"},
};

/// Lowers the first size that can be; only the device's memory is short if
/// `isOnDevice`. Logs it with the reason `why`; false if there is none.
static bool giveUp(UnitSizes &sizes, bool isOnDevice, LogLevel level,
                   const std::string &why) {
  for (const GivenUp &each : kGivenUp) {
    size_t &size = sizes.*each.size;
    if (size <= each.least || (isOnDevice && each.isOnCpu))
      continue;
    size = each.byHalves ? std::max((size + 1) / 2, each.least) : each.least;
    log(level, "{}; going on with {} {} at a time", why, size, each.what);
    return true;
  }
  return false;
}

/// The bytes that count on the crew's device, of those in the CPU's memory.
static int64_t sharedBytes(int64_t bytes, const RunOptions &options) {
  return !options.device || options.device->isCpu() ? bytes : 0;
}

/// The options of runs with the memory of FIT_SYSTEM, on one device, which the
/// sums of a unit do not leave.
static RunOptions ownOptions(const RunOptions &options, Systems &systems) {
  RunOptions own = options;
  own.systems = &systems;
  own.others = {};
  return own;
}

/// Threads for units of at most `mostWindows` windows, each with the sums and a
/// bundle in the CPU's memory that these can use, or with less if there is
/// little.
static Result<UnitCrew> makeUnitCrew(const tamrt_model &model, size_t units,
                                     size_t training, size_t mostWindows,
                                     const WindowBasis &basis,
                                     UnitMemory &memory, RunOptions options) {
  Device &cpu = Device::cpu();
  const UnitSizes most =
      sizesOf(model, chooseThreads(options.threads, units, 1), mostWindows);
  for (UnitSizes sizes = most;;) {
    const int64_t bytes = sumsBytes(model, sizes);
    if (memory.bytes != bytes)
      memory = {{}, bytes};
    options.threads = unsigned(sizes.threads);
    Result<Crew> crew = makeCrew(
        model, TAMRT_STEP_FIT_CHUNK, units, training, options, StateOf::Worker,
        sharedBytes(int64_t(sizes.threads) * bytes, options));
    // A shortage that the oracle foresees needs no warning.
    LogLevel level = LogLevel::Info;
    std::string why;
    if (crew) {
      std::vector<UnitScratch> scratch;
      auto allocate = [&] {
        if (memory.blocks.empty())
          return cpu.allocate(size_t(bytes), "sums of windows");
        AlignedBuffer block = std::move(memory.blocks.back());
        memory.blocks.pop_back();
        return block;
      };
      while (scratch.size() < crew->workers.size()) {
        AlignedBuffer sums = allocate();
        if (!sums && scratch.empty()) {
          cpu.purge();
          sums = allocate();
        }
        if (!sums)
          break;
        scratch.push_back({.sums = std::move(sums),
                           .basis = basis,
                           .kept = sizes.kept,
                           .systems = sizes.systems});
      }
      if (!scratch.empty()) {
        if (scratch.size() < crew->workers.size())
          log(LogLevel::Warning, "device '{}' has memory for {} of {} threads",
              cpu.label(), scratch.size(), crew->workers.size());
        crew->workers.resize(scratch.size());
        return UnitCrew{*std::move(crew), std::move(scratch)};
      }
      level = LogLevel::Warning;
      why = "expected " + std::to_string(bytes) +
            " bytes of memory for the sums of windows on device '" +
            cpu.label() + "', got " + std::to_string(cpu.memory().freeBytes) +
            " free";
    } else {
      why = crew.error().message;
    }
    const bool isOnDevice = !crew && sharedBytes(1, options) == 0;
    if (giveUp(sizes, isOnDevice, level, why))
      continue;
    if (!goOnOnCpu(options, why))
      return Error{why};
    sizes = most;
  }
}

Status checkUnits(const tamrt_model &model, const RunOptions &options) {
  Systems systems;
  return checkRoute(model, {SolverChoice::Direct, {}},
                    ownOptions(options, systems),
                    sharedBytes(sumsBytes(model, {1, 1, 1}), options));
}

Status fitUnits(const tamrt_model &model, const Dataset &data,
                std::span<const WindowUnit> units, const WindowSteps &steps,
                const WindowBasis &basis, const Normalization &unitRanges,
                const Normalization &normalization, const Tables &tables,
                const RunOptions &options, UnitMemory &memory,
                const UnitEnds &ends, const WindowFits &fits) {
  Systems systems;
  size_t most = 1;
  for (const WindowUnit &unit : units)
    most = std::max(most, unit.count);
  Result<UnitCrew> made =
      makeUnitCrew(model, units.size(), steps.training, most, basis, memory,
                   ownOptions(options, systems));
  if (!made)
    return std::move(made).error();
  auto &[crew, scratch] = *made;
  Work work(model, data.groups(), crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t u) {
    const WindowUnit &unit = units[u];
    worker.place.tables = tables.pointers();
    UnitFit(model, crew, worker, data, data.groups()[u], steps, unitRanges,
            normalization, options.strengths, scratch[worker.lane])
        .run(unit, ends.design.data() + ends.starts[u] * size_t(model.columns),
             fits);
  });
  if (done)
    crew.ladder->summarize();
  for (UnitScratch &each : scratch)
    memory.blocks.push_back(std::move(each.sums));
  return done;
}

} // namespace tamrt
