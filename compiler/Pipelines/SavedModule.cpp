//===- SavedModule.cpp - modules that stopped after a phase ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Pipelines/SavedModule.h"

#include "tamrt/checksum.h"

using namespace tamc;
using llvm::StringRef;

static constexpr StringRef kStart = "// tamc module after ";
static constexpr StringRef kSeparator = ", ";

void tamc::saveModule(mlir::ModuleOp module, Phase phase,
                      llvm::raw_ostream &out) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kStart << toString(phase) << kSeparator;
  const size_t place = text.size();
  stream << tamrt::kNoChecksum << '\n';
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << '\n';
  tamrt::setChecksum(text, place);
  out << text;
}

std::optional<std::string> tamc::findSavedModuleFault(StringRef text,
                                                      Phase phase) {
  if (!text.starts_with(kStart))
    return std::nullopt;
  auto [name, checksum] =
      text.split('\n').first.drop_front(kStart.size()).split(kSeparator);
  const bool isUnchanged =
      checksum.size() == tamrt::kNoChecksum.size() &&
      checksum ==
          StringRef(
              tamrt::checksumOf(text, checksum.data() - text.data()).view());
  if (!isUnchanged)
    return "the module has changed since tamc wrote it; remove its first line "
           "if the change is wanted";
  if (name != toString(phase))
    return "expected a module after the phase '" + toString(phase).str() +
           "', got one after '" + name.str() + "'";
  return std::nullopt;
}
