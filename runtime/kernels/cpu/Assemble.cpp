//===- cpu/Assemble.cpp - the normal equations ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal equations of one group, A and b, from its accumulators
/// (docs/math.md section 4).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Cubics.h"
#include "kernels/cpu/LeafCounts.h"
#include "kernels/cpu/Support.h"

#include "tamrt/panels.h"
#include "tamrt/steps.h"

#include <algorithm>

namespace tamrt::cpu {

namespace {

using namespace panels;

/// Adds panels of a band of four numbers, whose columns are contiguous: element
/// i of word [start][j] is added to `corner`, start + i steps down and j steps
/// right.
///
/// Goes down a column and adds to each number once: adding words that overlap
/// in part one after another would each time wait for the store buffer. Four
/// panels at a time give the same bits as one after another.
TAMRT_HOT void addColumns(const double *__restrict sums, int64_t starts,
                          int64_t columns, int64_t right,
                          double *__restrict corner) {
  const int64_t panel = 4 * columns;
  for (int64_t j = 0; j < columns; ++j, sums += 4, corner += right) {
    double *__restrict out = corner;
    // The words of the last four panels, by number in the word.
    Vector before[4] = {};
    int64_t start = 0;
    for (; start + 4 <= starts; start += 4) {
      Vector words[4], own[4];
      for (int64_t i = 0; i < 4; ++i)
        words[i] = vectorAt(sums + (start + i) * panel);
      transpose(words, own);
      Vector sum = __builtin_shufflevector(before[3], own[3], 1, 2, 3, 4);
      sum += __builtin_shufflevector(before[2], own[2], 2, 3, 4, 5);
      sum += __builtin_shufflevector(before[1], own[1], 3, 4, 5, 6);
      vectorAt(out + start) += sum + own[0];
      for (int i = 1; i < 4; ++i)
        before[i] = own[i];
    }
    // Sums of the previous panels for this row and the two after it.
    double sum0 = before[3][1] + before[2][2] + before[1][3];
    double sum1 = before[3][2] + before[2][3], sum2 = before[3][3];
    for (; start < starts; ++start) {
      const double *word = sums + start * panel;
      out[start] += sum0 + word[0];
      sum0 = sum1 + word[1];
      sum1 = sum2 + word[2];
      sum2 = word[3];
    }
    out[starts] += sum0;
    out[starts + 1] += sum1;
    out[starts + 2] += sum2;
  }
}

/// Adds `starts` panels of `words` words: element i of word [start][j] is added
/// `start + i` steps down and j steps right.
TAMRT_HOT void addPanels(const double *sums, int64_t width, int64_t starts,
                         int64_t words, int64_t down, int64_t right,
                         double *corner) {
  if (width == 4 && down == 1)
    return addColumns(sums, starts, words, right, corner);
  const int64_t size = wordSize(width);
  for (int64_t start = 0, word = 0; start < starts; ++start)
    for (int64_t j = 0; j < words; ++j, word += size)
      for (int64_t i = 0; i < width; ++i)
        corner[(start + i) * down + j * right] += sums[word + i];
}

/// Adds the panels of a band with itself to a lower triangle with column stride
/// n: number i of word [start][r] is the product of i and (i + r) mod width.
void addUpperPanels(const double *sums, int64_t width, int64_t starts,
                    int64_t n, double *corner) {
  const int64_t size = wordSize(width);
  for (int64_t r = 0, first = 0; r <= width / 2; ++r, first += size)
    for (int64_t i = 0; i < (2 * r == width ? r : width); ++i) {
      const int64_t k = i + r < width ? i + r : i + r - width;
      double *out = corner + std::min(i, k) * n + std::max(i, k);
      for (int64_t start = 0, word = first + i; start < starts;
           ++start, word += (width / 2 + 1) * size)
        out[start * (n + 1)] += sums[word];
    }
}

/// The same for a cubic spline, whose words are the squares and the products of
/// neighbours, cyclically; the other two products follow from them.
void addCubicPanels(const double *sums, int64_t starts, int64_t n,
                    double *corner) {
  for (int64_t start = 0; start < starts; ++start, corner += n + 1) {
    double square[4], next[4], twoOn[2] = {};
    for (int64_t i = 0; i < 4; ++i) {
      square[i] = sums[8 * start + i];
      next[i] = sums[8 * start + 4 + i];
    }
    const auto &up = kCubicProducts[kindOfSpan(start, starts - 1 - start)];
    const auto &down = kCubicProducts[kindOfSpan(starts - 1 - start, start)];
    for (int64_t i = 0; i < 4; ++i) {
      twoOn[0] += up[i] * square[i];
      twoOn[1] += down[i] * square[3 - i];
    }
    for (int64_t i = 0; i < 3; ++i) {
      twoOn[0] += up[4 + i] * next[i];
      twoOn[1] += down[4 + i] * next[2 - i];
    }
    for (int64_t i = 0; i < 4; ++i)
      corner[i * (n + 1)] += square[i];
    for (int64_t i = 0; i < 3; ++i)
      corner[i * (n + 1) + 1] += next[i];
    for (int64_t i = 0; i < 2; ++i)
      corner[i * (n + 1) + 2] += twoOn[i];
    corner[3] += next[3];
  }
}

/// Adds panels of a product: number i of word [start][j] is added at the row of
/// start plus i and at column j.
void addProductPanels(const double *sums, const Factors &factors, int64_t words,
                      int64_t down, int64_t right, double *corner) {
  const int64_t size = wordSize(factors.numbers);
  factors.forEachPanel([&](int64_t panel, int64_t start) {
    for (int64_t j = 0; j < words; ++j) {
      const int64_t word = (panel * words + j) * size;
      double *out = corner + start * down + j * right;
      factors.forEachPlace([&](int64_t i, int64_t column) {
        out[column * down] += sums[word + i];
      });
    }
  });
}

/// Adds the panels of a product with itself to a lower triangle with column
/// stride n.
void addUpperProductPanels(const double *sums, const Factors &factors,
                           int64_t n, double *corner) {
  const int64_t panelNumbers = factors.pairNumbers();
  const auto add = [&](int64_t number, const int64_t *places, int64_t count) {
    factors.forEachPanel([&](int64_t panel, int64_t start) {
      const double sum = sums[panel * panelNumbers + number];
      double *out = corner + start * (n + 1);
      for (int64_t way = 0; way < count; ++way)
        out[places[way]] += sum;
    });
  };
  PairWalk(factors, n, add).run();
}

/// Computes n / 4 words of four numbers as sums of the words of `sums` listed
/// in the tables.
TAMRT_HOT void addWordsUp(const int32_t *__restrict from,
                          const int32_t *__restrict index,
                          const double *__restrict sums, int64_t n,
                          double *__restrict out) {
  for (int64_t i = 0; i < n / 4; ++i) {
    Vector word = {};
    for (int32_t k = from[i]; k < from[i + 1]; ++k)
      word += vectorAt(sums + index[k]);
    vectorAt(out + 4 * i) = word;
  }
}

/// The same for words of `size` numbers.
void addNumbersUp(const int32_t *__restrict from,
                  const int32_t *__restrict index,
                  const double *__restrict sums, int64_t n, int64_t size,
                  double *__restrict out) {
  for (int64_t i = 0; i < n / size; ++i)
    for (int64_t e = 0; e < size; ++e) {
      double number = 0.0;
      for (int32_t k = from[i]; k < from[i + 1]; ++k)
        number += sums[index[k] + e];
      *out++ = number;
    }
}

/// Adds the products of the cosines and sines of m multiples of an angle to a
/// lower triangle with column stride n. `sums` has the sums of twice as many
/// multiples.
void addFrequencies(const double *sums, int64_t m, int64_t n, double *corner) {
  auto cosine = [&](int64_t k) { return sums[k]; };
  auto sine = [&](int64_t k) {
    return k == 0 ? 0.0 : k < 0 ? -sums[2 * m - k] : sums[2 * m + k];
  };
  for (int64_t i = 1; i <= m; ++i) {
    double *cosines = corner + (i - 1) * n, *sines = cosines + m * n;
    for (int64_t j = i; j <= m; ++j) {
      cosines[j - 1] += (cosine(j - i) + cosine(j + i)) / 2.0;
      sines[m + j - 1] += (cosine(j - i) - cosine(j + i)) / 2.0;
    }
    for (int64_t j = 1; j <= m; ++j)
      cosines[m + j - 1] += (sine(j + i) + sine(j - i)) / 2.0;
  }
}

/// Adds an entry of the lower triangle of a symmetric matrix, times v, to q.
void addEntry(int32_t row, int32_t column, double value,
              const double *__restrict v, double *__restrict q) {
  q[row] += value * v[column];
  if (row != column)
    q[column] += value * v[row];
}

/// Numbers that stay in the first-level cache while all are added to them.
constexpr int64_t kJoined = 512;

TAMRT_INLINE void joinBlock(const double *const *earlier, int64_t parts,
                            int64_t first, int64_t size, double *sums) {
  double *__restrict own = sums + first;
  for (int64_t part = 0; part < parts; ++part) {
    const double *__restrict before = earlier[part] + first;
    for (int64_t i = 0; i < size; ++i)
      own[i] = before[i] + own[i];
  }
}

/// The last `Parts` parts of a sum, and the move.
template <int Parts>
TAMRT_INLINE void moveBlock(const double *const *earlier, int64_t first,
                            int64_t size, double *sums, double *out) {
  double *__restrict own = sums + first, *__restrict to = out + first;
  const double *__restrict one = Parts > 0 ? earlier[0] + first : nullptr;
  const double *__restrict two = Parts > 1 ? earlier[1] + first : nullptr;
  for (int64_t i = 0; i < size; ++i) {
    double sum = own[i];
    if constexpr (Parts > 0)
      sum = one[i] + sum;
    if constexpr (Parts > 1)
      sum = two[i] + sum;
    to[i] = sum;
    own[i] = 0.0;
  }
}

/// The same by pairs of lines of the cache: stores that go to one place and
/// another in turns take twice the time. For machines with vectors of a line.
template <int Parts>
TAMRT_INLINE void movePairs(const double *const *earlier, int64_t first,
                            int64_t size, double *sums, double *out) {
  double *__restrict own = sums + first, *__restrict to = out + first;
  const double *__restrict one = Parts > 0 ? earlier[0] + first : nullptr;
  const double *__restrict two = Parts > 1 ? earlier[1] + first : nullptr;
  constexpr int64_t line = sizeof(Wide) / sizeof(double);
  int64_t i = 0;
  for (; i + 2 * line <= size; i += 2 * line) {
    Wide low = wideAt(own + i), high = wideAt(own + i + line);
    if constexpr (Parts > 0) {
      low = wideAt(one + i) + low;
      high = wideAt(one + i + line) + high;
    }
    if constexpr (Parts > 1) {
      low = wideAt(two + i) + low;
      high = wideAt(two + i + line) + high;
    }
    wideAt(to + i) = low;
    wideAt(to + i + line) = high;
    wideAt(own + i) = Wide{};
    wideAt(own + i + line) = Wide{};
  }
  moveBlock<Parts>(earlier, first + i, size - i, sums, out);
}

template <bool ByPairs, int Parts>
TAMRT_INLINE void moveParts(const double *const *earlier, int64_t first,
                            int64_t size, double *sums, double *out) {
  if constexpr (ByPairs)
    movePairs<Parts>(earlier, first, size, sums, out);
  else
    moveBlock<Parts>(earlier, first, size, sums, out);
}

template <bool ByPairs>
TAMRT_INLINE void move(const double *const *earlier, int64_t parts,
                       int64_t count, double *sums, double *out) {
  // Half of all calls have no earlier sums, a quarter has one, and so on.
  const int64_t others = std::max<int64_t>(parts - 2, 0);
  for (int64_t i = 0; i < count; i += kJoined) {
    const int64_t size = std::min(kJoined, count - i);
    joinBlock(earlier, others, i, size, sums);
    switch (parts - others) {
    case 0:
      moveParts<ByPairs, 0>(earlier + others, i, size, sums, out);
      break;
    case 1:
      moveParts<ByPairs, 1>(earlier + others, i, size, sums, out);
      break;
    default:
      moveParts<ByPairs, 2>(earlier + others, i, size, sums, out);
    }
  }
}

TAMRT_HOT void moveByBlocks(const double *const *earlier, int64_t parts,
                            int64_t count, double *sums, double *out) {
  move</*ByPairs=*/false>(earlier, parts, count, sums, out);
}

#ifdef TAMRT_AVX512
TAMRT_AVX512 void moveByPairs(const double *const *earlier, int64_t parts,
                              int64_t count, double *sums, double *out) {
  move</*ByPairs=*/true>(earlier, parts, count, sums, out);
}
#endif

} // namespace

void zero(tamrt_context *ctx, int64_t count, double *out) {
  std::fill_n(out, count, 0.0);
}

TAMRT_HOT void join_sums(tamrt_context *ctx, const double *const *earlier,
                         int64_t earlier_count, int64_t count, double *sums) {
  for (int64_t i = 0; i < count; i += kJoined)
    joinBlock(earlier, earlier_count, i, std::min(kJoined, count - i), sums);
}

void move_sums(tamrt_context *ctx, const double *const *earlier,
               int64_t earlier_count, int64_t count, double *sums,
               double *out) {
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4)
    return moveByPairs(earlier, earlier_count, count, sums, out);
#endif
  moveByBlocks(earlier, earlier_count, count, sums, out);
}

