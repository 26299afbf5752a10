//===- embed/Save.cpp - weights as the executable's file ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Decimal.h"
#include "embed/Json.h"
#include "embed/Support.h"
#include "io/HeaderLimit.h"
#include "tamrt/checksum.h"

#include <cmath>
#include <cstring>
#include <span>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

constexpr size_t kPrefixBytes = 8;

/// Writes the file of core/model/Weights.h, byte for byte as the executable
/// does: keys sorted, tensors by name.
class Saver {
public:
  Saver(const tamrt_model &model, const WeightsView &weights, JsonWriter &out)
      : model(model), weights(weights), out(out), names(weights) {}

  /// False if names are missing, or a level is no number.
  bool run(uint64_t headerBytes);

  /// Offset of the checksum's text.
  size_t checksumPlace() const { return checksum; }

  /// Bytes of the header with its padding, from the first run.
  uint64_t headerBytes() const { return header; }

private:
  /// "key": "value"
  void entry(const char *key, const char *value) {
    out.string(key, 0);
    out.put(':', 0);
    out.string(value, 0);
    out.put(',', 0);
  }
  /// "key": in a text within `level` strings.
  void key(const char *name, int level) {
    out.string(name, level);
    out.put(':', level);
  }
  void orNull(const char *text) {
    if (text)
      out.string(text, 1);
    else
      out.text("null", 1);
  }
  bool name() {
    const char *text;
    size_t length;
    if (!names.next(text, length))
      return false;
    out.string({text, length}, 1);
    return true;
  }
  void columns();
  void effects();
  bool groups();
  bool inputs();
  void tensor(const char *prefix, const char *name, uint64_t offset,
              bool isInteger, std::span<const int64_t> shape);
  /// The table whose name follows that of `last`, which is null for the first;
  /// null after the last one.
  const tamrt_table *nextTable(const tamrt_table *last) const;
  const char *placeOf(const tamrt_table &table) const;
  /// Offset of a table in the file, which comes after the other tensors.
  uint64_t offsetOf(const tamrt_table &table) const;

  const tamrt_model &model;
  const WeightsView &weights;
  JsonWriter &out;
  NameReader names;
  uint64_t header = 0;
  size_t checksum = 0;
};

void Saver::columns() {
  out.text("{", 1);
  key("date", 1);
  orNull(model.date);
  out.put(',', 1);
  key("group", 1);
  orNull(model.group);
  out.put(',', 1);
  key("target", 1);
  orNull(model.target);
  out.put(',', 1);
  key("weights", 1);
  orNull(model.weights);
  out.put('}', 1);
}

void Saver::effects() {
  out.put('[', 1);
  for (int64_t i = 0; i < model.effect_count; ++i) {
    const tamrt_effect &effect = model.effects[i];
    out.text(i ? ",{" : "{", 1);
    key("columns", 1);
    out.integer(effect.columns, 1);
    out.put(',', 1);
    key("first", 1);
    out.integer(effect.first_column, 1);
    out.put(',', 1);
    key("name", 1);
    out.string(effect.name, 1);
    out.put(',', 1);
    key("term", 1);
    out.string(effect.term, 1);
    out.put('}', 1);
  }
  out.put(']', 1);
}

bool Saver::groups() {
  out.put('[', 1);
  for (int64_t g = 0; g < weights.header->groups; ++g) {
    if (g > 0)
      out.put(',', 1);
    if (weights.header->namedGroups) {
      if (!name())
        return false;
      continue;
    }
    out.put('"', 1);
    if (model.group)
      out.integer(weights.groups[g], 2);
    out.put('"', 1);
  }
  out.put(']', 1);
  return true;
}

bool Saver::inputs() {
  out.put('[', 1);
  for (size_t i = 0; i < size_t(model.input_count); ++i) {
    const bool named = weights.namedLevels[i];
    out.text(i ? ",{" : "{", 1);
    key("column", 1);
    out.string(model.inputs[i].column, 1);
    out.put(',', 1);
    key("levels", 1);
    if (!isLevels(model, i))
      out.text("null", 1);
    else
      out.put('[', 1);
    for (int64_t level = 0; level < weights.levelCounts[i]; ++level) {
      if (level > 0)
        out.put(',', 1);
      if (named) {
        if (!name())
          return false;
        continue;
      }
      const double number =
          weights.levels[levelsBefore(model, i) + size_t(level)];
      if (!std::isfinite(number))
        return false;
      char text[kDecimalLength];
      out.string({text, formatDecimal(number, text)}, 1);
    }
    if (isLevels(model, i))
      out.put(']', 1);
    out.put(',', 1);
    key("numeric", 1);
    out.text(isLevels(model, i) && !named ? "true" : "false", 1);
    out.put('}', 1);
  }
  out.put(']', 1);
  return true;
}

void Saver::tensor(const char *prefix, const char *name, uint64_t offset,
                   bool isInteger, std::span<const int64_t> shape) {
  size_t bytes = isInteger ? sizeof(int32_t) : sizeof(double);
  out.put(',', 0);
  out.put('"', 0);
  out.text(prefix, 1);
  out.text(name, 1);
  out.text("\":{\"data_offsets\":[", 0);
  out.integer(int64_t(offset), 0);
  out.put(',', 0);
  for (int64_t extent : shape)
    bytes *= size_t(extent);
  out.integer(int64_t(offset + bytes), 0);
  out.text("],\"dtype\":\"", 0);
  out.text(isInteger ? "I32" : "F64", 0);
  out.text("\",\"shape\":[", 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0)
      out.put(',', 0);
    out.integer(shape[i], 0);
  }
  out.text("]}", 0);
}

