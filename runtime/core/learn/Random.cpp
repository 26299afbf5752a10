//===- core/learn/Random.cpp - PyTorch's random numbers -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Random.h"

#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tamrt {
namespace {

constexpr size_t kBlock = 16;
constexpr double kTwoPi = 2 * std::numbers::pi;

/// Two normal numbers from two uniform ones, for which 1 - u is exact.
void toNormal(double radius, double turn, double &first, double &second) {
  const double rho = std::sqrt(-2 * cpu::logarithm(1 - radius));
  double cosine, sine;
  cpu::cosineAndSine(kTwoPi * turn, cosine, sine);
  first = rho * cosine;
  second = rho * sine;
}

/// Makes 16 normal numbers of 16 uniform ones, in place.
void transformBlock(double *block) {
  for (size_t j = 0; j < kBlock / 2; ++j) {
    double &first = block[j], &second = block[j + kBlock / 2];
    toNormal(first, second, first, second);
  }
}

constexpr uint32_t kNoPlace = UINT32_MAX;

/// The entry of `place`, or the free entry for it, in a hash table that is not
/// full.
Random::Moved &find(std::span<Random::Moved> table, uint32_t place) {
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  const size_t mask = table.size() - 1;
  size_t at = size_t(place * kSpread >> 32) & mask;
  while (table[at].place != place && table[at].place != kNoPlace)
    at = (at + 1) & mask;
  return table[at];
}

} // namespace

double Random::uniform() {
  const uint64_t high = engine(), low = engine();
  const uint64_t bits = (high << 32 | low) & ((uint64_t(1) << 53) - 1);
  return double(bits) * 0x1p-53;
}

uint32_t Random::integer(uint32_t n) { return uint32_t(engine()) % n; }

double Random::normalOfPair() {
  if (kept) {
    const double value = *kept;
    kept.reset();
    return value;
  }
  const double u1 = uniform(), u2 = uniform();
  double first;
  toNormal(u2, u1, first, kept.emplace());
  return first;
}

void Random::normal(std::span<double> out) {
  if (out.size() < kBlock) {
    for (double &value : out)
      value = normalOfPair();
    return;
  }
  for (double &value : out)
    value = uniform();
  for (size_t at = 0; at + kBlock <= out.size(); at += kBlock)
    transformBlock(out.data() + at);
  if (out.size() % kBlock == 0)
    return;
  std::span<double> last = out.last(kBlock);
  for (double &value : last)
    value = uniform();
  transformBlock(last.data());
}

size_t Random::movedRoom(size_t places) {
  return std::bit_ceil(2 * std::max<size_t>(places, 1));
}

void Random::permutation(uint32_t n, std::span<uint32_t> first,
                         std::span<Moved> memory) {
  // Each draw moves one number at most, so the table stays half empty.
  std::fill(memory.begin(), memory.end(), Moved{kNoPlace, 0});
  auto numberAt = [&](uint32_t place) {
    const Moved &moved = find(memory, place);
    return moved.place == place ? moved.number : place;
  };
  const auto count = uint32_t(first.size());
  for (uint32_t i = 0; i < count; ++i) {
    // The last place has no other place to swap with.
    const uint32_t from = i + 1 < n ? i + integer(n - i) : i;
    first[i] = numberAt(from);
    find(memory, from) = {from, numberAt(i)};
  }
  if (n > 0 && count < n - 1)
    engine.discard(n - 1 - count);
}

} // namespace tamrt
