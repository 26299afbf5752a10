//===- core/model/Weights.cpp - trained weights ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Weights.h"

#include "core/model/ModelFile.h"
#include "io/HeaderLimit.h"
#include "io/Json.h"
#include "io/Number.h"

#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <type_traits>

namespace tamrt {
namespace {

using nlohmann::json;

constexpr const char *kWeightsFormat = "tamc weights 2";
/// The format of files without a checksum.
constexpr const char *kOldFormat = "tamc weights 1";

constexpr const char *kCoefficients = "coefficients";

// Libraries of earlier versions ignore tensors of inference and no others.
constexpr const char *kResiduals = "inference.calibration.residuals";
constexpr const char *kCalibrationRows = "inference.calibration.rows";
/// What the names of the tensors of calibration, and of those and inference,
/// begin with.
constexpr std::string_view kCalibrationNames = "inference.calibration.";
constexpr std::string_view kInferenceNames = "inference.";

Status checkFile(const tamrt_model &model, const SafetensorsFile &file) {
  const std::string format = orUnknown(file, "format");
  if (format != kWeightsFormat && format != kOldFormat)
    return Error{file.path() + ": expected a file of format '" +
                 kWeightsFormat + "', got '" + format + "'"};
  if (format == kWeightsFormat && !file.isChecked())
    return Error{file.path() + ": damaged: expected a checksum, got none"};
  return checkSpec(model, file, "weights");
}

Result<std::vector<LevelTable>> loadLevels(const tamrt_model &model,
                                           const SafetensorsFile &file) {
  Result<json> inputs = jsonEntry(file, "inputs");
  if (!inputs)
    return std::move(inputs).error();
  const std::string place = file.path() + ": metadata 'inputs'";
  if (!inputs->is_array() || inputs->size() != size_t(model.input_count))
    return Error{place + ": expected a list of " +
                 std::to_string(model.input_count) + " inputs"};
  std::vector<LevelTable> tables(inputs->size());
  for (size_t i = 0; i < inputs->size(); ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    const json &texts = member((*inputs)[i], "levels"),
               &numeric = member((*inputs)[i], "numeric");
    if (texts.is_null() || !numeric.is_boolean())
      return Error{place + ": expected levels of column '" +
                   std::string(input.column) + "'"};
    Result<std::vector<std::string>> names =
        stringList(texts, place + ": levels");
    if (!names)
      return std::move(names).error();
    if (names->empty() || names->size() > size_t(input.levels))
      return Error{place + ": expected 1 to " + std::to_string(input.levels) +
                   " levels of column '" + std::string(input.column) +
                   "', got " + std::to_string(names->size())};
    Result<LevelTable> table =
        LevelTable::create(numeric.get<bool>(), *std::move(names));
    if (!table)
      return Error{place + ": " + table.error().message};
    tables[i] = *std::move(table);
  }
  return tables;
}

/// Checks that a fit can have written these ranges and knots, so that the
/// kernels can rely on them. Errors name the tensor.
Status checkNormalization(const tamrt_model &model, const Weights &weights,
                          const std::string &path) {
  const Normalization &norm = weights.normalization;
  const size_t inputs = norm.inputs();
  for (size_t i = 0; i < inputs; ++i) {
    const tamrt_input &input = model.inputs[i];
    const bool levels = input.rule == TAMRT_RULE_LEVELS;
    const std::string column = " of column '" + std::string(input.column) + "'";
    for (size_t g = 0; g < weights.groups.size(); ++g) {
      const size_t at = 2 * (g * inputs + i);
      const double centre = norm.ranges[at], half = norm.ranges[at + 1];
      if (levels ? centre == 0 && half == 0 : half > 0)
        continue;
      return Error{
          path + ": tensor 'ranges': expected " +
          (levels ? "zeros" : "a half range above 0") + column +
          (model.group ? " in group '" + weights.groups[g] + "'" : "") +
          ", got " + formatNumber(centre) + " and " + formatNumber(half)};
    }
    const double lo = norm.knots[2 * i], hi = norm.knots[2 * i + 1];
    bool good = levels ? lo == 0 && hi == 0 : isKnotRange(input, lo, hi);
    if (!good)
      return Error{
          path + ": tensor 'knots': expected " +
          (levels                           ? "zeros"
           : input.rule == TAMRT_RULE_RANGE ? "lo below hi, both from -1 to 1,"
                                            : "lo below hi") +
          column + ", got " + formatNumber(lo) + " and " + formatNumber(hi)};
  }
  return {};
}

/// A tensor's name in the file.
std::string tensorOf(const tamrt_table &table) {
  return std::string("tables.") + table.name;
}

template <class T>
Status loadTable(const SafetensorsFile &file, const tamrt_table &table,
                 size_t place, Tables &tables) {
  Result<std::vector<T>> values = file.values<T>(
      tensorOf(table), std::span(table.shape, size_t(table.rank)));
  if (!values)
    return std::move(values).error();
  tables.set(place, values->data());
  return {};
}

Result<Tables> loadTables(const tamrt_model &model,
                          const SafetensorsFile &file) {
  Result<Tables> tables = Tables::allocate(model);
  if (!tables)
    return Error{file.path() + ": " + tables.error().message};
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &table = model.tables[i];
    Status loaded = table.is_integer
                        ? loadTable<int32_t>(file, table, size_t(i), *tables)
                        : loadTable<double>(file, table, size_t(i), *tables);
    if (!loaded)
      return std::move(loaded).error();
  }
  if (std::optional<FaultyTable> fault = findFault(model, *tables))
    return Error{file.path() + ": tensor '" +
                 tensorOf(model.tables[fault->table]) + "': " + fault->text};
  return tables;
}

} // namespace

