//===- cuda/Inference.h - the inverse, and what is made of it ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of standard errors and effective degrees of freedom (docs/math.md
/// section 8).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_INFERENCE_H
#define TAMRT_BACKENDS_CUDA_INFERENCE_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"
#include "backends/cuda/Solve.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Where element (i, k) of a symmetric matrix is in its lower triangle, row by
/// row.
TAMRT_BODY int64_t placeInTriangle(int64_t i, int64_t k) {
  return i < k ? k * (k + 1) / 2 + i : i * (i + 1) / 2 + k;
}

/// A thread for each column.
struct ColumnMeans {
  static constexpr const char *name = "column_means";
  static constexpr bool hasBarriers = false;

  Buffer<const double> a;
  int64_t n;
  double rows;
  Buffer<double> means;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(a);
    auto to = block.view(means);
    for (int64_t i = block.index(); i < n; i += block.total())
      to[i] = i == 0 ? 0.0 : from[i] / rows;
  }
};

/// A thread for each effect.
struct EffectiveDf {
  static constexpr const char *name = "effective_df";
  static constexpr bool hasBarriers = false;

  Buffer<const int64_t> ends;
  Buffer<const double> inverse;
  int64_t effects;
  double floor;
  Buffer<double> edf;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto end = block.view(ends);
    auto matrix = block.view(inverse);
    auto to = block.view(edf);
    for (int64_t e = block.index(); e < effects; e += block.total()) {
      const int64_t first = e > 0 ? end[e - 1] : 0, last = end[e];
      double trace = 0.0;
      for (int64_t i = first; i < last; ++i)
        trace += matrix[placeInTriangle(i, i)];
      to[e] = static_cast<double>(last - first) - floor * trace;
    }
  }
};

/// A thread for each effect reads all entries.
struct PenaltyTrace {
  static constexpr const char *name = "penalty_trace";
  static constexpr bool hasBarriers = false;

  Buffer<const int64_t> ends;
  Entries penalties;
  Buffer<const double> inverse;
  int64_t effects;
  double scale;
  Buffer<double> edf;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto end = block.view(ends);
    auto entries = penalties.view(block);
    auto matrix = block.view(inverse);
    auto to = block.view(edf);
    for (int64_t e = block.index(); e < effects; e += block.total()) {
      const int64_t first = e > 0 ? end[e - 1] : 0, last = end[e];
      double sum = to[e];
      for (int64_t p = 0; p < penalties.count; ++p) {
        const int64_t row = entries.row[p], column = entries.column[p];
        const bool hasRow = row >= first && row < last;
        const bool hasColumn = column >= first && column < last;
        if (!hasRow && !hasColumn)
          continue;
        const double product =
            scale * entries.at(p) * matrix[placeInTriangle(row, column)];
        if (hasRow)
          sum -= product;
        if (hasColumn && row != column)
          sum -= product;
      }
      to[e] = sum;
    }
  }
};

/// A thread for each row.
struct QuadraticForms {
  static constexpr const char *name = "quadratic_forms";
  static constexpr bool hasBarriers = false;

  Buffer<const double> values;
  Buffer<const int32_t> index;
  Buffer<const int64_t> ends;
  Buffer<const double> triangle;
  int64_t rows, z, effects;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto numbers = block.view(values);
    auto columns = block.view(index);
    auto end = block.view(ends);
    auto matrix = block.view(triangle);
    auto to = block.view(out);
    for (int64_t r = block.index(); r < rows; r += block.total()) {
      double whole = 0.0;
      int64_t first = 0;
      for (int64_t e = 0; e < effects; ++e) {
        const int64_t last = end[e];
        double own = 0.0;
        for (int64_t i = first; i < last; ++i) {
          const double x = numbers[r * z + i];
          if (x == 0.0)
            continue;
          const int64_t column = columns[r * z + i];
          // The products with the numbers before count twice.
          double before = 0.0, same = 0.0;
          for (int64_t k = 0; k < i; ++k) {
            const double product =
                numbers[r * z + k] *
                matrix[placeInTriangle(column, columns[r * z + k])];
            if (k < first)
              before += product;
            else
              same += product;
          }
          own += x * (matrix[placeInTriangle(column, column)] * x + 2.0 * same);
          whole += x * 2.0 * before;
        }
        to[r * (1 + effects) + 1 + e] = own;
        whole += own;
        first = last;
      }
      to[r * (1 + effects)] = whole;
    }
  }
};