const tamrt_table *Saver::nextTable(const tamrt_table *last) const {
  const tamrt_table *next = nullptr;
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &table = model.tables[i];
    if ((!last || std::strcmp(last->name, table.name) < 0) &&
        (!next || std::strcmp(table.name, next->name) < 0))
      next = &table;
  }
  return next;
}

const char *Saver::placeOf(const tamrt_table &table) const {
  const char *place = weights.tables;
  for (const tamrt_table *other = model.tables; other != &table; ++other)
    place += roomOf(*other);
  return place;
}

uint64_t Saver::offsetOf(const tamrt_table &table) const {
  uint64_t offset = 0;
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &other = model.tables[i];
    // Doubles first, and then by name.
    if (other.is_integer != table.is_integer
            ? table.is_integer
            : std::strcmp(other.name, table.name) < 0)
      offset += uint64_t(bytesOf(other));
  }
  return offset;
}

bool Saver::run(uint64_t headerBytes) {
  const int64_t groupCount = weights.header->groups;
  const int64_t inputCount = model.input_count;
  out.bytes(&headerBytes, kPrefixBytes);
  out.text("{\"__metadata__\":{", 0);
  key("checksum", 0);
  checksum = out.size() + 1;
  out.string(kNoChecksum, 0);
  out.put(',', 0);
  auto nested = [&](const char *name) {
    key(name, 0);
    out.put('"', 0);
  };
  nested("columns");
  columns();
  out.text("\",", 0);
  nested("effects");
  effects();
  out.text("\",", 0);
  entry("format", "tamc weights 2");
  entry("formula", model.formula);
  nested("groups");
  if (!groups())
    return false;
  out.text("\",", 0);
  nested("inputs");
  if (!inputs())
    return false;
  out.text("\",", 0);
  entry("model", model.name);
  entry("spec", model.spec);
  entry("spec_hash", model.spec_hash);
  key("tamc_version", 0);
  out.string(model.tamc_version, 0);
  out.put('}', 0);

  uint64_t offset = 0;
  const double *data[] = {weights.coefficients, weights.knots, weights.ranges};
  const int64_t shapes[][3] = {{groupCount, model.columns},
                               {inputCount, 2},
                               {groupCount, inputCount, 2}};
  const size_t ranks[] = {2, 2, 3};
  size_t sizes[3];
  for (int i = 0; i < 3; ++i) {
    constexpr const char *names[] = {"coefficients", "knots", "ranges"};
    tensor("", names[i], offset, false, {shapes[i], ranks[i]});
    sizes[i] = sizeof(double);
    for (size_t k = 0; k < ranks[i]; ++k)
      sizes[i] *= size_t(shapes[i][k]);
    offset += sizes[i];
  }
  for (const tamrt_table *table = nextTable(nullptr); table;
       table = nextTable(table))
    tensor("tables.", table->name, offset + offsetOf(*table), table->is_integer,
           {table->shape, size_t(table->rank)});
  out.put('}', 0);
  while (out.size() % kPrefixBytes != 0)
    out.put(' ', 0);
  header = out.size() - kPrefixBytes;
  for (int i = 0; i < 3; ++i)
    out.bytes(data[i], sizes[i]);
  for (bool integers : {false, true})
    for (const tamrt_table *table = nextTable(nullptr); table;
         table = nextTable(table))
      if (bool(table->is_integer) == integers)
        out.bytes(placeOf(*table), size_t(bytesOf(*table)));
  return true;
}

/// Measures a file; false if there can be none of the weights: they lack names,
/// a level is no number, or the header exceeds the format's limit.
bool measure(const tamrt_model &model, const WeightsView &weights,
             size_t &bytes, uint64_t &header) {
  JsonWriter nowhere(nullptr, 0);
  Saver saver(model, weights, nowhere);
  if (!saver.run(0))
    return false;
  bytes = nowhere.size();
  header = saver.headerBytes();
  return header <= kMaxHeaderBytes;
}

} // namespace

size_t tamrt_embed_save_size(const tamrt_model *model, const void *weights,
                             size_t weights_size) {
  WeightsView view;
  size_t bytes;
  uint64_t header;
  if (view.open(*model, weights, weights_size, Report(nullptr)) ||
      !measure(*model, view, bytes, header))
    return 0;
  return bytes;
}

int tamrt_embed_save(const tamrt_model *model, const void *weights,
                     size_t weights_size, void *file, size_t file_size,
                     tamrt_embed_error *error) {
  const Report report(error);
  WeightsView view;
  if (int status = view.open(*model, weights, weights_size, report))
    return status;
  size_t bytes;
  uint64_t header;
  if (!measure(*model, view, bytes, header))
    return report.fail(TAMRT_EMBED_MALFORMED_WEIGHTS);
  if (!file)
    return report.fail(TAMRT_EMBED_NULL_POINTER);
  if (file_size < bytes)
    return report.needed(TAMRT_EMBED_BUFFER_TOO_SMALL, bytes);
  char *out = static_cast<char *>(file);
  JsonWriter writer(out, file_size);
  Saver saver(*model, view, writer);
  saver.run(header);
  const ChecksumText checksum = checksumOf({out, bytes}, saver.checksumPlace());
  std::memcpy(out + saver.checksumPlace(), checksum.text, sizeof checksum.text);
  return report.ok();
}
