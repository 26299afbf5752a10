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
/// What a step reads and writes besides its arena, state and carry (parameters,
/// tables, coefficients, columns and output) is the CPU's, as a `Workplace` has
/// it. A device whose memory the CPU can address reads it where it is. On any
/// other device it has a twin there: before a step what the step reads is
/// copied into it, after it what the step has written is copied back.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_SITE_H
#define TAMRT_CORE_RUN_SITE_H

#include "core/device/AlignedBuffer.h"
#include "core/device/Device.h"
#include "core/run/Workplace.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tamrt {

/// Whether steps on the device get copies of what they read.
inline bool needsCopies(const Device &device) {
  return !device.hasTrait(TAMRT_DEVICE_HOST_ADDRESSABLE);
}

/// Puts the status of what `device` was asked to do, with `bytes` bytes, into a
/// context. When memory ran out that is the context's error, so that whoever
/// attempts the step can step down; any other one is TAMRT_ERROR_DEVICE, with
/// the status as its detail, and a line of the log. \returns whether it was
/// done.
bool takeStatus(tamrt_context &context, const Device &device, int32_t status,
                const char *what, size_t bytes);

/// Copies between the CPU's memory and the device's; errors are the context's.
bool copy(tamrt_context &context, Device &device, void *to, const void *from,
          size_t bytes);

/// Copies from one device's memory to another's, of which one at least is
/// addressed by the CPU; errors are the context's.
bool transfer(tamrt_context &context, Device &to, void *target, Device &from,
              const void *source, size_t bytes);

/// Bytes of the twins of columns, for chunks of at most `rows` rows, and of a
/// vector of D numbers; multiples of TAMRT_ALIGNMENT.
int64_t stagedColumnBytes(const tamrt_model &model, int64_t rows);
int64_t stagedVectorBytes(const tamrt_model &model);

/// A model's tables on a device, `tableBytes` (Model.h), for all threads of a
/// run.
class DeviceTables {
public:
  /// Takes memory for them; false when there is none.
  bool allocate(const tamrt_model &model, Device &device);

  /// The tables at `tables`, which stay what they are; copied when first asked
  /// for. Null when they cannot be: the error is the context's.
  const void *const *get(tamrt_context &context, const tamrt_model &model,
                         const void *const *tables);

private:
  Device *device = nullptr;
  AlignedBuffer memory;
  std::mutex mutex;
  const void *const *source = nullptr;
  std::vector<const void *> pointers;
};

/// What one thread has on a device beside arena, state and carry, and the way
/// it runs steps there.
class Site {
public:
  Site() = default;

  /// Takes the twins that do not depend on the rung, on a device that needs
  /// copies. `tables` must outlive the site. False when there is no memory.
  bool open(const tamrt_model &model, Device &device,
            const tamrt_kernels *kernels, DeviceTables *tables);
  /// Takes the twins for chunks of at most `rows` rows and `outputBytes` bytes
  /// of output; 0 rows: for steps that take none.
  bool openChunk(int64_t rows, int64_t outputBytes);
  void closeChunk();
  void close();

  bool isOpen() const { return device != nullptr; }
  Device &on() const { return *device; }

  /// Runs a step as `Workplace::run` does, here: in `arena`, `state` and
  /// `carry`, which are this device's. A copy that fails sets the context's
  /// status.
  void run(const tamrt_step &step, Workplace &place, void *arena, void *state,
           void *carry, const double *coefficients, int64_t rows, int64_t first,
           int64_t groupRows);

private:
  bool stage(const tamrt_step &step, Workplace &place,
             const double *coefficients, int64_t rows);

  const tamrt_model *model = nullptr;
  Device *device = nullptr;
  const tamrt_kernels *kernels = nullptr;
  DeviceTables *tables = nullptr;
  AlignedBuffer parameters, vector, columns, output;
  /// What `parameters` and `vector` hold.
  std::vector<double> knownParameters;
  const double *knownVector = nullptr;
  /// Where the columns' twins are, and those that the step at hand gets.
  std::vector<void *> pointers;
  std::vector<const void *> given;
  const void *const *devicesTables = nullptr;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_SITE_H