TAMRT_HOT void join_counts(tamrt_context *ctx, const double *more,
                           int64_t count, double unit, double *sums) {
  const Counter counter(unit);
  for (int64_t i = 0; i < count; ++i)
    counter.join(sums[i], more[i]);
}

void marginal(tamrt_context *ctx, const int32_t *from, const int32_t *index,
              const double *sums, int64_t n, int64_t size, double *out) {
  if (size == 4)
    addWordsUp(from, index, sums, n, out);
  else
    addNumbersUp(from, index, sums, n, size, out);
}

void assemble_matrix(tamrt_context *ctx, const int64_t *table,
                     const int32_t *penalty_row, const int32_t *penalty_column,
                     const double *penalty_value, const double *const *blocks,
                     int64_t blocks_count, int64_t group_rows, int64_t n,
                     int64_t penalties, double *a) {
  std::fill_n(a, n * n, 0.0);
  for (int64_t block = 0; block < blocks_count; ++block) {
    const int64_t form = table[0], bandWidth = table[1];
    const int64_t rows = table[2], columns = table[3];
    const int64_t row = table[4], column = table[5];
    // Strides in A for one step down and one step right in the block.
    const int64_t down = row < column ? n : 1;
    const int64_t right = row < column ? 1 : n;
    double *corner = a + row * down + column * right;
    const int64_t starts = rows - bandWidth + 1;
    const double *sums = blocks[block];
    switch (form) {
    case Full:
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          corner[i * down + j * right] += sums[i * columns + j];
      break;
    case UpperTriangle:
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = i; j < columns; ++j)
          corner[i * n + j] += sums[i * columns + j];
      break;
    case Diagonal:
      for (int64_t i = 0; i < rows; ++i)
        corner[i * (n + 1)] += sums[i];
      break;
    case Panels:
      addPanels(sums, bandWidth, starts, columns, down, right, corner);
      break;
    case UpperPanels:
      addUpperPanels(sums, bandWidth, starts, n, corner);
      break;
    case CubicPanels:
      addCubicPanels(sums, starts, n, corner);
      break;
    case ProductPanels:
    case UpperProductPanels: {
      if (bandWidth > kMaxFactors)
        return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
      const Factors factors(table, 6, bandWidth);
      if (form == ProductPanels)
        addProductPanels(sums, factors, columns, down, right, corner);
      else
        addUpperProductPanels(sums, factors, n, corner);
      table += 2 * bandWidth;
      break;
    }
    case Frequencies:
      addFrequencies(sums, rows / 2, n, corner);
      break;
    default:
      return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
    }
    table += 6;
  }
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    a[penalty_column[p] * n + penalty_row[p]] += scale * penalty_value[p];
  for (int64_t i = 0; i < n; ++i)
    a[i * (n + 1)] += TAMRT_PENALTY_FLOOR * scale;
}

