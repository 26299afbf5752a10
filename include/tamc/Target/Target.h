//===- Target.h - what a model is compiled for -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_TARGET_H
#define TAMC_TARGET_TARGET_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace tamc {

/// Instructions beyond those of a target's code for which generated kernels are
/// compiled once more. A model calls that version on machines of at least this
/// level (abi.h, tamrt_cpu_level).
struct KernelVersion {
  int64_t level;
  /// The end of the version's name, and its features as LLVM names them.
  llvm::StringLiteral name, features;
};

/// How large loops over rows get. Beyond a limit, sums and effects have kernels
/// of their own.
struct RowLoopLimits {
  /// Words of 32 bytes that a row adds to in a loop of sums.
  int64_t words;
  /// Splines of all loops of a prediction, and effects of one loop: a
  /// prediction of more effects has several loops.
  int64_t predictedSplines, predictedEffects;
};

/// Working memory of a launch, in doubles: `fixed`, and `perRow` for each row
/// of the chunk, at most `most` in all.
struct Workspace {
  int64_t fixed = 0, perRow = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};

/// What a model is compiled for: answers the questions of passes and of those
/// who write code, which know no kind of machine.
class Target {
public:
  virtual ~Target() = default;

  /// Whether the machine has a kernel (kernels.def) of this name, without the
  /// prefix `tamrt_`. Complexity: constant.
  virtual bool hasKernel(llvm::StringRef name) const = 0;

  /// The encoding of the matrix that `map` makes: the one that exploits the
  /// map's structure, or dense if the machine has no kernels for the sums,
  /// right-hand sides, predictions and sparse copies of such matrices, but one
  /// that expands them. Complexity: linear in the map's operands.
  mlir::Attribute getEncoding(tam::FeatureMapInterface map) const;

  /// The layout of `sum`, a tam.gram or tam.rhs, if a loop over rows computes
  /// it; null: the one that it has. Linear in the elements of the sum.
  virtual tam::SumsAttr getLoopLayout(mlir::Operation *sum) const = 0;

  /// Limits of loops over rows that are generated for a model; none if the
  /// machine runs kernels alone.
  virtual std::optional<RowLoopLimits> getRowLoopLimits() const = 0;

  /// Rows of the largest chunk of a step whose sums take `sumBytes` and whose
  /// temporaries take `rowBytes` per row.
  virtual int64_t getChunkRows(int64_t sumBytes, int64_t rowBytes) const = 0;

  /// Whether a chunk of a step that adds to sums may have rows of several
  /// segments (abi.h).
  virtual bool joinsSegments() const { return false; }

  /// The chunk sizes that a step of chunks of `most` rows is compiled for, when
  /// there may be less memory: from `most` to 1, descending.
  virtual llvm::SmallVector<int64_t> getRungs(int64_t most) const = 0;

  /// The working memory of a kernel, which kernels.def describes, for a matrix
  /// of `columns` columns. Constant.
  virtual Workspace getWorkspace(llvm::StringRef kernel,
                                 int64_t columns) const = 0;

  /// The lowest level of the machines that the code runs on (abi.h,
  /// tamrt_cpu_level). A model checks it when it starts.
  virtual int64_t getLevel() const = 0;

  /// Versions of generated kernels beside the one for this level, the best
  /// first.
  virtual llvm::ArrayRef<KernelVersion> getVersions() const = 0;

  /// The machine for which LLVM generates code.
  virtual std::unique_ptr<llvm::TargetMachine> createMachine() const = 0;

  /// The CPU for which code is tuned, which may have instructions that the code
  /// does not use; empty: none.
  virtual llvm::StringRef getTuneCpu() const = 0;

  /// The machine's name in folders and names of tools, for example
  /// aarch64-linux-gnu; empty if code is for the kind of machine that tamc runs
  /// on.
  virtual llvm::StringRef getCrossName() const = 0;
};

/// The target that an attribute describes; null: the CPU that tamc runs on,
/// with the instructions that all CPUs of its kind have. It is an error if
/// there is no such target, machine or CPU.
llvm::Expected<std::unique_ptr<Target>> createTarget(tam::TargetAttr attribute);

/// The target of a module: its attribute `tam.target`. Emits errors at the
/// module.
mlir::FailureOr<std::unique_ptr<Target>> targetOf(mlir::ModuleOp module);

/// The name of the target of a module that names none.
llvm::StringRef defaultTargetName();

/// The target of a model's steps on devices whose memory the CPU cannot
/// address, beside those for its `own` target, which may be null.
tam::TargetAttr deviceTargetBeside(mlir::MLIRContext *context,
                                   tam::TargetAttr own);

} // namespace tamc

#endif // TAMC_TARGET_TARGET_H
