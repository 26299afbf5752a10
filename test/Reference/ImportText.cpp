//===- ImportText.cpp - the solver graph of a spec ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ImportText.h"

#include "tamc/Conversion/SpecToTam.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tamc;

OwningOpRef<ModuleOp> tamc::reference::importText(MLIRContext &context,
                                                  const std::string &yaml,
                                                  const Table &train,
                                                  std::string &errors) {
  std::string profile = train.toCsv();
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *errors) {
        llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
        diagnostic.print(nullptr, stream);
      },
      &errors);
  unsigned buffer = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(yaml, "random.yaml"), {});
  auto spec = spec::parseSpec(sources, buffer);
  if (!spec || !spec::resolveLevels(
                   sources, *spec, llvm::MemoryBufferRef(profile, "train.csv")))
    return {};
  return importSpec(context, sources, *spec);
}
