//===- core/run/Windows.cpp - fits in sliding windows ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Windows.h"

#include "core/device/Device.h"
#include "core/learn/Learners.h"
#include "core/run/Crew.h"
#include "core/run/Matrix.h"
#include "core/run/MovingSums.h"
#include "core/run/RowSums.h"
#include "core/run/WindowBasis.h"
#include "io/Number.h"
#include "io/Parallel.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace tamrt {
namespace {

/// Most bytes per thread of the rows of the windows that are fitted at once:
/// more leave the caches. And their part of the bytes that the run may take.
constexpr size_t kThreadBytes = size_t(2) << 20;
constexpr int64_t kBatchPart = 4;
constexpr size_t kMostThreads = 64;

/// The binary logarithm of the least weight that a window's newest row may have
/// beside those of the last window of its unit.
constexpr double kLeastWeight = -256;

/// Whether a fit makes tables that depend on its rows.
bool learnsFromRows(const tamrt_model &model) {
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    const tamrt_table *tables = model.tables + learner.first_table;
    if (learner.kind != TAMRT_LEARN_NEURAL &&
        std::any_of(tables, tables + learner.table_count,
                    [](const tamrt_table &table) { return !table.given; }))
      return true;
  }
  return false;
}

/// Most windows of a unit.
size_t mostPerUnit(const tamrt_model &model, const FitRoute &route,
                   const WindowOptions &options) {
  // They would share their tables.
  if (learnsFromRows(model))
    return 1;
  return windowsPerUnit(model, route.solver,
                        {options.training, options.update});
}

/// How much is in memory at once.
struct Batching {
  /// Windows of a batch, and rows of their fits that are copied.
  size_t windows, rows;
  /// Most windows of a unit.
  size_t perUnit;
};

/// Bytes of a row of a window that is copied.
size_t bytesOfRow(const tamrt_model &model) {
  return sizeof(double) * (size_t(model.input_count) + 3) + sizeof(uint32_t);
}

/// The batches of a run. A batch takes a part of the bytes that the run may
/// take, and is no larger than the caches unless a window is.
Batching batchingOf(const tamrt_model &model, const WindowOptions &options,
                    size_t predicted, size_t perUnit, const RunOptions &run) {
  const auto inputs = size_t(model.input_count);
  if (learnsFromRows(model))
    return {1, options.training, 1};
  if (options.atOnce > 0)
    return {options.atOnce, options.atOnce * options.training, perUnit};
  int64_t free = Device::cpu().memory().freeBytes;
  if (run.memoryBytes > 0)
    free = std::min(free, run.memoryBytes);
  const int64_t budget =
      budgetOf(free, run.oracle.share(MemoryPlace::Ram, run.work)) / kBatchPart;
  const size_t most =
      std::min(kThreadBytes * chooseThreads(run.threads, kMostThreads, 1),
               size_t(std::max<int64_t>(budget, 0)));
  const size_t row = bytesOfRow(model);
  // The rows of a unit are those of its first window and the later ones' own.
  const size_t rows =
      (options.training + (perUnit - 1) * options.update) / perUnit + predicted;
  const bool hasEnds = hasDesignOfEnds({options.training, options.update});
  const size_t window =
      row * rows +
      sizeof(double) *
          (size_t(model.columns) *
               (1 + predicted +
                (perUnit > 1 && hasEnds ? 2 * options.update : 0)) +
           8 * inputs);
  return {std::max<size_t>(most / window, 1), most / row, perUnit};
}

/// What a batch leaves to later ones: new pages take time.
struct BatchMemory {
  UnitMemory units;
  /// The design of the rows that windows predict.
  std::vector<double> ahead;
  /// The design of the rows at the ends of units that are fitted together.
  std::vector<double> ends;
};

/// Makes memory at least as large.
void extend(std::vector<double> &memory, size_t size) {
  if (memory.size() < size)
    memory.resize(size);
}

/// Windows that are fitted at once.
class Batch {
public:
  Batch(const tamrt_model &model, const FitRoute &route,
        std::span<const Group> groups, const WindowColumns &columns,
        std::span<const Window> windows, const WindowOptions &options,
        std::span<const double> discount, const Batching &batching,
        const WindowBasis &basis, BatchMemory &memory, const RunOptions &run)
      : model(model), route(route), groups(groups), columns(columns),
        windows(windows), options(options), discount(discount),
        batching(batching), basis(basis), memory(memory), run(run) {}

