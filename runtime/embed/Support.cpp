//===- embed/Support.cpp - memory and data of the caller ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Support.h"

#include "kernels/cpu/CpuKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tamrt::embed {

namespace {

constexpr char kMagic[8] = {'t', 'a', 'm', 'c', 'w', 't', 's', '1'};
/// Rows are numbered in 32 bits.
constexpr size_t kMaxRows = 0xfffffffe;

const char *nameOf(const tamrt_model &model, size_t slot, bool fits) {
  const auto inputs = size_t(model.input_count);
  if (slot < inputs)
    return model.inputs[slot].column;
  if (!fits)
    return nullptr;
  return slot == inputs ? model.target : model.weights;
}

/// The first slot that reads the same column; may be this one.
size_t firstOfColumn(const tamrt_model &model, size_t slot, bool fits) {
  const char *name = nameOf(model, slot, fits);
  size_t first = 0;
  while (first < slot && (!nameOf(model, first, fits) ||
                          std::strcmp(nameOf(model, first, fits), name) != 0))
    ++first;
  return first;
}

/// The first slot whose column the steps can use for this one, too.
size_t ownerOf(const tamrt_model &model, size_t slot, bool fits) {
  // Codes and scaled weights are never shared.
  if (isLevels(model, slot) || isWeights(model, slot))
    return slot;
  const char *name = nameOf(model, slot, fits);
  size_t first = 0;
  while (first < slot &&
         (isLevels(model, first) || !nameOf(model, first, fits) ||
          std::strcmp(nameOf(model, first, fits), name) != 0))
    ++first;
  return first;
}

} // namespace

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

Report::Report(tamrt_embed_error *error) : error(error) {
  if (error)
    *error = {TAMRT_EMBED_OK, 0, -1, 0, nullptr, nullptr, 0};
}

int Report::fail(tamrt_embed_status status) const {
  if (error)
    error->status = status;
  return status;
}

int Report::column(tamrt_embed_status status, const char *name) const {
  if (error)
    error->column = name;
  return fail(status);
}

int Report::value(tamrt_embed_status status, size_t row,
                  const char *name) const {
  if (error)
    error->row = int64_t(row);
  return column(status, name);
}

int Report::group(tamrt_embed_status status, int64_t group,
                  const char *name) const {
  if (error)
    error->group = group;
  return column(status, name);
}

int Report::unknownGroup(size_t row, int64_t number) const {
  if (error)
    error->row = int64_t(row);
  return group(TAMRT_EMBED_UNKNOWN_GROUP, number, nullptr);
}

int Report::notFinite(size_t row, int64_t number, const char *effect) const {
  if (error) {
    error->row = int64_t(row);
    error->effect = effect;
  }
  return group(TAMRT_EMBED_NOT_FINITE, number, nullptr);
}

int Report::table(const char *effect) const {
  if (error)
    error->effect = effect;
  return fail(TAMRT_EMBED_TABLES);
}

int Report::needed(tamrt_embed_status status, size_t bytes) const {
  if (error)
    error->needed = bytes;
  return fail(status);
}

int Report::effect(tamrt_embed_status status, const tamrt_model &model,
                   int64_t designColumn, int64_t number) const {
  const tamrt_effect *found = effectOf(model, designColumn);
  if (error)
    error->effect = found ? found->name : nullptr;
  return group(status, number, nullptr);
}

int Report::step(const tamrt_model &model, const tamrt_context &context,
                 int64_t number) const {
  if (context.status == TAMRT_ERROR_NOT_POSITIVE_DEFINITE)
    return effect(TAMRT_EMBED_NOT_POSITIVE_DEFINITE, model, context.detail,
                  number);
  if (context.status == TAMRT_ERROR_OVERFLOW)
    return effect(TAMRT_EMBED_OVERFLOW, model, context.detail, number);
  return group(TAMRT_EMBED_INTERNAL, number, nullptr);
}

