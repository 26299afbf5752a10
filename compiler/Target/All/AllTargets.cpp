//===- AllTargets.cpp - the list of targets -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Cpu/CpuTarget.h"
#include "../Device/DeviceTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tamc;

namespace {

struct Entry {
  llvm::StringLiteral name;
  llvm::Expected<std::unique_ptr<Target>> (*create)(tam::TargetAttr attribute);
};

} // namespace

/// The machine of the attribute's triple and CPU runs the code around kernels.
static llvm::Expected<std::unique_ptr<Target>>
createDevice(tam::TargetAttr attribute) {
  llvm::Expected<std::unique_ptr<Target>> host = createCpuTarget(attribute);
  if (!host)
    return host.takeError();
  return createDeviceTarget(std::move(*host));
}

static constexpr Entry targets[] = {
    {"cpu", createCpuTarget},
    {"device", createDevice},
};

llvm::StringRef tamc::defaultTargetName() { return targets[0].name; }

tam::TargetAttr tamc::deviceTargetBeside(MLIRContext *context,
                                         tam::TargetAttr own) {
  return tam::TargetAttr::get(context, targets[1].name,
                              own ? own.getTriple() : llvm::StringRef(),
                              own ? own.getCpu() : llvm::StringRef());
}

static std::string names() {
  return llvm::join(
      llvm::map_range(targets, [](const Entry &entry) { return entry.name; }),
      ", ");
}

llvm::Expected<std::unique_ptr<Target>>
tamc::createTarget(tam::TargetAttr attribute) {
  llvm::StringRef name = attribute ? attribute.getName() : defaultTargetName();
  const Entry *entry = llvm::find_if(
      targets, [&](const Entry &known) { return known.name == name; });
  if (entry == std::end(targets))
    return llvm::createStringError("expected a target (" + names() +
                                   "), got '" + name + "'");
  return entry->create(attribute);
}

FailureOr<std::unique_ptr<Target>> tamc::targetOf(ModuleOp module) {
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(
      module->getAttrOfType<tam::TargetAttr>(tam::kTargetAttrName));
  if (!target)
    return module.emitError("cannot generate code: ")
           << llvm::toString(target.takeError());
  return std::move(*target);
}
