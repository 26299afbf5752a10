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
#include "kernels/cpu/Support.h"

#include <algorithm>
#include <bit>

namespace tamrt::cpu {

namespace {

/// Forms of a block, as kernels.def numbers them.
enum Form : int64_t {
  Full = 0,
  UpperTriangle = 1,
  Diagonal = 2,
  Panels = 3,
  UpperPanels = 4
};

/// Floor of the penalty per row of the group.
constexpr double floorPerRow = 1e-6;

/// The sums of a group: of one segment, or of all finished ones and the one
/// under way.
class Sums {
public:
  Sums(const double *block, int64_t count, int64_t groupRows)
      : segment(block),
        finished(groupRows > TAMRT_SEGMENT_ROWS ? block + count : nullptr) {}

  double operator[](int64_t i) const {
    return finished ? finished[i] + segment[i] : segment[i];
  }

private:
  const double *segment, *finished;
};

int64_t wordSize(int64_t width) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(width)));
}

/// Adds panels of a band of `Width` numbers, a power of two, whose columns lie
/// together: word [start][j] goes to `corner`, `start` steps down and j right.
template <int64_t Width>
void addWords(const double *__restrict segment,
              const double *__restrict finished, int64_t starts, int64_t words,
              int64_t right, double *__restrict corner) {
  for (int64_t start = 0; start < starts; ++start)
    for (int64_t j = 0; j < words; ++j, segment += Width) {
      double *out = corner + start + j * right;
      if (finished) {
        for (int64_t i = 0; i < Width; ++i)
          out[i] += finished[i] + segment[i];
        finished += Width;
      } else {
        for (int64_t i = 0; i < Width; ++i)
          out[i] += segment[i];
      }
    }
}

/// Adds `starts` panels of `words` words: element i of word [start][j] goes
/// `start + i` steps down and j steps right.
void addPanels(const double *block, int64_t groupRows, int64_t width,
               int64_t starts, int64_t words, int64_t down, int64_t right,
               double *corner) {
  const int64_t size = wordSize(width), count = starts * words * size;
  if (width == 4 && down == 1)
    return addWords<4>(block,
                       groupRows > TAMRT_SEGMENT_ROWS ? block + count : nullptr,
                       starts, words, right, corner);
  const Sums sums(block, count, groupRows);
  for (int64_t start = 0, word = 0; start < starts; ++start)
    for (int64_t j = 0; j < words; ++j, word += size)
      for (int64_t i = 0; i < width; ++i)
        corner[(start + i) * down + j * right] += sums[word + i];
}

/// Adds the panels of a band with itself to a lower triangle, n from column to
/// column: word [start][r] has at i the product of i and (i + r) mod width.
void addUpperPanels(const double *block, int64_t groupRows, int64_t width,
                    int64_t starts, int64_t n, double *corner) {
  const int64_t size = wordSize(width);
  const Sums sums(block, starts * (width / 2 + 1) * size, groupRows);
  for (int64_t start = 0, word = 0; start < starts; ++start)
    for (int64_t r = 0; r <= width / 2; ++r, word += size)
      for (int64_t i = 0; i < (2 * r == width ? r : width); ++i) {
        const int64_t k = (i + r) % width;
        corner[(start + std::min(i, k)) * n + start + std::max(i, k)] +=
            sums[word + i];
      }
}

} // namespace

void zero(tamrt_context *ctx, int64_t count, double *out) {
  std::fill_n(out, count, 0.0);
}

void assemble_matrix(tamrt_context *ctx, const int64_t *table,
                     const int32_t *penalty_row, const int32_t *penalty_column,
                     const double *penalty_value, const double *const *blocks,
                     int64_t blocks_count, int64_t group_rows, int64_t n,
                     int64_t penalties, double *a) {
  std::fill_n(a, n * n, 0.0);
  for (int64_t block = 0; block < blocks_count; ++block, table += 6) {
    const int64_t form = table[0], bandWidth = table[1];
    const int64_t rows = table[2], columns = table[3];
    const int64_t row = table[4], column = table[5];
    // Strides in A of one step down and one step right in the block.
    const int64_t down = row < column ? n : 1;
    const int64_t right = row < column ? 1 : n;
    double *corner = a + row * down + column * right;
    const int64_t starts = rows - bandWidth + 1;
    const Sums sums(blocks[block], form == Diagonal ? rows : rows * columns,
                    group_rows);
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
      addPanels(blocks[block], group_rows, bandWidth, starts, columns, down,
                right, corner);
      break;
    case UpperPanels:
      addUpperPanels(blocks[block], group_rows, bandWidth, starts, n, corner);
      break;
    default:
      return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
    }
  }
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    a[penalty_column[p] * n + penalty_row[p]] += scale * penalty_value[p];
  for (int64_t i = 0; i < n; ++i)
    a[i * (n + 1)] += floorPerRow * scale;
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

void assemble_vector(tamrt_context *ctx, const int64_t *table,
                     const double *const *blocks, int64_t blocks_count,
                     int64_t group_rows, int64_t n, double *b) {
  for (int64_t block = 0; block < blocks_count; ++block, table += 3) {
    const int64_t width = table[0], count = table[1];
    double *out = b + table[2];
    if (width > 0) {
      std::fill_n(out, count, 0.0);
      addPanels(blocks[block], group_rows, width, count - width + 1, 1, 1, 0,
                out);
      continue;
    }
    const Sums sums(blocks[block], count, group_rows);
    for (int64_t i = 0; i < count; ++i)
      out[i] = sums[i];
  }
}

} // namespace tamrt::cpu