  Status fit();
  Status predict(double *predictions);
  const std::vector<double> &coefficients() const {
    return weights.coefficients;
  }
  size_t apart() const {
    return size_t(std::count(isUncertain.begin(), isUncertain.end(), 1));
  }

private:
  Status findLevels();
  void copyAhead();
  Status designAhead();
  Status fitApart(std::span<const Group> ranges, size_t first);
  Status fitTogether(std::span<const Group> ranges,
                     std::span<const WindowUnit> all, size_t begin, size_t end);
  Status designEnds(std::span<const WindowUnit> units, const Normalization &of);
  std::vector<WindowUnit> findUnits();
  bool join(WindowUnit &unit, size_t window);
  bool haveEqualLevels(size_t a, size_t b) const;
  void findAlike();
  const double *rangeOf(const Normalization &of, size_t group,
                        size_t input) const {
    return of.ranges.data() + (group * of.inputs() + input) * 2;
  }
  std::string nameOf(size_t window, size_t count = 1) const;
  GroupNamer namer(size_t first = 0) const;
  RunOptions runNaming(GroupNamer namer) const;
  void setCodes(size_t window, size_t input, size_t first, size_t rows,
                int32_t *codes) const;

  const tamrt_model &model;
  const FitRoute &route;
  std::span<const Group> groups;
  const WindowColumns &columns;
  std::span<const Window> windows;
  const WindowOptions &options;
  std::span<const double> discount;
  const Batching &batching;
  const WindowBasis &basis;
  BatchMemory &memory;
  const RunOptions &run;
  /// By unit: its windows' ranges, and those of inputs that move.
  Normalization unitRanges;
  /// The tables of levels, and by window and input the index of its table;
  /// empty for a model without levels.
  std::vector<LevelTable> tables;
  std::vector<size_t> levels;
  /// By window, whether it has the parameters and levels of the one before.
  std::vector<uint8_t> isAlike;
  /// A window is a group of it.
  Weights weights;
  /// The rows that windows predict, and by window the first one.
  std::optional<Dataset> ahead;
  std::vector<size_t> starts;
  /// Of the design of the rows at the ends of units that are fitted together:
  /// by unit its first row.
  std::vector<size_t> endStarts;
  /// By window, whether it shares its unit with others, and whether it was
  /// fitted by itself nevertheless.
  std::vector<uint8_t> isShared, isUncertain;
};

/// The training rows of some windows: "north, rows 1 to 365". Errors alone have
/// names, which take time.
std::string Batch::nameOf(size_t window, size_t count) const {
  const size_t first = windows[window].index * options.update;
  std::string name = groups[windows[window].group].name;
  if (!name.empty())
    name += ", ";
  name += "rows ";
  name += std::to_string(first + 1);
  name += " to ";
  name +=
      std::to_string(first + options.training + (count - 1) * options.update);
  return name;
}

/// Names groups by their places, which are those of windows from `first` on.
GroupNamer Batch::namer(size_t first) const {
  return
      [this, first](const Group &group) { return nameOf(first + group.place); };
}

/// The options of a run whose errors have the namer's names.
RunOptions Batch::runNaming(GroupNamer namer) const {
  RunOptions named = run;
  named.namer = std::move(namer);
  return named;
}

/// The levels of the windows' training rows. Windows whose rows have the same
/// texts as those of the window before have its table.
Status Batch::findLevels() {
  if (std::none_of(columns.levels.begin(), columns.levels.end(),
                   [](const auto *levels) { return levels; }))
    return {};
  const size_t inputs = columns.levels.size();
  levels.resize(windows.size() * inputs);
  // By input and text, how many rows of the last window have it.
  std::vector<std::vector<size_t>> counts(inputs);
  // Rows [first, end) are those of the last window.
  size_t first = 0, end = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    const size_t from = windows[w].training, to = from + options.training;
    for (size_t i = 0; i < inputs; ++i) {
      if (!columns.levels[i])
        continue;
      const auto &[ids, texts] = *columns.levels[i];
      counts[i].resize(texts.size());
      bool changes = w == 0;
      for (size_t row = std::max(from, end); row < to; ++row)
        changes |= counts[i][ids[row]]++ == 0;
      for (size_t row = first; row < std::min(from, end); ++row)
        changes |= --counts[i][ids[row]] == 0;
      if (!changes) {
        levels[w * inputs + i] = levels[(w - 1) * inputs + i];
        continue;
      }
      const tamrt_input &input = model.inputs[i];
      LevelCollector collector(size_t(input.levels));
      std::vector<bool> isSeen(texts.size());
      for (size_t row = from; row < to; ++row) {
        if (!isSeen[ids[row]])
          collector.add(texts[ids[row]]);
        isSeen[ids[row]] = true;
      }
      Result<LevelTable> table = collector.table({}, input.column);
      if (!table)
        return collector.table(nameOf(w), input.column).error();
      levels[w * inputs + i] = tables.size();
      tables.push_back(*std::move(table));
    }
    first = from;
    end = to;
  }
  return {};
}

