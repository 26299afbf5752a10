//===- LayoutsTest.cpp - what encodings keep ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Layouts.h"

#include "Algebra.h"
#include "FeatureMaps.h"
#include "Random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;
using tam::SumsLayout;

namespace {

class LayoutsTest : public testing::Test {
protected:
  LayoutsTest() { context.loadDialect<tam::TamDialect>(); }

  tam::SumsAttr layout(SumsLayout kind, ArrayRef<int64_t> widths = {},
                       ArrayRef<int64_t> columns = {}) {
    return tam::SumsAttr::get(&context, kind, widths, columns);
  }

  /// Rows of B-splines at random points, including knots.
  Matrix splines(int64_t intervals, int64_t degree) {
    Matrix design(kRows, intervals + degree);
    for (size_t row = 0; row < kRows; ++row) {
      double x = random.flip() ? random.uniform(-1, 1)
                               : -1 + 2.0 / double(intervals) *
                                          double(random.integer(0, intervals));
      Vector values = splineRow(x, intervals, degree, -1, 1);
      std::copy(values.begin(), values.end(), &design.at(row, 0));
    }
    return design;
  }
  Matrix levels(size_t count) {
    Matrix design(kRows, count);
    for (size_t row = 0; row < kRows; ++row)
      design.at(row, random.integer(0, int64_t(count) - 1)) = 1;
    return design;
  }
  Matrix product(const Matrix &a, const Matrix &b) {
    Matrix design(kRows, a.columns * b.columns);
    for (size_t row = 0; row < kRows; ++row)
      for (size_t i = 0; i < a.columns; ++i)
        for (size_t j = 0; j < b.columns; ++j)
          design.at(row, i * b.columns + j) = a.at(row, i) * b.at(row, j);
    return design;
  }

  void expectSums(tam::SumsAttr layout, const Matrix &a, const Matrix &b,
                  int64_t intervals = 0) {
    Vector weights(kRows);
    for (double &weight : weights)
      weight = random.uniform(0.1, 3);
    Matrix start(a.columns, b.columns);
    start.at(0, 0) = 5;
    Matrix expected = start, actual = start;
    addGram(a, b, &weights, expected);
    ASSERT_EQ(std::nullopt,
              addThrough(layout, a, b, &weights, intervals, actual));
    for (size_t i = 0; i < expected.values.size(); ++i)
      EXPECT_NEAR(expected.values[i], actual.values[i], 1e-12) << i;
  }

  static constexpr size_t kRows = 40;
  MLIRContext context;
  Random random{7};
};

} // namespace

TEST_F(LayoutsTest, PanelsAddUp) {
  Matrix a = splines(6, 3), b = levels(4);
  expectSums(layout(SumsLayout::Panels, {4}), a, b);
  expectSums(layout(SumsLayout::TransposedPanels, {4}), b, a);
  Matrix ab = product(a, b);
  expectSums(layout(SumsLayout::Panels, {4, 1}, {9, 4}), ab, b);
}

TEST_F(LayoutsTest, UpperPanelsAddUp) {
  for (int64_t degree = 1; degree <= 4; ++degree) {
    Matrix a = splines(5, degree);
    expectSums(layout(SumsLayout::UpperPanels, {degree + 1}), a, a);
  }
  Matrix a = product(product(splines(3, 2), levels(3)), splines(4, 3));
  expectSums(layout(SumsLayout::UpperPanels, {3, 1, 4}, {5, 3, 7}), a, a);
}

// Whatever the spans: the first and the last have other polynomials.
TEST_F(LayoutsTest, CubicPanelsAddUp) {
  for (int64_t intervals = 1; intervals <= 9; ++intervals) {
    Matrix a = splines(intervals, 3);
    expectSums(layout(SumsLayout::CubicPanels, {4}), a, a, intervals);
  }
}

TEST_F(LayoutsTest, FrequenciesAddUp) {
  Matrix a(kRows, 10);
  for (size_t row = 0; row < kRows; ++row) {
    Vector values = fourierRow(random.uniform(-1, 1), 5, row % 2);
    std::copy(values.begin(), values.end(), &a.at(row, 0));
  }
  expectSums(layout(SumsLayout::Frequencies), a, a);
}

// A spline of degree 3 needs four numbers per row.
TEST_F(LayoutsTest, RefusesRowsWithoutWords) {
  Matrix a = splines(6, 3), sum(9, 9);
  EXPECT_TRUE(
      addThrough(layout(SumsLayout::UpperPanels, {3}), a, a, nullptr, 6, sum));
  EXPECT_EQ(Matrix(9, 9), sum);
  Matrix line(1, 2);
  line.values = {0.5, 2};
  Matrix square(2, 2);
  EXPECT_EQ(0u, addThrough(layout(SumsLayout::Frequencies), line, line, nullptr,
                           0, square));
}

TEST_F(LayoutsTest, CubicPanelsAreThoseOfASpline) {
  Matrix a = splines(6, 3);
  for (double &value : a.values)
    value = value * value;
  Matrix expected(9, 9), actual(9, 9);
  addGram(a, a, nullptr, expected);
  ASSERT_FALSE(addThrough(layout(SumsLayout::CubicPanels, {4}), a, a, nullptr,
                          6, actual));
  EXPECT_GT(std::abs(expected.at(3, 5) - actual.at(3, 5)), 1e-6);
}

TEST_F(LayoutsTest, Misfits) {
  Matrix design(2, 3);
  design.values = {0, 1, 0, 0.5, 0, 0.5};
  auto oneHot = tam::OneHotAttr::get(&context);
  EXPECT_EQ(1u, findMisfit(design, oneHot));
  EXPECT_EQ(1u, findMisfit(design, tam::BandedAttr::get(&context, 2)));
  EXPECT_EQ(std::nullopt,
            findMisfit(design, tam::BandedAttr::get(&context, 3)));
  EXPECT_EQ(1u, findMisfit(design, tam::SparseAttr::get(&context, 1)));
  EXPECT_EQ(std::nullopt,
            findMisfit(design, tam::SparseAttr::get(&context, 2)));
  EXPECT_EQ(0u, findMisfit(design, tam::MultiHotAttr::get(&context, 1, 0.5)));
  EXPECT_EQ(std::nullopt, findMisfit(design, tam::DenseAttr::get(&context)));
  // A row of the mean.
  design.values = {0.5, 0.5, 0, 0, 0, 0};
  EXPECT_EQ(std::nullopt, findMisfit(design, oneHot));
}
