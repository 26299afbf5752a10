//===- cpu/Inference.cpp - what inference needs of the inverse ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Traces and quadratic forms of the inverse of the normal equations
/// (docs/math.md section 5).
///
/// A quadratic form x' S x is the sum over the columns k of
/// x_k (S_kk x_k + 2 sum over i > k of S_ik x_i). The inner sums of up to four
/// consecutive columns are one vector: row i of the triangle has their numbers
/// next to each other. Each column's sum is added up in the same order whether
/// or not its neighbours' are in the same vector.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <algorithm>

namespace tamrt::cpu {

namespace {

/// Where row i of the lower triangle of a symmetric matrix starts.
TAMRT_INLINE int64_t triangleRow(int64_t i) { return i * (i + 1) / 2; }

/// The effect of a column.
int64_t effectOf(const int64_t *ends, int64_t effects, int64_t column) {
  return std::upper_bound(ends, ends + effects, column) - ends;
}

/// Some of the nonzero numbers of a row, in the order of their columns.
struct Numbers {
  static constexpr int64_t maxCount = 64;

  int64_t count;
  double values[maxCount];
  /// Rows of the triangle.
  const double *rows[maxCount];
  int32_t columns[maxCount], effects[maxCount];

  /// The first number from `begin` on of another effect than `effect`.
  TAMRT_INLINE int64_t endOf(int32_t effect, int64_t begin) const {
    while (begin < count && effects[begin] == effect)
      ++begin;
    return begin;
  }

