//===- cuda/Solve.h - the direct solver -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of the penalties and of the Cholesky factorisation (docs/math.md
/// section 4). Assemble.h has those of the normal equations.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_SOLVE_H
#define TAMRT_BACKENDS_CUDA_SOLVE_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// One thread, because a part may read a sum of earlier ones.
struct PenaltyValues {
  static constexpr const char *name = "penalty_values";
  static constexpr bool hasBarriers = false;

  Buffer<const int32_t> part;
  Buffer<const double> number, strengths;
  int64_t parts, sums;
  Buffer<double> values;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto code = block.view(part);
    auto numbers = block.view(number), powers = block.view(strengths);
    auto to = block.view(values);
    if (block.index() != 0)
      return;
    for (int64_t i = 0; i < sums; ++i)
      to[i] = 0.0;
    int64_t at = 0, next = 0;
    for (int64_t p = 0; p < parts; ++p) {
      const int64_t sum = code[at], kind = code[at + 1];
      at += 2;
      double value = 0.0;
      if (kind < 0)
        value = to[code[at++]];
      else
        value = numbers[next++];
      const int64_t count = kind < 0 ? -1 - kind : kind;
      for (int64_t i = 0; i < count; ++i)
        value *= powers[code[at++]];
      to[sum] += value;
    }
  }
};

/// The values of penalties' entries; learnt ones are multiplied by weights.
struct Entries {
  Buffer<const int32_t> row, column;
  Buffer<const double> value;
  int64_t count;
  /// Null if the entries are not learnt.
  Buffer<const int32_t> which;
  Buffer<const double> weights;

  template <class Block> struct View {
    ViewOf<Block, const int32_t> row, column;
    ViewOf<Block, const double> value;
    ViewOf<Block, const int32_t> which;
    ViewOf<Block, const double> weights;
    bool isLearnt;

    TAMRT_BODY double at(int64_t p) const {
      const double own = value[p];
      return isLearnt ? own * weights[which[p]] : own;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(row),   block.view(column),  block.view(value),
            block.view(which), block.view(weights), which.data != nullptr};
  }
};

/// A += T * P. Several entries may be of one element, so a thread has a column
/// and reads all entries.
struct AddPenalties {
  static constexpr const char *name = "penalties";
  static constexpr bool hasBarriers = false;

  Entries penalties;
  int64_t n;
  double scale;
  Buffer<double> a;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto entries = penalties.view(block);
    auto matrix = block.view(a);
    for (int64_t j = block.index(); j < n; j += block.total())
      for (int64_t p = 0; p < penalties.count; ++p)
        if (entries.column[p] == j)
          matrix[j * n + entries.row[p]] += scale * entries.at(p);
  }
};

/// The diagonal of A = diag(sums) + T * P + floor * I: a thread for each number
/// reads all entries.
struct AssembleDiagonal {
  static constexpr const char *name = "assemble_diagonal";
  static constexpr bool hasBarriers = false;

  Entries penalties;
  /// Null: all zero.
  Buffer<const double> sums;
  int64_t n;
  double scale, floor;
  Buffer<double> diagonal;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto entries = penalties.view(block);
    auto from = block.view(sums);
    auto to = block.view(diagonal);
    for (int64_t i = block.index(); i < n; i += block.total()) {
      double sum = sums.data ? double(from[i]) : 0.0;
      for (int64_t p = 0; p < penalties.count; ++p)
        if (entries.column[p] == i && entries.row[p] == i)
          sum += scale * entries.at(p);
      to[i] = sum + floor;
    }
  }
};

/// q += T P v + floor v: a thread for each element of q reads all entries.
struct MultiplyPenalties {
  static constexpr const char *name = "multiply_penalty";
  static constexpr bool hasBarriers = false;

  Entries penalties;
  Buffer<const double> v;
  int64_t n;
  double scale, floor;
  Buffer<double> q;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto entries = penalties.view(block);
    auto from = block.view(v);
    auto to = block.view(q);
    for (int64_t i = block.index(); i < n; i += block.total()) {
      double sum = to[i];
      for (int64_t p = 0; p < penalties.count; ++p) {
        const int64_t row = entries.row[p], column = entries.column[p];
        if (row == i)
          sum += scale * entries.at(p) * from[column];
        else if (column == i)
          sum += scale * entries.at(p) * from[row];
      }
      if (floor != 0.0)
        sum += floor * from[i];
      to[i] = sum;
    }
  }
};

/// Adds to A's diagonal.
struct AddFloor {
  static constexpr const char *name = "floor";
  static constexpr bool hasBarriers = false;

