//===- io/ShortDecimals.cpp - many numbers of few digits ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/ShortDecimals.h"

#include "kernels/InstructionSets.h"

#ifdef TAMRT_AVX2
#include <immintrin.h>
#endif

namespace tamrt {

#ifdef TAMRT_AVX2

bool hasShortDecimals() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

TAMRT_AVX2 static inline __m256i load(const uint64_t *from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i *>(from));
}

/// The numbers of eight digits each, a byte per digit, the first one lowest.
TAMRT_AVX2 static inline __m256i numbersOf(__m256i digits) {
  // Digits to pairs, pairs to fours, fours to eight.
  const __m256i pairs =
      _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
  const __m256i fours =
      _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100));
  return _mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)),
                          _mm256_srli_epi64(fours, 32));
}

/// Integers below 2^52 as doubles.
TAMRT_AVX2 static inline __m256d doublesOf(__m256i integers) {
  // The bits of 2^52, whose last bit has the value 1.
  const __m256d base = _mm256_set1_pd(0x1p52);
  return _mm256_sub_pd(
      _mm256_castsi256_pd(_mm256_or_si256(integers, _mm256_castpd_si256(base))),
      base);
}

TAMRT_AVX2 uint64_t parseShortDecimals(const ShortFields &fields, size_t count,
                                       double *out) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i ones = _mm256_set1_epi64x(-1);
  const __m256i lows = _mm256_set1_epi8(1), highs = _mm256_set1_epi8(-128);
  const __m256i bytes = _mm256_set1_epi64x(8), bits = _mm256_set1_epi64x(64);
  uint64_t others = 0;
  for (size_t i = 0; i < count; i += 4) {
    const __m256i word = load(fields.words + i);
    const __m256i length = load(fields.lengths + i);
    // A shift by 64 gives 0; invalid lengths are detected below.
    const __m256i field = _mm256_sub_epi64(
        _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_slli_epi64(length, 3)),
        _mm256_set1_epi64x(1));
    // The lowest byte that is a point; above it there may be more.
    const __m256i unlike = _mm256_xor_si256(word, _mm256_set1_epi8('.'));
    const __m256i points = _mm256_and_si256(
        _mm256_andnot_si256(unlike, _mm256_sub_epi8(unlike, lows)),
        _mm256_and_si256(highs, field));
    const __m256i point =
        _mm256_and_si256(points, _mm256_sub_epi64(zero, points));
    const __m256i hasNone = _mm256_cmpeq_epi64(point, zero);
    // All bits before the point, or all.
    const __m256i before = _mm256_add_epi64(_mm256_srli_epi64(point, 7), ones);
    // Closes the gap.
    const __m256i closed = _mm256_or_si256(
        _mm256_and_si256(word, before),
        _mm256_andnot_si256(before, _mm256_srli_epi64(word, 8)));
    // -1 is a point less.
    const __m256i size = _mm256_sub_epi64(
        length, _mm256_add_epi64(hasNone, _mm256_set1_epi64x(1)));
    // Zeros in front of the digits.
    const __m256i digits =
        _mm256_sllv_epi64(_mm256_xor_si256(closed, _mm256_set1_epi8('0')),
                          _mm256_sub_epi64(bits, _mm256_slli_epi64(size, 3)));
    // The power of ten has as many zeros as there are digits after the point.
    const __m256i whole = _mm256_sad_epu8(_mm256_and_si256(before, lows), zero);
    const __m256i decimals =
        _mm256_andnot_si256(hasNone, _mm256_sub_epi64(size, whole));
    const __m256i power = _mm256_sllv_epi64(
        _mm256_set1_epi64x(1),
        _mm256_slli_epi64(_mm256_sub_epi64(_mm256_set1_epi64x(7), decimals),
                          3));
    const __m256d value = _mm256_div_pd(doublesOf(numbersOf(digits)),
                                        doublesOf(numbersOf(power)));
    _mm256_storeu_pd(out + i, _mm256_or_pd(value, _mm256_castsi256_pd(
                                                      load(fields.signs + i))));
    const __m256i noDigits = _mm256_and_si256(
        _mm256_or_si256(_mm256_add_epi8(digits, _mm256_set1_epi8(0x76)),
                        digits),
        highs);
    const __m256i isGood =
        _mm256_and_si256(_mm256_cmpeq_epi64(noDigits, zero),
                         _mm256_andnot_si256(_mm256_cmpgt_epi64(length, bytes),
                                             _mm256_cmpgt_epi64(size, zero)));
    const int good = _mm256_movemask_pd(_mm256_castsi256_pd(isGood));
    others |= uint64_t(~good & 0xf) << i;
  }
  return others;
}

#else

bool hasShortDecimals() { return false; }

uint64_t parseShortDecimals(const ShortFields &, size_t, double *) {
  return ~uint64_t(0);
}

#endif

} // namespace tamrt
