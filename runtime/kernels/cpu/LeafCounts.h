//===- cpu/LeafCounts.h - row counts of pairs of leaves ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts, for every pair of leaves of different trees, the rows of a block
/// that are in both.
///
/// A row is a bit string with one bit for each leaf of each tree. For each leaf
/// of one tree, the rows in it are listed and their bit strings are added, 256
/// columns at a time. The sums are stored as bit planes: plane p has bit p of
/// all sums, and seven carry-save additions add eight rows. That takes a
/// fraction of an instruction per pair of trees and row; writing the sums of a
/// leaf, once per block, takes about as long.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_LEAFCOUNTS_H
#define TAMRT_KERNELS_CPU_LEAFCOUNTS_H

#include "kernels/cpu/Support.h"

#include <bit>
#include <cstring>

namespace tamrt::cpu {

/// Numbers that are counts times a constant, rounded once.
///
/// The count can be computed exactly from such a number: two relative rounding
/// errors of 2^-53 do not move a count below 2^50 near another integer.
class Counter {
public:
  explicit Counter(double unit) : unit(unit), inverse(1.0 / unit) {}

  TAMRT_INLINE void add(double &sum, int times) const {
    sum = (countIn(sum) + static_cast<double>(times)) * unit;
  }

  /// Adds another such number.
  TAMRT_INLINE void join(double &sum, double other) const {
    sum = (countIn(sum) + countIn(other)) * unit;
  }

private:
  TAMRT_INLINE double countIn(double sum) const {
    // Adding and subtracting this rounds to an integer, also in vectors.
    constexpr double rounder = 0x1.8p52;
    return (sum * inverse + rounder) - rounder;
  }

  double unit, inverse;
};

/// A multi-hot matrix in which number `t` of a row is a leaf of tree `t`, in
/// the columns [t * count, (t + 1) * count).
struct Leaves {
  const int32_t *index;
  int64_t z, n;
  /// Leaves of a tree.
  int64_t count;

  /// Most leaves of a tree.
  static constexpr int64_t most = 256;

  TAMRT_INLINE int64_t leaf(int64_t r, int64_t tree) const {
    return index[r * z + tree] - tree * count;
  }

  /// Whether all trees have the same size, and it is supported.
  TAMRT_INLINE bool haveCode() const { return n == z * count && count <= most; }

  /// Whether the first `rows` rows are of this kind.
  TAMRT_INLINE bool contain(int64_t rows) const {
    const auto limit = static_cast<uint32_t>(count);
    uint32_t outside = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const int32_t *__restrict row = index + r * z;
      for (int64_t t = 0; t < z; ++t)
        outside |= static_cast<uint32_t>(row[t] - static_cast<int32_t>(t) *
                                                      int32_t(limit)) >= limit;
    }
    return outside == 0;
  }
};

/// Counts a block of rows in the workspace of gram_multihot.
class LeafBlock {
public:
  /// Most rows of a block.
  static constexpr int64_t maxRows = TAMRT_SEGMENT_ROWS;
  /// Trees whose rows are listed at the same time.
  static constexpr int64_t groupTrees = 8;

  /// For blocks of at most `rows` rows. `workspace` has
  /// TAMRT_LEAF_WORKSPACE(rows) doubles, aligned to TAMRT_ALIGNMENT.
  TAMRT_INLINE LeafBlock(double *workspace, int64_t rows)
      : rows(rows), bits(reinterpret_cast<Bits *>(workspace)),
        listed(reinterpret_cast<uint16_t *>(bits + rows + 1)),
        ends(listed + groupTrees * rows) {
    static_assert(TAMRT_LEAF_WORKSPACE(1) * sizeof(double) ==
                  2 * sizeof(Bits) + groupTrees * sizeof(uint16_t) +
                      endCount * sizeof(uint16_t));
  }

  /// Adds the first `count` rows of `a`, at most as many as a block has, to the
  /// entries (i, j), i <= j, of the row-major sums.
  TAMRT_INLINE void add(const Leaves &a, int64_t count, const Counter &counter,
                        double *sums) {
    const int64_t lanes = lanesOf(a.count);
    const int64_t perWord = laneCount / lanes;
    std::memset(bits + count, 0, sizeof(Bits));
    for (int64_t begin = 0; begin < a.z; begin += groupTrees) {
      const int64_t end = std::min(a.z, begin + groupTrees);
      list(a, count, begin, end);
      for (int64_t first = begin / perWord * perWord; first < a.z;
           first += perWord) {
        const int64_t last = std::min(a.z, first + perWord);
        // The last word also contains trees of the word before, so that it is
        // full.
        const bool overlaps = lanes == 1 && last >= laneCount;
        const Word word = {overlaps ? last - laneCount : first, first, last,
                           lanes};
        fill(a, count, word);
        for (int64_t tree = begin; tree < std::min(end, word.end); ++tree)
          addTree(a, count, tree, tree - begin, word, counter, sums);
      }
    }
  }

private:
  static constexpr int64_t laneCount = 8;
  static constexpr int maxPlanes = std::bit_width(uint64_t(maxRows));
  static constexpr int64_t endCount = groupTrees * Leaves::most;

