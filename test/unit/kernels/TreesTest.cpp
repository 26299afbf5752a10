//===- kernels/TreesTest.cpp - tests of the leaves of trees ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Leaves of oblivious and flat trees against their definition.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <limits>

namespace tamrt::test {

namespace {

class TreesTest : public KernelTest {
protected:
  std::vector<int32_t> randomFeatures(int64_t count, int64_t d) {
    std::vector<int32_t> features(count);
    for (int32_t &f : features)
      f = static_cast<int32_t>(generator() % d);
    return features;
  }
};

TEST_F(TreesTest, Oblivious) {
  const int64_t rows = 40, d = 3, trees = 7;
  Doubles points = uniforms(rows * d);
  for (int64_t depth : {0, 1, 3, 5, 9}) {
    const std::vector<int32_t> features = randomFeatures(trees * depth, d);
    Doubles thresholds = uniforms(trees * depth);
    // A value on its threshold does not exceed it.
    if (depth > 0)
      points[2 * d + features[0]] = thresholds[0];
    std::vector<int32_t> index(rows * trees, -1);
    tamrt_tree_oblivious(&ctx, points.data(), features.data(),
                         thresholds.data(), nullptr, rows, d, trees, depth,
                         index.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t b = 0; b < trees; ++b) {
        int64_t leaf = 0;
        for (int64_t j = 0; j < depth; ++j)
          if (points[r * d + features[b * depth + j]] >
              thresholds[b * depth + j])
            leaf += int64_t(1) << j;
        ASSERT_EQ(index[r * trees + b], (b << depth) + leaf);
      }
  }
}

TEST_F(TreesTest, Flat) {
  const int64_t rows = 60, d = 2, trees = 5;
  for (int64_t leaves : {1, 2, 3, 5, 8, 33, 100}) {
    Doubles points = uniforms(rows * d, -1.2, 1.2);
    const std::vector<int32_t> features = randomFeatures(trees, d);
    Doubles thresholds = uniforms(trees * (leaves - 1));
    for (int64_t b = 0; b < trees; ++b)
      std::sort(thresholds.begin() + b * (leaves - 1),
                thresholds.begin() + (b + 1) * (leaves - 1));
    // Values on a threshold, and thresholds that are equal.
    for (int64_t i = 0; i < leaves - 1; ++i)
      points[i % rows * d + features[0]] = thresholds[i];
    if (leaves > 3)
      thresholds[1] = thresholds[2] = thresholds[0];
    std::vector<int32_t> index(rows * trees, -1);
    tamrt_tree_flat(&ctx, points.data(), features.data(), thresholds.data(),
                    nullptr, rows, d, trees, leaves, index.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t b = 0; b < trees; ++b) {
        int64_t leaf = 0;
        for (int64_t i = 0; i < leaves - 1; ++i)
          leaf +=
              thresholds[b * (leaves - 1) + i] < points[r * d + features[b]];
        ASSERT_EQ(index[r * trees + b], b * leaves + leaf)
            << "leaves " << leaves;
      }
  }
}

TEST_F(TreesTest, StaysInBounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Doubles points = {std::nan(""), infinity, -infinity};
  const std::vector<int32_t> features = {0, 0, 0};
  const Doubles thresholds = {-0.5, 0.0, 0.5};
  std::vector<int32_t> index(3);
  tamrt_tree_oblivious(&ctx, points.data(), features.data(), thresholds.data(),
                       nullptr, 3, 1, 1, 3, index.data());
  EXPECT_EQ(index, (std::vector<int32_t>{0, 7, 0}));
  tamrt_tree_flat(&ctx, points.data(), features.data(), thresholds.data(),
                  nullptr, 3, 1, 1, 4, index.data());
  EXPECT_EQ(index, (std::vector<int32_t>{0, 3, 0}));
}

TEST_F(TreesTest, SkipsRows) {
  const Doubles points = {0.9, 0.9}, only = {0.0, 0.1};
  const std::vector<int32_t> features = {0, 0};
  const Doubles thresholds = {0.1, 0.2};
  std::vector<int32_t> index(4, 99);
  tamrt_tree_oblivious(&ctx, points.data(), features.data(), thresholds.data(),
                       only.data(), 2, 1, 2, 1, index.data());
  EXPECT_EQ(index[2], 1);
  EXPECT_EQ(index[3], 3);
  tamrt_tree_flat(&ctx, points.data(), features.data(), thresholds.data(),
                  only.data(), 2, 1, 2, 2, index.data());
  EXPECT_EQ(index[2], 1);
  EXPECT_EQ(index[3], 3);
  // All columns of a skipped row are valid.
  EXPECT_TRUE(index[0] >= 0 && index[0] < 4 && index[1] >= 0 && index[1] < 4);
}

TEST_F(TreesTest, ArgumentsOutsideTheContract) {
  tamrt_tree_oblivious(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 1, 31,
                       nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 8);
  tamrt_tree_oblivious(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 1, -1,
                       nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 8);
  tamrt_tree_oblivious(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 2, 30,
                       nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 7);
  tamrt_tree_flat(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 1, 0,
                  nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 8);
  tamrt_tree_flat(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 3,
                  1'000'000'000, nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 7);
}

TEST_F(TreesTest, ObliviousLeavesOfAnyShape) {
  for (int64_t rows : {1, 7, 8, 63, 64, 65, 131})
    for (int64_t trees : {1, 15, 16, 17, 40})
      // More inputs than fit in a tile use other code.
      for (int64_t d : {1, 3, 32, 33})
        for (int64_t depth : {0, 1, 5}) {
          const Doubles points = uniforms(rows * d);
          Doubles thresholds = uniforms(trees * depth), only = uniforms(rows);
          std::vector<int32_t> features(size_t(trees * depth));
          for (size_t i = 0; i < features.size(); ++i)
            features[i] = int32_t(i * 7 % size_t(d));
          // A point on a threshold is not beyond it.
          if (depth > 0)
            thresholds[0] = points[size_t(features[0])];
          for (size_t r = 0; r < only.size(); r += 3)
            only[r] = 0.0;
          for (bool some : {false, true}) {
            std::vector<int32_t> index(size_t(rows * trees) + 1, -7);
            tamrt_tree_oblivious(&ctx, points.data(), features.data(),
                                 thresholds.data(),
                                 some ? only.data() : nullptr, rows, d, trees,
                                 depth, index.data());
            for (int64_t r = 0; r < rows; ++r)
              for (int64_t b = 0; b < trees; ++b) {
                int32_t leaf = int32_t(b) << depth;
                for (int64_t j = 0; j < depth; ++j)
                  leaf +=
                      (points[size_t(r * d + features[size_t(b * depth + j)])] >
                       thresholds[size_t(b * depth + j)])
                      << j;
                if (some && only[size_t(r)] == 0.0)
                  leaf = 0;
                ASSERT_EQ(index[size_t(r * trees + b)], leaf)
                    << rows << " rows, " << trees << " trees, " << d
                    << " inputs, depth " << depth << ": row " << r << ", tree "
                    << b;
              }
            ASSERT_EQ(index.back(), -7);
          }
        }
}

} // namespace

} // namespace tamrt::test
