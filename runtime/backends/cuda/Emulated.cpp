//===- cuda/Emulated.cpp - the device cuda-emulated -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The host side with the fake driver, which executes the bodies of the CUDA
/// kernels in the emulator. Its settings are environment variables that it
/// reads when it is loaded:
///
///     TAMRT_EMULATOR_ORDER=NAME    forward, backward, warps, random; forward
///     TAMRT_EMULATOR_SEED=N        of random orders; 0
///     TAMRT_EMULATOR_MEMORY=BYTES  all memory of a device; 1 GiB
///     TAMRT_EMULATOR_DEVICES=N     how many there are; 1
///     TAMRT_EMULATOR_LACKS=NAMES   kernels that they do not have
///     TAMRT_EMULATOR_BATCH=N       calls of a step that they run together; 16;
///                                  0: launches kernels one by one
///     TAMRT_EMULATOR_BANKS=1       counts bank conflicts
///     TAMRT_EMULATOR_KIND=NAME     the kind of the devices; cuda-emulated
///     TAMRT_EMULATOR_CAPABILITY=N  their compute capability, times ten; 90
///     TAMRT_EMULATOR_DRIVER=N      the CUDA of the driver: 12080 is 12.8; 0:
///                                  none
///     TAMRT_EMULATOR_FAIL=K        call K of the runtime, from 1, fails
///     TAMRT_EMULATOR_FAILURES=N    and the N-1 after it
///     TAMRT_EMULATOR_CALL=NAME     only calls of this name count
///     TAMRT_EMULATOR_ERROR=N       with this cudaError_t; 2, out of memory
///
/// The order is also that of streams: `forward` does work in a stream at once,
/// `backward` and `warps` when somebody waits for it, `random` one or the
/// other.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Copies.h"
#include "backends/cuda/Fake.h"
#include "backends/cuda/Host.h"
#include "core/device/BackendSettings.h"

namespace tamrt::cuda {

template <class Body> const Kernel &kernelOf() {
  static const Kernel kernel = {fake::kernelOf<Body>(), sizeof(Body),
                                Many<Body>::most, Body::hasBarriers,
                                launchMany<Body>};
  return kernel;
}

} // namespace tamrt::cuda

#include "backends/cuda/Launches.h"

#include <cstdlib>

namespace tamrt::cuda {

static BackendSettings environment;

static const char *text(const char *name, const char *otherwise) {
  const char *given = std::getenv(name);
  return given && *given ? given : otherwise;
}

const char *kind() { return text("TAMRT_EMULATOR_KIND", "cuda-emulated"); }

tamrt_kernels launchTable() {
  tamrt_kernels all = makeKernels<HostLauncher>();
  const std::string lacking =
      "," + std::string(text("TAMRT_EMULATOR_LACKS", "")) + ",";
#define TAMRT_KERNEL(name, ...)                                                \
  if (lacking.find("," #name ",") != std::string::npos)                        \
    all.name = nullptr;
#include "tamrt/kernels.def"
  return all;
}

const Kernel &zeroKernel() { return kernelOf<Zero>(); }
const Kernel &copyKernel() { return kernelOf<CopyPieces>(); }
const Kernel &rowSumsKernel() { return kernelOf<AddRows>(); }
const Kernel &joinSegmentsKernel() { return kernelOf<JoinSegments>(); }

int64_t mostCalls() { return environment.number("TAMRT_EMULATOR_BATCH", 16); }

std::string checkSettings() {
  Order order;
  const char *name = text("TAMRT_EMULATOR_ORDER", "forward");
  if (!parseOrder(name, order))
    return "expected forward, backward, warps or random as "
           "TAMRT_EMULATOR_ORDER, got '" +
           std::string(name) + "'";
  return environment.wrong();
}

void start(const tamrt_core &) {
  environment = {};
  fake::Settings settings;
  parseOrder(text("TAMRT_EMULATOR_ORDER", "forward"), settings.order);
  settings.seed = uint64_t(environment.number("TAMRT_EMULATOR_SEED", 0));
  settings.countsBanks = environment.number("TAMRT_EMULATOR_BANKS", 0) != 0;
  settings.devices = int(environment.number("TAMRT_EMULATOR_DEVICES", 1));
  settings.memoryBytes =
      environment.number("TAMRT_EMULATOR_MEMORY", settings.memoryBytes);
  settings.capability =
      int(environment.number("TAMRT_EMULATOR_CAPABILITY", settings.capability));
  settings.driver =
      int(environment.number("TAMRT_EMULATOR_DRIVER", settings.driver));
  settings.failAt = uint64_t(environment.number("TAMRT_EMULATOR_FAIL", 0));
  settings.failures =
      uint64_t(environment.number("TAMRT_EMULATOR_FAILURES", 1));
  settings.failCall = text("TAMRT_EMULATOR_CALL", "");
  settings.error =
      int(environment.number("TAMRT_EMULATOR_ERROR", settings.error));
  settings.log = complain;
  fake::start(settings);
}

std::string furtherCounts() {
  const Counts &counts = fake::counts();
  return std::to_string(counts.launches) + " kernels, " +
         std::to_string(counts.blocks) + " blocks, " +
         std::to_string(counts.barriers) + " barriers, " +
         std::to_string(counts.readBytes) + " bytes read, " +
         std::to_string(counts.writtenBytes) + " written, " +
         std::to_string(counts.bankConflicts) + " bank conflicts, " +
         std::to_string(fake::calls()) + " calls, " +
         std::to_string(fake::waitingCopies()) + " copies that waited";
}

} // namespace tamrt::cuda