bool Batch::haveEqualLevels(size_t a, size_t b) const {
  const size_t inputs = levels.empty() ? 0 : columns.levels.size();
  for (size_t i = 0; i < inputs; ++i) {
    const size_t one = levels[a * inputs + i], other = levels[b * inputs + i];
    if (one != other && tables[one].names != tables[other].names)
      return false;
  }
  return true;
}

void Batch::findAlike() {
  isAlike.push_back(false);
  for (size_t w = 1; w < windows.size(); ++w)
    isAlike.push_back(
        weights.normalization.areEqual(w - 1, weights.normalization, w) &&
        haveEqualLevels(w - 1, w));
}

/// The codes of some rows by the levels of a window.
void Batch::setCodes(size_t window, size_t input, size_t first, size_t rows,
                     int32_t *codes) const {
  const auto &[ids, texts] = *columns.levels[input];
  const LevelTable &table =
      tables[levels[window * columns.levels.size() + input]];
  const auto unseen = tamrt_unseen(model.inputs[input].unseen);
  std::vector<std::optional<int32_t>> known(texts.size());
  for (size_t row = 0; row < rows; ++row) {
    std::optional<int32_t> &code = known[ids[first + row]];
    if (!code)
      code = table.code(texts[ids[first + row]], unseen);
    codes[row] = *code;
  }
}

/// Adds a window to the last unit, whose ranges are widened to the window's for
/// inputs that move, if the unit's sums then still give those of all its
/// windows.
bool Batch::join(WindowUnit &unit, size_t window) {
  const size_t inputs = basis.moves().size();
  double *const ranges =
      unitRanges.ranges.data() + (unitRanges.ranges.size() - 2 * inputs);
  std::vector<double> wider;
  bool changes = unit.changes;
  for (size_t input = 0; input < inputs; ++input) {
    const double *range = ranges + 2 * input;
    const double *own = rangeOf(weights.normalization, window, input);
    if (!basis.moves()[input] || (range[0] == own[0] && range[1] == own[1]))
      continue;
    changes = true;
    Range from = {range[0], range[1]};
    const double lo = std::min(range[0] - range[1], own[0] - own[1]);
    const double hi = std::max(range[0] + range[1], own[0] + own[1]);
    size_t first = window;
    if (lo < range[0] - range[1] || hi > range[0] + range[1]) {
      from = {(lo + hi) / 2, (hi - lo) / 2};
      first = unit.first;
      if (wider.empty())
        wider.assign(ranges, ranges + 2 * inputs);
      wider[2 * input] = from.centre;
      wider[2 * input + 1] = from.half;
    }
    for (size_t w = first; w <= window; ++w) {
      const double *to = rangeOf(weights.normalization, w, input);
      if (!basis.canChange(input, from, {to[0], to[1]}))
        return false;
    }
  }
  std::copy(wider.begin(), wider.end(), ranges);
  unit.changes = changes;
  ++unit.count;
  return true;
}

/// The units of consecutive windows with equal levels, and equal parameters but
/// for what the basis can change. They end at multiples of the most windows of
/// one, so that they do not depend on what is fitted at once.
std::vector<WindowUnit> Batch::findUnits() {
  std::vector<WindowUnit> units;
  for (size_t w = 0; w < windows.size(); ++w) {
    const bool begins = windows[w].index % batching.perUnit == 0;
    if (!begins && isAlike[w]) {
      ++units.back().count;
      continue;
    }
    if (!begins &&
        weights.normalization.areEqual(w - 1, weights.normalization, w,
                                       basis.moves()) &&
        haveEqualLevels(w - 1, w) && join(units.back(), w))
      continue;
    units.push_back({w, 1});
    const Normalization own = weights.normalization.part(w, 1);
    for (auto [from, to] : {std::pair(&own.ranges, &unitRanges.ranges),
                            std::pair(&own.knots, &unitRanges.knots)})
      to->insert(to->end(), from->begin(), from->end());
  }
  return units;
}

