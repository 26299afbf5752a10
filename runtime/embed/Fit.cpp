//===- embed/Fit.cpp - fits in the caller's memory ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowWeights.h"
#include "core/learn/Learn.h"
#include "core/run/ConjugateGradients.h"
#include "embed/Support.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

/// The step of the rung for `rows` rows: that of the direct solver if the model
/// has it, else that of conjugate gradients.
const tamrt_step &fitStep(const tamrt_model &model, size_t rows) {
  return *stepFor(
      model, hasDirect(model) ? TAMRT_STEP_FIT_CHUNK : TAMRT_STEP_APPLY_CHUNK,
      int64_t(rows));
}

/// The memory of a fit in the arena.
struct Memory {
  Slot *slots;
  /// The data's rows, sorted.
  uint32_t *order;
  /// First row of each group in `order`, and the end of the last.
  size_t *starts;
  /// The addresses of the tables.
  void **tables;
  /// Memory for all values of a column if a period must be found, and for
  /// learning tables. This is done before the sums, so that it shares bytes
  /// with the memory of the steps.
  double *scratch;
  char *learning;
  std::optional<Chunks> chunks;
  Workplace place;

  /// Takes the memory that is needed to count the groups.
  void takeFirst(const tamrt_model &model, size_t rows, Layout &layout) {
    slots = layout.take<Slot>(slotCount(model));
    order = layout.take<uint32_t>(rows);
  }

  void take(const tamrt_model &model, size_t rows, size_t groups,
            Layout &layout) {
    takeFirst(model, rows, layout);
    starts = layout.take<size_t>(groups == SIZE_MAX ? groups : groups + 1);
    tables = layout.take<void *>(size_t(model.table_count));
    const size_t mark = layout.mark();
    bool periods = false;
    for (int64_t i = 0; i < model.input_count; ++i)
      periods |= model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO;
    scratch = layout.take<double>(periods ? rows : 0);
    size_t end = layout.mark();
    layout.rewind(mark);
    learning = layout.take<char>(learningBytes(model, rows));
    end = std::max(end, layout.mark());
    layout.rewind(mark);
    const tamrt_step &step = fitStep(model, rows);
    int64_t chunk = chunkOf(step, int64_t(rows), 0);
    ThreadMemory needed = fitMemory(model, step, int64_t(rows));
    // The data determine which steps will run.
    if (model.compression) {
      const tamrt_model &other = *model.compression->model;
      const tamrt_step &byLevels = fitStep(other, rows);
      const ThreadMemory need = fitMemory(other, byLevels, int64_t(rows));
      chunk = std::max(chunk, chunkOf(byLevels, int64_t(rows), 0));
      needed.arena = std::max(needed.arena, need.arena);
      needed.state = std::max(needed.state, need.state);
    }
    chunks.emplace(model, size_t(chunk), /*copies=*/true, /*fits=*/true,
                   layout);
    takeWorkplace(needed, layout, place);
    layout.rewind(std::max(layout.mark(), end));
  }
};

/// One fit, with its memory.
class Fit {
public:
  Fit(const tamrt_model &model, const DataView &data, Memory &memory,
      WeightsView weights, size_t groups, const Report &report)
      : model(model), data(data), memory(memory), weights(weights),
        groups(groups), report(report) {}

  int run() {
    findGroups();
    // Unused room is set to zero, so that equal fits give equal bytes.
    std::fill_n(weights.levels, levelsBefore(model, size_t(model.input_count)),
                0.0);
    for (size_t i = 0; i < size_t(model.input_count); ++i) {
      weights.levelCounts[i] = weights.namedLevels[i] = 0;
      if (int status = isLevels(model, i) ? findLevels(i) : normalize(i))
        return status;
    }
    if (int status = learn())
      return status;
    if (model.compression && isOnGrids())
      steps = model.compression->model;
    for (size_t g = 0; g < groups; ++g)
      if (int status = solve(g))
        return status;
    const auto width = size_t(model.columns);
    const size_t bad = firstNotFinite(weights.coefficients, groups * width);
    if (bad < groups * width)
      return report.effect(TAMRT_EMBED_OVERFLOW, model, int64_t(bad % width),
                           weights.groups[bad / width]);
    return report.ok();
  }

private:
  /// Finds the first rows of the groups, and whether the rows are already in
  /// order.
  void findGroups() {
    size_t g = 0;
    inOrder = isInOrder(memory.order, data.rows);
    for (size_t row = 0; row < data.rows; ++row) {
      const int64_t group = data.groupOf(memory.order[row]);
      if (row > 0 && group == weights.groups[g - 1])
        continue;
      memory.starts[g] = row;
      weights.groups[g++] = group;
    }
    memory.starts[g] = data.rows;
  }

  const uint32_t *order() const { return inOrder ? nullptr : memory.order; }

