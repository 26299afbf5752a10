//===- CpuTarget.cpp - the CPU as a target --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuTarget.h"

#include "LoopLayouts.h"

#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamrt/abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace tamc;

namespace {

/// Instructions that a model can ask a machine for when it starts, and the
/// features by which a CPU that has them is recognised.
struct CpuLevel {
  int64_t number;
  llvm::StringLiteral cpu, features;
};

struct Architecture {
  llvm::Triple::ArchType type;
  /// The highest first; the last one is every machine's.
  llvm::ArrayRef<CpuLevel> levels;
  /// The widest first.
  llvm::ArrayRef<KernelVersion> versions;
  /// The highest level whose code still has these versions: with more
  /// instructions the code is a version itself.
  int64_t lastVersioned;
};

} // namespace

/// The levels of the x86-64 psABI.
static constexpr CpuLevel x86Levels[] = {
    {TAMRT_CPU_X86_64_V4, "x86-64-v4",
     "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+avx512f,+avx512bw,+avx512cd,"
     "+avx512dq,+avx512vl"},
    {TAMRT_CPU_X86_64_V3, "x86-64-v3",
     "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"},
    {TAMRT_CPU_X86_64_V2, "x86-64-v2", "+cx16,+popcnt,+sahf,+sse4.2,+ssse3"},
    {TAMRT_CPU_BASELINE, "x86-64", ""},
};

static constexpr KernelVersion x86Versions[] = {
    {TAMRT_CPU_X86_64_V4, "avx512",
     "+avx2,+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"},
    {TAMRT_CPU_X86_64_V3, "avx2", "+avx2"},
};

/// Rows of a chunk: temporaries of a typical model stay in the second-level
/// cache, and launches cost little compared with the rows.
static constexpr int64_t kChunkRows = 1024;

/// Chunks have more rows if the sums take at least this many times the bytes of
/// the temporaries: such sums do not fit in a cache, and every chunk passes
/// over them.
static constexpr int64_t kSumsPerTemporary = 4;

/// Sums of more words no longer fit in a cache, so the loop is hardly faster
/// than one kernel for each pair of terms, but takes long to compile. A spline
/// of a prediction has some five hundred instructions in three versions, and
/// LLVM's time grows faster than their number, and than that of effects, whose
/// operands a loop keeps in registers.
static constexpr RowLoopLimits kLoopLimits = {
    /*words=*/560, /*predictedSplines=*/16, /*predictedEffects=*/64};

static constexpr CpuLevel aarch64Levels[] = {
    {TAMRT_CPU_BASELINE, "generic", ""},
};

static const Architecture architectures[] = {
    {llvm::Triple::x86_64, x86Levels, x86Versions, TAMRT_CPU_X86_64_V2},
    {llvm::Triple::aarch64, aarch64Levels, {}, TAMRT_CPU_BASELINE},
};