  int64_t n;
  double floor;
  Buffer<double> a;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = block.view(a);
    for (int64_t i = block.index(); i < n; i += block.total())
      matrix[i * (n + 1)] += floor;
  }
};

/// Threads that solve a system.
constexpr int kSolveThreads = 128;

/// The high and the low half of the bits of `x` (Dekker): products of halves
/// are exact.
TAMRT_BODY void split(double x, double &high, double &low) {
  const double shifted = x * 134217729.0;
  high = shifted - (shifted - x);
  low = x - high;
}

/// Adds x * y to `sum + rest`, where `rest` is the rounding error of `sum`
/// (Dekker's product, Knuth's sum).
TAMRT_BODY void addProduct(double x, double y, double &sum, double &rest) {
  double xHigh, xLow, yHigh, yLow;
  split(x, xHigh, xLow);
  split(y, yHigh, yLow);
  const double product = x * y;
  const double lost =
      ((xHigh * yHigh - product) + xHigh * yLow + xLow * yHigh) + xLow * yLow;
  const double total = sum + product;
  const double added = total - sum;
  rest += ((sum - (total - added)) + (product - added)) + lost;
  sum = total;
}

/// A matrix, column-major, whose lower triangle is factored or a factor; one
/// block of threads works on it. All threads return the same results.
template <class Block, class Numbers> class Triangle {
public:
  TAMRT_BODY Triangle(Block &block, Numbers a, int64_t n)
      : block(block), a(a), n(n),
        scratch(block.shared(0, kSolveThreads / kWarp)) {}

  /// Replaces A by its factor, column by column from the left, each time with
  /// an update of the columns to the right; L's diagonal is inverted. Returns
  /// the first column without a pivot, or -1.
  TAMRT_BODY int64_t factor() {
    for (int64_t j = 0; j < n; ++j) {
      const double pivot = a[j * (n + 1)];
      if (!(pivot > 0.0 && isFinite(pivot)))
        return j;
      const double inverse = 1.0 / std::sqrt(pivot);
      // All threads have read the pivot.
      block.barrier();
      const int64_t below = n - j - 1;
      for (int64_t i = block.thread(); i < below; i += block.threads())
        a[j * n + j + 1 + i] *= inverse;
      if (block.thread() == 0)
        a[j * (n + 1)] = inverse;
      block.barrier();
      for (int64_t k = block.thread(); k < below * below;
           k += block.threads()) {
        const int64_t row = j + 1 + k % below, column = j + 1 + k / below;
        if (row >= column)
          a[column * n + row] -= a[j * n + row] * a[j * n + column];
      }
      block.barrier();
    }
    return -1;
  }

  /// v <- L'^-1 L^-1 v. Afterwards a thread may read element i if i is its
  /// index modulo the number of threads; others after a barrier.
  template <class Vector> TAMRT_BODY void solve(Vector v) {
    for (int64_t j = 0; j < n; ++j) {
      const double x = v[j] * a[j * (n + 1)];
      block.barrier();
      if (block.thread() == 0)
        v[j] = x;
      for (int64_t i = j + 1 + block.thread(); i < n; i += block.threads())
        v[i] -= x * a[j * n + i];
      block.barrier();
    }
    for (int64_t j = n - 1; j >= 0; --j) {
      double part = 0.0;
      for (int64_t i = j + 1 + block.thread(); i < n; i += block.threads())
        part += a[j * n + i] * v[i];
      const double sum = reduce(block, scratch, part, Add());
      // The next thread that reads it is this one; the others read it after a
      // reduction.
      if (block.thread() == 0)
        v[j] = (v[j] - sum) * a[j * (n + 1)];
    }
  }

  /// The greatest of the threads' numbers, which are not NaN; their sum.
  TAMRT_BODY double greatestOf(double number) {
    return reduce(block, scratch, number, Greater());
  }
  TAMRT_BODY double sumOf(double number) {
    return reduce(block, scratch, number, Add());
  }

private:
  Block &block;
  Numbers a;
  int64_t n;
  SharedOf<Block> scratch;
};

/// Factors A and solves A x = b in place: one block of threads. A itself is
/// kept above the diagonal and in the workspace. If a pivot is small compared
/// with its diagonal element, the solution is refined by Wilkinson's method:
/// residuals in twice the precision, solved with the factor.
struct CholeskySolve {
  static constexpr const char *name = "cholesky_solve";
  static constexpr bool hasBarriers = true;

  int64_t n;
  Buffer<double> a, b, workspace;

