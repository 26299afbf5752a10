//===- DeviceTarget.cpp - devices with memory of their own ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTarget.h"

#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamrt/abi.h"

#include "llvm/ADT/bit.h"
#include "llvm/Target/TargetMachine.h"

using namespace tamc;

namespace {

class DeviceTarget : public Target {
  static constexpr int64_t kSegment = TAMRT_SEGMENT_ROWS;
  static constexpr int64_t kChunkRows = 256 * kSegment;
  static constexpr int64_t kStep = 4;

public:
  explicit DeviceTarget(std::unique_ptr<Target> host) : host(std::move(host)) {}

  /// A backend may lack kernels: their steps then run on the CPU.
  bool hasKernel(llvm::StringRef name) const override {
    const tamk::Kernel *kernel = tamk::lookupKernel(name);
    return kernel && !kernel->isForCpuAlone;
  }
  std::optional<RowLoopLimits> getRowLoopLimits() const override { return {}; }
  tam::SumsAttr getLoopLayout(mlir::Operation *) const override { return {}; }
  /// Launches cost as much as thousands of rows, and rows are what a device
  /// spreads over its threads.
  int64_t getChunkRows(int64_t, int64_t) const override { return kChunkRows; }
  bool joinsSegments() const override { return true; }
  /// Few of several segments, which are powers of two of them.
  llvm::SmallVector<int64_t> getRungs(int64_t most) const override {
    llvm::SmallVector<int64_t> rungs;
    const int64_t segments = llvm::bit_floor(uint64_t(most)) / kSegment;
    for (int64_t each = segments; each > 1; each /= kStep)
      rungs.push_back(each * kSegment);
    rungs.append(host->getRungs(std::min(most, kSegment)));
    return rungs;
  }
  /// kernels.def says how much a kernel may use; all backends keep to it.
  Workspace getWorkspace(llvm::StringRef kernel,
                         int64_t columns) const override {
    return host->getWorkspace(kernel, columns);
  }
  int64_t getLevel() const override { return host->getLevel(); }
  llvm::ArrayRef<KernelVersion> getVersions() const override { return {}; }
  std::unique_ptr<llvm::TargetMachine> createMachine() const override {
    return host->createMachine();
  }
  llvm::StringRef getTuneCpu() const override { return host->getTuneCpu(); }
  llvm::StringRef getCrossName() const override { return host->getCrossName(); }

private:
  std::unique_ptr<Target> host;
};

} // namespace

std::unique_ptr<Target> tamc::createDeviceTarget(std::unique_ptr<Target> host) {
  return std::make_unique<DeviceTarget>(std::move(host));
}
