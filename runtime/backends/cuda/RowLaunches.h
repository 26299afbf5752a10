//===- cuda/RowLaunches.h - feature maps and predictions --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_ROWLAUNCHES_H
#define TAMRT_BACKENDS_CUDA_ROWLAUNCHES_H

#include "backends/cuda/Features.h"
#include "backends/cuda/LaunchSupport.h"
#include "backends/cuda/Points.h"
#include "backends/cuda/Predict.h"

#include "tamrt/abi.h"

#include <cmath>

namespace tamrt::cuda {

/// Kernels whose results have a row for each row: inputs, feature maps,
/// conversions of matrices, predictions.
template <class Launcher> class RowKernels : LaunchSupport<Launcher> {
public:
  static void fill(tamrt_kernels &all) {
    all.normalize = normalize;
    all.offset = offset;
    all.linear = linear;
    all.linear_columns = linear_columns;
    all.affine = affine;
    all.fourier = fourier;
    all.chebyshev = chebyshev;
    all.bspline = bspline;
    all.onehot = onehot;
    all.wavelet = wavelet;
    all.pid = pid;
    all.neural_layer = neural_layer;
    all.radial = radial;
    all.stack = stack;
    all.slice = slice;
    all.boundary = boundary;
    all.blend_dense = blend_dense;
    all.blend_sparse = blend_sparse;
    all.tree_oblivious = tree_oblivious;
    all.tree_flat = tree_flat;
    all.sparsify_dense = sparsify_dense;
    all.sparsify_banded = sparsify_banded;
    all.sparsify_onehot = sparsify_onehot;
    all.sparsify_multihot = sparsify_multihot;
    all.sparsify_sparse = sparsify_sparse;
    all.kronecker_dense = kronecker_dense;
    all.kronecker_sparse = kronecker_sparse;
    all.expand_dense = expand_dense;
    all.expand_banded = expand_banded;
    all.expand_onehot = expand_onehot;
    all.expand_sparse = expand_sparse;
    all.expand_multihot = expand_multihot;
    all.predict_dense = predict_dense;
    all.predict_banded = predict_banded;
    all.predict_onehot = predict_onehot;
    all.predict_sparse = predict_sparse;
    all.predict_multihot = predict_multihot;
  }

private:
  using Context = tamrt_context;
  using LaunchSupport<Launcher>::dense;
  using LaunchSupport<Launcher>::banded;
  using LaunchSupport<Launcher>::oneHot;
  using LaunchSupport<Launcher>::multiHot;
  using LaunchSupport<Launcher>::sparse;

  static void normalize(Context *ctx, const double *v, const double *parameters,
                        int64_t rows, double *x) {
    Launcher launch(ctx);
    launch(gridFor(rows),
           Normalize{launch.buffer(v, rows), launch.buffer(parameters, 2), rows,
                     launch.buffer(x, rows)});
  }

  static void offset(Context *ctx, int64_t rows, double *values) {
    Launcher launch(ctx);
    launch(gridFor(rows), Offset{rows, launch.buffer(values, rows)});
  }

  static void linear(Context *ctx, const double *x, int64_t rows, double scale,
                     int64_t mode, double *values) {
    Launcher launch(ctx);
    if (!isMode(mode))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    launch(gridFor(rows), Linear{launch.buffer(x, rows), rows, scale, mode,
                                 launch.buffer(values, rows)});
  }

  /// `scales` and `modes` are constants of the model, in memory of the CPU.
  static void linear_columns(Context *ctx, const double *scales,
                             const int64_t *modes, const double *const *inputs,
                             int64_t inputs_count, int64_t rows,
                             double *values) {
    Launcher launch(ctx);
    if (inputs_count % 2 != 0)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 3);
    const int64_t n = inputs_count / 2;
    for (int64_t j = 0; j < n; ++j)
      if (!isMode(modes[j]))
        return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 2);
    constexpr int64_t kMost = LinearColumns::kMost;
    for (int64_t first = 0; first < n; first += kMost) {
      LinearColumns body = {
          {}, {}, {}, rows, n, first, launch.buffer(values, rows * n)};
      const int64_t count = least(kMost, n - first);
      body.inputs.count = 2 * count;
      for (int64_t j = 0; j < count; ++j) {
        const double *const *input = inputs + 2 * (first + j);
        body.inputs.buffers[2 * j] = launch.buffer(input[0], rows);
        body.inputs.buffers[2 * j + 1] = launch.buffer(input[1], 2);
        body.scales[j] = scales[first + j];
        body.modes[j] = modes[first + j];
      }
      launch(gridFor(rows * count), body);
    }
  }

  static void affine(Context *ctx, const double *x, int64_t rows, double scale,
                     double *values) {
    Launcher launch(ctx);
    launch(gridFor(rows), Affine{launch.buffer(x, rows), rows, scale,
                                 launch.buffer(values, 2 * rows)});
  }

  static void fourier(Context *ctx, const double *x, int64_t rows, int64_t m,
                      int64_t cyclic, int64_t mode, double *values) {
    Launcher launch(ctx);
    if (!isMode(mode))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 5);
    launch(gridFor(rows * m),
           Fourier{launch.buffer(x, rows), rows, m, cyclic ? 1.0 : 0.5, mode,
                   launch.buffer(values, rows * 2 * m)});
  }

  static void chebyshev(Context *ctx, const double *x, int64_t rows,
                        int64_t degree, int64_t mode, double *values) {
    Launcher launch(ctx);
    if (!isMode(mode))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    launch(gridFor(rows), Chebyshev{launch.buffer(x, rows), rows, degree, mode,
                                    launch.buffer(values, rows * degree)});
  }

  static void bspline(Context *ctx, const double *x, const double *parameters,
                      int64_t rows, int64_t k, int64_t degree, int64_t mode,
                      double *values, int32_t *start) {
    Launcher launch(ctx);
    if (k < 1)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    if (degree < 0 || degree > kMaxDegree)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 5);
    if (!isMode(mode))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 6);
    launch(gridFor(rows),
           Bspline{launch.buffer(x, rows), launch.buffer(parameters, 4), rows,
                   k, degree, mode, launch.buffer(values, rows * (degree + 1)),
                   launch.buffer(start, rows)});
  }

  static void onehot(Context *ctx, const double *x, int64_t rows, int64_t n,
                     int32_t *index) {
    Launcher launch(ctx);
    launch(gridFor(rows),
           Onehot{launch.buffer(x, rows), rows, n, launch.buffer(index, rows)});
  }

  static void wavelet(Context *ctx, const double *x, const double *range,
                      int64_t rows, int64_t scales, int64_t locations,
                      int64_t mode, double *values) {
    Launcher launch(ctx);
    if (!isMode(mode))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 6);
    const int64_t numbers = rows * scales * locations;
    launch(gridFor(numbers),
           Wavelet{launch.buffer(x, rows), launch.buffer(range, 2), rows,
                   scales, locations, mode, launch.buffer(values, numbers)});
  }

  static void stack(Context *ctx, const double *const *x, int64_t x_count,
                    int64_t rows, double *points) {
    Launcher launch(ctx);
    for (int64_t first = 0; first < x_count; first += kMaxList) {
      Stack body = {
          {}, rows, x_count, first, launch.buffer(points, rows * x_count)};
      body.x.count = least(kMaxList, x_count - first);
      for (int64_t i = 0; i < body.x.count; ++i)
        body.x.buffers[i] = launch.buffer(x[first + i], rows);
      launch(gridFor(rows * body.x.count), body);
    }
  }

  static void slice(Context *ctx, const double *points, int64_t rows, int64_t d,
                    int64_t column, int64_t n, double *out) {
    Launcher launch(ctx);
    if (column < 0 || column > d)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    if (n < 0 || n > d - column)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 5);
    launch(gridFor(rows * n), Slice{launch.buffer(points, rows * d), rows, d,
                                    column, n, launch.buffer(out, rows * n)});
  }

  static void boundary(Context *ctx, const double *points, int64_t rows,
                       int64_t d, int64_t mode, double *border, double *inside,
                       double *amount) {
    Launcher launch(ctx);
    // `continue` has no border.
    if (!isMode(mode) || mode == TAMRT_CONTINUE)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    launch(gridFor(rows), Boundary{launch.buffer(points, rows * d), rows, d,
                                   mode, launch.buffer(border, rows * d),
                                   launch.buffer(inside, rows * d),
                                   launch.buffer(amount, rows)});
  }

  static void blend_dense(Context *ctx, const double *border,
                          const double *inside, const double *amount,
                          int64_t rows, int64_t n, double *values) {
    Launcher launch(ctx);
    launch(gridFor(rows * n), BlendDense{launch.buffer(border, rows * n),
                                         launch.buffer(inside, rows * n),
                                         launch.buffer(amount, rows), rows, n,
                                         launch.buffer(values, rows * n)});
  }

  static void blend_sparse(Context *ctx, const double *border,
                           const int32_t *border_index, const double *inside,
                           const int32_t *inside_index, const double *amount,
                           int64_t rows, int64_t z, int64_t, double *values,
                           int32_t *index) {
    Launcher launch(ctx);
    launch(gridFor(rows * z),
           BlendSparse{launch.buffer(border, rows * z),
                       launch.buffer(inside, rows * z),
                       launch.buffer(amount, rows),
                       launch.buffer(border_index, rows * z),
                       launch.buffer(inside_index, rows * z), rows, z,
                       launch.buffer(values, 2 * rows * z),
                       launch.buffer(index, 2 * rows * z)});
  }

  static void pid(Context *ctx, const double *x, int64_t rows, int64_t first,
                  int64_t group_rows, int64_t window, double *carry,
                  double *values) {
    Launcher launch(ctx);
    if (first < 0)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 3);
    if (group_rows < first + rows)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    if (window < 0)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 5);
    if (rows == 0)
      return;
    const PidRows part = {launch.buffer(x, rows), rows, first, window};
    const Buffer<double> kept = launch.buffer(carry, window + 2);
    const double divisor =
        window == 0 ? 1.0 : static_cast<double>(least(window, group_rows));
    launch(gridFor(part.endBlock() - part.firstBlock()),
           Pid{part,
               divisor,
               {kept.data, kept.count, kept.records},
               launch.buffer(values, 3 * rows)});
    launch(gridFor(greatest(window, int64_t(1))), PidCarry{part, kept});
  }

  static void neural_layer(Context *ctx, const double *h, const double *weights,
                           const double *bias, const double *only, int64_t rows,
                           int64_t d, int64_t n, int64_t activation,
                           double scale, double *values) {
    Launcher launch(ctx);
    if (activation < TAMRT_RELU || activation > TAMRT_TANH)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 8);
    launch(gridFor(rows * n),
           NeuralLayer{launch.buffer(h, rows * d),
                       launch.buffer(weights, d * n), launch.buffer(bias, n),
                       launch.buffer(only, only ? rows : 0), rows, d, n,
                       activation, scale, launch.buffer(values, rows * n)});
  }

  static void radial(Context *ctx, const double *points, const double *centers,
                     const double *gamma, const double *only, int64_t rows,
                     int64_t d, int64_t n, double nu, double *values) {
    Launcher launch(ctx);
    if (!(nu >= 0.0 && std::isfinite(nu)))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 8);
    // The difference of large numbers.
    const auto order = static_cast<long double>(nu);
    const auto logFactor = static_cast<double>(
        nu > 0.0 ? order * std::log(order) - std::lgamma(order) : 0.0L);
    launch(gridFor(rows * n),
           Radial{launch.buffer(points, rows * d),
                  launch.buffer(centers, n * d), launch.buffer(gamma, 1),
                  launch.buffer(only, only ? rows : 0), rows, d, n, nu,
                  logFactor, launch.buffer(values, rows * n)});
  }

  static void tree_oblivious(Context *ctx, const double *points,
                             const int32_t *features, const double *thresholds,
                             const double *only, int64_t rows, int64_t d,
                             int64_t trees, int64_t depth, int32_t *index) {
    Launcher launch(ctx);
    if (depth < 0 || depth > 30)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 8);
    if (trees < 0 || trees > INT32_MAX >> depth)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 7);
    launch(gridFor(rows * trees),
           Trees<ObliviousTree>{launch.buffer(points, rows * d),
                                launch.buffer(features, trees * depth),
                                launch.buffer(thresholds, trees * depth),
                                launch.buffer(only, only ? rows : 0),
                                rows,
                                d,
                                trees,
                                {depth},
                                launch.buffer(index, rows * trees)});
  }

  static void tree_flat(Context *ctx, const double *points,
                        const int32_t *features, const double *thresholds,
                        const double *only, int64_t rows, int64_t d,
                        int64_t trees, int64_t leaves, int32_t *index) {
    Launcher launch(ctx);
    if (leaves < 1)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 8);
    if (trees < 0 || trees > INT32_MAX / leaves)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 7);
    launch(gridFor(rows * trees),
           Trees<FlatTree>{launch.buffer(points, rows * d),
                           launch.buffer(features, trees),
                           launch.buffer(thresholds, trees * (leaves - 1)),
                           launch.buffer(only, only ? rows : 0),
                           rows,
                           d,
                           trees,
                           {leaves},
                           launch.buffer(index, rows * trees)});
  }

  template <class Matrix>
  static void sparsify(Launcher &launch, const Matrix &a, int64_t rows,
                       int64_t z, SparsePart part, double *values,
                       int32_t *index) {
    launch(gridFor(rows * z),
           Sparsify<Matrix>{a, rows, z, part,
                            launch.buffer(values, rows * part.width),
                            launch.buffer(index, rows * part.width)});
  }

  static void sparsify_dense(Context *ctx, const double *a, int64_t rows,
                             int64_t n, int64_t first, int64_t width,
                             int64_t at, double *values, int32_t *index) {
    Launcher launch(ctx);
    sparsify(launch, dense(launch, a, rows, n), rows, n, {first, width, at},
             values, index);
  }

  static void sparsify_banded(Context *ctx, const double *a,
                              const int32_t *a_start, int64_t rows, int64_t z,
                              int64_t, int64_t first, int64_t width, int64_t at,
                              double *values, int32_t *index) {
    Launcher launch(ctx);
    sparsify(launch, banded(launch, a, a_start, rows, z), rows, z,
             {first, width, at}, values, index);
  }

  static void sparsify_onehot(Context *ctx, const int32_t *a, int64_t rows,
                              int64_t, int64_t z, int64_t first, int64_t width,
                              int64_t at, double *values, int32_t *index) {
    Launcher launch(ctx);
    if (z < 1)
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 4);
    sparsify(launch, oneHot(launch, a, rows), rows, z, {first, width, at},
             values, index);
  }

  static void sparsify_multihot(Context *ctx, const int32_t *a, int64_t rows,
                                int64_t z, int64_t, double scale, int64_t first,
                                int64_t width, int64_t at, double *values,
                                int32_t *index) {
    Launcher launch(ctx);
    sparsify(launch, multiHot(launch, a, rows, z, scale), rows, z,
             {first, width, at}, values, index);
  }

  static void sparsify_sparse(Context *ctx, const double *a,
                              const int32_t *a_index, int64_t rows, int64_t z,
                              int64_t, int64_t first, int64_t width, int64_t at,
                              double *values, int32_t *index) {
    Launcher launch(ctx);
    sparsify(launch, sparse(launch, a, a_index, rows, z), rows, z,
             {first, width, at}, values, index);
  }

  static void kronecker_dense(Context *ctx, const double *a, const double *b,
                              int64_t rows, int64_t na, int64_t nb,
                              double *values) {
    Launcher launch(ctx);
    launch(gridFor(rows * na * nb),
           KroneckerDense{launch.buffer(a, rows * na),
                          launch.buffer(b, rows * nb), rows, na, nb,
                          launch.buffer(values, rows * na * nb)});
  }

  static void kronecker_sparse(Context *ctx, const double *a,
                               const int32_t *a_index, const double *b,
                               const int32_t *b_index, int64_t rows, int64_t za,
                               int64_t na, int64_t zb, int64_t nb,
                               double *values, int32_t *index) {
    Launcher launch(ctx);
    if (nb < 0 || (nb > 0 && na > INT32_MAX / nb))
      return launch.fail(TAMRT_ERROR_INVALID_ARGUMENT, 9);
    const int64_t numbers = rows * za * zb;
    launch(gridFor(numbers),
           KroneckerSparse{sparse(launch, a, a_index, rows, za),
                           sparse(launch, b, b_index, rows, zb), rows, nb,
                           launch.buffer(values, numbers),
                           launch.buffer(index, numbers)});
  }

  template <class Matrix>
  static void expand(Launcher &launch, const Matrix &a, int64_t rows, int64_t n,
                     int64_t width, int64_t column, double *out) {
    launch(gridFor(rows * n), Expand<Matrix>{a, rows, n, width, column,
                                             launch.buffer(out, rows * width)});
  }
  static void expand_dense(Context *ctx, const double *values, int64_t rows,
                           int64_t n, int64_t width, int64_t column,
                           double *out) {
    Launcher launch(ctx);
    expand(launch, dense(launch, values, rows, n), rows, n, width, column, out);
  }
  static void expand_banded(Context *ctx, const double *values,
                            const int32_t *start, int64_t rows, int64_t z,
                            int64_t n, int64_t width, int64_t column,
                            double *out) {
    Launcher launch(ctx);
    expand(launch, banded(launch, values, start, rows, z), rows, n, width,
           column, out);
  }
  static void expand_onehot(Context *ctx, const int32_t *index, int64_t rows,
                            int64_t n, int64_t width, int64_t column,
                            double *out) {
    Launcher launch(ctx);
    expand(launch, oneHot(launch, index, rows), rows, n, width, column, out);
  }
  static void expand_sparse(Context *ctx, const double *values,
                            const int32_t *index, int64_t rows, int64_t z,
                            int64_t n, int64_t width, int64_t column,
                            double *out) {
    Launcher launch(ctx);
    expand(launch, sparse(launch, values, index, rows, z), rows, n, width,
           column, out);
  }

  static void expand_multihot(Context *ctx, const int32_t *index, int64_t rows,
                              int64_t z, int64_t n, double scale, int64_t width,
                              int64_t column, double *out) {
    Launcher launch(ctx);
    expand(launch, multiHot(launch, index, rows, z, scale), rows, n, width,
           column, out);
  }

  template <class Matrix>
  static void predict(Launcher &launch, const Matrix &a, const double *beta,
                      int64_t rows, int64_t n, int64_t width, int64_t column,
                      int64_t accumulate, double *out) {
    launch(gridFor(rows),
           Predict<Matrix>{a, launch.buffer(beta, n), rows, width, column,
                           accumulate, launch.buffer(out, rows * width)});
  }
  static void predict_dense(Context *ctx, const double *a, const double *beta,
                            int64_t rows, int64_t n, int64_t width,
                            int64_t column, int64_t accumulate, double *out) {
    Launcher launch(ctx);
    predict(launch, dense(launch, a, rows, n), beta, rows, n, width, column,
            accumulate, out);
  }
  static void predict_banded(Context *ctx, const double *a,
                             const int32_t *a_start, const double *beta,
                             int64_t rows, int64_t z, int64_t n, int64_t width,
                             int64_t column, int64_t accumulate, double *out) {
    Launcher launch(ctx);
    predict(launch, banded(launch, a, a_start, rows, z), beta, rows, n, width,
            column, accumulate, out);
  }
  static void predict_onehot(Context *ctx, const int32_t *a, const double *beta,
                             int64_t rows, int64_t n, int64_t width,
                             int64_t column, int64_t accumulate, double *out) {
    Launcher launch(ctx);
    predict(launch, oneHot(launch, a, rows), beta, rows, n, width, column,
            accumulate, out);
  }
  static void predict_sparse(Context *ctx, const double *a,
                             const int32_t *a_index, const double *beta,
                             int64_t rows, int64_t z, int64_t n, int64_t width,
                             int64_t column, int64_t accumulate, double *out) {
    Launcher launch(ctx);
    predict(launch, sparse(launch, a, a_index, rows, z), beta, rows, n, width,
            column, accumulate, out);
  }
  static void predict_multihot(Context *ctx, const int32_t *a,
                               const double *beta, int64_t rows, int64_t z,
                               int64_t n, double scale, int64_t width,
                               int64_t column, int64_t accumulate,
                               double *out) {
    Launcher launch(ctx);
    predict(launch, multiHot(launch, a, rows, z, scale), beta, rows, n, width,
            column, accumulate, out);
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_ROWLAUNCHES_H
