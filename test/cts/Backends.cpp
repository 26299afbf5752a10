//===- Backends.cpp - what the suite runs models on -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backends.h"

#include "tamrt/abi.h"

#include <cstdlib>
#include <filesystem>

using namespace tamc::cts;

/// A device of a shared object in a folder of the build's tests.
static Backend device(const std::string &name, const std::string &kind,
                      const std::string &folder,
                      std::vector<std::string> environment) {
  // A step that is not run there is a warning, which fails the case.
  environment.insert(environment.end(),
                     {"TAMRT_BACKEND_PATH=" TAMC_BINARY_DIR "/test/" + folder,
                      "TAMRT_LOG=warning"});
  return {.name = name,
          .run = {"--device", kind},
          .environment = std::move(environment)};
}

/// The instruction sets up to a level of tamrt_cpu_level. Without it a model
/// uses all that the machine has.
static Backend level(const std::string &name, int64_t level) {
  Backend backend{.name = name,
                  .environment = {"TAMC_CTS_LEVEL=" + std::to_string(level)}};
  if (tamrt_cpu_level() < level)
    backend.missing = "this CPU lacks the instruction set";
  return backend;
}

std::vector<Backend> tamc::cts::allBackends() {
  std::vector<Backend> all;
  // One with AVX-512 uses it.
  all.push_back({.name = "cpu", .run = {"--threads", "1"}});
  all.push_back(level("cpu-baseline", TAMRT_CPU_BASELINE));
#ifdef __x86_64__
  all.push_back(level("cpu-avx2", TAMRT_CPU_X86_64_V3));
#endif
  // Threads share groups, and chunks end at other rows.
  all.push_back({.name = "cpu-threads",
                 .run = {"--threads", "3", "--chunk-rows", "100"}});
  // All steps are tables of launches, which the runtime reads. It runs at the
  // level of this machine alone.
  all.push_back({.name = "cpu-tables",
                 .compile = {"--table-operands=0", "--mcpu=native"},
                 .every = 3});
  all.push_back(device("sim", "sim", "backends", {}));
  Backend opaque =
      device("sim-opaque", "sim", "backends", {"TAMRT_SIM_OPAQUE=1"});
  opaque.runsLoops = false;
  all.push_back(opaque);
  // Two devices on which groups run together, on streams that begin their work
  // late.
  Backend batches = device("sim-batches", "sim:0,sim:1", "backends",
                           {"TAMRT_SIM_DEVICES=2", "TAMRT_SIM_OPAQUE=1",
                            "TAMRT_SIM_BATCH=4", "TAMRT_SIM_DELAY=20"});
  batches.runsLoops = false;
  all.push_back(batches);
  // Its sums have another order than the CPU's.
  Backend minimal = device("minimal", "minimal", "backends-minimal", {});
  minimal.promise = Promise::Close;
  minimal.runsLoops = false;
  all.push_back(minimal);
  // Kernels of its own, in an order of threads and streams that changes all the
  // time, on two devices.
  Backend emulated =
      device("cuda-emulated", "cuda-emulated:0,cuda-emulated:1", "../lib/tamrt",
             {"TAMRT_EMULATOR_ORDER=random", "TAMRT_EMULATOR_SEED=1",
              "TAMRT_EMULATOR_DEVICES=2"});
  emulated.promise = Promise::Close;
  emulated.runsLoops = false;
  all.push_back(emulated);
  Backend cuda = device("cuda", "cuda", "../lib/tamrt", {});
  cuda.promise = Promise::Close;
  cuda.runsLoops = false;
  if (!std::filesystem::exists(TAMC_BINARY_DIR
                               "/lib/tamrt/libtamrt-backend-cuda.so"))
    cuda.missing = "the build has no backend for CUDA";
  else if (!std::filesystem::exists("/dev/nvidiactl"))
    cuda.missing = "this machine has no GPU of NVIDIA";
  all.push_back(cuda);
  // Operations of LibTorch, on its CPU. With a folder of the backend, which may
  // be that of another build (tools/check --with torch), all subjects run.
  const char *given = std::getenv("TAMC_TORCH_BACKENDS");
  const std::string folder = given ? given : TAMC_BINARY_DIR "/lib/tamrt";
  Backend torch = device("torch:cpu", "torch:cpu", "", {});
  // The kernels' memory is filled by tests (test/CMakeLists.txt): what is
  // enough here takes less time than the default.
  torch.environment = {"TAMRT_BACKEND_PATH=" + folder, "TAMRT_LOG=warning",
                       "TAMRT_TORCH_RESERVE=33554432"};
  torch.promise = Promise::Close;
  torch.runsLoops = false;
  torch.every = given ? 1 : 3;
  torch.preload = folder + "/libtamrt-backend-torch.so";
  if (!std::filesystem::exists(torch.preload))
    torch.missing = "the build has no backend for LibTorch";
  all.push_back(torch);
  // The same operations on a device whose tensors are none of the CPU's.
  const std::string extension =
      folder + "/../../test/torch/libtamrt-test-privateuse.so";
  torch.name = "torch:privateuseone";
  torch.run = {"--device", torch.name};
  torch.environment.push_back("TAMRT_TORCH_EXTENSION=" + extension);
  torch.every = 9;
  if (torch.missing.empty() && !std::filesystem::exists(extension))
    torch.missing = "the build has no test device for LibTorch";
  all.push_back(torch);
  Backend arm{.name = "aarch64", .machine = "aarch64-linux-gnu", .every = 9};
  arm.driver = TAMC_AARCH64_CC;
  arm.runtime = TAMC_BINARY_DIR "/lib/tamrt/" + arm.machine + "/libtamrt.a";
  if (!std::filesystem::exists(arm.runtime))
    arm.missing = "the build has no runtime for " + arm.machine;
  else if (arm.driver.empty())
    arm.missing = arm.machine + "-gcc was not found";
  else if (std::string(TAMC_QEMU_AARCH64).empty())
    arm.missing = "qemu-aarch64 was not found";
  all.push_back(arm);
  return all;
}
