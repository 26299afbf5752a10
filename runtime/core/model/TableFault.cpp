//===- core/model/TableFault.cpp - contents of tables, checked ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/TableFault.h"

#include <cmath>
#include <cstring>

namespace tamrt {
namespace {

/// A fault of `kind` for the first of `count` values that is not `good`.
template <class T, class Good>
TableFault firstBad(TableFault::Kind kind, const T *values, size_t count,
                    const Good &good) {
  for (size_t i = 0; i < count; ++i)
    if (!good(values[i]))
      return {kind, i};
  return {};
}

/// The fault of a table whose numbers are finite.
TableFault faultOfNumbers(const tamrt_learner &learner, int64_t k,
                          const double *values, size_t count) {
  switch (learner.kind) {
  case TAMRT_LEARN_RANGE:
    if (!(values[0] <= values[1]))
      return {TableFault::Range};
    return {};
  case TAMRT_LEARN_CENTERS:
    if (k == 0)
      return {};
    return firstBad(TableFault::Gamma, values, count,
                    [](double gamma) { return gamma > 0; });
  case TAMRT_LEARN_OBLIVIOUS_TREES:
  case TAMRT_LEARN_FLAT_TREES:
    break;
  default:
    return {};
  }
  if (k == 2)
    return firstBad(TableFault::Weight, values, count,
                    [](double weight) { return weight >= 0; });
  if (learner.kind == TAMRT_LEARN_OBLIVIOUS_TREES)
    return {};
  const auto width = size_t(learner.sizes[1] - 1);
  for (size_t i = 1; i < count; ++i)
    if (i % width != 0 && values[i] < values[i - 1])
      return {TableFault::Threshold, i};
  return {};
}

} // namespace

int64_t elementsOf(const tamrt_table &table) {
  return table.shape[0] * table.shape[1];
}

int64_t bytesOf(const tamrt_table &table) {
  return elementsOf(table) *
         int64_t(table.is_integer ? sizeof(int32_t) : sizeof(double));
}

TableFault subscriptFaultOf(const tamrt_model &model,
                            const tamrt_learner &learner, int64_t k,
                            const void *contents) {
  const tamrt_table &table = model.tables[learner.first_table + k];
  if (!table.is_integer)
    return {};
  return firstBad(TableFault::Feature, static_cast<const int32_t *>(contents),
                  size_t(elementsOf(table)), [&](int32_t feature) {
                    return feature >= 0 && feature < learner.input_count;
                  });
}

TableFault faultOf(const tamrt_model &model, const tamrt_learner &learner,
                   int64_t k, const void *contents) {
  const tamrt_table &table = model.tables[learner.first_table + k];
  TableFault fault = subscriptFaultOf(model, learner, k, contents);
  if (!table.is_integer) {
    const auto *values = static_cast<const double *>(contents);
    const auto count = size_t(elementsOf(table));
    fault = firstBad(TableFault::NotFinite, values, count,
                     [](double value) { return std::isfinite(value); });
    if (!fault)
      fault = faultOfNumbers(learner, k, values, count);
  }
  const auto bytes = size_t(bytesOf(table));
  if (!fault && table.given && bytes > 0 &&
      std::memcmp(contents, table.given, bytes) != 0)
    fault = {TableFault::Other};
  return fault;
}

} // namespace tamrt
