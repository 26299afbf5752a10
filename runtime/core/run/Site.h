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
/// back.
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

/// Calls body(here), `here` being `place` with the kernels of `device`, or
/// those given, and waits for the device. The status is `place`'s then.
template <class Body>
void runOn(Device &device, const tamrt_kernels *kernels, Workplace &place,
           const Body &body) {
  Workplace here = place;
  here.context.kernels = kernels ? kernels : device.kernels();
  body(here);
  // Kernels may write to the context until the device has finished its work.
  const int32_t status = device.isCpu() ? TAMRT_OK : device.synchronize();
  place.context.status = here.context.status;
  place.context.detail = here.context.detail;
  if (place.good())
    takeStatus(place.context, device, status, "finish its work", /*bytes=*/0);
}

/// Bytes of the twins of columns for chunks of at most `rows` rows, and of the
/// twin of a vector of D numbers; multiples of TAMRT_ALIGNMENT.
int64_t stagedColumnBytes(const tamrt_model &model, int64_t rows);
int64_t stagedVectorBytes(const tamrt_model &model);

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

/// The memory of one thread on a device besides arena, state and carry; runs
/// steps there.
class Site {
public:
  Site() = default;

  /// Allocates the twins that do not depend on the rung, on a device that needs
  /// copies. `tables` must outlive the site. False if there is not enough
  /// memory.
  bool open(const tamrt_model &model, Device &device,
            const tamrt_kernels *kernels, DeviceTables *tables);
  /// Allocates the twins for chunks of at most `rows` rows and `outputBytes`
  /// bytes of output; 0 rows for steps without rows.
  bool openChunk(int64_t rows, int64_t outputBytes);
  void closeChunk();
  void close();

  bool isOpen() const { return device != nullptr; }
  Device &on() const { return *device; }

  /// Runs a step as `Workplace::run` does, on this device: with its `arena`,
  /// `state` and `carry`. A copy that fails sets the context's status.
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
  /// The contents of `parameters` and `vector`.
  std::vector<double> knownParameters;
  const double *knownVector = nullptr;
  /// The twins of the columns, and the pointers for the current step.
  std::vector<void *> pointers;
  std::vector<const void *> given;
  const void *const *devicesTables = nullptr;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_SITE_H