void penalty_values(tamrt_context *ctx, const int32_t *part,
                    const double *number, const double *strengths,
                    int64_t parts, int64_t sums, double *values) {
  std::fill_n(values, sums, 0.0);
  for (int64_t p = 0; p < parts; ++p) {
    const int32_t sum = *part++, code = *part++;
    double value = code < 0 ? values[*part++] : *number++;
    const int32_t count = code < 0 ? ~code : code;
    for (int32_t i = 0; i < count; ++i)
      value *= strengths[*part++];
    values[sum] += value;
  }
}

void assemble_pairs(tamrt_context *ctx, const int64_t *starts,
                    const int32_t *pairs, const double *sums, int64_t n,
                    int64_t count, double *a) {
  for (int64_t k = 0; k < count; ++k) {
    const int32_t i = pairs[2 * k], j = pairs[2 * k + 1];
    const int64_t columns = starts[i + 1] - starts[i];
    const int64_t others = starts[j + 1] - starts[j];
    // A's lower triangle, column by column, has the later effect's columns side
    // by side.
    const int64_t down = i < j ? n : 1, right = i < j ? 1 : n;
    double *corner = a + starts[std::min(i, j)] * n + starts[std::max(i, j)];
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t d = 0; d < others; ++d)
        corner[c * down + d * right] += sums[c * others + d];
    sums += pairSize(columns, others);
  }
}

