//===- embed/Load.cpp - weights from the executable's file ----------------===//
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
#include "io/Number.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <span>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

constexpr std::string_view kFormat = "tamc weights 2";
/// The format of files without a checksum.
constexpr std::string_view kOldFormat = "tamc weights 1";
constexpr std::string_view kMetadata = "__metadata__";
constexpr size_t kPrefixBytes = 8;

/// A tensor in the file.
struct Tensor {
  bool found = false;
  bool isInteger = false;
  uint64_t begin = 0, end = 0;
  int64_t shape[3] = {};
  size_t rank = 0;

  /// Whether it exists, with integers of 4 bytes or doubles, and with that
  /// shape.
  bool is(bool wantsInteger, std::span<const int64_t> wanted) const {
    uint64_t bytes = isInteger ? sizeof(int32_t) : sizeof(double);
    for (int64_t extent : wanted)
      if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
        return false;
    return found && isInteger == wantsInteger && rank == wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), shape) &&
           end - begin == bytes;
  }
  bool isMatrix(size_t rows, size_t columns) const {
    const int64_t wanted[] = {int64_t(rows), int64_t(columns)};
    return is(false, wanted);
  }
};

/// Prefix of the names of tables.
constexpr std::string_view kTables = "tables.";
/// Tensors that are not read here (core/model/Weights.h).
constexpr std::string_view kInference = "inference.";
/// More than fits write. The header is read once for each, so there must be a
/// limit.
constexpr size_t kMostInference = 16;

/// A file of weights (core/model/Weights.h), read in place.
class Loader {
public:
  Loader(const tamrt_model &model, std::string_view file)
      : model(model), file(file) {}

  /// Reads everything except the numbers. \returns a tamrt_embed_status.
  tamrt_embed_status read();

  /// Bytes of the weights, after `read`.
  size_t size() const { return bytes; }

  /// After `read`, writes the weights to `size()` bytes.
  tamrt_embed_status write(void *memory);

private:
  bool readHeader();
  bool readMetadata(JsonReader &json);
  bool readTensor(JsonReader &json, Tensor &tensor) const;
  /// Calls body(tensor) for each tensor of a header that was read.
  template <class Body> void forEachTensor(const Body &body) const;
  /// Whether the tensors cover the data without gaps and overlaps.
  bool fillsData() const;
  /// Finds a table of the model in a header that was read; not found if it is
  /// missing or appears twice.
  Tensor findTable(const tamrt_table &table) const;
  bool readTables() const;
  bool readGroups();
  /// Reads the levels of all inputs; into `out` unless it is null.
  bool readInputs(WeightsView *out, char *names);
  bool readLevels(JsonReader json, size_t input, bool numeric, WeightsView *out,
                  char *&names);
  bool checkNumbers(const WeightsView &out) const;

  const tamrt_model &model;
  std::string_view file;
  const char *data = nullptr;
  size_t dataBytes = 0;
  bool hasFormat = false, wantsChecksum = false, hasChecksum = false;
  bool hasHash = false, sameHash = false;
  std::string_view header, groups, inputs;
  Tensor coefficients, ranges, knots;
  /// Number of tensors, and of those with names of tables and of inference.
  size_t tensorCount = 0, tableCount = 0, inferenceCount = 0;

  size_t groupCount = 0;
  bool namedGroups = false;
  uint64_t groupNameBytes = 0, levelNameBytes = 0;
  size_t bytes = 0;
};

bool Loader::readTensor(JsonReader &json, Tensor &tensor) const {
  if (tensor.found)
    return false;
  tensor.found = true;
  bool hasType = false, hasOffsets = false;
  const bool good = json.object([&](std::string_view key) {
    if (key == "dtype") {
      char type[3];
      size_t length;
      if (!json.string(type, sizeof type, length))
        return false;
      tensor.isInteger = std::string_view(type, length) == "I32";
      hasType = tensor.isInteger || std::string_view(type, length) == "F64";
      return true;
    }
    if (key == "shape")
      return json.array([&] {
        uint64_t extent;
        if (tensor.rank == 3 || !json.integer(extent) || extent > INT64_MAX)
          return false;
        tensor.shape[tensor.rank++] = int64_t(extent);
        return true;
      });
    if (key != "data_offsets")
      return false;
    hasOffsets = true;
    return json.take('[') && json.integer(tensor.begin) && json.take(',') &&
           json.integer(tensor.end) && json.take(']');
  });
  return good && hasType && hasOffsets && tensor.begin <= tensor.end;
}

