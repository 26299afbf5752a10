//===- Planning/BitMatrix.h - rows of bits ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_BITMATRIX_H
#define TAMC_PLANNING_BITMATRIX_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// A relation between `rows` and `columns`, with 64 pairs in a word.
class BitMatrix {
public:
  BitMatrix() = default;
  BitMatrix(size_t rows, size_t columns)
      : count(rows), words((columns + 63) / 64), bits(rows * words, 0) {}

  size_t rows() const { return count; }

  bool test(size_t row, size_t column) const {
    return bits[row * words + column / 64] >> (column % 64) & 1;
  }
  void set(size_t row, size_t column) {
    bits[row * words + column / 64] |= uint64_t(1) << (column % 64);
  }
  void reset(size_t row, size_t column) {
    bits[row * words + column / 64] &= ~(uint64_t(1) << (column % 64));
  }
  std::span<uint64_t> row(size_t row) {
    return {bits.data() + row * words, words};
  }
  std::span<const uint64_t> row(size_t row) const {
    return {bits.data() + row * words, words};
  }

private:
  size_t count = 0, words = 0;
  std::vector<uint64_t> bits;
};

/// Calls `visit` with the index of every set bit, in ascending order.
template <typename Visit>
void forEachBit(std::span<const uint64_t> row, Visit visit) {
  for (size_t word = 0; word < row.size(); ++word)
    for (uint64_t rest = row[word]; rest != 0; rest &= rest - 1)
      visit(64 * word + static_cast<size_t>(std::countr_zero(rest)));
}

/// The first index that is set in both rows; -1 if there is none.
inline int64_t firstCommon(std::span<const uint64_t> a,
                           std::span<const uint64_t> b) {
  for (size_t word = 0; word < a.size(); ++word)
    if (uint64_t both = a[word] & b[word])
      return static_cast<int64_t>(64 * word) + std::countr_zero(both);
  return -1;
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_BITMATRIX_H
