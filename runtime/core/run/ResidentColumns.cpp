//===- core/run/ResidentColumns.cpp - columns kept on a device ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/ResidentColumns.h"

#include "core/model/Model.h"

namespace tamrt {

/// Calls body(first number, bytes) for the columns that the data have.
template <class Body>
static void forEachColumn(const tamrt_model &model, const Dataset &data,
                          const Body &body) {
  const size_t rows = data.rowCount();
  for (size_t i = 0; i < size_t(model.input_count); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      body(static_cast<const void *>(data.codes(i)), rows * sizeof(int32_t));
    else
      body(static_cast<const void *>(data.numbers(i)), rows * sizeof(double));
  for (const double *column : {data.target(), data.weights()})
    if (column)
      body(static_cast<const void *>(column), rows * sizeof(double));
}

int64_t ResidentColumns::bytesOf(const tamrt_model &model,
                                 const Dataset &data) {
  int64_t all = 0;
  forEachColumn(model, data, [&](const void *, size_t bytes) {
    all += alignedBytes(int64_t(bytes));
  });
  return all;
}

Status ResidentColumns::copy(const tamrt_model &model, const Dataset &data,
                             Device &device) {
  columns.clear();
  on = &device;
  memory = device.allocate(size_t(bytesOf(model, data)), "resident columns");
  if (!memory)
    return {};
  auto *at = memory.as<char>();
  std::vector<tamrt_copy> copies;
  forEachColumn(model, data, [&](const void *from, size_t bytes) {
    columns.push_back({static_cast<const char *>(from), at, bytes});
    copies.push_back({at, from, bytes});
    at += alignedBytes(int64_t(bytes));
  });
  const int32_t status = device.copyAll(copies, nullptr);
  if (status == TAMRT_ERROR_OUT_OF_MEMORY) {
    columns.clear();
    memory = {};
    return {};
  }
  return device.describe(status, "copy");
}

const void *ResidentColumns::find(const void *address) const {
  const auto *place = static_cast<const char *>(address);
  for (const Column &column : columns)
    if (place >= column.from && place < column.from + column.bytes)
      return column.to + (place - column.from);
  return nullptr;
}

} // namespace tamrt