Status Batch::fit() {
  if (Status s = findLevels(); !s)
    return s;
  std::vector<Group> ranges;
  ranges.reserve(windows.size());
  for (const Window &window : windows)
    ranges.push_back({"", window.training, options.training, ranges.size()});
  Result<Normalization> normalization =
      normalizeApart(model, columns.source, ranges, run.threads, namer());
  if (!normalization)
    return std::move(normalization).error();
  weights.normalization = *std::move(normalization);
  findAlike();
  weights.coefficients.resize(windows.size() * size_t(model.columns));
  unitRanges.levels.resize(weights.normalization.inputs());
  if (batching.perUnit == 1)
    return fitApart(ranges, 0);
  const std::vector<WindowUnit> units = findUnits();
  isUncertain.resize(windows.size());
  for (const WindowUnit &unit : units)
    isShared.insert(isShared.end(), unit.count, unit.count > 1);
  if (Status s = designAhead(); !s)
    return s;
  for (size_t u = 0, end = 0; u < units.size(); u = end) {
    size_t rows = 0;
    do {
      rows += options.training + (units[end].count - 1) * options.update;
      ++end;
    } while (end < units.size() && rows < batching.rows);
    if (Status s = fitTogether(ranges, units, u, end); !s)
      return s;
  }
  // The batch is sized for windows that share their rows.
  const size_t most = std::max<size_t>(batching.rows / options.training, 1);
  for (size_t w = 0, last = 0; w < windows.size(); w = last) {
    last = w + 1;
    if (!isUncertain[w])
      continue;
    while (last < windows.size() && isUncertain[last] && last - w < most)
      ++last;
    if (Status s = fitApart(std::span(ranges).subspan(w, last - w), w); !s)
      return s;
  }
  return checkCoefficients(
      model, [&](size_t w) { return nameOf(w); }, weights.coefficients);
}

/// Computes the design of the rows that windows predict, and the tables that
/// all windows have in common.
Status Batch::designAhead() {
  copyAhead();
  Result<Tables> tables = learn(model, *ahead, weights.normalization);
  if (!tables)
    return std::move(tables).error();
  weights.tables = *std::move(tables);
  extend(memory.ahead, ahead->rowCount() * size_t(model.columns));
  return predictGroups(model, TAMRT_STEP_DESIGN, *ahead, weights, {}, run,
                       memory.ahead.data());
}

/// Computes the design of the rows at the ends of units (UnitEnds), normalised
/// as their groups.
Status Batch::designEnds(std::span<const WindowUnit> units,
                         const Normalization &of) {
  std::vector<Group> ranges;
  std::vector<size_t> unitOf;
  endStarts.assign(units.size(), 0);
  if (!hasDesignOfEnds({options.training, options.update}))
    return {};
  size_t rows = 0;
  for (const WindowUnit &unit : units) {
    const size_t count = (unit.count - 1) * options.update;
    const size_t first = windows[unit.first].training;
    const auto index = size_t(&unit - units.data());
    endStarts[index] = rows;
    rows += 2 * count;
    for (size_t at : {first, first + options.training}) {
      if (count == 0)
        continue;
      ranges.push_back({"", at, count});
      unitOf.push_back(index);
    }
  }
  RowSource source = columns.source;
  source.target = nullptr;
  Dataset data = Dataset::copy(
      model, source, ranges, {},
      [&](size_t range, size_t input, int32_t *codes) {
        setCodes(units[unitOf[range]].first, input, ranges[range].first,
                 ranges[range].rows, codes);
      },
      run.threads);
  // Both ranges of a unit are normalised as the unit.
  std::vector<Group> groups = data.groups();
  for (size_t range = 0; range < groups.size(); ++range)
    groups[range].place = unitOf[range];
  data.divideGroups(std::move(groups));
  Weights unit;
  unit.normalization = of;
  extend(memory.ends, rows * size_t(model.columns) + kSumsVector);
  std::swap(unit.tables, weights.tables);
  Status done = predictGroups(model, TAMRT_STEP_DESIGN, data, unit, {}, run,
                              memory.ends.data());
  std::swap(unit.tables, weights.tables);
  return done;
}