  Values valuesOf(size_t input) const {
    return {data.slots[input].values, order()};
  }

  /// Collects the distinct values of an input, sorted.
  int findLevels(size_t input) {
    double *levels = weights.levels + levelsBefore(model, input);
    const auto most = size_t(model.inputs[input].levels);
    const double *values = data.slots[input].values;
    size_t count = 0;
    for (size_t row = 0; row < data.rows; ++row) {
      // 0.0 for both zeros, so that a level has one name.
      const double value = values[row] == 0 ? 0.0 : values[row];
      if (row > 0 && value == values[row - 1])
        continue;
      double *at = std::lower_bound(levels, levels + count, value);
      if (at != levels + count && *at == value)
        continue;
      if (count == most)
        return report.value(TAMRT_EMBED_TOO_MANY_LEVELS, row,
                            data.slots[input].name);
      std::memmove(at + 1, at, size_t(levels + count - at) * sizeof(double));
      *at = value;
      ++count;
    }
    weights.levelCounts[input] = int64_t(count);
    for (size_t g = 0; g < groups; ++g)
      setRange(g, input, {0, 0});
    weights.knots[2 * input] = weights.knots[2 * input + 1] = 0;
    return report.ok();
  }

  void setRange(size_t group, size_t input, Range range) {
    double *out =
        weights.ranges + 2 * (group * size_t(model.input_count) + input);
    out[0] = range.centre;
    out[1] = range.half;
  }

  bool findPeriod(size_t input, Range &range) {
    if (model.inputs[input].rule != TAMRT_RULE_PERIOD_AUTO)
      return false;
    const double *values = data.slots[input].values;
    for (size_t row = 0; row < data.rows; ++row)
      memory.scratch[row] = roundForPeriod(values[row]);
    std::sort(memory.scratch, memory.scratch + data.rows);
    const double *end = std::unique(memory.scratch, memory.scratch + data.rows);
    double lo, hi;
    if (!periodOf(memory.scratch, size_t(end - memory.scratch), lo, hi))
      return false;
    range = rangeOf(lo, hi);
    return true;
  }

  /// Ranges and knots of an input.
  int normalize(size_t input) {
    Range period;
    const bool periodic = findPeriod(input, period);
    Extent extent;
    for (size_t g = 0; g < groups; ++g) {
      Range range;
      const size_t first = memory.starts[g];
      const RangeFault fault = normalizeGroup(
          model.inputs[input], periodic ? &period : nullptr,
          spreadOf(model.inputs[input], valuesOf(input).from(first),
                   memory.starts[g + 1] - first),
          range, extent);
      if (fault != RangeFault::None)
        return report.group(fault == RangeFault::NotFinite
                                ? TAMRT_EMBED_RANGE_OVERFLOW
                                : TAMRT_EMBED_RANGE_ROUNDING,
                            weights.groups[g], data.slots[input].name);
      setRange(g, input, range);
    }
    extent.knots(weights.knots + 2 * input);
    return report.ok();
  }

  /// Whether the values of all groups are on the grids of the model.
  bool isOnGrids() const {
    for (int64_t i = 0; i < model.compression->grid_count; ++i) {
      const tamrt_grid &grid = model.compression->grids[i];
      const auto input = size_t(grid.input);
      for (size_t g = 0; g < groups; ++g) {
        const size_t first = memory.starts[g];
        const double *range =
            weights.ranges + 2 * (g * size_t(model.input_count) + input);
        Spread spread;
        if (!areOnGrid(grid, valuesOf(input).from(first),
                       memory.starts[g + 1] - first, spread) ||
            !isWithinGrid(grid, spread, {range[0], range[1]}))
          return false;
      }
    }
    return true;
  }

  /// The tables of the terms.
  int learn() {
    std::memset(weights.tables, 0, tableBytes(model));
    weights.pointTo(model, memory.tables);
    memory.place.tables = memory.tables;
    auto forEachRun = [&](TrainingRows::Visit visit) {
      for (size_t g = 0; g < groups; ++g) {
        const size_t first = memory.starts[g];
        visit({g, first, memory.starts[g + 1] - first, [&](int32_t input) {
                 return valuesOf(size_t(input)).from(first);
               }});
      }
      return true;
    };
    const LearnOutcome outcome = learnTables(
        model,
        {data.rows, weights.ranges, size_t(model.input_count), forEachRun},
        memory.tables, memory.learning);
    if (outcome.good())
      return report.ok();
    if (outcome.fault == LearnFault::Kind)
      return report.fail(TAMRT_EMBED_INTERNAL);
    return report.table(model.effects[outcome.learner->effect].name);
  }

  /// The mean row weight of rows of a group; none if it is invalid.
  std::optional<double> meanWeight(size_t start, size_t rows) const {
    const size_t slot = slotCount(model) - 1;
    if (!data.slots[slot].values)
      return 1;
    const Values of = valuesOf(slot).from(start);
    ExactSum sum;
    for (size_t row = 0; row < rows; ++row)
      sum.add(of[row]);
    return meanOf(sum, rows);
  }

