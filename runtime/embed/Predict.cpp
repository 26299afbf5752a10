//===- embed/Predict.cpp - predicts in the caller's memory ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Support.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

/// The memory of a prediction in the arena. Consecutive rows of one group are
/// predicted together in place, so that only the chunk grows with the rows,
/// unless a carry requires sorted rows.
struct Memory {
  Slot *slots;
  /// The data's rows, sorted; null where they need not be.
  uint32_t *order = nullptr;
  /// The addresses of the tables.
  void **tables;
  const tamrt_step *step;
  /// The step for the effects of one row, to find the effect that is not
  /// finite.
  const tamrt_step *terms;
  size_t chunkRows;
  std::optional<Chunks> chunks;
  Workplace place;

  void take(const tamrt_model &model, tamrt_step_kind kind, size_t rows,
            Layout &layout) {
    const bool sorts = model.carry_bytes > 0;
    slots = layout.take<Slot>(slotCount(model));
    if (sorts)
      order = layout.take<uint32_t>(rows);
    tables = layout.take<void *>(size_t(model.table_count));
    step = stepFor(model, kind, int64_t(rows));
    terms = lastStep(model, TAMRT_STEP_TERMS);
    chunkRows = size_t(chunkOf(*step, int64_t(rows), 0));
    chunks.emplace(model, chunkRows, /*copies=*/sorts, /*fits=*/false, layout);
    ThreadMemory memory = predictMemory(model, *step, int64_t(chunkRows));
    const ThreadMemory one = predictMemory(model, *terms, 1);
    memory.arena = std::max(memory.arena, one.arena);
    memory.output = std::max(memory.output, one.output);
    takeWorkplace(memory, layout, place);
  }

  /// The data's index of row `row` in sorted order.
  size_t rowAt(size_t row) const { return order ? order[row] : row; }
};

size_t arenaSize(const tamrt_model &model, tamrt_step_kind kind, size_t rows) {
  Layout layout;
  Memory memory;
  memory.take(model, kind, rows, layout);
  return layout.size();
}

/// Consecutive rows of one group, in sorted order.
struct Run {
  int64_t group;
  size_t first, rows;
};

/// Reports the first effect that is not finite in row `row` of a run, whose
/// prediction is not finite.
int explain(const tamrt_model &model, const DataView &data,
            const WeightsView &weights, Memory &memory, const Run &run,
            size_t row, const double *coefficients, const Report &report) {
  Workplace &place = memory.place;
  const char *effect = nullptr;
  // Only this row, unless the model has a carry from the rows before.
  const size_t start = model.carry_bytes > 0 ? 0 : row;
  for (size_t at = start; at <= row && place.good(); ++at) {
    memory.chunks->set(data, weights, memory.order, run.first + at, 1, place);
    place.run(*memory.terms, coefficients, 1, int64_t(at), int64_t(run.rows));
  }
  if (!place.good())
    return report.step(model, place.context, run.group);
  const auto count = size_t(model.effect_count);
  // Effects may be finite and their sum not.
  if (size_t at = firstNotFinite(place.output, count); at < count)
    effect = model.effects[at].name;
  return report.notFinite(memory.rowAt(run.first + row), run.group, effect);
}