bool Loader::readMetadata(JsonReader &json) {
  return json.object([&](std::string_view key) {
    std::string_view *spanned = key == "groups"   ? &groups
                                : key == "inputs" ? &inputs
                                                  : nullptr;
    if (spanned)
      return !spanned->data() && json.span(*spanned);
    char text[64];
    size_t length;
    if (key == "format") {
      if (hasFormat || !json.string(text, sizeof text, length))
        return false;
      const std::string_view format(text, length);
      wantsChecksum = format == kFormat;
      hasFormat = wantsChecksum || format == kOldFormat;
      return hasFormat;
    }
    if (key == "checksum") {
      if (hasChecksum || !json.string(text, sizeof text, length))
        return false;
      hasChecksum = true;
      const std::string_view checksum(text, length);
      const std::optional<size_t> place = findChecksum(file, checksum);
      return place && checksumOf(file, *place).view() == checksum;
    }
    if (key == "spec_hash") {
      hasHash = json.string(text, sizeof text, length);
      sameHash = hasHash && std::string_view(text, length) == model.spec_hash;
      return hasHash;
    }
    return json.string([](char) {});
  });
}

bool Loader::readHeader() {
  if (file.size() < kPrefixBytes)
    return false;
  uint64_t length;
  std::memcpy(&length, file.data(), kPrefixBytes);
  if (length > kMaxHeaderBytes || length > file.size() - kPrefixBytes)
    return false;
  data = file.data() + kPrefixBytes + length;
  dataBytes = file.size() - kPrefixBytes - size_t(length);
  header = {file.data() + kPrefixBytes, size_t(length)};
  JsonReader json(header);
  bool hasMetadata = false;
  const bool good = json.object([&](std::string_view key) {
    if (key == kMetadata) {
      const bool first = !hasMetadata;
      hasMetadata = true;
      return first && readMetadata(json);
    }
    ++tensorCount;
    if (key.starts_with(kTables)) {
      Tensor table;
      return ++tableCount <= size_t(model.table_count) &&
             readTensor(json, table);
    }
    if (key.starts_with(kInference)) {
      Tensor unused;
      return ++inferenceCount <= kMostInference && readTensor(json, unused);
    }
    if (key == "coefficients")
      return readTensor(json, coefficients);
    if (key == "ranges")
      return readTensor(json, ranges);
    return key == "knots" && readTensor(json, knots);
  });
  return good && json.atEnd() && hasFormat && hasHash && groups.data() &&
         inputs.data() && (hasChecksum || !wantsChecksum) &&
         tableCount == size_t(model.table_count) && fillsData();
}

template <class Body> void Loader::forEachTensor(const Body &body) const {
  JsonReader json(header);
  json.object([&](std::string_view key) {
    if (key == kMetadata)
      return json.skip();
    Tensor tensor;
    readTensor(json, tensor);
    body(tensor);
    return true;
  });
}

bool Loader::fillsData() const {
  // One pass for each tensor, because there is no memory to sort them.
  uint64_t end = 0;
  size_t count = 0;
  bool isAlone = true;
  for (bool goesOn = true; goesOn && isAlone;) {
    uint64_t next = end;
    forEachTensor([&](const Tensor &tensor) {
      if (tensor.begin != end)
        return;
      ++count;
      // Empty tensors may be at any such offset.
      isAlone &= tensor.end == end || next == end;
      next = std::max(next, tensor.end);
    });
    goesOn = next > end;
    end = next;
  }
  return isAlone && count == tensorCount && end == dataBytes;
}

Tensor Loader::findTable(const tamrt_table &table) const {
  JsonReader json(header);
  Tensor found;
  size_t length = 0;
  bool isSame = true;
  const std::string_view name = table.name;
  const size_t whole = kTables.size() + name.size();
  const bool good = json.object(
      [&](char c) {
        isSame &= length < whole && c == (length < kTables.size()
                                              ? kTables[length]
                                              : name[length - kTables.size()]);
        ++length;
      },
      [&] {
        const bool isWanted = isSame && length == whole;
        length = 0;
        isSame = true;
        return isWanted ? readTensor(json, found) : json.skip();
      });
  return good ? found : Tensor();
}

bool Loader::readTables() const {
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &table = model.tables[i];
    if (!findTable(table).is(table.is_integer,
                             {table.shape, size_t(table.rank)}))
      return false;
  }
  return true;
}

