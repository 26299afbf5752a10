//===- core/ConjugateGradientsTest.cpp - the matrix-free solver -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Iterations and sketches on a model whose steps multiply by a known matrix A
/// = N + C, where the eigenvalues of N decrease with the square of their index.
///
//===----------------------------------------------------------------------===//

#include "core/run/ConjugateGradients.h"

#include "core/device/AlignedBuffer.h"
#include "kernels/cpu/CpuKernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tamrt {
namespace {

using Doubles = std::vector<double>;

constexpr int64_t kColumns = 240, kRows = 10;

/// Data of the steps, which get no pointer to the test.
struct Equations {
  /// N, row by row; C's diagonal; the right-hand side.
  Doubles gram, penalty, rhs, sum;
  int64_t products = 0;
} theEquations;

void nothing(tamrt_context *, void *, void *, void *, const double *,
             const void *const *, const double *, const void *const *, double *,
             int64_t, int64_t, int64_t) {}

void finishRhs(tamrt_context *, void *, void *, void *, const double *,
               const void *const *, const double *, const void *const *,
               double *output, int64_t, int64_t, int64_t) {
  std::copy(theEquations.rhs.begin(), theEquations.rhs.end(), output);
}

void startProduct(tamrt_context *, void *, void *, void *, const double *,
                  const void *const *, const double *, const void *const *,
                  double *, int64_t, int64_t, int64_t) {
  theEquations.sum.assign(kColumns, 0.0);
}

/// A chunk adds its share of N v: as many of its rows as the chunk has.
void addProduct(tamrt_context *, void *, void *, void *, const double *,
                const void *const *, const double *v, const void *const *,
                double *, int64_t rows, int64_t first, int64_t) {
  theEquations.products += first == 0;
  for (int64_t i = first * kColumns / kRows;
       i < (first + rows) * kColumns / kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j)
      theEquations.sum[i] += theEquations.gram[i * kColumns + j] * v[j];
}

void finishProduct(tamrt_context *, void *, void *, void *, const double *,
                   const void *const *, const double *v, const void *const *,
                   double *output, int64_t rows, int64_t, int64_t) {
  // Penalties count once for each row of the group.
  for (int64_t i = 0; i < kColumns; ++i)
    output[i] = theEquations.sum[i] +
                theEquations.penalty[i] * double(rows) / double(kRows) * v[i];
}

/// The one factored effect is the first column.
void precondition(tamrt_context *, void *, void *, void *, const double *,
                  const void *const *, const double *r, const void *const *,
                  double *output, int64_t, int64_t, int64_t) {
  output[0] = r[0] / theEquations.penalty[0];
}

class ConjugateGradientsTest : public ::testing::Test {
protected:
  ConjugateGradientsTest() {
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    auto random = [&] {
      Doubles v(kColumns);
      for (double &value : v)
        value = normal(generator);
      return v;
    };
    theEquations.gram.assign(kColumns * kColumns, 0.0);
    for (int64_t e = 1; e <= kColumns; ++e) {
      const Doubles v = random();
      const double eigenvalue = 1e5 / double(e * e) / kColumns;
      for (int64_t i = 0; i < kColumns; ++i)
        for (int64_t j = 0; j < kColumns; ++j)
          theEquations.gram[i * kColumns + j] += eigenvalue * v[i] * v[j];
    }
    theEquations.penalty.assign(kColumns, 0.0);
    for (int64_t i = 0; i < kColumns; ++i)
      theEquations.penalty[i] = 1.0 + double(i % 3);
    // Within what N makes of something, as sums over rows are.
    theEquations.rhs.assign(kColumns, 0.0);
    const Doubles v = random();
    for (int64_t i = 0; i < kColumns; ++i)
      for (int64_t j = 0; j < kColumns; ++j)
        theEquations.rhs[i] += theEquations.gram[i * kColumns + j] * v[j];
    theEquations.products = 0;

    steps = {step(TAMRT_STEP_CG_INIT, nothing, 0),
             step(TAMRT_STEP_CG_CHUNK, nothing, 4),
             step(TAMRT_STEP_CG_FINISH, finishRhs, 0),
             step(TAMRT_STEP_APPLY_INIT, startProduct, 0),
             step(TAMRT_STEP_APPLY_CHUNK, addProduct, 4),
             step(TAMRT_STEP_APPLY_FINISH, finishProduct, 0),
             step(TAMRT_STEP_PRECONDITION, precondition, 0)};
    effects = {{"offset", "offset", 0, 1, 1, 0},
               {"x", "t(x)", 1, kColumns - 1, 0, 0}};
    model.columns = kColumns;
    model.step_count = int64_t(steps.size());
    model.steps = steps.data();
    model.effect_count = int64_t(effects.size());
    model.effects = effects.data();
  }