  /// A pivot below this share of its diagonal element has lost digits that a
  /// prediction needs.
  static constexpr double kMinExactPivot = 1.0 / 65536;
  static constexpr int kMaxRefinements = 4;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    Solver<Block>(block, *this).run();
  }

private:
  /// What a thread does.
  template <class Block> class Solver {
  public:
    using Numbers = ViewOf<Block, double>;

    TAMRT_BODY Solver(Block &block, const CholeskySolve &system)
        : block(block), n(system.n), a(block.view(system.a)),
          right(block.view(system.b)), work(block.view(system.workspace)),
          triangle(block, a, n), stored(TAMRT_SOLVE_WORKSPACE(n) - n),
          diagonal(stored - n) {}

    TAMRT_BODY void run() {
      if (!areNumbers())
        return;
      keep();
      const int64_t failed = triangle.factor();
      if (failed >= 0) {
        if (block.thread() == 0)
          block.fail(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, failed);
        return;
      }
      triangle.solve(right);
      if (isInexact())
        refine();
    }

  private:
    /// Whether A's diagonal and b are finite: an overflow appears first in the
    /// diagonal, which has sums of squares.
    TAMRT_BODY bool areNumbers() {
      double first = static_cast<double>(n);
      for (int64_t j = block.thread(); j < n; j += block.threads())
        if (!isFinite(a[j * (n + 1)]) || !isFinite(right[j]))
          first = least(first, static_cast<double>(j));
      // The least is the negative of the greatest negative.
      first = -triangle.greatestOf(-first);
      if (first == static_cast<double>(n))
        return true;
      if (block.thread() == 0)
        block.fail(TAMRT_ERROR_OVERFLOW, static_cast<int64_t>(first));
      return false;
    }

    /// Copies the lower triangle above the diagonal, and saves the rest. The
    /// factorisation waits before it changes anything.
    TAMRT_BODY void keep() {
      for (int64_t k = block.thread(); k < n * n; k += block.threads()) {
        const int64_t row = k % n, column = k / n;
        if (row > column)
          a[row * n + column] = double(a[column * n + row]);
      }
      for (int64_t j = block.thread(); j < n; j += block.threads()) {
        work[diagonal + j] = double(a[j * (n + 1)]);
        work[stored + j] = double(right[j]);
      }
    }

    TAMRT_BODY bool isInexact() {
      double worst = 0.0;
      for (int64_t j = block.thread(); j < n; j += block.threads()) {
        const double inverse = a[j * (n + 1)];
        worst = greatest(worst, kMinExactPivot * work[diagonal + j] * inverse *
                                    inverse);
      }
      return triangle.greatestOf(worst) > 1.0;
    }

    /// Until steps are as small as rounding errors or no longer decrease.
    TAMRT_BODY void refine() {
      double bound = 0x1.fffffffffffffp1023;
      for (int step = 0; step < kMaxRefinements; ++step) {
        for (int64_t i = block.thread(); i < n; i += block.threads())
          work[i] = residual(i);
        block.barrier();
        triangle.solve(work);
        double size = 0.0, largest = 0.0, nans = 0.0;
        for (int64_t i = block.thread(); i < n; i += block.threads()) {
          const double x = work[i];
          nans += x == x ? 0.0 : 1.0;
          size = greatest(size, magnitude(x));
        }
        size = triangle.greatestOf(size);
        nans = triangle.sumOf(nans);
        // Halves of numbers beyond 1e300 overflow.
        if (!(size <= bound) || nans > 0.0)
          return;
        for (int64_t i = block.thread(); i < n; i += block.threads()) {
          right[i] += work[i];
          largest = greatest(largest, magnitude(right[i]));
        }
        largest = triangle.greatestOf(largest);
        if (size <= 0x1p-52 * largest)
          return;
        bound = size / 2.0;
      }
    }

    /// Element i of b - A x, from the copies.
    TAMRT_BODY double residual(int64_t i) {
      double sum = work[stored + i], rest = 0.0;
      for (int64_t j = 0; j < n; ++j) {
        const double x = -right[j];
        const double element = j == i  ? work[diagonal + i]
                               : j < i ? a[i * n + j]
                                       : a[j * n + i];
        addProduct(element, x, sum, rest);
      }
      return sum + rest;
    }

    Block &block;
    int64_t n;
    Numbers a, right, work;
    Triangle<Block, Numbers> triangle;
    /// Places in the workspace: b, and A's diagonal.
    int64_t stored, diagonal;
  };
};