/// Reads the name of a group that is a whole number: "7", "7.0" or "1e3".
static bool parseWhole(std::string_view text, int64_t &value) {
  if (parseInteger(text, value))
    return true;
  // All whole numbers up to this one are doubles.
  constexpr double most = 9007199254740992;
  std::optional<double> number = parseNumber(text);
  if (!number || !(*number >= -most && *number <= most))
    return false;
  value = int64_t(*number);
  return double(value) == *number;
}

/// Counts the groups and determines whether they are whole numbers.
bool Loader::readGroups() {
  JsonReader json(groups, /*nested=*/true);
  bool integers = true;
  int64_t previous = 0;
  const bool good = json.array([&] {
    char text[kIntegerLength];
    size_t length = 0;
    if (!json.string([&](char c) {
          if (length < sizeof text)
            text[length] = c;
          ++length;
        }))
      return false;
    int64_t number = 0;
    integers = integers && length <= sizeof text &&
               parseWhole({text, length}, number) &&
               (groupCount == 0 || previous < number);
    previous = number;
    groupNameBytes += nameBytes(length);
    ++groupCount;
    return true;
  });
  namedGroups = model.group && !integers;
  if (!namedGroups)
    groupNameBytes = 0;
  return good && json.atEnd() && groupCount > 0 &&
         (model.group || groupCount == 1);
}

/// Appends a name to those of weights.
class NameWriter {
public:
  explicit NameWriter(char *at) : at(at), text(at + sizeof(uint64_t)) {}

  void put(char c) { text[length++] = c; }
  std::string_view name() const { return {text, size_t(length)}; }
  /// \returns the address for the next name.
  char *finish() {
    std::memcpy(at, &length, sizeof length);
    char *next = at + nameBytes(length);
    std::memset(text + length, 0, size_t(next - text) - size_t(length));
    return next;
  }

private:
  char *at, *text;
  uint64_t length = 0;
};

bool Loader::readLevels(JsonReader json, size_t input, bool numeric,
                        WeightsView *out, char *&names) {
  const auto most = uint64_t(model.inputs[input].levels);
  double *levels = out ? out->levels + levelsBefore(model, input) : nullptr;
  uint64_t count = 0;
  double last = 0;
  std::string_view lastName;
  const bool good = json.array([&] {
    if (count == most)
      return false;
    if (numeric) {
      char text[2 * kDecimalLength];
      size_t length;
      if (!json.string(text, sizeof text, length))
        return false;
      std::optional<double> number = parseNumber({text, length});
      if (!number || !std::isfinite(*number) ||
          (count > 0 && !(last < *number)))
        return false;
      last = *number;
      if (levels)
        levels[count] = last;
      ++count;
      return true;
    }
    if (!out) {
      uint64_t length = 0;
      if (!json.string([&](char) { ++length; }))
        return false;
      levelNameBytes += nameBytes(length);
      ++count;
      return true;
    }
    NameWriter writer(names);
    if (!json.string([&](char c) { writer.put(c); }) ||
        (count > 0 && !(lastName < writer.name())))
      return false;
    lastName = writer.name();
    names = writer.finish();
    levels[count] = double(count);
    ++count;
    return true;
  });
  if (out) {
    out->levelCounts[input] = int64_t(count);
    out->namedLevels[input] = !numeric;
  }
  return good && count > 0;
}

bool Loader::readInputs(WeightsView *out, char *names) {
  JsonReader json(inputs, /*nested=*/true);
  size_t input = 0;
  const bool good = json.array([&] {
    if (input == size_t(model.input_count))
      return false;
    JsonReader levels = json;
    bool hasLevels = false, hasNumeric = false, numeric = false;
    if (!json.object([&](std::string_view key) {
          if (key == "levels") {
            hasLevels = true;
            levels = json;
            return json.skip();
          }
          if (key == "numeric") {
            hasNumeric = true;
            return json.boolean(numeric);
          }
          return json.skip();
        }))
      return false;
    const size_t at = input++;
    if (out)
      out->levelCounts[at] = out->namedLevels[at] = 0;
    return !isLevels(model, at) ||
           (hasLevels && hasNumeric &&
            readLevels(levels, at, numeric, out, names));
  });
  return good && json.atEnd() && input == size_t(model.input_count);
}