namespace {

/// A tensor of inference.
template <class Numbers> struct InferenceTensor {
  const char *name;
  std::vector<int64_t> shape;
  Numbers &numbers;
};

/// Those of `groups` groups; `Known` is Inference, const or not.
template <class Known>
auto inferenceTensors(const tamrt_model &model, int64_t groups, Known &known) {
  using Tensor =
      InferenceTensor<std::remove_reference_t<decltype((known.edf))>>;
  const int64_t effects = model.effect_count;
  return std::vector<Tensor>{
      {"inference.covariance",
       {groups, triangleSize(model.columns)},
       known.covariance},
      {"inference.edf", {groups, effects}, known.edf},
      {"inference.means", {groups, model.columns}, known.means},
      {"inference.groups", {groups, int64_t(kGroupFields)}, known.groups},
      {"inference.effects",
       {groups, effects, int64_t(kEffectFields)},
       known.effects}};
}

} // namespace

/// Whether a header has room for these texts as JSON in a metadata entry.
static bool hasRoomFor(std::span<const std::string> list) {
  // Quotes and commas, and what escapes in an entry, itself a text of JSON, add
  // to any byte.
  constexpr uint64_t kAround = 5, kMostForByte = 7;
  uint64_t most = 0, bytes = 0;
  for (const std::string &text : list)
    most += kMostForByte * text.size() + kAround;
  if (most <= kMaxHeaderBytes)
    return true;
  for (const std::string &text : list)
    // The outer quotes are the entry's, but there is a comma.
    bytes += json(json(text).dump()).dump().size() - 1;
  return bytes <= kMaxHeaderBytes;
}

Status checkTexts(const tamrt_model &model, std::span<const std::string> groups,
                  const std::vector<LevelTable> &levels) {
  auto bad = [](const char *column, const char *what) {
    return Error{"column '" + std::string(column) + "': expected " + what +
                 " in UTF-8"};
  };
  for (const std::string &group : groups)
    if (!isUtf8(group))
      return bad(model.group, "group values");
  for (size_t i = 0; i < levels.size(); ++i)
    for (const std::string &name : levels[i].names)
      if (!isUtf8(name))
        return bad(model.inputs[i].column, "levels");
  if (!hasRoomFor(groups))
    return Error{"column '" + std::string(model.group) +
                 "': expected groups whose names fit in a header of weights, "
                 "of at most " +
                 std::to_string(kMaxHeaderBytes) + " bytes, got " +
                 std::to_string(groups.size()) +
                 " groups with longer names; give them shorter names, or fit "
                 "some of them at a time, each time to other weights"};
  return {};
}