  /// The coefficients of a group.
  int solve(size_t group) {
    const auto inputs = size_t(model.input_count);
    const auto width = size_t(model.columns);
    const tamrt_step &step = fitStep(*steps, data.rows);
    const size_t start = memory.starts[group];
    const size_t rows = memory.starts[group + 1] - start;
    const std::optional<double> mean = meanWeight(start, rows);
    if (!mean)
      return report.group(TAMRT_EMBED_WEIGHT_SUM, weights.groups[group],
                          model.weights);
    Workplace &place = memory.place;
    writeParameters(model, weights.ranges + 2 * group * inputs, weights.knots,
                    nullptr, place.parameters);
    const auto chunkRows = size_t(chunkOf(step, int64_t(data.rows), 0));
    auto setColumns = [&](size_t first, size_t count) {
      memory.chunks->set(data, weights, order(), start + first, count, place,
                         *mean);
    };
    bool converged = true;
    const bool direct = describe(step.kind).isDirect();
    if (direct) {
      fitGroup(*steps, step, place, rows, chunkRows, setColumns, [](size_t) {});
    } else {
      RungRunner runner(*steps, step, place, rows, chunkRows, setColumns);
      converged = solveByCg(*steps, place, int64_t(rows), CgOptions(), runner)
                      .converged;
    }
    if (!place.good())
      return report.step(model, place.context, weights.groups[group]);
    if (!converged)
      return report.group(TAMRT_EMBED_NOT_CONVERGED, weights.groups[group],
                          nullptr);
    std::memcpy(weights.coefficients + group * width,
                direct ? place.output : place.vectors, width * sizeof(double));
    return report.ok();
  }

  const tamrt_model &model;
  /// The model whose steps fit the data: itself, or that of its compression.
  const tamrt_model *steps = &model;
  const DataView &data;
  Memory &memory;
  WeightsView weights;
  size_t groups;
  const Report &report;
  bool inOrder = true;
};

} // namespace

size_t tamrt_embed_weights_size(const tamrt_model *model, size_t groups) {
  WeightsView view;
  return view.layOut(*model, groups, nullptr);
}

size_t tamrt_embed_fit_arena_size(const tamrt_model *model, size_t rows,
                                  size_t groups) {
  Layout layout;
  Memory memory;
  memory.take(*model, rows, groups, layout);
  return layout.size();
}

int tamrt_embed_fit(const tamrt_model *model, const void *data, void *weights,
                    size_t weights_size, void *arena, size_t arena_size,
                    tamrt_embed_error *error) {
  const Report report(error);
  if (model->abi_version != TAMRT_ABI_VERSION)
    return report.fail(TAMRT_EMBED_INTERNAL);
  if (tamrt_cpu_level() < model->cpu_level)
    return report.fail(TAMRT_EMBED_CPU);
  if (!data || !weights || !arena)
    return report.fail(TAMRT_EMBED_NULL_POINTER);
  if (reinterpret_cast<uintptr_t>(weights) % sizeof(double) != 0)
    return report.fail(TAMRT_EMBED_MISALIGNED);
  // Invalidate the weights of an earlier fit first.
  if (weights_size >= sizeof(WeightsHeader::magic))
    std::memset(weights, 0, sizeof(WeightsHeader::magic));

  size_t rows;
  std::memcpy(&rows, data, sizeof rows);
  if (int status = checkRows(rows, report))
    return status;
  Memory memory;
  Layout first;
  memory.takeFirst(*model, rows, first);
  if (arena_size < first.size())
    return report.needed(TAMRT_EMBED_ARENA_TOO_SMALL,
                         tamrt_embed_fit_arena_size(model, rows, 1));
  Layout again(arena);
  memory.takeFirst(*model, rows, again);
  DataView view;
  if (int status = view.read(*model, data, /*fits=*/true, memory.slots, report))
    return status;
  if (int status = view.check(*model, report))
    return status;

  const size_t groups = sortRows(view, memory.order);
  if (size_t needed = tamrt_embed_fit_arena_size(model, rows, groups);
      arena_size < needed)
    return report.needed(TAMRT_EMBED_ARENA_TOO_SMALL, needed);
  if (size_t needed = tamrt_embed_weights_size(model, groups);
      weights_size < needed)
    return report.needed(TAMRT_EMBED_BUFFER_TOO_SMALL, needed);
  Layout layout(arena);
  memory.take(*model, rows, groups, layout);
  WeightsView out;
  out.layOut(*model, groups, weights);
  if (int status = Fit(*model, view, memory, out, groups, report).run())
    return status;
  out.seal(*model, groups, 0, false);
  return report.ok();
}