  static tamrt_step step(tamrt_step_kind kind, tamrt_step_function run,
                         int64_t rung) {
    tamrt_step result = {};
    result.kind = kind;
    result.rung_rows = rung;
    result.run = run;
    return result;
  }

  CgOutcome solve(const CgOptions &options) {
    memory = AlignedBuffer::allocate(size_t(cgVectorBytes(model)));
    place = {};
    place.context.kernels = &tamrt_cpu_kernels;
    place.vectors = memory.as<double>();
    auto setColumns = [](size_t, size_t) {};
    RungRunner runner(model, steps[4], place, kRows, 4, setColumns);
    return solveByCg(model, place, kRows, options, runner);
  }

  /// |b - A x| / |b|, of what the vectors hold.
  double trueResidual() const {
    double square = 0, norm = 0;
    for (int64_t i = 0; i < kColumns; ++i) {
      double rest =
          theEquations.rhs[i] - theEquations.penalty[i] * place.vectors[i];
      for (int64_t j = 0; j < kColumns; ++j)
        rest -= theEquations.gram[i * kColumns + j] * place.vectors[j];
      square += rest * rest;
      norm += theEquations.rhs[i] * theEquations.rhs[i];
    }
    return std::sqrt(square / norm);
  }

  std::vector<tamrt_step> steps;
  std::vector<tamrt_effect> effects;
  tamrt_model model = {};
  AlignedBuffer memory;
  Workplace place;
};

TEST_F(ConjugateGradientsTest, EveryPreconditionerSolves) {
  int64_t iterations[3];
  for (Preconditioner preconditioner :
       {Preconditioner::None, Preconditioner::Block, Preconditioner::Sketch}) {
    CgOptions options;
    options.preconditioner = preconditioner;
    const CgOutcome outcome = solve(options);
    ASSERT_TRUE(place.good());
    EXPECT_TRUE(outcome.converged);
    EXPECT_LT(outcome.residual, 1e-10);
    EXPECT_LT(trueResidual(), 1e-9);
    iterations[int(preconditioner)] = outcome.iterations;
  }
  // The sketch reduces the number of products, including its own and those
  // before it.
  EXPECT_LT(iterations[2], iterations[1]);
  EXPECT_GE(iterations[2], 2 * GramSketch::sizeFor(kColumns));
}

TEST_F(ConjugateGradientsTest, ProductsAreCounted) {
  CgOptions options;
  options.preconditioner = Preconditioner::Sketch;
  const CgOutcome outcome = solve(options);
  EXPECT_EQ(outcome.iterations, theEquations.products);
}

TEST_F(ConjugateGradientsTest, EndsAfterTheMostIterations) {
  for (int64_t most : {1, 70, 130}) {
    CgOptions options;
    options.maxIterations = most;
    options.preconditioner = Preconditioner::Sketch;
    const CgOutcome outcome = solve(options);
    EXPECT_FALSE(outcome.converged);
    EXPECT_EQ(outcome.iterations, most);
    EXPECT_TRUE(place.good());
  }
}

TEST_F(ConjugateGradientsTest, NothingToSolve) {
  theEquations.rhs.assign(kColumns, 0.0);
  const CgOutcome outcome = solve({});
  EXPECT_TRUE(outcome.converged);
  EXPECT_EQ(outcome.iterations, 0);
  EXPECT_EQ(Doubles(place.vectors, place.vectors + kColumns), theEquations.rhs);
}

TEST_F(ConjugateGradientsTest, UnitsDoNotMatter) {
  const int64_t iterations = solve({}).iterations;
  for (double &value : theEquations.rhs)
    value *= 0x1p-40;
  EXPECT_EQ(solve({}).iterations, iterations);
}

TEST_F(ConjugateGradientsTest, NumbersThatAreNotFiniteAreErrors) {
  theEquations.rhs[7] = std::numeric_limits<double>::infinity();
  solve({});
  EXPECT_EQ(place.context.status, TAMRT_ERROR_OVERFLOW);
  EXPECT_EQ(place.context.detail, 7);
  theEquations.rhs[7] = 1.0;
  theEquations.penalty[9] = std::numeric_limits<double>::infinity();
  solve({});
  EXPECT_EQ(place.context.status, TAMRT_ERROR_OVERFLOW);
  EXPECT_EQ(place.context.detail, 9);
}

// A direction along which A is nothing, against its floor: no step along it.
TEST_F(ConjugateGradientsTest, EndsWhereRoundingIsAllThereIs) {
  std::fill(theEquations.gram.begin(), theEquations.gram.end(), 0.0);
  theEquations.penalty.assign(kColumns, 1e-30);
  const CgOutcome outcome = solve({});
  EXPECT_FALSE(outcome.converged);
  EXPECT_EQ(outcome.iterations, 1);
  EXPECT_EQ(place.vectors[0], 0.0);
  EXPECT_TRUE(place.good());
}

} // namespace
} // namespace tamrt