  typedef uint32_t Bits __attribute__((vector_size(32)));
  typedef uint8_t Bytes __attribute__((vector_size(32)));
  typedef uint32_t Lane __attribute__((may_alias));

  /// Trees [begin, end), each with `lanes` lanes of 32 bits. Trees before
  /// `first` have been counted already.
  struct Word {
    int64_t begin, first, end, lanes;
  };

  /// Lanes for the leaves of a tree, a divisor of laneCount.
  static TAMRT_INLINE int64_t lanesOf(int64_t leaves) {
    return static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(leaves + 31) / 32));
  }

  /// Lists the rows of each leaf of trees [begin, end), in their order: those
  /// of leaf l of number t are listed[from] on, up to ends[t * most + l], and
  /// begin where the ones before end.
  TAMRT_INLINE void list(const Leaves &a, int64_t count, int64_t begin,
                         int64_t end) {
    if (end - begin == groupTrees)
      list<groupTrees>(a, count, begin, groupTrees);
    else
      list<0>(a, count, begin, end - begin);
  }

  /// `Trees` is the number of trees, 0 for one known only at run time.
  template <int64_t Trees>
  TAMRT_INLINE void list(const Leaves &a, int64_t count, int64_t begin,
                         int64_t number) {
    const int64_t trees = Trees ? Trees : number;
    // From the index of a leaf to its place in `ends`.
    int64_t shift[groupTrees];
    for (int64_t t = 0; t < trees; ++t)
      shift[t] = t * Leaves::most - (begin + t) * a.count;
    uint16_t *__restrict to = ends;
    uint16_t *__restrict ids = listed;
    const int32_t *__restrict index = a.index + begin;
    std::memset(to, 0, endCount * sizeof(uint16_t));
    for (int64_t r = 0; r < count; ++r)
      for (int64_t t = 0; t < trees; ++t)
        ++to[index[r * a.z + t] + shift[t]];
    for (int64_t t = 0; t < trees; ++t) {
      auto before = static_cast<uint16_t>(t * rows);
      for (int64_t leaf = 0; leaf < a.count; ++leaf) {
        const uint16_t size = to[t * Leaves::most + leaf];
        to[t * Leaves::most + leaf] = before;
        before = static_cast<uint16_t>(before + size);
      }
    }
    for (int64_t r = 0; r < count; ++r)
      for (int64_t t = 0; t < trees; ++t)
        ids[to[index[r * a.z + t] + shift[t]]++] = static_cast<uint16_t>(r);
  }

  /// Sets the bits of all rows.
  TAMRT_INLINE void fill(const Leaves &a, int64_t count, const Word &word) {
    if (word.end - word.begin == laneCount) {
      Bits base;
      for (int64_t l = 0; l < laneCount; ++l)
        base[l] = static_cast<uint32_t>((word.begin + l) * a.count);
      const int32_t *row = a.index + word.begin;
      for (int64_t r = 0; r < count; ++r, row += a.z) {
        Bits leaf;
        std::memcpy(&leaf, row, sizeof(leaf));
        bits[r] = (Bits{} + 1) << (leaf - base);
      }
      return;
    }
    for (int64_t r = 0; r < count; ++r) {
      bits[r] = Bits{};
      Lane *lanes = reinterpret_cast<Lane *>(bits + r);
      for (int64_t t = word.begin; t < word.end; ++t, lanes += word.lanes) {
        const int64_t leaf = a.leaf(r, t);
        lanes[leaf / 32] = uint32_t(1) << (leaf % 32);
      }
    }
  }

  /// Adds the counts of the leaves of `tree`, number `slot` of the listed
  /// trees, with the later trees of a word.
  TAMRT_INLINE void addTree(const Leaves &a, int64_t count, int64_t tree,
                            int64_t slot, const Word &word,
                            const Counter &counter, double *sums) {
    const int64_t from = std::max(word.first, tree + 1);
    int64_t begin = slot * rows;
    for (int64_t leaf = 0; leaf < a.count; ++leaf) {
      const int64_t end = ends[slot * Leaves::most + leaf], size = end - begin;
      const uint16_t *ids = listed + begin;
      begin = end;
      if (size == 0)
        continue;
      const int64_t row = tree * a.count + leaf;
      double *out = sums + row * a.n;
      if (tree >= word.first)
        counter.add(out[row], static_cast<int>(size));
      if (from >= word.end)
        continue;
      // For few rows it is faster to add every pair.
      if (size * pairsPerWord <= laneCount / word.lanes * fewestRows) {
        for (int64_t i = 0; i < size; ++i)
          for (int64_t t = from; t < word.end; ++t)
            counter.add(out[a.index[ids[i] * a.z + t]], 1);
        continue;
      }
      // Prefetch the sums while the bits are added.
      for (int64_t j = from * a.count; j < word.end * a.count; j += 8)
        __builtin_prefetch(out + j, 1);
      alignas(32) Bits planes[maxPlanes];
      const int used = addUp(ids, size, count, planes);
      const int64_t firstLane = (from - word.begin) * word.lanes;
      const int64_t lastLane = (word.end - word.begin) * word.lanes;
      // One call for both, because the compiler would add up the stack of each.
      alignas(32) uint8_t low[laneCount * 32], high[laneCount * 32];
      for (int begin = 0; begin < used; begin += 8)
        for (int64_t l = firstLane; l < lastLane; ++l)
          numbers(planes, begin, std::min(used, begin + 8), l,
                  begin == 0 ? low : high);
      if (a.count == 32 * word.lanes) {
        write(low, used > 8 ? high : nullptr, 32 * firstLane, 32 * lastLane,
              counter, out + word.begin * a.count);
        continue;
      }
      for (int64_t t = from; t < word.end; ++t) {
        const int64_t bit = (t - word.begin) * word.lanes * 32;
        write(low + bit, used > 8 ? high + bit : nullptr, 0, a.count, counter,
              out + t * a.count);
      }
    }
  }

  /// The full adder: the bits of a + b + c in `sum` and `carry`.
  static TAMRT_INLINE void carrySave(Bits &carry, Bits &sum, const Bits &a,
                                     const Bits &b, const Bits &c) {
    const Bits either = a ^ b;
    carry = (a & b) | (either & c);
    sum = either ^ c;
  }

  /// Adds up the bits of the listed rows; row `zero` has none. Returns how many
  /// planes it used.
  TAMRT_INLINE int addUp(const uint16_t *ids, int64_t size, int64_t zero,
                         Bits *planes) const {
    const int used = std::max(3, int(std::bit_width(uint64_t(size))));
    Bits ones = {}, twos = {}, fours = {};
    for (int p = 3; p < used; ++p)
      planes[p] = Bits{};
    for (int64_t i = 0; i < size; i += 8) {
      uint16_t last[8];
      const uint16_t *id = ids + i;
      if (size - i < 8) {
        std::fill_n(last, 8, static_cast<uint16_t>(zero));
        std::copy_n(id, size - i, last);
        id = last;
      }
      Bits twosA, twosB, foursA, foursB, carry;
      carrySave(twosA, ones, ones, bits[id[0]], bits[id[1]]);
      carrySave(twosB, ones, ones, bits[id[2]], bits[id[3]]);
      carrySave(foursA, twos, twos, twosA, twosB);
      carrySave(twosA, ones, ones, bits[id[4]], bits[id[5]]);
      carrySave(twosB, ones, ones, bits[id[6]], bits[id[7]]);
      carrySave(foursB, twos, twos, twosA, twosB);
      carrySave(carry, fours, fours, foursA, foursB);
      for (int p = 3; p < used; ++p) {
        const Bits plane = planes[p];
        planes[p] = plane ^ carry;
        carry &= plane;
      }
    }
    planes[0] = ones;
    planes[1] = twos;
    planes[2] = fours;
    return used;
  }

  /// Writes planes [begin, end) of a lane as 32 numbers.
  static TAMRT_INLINE void numbers(const Bits *planes, int begin, int end,
                                   int64_t lane, uint8_t *out) {
    const Lane *lanes = reinterpret_cast<const Lane *>(planes) + lane;
    // Byte i has bit i % 8 of the lane's byte i / 8, which each half has.
    const Bytes bit = {1,  2,   4,  8,  16,  32, 64, 128, 1,  2,  4,
                       8,  16,  32, 64, 128, 1,  2,  4,   8,  16, 32,
                       64, 128, 1,  2,  4,   8,  16, 32,  64, 128};
    Bytes result = {};
    for (int p = end; p-- > begin;) {
      const Bits all = Bits{} + lanes[p * laneCount];
      const Bytes spread = __builtin_shufflevector(
          (Bytes)all, (Bytes)all, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1,
          1, 18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19);
      const Bytes set = (Bytes)((spread & bit) == bit);
      result = result + result - set;
    }
    std::memcpy(out + 32 * lane, &result, sizeof(result));
  }

  /// Adds numbers [begin, end), `low` and 256 times `high`, to as many sums.
  static TAMRT_INLINE void write(const uint8_t *__restrict low,
                                 const uint8_t *__restrict high, int64_t begin,
                                 int64_t end, const Counter &counter,
                                 double *__restrict out) {
    if (high)
      for (int64_t j = begin; j < end; ++j)
        counter.add(out[j], low[j] + 256 * high[j]);
    else
      for (int64_t j = begin; j < end; ++j)
        counter.add(out[j], low[j]);
  }

  /// Break-even point between adding pair by pair and adding bits.
  static constexpr int64_t fewestRows = 12, pairsPerWord = 8;

  const int64_t rows;
  /// Arrays of rows + 1, groupTrees * rows and endCount elements.
  Bits *const bits;
  uint16_t *const listed, *const ends;
};

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_LEAFCOUNTS_H
