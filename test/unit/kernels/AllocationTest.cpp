//===- kernels/AllocationTest.cpp - kernels allocate nothing --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// No kernel allocates memory. The test counts calls of the allocation
/// functions and of mmap, from any thread and any library.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "support/AllocationCount.h"

namespace tamrt::test {

namespace {

class AllocationTest : public KernelTest {};

TEST_F(AllocationTest, AnAllocationIsCounted) {
  void *volatile kept = nullptr;
  EXPECT_EQ(allocationsIn([&] { kept = std::malloc(100); }), 1);
  std::free(kept);
  double *volatile number = nullptr;
  EXPECT_EQ(allocationsIn([&] { number = new double; }), 1);
  delete number;
}

TEST_F(AllocationTest, NoKernelAllocates) {
  const int64_t rows = 300, n = 40, k = 37, z = 4, m = 20, width = 50;
  const Doubles x = uniforms(rows, -2.0, 2.0), w = uniforms(rows, 0.0, 1.0);
  const double parameters[] = {0.0, 1.0, -1.0, 1.0};
  Doubles out(rows * width), dense(rows * n), banded(rows * z), column(rows);
  Doubles sums(2 * n * n), matrix(n * n), vector(n);
  std::vector<int32_t> start(rows), index(rows);
  const int64_t matrixTable[] = {1, 0, n, n, 0, 0};
  const int64_t vectorTable[] = {0, n, 0}, ends[] = {z, n};
  const double *blocks[] = {sums.data()};
  const double *X = x.data(), *W = w.data();
  double *D = dense.data(), *B = banded.data(), *S = sums.data();
  int32_t *t = start.data(), *i = index.data();
  const auto c = &ctx;
  // Sparse rows of z numbers, points of d coordinates, and tables.
  const int64_t d = 2;
  Doubles sparse(rows * z), wide(rows * 2 * z), layer(rows * n);
  std::vector<int32_t> column4(rows * z), column8(rows * 2 * z);
  Doubles points(rows * d), border(rows * d), inside(rows * d), amount(rows);
  const Doubles table = uniforms(d * n), bias = uniforms(n);
  const double range[] = {-1.0, 1.0}, gamma = 0.5;
  const std::vector<int32_t> zeros(n, 0);
  const double *inputs[] = {X, X}, *pairs[] = {X, parameters, X, parameters};
  const int64_t modes[] = {TAMRT_CONTINUE, TAMRT_SATURATION};
  Workspace workspace(
      std::max(TAMRT_LEAF_WORKSPACE(rows), int64_t(TAMRT_WIDE_WORKSPACE)));
  Doubles carry(z + 2);
  double *V = sparse.data();
  int32_t *v = column4.data();
  const int64_t pairSizes[] = {z, n, z, n}, pairStarts[] = {0, n / 2, n};
  const int32_t pairOf[] = {0, 1};
  const void *pairBuffers[] = {V, v, V, v};
  // An X-macro cannot provide arguments, but it can count, so that a kernel
  // added later is not forgotten here.
  int kernels = 0;
#define TAMRT_KERNEL(name, ...) ++kernels;
#include "tamrt/kernels.def"
  const std::vector<std::pair<const char *, std::function<void()>>> calls = {
      {"normalize",
       [&] { tamrt_normalize(c, X, parameters, rows, column.data()); }},
      {"offset", [&] { tamrt_offset(c, rows, column.data()); }},
      {"linear", [&] { tamrt_linear(c, X, rows, 3.0, 2, column.data()); }},
      {"linear_columns",
       [&] {
         tamrt_linear_columns(c, range, modes, pairs, 4, rows, points.data());
       }},
      {"fourier", [&] { tamrt_fourier(c, X, rows, m, 0, 2, D); }},
      {"chebyshev", [&] { tamrt_chebyshev(c, X, rows, n, 3, D); }},
      {"bspline",
       [&] { tamrt_bspline(c, X, parameters, rows, k, z - 1, 2, B, t); }},
      {"onehot", [&] { tamrt_onehot(c, X, rows, n, i); }},
      {"affine", [&] { tamrt_affine(c, X, rows, 3.0, D); }},
      {"wavelet", [&] { tamrt_wavelet(c, X, range, rows, 4, 10, 2, D); }},
      {"pid", [&] { tamrt_pid(c, X, rows, 0, rows, z, carry.data(), D); }},
      {"stack", [&] { tamrt_stack(c, inputs, d, rows, points.data()); }},
      {"slice",
       [&] { tamrt_slice(c, points.data(), rows, d, 1, 1, column.data()); }},
      {"boundary",
       [&] {
         tamrt_boundary(c, points.data(), rows, d, 2, border.data(),
                        inside.data(), amount.data());
       }},
      {"neural_layer",
       [&] {
         tamrt_neural_layer(c, points.data(), table.data(), bias.data(),
                            nullptr, rows, d, n, 2, 1.0, D);
       }},
      {"blend_dense",
       [&] {
         tamrt_blend_dense(c, D, D, amount.data(), rows, n, layer.data());
       }},
      {"radial",
       [&] {
         for (double nu : {0.0, 0.5, 1.5, 2.5, 0.7, 20.2, 500.0})
           tamrt_radial(c, points.data(), table.data(), &gamma, nullptr, rows,
                        d, n, nu, D);
       }},
      {"tree_oblivious",
       [&] {
         tamrt_tree_oblivious(c, points.data(), zeros.data(), table.data(),
                              nullptr, rows, d, z, 3, v);
       }},
      {"tree_flat",
       [&] {
         tamrt_tree_flat(c, points.data(), zeros.data(), table.data(), nullptr,
                         rows, d, z, 10, v);
       }},
      {"sparsify_dense",
       [&] { tamrt_sparsify_dense(c, D, rows, z, 0, z, 0, V, v); }},
      {"sparsify_banded",
       [&] { tamrt_sparsify_banded(c, B, t, rows, z, n, 0, z, 0, V, v); }},
      {"sparsify_onehot",
       [&] { tamrt_sparsify_onehot(c, i, rows, n, z, 0, z, 0, V, v); }},
      {"sparsify_multihot",
       [&] {
         tamrt_sparsify_multihot(c, column4.data(), rows, z, n, 0.5, 0, z, 0, V,
                                 column8.data());
       }},
      {"sparsify_sparse",
       [&] {
         tamrt_sparsify_sparse(c, V, column4.data(), rows, z, n, 0, 2 * z, z,
                               wide.data(), column8.data());
       }},
      {"blend_sparse",
       [&] {
         tamrt_blend_sparse(c, V, v, V, v, amount.data(), rows, z, n,
                            wide.data(), column8.data());
       }},
      {"kronecker_dense",
       [&] { tamrt_kronecker_dense(c, X, D, rows, 1, n, layer.data()); }},
      {"kronecker_sparse",
       [&] {
         tamrt_kronecker_sparse(c, V, v, X, zeros.data(), zeros.size(), z, n, 1,
                                1, wide.data(), column8.data());
       }},
      {"expand_multihot",
       [&] {
         tamrt_expand_multihot(c, v, rows, z, n, 0.5, width, 3, out.data());
       }},
      {"expand_sparse",
       [&] { tamrt_expand_sparse(c, V, v, rows, z, n, width, 3, out.data()); }},
      {"expand_dense",
       [&] { tamrt_expand_dense(c, D, rows, n, width, 3, out.data()); }},
      {"expand_banded",
       [&] { tamrt_expand_banded(c, B, t, rows, z, n, width, 3, out.data()); }},
      {"expand_onehot",
       [&] { tamrt_expand_onehot(c, i, rows, n, width, 3, out.data()); }},
      {"zero", [&] { tamrt_zero(c, n * n, S); }},
      {"join_sums", [&] { tamrt_join_sums(c, blocks, 1, n, S); }},
      {"move_sums", [&] { tamrt_move_sums(c, blocks, 1, n, S, out.data()); }},
      {"join_counts", [&] { tamrt_join_counts(c, D, n, 0.25, S); }},
      {"gram_wide",
       [&] { tamrt_gram_wide(c, D, W, rows, n, S, workspace.data()); }},
      {"gram_dense_wide",
       [&] {
         tamrt_gram_dense_wide(c, D, D, W, rows, n, n, S, workspace.data());
       }},
      {"gram_dense", [&] { tamrt_gram_dense(c, D, W, rows, n, S); }},
      {"gram_banded", [&] { tamrt_gram_banded(c, B, t, W, rows, z, n, S); }},
      {"gram_bands", [&] { tamrt_gram_bands(c, B, t, W, rows, z, 1, n, S); }},
      {"gram_bands_dense",
       [&] { tamrt_gram_bands_dense(c, B, t, D, W, rows, z, 1, n, n, S); }},
      {"gram_bands_banded",
       [&] {
         tamrt_gram_bands_banded(c, B, t, B, t, W, rows, z, 1, n, z, n, S);
       }},
      {"gram_banded_bands",
       [&] {
         tamrt_gram_banded_bands(c, B, t, B, t, W, rows, z, n, z, 1, n, S);
       }},
      {"gram_bands_bands",
       [&] {
         tamrt_gram_bands_bands(c, B, t, B, t, W, rows, z, 1, n, z, 1, n, S);
       }},
      {"gram_onehot_bands",
       [&] { tamrt_gram_onehot_bands(c, i, B, t, W, rows, n, z, 1, n, S); }},
      {"gram_multihot_bands",
       [&] {
         tamrt_gram_multihot_bands(c, v, B, t, W, rows, z, n, 0.5, z, 1, n, S);
       }},
      {"rhs_bands", [&] { tamrt_rhs_bands(c, B, t, X, W, rows, z, 1, n, S); }},
      {"sparsify_bands",
       [&] { tamrt_sparsify_bands(c, B, t, rows, z, 1, n, 0, z, 0, V, v); }},
      {"place_band",
       [&] { tamrt_place_band(c, B, t, rows, z, 0, 0, V, column8.data()); }},
      {"gram_onehot", [&] { tamrt_gram_onehot(c, i, W, rows, n, S); }},
      {"gram_dense_dense",
       [&] { tamrt_gram_dense_dense(c, D, D, W, rows, n, n, S); }},
      {"gram_banded_dense",
       [&] { tamrt_gram_banded_dense(c, B, t, D, W, rows, z, n, n, S); }},
      {"gram_banded_banded",
       [&] {
         tamrt_gram_banded_banded(c, B, t, B, t, W, rows, z, n, z, n, S);
       }},
      {"gram_onehot_dense",
       [&] { tamrt_gram_onehot_dense(c, i, D, W, rows, n, n, S); }},
      {"gram_onehot_banded",
       [&] { tamrt_gram_onehot_banded(c, i, B, t, W, rows, n, z, n, S); }},
      {"gram_onehot_onehot",
       [&] { tamrt_gram_onehot_onehot(c, i, i, W, rows, n, n, S); }},
      {"gram_sparse", [&] { tamrt_gram_sparse(c, V, v, W, rows, z, n, S); }},
      {"gram_multihot",
       [&] {
         tamrt_gram_multihot(c, v, W, rows, z, n, 0.5, S, workspace.data());
       }},
      {"gram_fourier", [&] { tamrt_gram_fourier(c, D, W, rows, 2 * m, S); }},
      {"gram_multihot_dense",
       [&] { tamrt_gram_multihot_dense(c, v, D, W, rows, z, n, 0.5, n, S); }},
      {"gram_multihot_banded",
       [&] {
         tamrt_gram_multihot_banded(c, v, B, t, W, rows, z, n, 0.5, z, n, S);
       }},
      {"gram_sparse_dense",
       [&] { tamrt_gram_sparse_dense(c, V, v, D, W, rows, z, n, n, S); }},
      {"gram_sparse_sparse",
       [&] {
         tamrt_gram_sparse_sparse(c, V, v, V, v, W, rows, z, n, z, n, S);
       }},
      {"gram_pairs",
       [&] {
         tamrt_gram_pairs(c, pairSizes, pairOf, W, pairBuffers, 4, rows, 1, S);
       }},
      {"squares_dense", [&] { tamrt_squares_dense(c, D, W, rows, n, S); }},
      {"rhs_sparse", [&] { tamrt_rhs_sparse(c, V, v, X, W, rows, z, n, S); }},
      {"rhs_multihot",
       [&] { tamrt_rhs_multihot(c, v, X, W, rows, z, n, 0.5, S); }},
      {"rhs_dense", [&] { tamrt_rhs_dense(c, D, X, W, rows, n, S); }},
      {"rhs_banded", [&] { tamrt_rhs_banded(c, B, t, X, W, rows, z, n, S); }},
      {"rhs_onehot", [&] { tamrt_rhs_onehot(c, i, X, W, rows, n, S); }},
      {"assemble_pairs",
       [&] { tamrt_assemble_pairs(c, pairStarts, pairOf, D, n, 1, S); }},
      {"zero and gram_dense, for what follows",
       [&] {
         tamrt_zero(c, n * n, S);
         tamrt_gram_dense(c, D, nullptr, rows, n, S);
       }},
      {"assemble_matrix",
       [&] {
         tamrt_assemble_matrix(c, matrixTable, nullptr, nullptr, nullptr,
                               blocks, 1, rows, n, 0, matrix.data());
       }},
      {"marginal",
       [&] {
         tamrt_marginal(c, zeros.data(), zeros.data(), D, 1, 1, vector.data());
       }},
      {"regrid",
       [&] { tamrt_regrid(c, X, parameters, rows, n, 0.1, column.data()); }},
      {"grid_points",
       [&] { tamrt_grid_points(c, parameters, n, 0.1, column.data()); }},
      {"expand_levels",
       [&] { tamrt_expand_levels(c, D, D, 2, n, z, n, out.data()); }},
      {"expand_counts", [&] { tamrt_expand_counts(c, D, D, D, n, n, n, S); }},
      {"penalty_values",
       [&] {
         tamrt_penalty_values(c, zeros.data(), range + 1, range + 1, 1, 1,
                              vector.data());
       }},
      {"add_penalty",
       [&] {
         tamrt_add_penalty(c, zeros.data(), zeros.data(), range + 1,
                           zeros.data(), range + 1, rows, n, 1, matrix.data());
       }},
      {"assemble_vector",
       [&] {
         tamrt_assemble_vector(c, vectorTable, blocks, 1, n, vector.data());
       }},
      {"cholesky_solve",
       [&] {
         tamrt_cholesky_solve(c, n, matrix.data(), vector.data(),
                              workspace.data());
       }},
      {"multiply_penalty",
       [&] {
         tamrt_multiply_penalty(c, zeros.data(), zeros.data(), range + 1, X,
                                rows, n, 1, vector.data());
       }},
      {"multiply_learnt_penalty",
       [&] {
         tamrt_multiply_learnt_penalty(c, zeros.data(), zeros.data(), range + 1,
                                       zeros.data(), range + 1, X, rows, n, 1,
                                       vector.data());
       }},
      {"cholesky_factor",
       [&] {
         tamrt_cholesky_factor(c, 1, 0, matrix.data(), workspace.data());
       }},
      {"cholesky_apply",
       [&] { tamrt_cholesky_apply(c, matrix.data(), X, n, vector.data()); }},
      {"diagonal_factor",
       [&] {
         tamrt_diagonal_factor(c, zeros.data(), zeros.data(), range + 1, W,
                               rows, n, 0, 1, matrix.data());
       }},
      {"diagonal_apply",
       [&] { tamrt_diagonal_apply(c, matrix.data(), X, n, vector.data()); }},
      {"cholesky_inverse",
       [&] {
         tamrt_assemble_matrix(c, matrixTable, nullptr, nullptr, nullptr,
                               blocks, 1, rows, n, 0, matrix.data());
         tamrt_cholesky_inverse(c, n, matrix.data(), layer.data(),
                                vector.data(), workspace.data());
       }},
      {"column_means",
       [&] { tamrt_column_means(c, matrix.data(), rows, n, vector.data()); }},
      {"effective_df",
       [&] {
         tamrt_effective_df(c, ends, layer.data(), rows, 2, vector.data());
       }},
      {"penalty_trace",
       [&] {
         tamrt_penalty_trace(c, ends, zeros.data(), zeros.data(), range + 1,
                             zeros.data(), range + 1, layer.data(), rows, 2, 1,
                             vector.data());
       }},
      {"quadratic_forms",
       [&] {
         tamrt_quadratic_forms(c, V, v, ends, layer.data(), rows, z, 1,
                               out.data());
       }},
      {"predict_dense",
       [&] {
         tamrt_predict_dense(c, D, vector.data(), rows, n, width, 1, 1,
                             out.data());
       }},
      {"predict_banded",
       [&] {
         tamrt_predict_banded(c, B, t, vector.data(), rows, z, n, width, 1, 0,
                              out.data());
       }},
      {"predict_onehot",
       [&] {
         tamrt_predict_onehot(c, i, vector.data(), rows, n, width, 1, 0,
                              out.data());
       }},
      {"predict_multihot",
       [&] {
         tamrt_predict_multihot(c, v, vector.data(), rows, z, n, 0.5, width, 1,
                                0, out.data());
       }},
      {"predict_sparse",
       [&] {
         tamrt_predict_sparse(c, V, v, vector.data(), rows, z, n, width, 1, 0,
                              out.data());
       }},
  };
  EXPECT_EQ(calls.size(), kernels + 1u);
  for (const auto &[name, call] : calls) {
    EXPECT_EQ(allocationsIn(call), 0) << name;
    EXPECT_EQ(ctx.status, TAMRT_OK) << name;
  }
}

TEST_F(AllocationTest, SolvingLargeSystemsAllocatesNothing) {
  for (int64_t n : {100, 500, 1500}) {
    Doubles a(n * n), b = uniforms(n), inverse(n * (n + 1) / 2);
    Workspace workspace(
        std::max(TAMRT_SOLVE_WORKSPACE(n), TAMRT_INVERSE_WORKSPACE(n)));
    for (int64_t i = 0; i < n; ++i)
      a[i * (n + 1)] = 2.0;
    EXPECT_EQ(allocationsIn([&] {
                tamrt_cholesky_solve(&ctx, n, a.data(), b.data(),
                                     workspace.data());
              }),
              0)
        << "n " << n;
    std::fill(a.begin(), a.end(), 0.0);
    for (int64_t i = 0; i < n; ++i)
      a[i * (n + 1)] = 2.0;
    EXPECT_EQ(allocationsIn([&] {
                tamrt_cholesky_inverse(&ctx, n, a.data(), inverse.data(),
                                       b.data(), workspace.data());
              }),
              0)
        << "n " << n;
  }
}

} // namespace

} // namespace tamrt::test
