//===- core/run/GramSketch.cpp - a matrix from a few products -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/GramSketch.h"

#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Most vectors of a sketch.
constexpr int64_t kMaxVectors = 128;

/// Relative to the largest eigenvalue, the rounding error of small ones.
constexpr double kShift = 1e-15;

/// The step of splitmix64 from one state to the next, and its output.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;
uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// A pseudo-random sign for element k of vector i; each vector has its own
/// stream.
double signOf(int64_t i, int64_t k) {
  const uint64_t seed = mix(uint64_t(i + 1) * kGolden);
  return (mix(seed + uint64_t(k + 1) * kGolden) >> 63) != 0 ? 1.0 : -1.0;
}

/// y += factor * x.
void add(double factor, const double *__restrict x, double *__restrict y,
         int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    y[k] += factor * x[k];
}

} // namespace

int64_t alignedNumbers(int64_t count) {
  return alignedBytes(count * int64_t(sizeof(double))) /
         int64_t(sizeof(double));
}

double dot(const double *a, const double *b, int64_t n) {
  double partial[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      partial[k] += a[i + k] * b[i + k];
  double sum = ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
               ((partial[2] + partial[6]) + (partial[3] + partial[7]));
  for (; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

int64_t GramSketch::sizeFor(int64_t n) { return std::min(kMaxVectors, n / 4); }

int64_t GramSketch::numbersFor(int64_t n) {
  const int64_t rank = sizeFor(n);
  return rank * alignedNumbers(n) + alignedNumbers(rank * rank) +
         alignedNumbers(rank) + alignedNumbers(TAMRT_SOLVE_WORKSPACE(rank)) +
         alignedNumbers(n);
}

GramSketch::GramSketch(int64_t n, const double *weights, double *memory)
    : n(n), rank(sizeFor(n)), stride(alignedNumbers(n)), weights(weights),
      rows(memory), square(rows + rank * stride),
      small(square + alignedNumbers(rank * rank)),
      workspace(small + alignedNumbers(rank)),
      scratch(workspace + alignedNumbers(TAMRT_SOLVE_WORKSPACE(rank))) {}

void GramSketch::fill(int64_t i, double *v) const {
  for (int64_t k = 0; k < n; ++k)
    v[k] = signOf(i, k) / std::sqrt(weights[k]);
}

bool GramSketch::factor() {
  // The CPU computes the sketch in its own memory, so that it does not depend
  // on errors of a device's kernels. A failure is no error of the solve, which
  // continues without a sketch.
  tamrt_context context = {};
  context.kernels = &tamrt_cpu_kernels;
  std::fill_n(small, rank, 0.0);
  tamrt_cpu_kernels.cholesky_solve(&context, rank, square, small, workspace);
  return context.status == TAMRT_OK;
}

bool GramSketch::reduce() {
  double squares = 0;
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t k = 0; k < n; ++k)
      squares += product(i)[k] * product(i)[k] / weights[k];
  // A multiple of C, as small as rounding errors of N, keeps the small matrix
  // definite.
  const double shift = kShift * std::sqrt(squares);
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t k = 0; k < n; ++k)
      product(i)[k] += shift * std::sqrt(weights[k]) * signOf(i, k);
  for (int64_t i = 0; i < rank; ++i) {
    fill(i, scratch);
    for (int64_t j = 0; j <= i; ++j)
      square[j * rank + i] = dot(scratch, row(j), n);
  }
  if (!factor())
    return false;
  for (int64_t i = 0; i < rank; ++i) {
    for (int64_t j = 0; j < i; ++j)
      add(-square[j * rank + i], row(j), product(i), n);
    const double inverse = square[i * rank + i];
    for (int64_t k = 0; k < n; ++k)
      product(i)[k] *= inverse;
  }
  return true;
}

void GramSketch::take(int64_t j, const double *solved) {
  // Earlier rows have been replaced; their products with this row are known.
  for (int64_t i = j; i < rank; ++i)
    square[j * rank + i] = dot(row(i), solved, n) + (i == j ? 1.0 : 0.0);
  std::copy_n(solved, n, product(j));
}

bool GramSketch::close() {
  made = factor();
  return made;
}

void GramSketch::apply(const double *r, double *s) const {
  for (int64_t i = 0; i < rank; ++i) {
    double sum = dot(row(i), r, n);
    for (int64_t j = 0; j < i; ++j)
      sum -= square[j * rank + i] * small[j];
    small[i] = sum * square[i * rank + i];
  }
  for (int64_t i = rank - 1; i >= 0; --i) {
    double sum = small[i];
    for (int64_t j = i + 1; j < rank; ++j)
      sum -= square[i * rank + j] * small[j];
    small[i] = sum * square[i * rank + i];
  }
  for (int64_t i = 0; i < rank; ++i)
    add(-small[i], row(i), s, n);
}

} // namespace tamrt