/// Fits the windows of the units [begin, end) together.
Status Batch::fitTogether(std::span<const Group> ranges,
                          std::span<const WindowUnit> all, size_t begin,
                          size_t end) {
  const std::span<const WindowUnit> units = all.subspan(begin, end - begin);
  std::vector<Group> rangesOfUnits;
  for (const WindowUnit &unit : units)
    rangesOfUnits.push_back(
        {"", ranges[unit.first].first,
         options.training + (unit.count - 1) * options.update});
  const Dataset rows = Dataset::copy(
      model, columns.source, rangesOfUnits, discount,
      [&](size_t u, size_t input, int32_t *codes) {
        setCodes(units[u].first, input, rangesOfUnits[u].first,
                 rangesOfUnits[u].rows, codes);
      },
      run.threads);
  const bool hasWeights = columns.source.weights || !discount.empty();
  const Normalization normalization = unitRanges.part(begin, units.size());
  if (Status s = designEnds(units, normalization); !s)
    return s;
  return fitUnits(
      model, rows, units, {options.training, options.update, hasWeights}, basis,
      normalization, weights.normalization, weights.tables,
      runNaming([&](const Group &unit) {
        return nameOf(units[unit.place].first, units[unit.place].count);
      }),
      memory.units, {memory.ends, endStarts},
      {memory.ahead, starts, weights.coefficients.data(), isUncertain.data()});
}

/// Fits windows by themselves, of which `first` is the first.
Status Batch::fitApart(std::span<const Group> ranges, size_t first) {
  Dataset rows = Dataset::copy(
      model, columns.source, ranges, discount,
      [&](size_t w, size_t input, int32_t *codes) {
        setCodes(first + w, input, ranges[w].first, ranges[w].rows, codes);
      },
      run.threads);
  if (Status s = rows.scaleWeights(namer(first)); !s)
    return s;
  const Normalization part = weights.normalization.part(first, ranges.size());
  Result<Tables> tables = learn(model, rows, part);
  if (!tables)
    return std::move(tables).error();
  weights.tables = *std::move(tables);
  Result<std::vector<double>> coefficients = fitGroups(
      model, rows, part, weights.tables, runNaming(namer(first)), &route);
  if (!coefficients)
    return std::move(coefficients).error();
  std::copy(coefficients->begin(), coefficients->end(),
            weights.coefficients.begin() +
                ptrdiff_t(first * size_t(model.columns)));
  return {};
}

/// Copies the rows that windows predict. Those of consecutive windows with
/// equal parameters and levels are one group, whose place is that of the first
/// one.
void Batch::copyAhead() {
  std::vector<Group> ranges;
  for (size_t w = 0; w < windows.size(); ++w) {
    const auto &[group, index, training, first, rows] = windows[w];
    starts.push_back(w == 0 ? 0 : starts[w - 1] + windows[w - 1].rows);
    if (isAlike[w] && ranges.back().first + ranges.back().rows == first)
      ranges.back().rows += rows;
    else
      ranges.push_back({"", first, rows, w});
  }
  RowSource source = columns.source;
  source.target = nullptr;
  ahead = Dataset::copy(
      model, source, ranges, {},
      [&](size_t range, size_t input, int32_t *codes) {
        setCodes(ranges[range].place, input, ranges[range].first,
                 ranges[range].rows, codes);
      },
      run.threads);
  starts.push_back(ahead->rowCount());
  std::vector<Group> groups = ahead->groups();
  for (size_t range = 0; range < groups.size(); ++range)
    groups[range].place = ranges[range].place;
  ahead->divideGroups(std::move(groups));
}

Status Batch::predict(double *predictions) {
  if (!ahead)
    copyAhead();
  // Windows that are fitted by themselves have the bits of a fit's predictions;
  // there is the design of the others.
  std::vector<Group> apart;
  for (size_t w = 0; w < windows.size(); ++w)
    if (isShared.empty() || !isShared[w] || isUncertain[w])
      apart.push_back({"", starts[w], windows[w].rows, w});
  std::vector<double> numbers(ahead->rowCount());
  if (!apart.empty()) {
    ahead->divideGroups(std::move(apart));
    if (Status s = predictGroups(model, TAMRT_STEP_PREDICT, *ahead, weights,
                                 runNaming(namer()), numbers.data());
        !s)
      return s;
  }
  const auto d = size_t(model.columns);
  for (size_t w = 0, at = 0; w < windows.size(); ++w) {
    const bool isTogether = !isShared.empty() && isShared[w] && !isUncertain[w];
    for (size_t row = 0; row < windows[w].rows; ++row, ++at)
      predictions[windows[w].first + row] =
          isTogether ? dot(memory.ahead.data() + at * d,
                           weights.coefficients.data() + w * d, d)
                     : numbers[at];
  }
  return {};
}

} // namespace

