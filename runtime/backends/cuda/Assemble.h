//===- cuda/Assemble.h - the normal equations -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies that add accumulators to A and b (kernels.def, assemble_matrix).
///
/// A thread computes a number of A from all the sums that belong to it, so that
/// no two threads write the same number. Panels of one band are those of a
/// product of one factor.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_ASSEMBLE_H
#define TAMRT_BACKENDS_CUDA_ASSEMBLE_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"

#include "tamrt/panels.h"

namespace tamrt::cuda {

using namespace panels;

/// The number of row `row` and column `column` of panels with `words`
/// columns.
template <class Sums>
TAMRT_BODY double sumOf(const Factors &factors, const Sums &sums, int64_t words,
                        int64_t row, int64_t column) {
  const int64_t size = wordSize(factors.numbers);
  double sum = 0.0;
  for (int64_t place = 0; place < factors.numbers; ++place) {
    int64_t rest = place, left = row, panel = 0, stride = 1;
    bool isThere = true;
    for (int64_t f = factors.count - 1; f >= 0; --f) {
      const int64_t start = left % factors.columns[f] - rest % factors.width[f];
      isThere &= start >= 0 && start < factors.starts[f];
      panel += start * stride;
      stride *= factors.starts[f];
      left /= factors.columns[f];
      rest /= factors.width[f];
    }
    if (isThere)
      sum += sums[(panel * words + column) * size + place];
  }
  return sum;
}

/// The number of row `row` and column `column` of panels of the product with
/// itself.
template <class Sums>
TAMRT_BODY double sumOfPairs(const Factors &factors, const Sums &sums,
                             int64_t row, int64_t column) {
  const int64_t size = wordSize(factors.width[factors.word]);
  const int64_t rotations = factors.width[factors.word] / 2 + 1;
  const int64_t panelNumbers = factors.pairNumbers();
  double sum = 0.0;
  for (int64_t place = 0; place < factors.numbers; ++place) {
    int64_t rest = place, left = row, right = column, panel = 0, stride = 1;
    int64_t index = 0, pairs = 1, turned = 0, first = 0;
    bool isThere = true;
    for (int64_t f = factors.count - 1; f >= 0; --f) {
      const int64_t z = factors.width[f], i = rest % z;
      const int64_t start = left % factors.columns[f] - i;
      const int64_t k = right % factors.columns[f] - start;
      isThere &= start >= 0 && start < factors.starts[f] && k >= 0 && k < z;
      panel += start * stride;
      stride *= factors.starts[f];
      const int64_t low = least(i, k), high = greatest(i, k);
      if (f == factors.word) {
        // The pair is stored with the smaller distance around the band.
        const bool isAhead = 2 * (high - low) <= z;
        turned = isAhead ? high - low : z - (high - low);
        first = isAhead ? low : high;
      } else {
        index += (low * z - low * (low - 1) / 2 + (high - low)) * pairs;
        pairs *= z * (z + 1) / 2;
      }
      left /= factors.columns[f];
      right /= factors.columns[f];
      rest /= z;
    }
    if (isThere)
      sum += sums[panel * panelNumbers + (index * rotations + turned) * size +
                  first];
  }
  return sum;
}

/// Element (row, column), row <= column, of the sums of a cubic spline with
/// itself.
template <class Sums>
TAMRT_BODY double sumOfCubics(const Sums &sums, int64_t starts, int64_t row,
                              int64_t column) {
  const int64_t distance = column - row;
  double sum = 0.0;
  for (int64_t start = greatest(int64_t(0), column - 3);
       start <= least(row, starts - 1); ++start) {
    const int64_t i = row - start, word = 8 * start;
    if (distance == 0)
      sum += sums[word + i];
    else if (distance == 1)
      sum += sums[word + 4 + i];
    else if (distance == 3)
      sum += sums[word + 7];
    else {
      // Functions 3 and 1 are functions 0 and 2 from the other end.
      const int64_t before = start, after = starts - 1 - start;
      const int64_t kind = i == 0 ? panels::kindOfSpan(before, after)
                                  : panels::kindOfSpan(after, before);
      double product = 0.0;
      for (int64_t k = 0; k < 4; ++k) {
        const double square = sums[word + (i == 0 ? k : 3 - k)];
        product += panels::kCubicProducts[kind][k] * square;
      }
      for (int64_t k = 0; k < 3; ++k) {
        const double next = sums[word + 4 + (i == 0 ? k : 2 - k)];
        product += panels::kCubicProducts[kind][4 + k] * next;
      }
      sum += product;
    }
  }
  return sum;
}

/// Element (row, column), row <= column, of the products of the cosines, then
/// the sines, of m multiples of an angle, from the sums of twice as many.
template <class Sums>
TAMRT_BODY double sumOfFrequencies(const Sums &sums, int64_t m, int64_t row,
                                   int64_t column) {
  const bool isSine = column >= m;
  const int64_t i = row % m + 1, j = column % m + 1;
  if (isSine == (row >= m)) {
    const double apart = sums[j - i], together = sums[j + i];
    return isSine ? (apart - together) / 2.0 : (apart + together) / 2.0;
  }
  const double together = sums[2 * m + j + i];
  double apart = 0.0;
  if (j > i)
    apart = sums[2 * m + j - i];
  else if (j < i)
    apart = -sums[2 * m + i - j];
  return (together + apart) / 2.0;
}

/// Blocks of threads for each block of the table.
constexpr int64_t kAssembleBlocks = 8;

/// Adds some of the table's blocks to A. They do not overlap.
struct AssembleMatrix {
  static constexpr const char *name = "assemble_matrix";
  static constexpr bool hasBarriers = false;

