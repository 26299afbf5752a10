//===- core/model/Tables.cpp - tables of a model --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Tables.h"

#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace tamrt {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

TableForm vectorForm(std::string name, int64_t count) {
  return {std::move(name), false, 1, {count, 1}};
}

TableForm matrixForm(std::string name, int64_t rows, int64_t columns) {
  return {std::move(name), false, 2, {rows, columns}};
}

TableForm integerForm(TableForm form) {
  form.isInteger = true;
  return form;
}

/// "F64 [3, 2]".
std::string describeForm(bool isInteger, int32_t rank, const int64_t *shape) {
  return std::string(isInteger ? "I32 [" : "F64 [") + number(shape[0]) +
         (rank == 2 ? ", " + number(shape[1]) : "") + "]";
}

/// The learner's name of a table.
std::string_view lastName(std::string_view name) {
  size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

bool isKind(int32_t kind) {
  return kind >= TAMRT_LEARN_RANGE && kind <= TAMRT_LEARN_FLAT_TREES;
}

/// Checks a learner, without its tables.
bool isSound(const tamrt_model &model, const tamrt_learner &learner) {
  constexpr int64_t kDeepest = 30;
  const int64_t first = learner.sizes[0], second = learner.sizes[1];
  bool good = isKind(learner.kind) && learner.effect >= 0 &&
              learner.effect < model.effect_count && learner.input_count > 0 &&
              std::isfinite(learner.number);
  for (int64_t i = 0; good && i < learner.input_count; ++i)
    good = learner.inputs[i] >= 0 && learner.inputs[i] < model.input_count &&
           model.inputs[learner.inputs[i]].rule != TAMRT_RULE_LEVELS;
  if (!good)
    return false;
  switch (learner.kind) {
  case TAMRT_LEARN_RANGE:
    return learner.input_count == 1;
  case TAMRT_LEARN_NEURAL:
    return first > 0 && second > 0 && learner.choice >= TAMRT_RELU &&
           learner.choice <= TAMRT_TANH;
  case TAMRT_LEARN_CENTERS:
    return first > 0 && learner.number >= 0;
  default:
    break;
  }
  // A tree; oblivious ones have 2^depth leaves.
  return first > 0 && second > 0 &&
         (learner.kind == TAMRT_LEARN_FLAT_TREES || second <= kDeepest) &&
         (learner.choice == TAMRT_SPLIT_UNIFORM ||
          learner.choice == TAMRT_SPLIT_QUANTILE);
}

} // namespace

Result<Tables> Tables::allocate(const tamrt_model &model) {
  Tables tables;
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &table = model.tables[i];
    const auto bytes = size_t(bytesOf(table));
    AlignedBuffer buffer = AlignedBuffer::allocate(bytes);
    if (!buffer)
      return Error{"expected " + std::to_string(bytes) +
                   " bytes of memory for table '" + table.name + "', got less"};
    tables.counts.push_back(size_t(elementsOf(table)));
    tables.bytes.push_back(bytes);
    tables.addresses.push_back(buffer.data());
    tables.buffers.push_back(std::move(buffer));
    if (table.given)
      tables.set(size_t(i), table.given);
  }
  return tables;
}

void Tables::set(size_t i, const void *contents) {
  if (bytes[i] > 0)
    std::memcpy(buffers[i].data(), contents, bytes[i]);
}

