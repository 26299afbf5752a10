//===- kernels/PairsTest.cpp - tests of sums of pairs of matrices ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// gram_pairs against gram_sparse_sparse, and assemble_pairs against the
/// elements of the matrix that they are.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "tamrt/steps.h"

namespace tamrt::test {

namespace {

using PairsTest = KernelTest;

/// Pairs in any order, some with the later matrix first.
constexpr int32_t kPairs[] = {2, 0, 1, 3, 0, 3, 3, 2};
constexpr int64_t kCount = std::size(kPairs) / 2;

TEST_F(PairsTest, HaveTheBitsOfSinglePairs) {
  // Rows in runs of four and others.
  const std::vector<std::pair<int64_t, int64_t>> shapes = {
      {4, 23}, {3, 7}, {16, 41}, {1, 5}};
  for (const int64_t rows : {0, 1, 130}) {
    std::vector<Matrix> all;
    std::vector<int64_t> sizes;
    std::vector<const void *> buffers;
    for (auto [z, n] : shapes) {
      all.push_back(randomMatrix(Encoding::Sparse, rows, n, z, generator));
      sizes.insert(sizes.end(), {z, n});
    }
    for (const Matrix &matrix : all) {
      buffers.push_back(matrix.values.data());
      buffers.push_back(matrix.index.data());
    }
    const Doubles weights = uniforms(rows);
    for (const double *w :
         {static_cast<const double *>(nullptr), weights.data()}) {
      // Sums that are there are added to; what lies between those of two pairs
      // is not touched.
      Doubles expected;
      for (int64_t k = 0; k < kCount; ++k)
        expected.resize(expected.size() + pairSize(all[kPairs[2 * k]].n,
                                                   all[kPairs[2 * k + 1]].n),
                        0.25 * static_cast<double>(k));
      Doubles sums = expected;
      double *own = expected.data();
      for (int64_t k = 0; k < kCount; ++k) {
        const Matrix &a = all[kPairs[2 * k]], &b = all[kPairs[2 * k + 1]];
        gram(&ctx, a, &b, w, 0, rows, own);
        own += pairSize(a.n, b.n);
      }
      tamrt_gram_pairs(&ctx, sizes.data(), kPairs, w, buffers.data(),
                       static_cast<int64_t>(buffers.size()), rows, kCount,
                       sums.data());
      EXPECT_EQ(sums, expected) << rows << " rows";
    }
  }
}

TEST_F(PairsTest, GoToTheirElementsOfTheMatrix) {
  const int64_t starts[] = {0, 3, 4, 9, 11};
  constexpr int64_t n = 11;
  Doubles sums, matrix = uniforms(n * n), expected = matrix;
  for (int64_t k = 0; k < kCount; ++k) {
    const int32_t i = kPairs[2 * k], j = kPairs[2 * k + 1];
    const int64_t rows = starts[i + 1] - starts[i];
    const int64_t columns = starts[j + 1] - starts[j];
    Doubles own = uniforms(rows * columns);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t row = starts[i] + r, column = starts[j] + c;
        expected[std::min(row, column) * n + std::max(row, column)] +=
            own[r * columns + c];
      }
    own.resize(pairSize(rows, columns), std::nan(""));
    sums.insert(sums.end(), own.begin(), own.end());
  }
  tamrt_assemble_pairs(&ctx, starts, kPairs, sums.data(), n, kCount,
                       matrix.data());
  EXPECT_EQ(matrix, expected);
}

} // namespace

} // namespace tamrt::test
