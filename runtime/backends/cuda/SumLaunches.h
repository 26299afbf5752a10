//===- cuda/SumLaunches.h - sums over rows ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_SUMLAUNCHES_H
#define TAMRT_BACKENDS_CUDA_SUMLAUNCHES_H

#include "backends/cuda/LaunchSupport.h"
#include "backends/cuda/Levels.h"
#include "backends/cuda/PendingSums.h"
#include "backends/cuda/Sums.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Kernels of accumulators.
template <class Launcher> class SumKernels : LaunchSupport<Launcher> {
public:
  static void fill(tamrt_kernels &all) {
    all.zero = zero;
    all.join_sums = join_sums;
    all.move_sums = move_sums;
    all.join_counts = join_counts;
    all.gram_dense = gram_dense;
    all.gram_wide = gram_wide;
    all.gram_banded = gram_banded;
    all.gram_onehot = gram_onehot;
    all.gram_sparse = gram_sparse;
    all.gram_multihot = gram_multihot;
    all.gram_fourier = gram_fourier;
    all.gram_dense_dense = gram_dense_dense;
    all.gram_dense_wide = gram_dense_wide;
    all.gram_banded_dense = gram_banded_dense;
    all.gram_banded_banded = gram_banded_banded;
    all.gram_onehot_dense = gram_onehot_dense;
    all.gram_onehot_banded = gram_onehot_banded;
    all.gram_onehot_onehot = gram_onehot_onehot;
    all.gram_sparse_dense = gram_sparse_dense;
    all.gram_sparse_sparse = gram_sparse_sparse;
    all.gram_multihot_dense = gram_multihot_dense;
    all.gram_multihot_banded = gram_multihot_banded;
    all.squares_dense = squares_dense;
    all.rhs_dense = rhs_dense;
    all.rhs_banded = rhs_banded;
    all.rhs_onehot = rhs_onehot;
    all.rhs_sparse = rhs_sparse;
    all.rhs_multihot = rhs_multihot;
    all.marginal = marginal;
    all.regrid = regrid;
    all.grid_points = grid_points;
    all.expand_levels = expand_levels;
    all.expand_counts = expand_counts;
  }

private:
  using Context = tamrt_context;
  using LaunchSupport<Launcher>::dense;
  using LaunchSupport<Launcher>::banded;
  using LaunchSupport<Launcher>::oneHot;
  using LaunchSupport<Launcher>::multiHot;
  using LaunchSupport<Launcher>::sparse;
  using LaunchSupport<Launcher>::weightsOf;

  static void zero(Context *ctx, int64_t count, double *out) {
    Launcher launch(ctx);
    launch(gridFor(count), Zero{count, launch.buffer(out, count)});
  }

  /// Joins in the order of the list, some at a time; moves with the last ones.
  static void join(Context *ctx, const double *const *earlier, int64_t parts,
                   int64_t count, double *sums, double *out) {
    Launcher launch(ctx);
    for (int64_t first = 0; first == 0 || first < parts; first += kMaxList) {
      JoinSums body = {{}, count, launch.buffer(sums, count), {}};
      body.earlier.count = least(kMaxList, parts - first);
      for (int64_t i = 0; i < body.earlier.count; ++i)
        body.earlier.buffers[i] = launch.buffer(earlier[first + i], count);
      if (out && first + kMaxList >= parts)
        body.out = launch.buffer(out, count);
      launch(gridFor(count), body);
    }
  }
  static void join_sums(Context *ctx, const double *const *earlier,
                        int64_t earlier_count, int64_t count, double *sums) {
    join(ctx, earlier, earlier_count, count, sums, nullptr);
  }
  static void move_sums(Context *ctx, const double *const *earlier,
                        int64_t earlier_count, int64_t count, double *sums,
                        double *out) {
    join(ctx, earlier, earlier_count, count, sums, out);
  }
  static void join_counts(Context *ctx, const double *more, int64_t count,
                          double unit, double *sums) {
    Launcher launch(ctx);
    launch(gridFor(count), JoinCounts{launch.buffer(more, count), count, unit,
                                      launch.buffer(sums, count)});
  }

  template <class Left, class Right>
  static void products(Launcher &launch, const Left &a, const Right &b,
                       const double *w, int64_t rows, int64_t na, int64_t nb,
                       bool isUpper, double *sums, double unit = 0.0) {
    if (rows == 0)
      return;
    using Body = AddProducts<Left, Right>;
    const int64_t down = (na + kTile - 1) / kTile;
    const int64_t across = (nb + kTile - 1) / kTile;
    const Segments segments = launch.segments(rows);
    launch(Grid{down * across * segments.count, kTileThreads, kTileShared},
           Body{a, b, weightsOf(launch, w, rows), rows, na, nb, isUpper, unit,
                segments, launch.sums(sums, na * nb, unit)});
  }
  /// The same for factors, with others if they fit.
  template <class Left, class Right>
  static void products(Launcher &launch, const Left &a, const Right &b,
                       const Factor &left, const Factor &right, const double *w,
                       int64_t rows, int64_t na, int64_t nb, bool isUpper,
                       double *sums) {
    const RowProduct product = {
        left, right, weightsOf(launch, w, rows), rows, na, nb, isUpper};
    if (!product.fits())
      return products(launch, a, b, w, rows, na, nb, isUpper, sums);
    if (rows > 0)
      launch.add(product, launch.sums(sums, na * nb));
  }
  static Factor columns(const Dense &a) {
    return {Factor::Columns,
            static_cast<int32_t>(least(a.n, int64_t(kMostThreads) + 1)),
            a.values,
            {}};
  }
  static Factor band(const Banded &a) {
    return {Factor::Band, static_cast<int32_t>(a.z), a.values, a.start};
  }
  static Factor level(const OneHot &a) {
    return {Factor::Level, 1, {}, a.index};
  }
  template <class Matrix>
  static void squares(Launcher &launch, const Matrix &a, const double *w,
                      int64_t rows, int64_t n, double *sums,
                      double unit = 0.0) {
    products(launch, a, a, w, rows, n, n, /*isUpper=*/true, sums, unit);
  }
  template <class Matrix>
  static void column(Launcher &launch, const Matrix &a, const double *y,
                     const double *w, int64_t rows, int64_t n, double *sums) {
    if (rows == 0)
      return;
    const Segments segments = launch.segments(rows);
    launch(gridFor(n * segments.count),
           AddColumn<Matrix>{a, launch.buffer(y, rows),
                             weightsOf(launch, w, rows), rows, n, segments,
                             launch.sums(sums, n)});
  }
  template <class Matrix>
  static void column(Launcher &launch, const Matrix &a, const Factor &factor,
                     const double *y, const double *w, int64_t rows, int64_t n,
                     double *sums) {
    const Factor target = {Factor::Columns, 1, launch.buffer(y, rows), {}};
    const RowProduct product = {factor, target, weightsOf(launch, w, rows),
                                rows,   n,      1};
    if (!product.fits())
      return column(launch, a, y, w, rows, n, sums);
    if (rows > 0)
      launch.add(product, launch.sums(sums, n));
  }

  static void gram_dense(Context *ctx, const double *a, const double *w,
                         int64_t rows, int64_t n, double *sums) {
    Launcher launch(ctx);
    const Dense own = dense(launch, a, rows, n);
    products(launch, own, own, columns(own), columns(own), w, rows, n, n,
             /*isUpper=*/true, sums);
  }
  static void gram_wide(Context *ctx, const double *a, const double *w,
                        int64_t rows, int64_t n, double *sums, double *) {
    gram_dense(ctx, a, w, rows, n, sums);
  }
  static void gram_banded(Context *ctx, const double *a, const int32_t *a_start,
                          const double *w, int64_t rows, int64_t z, int64_t n,
                          double *sums) {
    Launcher launch(ctx);
    const Banded own = banded(launch, a, a_start, rows, z);
    products(launch, own, own, band(own), band(own), w, rows, n, n,
             /*isUpper=*/true, sums);
  }
  static void gram_onehot(Context *ctx, const int32_t *a, const double *w,
                          int64_t rows, int64_t n, double *sums) {
    if (rows == 0)
      return;
    Launcher launch(ctx);
    const OneHot own = oneHot(launch, a, rows);
    const RowProduct product = {
        level(own),         Factor(), weightsOf(launch, w, rows), rows, n, 1,
        /*isUpper=*/false,
        /*lacksMeans=*/true};
    if (product.fits())
      return launch.add(product, launch.sums(sums, n));
    const Segments segments = launch.segments(rows);
    launch(gridFor(n * segments.count),
           AddLevels{own.index, product.w, rows, n, segments,
                     launch.sums(sums, n)});
  }
  static void gram_sparse(Context *ctx, const double *a, const int32_t *a_index,
                          const double *w, int64_t rows, int64_t z, int64_t n,
                          double *sums) {
    Launcher launch(ctx);
    squares(launch, sparse(launch, a, a_index, rows, z), w, rows, n, sums);
  }
  /// Without weights the sums are counts.
  static void gram_multihot(Context *ctx, const int32_t *a, const double *w,
                            int64_t rows, int64_t z, int64_t n, double scale,
                            double *sums, double *) {
    Launcher launch(ctx);
    squares(launch, multiHot(launch, a, rows, z, w ? scale : 1.0), w, rows, n,
            sums, w ? 0.0 : scale * scale);
  }
  static void gram_fourier(Context *ctx, const double *a, const double *w,
                           int64_t rows, int64_t n, double *sums) {
    if (rows == 0)
      return;
    Launcher launch(ctx);
    const Segments segments = launch.segments(rows);
    launch(gridFor((n / 2 + 1) * segments.count),
           AddFrequencies{launch.buffer(a, rows * n),
                          weightsOf(launch, w, rows), rows, n / 2, segments,
                          launch.sums(sums, 2 * n + 1)});
  }
  static void gram_dense_dense(Context *ctx, const double *a, const double *b,
                               const double *w, int64_t rows, int64_t na,
                               int64_t nb, double *sums) {
    Launcher launch(ctx);
    const Dense left = dense(launch, a, rows, na);
    const Dense right = dense(launch, b, rows, nb);
    products(launch, left, right, columns(left), columns(right), w, rows, na,
             nb, false, sums);
  }
  static void gram_dense_wide(Context *ctx, const double *a, const double *b,
                              const double *w, int64_t rows, int64_t na,
                              int64_t nb, double *sums, double *) {
    gram_dense_dense(ctx, a, b, w, rows, na, nb, sums);
  }
  static void gram_banded_dense(Context *ctx, const double *a,
                                const int32_t *a_start, const double *b,
                                const double *w, int64_t rows, int64_t za,
                                int64_t na, int64_t nb, double *sums) {
    Launcher launch(ctx);
    const Banded left = banded(launch, a, a_start, rows, za);
    const Dense right = dense(launch, b, rows, nb);
    products(launch, left, right, band(left), columns(right), w, rows, na, nb,
             false, sums);
  }
  static void gram_banded_banded(Context *ctx, const double *a,
                                 const int32_t *a_start, const double *b,
                                 const int32_t *b_start, const double *w,
                                 int64_t rows, int64_t za, int64_t na,
                                 int64_t zb, int64_t nb, double *sums) {
    Launcher launch(ctx);
    const Banded left = banded(launch, a, a_start, rows, za);
    const Banded right = banded(launch, b, b_start, rows, zb);
    products(launch, left, right, band(left), band(right), w, rows, na, nb,
             false, sums);
  }
  static void gram_onehot_dense(Context *ctx, const int32_t *a, const double *b,
                                const double *w, int64_t rows, int64_t na,
                                int64_t nb, double *sums) {
    Launcher launch(ctx);
    const OneHot left = oneHot(launch, a, rows);
    const Dense right = dense(launch, b, rows, nb);
    products(launch, left, right, level(left), columns(right), w, rows, na, nb,
             false, sums);
  }
  static void gram_onehot_banded(Context *ctx, const int32_t *a,
                                 const double *b, const int32_t *b_start,
                                 const double *w, int64_t rows, int64_t na,
                                 int64_t zb, int64_t nb, double *sums) {
    Launcher launch(ctx);
    const OneHot left = oneHot(launch, a, rows);
    const Banded right = banded(launch, b, b_start, rows, zb);
    products(launch, left, right, level(left), band(right), w, rows, na, nb,
             false, sums);
  }
  static void gram_onehot_onehot(Context *ctx, const int32_t *a,
                                 const int32_t *b, const double *w,
                                 int64_t rows, int64_t na, int64_t nb,
                                 double *sums) {
    Launcher launch(ctx);
    const OneHot left = oneHot(launch, a, rows),
                 right = oneHot(launch, b, rows);
    products(launch, left, right, level(left), level(right), w, rows, na, nb,
             false, sums);
  }
  static void gram_sparse_dense(Context *ctx, const double *a,
                                const int32_t *a_index, const double *b,
                                const double *w, int64_t rows, int64_t za,
                                int64_t na, int64_t nb, double *sums) {
    Launcher launch(ctx);
    products(launch, sparse(launch, a, a_index, rows, za),
             dense(launch, b, rows, nb), w, rows, na, nb, false, sums);
  }
  static void gram_sparse_sparse(Context *ctx, const double *a,
                                 const int32_t *a_index, const double *b,
                                 const int32_t *b_index, const double *w,
                                 int64_t rows, int64_t za, int64_t na,
                                 int64_t zb, int64_t nb, double *sums) {
    Launcher launch(ctx);
    products(launch, sparse(launch, a, a_index, rows, za),
             sparse(launch, b, b_index, rows, zb), w, rows, na, nb, false,
             sums);
  }

  static void gram_multihot_dense(Context *ctx, const int32_t *a,
                                  const double *b, const double *w,
                                  int64_t rows, int64_t za, int64_t na,
                                  double scale, int64_t nb, double *sums) {
    Launcher launch(ctx);
    products(launch, multiHot(launch, a, rows, za, scale),
             dense(launch, b, rows, nb), w, rows, na, nb, false, sums);
  }
  static void gram_multihot_banded(Context *ctx, const int32_t *a,
                                   const double *b, const int32_t *b_start,
                                   const double *w, int64_t rows, int64_t za,
                                   int64_t na, double scale, int64_t zb,
                                   int64_t nb, double *sums) {
    Launcher launch(ctx);
    products(launch, multiHot(launch, a, rows, za, scale),
             banded(launch, b, b_start, rows, zb), w, rows, na, nb, false,
             sums);
  }

  static void squares_dense(Context *ctx, const double *a, const double *w,
                            int64_t rows, int64_t n, double *sums) {
    if (rows == 0)
      return;
    Launcher launch(ctx);
    const Segments segments = launch.segments(rows);
    launch(gridFor(n * segments.count),
           AddSquares{dense(launch, a, rows, n), weightsOf(launch, w, rows),
                      rows, n, segments, launch.sums(sums, n)});
  }

  static void rhs_dense(Context *ctx, const double *a, const double *y,
                        const double *w, int64_t rows, int64_t n,
                        double *sums) {
    Launcher launch(ctx);
    const Dense own = dense(launch, a, rows, n);
    column(launch, own, columns(own), y, w, rows, n, sums);
  }
  static void rhs_banded(Context *ctx, const double *a, const int32_t *a_start,
                         const double *y, const double *w, int64_t rows,
                         int64_t z, int64_t n, double *sums) {
    Launcher launch(ctx);
    const Banded own = banded(launch, a, a_start, rows, z);
    column(launch, own, band(own), y, w, rows, n, sums);
  }
  static void rhs_onehot(Context *ctx, const int32_t *a, const double *y,
                         const double *w, int64_t rows, int64_t n,
                         double *sums) {
    Launcher launch(ctx);
    const OneHot own = oneHot(launch, a, rows);
    column(launch, own, level(own), y, w, rows, n, sums);
  }
  static void rhs_sparse(Context *ctx, const double *a, const int32_t *a_index,
                         const double *y, const double *w, int64_t rows,
                         int64_t z, int64_t n, double *sums) {
    Launcher launch(ctx);
    column(launch, sparse(launch, a, a_index, rows, z), y, w, rows, n, sums);
  }

  static void rhs_multihot(Context *ctx, const int32_t *a, const double *y,
                           const double *w, int64_t rows, int64_t z, int64_t n,
                           double scale, double *sums) {
    Launcher launch(ctx);
    column(launch, multiHot(launch, a, rows, z, scale), y, w, rows, n, sums);
  }

  /// The tables are constants of the model, in memory of the CPU.
  static void marginal(Context *ctx, const int32_t *from, const int32_t *index,
                       const double *sums, int64_t n, int64_t size,
                       double *out) {
    Launcher launch(ctx);
    const int64_t words = n / size, listed = from[words];
    int64_t numbers = 0;
    for (int64_t k = from[0]; k < listed; ++k)
      numbers = greatest(numbers, index[k] + size);
    launch(gridFor(n),
           Marginal{launch.buffer(from, words + 1),
                    launch.buffer(index, listed), launch.buffer(sums, numbers),
                    words * size, size, launch.buffer(out, n)});
  }

  static void regrid(Context *ctx, const double *x, const double *parameters,
                     int64_t rows, int64_t levels, double step, double *out) {
    Launcher launch(ctx);
    launch(gridFor(rows),
           Regrid{launch.buffer(x, rows), launch.buffer(parameters, 2), rows,
                  levels, step, launch.buffer(out, rows)});
  }
  static void grid_points(Context *ctx, const double *parameters,
                          int64_t levels, double step, double *x) {
    Launcher launch(ctx);
    launch(gridFor(levels), GridPoints{launch.buffer(parameters, 2), levels,
                                       step, launch.buffer(x, levels)});
  }
  static void expand_levels(Context *ctx, const double *sums,
                            const double *basis, int64_t outer, int64_t levels,
                            int64_t inner, int64_t columns, double *out) {
    Launcher launch(ctx);
    const int64_t count = outer * columns * inner;
    launch(gridFor(count),
           ExpandLevels{launch.buffer(sums, outer * levels * inner),
                        launch.buffer(basis, levels * columns), outer, levels,
                        inner, columns, launch.buffer(out, count)});
  }
  static void expand_counts(Context *ctx, const double *counts, const double *a,
                            const double *b, int64_t levels, int64_t m,
                            int64_t n, double *out) {
    Launcher launch(ctx);
    launch(gridFor(m * n), ExpandCounts{launch.buffer(counts, levels),
                                        launch.buffer(a, levels * m),
                                        launch.buffer(b, levels * n), levels, m,
                                        n, launch.buffer(out, m * n)});
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_SUMLAUNCHES_H