std::vector<Window> windowsOf(const Dataset &data, const tamrt_adapt &adapt) {
  std::vector<Window> windows;
  size_t count = 0;
  for (const Group &group : data.groups())
    count += GroupWindows(adapt, group.rows).count();
  windows.reserve(count);
  for (size_t g = 0; g < data.groups().size(); ++g) {
    const Group &group = data.groups()[g];
    const GroupWindows of(adapt, group.rows);
    for (size_t index = 0; index < of.count(); ++index)
      windows.push_back(of.window(g, index, group.first));
  }
  return windows;
}

WindowMemory windowMemory(const tamrt_model &model,
                          const WindowOptions &options) {
  const size_t later = (options.perUnit - 1) * options.update;
  const bool hasEnds = hasDesignOfEnds({options.training, options.update});
  const size_t designed =
      options.perUnit * options.update + (hasEnds ? 2 * later : 0);
  // The rows that a batch's windows have in memory, and those that are fitted
  // together.
  return {2 * int64_t(kThreadBytes) +
              (options.perUnit > 1 ? unitSumsBytes(model, options.perUnit) : 0),
          int64_t(bytesOfRow(model) * (options.training + later +
                                       options.perUnit * options.update) +
                  sizeof(double) * size_t(model.columns) * designed)};
}

Status checkWindows(const tamrt_model &model, const FitRoute &route,
                    const WindowOptions &options, const RunOptions &run) {
  return mostPerUnit(model, route, options) == 1 ? checkRoute(model, route, run)
                                                 : checkUnits(model, run);
}

size_t windowsOfUnit(const tamrt_model &model, const FitRoute &route,
                     const WindowOptions &options) {
  size_t most = mostPerUnit(model, route, options);
  // The newest rows of all windows of a unit have weights far from zero.
  if (options.forget < 1)
    while (most > 1 && double((most - 1) * options.update) *
                               cpu::logarithm(options.forget) <
                           kLeastWeight * std::numbers::ln2)
      --most;
  return most;
}

Status fitWindows(const tamrt_model &model, const FitRoute &route,
                  std::span<const Group> groups, const WindowColumns &columns,
                  std::span<const Window> windows, const WindowOptions &options,
                  const RunOptions &run,
                  const std::function<Status(const FittedWindows &)> &take,
                  double *predictions) {
  // Errors name a window, also in a model without groups.
  tamrt_model named = model;
  named.group = "window";
  size_t predicted = 0;
  for (const Window &window : windows)
    predicted = std::max(predicted, window.rows);
  RunOptions each = run;
  each.progress = nullptr;
  const size_t perUnit = options.perUnit;
  std::vector<double> discount;
  if (options.forget < 1) {
    // Products, so that the bits are the same on all machines.
    discount.assign(options.training + (perUnit - 1) * options.update, 1);
    for (size_t age = 1; age < discount.size(); ++age)
      discount[age] = discount[age - 1] * options.forget;
  }
  const WindowBasis basis(model);
  const Batching batching = batchingOf(model, options, predicted, perUnit, run);
  BatchMemory memory;
  for (size_t done = 0; done < windows.size();) {
    if (run.progress)
      run.progress->update("windows", done, windows.size());
    // Units are whole.
    size_t end = std::min(done + batching.windows, windows.size());
    while (end < windows.size() && windows[end].index % batching.perUnit != 0)
      ++end;
    const auto some = windows.subspan(done, end - done);
    Batch batch(named, route, groups, columns, some, options, discount,
                batching, basis, memory, each);
    if (Status s = batch.fit(); !s)
      return s;
    if (Status s = batch.predict(predictions); !s)
      return s;
    if (take)
      if (Status s = take({some, batch.coefficients(), batch.apart()}); !s)
        return s;
    done += some.size();
  }
  return {};
}

} // namespace tamrt