  /// How many numbers from `begin` on have consecutive columns and one effect;
  /// at most four.
  TAMRT_INLINE int64_t runAt(int64_t begin) const {
    int64_t run = 1;
    while (run < 4 && begin + run < count &&
           columns[begin + run] == columns[begin] + run &&
           effects[begin + run] == effects[begin])
      ++run;
    return run;
  }
};

/// A row of the sparse matrix.
struct Row {
  const double *values;
  const int32_t *index;
  const int64_t *ends;
  const double *triangle;
  int64_t effects;
};

/// How far a row has been read.
struct Position {
  int64_t number = 0;
  int32_t effect = 0;
};

/// Reads the next numbers of a row, and sorts those of an effect by column:
/// they almost always are.
TAMRT_INLINE void read(const Row &row, Position &next, Numbers &out) {
  int64_t count = 0;
  for (; next.effect < row.effects; ++next.effect) {
    const int64_t end = row.ends[next.effect];
    for (; next.number < end; ++next.number) {
      const double value = row.values[next.number];
      if (value == 0.0)
        continue;
      if (count == Numbers::maxCount) {
        out.count = count;
        return;
      }
      const int32_t column = row.index[next.number];
      int64_t i = count++;
      for (; i > 0 && out.columns[i - 1] > column; --i) {
        out.values[i] = out.values[i - 1];
        out.rows[i] = out.rows[i - 1];
        out.columns[i] = out.columns[i - 1];
        out.effects[i] = out.effects[i - 1];
      }
      out.values[i] = value;
      out.rows[i] = row.triangle + triangleRow(column);
      out.columns[i] = column;
      out.effects[i] = next.effect;
    }
  }
  out.count = count;
}

/// Adds to the sums of `run` columns from `column` on the products of numbers
/// [begin, end) with their rows. Their columns are not before those of the
/// sums.
TAMRT_INLINE void addRows(const Numbers &x, int64_t begin, int64_t end,
                          int64_t column, int64_t run, Vector &sums) {
  Vector sum = sums;
  int64_t i = begin;
  // These rows of the triangle may end before the fourth column.
  for (; i < end && x.columns[i] < column + 3; ++i) {
    const double *row = x.rows[i] + column;
    sum += x.values[i] *
           Vector{row[0], run > 1 ? row[1] : 0.0, run > 2 ? row[2] : 0.0, 0.0};
  }
  for (; i < end; ++i)
    sum += x.values[i] * vectorAt(x.rows[i] + column);
  sums = sum;
}

/// The sums of a run of columns over its own numbers.
TAMRT_INLINE void addRun(const Numbers &x, int64_t k, int64_t run,
                         Vector &sums) {
  double first = 0.0, second = 0.0, third = 0.0;
  auto product = [&](int64_t i, int64_t c) TAMRT_LAMBDA {
    return x.values[k + i] * x.rows[k + i][x.columns[k] + c];
  };
  if (run > 1)
    first += product(1, 0);
  if (run > 2) {
    first += product(2, 0);
    second += product(2, 1);
  }
  if (run > 3) {
    first += product(3, 0);
    second += product(3, 1);
    third += product(3, 2);
  }
  sums = Vector{first, second, third, 0.0};
}

/// Adds the pairs of numbers of x, and each with itself.
TAMRT_INLINE void addPairs(const Numbers &x, double *__restrict out) {
  double whole = 0.0, others = 0.0;
  for (int64_t k = 0; k < x.count;) {
    const int32_t effect = x.effects[k];
    const int64_t end = x.endOf(effect, k);
    double own = 0.0;
    while (k < end) {
      const int64_t run = x.runAt(k), column = x.columns[k];
      AlignedVector same, other = {};
      addRun(x, k, run, same);
      addRows(x, k + run, end, column, run, same);
      addRows(x, end, x.count, column, run, other);
      for (int64_t c = 0; c < run; ++c, ++k) {
        const double value = x.values[k];
        own += value * (x.rows[k][column + c] * value + 2.0 * same[c]);
        others += value * other[c];
      }
    }
    out[1 + effect] += own;
    whole += own;
  }
  out[0] += whole + 2.0 * others;
}

/// Adds the pairs of a number of x and one of the earlier ones.
TAMRT_INLINE void addPairs(const Numbers &x, const Numbers &earlier,
                           double *__restrict out) {
  // An effect may have numbers of both, in any order of columns.
  const int32_t shared = x.effects[0];
  const int64_t end = x.endOf(shared, 0);
  const bool ascends = x.columns[0] >= earlier.columns[earlier.count - 1];
  double own = 0.0, others = 0.0;
  for (int64_t k = 0; k < earlier.count;) {
    const int64_t run = earlier.runAt(k), column = earlier.columns[k];
    const bool isShared = earlier.effects[k] == shared;
    AlignedVector same = {}, other = {};
    if (isShared && ascends)
      addRows(x, 0, end, column, run, same);
    else if (isShared)
      for (int64_t c = 0; c < run; ++c)
        for (int64_t i = 0; i < end; ++i)
          same[c] += x.values[i] * (x.columns[i] < column + c
                                        ? earlier.rows[k + c][x.columns[i]]
                                        : x.rows[i][column + c]);
    addRows(x, isShared ? end : 0, x.count, column, run, other);
    for (int64_t c = 0; c < run; ++c, ++k) {
      own += earlier.values[k] * same[c];
      others += earlier.values[k] * other[c];
    }
  }
  out[1 + shared] += 2.0 * own;
  out[0] += 2.0 * (own + others);
}

} // namespace

void column_means(tamrt_context *ctx, const double *a, int64_t group_rows,
                  int64_t n, double *means) {
  const double count = static_cast<double>(group_rows);
  for (int64_t i = 0; i < n; ++i)
    means[i] = i == 0 ? 0.0 : a[i] / count;
}

void effective_df(tamrt_context *ctx, const int64_t *ends,
                  const double *inverse, int64_t group_rows, int64_t effects,
                  double *edf) {
  const double floor = TAMRT_PENALTY_FLOOR * static_cast<double>(group_rows);
  int64_t column = 0;
  for (int64_t effect = 0; effect < effects; ++effect) {
    const double columns = static_cast<double>(ends[effect] - column);
    double trace = 0.0;
    for (; column < ends[effect]; ++column)
      trace += inverse[triangleRow(column) + column];
    edf[effect] = columns - floor * trace;
  }
}

void penalty_trace(tamrt_context *ctx, const int64_t *ends,
                   const int32_t *penalty_row, const int32_t *penalty_column,
                   const double *penalty_value, const int32_t *which,
                   const double *weights, const double *inverse,
                   int64_t group_rows, int64_t effects, int64_t penalties,
                   double *edf) {
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p) {
    const int64_t row = penalty_row[p], column = penalty_column[p];
    const double value =
        weights ? penalty_value[p] * weights[which[p]] : penalty_value[p];
    const double product = scale * value * inverse[triangleRow(row) + column];
    edf[effectOf(ends, effects, row)] -= product;
    if (row != column)
      edf[effectOf(ends, effects, column)] -= product;
  }
}

TAMRT_HOT void quadratic_forms(tamrt_context *ctx, const double *values,
                               const int32_t *index, const int64_t *ends,
                               const double *triangle, int64_t rows, int64_t z,
                               int64_t effects, double *out) {
  for (int64_t r = 0; r < rows; ++r, out += 1 + effects) {
    const Row row = {values + r * z, index + r * z, ends, triangle, effects};
    std::fill_n(out, 1 + effects, 0.0);
    Position next;
    while (next.effect < effects) {
      Numbers x;
      const Position begin = next;
      read(row, next, x);
      if (x.count == 0)
        break;
      Position before;
      while (before.number < begin.number) {
        Numbers earlier;
        read(row, before, earlier);
        addPairs(x, earlier, out);
      }
      addPairs(x, out);
    }
  }
}

} // namespace tamrt::cpu
