//===- Interpreter.h - executes functions of the tam dialect ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Executes the solver graph: every op in plain loops on dense numbers. A value
/// does not depend on its encoding, so a module gives the same results before
/// and after encodings and layouts are chosen, and before and after rows are
/// tiled. Numbers that an encoding cannot represent are an error or are dropped
/// (Layouts.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_INTERPRETER_H
#define TAMC_TEST_REFERENCE_INTERPRETER_H

#include "Datum.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <map>

namespace tamc::reference {

/// The normal equations that a tam.solve was given; it has a gram if they are
/// assembled by a tam.normal_matrix.
struct System {
  Matrix matrix;
  Vector vector;
  /// The sums over rows in the matrix: the matrix without its penalties.
  Matrix gram = {};
};

/// The values that `function` returns for `arguments`. An accumulator is a
/// Vector or the whole Matrix, even if its encoding stores less. Errors at the
/// op: an op of another dialect, an argument with another shape than its
/// type's, a value that its encoding cannot represent, and a matrix that is not
/// positive definite. `systems` gets the operands of each tam.solve.
mlir::FailureOr<std::vector<Datum>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Datum> arguments,
          std::vector<System> *systems = nullptr);

/// The values of the entries of a penalty, without learnt weights.
Vector entriesOf(tam::PenaltyOp op, const Vector &strengths);

/// The rows of one group as the runtime passes them to a step.
struct Group {
  /// Number of rows.
  int64_t rows = 0;
  /// One Vector or Codes per input, then the target, then the row weights.
  std::vector<Datum> columns;
  /// TAMRT_INPUT_PARAMETERS numbers per input, then the penalties' strengths.
  Vector parameters;
  /// The learnt or drawn tables of the model's terms; tables of integers are
  /// matrices, too.
  std::vector<Datum> tables = {};
};

/// Runs the functions of a model by their slots.
class Model {
public:
  /// Accumulators by their slot's offset.
  using State = std::map<int64_t, Datum>;

  explicit Model(mlir::ModuleOp module) : module(module) {}

  /// The coefficients: @fit, or after row tiling the three steps of it, with
  /// chunks of `chunkRows` rows (0: one chunk of all rows). If there is no such
  /// function, uses the functions of conjugate gradients.
  mlir::FailureOr<Vector> fit(const Group &group, int64_t chunkRows = 0);

  /// Whether there is a function @name, or its three steps.
  bool has(llvm::StringRef name);
  /// The output of the function @name, which sums over rows, or of its three
  /// steps; `coefficients` if it reads them. Values that it passes to others
  /// are added to `state`.
  mlir::FailureOr<Vector> reduce(llvm::StringRef name, const Group &group,
                                 int64_t chunkRows, const Vector &coefficients,
                                 State &state);
  /// The output of @precondition, or another function of its kind, for the
  /// residual `r`, with the state of the corresponding @cg.
  mlir::FailureOr<Vector> precondition(const Group &group, const Vector &r,
                                       State &state,
                                       llvm::StringRef name = "precondition");
  /// Whether @name has results with the slot `inference`, or @name_infer.
  bool infers(llvm::StringRef name);
  /// These results, one after another.
  mlir::FailureOr<Vector> infer(llvm::StringRef name, const Group &group,
                                int64_t chunkRows);
  /// The predictions, the effects and the design matrix; `coefficients` as
  /// returned by `fit`.
  mlir::FailureOr<Vector> predict(const Group &group,
                                  const Vector &coefficients);
  mlir::FailureOr<Matrix> terms(const Group &group, const Vector &coefficients);
  mlir::FailureOr<Matrix> design(const Group &group);
  /// The output of @variances for a matrix with the lower triangle `triangle`.
  mlir::FailureOr<Matrix> variances(const Group &group, const Vector &triangle);

  /// The operands of the last tam.solve.
  System system;

private:
  mlir::FailureOr<mlir::func::FuncOp> lookup(llvm::StringRef name);
  mlir::FailureOr<Vector> fitByCg(const Group &group, int64_t chunkRows);
  /// `reduce` with the results that have slots of `kind`, after row tiling
  /// those of the step whose name ends with `last`.
  mlir::FailureOr<Vector> reduce(llvm::StringRef name, const Group &group,
                                 int64_t chunkRows, const Vector &coefficients,
                                 State &state, tam::SlotKind kind,
                                 llvm::StringRef last);
  /// Runs a function on rows first..first+rows-1; results with the slot `state`
  /// go to `state`; results with slots of `kind` are returned, one after
  /// another (zeros where there are none).
  mlir::FailureOr<Datum> run(mlir::func::FuncOp function, const Group &group,
                             int64_t first, int64_t rows,
                             const Vector &coefficients, State &state,
                             tam::SlotKind kind = tam::SlotKind::Output);

  mlir::ModuleOp module;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_INTERPRETER_H
