//===- SpecFuzzer.cpp - feeds the readers of the spec ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a YAML spec, a bare formula or a profile, by its first byte. The
// canonical text of a valid spec must parse to the same spec.
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/ModelSpec.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>

using namespace tamc::spec;

namespace {

/// Counts errors and prints nothing.
struct Sources {
  Sources() {
    manager.setDiagHandler(
        [](const llvm::SMDiagnostic &diagnostic, void *self) {
          static_cast<Sources *>(self)->errors +=
              diagnostic.getKind() == llvm::SourceMgr::DK_Error;
        },
        this);
  }

  unsigned add(llvm::StringRef text) {
    return manager.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz"), llvm::SMLoc());
  }

  llvm::SourceMgr manager;
  unsigned errors = 0;
};

void require(bool condition) {
  if (!condition)
    abort();
}

void checkReadsBack(Sources &sources, const ModelSpec &spec) {
  std::string canonical = spec.canonical();
  auto again = parseSpec(sources.manager, sources.add(canonical));
  require(again && again->canonical() == canonical);
  require(again->effectNames() == spec.effectNames());
  require(again->features() == spec.features());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  Sources sources;
  if (data[0] % 4 == 3) {
    auto spec = parseFormulaSpec(
        sources.manager,
        sources.add("y ~ c(x) + c(z, topo=ordinal) + c(w, topo=fourier)"), {});
    require(spec.has_value());
    bool good = resolveLevels(sources.manager, *spec,
                              llvm::MemoryBufferRef(text, "profile"));
    require(good == (sources.errors == 0));
    if (good)
      checkReadsBack(sources, *spec);
    return 0;
  }
  auto spec = data[0] % 4 == 2
                  ? parseFormulaSpec(sources.manager, sources.add(text), {})
                  : parseSpec(sources.manager, sources.add(text));
  require(spec.has_value() == (sources.errors == 0));
  if (spec)
    checkReadsBack(sources, *spec);
  return 0;
}
