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

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tamrt {
namespace {

/// Bytes of one row of column `i`, in the order inputs, target, row weights.
int64_t columnBytes(const tamrt_model &model, int64_t i) {
  return i < model.input_count && model.inputs[i].rule == TAMRT_RULE_LEVELS
             ? int64_t(sizeof(int32_t))
             : int64_t(sizeof(double));
}

/// Whether chunks of `rows` rows are copied while the device works on others.
bool copiesAhead(const Device &device, int64_t rows, int64_t groupRows) {
  return device.hasStreams() && groupRows > rows;
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

int64_t stagedColumnBytes(const Device &device, const tamrt_model &model,
                          int64_t rows, int64_t groupRows) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.input_count + 2; ++i)
    bytes += alignedBytes(rows * columnBytes(model, i));
  return copiesAhead(device, rows, groupRows) ? 2 * bytes : bytes;
}

int64_t stagedVectorBytes(const tamrt_model &model, tamrt_step_kind kind) {
  return alignedBytes(std::max(model.columns, vectorSize(model, kind)) *
                      int64_t(sizeof(double)));
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

void Site::openQueue(Device &on) {
  close();
  if (!on.isCpu())
    queue = std::make_unique<Queue>(on);
}

bool Site::open(const tamrt_model &of, Device &on, const tamrt_kernels *by,
                SiteShared *with, int64_t vectorBytes) {
  model = &of;
  device = &on;
  kernels = by ? by : on.kernels();
  shared = with;
  if (!needsCopies(on))
    return true;
  parameters = on.allocate(size_t(parameterCount(of)) * sizeof(double),
                           "parameters", stream());
  if (parameters)
    vector = on.allocate(size_t(vectorBytes), "vector", stream());
  if (!vector)
    close();
  return isOpen();
}

bool Site::openChunk(int64_t rows, int64_t groupRows, int64_t outputBytes) {
  if (!needsCopies(*device))
    return true;
  output = device->allocate(size_t(outputBytes), "output", stream());
  if (output && rows > 0)
    columns = device->allocate(
        size_t(stagedColumnBytes(*device, *model, rows, groupRows)), "columns",
        stream());
  if (!output || (rows > 0 && !columns)) {
    closeChunk();
    return false;
  }
  const auto count = size_t(model->input_count) + 2;
  auto *at = columns.as<char>();
  for (Twins *twins : {&current, &ahead}) {
    *twins = {std::vector<void *>(count), std::vector<const void *>(count)};
    if (rows == 0 ||
        (twins == &ahead && !copiesAhead(*device, rows, groupRows)))
      continue;
    for (size_t i = 0; i < count; ++i) {
      twins->memory[i] = at;
      at += alignedBytes(rows * columnBytes(*model, int64_t(i)));
    }
  }
  return true;
}

void Site::closeChunk() {
  // Its last copies may not have been waited for.
  if (columns && queue && queue->uploadStream())
    device->recordUse(columns, queue->uploadStream());
  columns = AlignedBuffer();
  output = AlignedBuffer();
  current = ahead = {};
}

void Site::close() {
  closeChunk();
  parameters = AlignedBuffer();
  vector = AlignedBuffer();
  knownParameters.clear();
  knownVector = nullptr;
  devicesTables = nullptr;
  queue = nullptr;
  device = nullptr;
}

bool Site::take(Workplace &place, int32_t status, const char *what,
                size_t bytes) {
  return takeStatus(place.context, *device, status, what, bytes);
}

/// Copies rows of columns, from the `first` on, to twins, now or with the next
/// call.
void Site::copyColumns(Twins &twins, const void *const *from, int64_t first,
                       int64_t rows, Upload upload) {
  columnCopies.clear();
  for (size_t i = 0; i < twins.from.size(); ++i) {
    const int64_t bytes = columnBytes(*model, int64_t(i));
    const auto *column = static_cast<const char *>(from[i]);
    twins.from[i] = column ? column + first * bytes : nullptr;
    if (column)
      columnCopies.push_back(
          {twins.memory[i], twins.from[i], size_t(rows * bytes)});
  }
  twins.rows = rows;
  twins.status = ((*queue).*upload)(columnCopies);
}

/// Copies the rows of the next step, if there is memory for them. Does not
/// throw: the device may use the caller's call.
void Site::copyAhead(const StepRun &what, const Workplace &place,
                     unsigned lane) {
  if (what.nextRows == 0 || ahead.memory.empty() || !ahead.memory.front() ||
      (shared->columns && !shared->columns->isEmpty()))
    return;
  const TraceSpan span(shared->trace, lane, "upload ahead",
                       {{"rows", what.nextRows}});
  try {
    copyColumns(ahead, place.columns, what.rows, what.nextRows, &Queue::upload);
  } catch (const std::bad_alloc &) {
    // They are copied when it is their turn.
    ahead.rows = 0;
  }
}

/// Copies the columns of a step, unless they are there.
bool Site::stageColumns(Workplace &place, int64_t rows) {
  if (ahead.rows >= rows &&
      std::equal(ahead.from.begin(), ahead.from.end(), place.columns))
    std::swap(current, ahead);
  else
    copyColumns(current, place.columns, /*first=*/0, rows, &Queue::attach);
  ahead.rows = 0;
  return take(place, current.status, "copy", /*bytes=*/0);
}

/// Copies the data that a step reads. Returns false if a copy failed.
bool Site::stage(const StepRun &what, Workplace &place) {
  auto put = [&](void *to, const void *from, size_t bytes) {
    const tamrt_copy copy = {to, from, bytes};
    return take(place, queue->attach({&copy, 1}), "copy", bytes);
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
    devicesTables = shared->tables.get(place.context, *model, place.tables);
    if (!devicesTables)
      return false;
  }
  // Coefficients do not change while a group is predicted; the vectors of
  // conjugate gradients do.
  const StepDescription &about = describe(what.step.kind);
  const bool isSame = what.coefficients == knownVector && !about.isCg();
  if (what.coefficients && !isSame) {
    knownVector = nullptr;
    if (!put(vector.data(), what.coefficients,
             size_t(vectorSize(*model, about.kind)) * sizeof(double)))
      return false;
    knownVector = what.coefficients;
  }
  // Absent columns stay absent.
  given.assign(current.from.size(), nullptr);
  if (!about.takesRows())
    return true;
  if (shared->columns && !shared->columns->isEmpty()) {
    for (size_t i = 0; i < given.size(); ++i)
      if (place.columns[i])
        given[i] = shared->columns->find(place.columns[i]);
    return true;
  }
  if (!stageColumns(place, what.rows))
    return false;
  for (size_t i = 0; i < given.size(); ++i)
    if (current.from[i])
      given[i] = current.memory[i];
  return true;
}

/// What became of a call on a device for which no copy of the sums is kept:
/// the step is not repeated if it may have begun, for its rows would be added
/// twice. Its output is still there after a copy without memory.
int32_t Site::withoutRepetition(const PostedCall &posted, int32_t status,
                                tamrt_context &context) {
  // Kernels that were launched one by one, for lack of memory to prepare them.
  if (!posted.executable && context.status == TAMRT_ERROR_OUT_OF_MEMORY) {
    context.status = TAMRT_ERROR_DEVICE;
    context.detail = TAMRT_ERROR_OUT_OF_MEMORY;
  }
  if (status != TAMRT_ERROR_OUT_OF_MEMORY ||
      (posted.stage != CallStage::Output && posted.stage != CallStage::Finish))
    return status;
  if (posted.stage == CallStage::Output) {
    device->purge();
    const tamrt_copy &copy = posted.output;
    status = device->copy(copy.to, copy.from, copy.bytes);
  }
  return status == TAMRT_ERROR_OUT_OF_MEMORY ? TAMRT_ERROR_DEVICE : status;
}

/// Runs a step whose data have been copied, and copies its output back.
void Site::launch(const StepRun &what, Workplace &place, Workplace &here,
                  unsigned lane) {
  const bool copies = needsCopies(*device);
  const double *coefficients = what.coefficients;
  if (copies) {
    here.parameters = parameters.as<double>();
    here.tables = devicesTables;
    here.output = output.as<double>();
    here.columns = given.data();
    if (coefficients)
      coefficients = vector.as<double>();
  }
  const tamrt_call call = here.callOf(what.step, coefficients, what.rows,
                                      what.first, what.groupRows);
  PostedCall posted;
  const StepDescription &about = describe(what.step.kind);
  if (copies && about.writesOutput()) {
    const int64_t width = outputWidth(*model, tamrt_step_kind(what.step.kind));
    const int64_t numbers = about.takesRows() ? what.rows * width : width;
    posted.output = {place.output, output.data(),
                     size_t(numbers) * sizeof(double)};
  }
  shared->batches.post(posted, *queue, what.step, call);
  copyAhead(what, place, lane);
  int32_t status = shared->batches.wait(posted, lane);
  place.context.status = here.context.status;
  place.context.detail = here.context.detail;
  if (!device->hasTrait(TAMRT_DEVICE_KERNELS_MAY_RUN_OUT))
    status = withoutRepetition(posted, status, place.context);
  if (place.good())
    take(place, status, tamrt::describe(posted.stage), posted.output.bytes);
}

void Site::run(const StepRun &what, Workplace &place, void *arena, void *state,
               void *carry, unsigned lane) {
  Workplace here = place;
  here.context.kernels = kernels;
  here.arena = arena;
  here.state = state;
  here.carry = carry;
  if (!shared) {
    here.run(what.step, what.coefficients, what.rows, what.first,
             what.groupRows);
    place.context.status = here.context.status;
    place.context.detail = here.context.detail;
    return;
  }
  if (!needsCopies(*device) || stage(what, place))
    launch(what, place, here, lane);
  queue->dropAttached();
  if (place.good())
    return;
  // The caller may release what is being copied, and what was to be copied may
  // not be there.
  queue->finishUploads();
  ahead.rows = 0;
  knownParameters.clear();
  knownVector = nullptr;
}

} // namespace tamrt
