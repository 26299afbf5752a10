//===- InterpreterTest.cpp - functions of tam ops, executed -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/abi.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

namespace {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<func::FuncDialect, tam::TamDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        error = diagnostic.str();
    });
  }

  ModuleOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << error;
    return *module;
  }

  FailureOr<std::vector<Datum>> run(StringRef text, ArrayRef<Datum> arguments,
                                    std::vector<System> *systems = nullptr) {
    auto function = parse(text).lookupSymbol<func::FuncOp>("f");
    return interpret(function, arguments, systems);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
};

} // namespace

static Matrix matrix(size_t rows, size_t columns, Vector values) {
  Matrix m(rows, columns);
  m.values = std::move(values);
  return m;
}

TEST_F(InterpreterTest, NormalizeAndOffset) {
  auto results = run(R"(
    func.func @f(%n: index, %v: tensor<?xf64>, %p: tensor<4xf64>)
        -> (tensor<?xf64>, tensor<?x1xf64>) {
      %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
      %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
      %d = tam.design(%o : tensor<?x1xf64, #tam.dense>) : tensor<?x1xf64>
      return %x, %d : tensor<?xf64>, tensor<?x1xf64>
    })",
                     {Datum(int64_t(3)), Vector{10, 20, 40}, Vector{20, 10}});
  // Two numbers are not the four parameters of an input.
  ASSERT_TRUE(failed(results));
  EXPECT_EQ("expected argument 2 to fit 'tensor<4xf64>'", error);
  results =
      interpret(module->lookupSymbol<func::FuncOp>("f"),
                {Datum(int64_t(3)), Vector{10, 20, 40}, Vector{20, 10, -1, 1}});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((Vector{-1, 0, 2}), std::get<Vector>((*results)[0]));
  EXPECT_EQ(matrix(3, 1, {1, 1, 1}), std::get<Matrix>((*results)[1]));
}

