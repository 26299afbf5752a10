//===- Sim.h - the simulated device's own table -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first device of backends/sim without the core, for functions that the
/// core does not use.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_SIM_H
#define TAMRT_TEST_SIM_H

#include "core/device/Device.h"
#include "kernels/Status.h"
#include "tamrt/backend.h"

#include <dlfcn.h>

namespace tamrt::test {

struct Sim {
  Sim() {
    void *library =
        ::dlopen(TAMC_BINARY_DIR "/test/backends/libtamrt-backend-sim.so",
                 RTLD_NOW | RTLD_LOCAL);
    auto start = reinterpret_cast<tamrt_backend_register_function>(
        ::dlsym(library, TAMRT_BACKEND_REGISTER));
    hold = reinterpret_cast<void (*)(tamrt_stream *, int32_t)>(
        ::dlsym(library, "tamrt_sim_hold"));
    call = reinterpret_cast<void (*)(tamrt_stream *, void (*)(void *), void *)>(
        ::dlsym(library, "tamrt_sim_call"));
    static const tamrt_core core = {
        TAMRT_BACKEND_VERSION,
        TAMRT_ABI_VERSION,
        [](int32_t, const char *) {},
        [](tamrt_context *ctx, int32_t status, int64_t detail) {
          fail(ctx, tamrt_status(status), detail);
        },
        Device::cpu().kernels(),
        tamrt_run_calls};
    table = start(&core);
    device = table->open(0, nullptr, 0);
  }
  Sim(const Sim &) = delete;
  Sim &operator=(const Sim &) = delete;
  ~Sim() { table->close(device); }

  /// Pauses a stream, or continues it.
  void (*hold)(tamrt_stream *, int32_t);
  /// Calls a function after the work of a stream.
  void (*call)(tamrt_stream *, void (*)(void *), void *);
  const tamrt_backend *table;
  tamrt_device *device;
};

} // namespace tamrt::test

#endif // TAMRT_TEST_SIM_H