/// The contents. Of weights whose coefficients come by a SafetensorsOutput,
/// `later` says whether inference does, too.
static SafetensorsWriter contentsOf(const tamrt_model &model,
                                    const Weights &weights,
                                    std::optional<bool> later = {}) {
  json effects = json::array();
  for (int64_t i = 0; i < model.effect_count; ++i) {
    const tamrt_effect &effect = model.effects[i];
    effects.push_back({{"name", effect.name},
                       {"term", effect.term},
                       {"first", effect.first_column},
                       {"columns", effect.columns}});
  }
  json inputs = json::array();
  for (int64_t i = 0; i < model.input_count; ++i) {
    const LevelTable &table = weights.normalization.levels[size_t(i)];
    bool levels = model.inputs[i].rule == TAMRT_RULE_LEVELS;
    inputs.push_back({{"column", model.inputs[i].column},
                      {"levels", levels ? json(table.names) : json(nullptr)},
                      {"numeric", table.numeric}});
  }
  json columns = {{"target", textOrNull(model.target)},
                  {"group", textOrNull(model.group)},
                  {"date", textOrNull(model.date)},
                  {"weights", textOrNull(model.weights)}};
  auto dump = [](const json &value) { return value.dump(); };

  SafetensorsWriter writer;
  addSpec(writer, model, kWeightsFormat);
  writer.metadata("spec", model.spec);
  writer.metadata("columns", dump(columns));
  writer.metadata("effects", dump(effects));
  std::string names;
  appendJson(weights.groups, names);
  writer.metadata("groups", std::move(names));
  writer.metadata("inputs", dump(inputs));
  if (!weights.penalties.empty()) {
    json penalties = json::object();
    for (const auto &[name, ap] : weights.penalties)
      penalties[name] = ap;
    writer.metadata("penalties", dump(penalties));
  }

  if (!weights.groupAps.empty()) {
    const auto count = size_t(model.penalty_count);
    json penalties = json::object();
    for (size_t i = 0; i < count; ++i) {
      json &aps = penalties[model.penalties[i].name] = json::array();
      for (size_t g = 0; g < weights.groups.size(); ++g)
        aps.push_back(weights.groupAps[g * count + i]);
    }
    writer.metadata("group_penalties", dump(penalties));
  }

  const auto groups = int64_t(weights.groups.size());
  const Normalization &norm = weights.normalization;
  if (later)
    writer.addLater(kCoefficients, {groups, model.columns});
  else
    writer.addView<double>(kCoefficients, {groups, model.columns},
                           weights.coefficients);
  writer.addView<double>("ranges", {groups, model.input_count, 2}, norm.ranges);
  writer.addView<double>("knots", {model.input_count, 2}, norm.knots);
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &table = model.tables[i];
    std::vector<int64_t> shape(table.shape, table.shape + table.rank);
    if (table.is_integer)
      writer.addView<int32_t>(tensorOf(table), std::move(shape),
                              weights.tables.integers(size_t(i)));
    else
      writer.addView<double>(tensorOf(table), std::move(shape),
                             weights.tables.numbers(size_t(i)));
  }
  if (const Calibration &known = weights.calibration; !known.isEmpty()) {
    writer.metadata("calibration", dump({{"split", known.split()}}));
    std::vector<double> rows;
    for (size_t g = 0; g < known.groupCount(); ++g)
      rows.push_back(double(known.of(g).size()));
    writer.addView<double>(kResiduals, {int64_t(known.all().size())},
                           known.all());
    writer.add<double>(kCalibrationRows, {groups}, rows);
  }
  const Inference &known = weights.inference;
  const bool isLater = later.value_or(false);
  if (known.isEmpty() && !isLater)
    return writer;
  writer.metadata("inference", dump({{"groups", groupFieldNames},
                                     {"effects", effectFieldNames}}));
  for (const auto &tensor : inferenceTensors(model, groups, known))
    if (isLater)
      writer.addLater(tensor.name, tensor.shape);
    else
      writer.addView<double>(tensor.name, tensor.shape, tensor.numbers);
  return writer;
}