TEST_F(InterpreterTest, FeatureMapsWhateverTheEncoding) {
  for (StringRef encoding : {"", ", #tam.dense", ", #tam.banded<2>"}) {
    std::string text = llvm::formatv(R"(
      func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) -> tensor<?x3xf64> {{
        %0 = tam.bspline %x, %p {{intervals = 2, degree = 1,
            extrapolate = #tam.extrapolate<constant>}
            : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64{0}>
        %1 = tam.design(%0 : tensor<?x3xf64{0}>) : tensor<?x3xf64>
        return %1 : tensor<?x3xf64>
      })",
                                     encoding);
    // The knots, [-2, 2], are not the range beyond which the mode sets in.
    auto results = run(text, {Vector{-1.5, 0, 0.5}, Vector{0, 0, -2, 2}});
    ASSERT_TRUE(succeeded(results));
    EXPECT_EQ(matrix(3, 3, {0.5, 0.5, 0, 0, 1, 0, 0, 0.75, 0.25}),
              std::get<Matrix>((*results)[0]));
  }
}

TEST_F(InterpreterTest, EveryOtherFeatureMap) {
  auto results = run(R"(
    func.func @f(%x: tensor<?xf64>, %c: tensor<?xi32>) -> tensor<?x12xf64> {
      %0 = tam.linear %x {scale = 2.0 : f64, extrapolate = #tam.extrapolate<saturation>} : tensor<?xf64> -> tensor<?x1xf64>
      %1 = tam.fourier %x {order = 1, cyclic} : tensor<?xf64> -> tensor<?x2xf64>
      %2 = tam.chebyshev %x {degree = 2} : tensor<?xf64> -> tensor<?x2xf64>
      %3 = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
      %4 = tam.levels %c {levels = 4} : tensor<?xi32> -> tensor<?x4xf64, #tam.one_hot>
      %5 = tam.design(%0, %1, %2, %3, %4 : tensor<?x1xf64>, tensor<?x2xf64>,
          tensor<?x2xf64>, tensor<?x3xf64, #tam.one_hot>,
          tensor<?x4xf64, #tam.one_hot>) : tensor<?x12xf64>
      return %5 : tensor<?x12xf64>
    })",
                     {Vector{0.5, 2}, Codes{3, TAMRT_INDEX_MEAN(4)}});
  ASSERT_TRUE(succeeded(results));
  const Matrix &d = std::get<Matrix>((*results)[0]);
  Vector expected{1, 0, 1, 0.5, -0.5, 0, 0, 1, 0, 0, 0, 1,
                  // Saturation: 2 + 2 (1 - e^-2) / 2.
                  2 + (1 - std::exp(-2.0)), 1, 0, 2, 7, 0, 0, 1, 0.25, 0.25,
                  0.25, 0.25};
  ASSERT_EQ(expected.size(), d.values.size());
  // (x+1)/2*2 = 1.5 rounds to the even 2.
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(expected[i], d.values[i], 1e-9) << i;
}

TEST_F(InterpreterTest, SumsHaveWhatTheirLayoutKeeps) {
  StringRef text = R"(
    func.func @f(%c: tensor<?xi32>, %y: tensor<?xf64>, %w: tensor<?xf64>)
        -> (tensor<2x2xf64, #tam.sums<diagonal>>,
            tensor<2x2xf64, #tam.sums<full>>,
            tensor<2xf64, #tam.sums<full>>) {
      %a = tam.levels %c {levels = 2} : tensor<?xi32> -> tensor<?x2xf64, #tam.one_hot>
      %z0 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
      %z1 = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
      %z2 = tam.zeros : tensor<2xf64, #tam.sums<full>>
      %0 = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
      %1 = tam.gram %a, %a weights %w : tensor<?xf64> into %z1 : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<full>>
      %2 = tam.rhs %a, %y weights %w : tensor<?xf64> into %z2 : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
      return %0, %1, %2 : tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x2xf64, #tam.sums<full>>, tensor<2xf64, #tam.sums<full>>
    })";
  // Unseen levels count as the mean (1/2 each) and as nothing. The mean adds
  // numbers outside the diagonal, which a diagonal cannot store.
  auto results = run(text, {Codes{0, 1, TAMRT_INDEX_MEAN(2), -1, 1},
                            Vector{1, 2, 4, 8, 16}, Vector{1, 1, 2, 1, 3}});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(matrix(2, 2, {1.25, 0, 0, 2.25}), std::get<Matrix>((*results)[0]));
  EXPECT_EQ(matrix(2, 2, {1.5, 0.5, 0.5, 4.5}),
            std::get<Matrix>((*results)[1]));
  EXPECT_EQ((Vector{1 + 4, 2 + 4 + 48}), std::get<Vector>((*results)[2]));
}

TEST_F(InterpreterTest, NormalEquations) {
  auto results =
      run(R"(
    func.func @f(%n: index, %g00: tensor<1x1xf64>, %g01: tensor<1x2xf64>,
                 %g11: tensor<2x2xf64>, %b0: tensor<1xf64>, %b1: tensor<2xf64>)
        -> (tensor<3x3xf64>, tensor<3xf64>) {
      %p0 = tam.penalty rows [0] columns [0] values [0.5]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %p1 = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
          : tensor<2x2xf64, #tam.coordinates<3>>
      %a = tam.normal_matrix %n blocks(%g00, %g01, %g11 : tensor<1x1xf64>,
          tensor<1x2xf64>, tensor<2x2xf64>) penalties(%p0, %p1
          : tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<2x2xf64, #tam.coordinates<3>>) : tensor<3x3xf64>
      %b = tam.normal_vector(%b0, %b1 : tensor<1xf64>, tensor<2xf64>)
          : tensor<3xf64>
      return %a, %b : tensor<3x3xf64>, tensor<3xf64>
    })",
          {Datum(int64_t(10)), matrix(1, 1, {7}), matrix(1, 2, {1, 2}),
           matrix(2, 2, {3, 4, 4, 5}), Vector{1}, Vector{2, 3}});
  ASSERT_TRUE(succeeded(results));
  double floor = 1e-6 * 10;
  Matrix expected = matrix(3, 3,
                           {7 + 5 + floor, 1, 2, 1, 3 + 10 + floor, 4 - 10, 2,
                            4 - 10, 5 + 10 + floor});
  for (size_t i = 0; i < 9; ++i)
    EXPECT_DOUBLE_EQ(expected.values[i],
                     std::get<Matrix>((*results)[0]).values[i]);
  EXPECT_EQ((Vector{1, 2, 3}), std::get<Vector>((*results)[1]));
}

// From the designs: the same as from their sums, bit for bit.
TEST_F(InterpreterTest, NormalEquationsOfDesigns) {
  StringRef arguments = R"(
    func.func @f(%n: index, %a: tensor<?x1xf64>, %b: tensor<?x2xf64>,
                 %y: tensor<?xf64>, %w: tensor<?xf64>)
        -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) {
      %p = tam.penalty rows [0] columns [0] values [0.5]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %q = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
          : tensor<2x2xf64, #tam.coordinates<3>>
  )";
  StringRef solution = R"(
      %x = tam.solve %m, %v : tensor<3x3xf64>, tensor<3xf64>
      return %m, %v, %x : tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>
    })";
  std::vector<Datum> values{Datum(int64_t(3)), matrix(3, 1, {1, 1, 0.3}),
                            matrix(3, 2, {0.1, 2, 0, 1, -1, 0.7}),
                            Vector{1, 0.2, 4}, Vector{1, 2, 0.1}};
  std::vector<System> systems, expectedSystems;
  auto results = run(arguments.str() + R"(
      %m, %v = tam.normal_equations %n
          designs(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>) y %y
          weights %w : tensor<?xf64>
          penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                    tensor<2x2xf64, #tam.coordinates<3>>)
          : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  )" + solution.str(),
                     values, &systems);
  auto expected = run(arguments.str() + R"(
      %z00 = tam.zeros : tensor<1x1xf64>
      %z01 = tam.zeros : tensor<1x2xf64>
      %z11 = tam.zeros : tensor<2x2xf64>
      %z0 = tam.zeros : tensor<1xf64>
      %z1 = tam.zeros : tensor<2xf64>
      %aa = tam.gram %a, %a weights %w : tensor<?xf64> into %z00
          : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
      %ab = tam.gram %a, %b weights %w : tensor<?xf64> into %z01
          : tensor<?x1xf64>, tensor<?x2xf64> -> tensor<1x2xf64>
      %bb = tam.gram %b, %b weights %w : tensor<?xf64> into %z11
          : tensor<?x2xf64>, tensor<?x2xf64> -> tensor<2x2xf64>
      %ay = tam.rhs %a, %y weights %w : tensor<?xf64> into %z0
          : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
      %by = tam.rhs %b, %y weights %w : tensor<?xf64> into %z1
          : tensor<?x2xf64>, tensor<?xf64> -> tensor<2xf64>
      %m = tam.normal_matrix %n blocks(%aa, %ab, %bb : tensor<1x1xf64>,
          tensor<1x2xf64>, tensor<2x2xf64>) penalties(%p, %q
          : tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<2x2xf64, #tam.coordinates<3>>) : tensor<3x3xf64>
      %v = tam.normal_vector(%ay, %by : tensor<1xf64>, tensor<2xf64>)
          : tensor<3xf64>
  )" + solution.str(),
                      values, &expectedSystems);
  ASSERT_TRUE(succeeded(results) && succeeded(expected));
  EXPECT_EQ(*expected, *results);
  ASSERT_EQ(1u, systems.size());
  ASSERT_EQ(1u, expectedSystems.size());
  EXPECT_EQ(3u, systems[0].gram.rows);
  EXPECT_EQ(expectedSystems[0].gram, systems[0].gram);

  // Fewer rows of the target than of the designs.
  values[3] = Vector{1, 2};
  EXPECT_TRUE(failed(run(arguments.str() + R"(
      %m, %v = tam.normal_equations %n
          designs(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>) y %y
          penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                    tensor<2x2xf64, #tam.coordinates<3>>)
          : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  )" + solution.str(),
                         values)));
}

