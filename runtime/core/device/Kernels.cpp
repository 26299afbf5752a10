//===- core/device/Kernels.cpp - the kernels that a device has ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Kernels.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tamrt {
namespace {

struct KernelEntry {
  const char *name;
  bool (*isIn)(const tamrt_kernels &table);
  /// Whether no device but the CPU need have it.
  bool isOfCpu;
};

template <auto kernel> bool isIn(const tamrt_kernels &table) {
  return table.*kernel != nullptr;
}

/// By their positions, as tables of launches name them.
constexpr KernelEntry kKernels[] = {
#define TAMRT_KERNEL(name, ...) {#name, isIn<&tamrt_kernels::name>, false},
#define TAMRT_CPU_KERNEL(name, ...) {#name, isIn<&tamrt_kernels::name>, true},
#include "tamrt/kernels.def"
};

} // namespace

bool hasAllKernels(const tamrt_kernels &table) {
  return std::all_of(
      std::begin(kKernels), std::end(kKernels),
      [&](const KernelEntry &kernel) { return kernel.isIn(table); });
}

std::vector<std::string> missingKernels(const tamrt_kernels &table) {
  std::vector<std::string> names;
  for (const KernelEntry &kernel : kKernels)
    if (!kernel.isIn(table) && !kernel.isOfCpu)
      names.push_back(kernel.name);
  return names;
}

const char *missingKernel(const tamrt_step &step, const tamrt_kernels &table) {
  if (!step.launch_table) {
    for (const KernelEntry &kernel : kKernels)
      if (!kernel.isIn(table))
        return kernel.name;
    return nullptr;
  }
  const int64_t *code = step.launch_table->code;
  for (int64_t i = 0; i < step.launch_table->count; ++i) {
    const int64_t kernel = *code++;
    // Generated kernels are code for the CPU (tamrt_step::is_cpu_code).
    if (kernel >= 0 && !kKernels[kernel].isIn(table))
      return kKernels[kernel].name;
    const int64_t arguments = *code++;
    for (int64_t j = 0; j < arguments; ++j) {
      const int64_t operand = *code++;
      if ((operand & (TAMRT_SPACES - 1)) != TAMRT_SPACE_LIST)
        continue;
      // A list is two arguments, and its buffers follow.
      code += operand / TAMRT_SPACES;
      ++j;
    }
  }
  return nullptr;
}

} // namespace tamrt
