//===- Effects.h - feature maps and penalties of terms ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_EFFECTS_H
#define TAMC_CONVERSION_SPECTOTAM_EFFECTS_H

#include "Inputs.h"
#include "Learners.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <string>
#include <vector>

namespace tamc {

/// The values that the effects of a function read: the function's arguments.
class Variables {
public:
  virtual ~Variables() = default;

  /// The input's column, normalised, or its codes (TAMRT_RULE_LEVELS).
  virtual mlir::Value column(mlir::Location loc, const Input &input) = 0;
  /// The input's parameters; null for codes.
  virtual mlir::Value parameters(const Input &input) = 0;
  /// Table `index` of the model, as a tensor of this type.
  virtual mlir::Value table(int64_t index, mlir::RankedTensorType type) = 0;
  /// The strengths of the group's penalties (collectStrengths).
  virtual mlir::Value strengths() = 0;
  /// Rows of the group.
  virtual mlir::Value groupRows() = 0;
  /// A new carry of `size` numbers, which has the values from the rows before
  /// the chunk.
  virtual mlir::Value carry(int64_t size) = 0;
  /// Returns `carried` as the next value of `carry`.
  virtual void carryOn(mlir::Value carry, mlir::Value carried) = 0;
};

/// Most columns of a model: its penalties are constants of the program, with
/// several numbers per column.
inline constexpr int64_t kMaxColumns = int64_t(1) << 26;

/// Most bytes of the constants of a model's penalties. The steps have them at
/// most twice, and a program whose constants take 2 GiB cannot be linked.
inline constexpr int64_t kMaxPenaltyBytes = int64_t(1) << 30;

/// Columns of a term's design matrix. For a product with more than
/// `kMaxColumns` columns, any number above `kMaxColumns`.
int64_t columnsOf(const spec::Term &term);

/// Builds the intercept's design matrix, of one column.
mlir::Value buildOffset(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value rows);

/// Builds a term's design matrix (docs/math.md section 3), not encoded.
mlir::Value buildDesign(mlir::OpBuilder &builder, mlir::Location loc,
                        const spec::Term &term, const Learners &learners,
                        Variables &variables);

/// By how much one penalty of an effect is multiplied: 10^ap.
struct Strength {
  /// That of the effect; of a factor of a product with its place, as in
  /// "te_a_x_b[0]".
  std::string name;
  int64_t effect;
  double ap, value;
  /// The largest ap that it may have, as tamrt_penalty::limit.
  double limit;
};

/// Bytes of the constants of a term's penalty, or a few more; `strengths` is
/// the number of strengths that a part is multiplied by. The term has at most
/// `kMaxColumns` columns.
int64_t penaltyBytes(const spec::Term &term, int64_t strengths = 1);

/// The strengths of all penalties of a model: the offset's, then each term's
/// own, which multiplies those of a product's factors, and these.
std::vector<Strength> collectStrengths(const spec::ModelSpec &spec);

/// Builds the penalties of the intercept and of the terms (docs/math.md section
/// 3), times their strengths. `locations` are theirs.
llvm::SmallVector<mlir::Value>
buildPenalties(mlir::OpBuilder &builder,
               llvm::ArrayRef<mlir::Location> locations,
               llvm::ArrayRef<spec::Term> terms, const Learners &learners,
               Variables &variables);

/// A message about the part of a term that has no kernels; empty if there is
/// none.
std::string missingKernels(const spec::Term &term);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_EFFECTS_H