// A = [4 2; 2 5] has the factor [2 0; 1 2]; A (1, 2) = (8, 12).
TEST_F(InterpreterTest, FactorAndSolve) {
  auto results = run(R"(
    func.func @f(%a: tensor<2x2xf64>, %b: tensor<2xf64>)
        -> (tensor<2x2xf64>, tensor<2xf64>) {
      %l = tam.factor %a : tensor<2x2xf64>
      %x = tam.factor_solve %l, %b : tensor<2x2xf64>, tensor<2xf64>
      return %l, %x : tensor<2x2xf64>, tensor<2xf64>
    })",
                     {matrix(2, 2, {4, 2, 2, 5}), Vector{8, 12}});
  ASSERT_TRUE(succeeded(results)) << error;
  EXPECT_EQ((Vector{2, 0, 1, 2}), std::get<Matrix>((*results)[0]).values);
  EXPECT_EQ((Vector{1, 2}), std::get<Vector>((*results)[1]));
}

TEST_F(InterpreterTest, FactorFailsAtTheOp) {
  auto results = run(R"(
    func.func @f(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
      %l = tam.factor %a : tensor<2x2xf64>
      return %l : tensor<2x2xf64>
    })",
                     {matrix(2, 2, {1, 1, 1, 1})});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'tam.factor' op expected a positive definite matrix, got pivot 1 "
            "that is not positive",
            error);
}