SafetensorsWriter serialize(const tamrt_model &model, const Weights &weights) {
  return contentsOf(model, weights);
}

Result<WeightsOutput> WeightsOutput::create(const tamrt_model &model,
                                            const Weights &weights,
                                            bool hasInference,
                                            const std::string &path) {
  Result<SafetensorsOutput> output =
      SafetensorsOutput::create(contentsOf(model, weights, hasInference), path);
  if (!output)
    return std::move(output).error();
  return WeightsOutput(model, *std::move(output));
}

Status WeightsOutput::write(size_t first, std::span<const double> coefficients,
                            const Inference &inference) {
  const auto width = size_t(model->columns);
  Status written = output.write(kCoefficients, first * width, coefficients);
  if (inference.isEmpty())
    return written;
  const size_t count = coefficients.size() / width;
  for (const auto &tensor : inferenceTensors(*model, int64_t(count), inference))
    if (written)
      written = output.write(
          tensor.name, first * (tensor.numbers.size() / count), tensor.numbers);
  return written;
}

/// The aps in the file that differ from the formula's.
static Result<std::vector<std::pair<std::string, double>>>
loadPenalties(const tamrt_model &model, const SafetensorsFile &file) {
  std::vector<std::pair<std::string, double>> penalties;
  if (!file.metadata().count("penalties"))
    return penalties;
  Result<json> entry = jsonEntry(file, "penalties");
  if (!entry)
    return std::move(entry).error();
  bool good = entry->is_object();
  for (int64_t i = 0; good && i < model.penalty_count; ++i) {
    auto found = entry->find(model.penalties[i].name);
    if (found == entry->end())
      continue;
    good = found->is_number();
    if (good)
      penalties.emplace_back(model.penalties[i].name, found->get<double>());
  }
  if (!good || penalties.size() != entry->size())
    return Error{file.path() +
                 ": metadata 'penalties': expected numbers of penalties"};
  return penalties;
}

/// The aps of `groups` groups that have their own; none if they have not.
static Result<std::vector<double>> loadGroupAps(const tamrt_model &model,
                                                size_t groups,
                                                const SafetensorsFile &file) {
  if (!file.metadata().count("group_penalties"))
    return std::vector<double>();
  Result<json> entry = jsonEntry(file, "group_penalties");
  if (!entry)
    return std::move(entry).error();
  const auto count = size_t(model.penalty_count);
  std::vector<double> aps(groups * count);
  bool good = entry->is_object() && entry->size() == count;
  for (size_t i = 0; good && i < count; ++i) {
    auto found = entry->find(model.penalties[i].name);
    good =
        found != entry->end() && found->is_array() && found->size() == groups;
    for (size_t g = 0; good && g < groups; ++g) {
      const json &ap = (*found)[g];
      good = ap.is_number() &&
             std::fabs(ap.get<double>()) <= double(TAMRT_AP_LIMIT);
      if (good)
        aps[g * count + i] = ap.get<double>();
    }
  }
  if (!good)
    return Error{file.path() +
                 ": metadata 'group_penalties': expected for each "
                 "penalty the ap of each group, from -" +
                 std::to_string(TAMRT_AP_LIMIT) + " to " +
                 std::to_string(TAMRT_AP_LIMIT)};
  return aps;
}

/// Checks that the numbers could come from a fit. Those of a group whose
/// residuals have no variance may be NaN.
static Status checkInference(const tamrt_model &model, const Inference &known,
                             const std::string &path) {
  auto refuse = [&](const char *tensor, double got, size_t at) {
    return Error{path + ": tensor '" + tensor +
                 "': expected a number that a fit leaves, got " +
                 formatNumber(got) + " at index " + std::to_string(at)};
  };
  for (auto [tensor, numbers] : {std::pair("inference.edf", &known.edf),
                                 std::pair("inference.means", &known.means)})
    for (size_t i = 0; i < numbers->size(); ++i)
      if (!std::isfinite((*numbers)[i]))
        return refuse(tensor, (*numbers)[i], i);
  const auto size = size_t(triangleSize(model.columns));
  for (size_t g = 0; g * size < known.covariance.size(); ++g) {
    if (std::isnan(known.field(g, kSigma2)))
      continue;
    size_t diagonal = 0, row = 0;
    for (size_t i = 0; i < size; ++i) {
      const double value = known.covariance[g * size + i];
      const bool isVariance = i == diagonal;
      if (!std::isfinite(value) || (isVariance && value < 0))
        return refuse("inference.covariance", value, g * size + i);
      if (isVariance)
        diagonal += ++row + 1;
    }
  }
  return {};
}