/// Scales A to a unit diagonal, factors and inverts it: one block of threads.
struct CholeskyInverse {
  static constexpr const char *name = "cholesky_inverse";
  static constexpr bool hasBarriers = true;

  int64_t n;
  Buffer<double> a, inverse, numbers, workspace;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = block.view(a), scales = block.view(workspace);
    auto out = block.view(inverse), to = block.view(numbers);
    Triangle<Block, ViewOf<Block, double>> triangle(block, matrix, n);
    // The first column whose diagonal element is not finite.
    double first = static_cast<double>(n);
    for (int64_t j = block.thread(); j < n; j += block.threads()) {
      const double pivot = matrix[j * (n + 1)];
      if (!isFinite(pivot))
        first = least(first, static_cast<double>(j));
      scales[j] = 1.0 / std::sqrt(pivot);
    }
    first = -triangle.greatestOf(-first);
    if (first < static_cast<double>(n)) {
      if (block.thread() == 0)
        block.fail(TAMRT_ERROR_OVERFLOW, static_cast<int64_t>(first));
      return;
    }
    for (int64_t k = block.thread(); k < n * n; k += block.threads()) {
      const int64_t row = k % n, column = k / n;
      const double x = matrix[k];
      if (row > column)
        matrix[k] = x * scales[column] * scales[row];
      else if (row == column && x > 0.0)
        matrix[k] = 1.0;
    }
    block.barrier();
    const double norm = normOf(block, triangle, [&](int64_t i, int64_t k) {
      return double(matrix[k * n + i]);
    });
    const int64_t failed = triangle.factor();
    if (failed >= 0) {
      if (block.thread() == 0)
        block.fail(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, failed);
      return;
    }
    double logs = 0.0;
    for (int64_t j = block.thread(); j < n; j += block.threads())
      logs += logarithm(scales[j] * matrix[j * (n + 1)]);
    logs = triangle.sumOf(logs);
    // L^-1 without its diagonal, above the diagonal: a thread for each column.
    for (int64_t j = block.thread(); j < n; j += block.threads())
      for (int64_t i = j + 1; i < n; ++i) {
        double sum = matrix[j * n + i] * matrix[j * (n + 1)];
        for (int64_t k = j + 1; k < i; ++k)
          sum += matrix[k * n + i] * matrix[k * n + j];
        matrix[i * n + j] = -sum * matrix[i * (n + 1)];
      }
    block.barrier();
    // L'^-1 L^-1.
    for (int64_t p = block.thread(); p < n * n; p += block.threads()) {
      const int64_t i = p / n, k = p % n;
      if (k > i)
        continue;
      double sum = 0.0;
      for (int64_t m = i; m < n; ++m)
        sum += matrix[m * n + i] * matrix[m * n + k];
      out[placeInTriangle(i, k)] = sum;
    }
    block.barrier();
    const double inverseNorm =
        normOf(block, triangle, [&](int64_t i, int64_t k) {
          return double(out[placeInTriangle(i, k)]);
        });
    if (block.thread() == 0) {
      to[0] = -2.0 * logs;
      to[1] = norm * inverseNorm;
    }
    for (int64_t p = block.thread(); p < n * n; p += block.threads())
      if (const int64_t i = p / n, k = p % n; k <= i)
        out[placeInTriangle(i, k)] *= scales[i] * scales[k];
  }

private:
  /// The 1-norm of a symmetric matrix from its elements (i, k), i >= k, which
  /// all threads may read; afterwards they may be changed.
  template <class Block, class Triangle, class Element>
  TAMRT_BODY double normOf(Block &block, Triangle &triangle,
                           Element element) const {
    double norm = 0.0;
    for (int64_t j = block.thread(); j < n; j += block.threads()) {
      double sum = 0.0;
      for (int64_t i = 0; i < n; ++i)
        sum += magnitude(i < j ? element(j, i) : element(i, j));
      norm = greatest(norm, sum);
    }
    return triangle.greatestOf(norm);
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_INFERENCE_H
