//===- core/model/Export.cpp - fitted models for other programs -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Export.h"

#include "core/data/Groups.h"
#include "core/model/Terms.h"
#include "io/Json.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tamrt {
namespace {

using nlohmann::ordered_json;

/// Version of the format (docs/export.md).
constexpr int kExportVersion = 1;

/// Writes JSON with the numbers of formatNumber; the library's are not always
/// the shortest. Values down to `kLineDepth` have lines of their own.
class JsonWriter {
public:
  std::string write(const ordered_json &value) && {
    add(value, 0);
    text += '\n';
    return std::move(text);
  }

private:
  static constexpr int kLineDepth = 2;

  void add(const ordered_json &value, int depth) {
    if (value.is_number_float())
      text += formatNumber(value.get<double>());
    else if (value.is_array())
      addList('[', value, ']', depth,
              [&](const ordered_json &element) { add(element, depth + 1); });
    else if (value.is_object())
      addList('{', value.get_ref<const ordered_json::object_t &>(), '}', depth,
              [&](const auto &member) {
                addPlain(member.first);
                text += ": ";
                add(member.second, depth + 1);
              });
    else
      addPlain(value);
  }

  void addPlain(const ordered_json &value) {
    text += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  template <typename List, typename Add>
  void addList(char open, const List &list, char close, int depth, Add addOne) {
    const bool hasLines = depth < kLineDepth && !list.empty();
    text += open;
    bool isFirst = true;
    for (const auto &element : list) {
      if (!isFirst)
        text += hasLines ? "," : ", ";
      isFirst = false;
      if (hasLines)
        startLine(depth + 1);
      addOne(element);
    }
    if (hasLines)
      startLine(depth);
    text += close;
  }

  void startLine(int depth) { text += '\n' + std::string(size_t(depth), ' '); }

  std::string text;
};

const char *nameOf(int32_t unseen) {
  return unseen == TAMRT_UNSEEN_MEAN   ? "mean"
         : unseen == TAMRT_UNSEEN_ZERO ? "zero"
                                       : "edge";
}

class Exporter {
public:
  Exporter(const tamrt_model &model, const Weights &weights)
      : model(model), weights(weights) {}

  ordered_json describe(const ordered_json &terms) const {
    ordered_json inputs = ordered_json::array(),
                 effects = ordered_json::array();
    for (size_t i = 0; i < size_t(model.input_count); ++i)
      inputs.push_back(describeInput(i));
    for (int64_t e = 0; e < model.effect_count; ++e)
      effects.push_back(
          {{"name", model.effects[e].name},
           {"term", model.effects[e].term},
           {"map", e == 0 ? constantMap() : describeMap(terms[size_t(e - 1)])},
           {"coefficients", coefficientsOf(model.effects[e])}});
    return {{"format", "tamc-model"},
            {"version", kExportVersion},
            {"model", model.name},
            {"formula", model.formula},
            {"spec_hash", model.spec_hash},
            {"tamc_version", model.tamc_version},
            {"columns",
             {{"target", textOrNull(model.target)},
              {"group", textOrNull(model.group)},
              {"date", textOrNull(model.date)}}},
            {"groups",
             {{"numeric", GroupNames(weights.groups).numeric()},
              {"names", weights.groups}}},
            {"inputs", inputs},
            {"effects", effects}};
  }

private:
  ordered_json describeInput(size_t i) const {
    const tamrt_input &input = model.inputs[i];
    if (input.rule == TAMRT_RULE_LEVELS) {
      const LevelTable &table = weights.normalization.levels[i];
      return {{"column", input.column},
              {"kind", "levels"},
              {"numeric", table.numeric},
              {"levels", table.names},
              {"unseen", nameOf(input.unseen)}};
    }
    ordered_json centers = ordered_json::array(),
                 halves = ordered_json::array();
    for (size_t g = 0; g < weights.groups.size(); ++g) {
      const double *range = weights.normalization.ranges.data() +
                            2 * (g * size_t(model.input_count) + i);
      centers.push_back(range[0]);
      halves.push_back(range[1]);
    }
    return {{"column", input.column},
            {"kind", "number"},
            {"center", centers},
            {"half_range", halves}};
  }

  /// By group.
  ordered_json coefficientsOf(const tamrt_effect &effect) const {
    ordered_json groups = ordered_json::array();
    for (size_t g = 0; g < weights.groups.size(); ++g)
      groups.push_back(std::span(weights.of(g, model) + effect.first_column,
                                 size_t(effect.columns)));
    return groups;
  }

