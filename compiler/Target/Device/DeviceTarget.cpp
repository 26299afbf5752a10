//===- DeviceTarget.cpp - devices with memory of their own ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTarget.h"

#include "llvm/Target/TargetMachine.h"

using namespace tamc;

namespace {

class DeviceTarget : public Target {
public:
  explicit DeviceTarget(std::unique_ptr<Target> host) : host(std::move(host)) {}

  /// A backend may lack kernels: their steps then run on the CPU.
  bool hasKernel(llvm::StringRef name) const override {
    return host->hasKernel(name);
  }
  std::optional<RowLoopLimits> getRowLoopLimits() const override { return {}; }
  tam::SumsAttr getLoopLayout(mlir::Operation *) const override { return {}; }
  int64_t getChunkRows(int64_t sumBytes, int64_t rowBytes) const override {
    return host->getChunkRows(sumBytes, rowBytes);
  }
  llvm::SmallVector<int64_t> getRungs(int64_t most) const override {
    return host->getRungs(most);
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