/// LLVM's description of a kind of machine; null with an error if this LLVM
/// does not generate code for it.
static const llvm::Target *lookupMachine(const llvm::Triple &triple,
                                         std::string &error) {
  [[maybe_unused]] static const bool registered = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

/// What tools and folders are named after.
static std::string nameOf(const llvm::Triple &triple) {
  return (llvm::Triple::getArchTypeName(triple.getArch()) + "-linux-gnu").str();
}

namespace {

class CpuTarget : public Target {
public:
  CpuTarget(llvm::Triple triple, const llvm::Target &machine,
            const Architecture &architecture, const CpuLevel &level,
            std::string tuneCpu, std::string crossName)
      : triple(std::move(triple)), machine(machine), architecture(architecture),
        level(level), tuneCpu(std::move(tuneCpu)),
        crossName(std::move(crossName)) {}

  /// All of kernels.def: the CPU runs what other machines cannot.
  bool hasKernel(llvm::StringRef name) const override {
    return tamk::lookupKernel(name) != nullptr;
  }

  tam::SumsAttr getLoopLayout(mlir::Operation *sum) const override {
    return getCpuLoopLayout(sum);
  }

  std::optional<RowLoopLimits> getRowLoopLimits() const override {
    return kLoopLimits;
  }

  int64_t getChunkRows(int64_t sumBytes, int64_t rowBytes) const override {
    int64_t rows = kChunkRows;
    while (rows < TAMRT_SEGMENT_ROWS &&
           kSumsPerTemporary * 2 * rows * rowBytes <= sumBytes)
      rows *= 2;
    return rows;
  }

  llvm::SmallVector<int64_t> getRungs(int64_t most) const override {
    llvm::SmallVector<int64_t> rungs;
    for (int64_t rows = most; rows >= 1; rows /= 2)
      rungs.push_back(rows);
    return rungs;
  }

  Workspace getWorkspace(llvm::StringRef kernel,
                         int64_t columns) const override {
    constexpr int64_t kNoRows = TAMRT_LEAF_WORKSPACE(0);
    return llvm::StringSwitch<Workspace>(kernel)
        .Cases({"gram_wide", "gram_dense_wide"}, {TAMRT_WIDE_WORKSPACE})
        .Case("gram_multihot", {kNoRows, TAMRT_LEAF_WORKSPACE(1) - kNoRows,
                                TAMRT_LEAF_WORKSPACE(TAMRT_SEGMENT_ROWS)})
        .Case("cholesky_factor", {TAMRT_FACTOR_WORKSPACE(columns)})
        .Case("cholesky_solve", {TAMRT_SOLVE_WORKSPACE(columns)})
        .Case("cholesky_inverse", {TAMRT_INVERSE_WORKSPACE(columns)})
        .Default({});
  }

  int64_t getLevel() const override { return level.number; }

  llvm::ArrayRef<KernelVersion> getVersions() const override {
    if (level.number > architecture.lastVersioned)
      return {};
    return architecture.versions;
  }

  std::unique_ptr<llvm::TargetMachine> createMachine() const override {
    // Generated loops are long blocks of vectors, which higher levels compile
    // in more time to code that is no faster.
    return std::unique_ptr<llvm::TargetMachine>(machine.createTargetMachine(
        triple, level.cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_,
        std::nullopt, llvm::CodeGenOptLevel::Less));
  }

  llvm::StringRef getTuneCpu() const override { return tuneCpu; }
  llvm::StringRef getCrossName() const override { return crossName; }

private:
  llvm::Triple triple;
  const llvm::Target &machine;
  const Architecture &architecture;
  const CpuLevel &level;
  std::string tuneCpu, crossName;
};

} // namespace

llvm::Expected<std::unique_ptr<Target>>
tamc::createCpuTarget(tam::TargetAttr attribute) {
  const llvm::Triple own(llvm::sys::getDefaultTargetTriple());
  llvm::Triple triple = own;
  if (attribute && !attribute.getTriple().empty())
    triple = llvm::Triple(llvm::Triple::normalize(attribute.getTriple()));
  const Architecture *architecture =
      llvm::find_if(architectures, [&](const Architecture &known) {
        return known.type == triple.getArch();
      });
  if (architecture == std::end(architectures) || !triple.isOSLinux() ||
      triple.getEnvironment() != llvm::Triple::GNU) {
    std::string known;
    for (const Architecture &each : architectures)
      known += (known.empty() ? "" : ", ") +
               llvm::Triple::getArchTypeName(each.type).str() + "-linux-gnu";
    return llvm::createStringError("expected the triple of a machine (" +
                                   known + "), got '" + triple.str() + "'");
  }

  // One name for one machine: the object depends on nothing else.
  const bool isOwn = triple.getArch() == own.getArch();
  if (isOwn)
    triple = own;
  std::string cpu = attribute ? attribute.getCpu().str() : "", features, error;
  const CpuLevel &least = architecture->levels.back();
  if (cpu.empty())
    cpu = least.cpu;
  std::string tuneCpu = cpu;
  if (cpu == "native") {
    if (!isOwn)
      return llvm::createStringError("expected a CPU of " + nameOf(triple) +
                                     ", got 'native', which is one of " +
                                     nameOf(own));
    // The features of the CPU's name may be wrong: a virtual machine may hide
    // some.
    cpu = least.cpu;
    tuneCpu = llvm::sys::getHostCPUName();
    llvm::SubtargetFeatures list;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      list.AddFeature(feature.getKey(), feature.getValue());
    features = list.getString();
  }
  const llvm::Target *machine = lookupMachine(triple, error);
  if (!machine)
    return llvm::createStringError(error);
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      machine->createMCSubtargetInfo(triple, cpu, features));
  if (!info->isCPUStringValid(cpu))
    return llvm::createStringError("unknown CPU '" + cpu + "'");
  const CpuLevel *level =
      llvm::find_if(architecture->levels, [&](const CpuLevel &known) {
        return known.features.empty() ||
               info->checkFeatures(known.features.str());
      });
  if (tuneCpu == level->cpu)
    tuneCpu.clear();
  return std::make_unique<CpuTarget>(triple, *machine, *architecture, *level,
                                     std::move(tuneCpu),
                                     isOwn ? "" : nameOf(triple));
}
