//===- ModelModules.cpp - the modules of a model --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Pipelines/ModelModules.h"

#include "tamc/Target/Target.h"

using namespace mlir;
using namespace tamc;

ModelModules::ModelModules(OwningOpRef<ModuleOp> model,
                           OwningOpRef<ModuleOp> windows)
    : model(std::move(model)), windows(std::move(windows)) {
  nameOthers();
}

ModelModules::ModelModules(OwningOpRef<ModuleOp> nested)
    : model(std::move(nested)) {
  for (auto [names, other] : llvm::zip_equal(tam::kOtherModels, others())) {
    auto found = model->lookupSymbol<ModuleOp>(names.module);
    if (found)
      found->remove();
    *other = Module(found);
  }
}

void ModelModules::nameOthers() {
  for (auto [names, other] : llvm::zip_equal(tam::kOtherModels, others()))
    if (*other)
      (*other)->setSymName(names.module);
}

llvm::SmallVector<ModuleOp> ModelModules::getOthers() const {
  llvm::SmallVector<ModuleOp> found;
  for (const Module *other : {&windows, &devices, &windowDevices})
    if (*other)
      found.push_back(**other);
  return found;
}

void ModelModules::setTarget(tam::TargetAttr target) {
  auto set = [](const Module &module, tam::TargetAttr to) {
    if (module)
      (*module)->setAttr(tam::kTargetAttrName, to);
  };
  set(model, target);
  set(windows, target);
  const auto device = deviceTargetBeside(target.getContext(), target);
  set(devices, device);
  set(windowDevices, device);
}

void ModelModules::addDevices() {
  auto copy = [](const Module &of) {
    if (!of)
      return Module();
    Module made = cast<ModuleOp>(of.get()->clone());
    (*made)->setAttr(tam::kTargetAttrName,
                     deviceTargetBeside(made->getContext(),
                                        (*made)->getAttrOfType<tam::TargetAttr>(
                                            tam::kTargetAttrName)));
    return made;
  };
  devices = copy(model);
  windowDevices = copy(windows);
  nameOthers();
}

void ModelModules::dropDevices() {
  devices = {};
  windowDevices = {};
}

LogicalResult ModelModules::lower(
    Phase phase, Phase last, const PipelineOptions &options,
    llvm::function_ref<LogicalResult(PassManager &)> configure) {
  auto lowerOne = [&](const Module &module, const PipelineOptions &own) {
    return module ? lowerBy(*module, phase, last, own, configure) : success();
  };
  PipelineOptions own = options, other = options;
  if (devices)
    own.devices = tam::kDeviceModelName;
  other.entry = false;
  other.symbol = tam::kWindowModelName;
  if (failed(lowerOne(windows, other)) || failed(lowerOne(model, own)))
    return failure();
  // A device has the launches of a step, not its code.
  other.tableOperands = 0;
  other.symbol = tam::kWindowDeviceModelName;
  if (failed(lowerOne(windowDevices, other)))
    return failure();
  other.symbol = tam::kDeviceModelName;
  other.windows = tam::kWindowDeviceModelName;
  return lowerOne(devices, other);
}

ModuleOp ModelModules::getNested() {
  for (Module *other : others())
    if (*other)
      model->push_back(other->release());
  return *model;
}
