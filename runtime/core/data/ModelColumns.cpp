//===- core/data/ModelColumns.cpp - the columns a model reads -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/ModelColumns.h"

#include <algorithm>
#include <string_view>

namespace tamrt {
namespace {

/// Index of `value` in `list`, to which it is appended if it is new.
template <class T> size_t indexIn(std::vector<T> &list, T value) {
  auto at = std::find(list.begin(), list.end(), value);
  if (at == list.end())
    at = list.insert(list.end(), value);
  return size_t(at - list.begin());
}

} // namespace

ModelColumns ModelColumns::find(
    const tamrt_model &model, Purpose purpose,
    const std::function<std::optional<size_t>(const char *)> &position) {
  ModelColumns columns;
  auto find = [&](const char *name) -> std::optional<size_t> {
    if (!name || columns.missing)
      return std::nullopt;
    std::optional<size_t> found = position(name);
    if (!found)
      columns.missing = name;
    return found;
  };
  auto number = [&](std::optional<size_t> column) -> std::optional<size_t> {
    if (!column)
      return std::nullopt;
    return indexIn(columns.numbers, *column);
  };
  columns.group = find(model.group);
  columns.date = find(model.date);
  for (int64_t i = 0; i < model.input_count; ++i) {
    const tamrt_input &input = model.inputs[i];
    std::optional<size_t> column = find(input.column);
    if (!column)
      break;
    columns.inputs.push_back(indexIn(
        input.rule == TAMRT_RULE_LEVELS ? columns.levels : columns.numbers,
        *column));
  }
  if (purpose == Purpose::PredictNew && model.weights) {
    columns.weights = number(position(model.weights));
  } else if (!isPrediction(purpose)) {
    columns.target = number(find(model.target));
    columns.weights = number(find(model.weights));
  }
  return columns;
}

ModelColumns columnsOf(const tamrt_model &model, Purpose purpose) {
  std::vector<std::string_view> names;
  return ModelColumns::find(model, purpose, [&](std::string_view name) {
    return std::optional(indexIn(names, name));
  });
}

} // namespace tamrt
