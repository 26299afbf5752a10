//===- core/run/Site.h - a thread's memory on a device ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory that one thread has on one device, and how steps run in it.
///
/// Besides its arena, state and carry, a step reads and writes memory of the
/// CPU that is in a `Workplace`: parameters, tables, coefficients, columns and
/// output. A device whose memory the CPU can address uses it directly. Any
/// other device has copies (twins) of it: before a step, the data that it reads
/// are copied to the twins, and after it, the data that it wrote are copied
/// back. On a device with streams, the rows of the next chunk are copied while
/// it works on the current one (double buffering).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_SITE_H
#define TAMRT_CORE_RUN_SITE_H

#include "core/Trace.h"
#include "core/device/AlignedBuffer.h"
#include "core/device/Batches.h"
#include "core/device/Device.h"
#include "core/device/Queue.h"
#include "core/run/ResidentColumns.h"
#include "core/run/Workplace.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tamrt {

/// Whether steps on the device need copies of the data that they read.
inline bool needsCopies(const Device &device) {
  return !device.hasTrait(TAMRT_DEVICE_HOST_ADDRESSABLE);
}

/// Sets a context's status from the status of an operation of `device` on
/// `bytes` bytes. If memory ran out, that is the context's error, so that the
/// caller can step down a rung; any other error is TAMRT_ERROR_DEVICE, with the
/// status as its detail, and is logged. \returns whether the operation
/// succeeded.
bool takeStatus(tamrt_context &context, const Device &device, int32_t status,
                const char *what, size_t bytes);

/// Copies between the CPU's memory and the device's; an error sets the
/// context's status.
bool copy(tamrt_context &context, Device &device, void *to, const void *from,
          size_t bytes);

/// Copies from one device's memory to another's; the CPU can address at least
/// one of them. An error sets the context's status.
bool transfer(tamrt_context &context, Device &to, void *target, Device &from,
              const void *source, size_t bytes);

/// Calls body(here), which launches kernels, `here` being `place` with the
/// kernels of `device`, or those given. The work is done then, and `place` has
/// its status.
template <class Body>
void runOn(Device &device, const tamrt_kernels *kernels, Workplace &place,
           const Body &body) {
  Workplace here = place;
  here.context.kernels = kernels ? kernels : device.kernels();
  body(here);
  place.context.status = here.context.status;
  place.context.detail = here.context.detail;
}

/// Bytes of the twins of columns for chunks of at most `rows` rows of a group
/// of at most `groupRows`, and of the twin of the vector that steps of `kind`
/// get, of D numbers or more; multiples of TAMRT_ALIGNMENT.
int64_t stagedColumnBytes(const Device &device, const tamrt_model &model,
                          int64_t rows, int64_t groupRows);
int64_t stagedVectorBytes(const tamrt_model &model, tamrt_step_kind kind);

/// A model's tables on a device, `tableBytes` (Model.h), for all threads of a
/// run.
class DeviceTables {
public:
  /// Allocates memory for them; false if there is not enough.
  bool allocate(const tamrt_model &model, Device &device);

  /// The copies of the tables at `tables`, which do not change; they are copied
  /// at the first call. Null if the copy failed, which sets the context's
  /// status.
  const void *const *get(tamrt_context &context, const tamrt_model &model,
                         const void *const *tables);

private:
  Device *device = nullptr;
  AlignedBuffer memory;
  std::mutex mutex;
  const void *const *source = nullptr;
  std::vector<const void *> pointers;
};

/// What all threads of a run have in common on one device.
struct SiteShared {
  SiteShared(Device &device, Trace *trace)
      : trace(trace), batches(device, trace) {}

  /// May be null.
  Trace *trace;
  /// The columns that the device keeps, before the threads start; may be null.
  const ResidentColumns *columns = nullptr;
  DeviceTables tables;
  Batches batches;
};

/// A step to run, as for `Workplace::run`.
struct StepRun {
  const tamrt_step &step;
  const double *coefficients;
  int64_t rows, first, groupRows;
  /// Rows of the next step, which follow these in the columns; 0 if there is
  /// none, or if it is not known.
  int64_t nextRows = 0;
};

/// The memory of one thread on a device besides arena, state and carry; runs
/// steps there.
class Site {
public:
  Site() = default;

  /// Takes a queue of the device, on whose stream the thread's memory is
  /// allocated from now on.
  void openQueue(Device &device);
  /// Allocates the twins that do not depend on the rung, on a device that needs
  /// copies. `shared` is null on the CPU, and else must outlive the site. The
  /// coefficients of steps take at most `vectorBytes`. False if there is not
  /// enough memory.
  bool open(const tamrt_model &model, Device &device,
            const tamrt_kernels *kernels, SiteShared *shared,
            int64_t vectorBytes);
  /// Allocates the twins for chunks of at most `rows` rows, one after another
  /// of a group of at most `groupRows`, and `outputBytes` bytes of output; 0
  /// rows for steps without rows.
  bool openChunk(int64_t rows, int64_t groupRows, int64_t outputBytes);
  void closeChunk();
  void close();

  bool isOpen() const { return device != nullptr; }
  Device &on() const { return *device; }
  /// The queue's stream; may be null.
  tamrt_stream *stream() const { return queue ? queue->stream() : nullptr; }

  /// Runs a step as `Workplace::run` does, on this device: with its `arena`,
  /// `state` and `carry`. Meanwhile it copies the rows of the next one. A copy
  /// that fails sets the context's status. `lane` is the thread's in a trace.
  void run(const StepRun &what, Workplace &place, void *arena, void *state,
           void *carry, unsigned lane);

private:
  /// Twins of the columns, and what they have.
  struct Twins {
    /// One for each column; null if there is no memory for them.
    std::vector<void *> memory;
    /// The columns that were copied, null if absent, and their rows; or the
    /// status of a copy that failed.
    std::vector<const void *> from;
    int64_t rows = 0;
    int32_t status = TAMRT_OK;
  };

  bool stage(const StepRun &what, Workplace &place);
  bool stageColumns(Workplace &place, int64_t rows);
  using Upload = int32_t (Queue::*)(std::span<const tamrt_copy>);
  void copyColumns(Twins &twins, const void *const *from, int64_t firstRow,
                   int64_t rows, Upload upload);
  void copyAhead(const StepRun &what, const Workplace &place, unsigned lane);
  int32_t withoutRepetition(const PostedCall &posted, int32_t status,
                            tamrt_context &context);
  void launch(const StepRun &what, Workplace &place, Workplace &here,
              unsigned lane);
  bool take(Workplace &place, int32_t status, const char *what, size_t bytes);

  const tamrt_model *model = nullptr;
  Device *device = nullptr;
  const tamrt_kernels *kernels = nullptr;
  SiteShared *shared = nullptr;
  std::unique_ptr<Queue> queue;
  AlignedBuffer parameters, vector, columns, output;
  /// The contents of `parameters` and `vector`.
  std::vector<double> knownParameters;
  const double *knownVector = nullptr;
  /// Those of the current step, and of the next one, if there is memory.
  Twins current, ahead;
  std::vector<const void *> given;
  std::vector<tamrt_copy> columnCopies;
  const void *const *devicesTables = nullptr;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_SITE_H