// T = 100000: 3 + 0.1 + 0.9 = 4 and 0.1 + 0.15 = 0.25, the second without sums;
// their inverse square roots are 1/2 and 2.
TEST_F(InterpreterTest, DiagonalFactorAndSolve) {
  auto results = run(R"(
    func.func @f(%n: index, %d: tensor<1xf64>, %b: tensor<1xf64>)
        -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
      %p = tam.penalty rows [0] columns [0] values [9.0e-6]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %q = tam.penalty rows [0] columns [0] values [1.5e-6]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %l = tam.diagonal_factor %n sums(%d : tensor<1xf64>) penalty %p
          : tensor<1x1xf64, #tam.coordinates<1>> -> tensor<1xf64>
      %m = tam.diagonal_factor %n penalty %q
          : tensor<1x1xf64, #tam.coordinates<1>> -> tensor<1xf64>
      %x = tam.diagonal_solve %m, %b : tensor<1xf64>
      return %l, %m, %x : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
    })",
                     {int64_t(100000), Vector{3}, Vector{5}});
  ASSERT_TRUE(succeeded(results)) << error;
  EXPECT_DOUBLE_EQ(0.5, std::get<Vector>((*results)[0])[0]);
  EXPECT_DOUBLE_EQ(2, std::get<Vector>((*results)[1])[0]);
  EXPECT_DOUBLE_EQ(20, std::get<Vector>((*results)[2])[0]);
}

TEST_F(InterpreterTest, DiagonalFactorFailsAtTheOp) {
  auto results = run(R"(
    func.func @f(%n: index, %d: tensor<2xf64>) -> tensor<2xf64> {
      %p = tam.penalty rows [] columns [] values []
          : tensor<2x2xf64, #tam.coordinates<0>>
      %l = tam.diagonal_factor %n sums(%d : tensor<2xf64>) penalty %p
          : tensor<2x2xf64, #tam.coordinates<0>> -> tensor<2xf64>
      return %l : tensor<2xf64>
    })",
                     {int64_t(10), Vector{1, -1}});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'tam.diagonal_factor' op expected a positive definite matrix, got "
            "pivot 1 that is not positive",
            error);
}

