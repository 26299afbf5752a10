//===- cuda/SolveLaunches.h - the solvers -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_SOLVELAUNCHES_H
#define TAMRT_BACKENDS_CUDA_SOLVELAUNCHES_H

#include "backends/cuda/Assemble.h"
#include "backends/cuda/Inference.h"
#include "backends/cuda/LaunchSupport.h"
#include "backends/cuda/Solve.h"
#include "backends/cuda/Sums.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Kernels of the normal equations and of the solvers.
template <class Launcher> class SolveKernels {
public:
  static void fill(tamrt_kernels &all) {
    all.assemble_matrix = assemble_matrix;
    all.penalty_values = penalty_values;
    all.add_penalty = add_penalty;
    all.assemble_vector = assemble_vector;
    all.cholesky_solve = cholesky_solve;
    all.cholesky_factor = cholesky_factor;
    all.cholesky_apply = cholesky_apply;
    all.diagonal_factor = diagonal_factor;
    all.diagonal_apply = diagonal_apply;
    all.multiply_penalty = multiply_penalty;
    all.multiply_learnt_penalty = multiply_learnt_penalty;
    all.cholesky_inverse = cholesky_inverse;
    all.column_means = column_means;
    all.effective_df = effective_df;
    all.penalty_trace = penalty_trace;
    all.quadratic_forms = quadratic_forms;
  }

private:
  using Context = tamrt_context;

  /// A block of assemble_matrix's table, which is a constant of the model, in
  /// memory of the CPU.
  struct MatrixBlock {
    int64_t form, width, rows, columns, row, column;
    /// Numbers of its sums, and of the table; 0 numbers of the table if the
    /// block is not valid.
    int64_t numbers = 0, length = 0;

    explicit MatrixBlock(const int64_t *t)
        : form(t[0]), width(t[1]), rows(t[2]), columns(t[3]), row(t[4]),
          column(t[5]), length(6) {
      const int64_t starts = rows - width + 1;
      switch (form) {
      case Full:
      case UpperTriangle:
        numbers = rows * columns;
        return;
      case Diagonal:
        numbers = rows;
        return;
      case Panels:
        numbers = starts * columns * wordSize(width);
        return;
      case UpperPanels:
        numbers = starts * (width / 2 + 1) * wordSize(width);
        return;
      case Frequencies:
        numbers = 2 * rows + 1;
        return;
      case CubicPanels:
        numbers = 8 * starts;
        return;
      case ProductPanels:
      case UpperProductPanels:
        if (width > 0 && width <= kMaxFactors) {
          const Factors factors(t, 6, width);
          length += 2 * width;
          numbers = factors.panels * (form == ProductPanels
                                          ? columns * wordSize(factors.numbers)
                                          : factors.pairNumbers());
          return;
        }
        [[fallthrough]];
      default:
        length = 0;
      }
    }

    bool isSquare() const {
      return form != Full && form != Panels && form != ProductPanels;
    }
    /// Whether both blocks may have a number of A in common.
    bool overlaps(const MatrixBlock &other) const {
      const auto area = [](const MatrixBlock &b, int64_t(&out)[4]) {
        const int64_t across = b.isSquare() ? b.rows : b.columns;
        const bool isTurned = b.row < b.column;
        out[0] = isTurned ? b.column : b.row;
        out[1] = out[0] + (isTurned ? across : b.rows);
        out[2] = isTurned ? b.row : b.column;
        out[3] = out[2] + (isTurned ? b.rows : across);
      };
      int64_t a[4], b[4];
      area(*this, a);
      area(other, b);
      return a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
    }
  };

  /// Entries of a penalty. Learnt ones have places in a list of weights, which
  /// are constants of the model.
  static Entries entries(Launcher &launch, const int32_t *row,
                         const int32_t *column, const double *value,
                         int64_t count, const int32_t *which = nullptr,
                         const double *weights = nullptr) {
    int64_t learnt = 0;
    for (int64_t p = 0; which && p < count; ++p)
      learnt = greatest(learnt, int64_t(which[p]) + 1);
    return {launch.buffer(row, count),
            launch.buffer(column, count),
            launch.buffer(value, count),
            count,
            launch.buffer(which, which ? count : 0),
            launch.buffer(weights, learnt)};
  }

  /// The lower triangle of the inverse of all effects' columns, which end
  /// before `ends`.
  static Buffer<const double> inverseOf(Launcher &launch, const double *inverse,
                                        const int64_t *ends, int64_t effects) {
    const int64_t n = effects > 0 ? ends[effects - 1] : 0;
    return launch.buffer(inverse, n * (n + 1) / 2);
  }

  static void assemble_matrix(Context *ctx, const int64_t *table,
                              const int32_t *penalty_row,
                              const int32_t *penalty_column,
                              const double *penalty_value,
                              const double *const *blocks, int64_t blocks_count,
                              int64_t group_rows, int64_t n, int64_t penalties,
                              double *a) {
    Launcher launch(ctx);
    const Buffer<double> matrix = launch.buffer(a, n * n);
    int64_t length = 0;
    for (int64_t i = 0; i < blocks_count; ++i) {
      const MatrixBlock block(table + length);
      if (block.length == 0)
        return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 1);
      length += block.length;
    }
    launch(gridFor(n * n), Zero{n * n, matrix});
    AssembleMatrix body = {launch.buffer(table, length), {}, {}, n, matrix};
    const auto flush = [&] {
      if (body.blocks.count > 0)
        launch(Grid{body.blocks.count * kAssembleBlocks, kThreads}, body);
      body.blocks.count = 0;
    };
    for (int64_t i = 0, at = 0; i < blocks_count; ++i) {
      const MatrixBlock block(table + at);
      bool isApart = body.blocks.count < kMaxList;
      for (int64_t k = 0; k < body.blocks.count; ++k)
        isApart &= !block.overlaps(MatrixBlock(table + body.entries[k]));
      if (!isApart)
        flush();
      body.entries[body.blocks.count] = at;
      body.blocks.buffers[body.blocks.count++] =
          launch.buffer(blocks[i], block.numbers);
      at += block.length;
    }
    flush();
    const auto scale = static_cast<double>(group_rows);
    launch(gridFor(n), AddPenalties{entries(launch, penalty_row, penalty_column,
                                            penalty_value, penalties),
                                    n, scale, matrix});
    launch(gridFor(n), AddFloor{n, TAMRT_PENALTY_FLOOR * scale, matrix});
  }

  /// `part` and `number` are constants of the model.
  static void penalty_values(Context *ctx, const int32_t *part,
                             const double *number, const double *strengths,
                             int64_t parts, int64_t sums, double *values) {
    Launcher launch(ctx);
    int64_t at = 0, numbers = 0, powers = 0;
    for (int64_t p = 0; p < parts; ++p) {
      const int64_t kind = part[at + 1];
      at += kind < 0 ? 3 : 2;
      numbers += kind >= 0;
      for (int64_t i = 0; i < (kind < 0 ? -1 - kind : kind); ++i)
        powers = greatest(powers, int64_t(part[at++]) + 1);
    }
    launch(Grid{1, 1}, PenaltyValues{launch.buffer(part, at),
                                     launch.buffer(number, numbers),
                                     launch.buffer(strengths, powers), parts,
                                     sums, launch.buffer(values, sums)});
  }

  static void assemble_vector(Context *ctx, const int64_t *table,
                              const double *const *blocks, int64_t blocks_count,
                              int64_t n, double *b) {
    Launcher launch(ctx);
    int64_t length = 0;
    for (int64_t i = 0; i < blocks_count; ++i) {
      const int64_t width = table[length];
      if (-width > kMaxFactors)
        return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 1);
      length += width < 0 ? 3 - 2 * width : 3;
    }
    AssembleVector body = {
        launch.buffer(table, length), {}, {}, launch.buffer(b, n)};
    const auto flush = [&] {
      if (body.blocks.count > 0)
        launch(Grid{body.blocks.count, kThreads}, body);
      body.blocks.count = 0;
    };
    for (int64_t i = 0, at = 0; i < blocks_count; ++i) {
      const int64_t width = table[at], count = table[at + 1];
      int64_t numbers = count;
      if (width < 0) {
        const Factors factors(table, at + 3, -width);
        numbers = factors.panels * wordSize(factors.numbers);
      } else if (width > 0) {
        numbers = (count - width + 1) * wordSize(width);
      }
      if (body.blocks.count == kMaxList)
        flush();
      body.entries[body.blocks.count] = at;
      body.blocks.buffers[body.blocks.count++] =
          launch.buffer(blocks[i], numbers);
      at += width < 0 ? 3 - 2 * width : 3;
    }
    flush();
  }

  static void cholesky_solve(Context *ctx, int64_t n, double *a, double *b,
                             double *workspace) {
    Launcher launch(ctx);
    launch(Grid{1, kSolveThreads, kSolveThreads / kWarp},
           CholeskySolve{
               n, launch.buffer(a, n * n), launch.buffer(b, n),
               launch.buffer(workspace, int64_t(TAMRT_SOLVE_WORKSPACE(n)))});
  }

  static void add_penalty(Context *ctx, const int32_t *penalty_row,
                          const int32_t *penalty_column,
                          const double *penalty_value, const int32_t *which,
                          const double *weights, int64_t group_rows, int64_t n,
                          int64_t penalties, double *a) {
    Launcher launch(ctx);
    launch(gridFor(n),
           AddPenalties{entries(launch, penalty_row, penalty_column,
                                penalty_value, penalties, which, weights),
                        n, static_cast<double>(group_rows),
                        launch.buffer(a, n * n)});
  }
  static void cholesky_factor(Context *ctx, int64_t n, int64_t column,
                              double *a, double *workspace) {
    Launcher launch(ctx);
    launch(Grid{1, kSolveThreads, kSolveThreads / kWarp},
           CholeskyFactor{
               n, column, launch.buffer(a, n * n),
               launch.buffer(workspace, int64_t(TAMRT_FACTOR_WORKSPACE(n)))});
  }
  static void cholesky_apply(Context *ctx, const double *a, const double *b,
                             int64_t n, double *x) {
    Launcher launch(ctx);
    launch(Grid{1, kSolveThreads, kSolveThreads / kWarp},
           CholeskyApply{launch.buffer(a, n * n), launch.buffer(b, n), n,
                         launch.buffer(x, n)});
  }
  static void diagonal_factor(Context *ctx, const int32_t *penalty_row,
                              const int32_t *penalty_column,
                              const double *penalty_value, const double *sums,
                              int64_t group_rows, int64_t n, int64_t column,
                              int64_t penalties, double *factor) {
    Launcher launch(ctx);
    const Buffer<double> numbers = launch.buffer(factor, n);
    const auto scale = static_cast<double>(group_rows);
    launch(gridFor(n),
           AssembleDiagonal{entries(launch, penalty_row, penalty_column,
                                    penalty_value, penalties),
                            launch.buffer(sums, sums ? n : 0), n, scale,
                            TAMRT_PENALTY_FLOOR * scale, numbers});
    launch(Grid{1, kSolveThreads, kSolveThreads / kWarp},
           DiagonalFactor{n, column, numbers});
  }
  static void diagonal_apply(Context *ctx, const double *factor,
                             const double *b, int64_t n, double *x) {
    Launcher launch(ctx);
    launch(gridFor(n),
           DiagonalApply{launch.buffer(factor, n), launch.buffer(b, n), n,
                         launch.buffer(x, n)});
  }
  static void multiply_penalty(Context *ctx, const int32_t *penalty_row,
                               const int32_t *penalty_column,
                               const double *penalty_value, const double *v,
                               int64_t group_rows, int64_t n, int64_t penalties,
                               double *q) {
    Launcher launch(ctx);
    const auto scale = static_cast<double>(group_rows);
    launch(gridFor(n),
           MultiplyPenalties{entries(launch, penalty_row, penalty_column,
                                     penalty_value, penalties),
                             launch.buffer(v, n), n, scale,
                             TAMRT_PENALTY_FLOOR * scale, launch.buffer(q, n)});
  }
  static void cholesky_inverse(Context *ctx, int64_t n, double *a,
                               double *inverse, double *numbers,
                               double *workspace) {
    Launcher launch(ctx);
    launch(Grid{1, kSolveThreads, kSolveThreads / kWarp},
           CholeskyInverse{
               n, launch.buffer(a, n * n),
               launch.buffer(inverse, n * (n + 1) / 2),
               launch.buffer(numbers, 2),
               launch.buffer(workspace, int64_t(TAMRT_INVERSE_WORKSPACE(n)))});
  }
  static void column_means(Context *ctx, const double *a, int64_t group_rows,
                           int64_t n, double *means) {
    Launcher launch(ctx);
    launch(gridFor(n), ColumnMeans{launch.buffer(a, n * n), n,
                                   static_cast<double>(group_rows),
                                   launch.buffer(means, n)});
  }
  /// `ends` is a constant of the model.
  static void effective_df(Context *ctx, const int64_t *ends,
                           const double *inverse, int64_t group_rows,
                           int64_t effects, double *edf) {
    Launcher launch(ctx);
    launch(gridFor(effects),
           EffectiveDf{launch.buffer(ends, effects),
                       inverseOf(launch, inverse, ends, effects), effects,
                       TAMRT_PENALTY_FLOOR * static_cast<double>(group_rows),
                       launch.buffer(edf, effects)});
  }
  static void penalty_trace(Context *ctx, const int64_t *ends,
                            const int32_t *penalty_row,
                            const int32_t *penalty_column,
                            const double *penalty_value, const int32_t *which,
                            const double *weights, const double *inverse,
                            int64_t group_rows, int64_t effects,
                            int64_t penalties, double *edf) {
    Launcher launch(ctx);
    launch(gridFor(effects),
           PenaltyTrace{launch.buffer(ends, effects),
                        entries(launch, penalty_row, penalty_column,
                                penalty_value, penalties, which, weights),
                        inverseOf(launch, inverse, ends, effects), effects,
                        static_cast<double>(group_rows),
                        launch.buffer(edf, effects)});
  }
  static void quadratic_forms(Context *ctx, const double *values,
                              const int32_t *index, const int64_t *ends,
                              const double *triangle, int64_t rows, int64_t z,
                              int64_t effects, double *out) {
    Launcher launch(ctx);
    launch(gridFor(rows),
           QuadraticForms{
               launch.buffer(values, rows * z), launch.buffer(index, rows * z),
               launch.buffer(ends, effects), launch.rest(triangle), rows, z,
               effects, launch.buffer(out, rows * (1 + effects))});
  }
  static void multiply_learnt_penalty(Context *ctx, const int32_t *penalty_row,
                                      const int32_t *penalty_column,
                                      const double *penalty_value,
                                      const int32_t *which,
                                      const double *weights, const double *v,
                                      int64_t group_rows, int64_t n,
                                      int64_t penalties, double *q) {
    Launcher launch(ctx);
    launch(gridFor(n),
           MultiplyPenalties{entries(launch, penalty_row, penalty_column,
                                     penalty_value, penalties, which, weights),
                             launch.buffer(v, n), n,
                             static_cast<double>(group_rows), 0.0,
                             launch.buffer(q, n)});
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_SOLVELAUNCHES_H