static Error lacksInference(const std::string &name) {
  return Error{name + ": expected weights with inference, got none; fit again "
                      "with --inference"};
}

static Error lacksCalibration(const std::string &name) {
  return Error{name + ": expected weights with residuals of held-out rows, "
                      "which conformal intervals need, got none; fit again "
                      "with fit --calibrate"};
}

Status checkParts(const Weights &weights, const std::string &name,
                  WeightsParts parts) {
  if (parts.inference == FilePart::Yes && weights.inference.isEmpty())
    return lacksInference(name);
  if (parts.calibration == FilePart::Yes && weights.calibration.isEmpty())
    return lacksCalibration(name);
  return {};
}

/// Reads inference of `groups` groups. A field of a group or an effect may be
/// NaN, where its rows leave nothing to compute it from.
static Result<Inference> readInference(const tamrt_model &model, int64_t groups,
                                       const SafetensorsFile &file) {
  if (!file.metadata().count("inference"))
    return lacksInference(file.path());
  Result<json> fields = jsonEntry(file, "inference");
  if (!fields)
    return std::move(fields).error();
  if (*fields !=
      json{{"groups", groupFieldNames}, {"effects", effectFieldNames}})
    return Error{file.path() + ": metadata 'inference': expected the fields of "
                               "this version; fit again"};
  Inference known;
  for (const auto &tensor : inferenceTensors(model, groups, known)) {
    Result<std::vector<double>> values =
        file.values<double>(tensor.name, tensor.shape);
    if (!values)
      return std::move(values).error();
    tensor.numbers = *std::move(values);
  }
  if (Status s = checkInference(model, known, file.path()); !s)
    return std::move(s).error();
  return known;
}

/// Reads the residuals of held-out rows of `groups` groups.
static Result<Calibration> readCalibration(int64_t groups,
                                           const SafetensorsFile &file) {
  const std::string &path = file.path();
  if (!file.metadata().count("calibration"))
    return lacksCalibration(path);
  Result<json> entry = jsonEntry(file, "calibration");
  if (!entry)
    return std::move(entry).error();
  const json &split = member(*entry, "split");
  if (!split.is_string())
    return Error{path + ": metadata 'calibration': expected a split"};
  const int64_t shape[] = {groups}, any[] = {-1};
  Result<std::vector<double>> rows =
      file.values<double>(kCalibrationRows, shape);
  if (!rows)
    return std::move(rows).error();
  Result<std::vector<double>> residuals = file.values<double>(kResiduals, any);
  if (!residuals)
    return std::move(residuals).error();
  auto refuse = [&](const char *tensor, const char *expected, double got,
                    size_t at) {
    return Error{path + ": tensor '" + tensor + "': expected " + expected +
                 ", got " + formatNumber(got) + " at index " +
                 std::to_string(at)};
  };
  std::vector<std::vector<double>> byGroup;
  size_t next = 0;
  for (size_t g = 0; g < rows->size(); ++g) {
    const double count = (*rows)[g];
    if (!(count >= 1 && count <= double(residuals->size() - next)) ||
        count != std::floor(count))
      return refuse(kCalibrationRows, "numbers of residuals", count, g);
    const auto first = residuals->begin() + ptrdiff_t(next);
    next += size_t(count);
    byGroup.emplace_back(first, residuals->begin() + ptrdiff_t(next));
    for (size_t i = next - size_t(count); i < next; ++i)
      if (const double got = (*residuals)[i];
          !std::isfinite(got) ||
          (i > next - size_t(count) && got < (*residuals)[i - 1]))
        return refuse(kResiduals, "finite numbers, ascending in each group",
                      got, i);
  }
  if (next != residuals->size())
    return Error{path + ": tensor '" + kCalibrationRows + "': expected " +
                 std::to_string(residuals->size()) + " residuals in all, got " +
                 std::to_string(next)};
  return Calibration(split.get<std::string>(), std::move(byGroup));
}