// Columns (v - 1) / 2 and 3 (v - 0) / 4, the second constant beyond [-1, 1];
// their squares, with weights 1 and 2, on top of 10.
TEST_F(InterpreterTest, LinearColumnsAndSquares) {
  auto results = run(R"(
    func.func @f(%v: tensor<?xf64>, %w: tensor<?xf64>, %p: tensor<4xf64>,
                 %q: tensor<4xf64>, %s: tensor<2xf64>)
        -> (tensor<?x2xf64>, tensor<2xf64>) {
      %a = tam.linear_columns(%v, %v : tensor<?xf64>, tensor<?xf64>)
          parameters(%p, %q : tensor<4xf64>, tensor<4xf64>) scales [1.0, 3.0]
          {extrapolate = [#tam.extrapolate<continue>,
                          #tam.extrapolate<constant>]}
          -> tensor<?x2xf64>
      %d = tam.squares %a weights %w : tensor<?xf64> into %s
          : tensor<?x2xf64> -> tensor<2xf64>
      return %a, %d : tensor<?x2xf64>, tensor<2xf64>
    })",
                     {Vector{3, 8}, Vector{1, 2}, Vector{1, 2, 0, 0},
                      Vector{0, 4, 0, 0}, Vector{10, 10}});
  ASSERT_TRUE(succeeded(results)) << error;
  EXPECT_EQ((Vector{1, 2.25, 3.5, 3}), std::get<Matrix>((*results)[0]).values);
  EXPECT_EQ((Vector{35.5, 33.0625}), std::get<Vector>((*results)[1]));
}

// T = 10: sums, ten times P v = (1, -1, 3 * 4), and the floor of v.
TEST_F(InterpreterTest, NormalProduct) {
  auto results =
      run(R"(
    func.func @f(%n: index, %s0: tensor<2xf64>, %s1: tensor<1xf64>,
                 %v: tensor<3xf64>) -> tensor<3xf64> {
      %p0 = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
          : tensor<2x2xf64, #tam.coordinates<3>>
      %p1 = tam.penalty rows [0] columns [0] values [3.0]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %q = tam.normal_product %n sums(%s0, %s1 : tensor<2xf64>, tensor<1xf64>)
          penalties(%p0, %p1 : tensor<2x2xf64, #tam.coordinates<3>>,
                    tensor<1x1xf64, #tam.coordinates<1>>)
          vector %v : tensor<3xf64>
      return %q : tensor<3xf64>
    })",
          {int64_t(10), Vector{100, 200}, Vector{300}, Vector{3, 2, 4}});
  ASSERT_TRUE(succeeded(results)) << error;
  const Vector &q = std::get<Vector>((*results)[0]);
  EXPECT_DOUBLE_EQ(100 + 10 + 3e-5, q[0]);
  EXPECT_DOUBLE_EQ(200 - 10 + 2e-5, q[1]);
  EXPECT_DOUBLE_EQ(300 + 120 + 4e-5, q[2]);
}

// T = 10, A = [20 2; 2 5], of which 10 (P + 1e-6 I) are penalties.
TEST_F(InterpreterTest, Inference) {
  StringRef text = R"(
    func.func @f(%n: index, %a: tensor<2x2xf64>)
        -> (tensor<2xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>,
            tensor<1xf64>) {
      %p0 = tam.penalty rows [0] columns [0] values [0.0]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %p1 = tam.penalty rows [0] columns [0] values [0.25]
          : tensor<1x1xf64, #tam.coordinates<1>>
      %m = tam.column_means %n matrix %a : tensor<2x2xf64> -> tensor<2xf64>
      %v, %c = tam.inverse %a : tensor<2x2xf64> -> tensor<3xf64>, tensor<2xf64>
      %e = tam.effective_df %n inverse %v : tensor<3xf64>
          penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                    tensor<1x1xf64, #tam.coordinates<1>>)
          columns [1, 1] -> tensor<2xf64>
      %both = tam.effective_df %n inverse %v : tensor<3xf64>
          penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                    tensor<1x1xf64, #tam.coordinates<1>>)
          columns [2] -> tensor<1xf64>
      return %m, %v, %c, %e, %both : tensor<2xf64>, tensor<3xf64>,
          tensor<2xf64>, tensor<2xf64>, tensor<1xf64>
    })";
  auto results = run(text, {int64_t(10), matrix(2, 2, {20, 2, 2, 5})});
  ASSERT_TRUE(succeeded(results)) << error;
  auto expect = [&](size_t index, const Vector &expected) {
    const Vector &actual = std::get<Vector>((*results)[index]);
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_DOUBLE_EQ(expected[i], actual[i]) << index << ", " << i;
  };
  // The mean of the offset is 0. |A| = 96.
  expect(0, {0, 0.2});
  expect(1, {5. / 96, -2. / 96, 20. / 96});
  expect(2, {std::log(96.0), 1.2 / 0.8});
  const double first = 1 - 10 * 1e-6 * 5 / 96,
               second = 1 - 10 * (0.25 + 1e-6) * 20 / 96;
  expect(3, {first, second});
  expect(4, {first + second});
  results = interpret(module->lookupSymbol<func::FuncOp>("f"),
                      {int64_t(10), matrix(2, 2, {1, 1, 1, 1})});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'tam.inverse' op expected a positive definite matrix, got pivot 1 "
            "that is not positive",
            error);
}

