//===- core/learn/Random.cpp - random numbers as PyTorch's ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Random.h"

#include <cmath>
#include <numbers>
#include <unordered_map>

namespace tamrt {
namespace {

constexpr size_t kBlock = 16;
constexpr double kTwoPi = 2 * std::numbers::pi;

/// Makes 16 normal numbers of 16 uniform ones, in place.
void transformBlock(double *block) {
  for (size_t j = 0; j < kBlock / 2; ++j) {
    const double rho = std::sqrt(-2 * std::log(1 - block[j]));
    const double angle = kTwoPi * block[j + kBlock / 2];
    block[j] = rho * std::cos(angle);
    block[j + kBlock / 2] = rho * std::sin(angle);
  }
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
  const double rho = std::sqrt(-2 * std::log1p(-u2));
  const double angle = kTwoPi * u1;
  kept = rho * std::sin(angle);
  return rho * std::cos(angle);
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

std::vector<uint32_t> Random::permutation(uint32_t n, uint32_t count) {
  // Places that hold another number than their own, beyond those returned.
  std::unordered_map<uint32_t, uint32_t> moved;
  auto numberAt = [&](uint32_t place) {
    auto at = moved.find(place);
    return at == moved.end() ? place : at->second;
  };
  std::vector<uint32_t> first(count);
  for (uint32_t i = 0; i < count; ++i) {
    // The last place has nothing left to be swapped with.
    const uint32_t from = i + 1 < n ? i + integer(n - i) : i;
    first[i] = numberAt(from);
    moved[from] = numberAt(i);
    moved.erase(i);
  }
  if (n > 0 && count < n - 1)
    engine.discard(n - 1 - count);
  return first;
}

} // namespace tamrt