tamrt_embed_status Loader::read() {
  if (!readHeader())
    return TAMRT_EMBED_MALFORMED_WEIGHTS;
  if (!sameHash)
    return TAMRT_EMBED_OTHER_MODEL;
  const auto inputCount = size_t(model.input_count);
  if (!readGroups())
    return TAMRT_EMBED_MALFORMED_WEIGHTS;
  const int64_t pairs[] = {int64_t(groupCount), int64_t(inputCount), 2};
  if (!coefficients.isMatrix(groupCount, size_t(model.columns)) ||
      !ranges.is(false, pairs) || !knots.isMatrix(inputCount, 2) ||
      !readTables() || !readInputs(nullptr, nullptr))
    return TAMRT_EMBED_MALFORMED_WEIGHTS;
  WeightsView measured;
  bytes = measured.layOut(model, groupCount, nullptr) +
          size_t(groupNameBytes + levelNameBytes);
  return TAMRT_EMBED_OK;
}

/// Whether a fit can have written these numbers, so that the kernels can rely
/// on them.
bool Loader::checkNumbers(const WeightsView &out) const {
  const auto inputCount = size_t(model.input_count);
  const size_t all = groupCount * size_t(model.columns);
  if (firstNotFinite(out.coefficients, all) < all ||
      firstNotFinite(out.ranges, 2 * groupCount * inputCount) <
          2 * groupCount * inputCount ||
      firstNotFinite(out.knots, 2 * inputCount) < 2 * inputCount)
    return false;
  for (size_t i = 0; i < inputCount; ++i) {
    for (size_t g = 0; g < groupCount; ++g) {
      const double *range = out.ranges + 2 * (g * inputCount + i);
      if (isLevels(model, i) ? range[0] != 0 || range[1] != 0 : !(range[1] > 0))
        return false;
    }
    const double *knot = out.knots + 2 * i;
    if (isLevels(model, i) ? knot[0] != 0 || knot[1] != 0
                           : !isKnotRange(model.inputs[i], knot[0], knot[1]))
      return false;
  }
  return forEachTable(
      model, out.tables,
      [&](const tamrt_learner &learner, int64_t k, const void *contents) {
        return !faultOf(model, learner, k, contents);
      });
}

/// Whether two groups have one name. Sorts places of names in `out.groups`,
/// because there is no other memory.
bool haveSameNames(const WeightsView &out, size_t count) {
  const std::span<int64_t> places(out.groups, count);
  auto lengthAt = [&](int64_t place) {
    uint64_t length;
    std::memcpy(&length, out.names + place, sizeof length);
    return length;
  };
  auto nameAt = [&](int64_t place) {
    return std::string_view(out.names + place + sizeof(uint64_t),
                            size_t(lengthAt(place)));
  };
  int64_t next = 0;
  for (int64_t &place : places) {
    place = next;
    next += int64_t(nameBytes(lengthAt(place)));
  }
  std::sort(places.begin(), places.end(),
            [&](int64_t a, int64_t b) { return nameAt(a) < nameAt(b); });
  const bool areSame = std::adjacent_find(places.begin(), places.end(),
                                          [&](int64_t a, int64_t b) {
                                            return nameAt(a) == nameAt(b);
                                          }) != places.end();
  for (size_t g = 0; g < count; ++g)
    out.groups[g] = int64_t(g);
  return areSame;
}

tamrt_embed_status Loader::write(void *memory) {
  WeightsView out;
  out.layOut(model, groupCount, memory);
  auto copy = [&](void *to, const Tensor &tensor) {
    if (tensor.end > tensor.begin)
      std::memcpy(to, data + tensor.begin, size_t(tensor.end - tensor.begin));
  };
  copy(out.coefficients, coefficients);
  copy(out.ranges, ranges);
  copy(out.knots, knots);
  std::memset(out.tables, 0, tableBytes(model));
  forEachTable(model, out.tables,
               [&](const tamrt_learner &learner, int64_t k, void *contents) {
                 copy(contents,
                      findTable(model.tables[learner.first_table + k]));
                 return true;
               });
  if (!checkNumbers(out))
    return TAMRT_EMBED_MALFORMED_WEIGHTS;

  JsonReader json(groups, /*nested=*/true);
  char *names = out.names;
  size_t g = 0;
  json.array([&] {
    out.groups[g] = int64_t(g);
    if (namedGroups) {
      NameWriter writer(names);
      json.string([&](char c) { writer.put(c); });
      names = writer.finish();
    } else {
      char text[kIntegerLength];
      size_t length = 0;
      json.string(text, sizeof text, length);
      if (model.group)
        parseWhole({text, length}, out.groups[g]);
    }
    ++g;
    return !json.failed();
  });
  if (namedGroups && haveSameNames(out, groupCount))
    return TAMRT_EMBED_MALFORMED_WEIGHTS;
  double *levels = out.levels;
  std::fill(levels, levels + levelsBefore(model, size_t(model.input_count)),
            0.0);
  if (!readInputs(&out, names))
    return TAMRT_EMBED_MALFORMED_WEIGHTS;
  out.seal(model, groupCount, groupNameBytes + levelNameBytes, namedGroups);
  return TAMRT_EMBED_OK;
}

} // namespace