// V = [1 2 4; 2 3 5; 4 5 6].
TEST_F(InterpreterTest, QuadraticForms) {
  StringRef text = R"(
    func.func @f(%a: tensor<?x1xf64>, %b: tensor<?x2xf64>, %v: tensor<6xf64>)
        -> tensor<?x3xf64> {
      %q = tam.quadratic_forms(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
          triangle %v : tensor<6xf64> -> tensor<?x3xf64>
      return %q : tensor<?x3xf64>
    })";
  const Vector triangle{1, 2, 3, 4, 5, 6};
  auto results =
      run(text, {matrix(2, 1, {1, 2}), matrix(2, 2, {1, 0, -1, 1}), triangle});
  ASSERT_TRUE(succeeded(results)) << error;
  EXPECT_EQ(matrix(2, 3, {1 + 3 + 4, 1, 3, 4 - 1 + 8, 4, 3 - 10 + 6}),
            std::get<Matrix>((*results)[0]));
  results =
      run(text, {matrix(1, 1, {1}), matrix(2, 2, {1, 0, -1, 1}), triangle});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'tam.quadratic_forms' op expected operands of the same rows, got "
            "1 and 2",
            error);
}

TEST_F(InterpreterTest, SolveFailsAtTheOp) {
  auto results = run(R"(
    func.func @f(%a: tensor<2x2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
      %x = tam.solve %a, %b : tensor<2x2xf64>, tensor<2xf64>
      return %x : tensor<2xf64>
    })",
                     {matrix(2, 2, {1, 1, 1, 1}), Vector{1, 1}});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'tam.solve' op expected a positive definite matrix, got pivot 1 "
            "that is not positive",
            error);
}

TEST_F(InterpreterTest, PredictIsTheSumOfTheEffects) {
  auto results = run(R"(
    func.func @f(%a: tensor<?x1xf64>, %b: tensor<?x2xf64>, %x: tensor<1xf64>,
                 %y: tensor<2xf64>) -> (tensor<?xf64>, tensor<?x2xf64>) {
      %0 = tam.predict(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
          coefficients(%x, %y : tensor<1xf64>, tensor<2xf64>) : tensor<?xf64>
      %1 = tam.decompose(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
          coefficients(%x, %y : tensor<1xf64>, tensor<2xf64>)
          : tensor<?x2xf64>
      return %0, %1 : tensor<?xf64>, tensor<?x2xf64>
    })",
                     {matrix(2, 1, {1, 2}), matrix(2, 2, {1, 2, 3, 4}),
                      Vector{10}, Vector{-1, 0.5}});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((Vector{10, 19}), std::get<Vector>((*results)[0]));
  EXPECT_EQ(matrix(2, 2, {10, 0, 20, -1}), std::get<Matrix>((*results)[1]));
}

TEST_F(InterpreterTest, RefusesOtherDialects) {
  auto results = run(R"(
    func.func private @g()
    func.func @f() {
      func.call @g() : () -> ()
      return
    })",
                     {});
  EXPECT_TRUE(failed(results));
  EXPECT_EQ("'func.call' op expected an op of the tam dialect", error);
}

//===----------------------------------------------------------------------===//
// Whole models
//===----------------------------------------------------------------------===//

