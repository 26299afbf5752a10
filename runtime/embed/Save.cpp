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

#include <cstring>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

constexpr size_t kPrefixBytes = 8;

/// Writes what core/model/Weights.h says, byte for byte as the executable does:
/// keys sorted, tensors by name.
class Saver {
public:
  Saver(const tamrt_model &model, const WeightsView &weights, JsonWriter &out)
      : model(model), weights(weights), out(out), names(weights) {}

  /// False when names are missing.
  bool run(uint64_t headerBytes);

  /// Bytes of the header, with what fills it up; of the first run.
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
  void tensor(const char *name, uint64_t &offset, size_t count,
              const char *shape, size_t shapeLength);

  const tamrt_model &model;
  const WeightsView &weights;
  JsonWriter &out;
  NameReader names;
  uint64_t header = 0;
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
      char text[kDecimalLength];
      out.string(
          {text,
           formatDecimal(weights.levels[levelsBefore(model, i) + size_t(level)],
                         text)},
          1);
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

void Saver::tensor(const char *name, uint64_t &offset, size_t count,
                   const char *shape, size_t shapeLength) {
  out.put(',', 0);
  key(name, 0);
  out.text("{\"data_offsets\":[", 0);
  out.integer(int64_t(offset), 0);
  out.put(',', 0);
  offset += count * sizeof(double);
  out.integer(int64_t(offset), 0);
  out.text("],\"dtype\":\"F64\",\"shape\":[", 0);
  out.text({shape, shapeLength}, 0);
  out.text("]}", 0);
}

bool Saver::run(uint64_t headerBytes) {
  const auto groupCount = size_t(weights.header->groups);
  const auto inputCount = size_t(model.input_count);
  out.bytes(&headerBytes, kPrefixBytes);
  out.text("{\"__metadata__\":{", 0);
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
  entry("format", "tamc weights 1");
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
  auto add = [&](const char *name, size_t a, size_t b, size_t c) {
    char shape[3 * (kIntegerLength + 1)];
    size_t length = 0, count = 1;
    for (size_t extent : {a, b, c}) {
      if (extent == SIZE_MAX)
        continue;
      if (length > 0)
        shape[length++] = ',';
      length += formatInteger(int64_t(extent), shape + length);
      count *= extent;
    }
    tensor(name, offset, count, shape, length);
    return count * sizeof(double);
  };
  const size_t sizes[] = {
      add("coefficients", groupCount, size_t(model.columns), SIZE_MAX),
      add("knots", inputCount, 2, SIZE_MAX),
      add("ranges", groupCount, inputCount, 2)};
  out.put('}', 0);
  while (out.size() % kPrefixBytes != 0)
    out.put(' ', 0);
  header = out.size() - kPrefixBytes;
  out.bytes(weights.coefficients, sizes[0]);
  out.bytes(weights.knots, sizes[1]);
  out.bytes(weights.ranges, sizes[2]);
  return true;
}

/// Measures a file; false when the weights lack names.
bool measure(const tamrt_model &model, const WeightsView &weights,
             size_t &bytes, uint64_t &header) {
  JsonWriter nowhere(nullptr, 0);
  Saver saver(model, weights, nowhere);
  if (!saver.run(0))
    return false;
  bytes = nowhere.size();
  header = saver.headerBytes();
  return true;
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
  JsonWriter writer(static_cast<char *>(file), file_size);
  Saver(*model, view, writer).run(header);
  return report.ok();
}