Result<Weights> loadWeights(const tamrt_model &model, const std::string &from,
                            WeightsParts parts) {
  // Of models with many columns inference is most of the file.
  auto isLeft = [&](std::string_view name) {
    return name.starts_with(kInferenceNames) &&
           (name.starts_with(kCalibrationNames)
                ? parts.calibration
                : parts.inference) == FilePart::No;
  };
  return loadWeights(model, SafetensorsFile::open(from, isLeft), parts);
}

Result<Weights> loadWeights(const tamrt_model &model,
                            Result<SafetensorsFile> file, WeightsParts parts) {
  if (!file)
    return std::move(file).error();
  const std::string &path = file->path();
  if (Status s = checkFile(model, *file); !s)
    return std::move(s).error();

  Weights weights;
  weights.isChecked = file->isChecked();
  Result<json> groups = jsonEntry(*file, "groups");
  if (!groups)
    return std::move(groups).error();
  Result<std::vector<std::string>> names =
      stringList(*groups, path + ": metadata 'groups'");
  if (!names)
    return std::move(names).error();
  weights.groups = *std::move(names);
  std::set<std::string_view> unique(weights.groups.begin(),
                                    weights.groups.end());
  if (unique.empty() || unique.size() != weights.groups.size())
    return Error{path + ": metadata 'groups': expected distinct groups"};

  Result<std::vector<LevelTable>> levels = loadLevels(model, *file);
  if (!levels)
    return std::move(levels).error();
  weights.normalization.levels = *std::move(levels);

  const auto count = int64_t(weights.groups.size());
  const int64_t coefficients[] = {count, model.columns};
  const int64_t ranges[] = {count, model.input_count, 2};
  const int64_t knots[] = {model.input_count, 2};
  auto tensor = [&](std::string_view name, std::span<const int64_t> shape,
                    std::vector<double> &out) -> Status {
    Result<std::vector<double>> values = file->values<double>(name, shape);
    if (!values)
      return std::move(values).error();
    out = *std::move(values);
    for (size_t i = 0; i < out.size(); ++i)
      if (!std::isfinite(out[i]))
        return Error{path + ": tensor '" + std::string(name) +
                     "': expected finite numbers, got " + formatNumber(out[i]) +
                     " at index " + std::to_string(i)};
    return {};
  };
  if (Status s = tensor(kCoefficients, coefficients, weights.coefficients); !s)
    return std::move(s).error();
  if (Status s = tensor("ranges", ranges, weights.normalization.ranges); !s)
    return std::move(s).error();
  if (Status s = tensor("knots", knots, weights.normalization.knots); !s)
    return std::move(s).error();
  if (Status s = checkNormalization(model, weights, path); !s)
    return std::move(s).error();
  Result<Tables> tables = loadTables(model, *file);
  if (!tables)
    return std::move(tables).error();
  weights.tables = *std::move(tables);
  Result<std::vector<std::pair<std::string, double>>> penalties =
      loadPenalties(model, *file);
  if (!penalties)
    return std::move(penalties).error();
  weights.penalties = *std::move(penalties);
  Result<std::vector<double>> aps =
      loadGroupAps(model, weights.groups.size(), *file);
  if (!aps)
    return std::move(aps).error();
  weights.groupAps = *std::move(aps);
  auto reads = [&](FilePart part, const char *name) {
    return part == FilePart::Yes ||
           (part == FilePart::IfPresent && file->metadata().count(name) > 0);
  };
  if (reads(parts.inference, "inference")) {
    Result<Inference> inference = readInference(model, count, *file);
    if (!inference)
      return std::move(inference).error();
    weights.inference = *std::move(inference);
  }
  if (reads(parts.calibration, "calibration")) {
    Result<Calibration> calibration = readCalibration(count, *file);
    if (!calibration)
      return std::move(calibration).error();
    weights.calibration = *std::move(calibration);
  }
  return weights;
}

} // namespace tamrt
