//===- torch/Assemble.cpp - the normal equations --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

#include "tamrt/panels.h"

#include <numeric>

namespace tamrt::aten {
namespace {

using namespace panels;

/// A tensor with a copy of numbers of the CPU.
template <class Number>
Tensor copyOf(const std::vector<Number> &numbers, at::ScalarType type) {
  return at::from_blob(const_cast<Number *>(numbers.data()),
                       {int64_t(numbers.size())},
                       at::TensorOptions(at::kCPU).dtype(type))
      .to(device(), type, /*non_blocking=*/false, /*copy=*/true);
}

/// Numbers of a block, times factors, that are added to places of A or b.
class Additions {
public:
  void add(int64_t to, int64_t from, double factor = 1) {
    places.push_back(to);
    sources.push_back(from);
    factors.push_back(factor);
    hasFactors |= factor != 1;
  }

  /// Adds them to `out` in their order.
  void run(const double *block, const Tensor &out) const {
    if (places.empty())
      return;
    const int64_t last = *std::max_element(sources.begin(), sources.end());
    Tensor values =
        view(block, {last + 1}).index_select(0, copyOf(sources, at::kLong));
    if (hasFactors)
      values.mul_(copyOf(factors, at::kDouble));
    out.index_add_(0, copyOf(places, at::kLong), values);
  }

private:
  std::vector<int64_t> places, sources;
  std::vector<double> factors;
  bool hasFactors = false;
};

/// Number i of word [start][j] goes to the row of start plus i and column j.
void addPanels(const Factors &factors, int64_t words, int64_t down,
               int64_t right, int64_t corner, Additions &out) {
  const int64_t size = wordSize(factors.numbers);
  factors.forEachPanel([&](int64_t panel, int64_t start) {
    for (int64_t j = 0; j < words; ++j)
      factors.forEachPlace([&](int64_t i, int64_t column) {
        out.add(corner + (start + column) * down + j * right,
                (panel * words + j) * size + i);
      });
  });
}

/// Adds the panels of a product with itself to a lower triangle with column
/// stride n.
void addUpperPanels(const Factors &factors, int64_t n, int64_t corner,
                    Additions &out) {
  const int64_t panelNumbers = factors.pairNumbers();
  const auto add = [&](int64_t number, const int64_t *places, int64_t count) {
    for (int64_t way = 0; way < count; ++way)
      factors.forEachPanel([&](int64_t panel, int64_t start) {
        out.add(corner + places[way] + start * (n + 1),
                panel * panelNumbers + number);
      });
  };
  PairWalk(factors, n, add).run();
}

/// Words of a cubic spline are the squares and the products of neighbours,
/// cyclically; the other two products follow from them.
void addCubics(int64_t starts, int64_t n, int64_t corner, Additions &out) {
  for (int64_t start = 0; start < starts; ++start, corner += n + 1) {
    const int64_t square = 8 * start, next = square + 4;
    for (int64_t i = 0; i < 4; ++i)
      out.add(corner + i * (n + 1), square + i);
    for (int64_t i = 0; i < 3; ++i)
      out.add(corner + i * (n + 1) + 1, next + i);
    out.add(corner + 3, next + 3);
    const int64_t before = start, after = starts - 1 - start;
    const auto &up = panels::kCubicProducts[panels::kindOfSpan(before, after)];
    const auto &down =
        panels::kCubicProducts[panels::kindOfSpan(after, before)];
    for (int64_t i = 0; i < 4; ++i) {
      out.add(corner + 2, square + i, up[i]);
      out.add(corner + n + 3, square + 3 - i, down[i]);
    }
    for (int64_t i = 0; i < 3; ++i) {
      out.add(corner + 2, next + i, up[4 + i]);
      out.add(corner + n + 3, next + 2 - i, down[4 + i]);
    }
  }
}

/// Products of the cosines and sines of m multiples of an angle, from the sums
/// of twice as many.
void addFrequencies(int64_t m, int64_t n, int64_t corner, Additions &out) {
  auto sine = [&](int64_t to, int64_t k) {
    if (k != 0)
      out.add(to, 2 * m + std::abs(k), k < 0 ? -0.5 : 0.5);
  };
  for (int64_t i = 1; i <= m; ++i) {
    const int64_t cosines = corner + (i - 1) * n, sines = cosines + m * n;
    for (int64_t j = i; j <= m; ++j) {
      out.add(cosines + j - 1, j - i, 0.5);
      out.add(cosines + j - 1, j + i, 0.5);
      out.add(sines + m + j - 1, j - i, 0.5);
      out.add(sines + m + j - 1, j + i, -0.5);
    }
    for (int64_t j = 1; j <= m; ++j) {
      sine(cosines + m + j - 1, j + i);
      sine(cosines + m + j - 1, j - i);
    }
  }
}

/// Reads a table entry by entry.
class Table {
public:
  explicit Table(const int64_t *table) : next(table) {}