/// Whether the n numbers `at(j)` of a diagonal, of which a thread reads those
/// whose index is its own modulo the number of threads, are positive and
/// finite. If not, the kernel fails with the first one that is not, counted
/// from `column`.
template <class Block, class At>
TAMRT_BODY bool arePivots(Block &block, int64_t n, int64_t column,
                          const At &at) {
  auto scratch = block.shared(0, kSolveThreads / kWarp);
  double own = static_cast<double>(n), isInfinite = 0.0;
  for (int64_t j = block.thread(); j < n; j += block.threads()) {
    const double pivot = at(j);
    if (pivot > 0.0 && isFinite(pivot))
      continue;
    own = static_cast<double>(j);
    isInfinite = isFinite(pivot) ? 0.0 : 1.0;
    break;
  }
  // The least is the negative of the greatest negative.
  const double first = -reduce(block, scratch, -own, Greater());
  isInfinite = reduce(block, scratch, own == first ? isInfinite : 0.0, Add());
  if (first == static_cast<double>(n))
    return true;
  if (block.thread() == 0)
    block.fail(isInfinite > 0.0 ? TAMRT_ERROR_OVERFLOW
                                : TAMRT_ERROR_NOT_POSITIVE_DEFINITE,
               column + static_cast<int64_t>(first));
  return false;
}

/// Factors A in place; if a pivot is not positive or too small, the factor is
/// that of A's diagonal alone.
struct CholeskyFactor {
  static constexpr const char *name = "cholesky_factor";
  static constexpr bool hasBarriers = true;

  int64_t n, column;
  Buffer<double> a, workspace;

  /// A pivot below this share of the largest diagonal element is mostly
  /// rounding error.
  static constexpr double kMinPivot = 1e-12;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = block.view(a), work = block.view(workspace);
    Triangle<Block, ViewOf<Block, double>> triangle(block, matrix, n);
    const int64_t diagonal = TAMRT_PANEL_WORKSPACE(n);
    double largest = 0.0;
    for (int64_t j = block.thread(); j < n; j += block.threads()) {
      const double pivot = matrix[j * (n + 1)];
      work[diagonal + j] = pivot;
      largest = greatest(largest, pivot);
    }
    if (!arePivots(block, n, column,
                   [&](int64_t j) { return double(matrix[j * (n + 1)]); }))
      return;
    largest = triangle.greatestOf(largest);
    const double limit = kMinPivot * largest;
    double failures = triangle.factor() < 0 ? 0.0 : 1.0;
    for (int64_t j = block.thread(); failures == 0.0 && j < n;
         j += block.threads()) {
      const double inverse = matrix[j * (n + 1)];
      failures += 1.0 / inverse >= limit * inverse ? 0.0 : 1.0;
    }
    if (triangle.sumOf(failures) == 0.0)
      return;
    for (int64_t k = block.thread(); k < n * n; k += block.threads())
      matrix[k] = k % n == k / n
                      ? 1.0 / std::sqrt(greatest(work[diagonal + k / n], limit))
                      : 0.0;
  }
};

/// Replaces a diagonal by the inverse square roots: one block of threads.
struct DiagonalFactor {
  static constexpr const char *name = "diagonal_factor";
  static constexpr bool hasBarriers = true;

  int64_t n, column;
  Buffer<double> factor;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto numbers = block.view(factor);
    if (!arePivots(block, n, column,
                   [&](int64_t j) { return double(numbers[j]); }))
      return;
    for (int64_t j = block.thread(); j < n; j += block.threads())
      numbers[j] = 1.0 / std::sqrt(double(numbers[j]));
  }
};

/// x with A x = b, from the factor of the diagonal A.
struct DiagonalApply {
  static constexpr const char *name = "diagonal_apply";
  static constexpr bool hasBarriers = false;

  Buffer<const double> factor, b;
  int64_t n;
  Buffer<double> x;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto inverse = block.view(factor), right = block.view(b);
    auto to = block.view(x);
    for (int64_t i = block.index(); i < n; i += block.total())
      to[i] = right[i] * inverse[i] * inverse[i];
  }
};

/// x with A x = b, from the factor of A.
struct CholeskyApply {
  static constexpr const char *name = "cholesky_apply";
  static constexpr bool hasBarriers = true;

  Buffer<const double> a, b;
  int64_t n;
  Buffer<double> x;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = block.view(a), right = block.view(b);
    auto to = block.view(x);
    for (int64_t i = block.thread(); i < n; i += block.threads())
      to[i] = right[i];
    block.barrier();
    Triangle<Block, ViewOf<Block, const double>>(block, matrix, n).solve(to);
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_SOLVE_H