void takeWorkplace(const ThreadMemory &memory, Layout &layout,
                   Workplace &place) {
  place.arena = layout.take<char>(size_t(memory.arena));
  if (memory.state > 0)
    place.state = layout.take<char>(size_t(memory.state));
  if (memory.carry > 0)
    place.carry = layout.take<char>(size_t(memory.carry));
  place.output =
      reinterpret_cast<double *>(layout.take<char>(size_t(memory.output)));
  place.parameters =
      reinterpret_cast<double *>(layout.take<char>(size_t(memory.parameters)));
  if (memory.vectors > 0)
    place.vectors =
        reinterpret_cast<double *>(layout.take<char>(size_t(memory.vectors)));
  place.context.kernels = &tamrt_cpu_kernels;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

int checkRows(size_t rows, const Report &report) {
  return rows == 0 || rows > kMaxRows ? report.fail(TAMRT_EMBED_ROW_COUNT)
                                      : report.ok();
}

int DataView::read(const tamrt_model &model, const void *data, bool fits,
                   Slot *room, const Report &report) {
  slots = room;
  std::memcpy(&rows, data, sizeof rows);
  const char *field = static_cast<const char *>(data) + sizeof rows;
  auto next = [&]() {
    const void *pointer;
    std::memcpy(&pointer, field, sizeof pointer);
    field += sizeof pointer;
    return pointer;
  };
  if (model.group) {
    groups = static_cast<const int64_t *>(next());
    if (!groups)
      return report.column(TAMRT_EMBED_NULL_POINTER, model.group);
  }
  if (model.date)
    dates = static_cast<const int64_t *>(next());
  for (size_t i = 0; i < slotCount(model); ++i) {
    Slot &slot = slots[i];
    slot = {nullptr, nameOf(model, i, fits), i};
    if (!slot.name)
      continue;
    slot.owner = ownerOf(model, i, fits);
    const size_t first = firstOfColumn(model, i, fits);
    slot.values =
        first < i ? slots[first].values : static_cast<const double *>(next());
    if (!slot.values)
      return report.column(TAMRT_EMBED_NULL_POINTER, slot.name);
  }
  return report.ok();
}

int DataView::check(const tamrt_model &model, const Report &report) const {
  const size_t count = slotCount(model);
  const double *weights = slots[count - 1].values;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < count; ++i) {
      if (!slots[i].values)
        continue;
      const double value = slots[i].values[row];
      if (!std::isfinite(value))
        return report.value(std::isnan(value) ? TAMRT_EMBED_MISSING_VALUE
                                              : TAMRT_EMBED_INFINITE_VALUE,
                            row, slots[i].name);
    }
    if (weights && weights[row] < 0)
      return report.value(TAMRT_EMBED_NEGATIVE_WEIGHT, row,
                          slots[count - 1].name);
  }
  return report.ok();
}

size_t sortRows(const DataView &data, uint32_t *order) {
  for (size_t row = 0; row < data.rows; ++row)
    order[row] = uint32_t(row);
  // The row breaks ties, so that an unstable sort, which needs no memory, gives
  // the order of a stable one.
  auto before = [&](uint32_t a, uint32_t b) {
    if (data.groups && data.groups[a] != data.groups[b])
      return data.groups[a] < data.groups[b];
    if (data.dates && data.dates[a] != data.dates[b])
      return data.dates[a] < data.dates[b];
    return a < b;
  };
  if (!std::is_sorted(order, order + data.rows, before))
    std::sort(order, order + data.rows, before);
  size_t groups = 1;
  for (size_t row = 1; row < data.rows; ++row)
    groups += data.groupOf(order[row]) != data.groupOf(order[row - 1]);
  return groups;
}

