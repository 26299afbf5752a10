//===- Normalization.cpp - inputs brought to [-1, 1], the plain way -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Normalization.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

Columns tamc::reference::columnsOf(ModuleOp module) {
  tam::ModelAttr model = tam::getModel(module);
  Columns columns{.inputs = {},
                  .target = model.getTarget().str(),
                  .group = model.getGroup().str(),
                  .date = model.getDate().str(),
                  .weights = model.getWeights().str(),
                  .strengths = {}};
  for (tam::InputAttr input : model.getInputs())
    columns.inputs.push_back(
        {input.getColumn().str(), static_cast<tamrt_rule>(input.getRule()),
         input.getLevels(), static_cast<tamrt_unseen>(input.getUnseen()),
         input.getLo(), input.getHi()});
  for (tam::StrengthAttr strength : model.getStrengths())
    columns.strengths.push_back(strength.getValue());
  return columns;
}

/// A field that must be a number.
static double number(const std::string &field) {
  if (auto value = parseNumber(field))
    return *value;
  throw std::invalid_argument("expected a number, got '" + field + "'");
}

static Vector numbersOf(const Table &table, const std::string &column,
                        const std::vector<size_t> &rows) {
  Vector values;
  for (size_t row : rows)
    values.push_back(number(table.rows[row][table.column(column)]));
  return values;
}

/// The values that the rule maps to -1 and 1.
static std::pair<double, double>
rangeOf(const Input &input, const Vector &ofGroup, const Vector &ofAllGroups) {
  double lo = *std::min_element(ofGroup.begin(), ofGroup.end());
  double hi = *std::max_element(ofGroup.begin(), ofGroup.end());
  switch (input.rule) {
  case TAMRT_RULE_CODES: {
    bool areIntegers = std::all_of(ofGroup.begin(), ofGroup.end(),
                                   [](double v) { return v == std::trunc(v); });
    double last = static_cast<double>(input.levels - 1);
    if (!areIntegers)
      return {lo, hi};
    return hi <= last ? std::pair(0.0, last) : std::pair(lo, lo + last);
  }
  case TAMRT_RULE_PERIOD:
    return {input.lo, input.hi};
  case TAMRT_RULE_PERIOD_AUTO: {
    std::set<double> distinct;
    for (double v : ofAllGroups)
      distinct.insert(std::nearbyint(v * 1e10) / 1e10);
    if (distinct.size() == 1)
      return {lo, hi};
    double gap = std::numeric_limits<double>::infinity();
    for (auto it = distinct.begin(); std::next(it) != distinct.end(); ++it)
      gap = std::min(gap, *std::next(it) - *it);
    return {*distinct.begin(), *distinct.rbegin() + gap};
  }
  default:
    return {lo, hi};
  }
}

Normalization::Normalization(const Columns &columns, const Table &table)
    : columns(columns), levels(columns.inputs.size()) {
  std::vector<GroupRows> groups = groupsOf(table, columns.group, columns.date);
  std::vector<size_t> all;
  for (const GroupRows &group : groups) {
    trained.push_back({group.name, {}});
    all.insert(all.end(), group.rows.begin(), group.rows.end());
  }
  for (size_t i = 0; i < columns.inputs.size(); ++i) {
    const Input &input = columns.inputs[i];
    if (input.rule == TAMRT_RULE_LEVELS) {
      std::vector<std::string> &texts = levels[i].texts;
      for (size_t row : all)
        texts.push_back(table.rows[row][table.column(input.column)]);
      for (const std::string &text : texts)
        levels[i].areNumbers &= parseNumber(text).has_value();
      bool areNumbers = levels[i].areNumbers;
      auto isBefore = [&](const std::string &a, const std::string &b) {
        return areNumbers ? number(a) < number(b) : a < b;
      };
      std::stable_sort(texts.begin(), texts.end(), isBefore);
      auto isSame = [&](const std::string &a, const std::string &b) {
        return !isBefore(a, b) && !isBefore(b, a);
      };
      texts.erase(std::unique(texts.begin(), texts.end(), isSame), texts.end());
      for (TrainedGroup &group : trained)
        group.parameters.insert(group.parameters.end(), 4, 0.0);
      continue;
    }
    Vector whole = numbersOf(table, input.column, all);
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (size_t g = 0; g < groups.size(); ++g) {
      Vector values = numbersOf(table, input.column, groups[g].rows);
      auto [first, last] = rangeOf(input, values, whole);
      double centre = (first + last) / 2;
      double extent = last - first == 0 ? 1 : last - first;
      trained[g].parameters.push_back(centre);
      trained[g].parameters.push_back(extent / 2);
      for (double v : values) {
        lo = std::min(lo, (v - centre) / (extent / 2));
        hi = std::max(hi, (v - centre) / (extent / 2));
      }
    }
    if (lo == hi) {
      lo -= 1e-3;
      hi += 1e-3;
    }
    for (TrainedGroup &group : trained) {
      group.parameters.push_back(lo);
      group.parameters.push_back(hi);
    }
  }
  for (TrainedGroup &group : trained)
    group.parameters.insert(group.parameters.end(), columns.strengths.begin(),
                            columns.strengths.end());
}

