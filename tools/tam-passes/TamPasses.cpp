//===- TamPasses.cpp - the passes as a plug-in of mlir-opt ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Use: mlir-opt --load-pass-plugin=TamPasses.so program.mlir
//        --pass-pipeline="builtin.module(plan-memory)"
//
// With --load-dialect-plugin=TamPasses.so too, the tool also reads and writes
// the dialects tam and tamk.
//
//===----------------------------------------------------------------------===//

#include "tamc/InitAll.h"
#include "tamc/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tamc", TAMC_VERSION,
          [] { tamc::registerTamcPasses(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tamc", TAMC_VERSION,
          [](mlir::DialectRegistry *registry) {
            tamc::registerTamcDialects(*registry);
          }};
}
