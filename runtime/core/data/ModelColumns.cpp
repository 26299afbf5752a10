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
size_t indexIn(std::vector<size_t> &list, size_t value) {
  auto at = std::find(list.begin(), list.end(), value);
  if (at == list.end())
    at = list.insert(list.end(), value);
  return size_t(at - list.begin());
}

} // namespace

Result<ModelColumns>
ModelColumns::find(const tamrt_model &model, Purpose purpose,
                   const std::function<Result<size_t>(const char *)> &require,
                   bool weightsIfAny) {
  ModelColumns columns;
  Status status;
  auto find = [&](const char *name) -> std::optional<size_t> {
    if (!name || !status)
      return std::nullopt;
    Result<size_t> found = require(name);
    if (found)
      return *found;
    status = std::move(found).error();
    return std::nullopt;
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
  if (purpose != Purpose::Predict) {
    if (std::optional<size_t> column = find(model.target))
      columns.target = indexIn(columns.numbers, *column);
    if (std::optional<size_t> column = find(model.weights))
      columns.weights = indexIn(columns.numbers, *column);
  } else if (weightsIfAny && model.weights && status) {
    // Its only error is that there is none.
    if (Result<size_t> column = require(model.weights))
      columns.weights = indexIn(columns.numbers, *column);
  }
  if (!status)
    return std::move(status).error();
  return columns;
}

ModelColumns columnsOf(const tamrt_model &model, Purpose purpose) {
  std::vector<std::string_view> names;
  auto require = [&](const char *name) -> Result<size_t> {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      at = names.insert(names.end(), name);
    return size_t(at - names.begin());
  };
  return *ModelColumns::find(model, purpose, require);
}

} // namespace tamrt
