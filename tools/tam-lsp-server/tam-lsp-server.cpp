//===- tam-lsp-server.cpp - a language server for our MLIR ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Serves editors that speak the language server protocol: errors while typing,
/// hover, completion and jumps in .mlir files with tam, tamk and the dialects
/// that they are lowered to.
///
//===----------------------------------------------------------------------===//

#include "tamc/InitAll.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tamc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