int32_t Normalization::codeOf(const Input &input, const Levels &levels,
                              const std::string &text) const {
  const std::vector<std::string> &texts = levels.texts;
  auto value = parseNumber(text);
  size_t nearest = texts.size() - 1;
  if (levels.areNumbers && value) {
    auto distance = [&](size_t i) {
      return std::abs(number(texts[i]) - *value);
    };
    nearest = 0;
    for (size_t i = 1; i < texts.size(); ++i)
      if (distance(i) < distance(nearest))
        nearest = i;
    if (distance(nearest) == 0)
      return static_cast<int32_t>(nearest);
  } else if (auto it = std::find(texts.begin(), texts.end(), text);
             it != texts.end()) {
    return static_cast<int32_t>(it - texts.begin());
  }
  switch (input.unseen) {
  case TAMRT_UNSEEN_MEAN:
    return TAMRT_INDEX_MEAN(static_cast<int32_t>(texts.size()));
  case TAMRT_UNSEEN_ZERO:
    return TAMRT_INDEX_NONE;
  case TAMRT_UNSEEN_EDGE:
  case TAMRT_UNSEEN_SERIES:
    break;
  }
  return static_cast<int32_t>(nearest);
}

Group Normalization::apply(const Table &table, const GroupRows &rows,
                           bool isTraining) const {
  auto it = std::find_if(
      trained.begin(), trained.end(),
      [&](const TrainedGroup &group) { return group.name == rows.name; });
  if (it == trained.end())
    throw std::invalid_argument("expected a trained group, got '" + rows.name +
                                "'");
  Group group;
  group.rows = static_cast<int64_t>(rows.rows.size());
  group.parameters = it->parameters;
  for (size_t i = 0; i < columns.inputs.size(); ++i) {
    const Input &input = columns.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS) {
      group.columns.push_back(numbersOf(table, input.column, rows.rows));
      continue;
    }
    Codes codes;
    for (size_t row : rows.rows)
      codes.push_back(codeOf(input, levels[i],
                             table.rows[row][table.column(input.column)]));
    group.columns.push_back(std::move(codes));
  }
  if (!isTraining)
    return group;
  group.columns.push_back(numbersOf(table, columns.target, rows.rows));
  if (!columns.weights.empty()) {
    // T P is then the sum of the weights times P, because all weights are
    // divided by their mean.
    Vector weights = numbersOf(table, columns.weights, rows.rows);
    long double sum = 0;
    for (double weight : weights)
      sum += weight;
    const auto mean = double(sum / static_cast<long double>(weights.size()));
    for (double &weight : weights)
      weight /= mean;
    group.columns.push_back(std::move(weights));
  }
  return group;
}

std::vector<std::string> Normalization::groups() const {
  std::vector<std::string> names;
  for (const TrainedGroup &group : trained)
    names.push_back(group.name);
  return names;
}