bool isInOrder(const uint32_t *order, size_t rows) {
  // Each row appears once: if they ascend, all are at their positions.
  return std::is_sorted(order, order + rows);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

size_t levelsBefore(const tamrt_model &model, size_t input) {
  size_t count = 0;
  for (size_t i = 0; i < input; ++i)
    if (isLevels(model, i))
      count += size_t(model.inputs[i].levels);
  return count;
}

size_t tableBytes(const tamrt_model &model) {
  size_t bytes = 0;
  for (int64_t i = 0; i < model.table_count; ++i)
    bytes += roomOf(model.tables[i]);
  return bytes;
}

size_t WeightsView::layOut(const tamrt_model &model, size_t count,
                           void *memory) {
  static_assert(sizeof(WeightsHeader) == 128);
  char *base = static_cast<char *>(memory);
  size_t bytes = sizeof(WeightsHeader);
  auto take = [&](auto *&part, size_t a, size_t b) {
    using Pointer = std::remove_reference_t<decltype(part)>;
    part = base ? reinterpret_cast<Pointer>(base + bytes) : nullptr;
    // Every element has 8 bytes.
    bytes = saturated(saturated(a, b, 0), 8, bytes);
  };
  header = reinterpret_cast<WeightsHeader *>(base);
  const auto inputs = size_t(model.input_count);
  take(coefficients, count, size_t(model.columns));
  take(ranges, count, 2 * inputs);
  take(knots, inputs, 2);
  take(groups, count, 1);
  take(levelCounts, inputs, 1);
  take(namedLevels, inputs, 1);
  take(levels, levelsBefore(model, inputs), 1);
  take(tables, tableBytes(model) / 8, 1);
  names = base ? base + bytes : nullptr;
  return bytes;
}

void WeightsView::seal(const tamrt_model &model, size_t count,
                       uint64_t nameBytes, bool namedGroups) {
  WeightsView measured;
  std::memcpy(header->magic, kMagic, sizeof kMagic);
  header->bytes = measured.layOut(model, count, nullptr) + nameBytes;
  // There is no final 0 if a hash fills its room.
  std::memset(header->specHash, 0, sizeof header->specHash);
  std::memcpy(header->specHash, model.spec_hash,
              std::min(std::strlen(model.spec_hash), sizeof header->specHash));
  header->groups = int64_t(count);
  header->columns = model.columns;
  header->inputs = model.input_count;
  header->levels = int64_t(levelsBefore(model, size_t(model.input_count)));
  header->nameBytes = nameBytes;
  header->namedGroups = namedGroups;
}

int WeightsView::open(const tamrt_model &model, const void *memory, size_t size,
                      const Report &report) {
  if (!memory)
    return report.fail(TAMRT_EMBED_NULL_POINTER);
  if (reinterpret_cast<uintptr_t>(memory) % sizeof(double) != 0)
    return report.fail(TAMRT_EMBED_MISALIGNED);
  header = static_cast<WeightsHeader *>(const_cast<void *>(memory));
  if (size < sizeof *header ||
      std::memcmp(header->magic, kMagic, sizeof kMagic) != 0)
    return report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
  if (std::strncmp(header->specHash, model.spec_hash,
                   sizeof header->specHash) != 0)
    return report.fail(TAMRT_EMBED_OTHER_MODEL);
  const size_t inputs = size_t(model.input_count);
  if (header->groups < 1 || header->columns != model.columns ||
      header->inputs != model.input_count ||
      header->levels != int64_t(levelsBefore(model, inputs)))
    return report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
  const auto count = size_t(header->groups);
  WeightsView measured;
  const size_t bytes =
      saturated(measured.layOut(model, count, nullptr), 1, header->nameBytes);
  if (bytes == SIZE_MAX || header->bytes != bytes || size < bytes)
    return report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
  layOut(model, count, const_cast<void *>(memory));
  for (size_t i = 0; i < inputs; ++i) {
    const int64_t most = model.inputs[i].levels;
    if (isLevels(model, i) ? levelCounts[i] < 1 || levelCounts[i] > most
                           : levelCounts[i] != 0)
      return report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
  }
  const bool good = forEachTable(
      model, tables,
      [&](const tamrt_learner &learner, int64_t k, const void *contents) {
        return !subscriptFaultOf(model, learner, k, contents);
      });
  return good ? report.ok() : report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
}

void WeightsView::pointTo(const tamrt_model &model, void **addresses) const {
  forEachTable(model, tables,
               [&](const tamrt_learner &learner, int64_t k, void *contents) {
                 addresses[learner.first_table + k] = contents;
                 return true;
               });
}

int64_t WeightsView::find(int64_t group) const {
  const int64_t *first = groups, *end = groups + header->groups;
  const int64_t *at = std::lower_bound(first, end, group);
  return at != end && *at == group ? at - groups : -1;
}

bool NameReader::next(const char *&text, size_t &length) {
  const auto left = size_t(end - at);
  uint64_t bytes;
  if (left < sizeof bytes)
    return false;
  std::memcpy(&bytes, at, sizeof bytes);
  if (bytes > left - sizeof bytes || nameBytes(bytes) > left)
    return false;
  text = at + sizeof bytes;
  length = size_t(bytes);
  at += nameBytes(bytes);
  return true;
}

int32_t codeOf(const tamrt_model &model, const WeightsView &weights,
               size_t input, double value) {
  const auto count = size_t(weights.levelCounts[input]);
  const auto unseen = tamrt_unseen(model.inputs[input].unseen);
  const double *levels = weights.levels + levelsBefore(model, input);
  if (!weights.namedLevels[input])
    return levelCode(levels, count, value, unseen);
  // Names have no nearest neighbour: any other value is equally far from all.
  if (value >= 0 && value < double(count) && value == std::floor(value))
    return int32_t(value);
  return unseenCode(count, unseen, count - 1);
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

Chunks::Chunks(const tamrt_model &model, size_t rows, bool copies, bool fits,
               Layout &layout)
    : model(model), rows(rows), slots(slotCount(model)) {
  columns = layout.take<const void *>(slots);
  // One column of doubles for each slot that is its own owner; none for slots
  // that point to the caller's values.
  size_t own = 0;
  for (size_t i = 0; i < slots; ++i)
    if (nameOf(model, i, fits) && (copies || isLevels(model, i)) &&
        ownerOf(model, i, fits) == i)
      ++own;
  memory = layout.take<char>(saturated(rows, own * sizeof(double), 0));
}

void Chunks::set(const DataView &data, const WeightsView &weights,
                 const uint32_t *order, size_t first, size_t count,
                 Workplace &place, double meanWeight) const {
  char *next = memory;
  for (size_t i = 0; i < slots; ++i) {
    const Slot &slot = data.slots[i];
    columns[i] = nullptr;
    if (!slot.values)
      continue;
    if (slot.owner < i) {
      columns[i] = columns[slot.owner];
      continue;
    }
    const Values values = Values{slot.values, order}.from(first);
    if (isLevels(model, i)) {
      auto *codes = reinterpret_cast<int32_t *>(next);
      next += rows * sizeof(double);
      for (size_t row = 0; row < count; ++row)
        codes[row] = row > 0 && values[row] == values[row - 1]
                         ? codes[row - 1]
                         : codeOf(model, weights, i, values[row]);
      columns[i] = codes;
    } else if (isWeights(model, i)) {
      auto *scaled = reinterpret_cast<double *>(next);
      for (size_t row = 0; row < count; ++row)
        scaled[row] = values[row] / meanWeight;
      columns[i] = scaled;
    } else if (order) {
      auto *copy = reinterpret_cast<double *>(next);
      next += rows * sizeof(double);
      for (size_t row = 0; row < count; ++row)
        copy[row] = values[row];
      columns[i] = copy;
    } else {
      columns[i] = slot.values + first;
    }
  }
  place.columns = columns;
}

} // namespace tamrt::embed