  static ordered_json constantMap() {
    return {{"kind", "constant"},
            {"inputs", ordered_json::array()},
            {"columns", 1},
            {"extrapolate", "continue"}};
  }

  /// A feature map: `term` with what the fit determined.
  ordered_json describeMap(const ordered_json &term) const {
    ordered_json map;
    for (const auto &[key, value] : term.items()) {
      if (key == "intervals") {
        map["knots"] = knotsOf(term);
      } else if (key == "scales") {
        map["scales"] = scalesOf(term);
      } else if (key == "locations") {
        map["centers"] = locationsOf(term);
      } else if (key == "factors") {
        ordered_json factors = ordered_json::array();
        for (const ordered_json &factor : value)
          factors.push_back(describeMap(factor));
        map["factors"] = factors;
      } else if (key == "tables") {
        addTables(value, map);
      } else {
        map[key] = value;
      }
    }
    return map;
  }

  /// Adds the tables of a map, but not those that only a fit reads.
  void addTables(const ordered_json &tables, ordered_json &map) const {
    for (const auto &[name, value] : tables.items()) {
      const auto index = value.get<size_t>();
      if (name == "gamma")
        map[name] = weights.tables.numbers(index)[0];
      else if (name.starts_with("W"))
        map["layers"].push_back({{"weights", tableOf(index)}});
      else if (name.starts_with("b"))
        map["layers"].back()["biases"] = tableOf(index);
      else if (name != "range" && name != "leaf_weights")
        map[name] = tableOf(index);
    }
  }

  /// A table as a list, or a list of rows.
  ordered_json tableOf(size_t index) const {
    const tamrt_table &table = model.tables[index];
    auto rowsOf = [&](auto values) {
      if (table.rank == 1)
        return ordered_json(values);
      ordered_json rows = ordered_json::array();
      const auto width = size_t(table.shape[1]);
      for (size_t r = 0; r < size_t(table.shape[0]); ++r)
        rows.push_back(values.subspan(r * width, width));
      return rows;
    };
    return table.is_integer ? rowsOf(weights.tables.integers(index))
                            : rowsOf(weights.tables.numbers(index));
  }

  /// Number `i` of `count` + 1 evenly spaced ones from lo to hi, counted from
  /// the nearer end as the steps do.
  static double spaced(double lo, double hi, int64_t i, int64_t count) {
    const double step = count > 0 ? (hi - lo) / double(count) : 0;
    return 2 * i <= count ? lo + step * double(i)
                          : hi - step * double(count - i);
  }

  ordered_json knotsOf(const ordered_json &term) const {
    const double *range = weights.normalization.knots.data() +
                          2 * term["inputs"][0].get<size_t>();
    const auto count = term["intervals"].get<int64_t>(),
               degree = term["degree"].get<int64_t>();
    ordered_json knots = ordered_json::array();
    for (int64_t i = -degree; i <= count + degree; ++i)
      knots.push_back(
          spaced(range[0], range[1], std::clamp(i, int64_t(0), count), count));
    return knots;
  }

  /// Least and greatest value of the input of wavelets.
  std::span<const double> rangeOf(const ordered_json &term) const {
    return weights.tables.numbers(term["tables"]["range"].get<size_t>());
  }

  ordered_json scalesOf(const ordered_json &term) const {
    const std::span<const double> range = rangeOf(term);
    const double span = range[0] == range[1] ? 1 : range[1] - range[0];
    ordered_json scales = ordered_json::array();
    for (int i = 0; i < term["scales"].get<int>(); ++i)
      scales.push_back(std::ldexp(0.2 * span, -i));
    return scales;
  }

  ordered_json locationsOf(const ordered_json &term) const {
    const std::span<const double> range = rangeOf(term);
    const auto count = term["locations"].get<int64_t>();
    ordered_json centers = ordered_json::array();
    for (int64_t i = 0; i < count; ++i)
      centers.push_back(spaced(range[0], range[1], i, count - 1));
    return centers;
  }

  const tamrt_model &model;
  const Weights &weights;
};

} // namespace

Result<std::string> formatExport(const tamrt_model &model,
                                 const Weights &weights) {
  const Result<ordered_json> terms = parseTerms(model);
  if (!terms)
    return terms.error();
  return JsonWriter().write(Exporter(model, weights).describe(*terms));
}

} // namespace tamrt