  Buffer<const int64_t> table;
  List<const double> blocks;
  /// Where each block's numbers start in the table.
  int64_t entries[kMaxList];
  int64_t n;
  Buffer<double> a;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto code = block.view(table);
    auto matrix = block.view(a);
    const int64_t which = block.block() / kAssembleBlocks;
    const int64_t entry = entries[which];
    const int64_t form = code[entry], width = code[entry + 1];
    const int64_t rows = code[entry + 2], columns = code[entry + 3];
    const int64_t row = code[entry + 4], column = code[entry + 5];
    auto sums = block.view(blocks.buffers[which]);
    const bool isProduct = form == ProductPanels || form == UpperProductPanels;
    const Factors factors = isProduct ? Factors(code, entry + 6, width)
                                      : Factors(width < 1 ? 1 : width, rows);
    const bool isSquare =
        form != Full && form != Panels && form != ProductPanels;
    // Strides in A for one step down and one step right in the block.
    const int64_t down = isSquare ? n : row < column ? n : 1;
    const int64_t right = isSquare ? 1 : row < column ? 1 : n;
    const int64_t corner = row < column ? row * n + column : row + column * n;
    const int64_t across = isSquare ? rows : columns;
    const int64_t first = block.block() % kAssembleBlocks * block.threads();
    for (int64_t k = first + block.thread(); k < rows * across;
         k += kAssembleBlocks * block.threads()) {
      const int64_t i = k / across, j = k % across;
      if (isSquare && (j < i || (form == Diagonal && j > i)))
        continue;
      double sum = 0.0;
      switch (form) {
      case Full:
      case UpperTriangle:
        sum = sums[i * across + j];
        break;
      case Diagonal:
        sum = sums[i];
        break;
      case Panels:
      case ProductPanels:
        sum = sumOf(factors, sums, across, i, j);
        break;
      case UpperPanels:
      case UpperProductPanels:
        sum = sumOfPairs(factors, sums, i, j);
        break;
      case Frequencies:
        sum = sumOfFrequencies(sums, rows / 2, i, j);
        break;
      default:
        sum = sumOfCubics(sums, rows - width + 1, i, j);
      }
      matrix[corner + i * down + j * right] += sum;
    }
  }
};

/// Writes some of the table's blocks to b.
struct AssembleVector {
  static constexpr const char *name = "assemble_vector";
  static constexpr bool hasBarriers = false;

  Buffer<const int64_t> table;
  List<const double> blocks;
  int64_t entries[kMaxList];
  Buffer<double> b;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto code = block.view(table);
    auto to = block.view(b);
    const int64_t which = block.block(), entry = entries[which];
    const int64_t width = code[entry], count = code[entry + 1];
    const int64_t row = code[entry + 2];
    auto sums = block.view(blocks.buffers[which]);
    const Factors factors = width < 0 ? Factors(code, entry + 3, -width)
                                      : Factors(width < 1 ? 1 : width, count);
    for (int64_t i = block.thread(); i < count; i += block.threads()) {
      double sum = 0.0;
      if (width == 0)
        sum = sums[i];
      else
        sum = sumOf(factors, sums, 1, i, 0);
      to[row + i] = sum;
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_ASSEMBLE_H