int predict(const tamrt_model &model, tamrt_step_kind kind, const void *data,
            const void *weightsBytes, size_t weightsSize, void *arena,
            size_t arenaBytes, double *output, const Report &report) {
  if (model.abi_version != TAMRT_ABI_VERSION)
    return report.fail(TAMRT_EMBED_INTERNAL);
  if (tamrt_cpu_level() < model.cpu_level)
    return report.fail(TAMRT_EMBED_CPU);
  if (!data || !arena || !output)
    return report.fail(TAMRT_EMBED_NULL_POINTER);
  WeightsView weights;
  if (int status = weights.open(model, weightsBytes, weightsSize, report))
    return status;
  size_t rows;
  std::memcpy(&rows, data, sizeof rows);
  if (int status = checkRows(rows, report))
    return status;
  // The size that the caller was told, which is enough for decompositions, too.
  if (size_t needed = tamrt_embed_predict_arena_size(&model, rows);
      arenaBytes < needed)
    return report.needed(TAMRT_EMBED_ARENA_TOO_SMALL, needed);
  Layout layout(arena);
  Memory memory;
  memory.take(model, kind, rows, layout);
  DataView view;
  if (int status = view.read(model, data, /*fits=*/false, memory.slots, report))
    return status;
  if (int status = view.check(model, report))
    return status;
  if (memory.order) {
    sortRows(view, memory.order);
    if (isInOrder(memory.order, rows))
      memory.order = nullptr;
  }
  // Check all groups first, so that the error for an unknown one does not come
  // after a long run.
  for (size_t row = 0; row < rows; ++row) {
    const int64_t group = view.groupOf(row);
    if ((row == 0 || group != view.groupOf(row - 1)) && weights.find(group) < 0)
      return report.unknownGroup(row, group);
  }

  const auto inputs = size_t(model.input_count);
  const auto width = size_t(outputWidth(model, kind));
  Workplace &place = memory.place;
  weights.pointTo(model, memory.tables);
  place.tables = memory.tables;
  for (size_t start = 0; start < rows;) {
    Run run = {view.groupOf(memory.rowAt(start)), start, 1};
    while (start + run.rows < rows &&
           view.groupOf(memory.rowAt(start + run.rows)) == run.group)
      ++run.rows;
    const auto g = size_t(weights.find(run.group));
    const double *coefficients =
        weights.coefficients + g * size_t(model.columns);
    writeParameters(model, weights.ranges + 2 * g * inputs, weights.knots,
                    nullptr, place.parameters);
    // The first row whose prediction is not finite.
    size_t spoilt = run.rows;
    predictGroup(
        *memory.step, place, coefficients, run.rows, memory.chunkRows,
        [&](size_t first, size_t count) {
          memory.chunks->set(view, weights, memory.order, start + first, count,
                             place);
        },
        [&](size_t first, size_t count) {
          if (!memory.order)
            std::memcpy(output + (start + first) * width, place.output,
                        count * width * sizeof(double));
          else
            for (size_t i = 0; i < count; ++i)
              std::memcpy(output + memory.order[start + first + i] * width,
                          place.output + i * width, width * sizeof(double));
          const size_t bad = firstNotFinite(place.output, count * width);
          if (bad < count * width && spoilt == run.rows)
            spoilt = first + bad / width;
        });
    if (spoilt < run.rows) {
      // Errors of later rows do not matter.
      place.context.status = TAMRT_OK;
      return explain(model, view, weights, memory, run, spoilt, coefficients,
                     report);
    }
    if (!place.good())
      return report.step(model, place.context, run.group);
    start += run.rows;
  }
  return report.ok();
}

} // namespace

size_t tamrt_embed_predict_arena_size(const tamrt_model *model, size_t rows) {
  return std::max(arenaSize(*model, TAMRT_STEP_PREDICT, rows),
                  arenaSize(*model, TAMRT_STEP_TERMS, rows));
}

int tamrt_embed_predict(const tamrt_model *model, const void *data,
                        const void *weights, size_t weights_size, void *arena,
                        size_t arena_size, double *output,
                        tamrt_embed_error *error) {
  return predict(*model, TAMRT_STEP_PREDICT, data, weights, weights_size, arena,
                 arena_size, output, Report(error));
}

int tamrt_embed_decompose(const tamrt_model *model, const void *data,
                          const void *weights, size_t weights_size, void *arena,
                          size_t arena_size, double *output,
                          tamrt_embed_error *error) {
  return predict(*model, TAMRT_STEP_TERMS, data, weights, weights_size, arena,
                 arena_size, output, Report(error));
}

size_t tamrt_embed_group_count(const tamrt_model *model, const void *weights,
                               size_t weights_size) {
  WeightsView view;
  if (view.open(*model, weights, weights_size, Report(nullptr)))
    return 0;
  return size_t(view.header->groups);
}

const double *tamrt_embed_coefficients(const tamrt_model *model,
                                       const void *weights, size_t weights_size,
                                       int64_t group) {
  WeightsView view;
  if (view.open(*model, weights, weights_size, Report(nullptr)))
    return nullptr;
  const int64_t at = view.find(group);
  return at < 0 ? nullptr : view.coefficients + at * model->columns;
}