  std::vector<int64_t> take(int64_t count) {
    std::vector<int64_t> entry = read(next, count);
    next += count;
    return entry;
  }
  /// Width and columns of factors.
  Factors takeFactors(int64_t count) {
    expect(count >= 1 && count <= kMaxFactors, 1);
    return Factors(take(2 * count), 0, count);
  }

private:
  const int64_t *next;
};

/// Where the entries of a lower triangle are in A, column-major n x n.
Tensor placesOf(const int32_t *row, const int32_t *column, int64_t entries,
                int64_t n) {
  return view(column, {entries})
      .to(at::kLong)
      .mul(n)
      .add(view(row, {entries}).to(at::kLong));
}

/// value[i] * weights[which[i]].
Tensor learnt(const double *value, const int32_t *which, const double *weights,
              int64_t entries) {
  const Tensor index = view(which, {entries}).to(at::kLong);
  const int64_t last = index.max().item<int64_t>();
  return view(value, {entries})
      .mul(view(weights, {last + 1}).index_select(0, index));
}

/// q += S v, S symmetric with these entries of its lower triangle.
void multiply(const int32_t *row, const int32_t *column, const Tensor &value,
              const Tensor &v, const Tensor &q) {
  const int64_t entries = value.size(0);
  const Tensor i = view(row, {entries}).to(at::kLong);
  const Tensor j = view(column, {entries}).to(at::kLong);
  q.index_add_(0, i, value.mul(v.index_select(0, j)));
  const Tensor mirrored = value.mul(v.index_select(0, i));
  q.index_add_(0, j, at::where(i.ne(j), mirrored, at::zeros_like(mirrored)));
}

} // namespace

static void assemble_matrix(const int64_t *table, const int32_t *penalty_row,
                            const int32_t *penalty_column,
                            const double *penalty_value,
                            const double *const *blocks, int64_t blocks_count,
                            int64_t group_rows, int64_t n, int64_t penalties,
                            double *a) {
  Tensor matrix = view(a, {n * n});
  matrix.zero_();
  Table entries(table);
  for (int64_t block = 0; block < blocks_count; ++block) {
    const std::vector<int64_t> entry = entries.take(6);
    const int64_t width = entry[1], rows = entry[2], columns = entry[3];
    const int64_t row = entry[4], column = entry[5];
    // Strides in A for one step down and one step right in the block.
    const int64_t down = row < column ? n : 1;
    const int64_t right = row < column ? 1 : n;
    const int64_t corner = row * down + column * right;
    const double *sums = blocks[block];
    Additions additions;
    switch (entry[0]) {
    case Full:
      matrix
          .as_strided({rows, columns}, {down, right},
                      matrix.storage_offset() + corner)
          .add_(view(sums, {rows, columns}));
      break;
    case UpperTriangle:
      matrix
          .as_strided({rows, columns}, {n, 1}, matrix.storage_offset() + corner)
          .add_(view(sums, {rows, columns}).triu());
      break;
    case Diagonal:
      matrix.as_strided({rows}, {n + 1}, matrix.storage_offset() + corner)
          .add_(view(sums, {rows}));
      break;
    case Panels:
      addPanels(Factors(width, rows), columns, down, right, corner, additions);
      break;
    case UpperPanels:
      addUpperPanels(Factors(width, rows), n, corner, additions);
      break;
    case ProductPanels:
      addPanels(entries.takeFactors(width), columns, down, right, corner,
                additions);
      break;
    case UpperProductPanels:
      addUpperPanels(entries.takeFactors(width), n, corner, additions);
      break;
    case Frequencies:
      addFrequencies(rows / 2, n, corner, additions);
      break;
    case CubicPanels:
      addCubics(rows - width + 1, n, corner, additions);
      break;
    default:
      expect(false, 1);
    }
    additions.run(sums, matrix);
  }
  const auto scale = static_cast<double>(group_rows);
  if (penalties > 0)
    matrix.index_add_(0, placesOf(penalty_row, penalty_column, penalties, n),
                      view(penalty_value, {penalties}).mul(scale));
  matrix.as_strided({n}, {n + 1}, matrix.storage_offset())
      .add_(TAMRT_PENALTY_FLOOR * scale);
}

static void penalty_values(const int32_t *part, const double *number,
                           const double *strengths, int64_t parts, int64_t sums,
                           double *values) {
  // A program of a few scalars: the CPU runs it.
  std::vector<double> result(size_t(sums), 0.0);
  for (int64_t p = 0; p < parts; ++p) {
    const std::vector<int32_t> head = read(part, 2);
    part += 2;
    const int32_t sum = head[0], code = head[1];
    double value = 0;
    if (code < 0)
      value = result[size_t(read(part++, 1)[0])];
    else
      value = read(number++, 1)[0];
    const int32_t count = code < 0 ? ~code : code;
    for (int32_t i = 0; i < count; ++i)
      value *= read(strengths + read(part++, 1)[0], 1)[0];
    result[size_t(sum)] += value;
  }
  write(result, values);
}

static void add_penalty(const int32_t *penalty_row,
                        const int32_t *penalty_column,
                        const double *penalty_value, const int32_t *which,
                        const double *weights, int64_t group_rows, int64_t n,
                        int64_t penalties, double *a) {
  if (penalties == 0)
    return;
  view(a, {n * n})
      .index_add_(0, placesOf(penalty_row, penalty_column, penalties, n),
                  learnt(penalty_value, which, weights, penalties)
                      .mul(static_cast<double>(group_rows)));
}

static void assemble_vector(const int64_t *table, const double *const *blocks,
                            int64_t blocks_count, int64_t n, double *b) {
  const Tensor vector = view(b, {n});
  Table entries(table);
  for (int64_t block = 0; block < blocks_count; ++block) {
    const std::vector<int64_t> entry = entries.take(3);
    const int64_t width = entry[0], count = entry[1], row = entry[2];
    Tensor part = vector.slice(0, row, row + count);
    if (width == 0) {
      part.copy_(view(blocks[block], {count}));
      continue;
    }
    part.zero_();
    Additions additions;
    addPanels(width < 0 ? entries.takeFactors(-width) : Factors(width, count),
              1, 1, 0, 0, additions);
    additions.run(blocks[block], part);
  }
}

static void multiply_penalty(const int32_t *penalty_row,
                             const int32_t *penalty_column,
                             const double *penalty_value, const double *v,
                             int64_t group_rows, int64_t n, int64_t penalties,
                             double *q) {
  const auto scale = static_cast<double>(group_rows);
  const Tensor from = view(v, {n}), to = view(q, {n});
  if (penalties > 0)
    multiply(penalty_row, penalty_column,
             view(penalty_value, {penalties}).mul(scale), from, to);
  to.add_(from.mul(TAMRT_PENALTY_FLOOR * scale));
}

static void multiply_learnt_penalty(const int32_t *penalty_row,
                                    const int32_t *penalty_column,
                                    const double *penalty_value,
                                    const int32_t *which, const double *weights,
                                    const double *v, int64_t group_rows,
                                    int64_t n, int64_t penalties, double *q) {
  if (penalties > 0)
    multiply(penalty_row, penalty_column,
             learnt(penalty_value, which, weights, penalties)
                 .mul(static_cast<double>(group_rows)),
             view(v, {n}), view(q, {n}));
}

void addAssembly(Bodies &all) {
  all.assemble_matrix = assemble_matrix;
  all.penalty_values = penalty_values;
  all.add_penalty = add_penalty;
  all.assemble_vector = assemble_vector;
  all.multiply_penalty = multiply_penalty;
  all.multiply_learnt_penalty = multiply_learnt_penalty;
}

} // namespace tamrt::aten
