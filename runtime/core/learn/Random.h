//===- core/learn/Random.h - PyTorch's random numbers -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The random numbers of feature maps: MT19937 with the distributions of
/// PyTorch's CPU generator, so that a seed gives the same numbers (docs/math.md
/// section 3, "Random numbers"). They depend only on the seed and the calls,
/// and equal PyTorch's except for the last bits of log, cos and sin. Nothing
/// here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_RANDOM_H
#define TAMRT_CORE_LEARN_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace tamrt {

/// A generator. All draws, of every kind, use one sequence.
class Random {
public:
  /// Seeded as std::mt19937(seed).
  explicit Random(uint32_t seed) : engine(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-53. Two draws of 32 bits.
  double uniform();

  /// Uniform in [0, n), n > 0: 32 bits modulo n. One draw.
  uint32_t integer(uint32_t n);

  /// Fills `out` with normal numbers of mean 0 and variance 1. 16 or more
  /// numbers are made in blocks, so that they differ from as many single ones;
  /// if their number is not a multiple of 16, the last 16 are drawn again.
  /// Fewer than 16 are made in pairs, of which one may be left for the next
  /// such call.
  void normal(std::span<double> out);

  /// A place of a permutation whose number is not its index.
  struct Moved {
    uint32_t place, number;
  };

  /// Writes the first numbers of a random permutation of 0..n-1, n < 2^32 - 1,
  /// to `first`, which has at most n elements. The generator's state afterwards
  /// is that after the whole permutation. `memory` has movedRoom(places)
  /// elements. O(n) draws.
  void permutation(uint32_t n, std::span<uint32_t> first,
                   std::span<Moved> memory);
  static size_t movedRoom(size_t places);

private:
  double normalOfPair();

  /// std::mt19937 with half the bytes: the words of that one have 64 bits.
  using Engine =
      std::mersenne_twister_engine<uint32_t, 32, 624, 397, 31, 0x9908b0df, 11,
                                   0xffffffff, 7, 0x9d2c5680, 15, 0xefc60000,
                                   18, 1812433253>;
  Engine engine;
  /// The second of a pair, not returned yet.
  std::optional<double> kept;
};

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_RANDOM_H
