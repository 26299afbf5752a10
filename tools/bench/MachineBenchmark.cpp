//===- bench/MachineBenchmark.cpp - rates of the machine ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rates that bound a fit, on one thread, as items per second:
///
///     multiply_add     products added to a sum, in registers
///     word/KIB         words of 32 bytes read, added to and written, four
///                      consecutive ones as for two splines, at random
///                      addresses in this many KiB
///     memory           bytes read from memory larger than the caches
///
//===----------------------------------------------------------------------===//

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_MACHINE __attribute__((target_clones("fma", "default")))
#else
#define FOR_MACHINE
#endif

namespace {

typedef double Word __attribute__((vector_size(32), may_alias));

constexpr int64_t steps = 4096;

/// Twelve sums hide the latency of a product; the machine may fuse sums and
/// products.
FOR_MACHINE void multiplyAdd(Word *sums, const Word *factors) {
  Word s[12];
  for (int i = 0; i < 12; ++i)
    s[i] = sums[i];
  const Word a = factors[0], b = factors[1];
  for (int64_t step = 0; step < steps; ++step)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i)
      s[i] = s[i] * a + b;
  for (int i = 0; i < 12; ++i)
    sums[i] = s[i];
}

FOR_MACHINE void addToWords(Word *words, const int32_t *places,
                            const Word *factor) {
  const Word added = *factor;
  for (int64_t step = 0; step < steps; ++step) {
    Word *four = words + places[step];
    for (int i = 0; i < 4; ++i)
      four[i] += added;
  }
}

FOR_MACHINE void addUp(const Word *words, size_t count, Word *sum) {
  Word s[8] = {};
  for (size_t i = 0; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; ++k)
      s[k] += words[i + k];
  for (const Word &part : s)
    *sum += part;
}

void multiply_add(benchmark::State &state) {
  Word sums[12] = {}, factors[2] = {Word{} + 1e-3, Word{} + 1e-3};
  for (auto _ : state) {
    benchmark::DoNotOptimize(&factors);
    multiplyAdd(sums, factors);
    benchmark::DoNotOptimize(&sums);
  }
  state.SetItemsProcessed(state.iterations() * steps * 12 * 4);
}

/// Words of zeros, aligned.
class Words {
public:
  explicit Words(size_t count)
      : count(count), first(static_cast<Word *>(
                          std::aligned_alloc(64, count * sizeof(Word)))) {
    if (!first)
      std::abort();
    std::memset(first, 0, count * sizeof(Word));
  }
  ~Words() { std::free(first); }
  Words(const Words &) = delete;
  Words &operator=(const Words &) = delete;

  Word *data() const { return first; }
  size_t size() const { return count; }

private:
  size_t count;
  Word *first;
};

void word(benchmark::State &state) {
  const size_t count = size_t(state.range(0)) * 1024 / sizeof(Word);
  const Words words(count);
  std::vector<int32_t> places(steps);
  std::mt19937 generator(1);
  for (int32_t &place : places)
    place = int32_t(generator() % (count - 3));
  Word factor = Word{} + 1e-3;
  for (auto _ : state) {
    benchmark::DoNotOptimize(&factor);
    addToWords(words.data(), places.data(), &factor);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * steps * 4);
}

void memory(benchmark::State &state) {
  const Words words((size_t(256) << 20) / sizeof(Word));
  Word sum = {};
  for (auto _ : state) {
    addUp(words.data(), words.size(), &sum);
    benchmark::DoNotOptimize(&sum);
  }
  state.SetItemsProcessed(state.iterations() *
                          int64_t(words.size() * sizeof(Word)));
}

BENCHMARK(multiply_add);
BENCHMARK(word)->Arg(16)->Arg(128);
BENCHMARK(memory);

} // namespace

BENCHMARK_MAIN();
