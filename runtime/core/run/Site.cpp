//===- core/run/Site.cpp - a thread's memory on a device ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Site.h"

#include "core/Log.h"
#include "core/model/Model.h"
#include "core/model/Tables.h"

#include <cstring>

namespace tamrt {
namespace {

/// Bytes of one row of column `i`, in the order inputs, target, row weights.
int64_t columnBytes(const tamrt_model &model, int64_t i) {
  return i < model.input_count && model.inputs[i].rule == TAMRT_RULE_LEVELS
             ? int64_t(sizeof(int32_t))
             : int64_t(sizeof(double));
}

} // namespace

bool takeStatus(tamrt_context &context, const Device &device, int32_t status,
                const char *what, size_t bytes) {
  if (status == TAMRT_OK)
    return true;
  const bool ranOut = status == TAMRT_ERROR_OUT_OF_MEMORY;
  context.status = ranOut ? TAMRT_ERROR_OUT_OF_MEMORY : TAMRT_ERROR_DEVICE;
  context.detail = ranOut ? int64_t(bytes) : status;
  log(ranOut ? LogLevel::Info : LogLevel::Warning, "{}",
      device.describe(status, what).error().message);
  return false;
}

bool copy(tamrt_context &context, Device &device, void *to, const void *from,
          size_t bytes) {
  return takeStatus(context, device, device.copy(to, from, bytes), "copy",
                    bytes);
}

bool transfer(tamrt_context &context, Device &to, void *target, Device &from,
              const void *source, size_t bytes) {
  return copy(context, needsCopies(to) ? to : from, target, source, bytes);
}

int64_t stagedColumnBytes(const tamrt_model &model, int64_t rows) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.input_count + 2; ++i)
    bytes += alignedBytes(rows * columnBytes(model, i));
  return bytes;
}

int64_t stagedVectorBytes(const tamrt_model &model) {
  return alignedBytes(model.columns * int64_t(sizeof(double)));
}

bool DeviceTables::allocate(const tamrt_model &model, Device &on) {
  const std::lock_guard lock(mutex);
  if (device == &on)
    return true;
  source = nullptr;
  memory = AlignedBuffer();
  device = nullptr;
  if (model.table_count > 0) {
    memory = on.allocate(size_t(tableBytes(model)), "tables");
    if (!memory)
      return false;
  }
  device = &on;
  return true;
}

const void *const *DeviceTables::get(tamrt_context &context,
                                     const tamrt_model &model,
                                     const void *const *tables) {
  const std::lock_guard lock(mutex);
  if (tables != source) {
    source = nullptr;
    pointers.clear();
    auto *at = memory.as<char>();
    for (int64_t i = 0; i < model.table_count; ++i) {
      const int64_t bytes = bytesOf(model.tables[i]);
      if (!copy(context, *device, at, tables[i], size_t(bytes)))
        return nullptr;
      pointers.push_back(at);
      at += alignedBytes(bytes);
    }
    source = tables;
  }
  return pointers.data();
}

bool Site::open(const tamrt_model &of, Device &on, const tamrt_kernels *by,
                DeviceTables *shared) {
  close();
  model = &of;
  device = &on;
  kernels = by ? by : on.kernels();
  tables = shared;
  if (!needsCopies(on))
    return true;
  parameters =
      on.allocate(size_t(parameterCount(of)) * sizeof(double), "parameters");
  if (parameters)
    vector = on.allocate(size_t(stagedVectorBytes(of)), "vector");
  if (!vector)
    close();
  return isOpen();
}

bool Site::openChunk(int64_t rows, int64_t outputBytes) {
  if (!needsCopies(*device))
    return true;
  output = device->allocate(size_t(outputBytes), "output");
  if (output && rows > 0)
    columns =
        device->allocate(size_t(stagedColumnBytes(*model, rows)), "columns");
  if (!output || (rows > 0 && !columns)) {
    closeChunk();
    return false;
  }
  pointers.assign(size_t(model->input_count) + 2, nullptr);
  auto *at = columns.as<char>();
  for (int64_t i = 0; rows > 0 && i < model->input_count + 2; ++i) {
    pointers[size_t(i)] = at;
    at += alignedBytes(rows * columnBytes(*model, i));
  }
  return true;
}

void Site::closeChunk() {
  columns = AlignedBuffer();
  output = AlignedBuffer();
}

void Site::close() {
  closeChunk();
  parameters = AlignedBuffer();
  vector = AlignedBuffer();
  knownParameters.clear();
  knownVector = nullptr;
  devicesTables = nullptr;
  device = nullptr;
}

/// Copies the data that a step reads. Returns false if a copy failed.
bool Site::stage(const tamrt_step &step, Workplace &place,
                 const double *coefficients, int64_t rows) {
  auto put = [&](void *to, const void *from, size_t bytes) {
    return copy(place.context, *device, to, from, bytes);
  };
  const auto count = size_t(parameterCount(*model));
  const size_t bytes = count * sizeof(double);
  if (knownParameters.size() != count ||
      std::memcmp(knownParameters.data(), place.parameters, bytes) != 0) {
    knownParameters.clear();
    if (!put(parameters.data(), place.parameters, bytes))
      return false;
    knownParameters.assign(place.parameters, place.parameters + count);
  }
  if (model->table_count > 0) {
    devicesTables = tables->get(place.context, *model, place.tables);
    if (!devicesTables)
      return false;
  }
  // Coefficients do not change while a group is predicted; the vectors of
  // conjugate gradients do.
  const bool isSame =
      coefficients == knownVector && !describe(step.kind).isCg();
  if (coefficients && !isSame) {
    knownVector = nullptr;
    if (!put(vector.data(), coefficients,
             size_t(model->columns) * sizeof(double)))
      return false;
    knownVector = coefficients;
  }
  // Absent columns stay absent.
  given.assign(pointers.size(), nullptr);
  for (size_t i = 0; describe(step.kind).takesRows() && i < given.size(); ++i) {
    const void *column = place.columns[i];
    if (!column)
      continue;
    if (!put(pointers[i], column,
             size_t(rows * columnBytes(*model, int64_t(i)))))
      return false;
    given[i] = pointers[i];
  }
  return true;
}

void Site::run(const tamrt_step &step, Workplace &place, void *arena,
               void *state, void *carry, const double *coefficients,
               int64_t rows, int64_t first, int64_t groupRows) {
  const bool copies = needsCopies(*device);
  if (copies && !stage(step, place, coefficients, rows))
    return;
  runOn(*device, kernels, place, [&](Workplace &here) {
    here.arena = arena;
    here.state = state;
    here.carry = carry;
    if (copies) {
      here.parameters = parameters.as<double>();
      here.tables = devicesTables;
      here.output = output.as<double>();
      here.columns = given.data();
    }
    here.run(step, copies && coefficients ? vector.as<double>() : coefficients,
             rows, first, groupRows);
  });
  if (!copies || !place.good() || !describe(step.kind).writesOutput())
    return;
  const int64_t width = outputWidth(*model, tamrt_step_kind(step.kind));
  const int64_t numbers =
      describe(step.kind).takesRows() ? rows * width : width;
  copy(place.context, *device, place.output, output.data(),
       size_t(numbers) * sizeof(double));
}

} // namespace tamrt