size_t tamrt_embed_load_size(const tamrt_model *model, const void *file,
                             size_t file_size) {
  if (!file)
    return 0;
  Loader loader(*model, {static_cast<const char *>(file), file_size});
  return loader.read() ? 0 : loader.size();
}

int tamrt_embed_load(const tamrt_model *model, const void *file,
                     size_t file_size, void *weights, size_t weights_size,
                     tamrt_embed_error *error) {
  const Report report(error);
  if (!file || !weights)
    return report.fail(TAMRT_EMBED_NULL_POINTER);
  if (reinterpret_cast<uintptr_t>(weights) % sizeof(double) != 0)
    return report.fail(TAMRT_EMBED_MISALIGNED);
  if (weights_size >= sizeof(WeightsHeader::magic))
    std::memset(weights, 0, sizeof(WeightsHeader::magic));
  Loader loader(*model, {static_cast<const char *>(file), file_size});
  if (tamrt_embed_status status = loader.read())
    return report.fail(status);
  if (weights_size < loader.size())
    return report.needed(TAMRT_EMBED_BUFFER_TOO_SMALL, loader.size());
  return report.fail(loader.write(weights));
}

int tamrt_embed_group_id(const tamrt_model *model, const void *weights,
                         size_t weights_size, const char *name, int64_t *id) {
  const Report report(nullptr);
  WeightsView view;
  if (int status = view.open(*model, weights, weights_size, report))
    return status;
  if (!name || !id)
    return TAMRT_EMBED_NULL_POINTER;
  const std::string_view wanted = name;
  if (!view.header->namedGroups) {
    *id = 0;
    const bool good = model->group
                          ? parseWhole(wanted, *id) && view.find(*id) >= 0
                          : wanted.empty();
    return good ? TAMRT_EMBED_OK : TAMRT_EMBED_UNKNOWN_NAME;
  }
  NameReader names(view);
  const char *text;
  size_t length;
  for (*id = 0; *id < view.header->groups; ++*id) {
    if (!names.next(text, length))
      return TAMRT_EMBED_MALFORMED_WEIGHTS;
    if (wanted == std::string_view(text, length))
      return TAMRT_EMBED_OK;
  }
  return TAMRT_EMBED_UNKNOWN_NAME;
}

int tamrt_embed_level(const tamrt_model *model, const void *weights,
                      size_t weights_size, const char *column, const char *text,
                      double *value) {
  const Report report(nullptr);
  WeightsView view;
  if (int status = view.open(*model, weights, weights_size, report))
    return status;
  if (!column || !text || !value)
    return TAMRT_EMBED_NULL_POINTER;
  NameReader names(view);
  const char *name;
  size_t length;
  if (view.header->namedGroups)
    for (int64_t g = 0; g < view.header->groups; ++g)
      if (!names.next(name, length))
        return TAMRT_EMBED_MALFORMED_WEIGHTS;
  for (size_t i = 0; i < size_t(model->input_count); ++i) {
    if (!isLevels(*model, i))
      continue;
    const bool wanted = std::strcmp(model->inputs[i].column, column) == 0;
    if (!view.namedLevels[i]) {
      if (!wanted)
        continue;
      // Text in a column of numbers counts as beyond the last level.
      std::optional<double> number = parseNumber(text);
      *value = number && std::isfinite(*number) ? *number : DBL_MAX;
      return TAMRT_EMBED_OK;
    }
    for (int64_t level = 0; level < view.levelCounts[i]; ++level) {
      if (!names.next(name, length))
        return TAMRT_EMBED_MALFORMED_WEIGHTS;
      if (wanted && std::string_view(name, length) == text) {
        *value = double(level);
        return TAMRT_EMBED_OK;
      }
    }
    if (wanted) {
      *value = -1;
      return TAMRT_EMBED_OK;
    }
  }
  return TAMRT_EMBED_UNKNOWN_NAME;
}