/// y ~ l(x), before and after row tiling.
static constexpr StringLiteral kModel = R"(
  func.func @fit(%n: index {tam.slot = #tam.slot<rows>},
      %v: tensor<?xf64> {tam.slot = #tam.slot<column, 0>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters, 0>},
      %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>})
      -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
    %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
    %0 = tam.offset %n : tensor<?x1xf64>
    %1 = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
    %z00 = tam.zeros : tensor<1x1xf64>
    %z01 = tam.zeros : tensor<1x1xf64>
    %z11 = tam.zeros : tensor<1x1xf64>
    %g00 = tam.gram %0, %0 into %z00 : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
    %g01 = tam.gram %0, %1 into %z01 : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
    %g11 = tam.gram %1, %1 into %z11 : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
    %r0 = tam.zeros : tensor<1xf64>
    %r1 = tam.zeros : tensor<1xf64>
    %b0 = tam.rhs %0, %y into %r0 : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
    %b1 = tam.rhs %1, %y into %r1 : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
    %p0 = tam.penalty rows [0] columns [0] values [0.0] : tensor<1x1xf64, #tam.coordinates<1>>
    %p1 = tam.penalty rows [0] columns [0] values [0.5] : tensor<1x1xf64, #tam.coordinates<1>>
    %a = tam.normal_matrix %n blocks(%g00, %g01, %g11 : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>) penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>, tensor<1x1xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
    %b = tam.normal_vector(%b0, %b1 : tensor<1xf64>, tensor<1xf64>) : tensor<2xf64>
    %beta = tam.solve %a, %b : tensor<2x2xf64>, tensor<2xf64>
    return %beta : tensor<2xf64>
  }
  func.func @predict(%n: index {tam.slot = #tam.slot<rows>},
      %v: tensor<?xf64> {tam.slot = #tam.slot<column, 0>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters, 0>},
      %c0: tensor<1xf64> {tam.slot = #tam.slot<coefficients, 0>},
      %c1: tensor<1xf64> {tam.slot = #tam.slot<coefficients, 8>})
      -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
    %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
    %0 = tam.offset %n : tensor<?x1xf64>
    %1 = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
    %y = tam.predict(%0, %1 : tensor<?x1xf64>, tensor<?x1xf64>)
        coefficients(%c0, %c1 : tensor<1xf64>, tensor<1xf64>) : tensor<?xf64>
    return %y : tensor<?xf64>
  }
)";

TEST_F(InterpreterTest, FitsAndPredictsByTheSlots) {
  Model model(parse(kModel));
  Group group{.rows = 4,
              .columns = {Vector{10, 20, 30, 40}, Vector{1, 2, 4, 9}},
              .parameters = {25, 15, -1, 1}};
  auto beta = model.fit(group);
  ASSERT_TRUE(succeeded(beta)) << error;
  // x = -1, -1/3, 1/3, 1: sums 4, 0, 20/9; y: 16, 26/3; 4 * 0.5 of penalty.
  EXPECT_NEAR(16 / (4 + 4e-6), (*beta)[0], 1e-12);
  EXPECT_NEAR(26. / 3 / (20. / 9 + 2 + 4e-6), (*beta)[1], 1e-12);
  auto y = model.predict(group, *beta);
  ASSERT_TRUE(succeeded(y)) << error;
  EXPECT_NEAR((*beta)[0] - (*beta)[1] / 3, (*y)[1], 1e-12);
}

// A fit's results for inference, one after another, before and after tiling.
TEST_F(InterpreterTest, InfersByTheSlots) {
  Model model(parse(R"(
    func.func @fit(%n: index {tam.slot = #tam.slot<rows>},
        %y: tensor<?xf64> {tam.slot = #tam.slot<column, 0>})
        -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
            tensor<1xf64> {tam.slot = #tam.slot<inference>},
            tensor<1xf64> {tam.slot = #tam.slot<inference, 64>}) {
      %0 = tam.offset %n : tensor<?x1xf64>
      %z = tam.zeros : tensor<1xf64>
      %b = tam.rhs %0, %y into %z : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
      %c = tam.normal_vector(%b, %b : tensor<1xf64>, tensor<1xf64>) : tensor<2xf64>
      return %b, %b, %b : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
    }
    func.func @other_init() {
      return
    }
    func.func @other_chunk(%n: index {tam.slot = #tam.slot<rows>}) {
      return
    }
    func.func @other_infer(%p: tensor<2xf64> {tam.slot = #tam.slot<parameters>},
        %q: tensor<1xf64> {tam.slot = #tam.slot<parameters, 16>})
        -> (tensor<2xf64> {tam.slot = #tam.slot<output>},
            tensor<1xf64> {tam.slot = #tam.slot<output, 64>}) {
      return %p, %q : tensor<2xf64>, tensor<1xf64>
    })"));
  Group group{.rows = 2, .columns = {Vector{1, 2}}, .parameters = {7, 8, 9}};
  EXPECT_TRUE(model.infers("fit"));
  EXPECT_TRUE(model.infers("other"));
  EXPECT_FALSE(model.infers("another"));
  auto fitted = model.fit(group), inferred = model.infer("fit", group, 0),
       other = model.infer("other", group, 1);
  ASSERT_TRUE(succeeded(fitted) && succeeded(inferred) && succeeded(other))
      << error;
  EXPECT_EQ((Vector{3}), *fitted);
  EXPECT_EQ((Vector{3, 3}), *inferred);
  EXPECT_EQ((Vector{7, 8, 9}), *other);
}

TEST_F(InterpreterTest, MissingDataIsAnErrorThatNamesTheSlot) {
  Model model(parse(kModel));
  Group group{
      .rows = 1, .columns = {Vector{10}}, .parameters = {25, 15, -1, 1}};
  EXPECT_TRUE(failed(model.fit(group)));
  EXPECT_EQ("expected data for argument 3, #tam.slot<column, 1>", error);
  EXPECT_TRUE(failed(model.design(group)));
  EXPECT_EQ("expected a function @design", error);
}