std::vector<TableForm> formsOf(const tamrt_learner &learner) {
  const int64_t inputs = learner.input_count;
  const int64_t first = learner.sizes[0], second = learner.sizes[1];
  std::vector<TableForm> forms;
  switch (learner.kind) {
  case TAMRT_LEARN_RANGE:
    return {vectorForm("range", 2)};
  case TAMRT_LEARN_NEURAL:
    for (int64_t i = 1; i <= second; ++i) {
      forms.push_back(
          matrixForm("W" + number(i), i == 1 ? inputs : first, first));
      forms.push_back(vectorForm("b" + number(i), first));
    }
    return forms;
  case TAMRT_LEARN_CENTERS:
    return {matrixForm("centers", first, inputs), vectorForm("gamma", 1)};
  case TAMRT_LEARN_OBLIVIOUS_TREES:
    forms = {integerForm(matrixForm("features", first, second)),
             matrixForm("thresholds", first, second)};
    if (learner.number != 0)
      forms.push_back(matrixForm("leaf_weights", first, int64_t(1) << second));
    return forms;
  case TAMRT_LEARN_FLAT_TREES:
    forms = {integerForm(vectorForm("features", first)),
             matrixForm("thresholds", first, second - 1)};
    if (learner.number != 0)
      forms.push_back(matrixForm("leaf_weights", first, second));
    return forms;
  }
  return forms;
}

Status checkLearners(const tamrt_model &model) {
  int64_t next = 0;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    const std::string place = "internal error: learner " + number(i) + ": ";
    if (!isSound(model, learner))
      return Error{place + "expected sizes and inputs of its kind, got others"};
    const std::vector<TableForm> forms = formsOf(learner);
    if (learner.first_table != next ||
        learner.table_count != int64_t(forms.size()) ||
        next + learner.table_count > model.table_count)
      return Error{place + "expected tables " + number(next) + " to " +
                   number(next + int64_t(forms.size()) - 1) + ", got " +
                   number(learner.first_table) + " to " +
                   number(learner.first_table + learner.table_count - 1)};
    for (const TableForm &form : forms) {
      const tamrt_table &table = model.tables[next++];
      if (lastName(table.name) != form.name ||
          bool(table.is_integer) != form.isInteger || table.rank != form.rank ||
          table.shape[0] != form.shape[0] || table.shape[1] != form.shape[1])
        return Error{place + "expected table '" + form.name + "' " +
                     describeForm(form.isInteger, form.rank, form.shape) +
                     ", got '" + table.name + "' " +
                     describeForm(table.is_integer, table.rank, table.shape)};
    }
  }
  if (next != model.table_count)
    return Error{"internal error: expected " + number(next) + " tables, got " +
                 number(model.table_count)};
  return {};
}

std::string describe(const TableFault &fault, const tamrt_model &model,
                     const tamrt_learner &learner, int64_t k,
                     const void *contents) {
  const auto *numbers = static_cast<const double *>(contents);
  auto at = [&](size_t i) {
    if (model.tables[learner.first_table + k].is_integer)
      return number(static_cast<const int32_t *>(contents)[i]);
    return formatNumber(numbers[i]);
  };
  auto outside = [&](const std::string &wanted, const std::string &got) {
    return "expected " + wanted + ", got " + got + " at index " +
           std::to_string(fault.index);
  };
  switch (fault.kind) {
  case TableFault::None:
    break;
  case TableFault::NotFinite:
    return outside("finite numbers", at(fault.index));
  case TableFault::Range:
    return "expected a range lo to hi, got " + at(0) + " to " + at(1);
  case TableFault::Gamma:
    return outside("a number above 0", at(fault.index));
  case TableFault::Feature:
    return outside("features from 0 to " + number(learner.input_count - 1),
                   at(fault.index));
  case TableFault::Threshold:
    return outside("thresholds of a tree that ascend",
                   at(fault.index) + " after " + at(fault.index - 1));
  case TableFault::Weight:
    return outside("weights that are not negative", at(fault.index));
  case TableFault::Other:
    return "expected the numbers that the spec gives as state, got others";
  }
  return "";
}

std::optional<FaultyTable> findFault(const tamrt_model &model,
                                     const Tables &tables) {
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    for (int64_t k = 0; k < learner.table_count; ++k) {
      const auto place = size_t(learner.first_table + k);
      const void *contents = tables.pointers()[place];
      if (TableFault fault = faultOf(model, learner, k, contents))
        return FaultyTable{place, describe(fault, model, learner, k, contents)};
    }
  }
  return std::nullopt;
}

} // namespace tamrt