void add_penalty(tamrt_context *ctx, const int32_t *penalty_row,
                 const int32_t *penalty_column, const double *penalty_value,
                 const int32_t *which, const double *weights,
                 int64_t group_rows, int64_t n, int64_t penalties, double *a) {
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    a[penalty_column[p] * n + penalty_row[p]] +=
        scale * (penalty_value[p] * weights[which[p]]);
}

void multiply_penalty(tamrt_context *ctx, const int32_t *penalty_row,
                      const int32_t *penalty_column,
                      const double *penalty_value, const double *v,
                      int64_t group_rows, int64_t n, int64_t penalties,
                      double *q) {
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    addEntry(penalty_row[p], penalty_column[p], scale * penalty_value[p], v, q);
  for (int64_t i = 0; i < n; ++i)
    q[i] += TAMRT_PENALTY_FLOOR * scale * v[i];
}

void multiply_learnt_penalty(tamrt_context *ctx, const int32_t *penalty_row,
                             const int32_t *penalty_column,
                             const double *penalty_value, const int32_t *which,
                             const double *weights, const double *v,
                             int64_t group_rows, int64_t n, int64_t penalties,
                             double *q) {
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    addEntry(penalty_row[p], penalty_column[p],
             scale * (penalty_value[p] * weights[which[p]]), v, q);
}

void assemble_vector(tamrt_context *ctx, const int64_t *table,
                     const double *const *blocks, int64_t blocks_count,
                     int64_t n, double *b) {
  for (int64_t block = 0; block < blocks_count; ++block, table += 3) {
    const int64_t width = table[0], count = table[1];
    double *out = b + table[2];
    if (width < 0) {
      if (-width > kMaxFactors)
        return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
      std::fill_n(out, count, 0.0);
      addProductPanels(blocks[block], Factors(table, 3, -width), 1, 1, 0, out);
      table += -2 * width;
      continue;
    }
    if (width > 0) {
      std::fill_n(out, count, 0.0);
      addPanels(blocks[block], width, count - width + 1, 1, 1, 0, out);
      continue;
    }
    std::copy_n(blocks[block], count, out);
  }
}

} // namespace tamrt::cpu
