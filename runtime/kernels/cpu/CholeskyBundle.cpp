//===- cpu/CholeskyBundle.cpp - small systems side by side ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The direct solver of a bundle of systems. Each lane has the operations of
/// Cholesky.cpp for a matrix of one panel in their order.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CholeskyBundle.h"

#include "kernels/cpu/CholeskyTiles.h"

#include <cmath>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tamrt::cpu {

namespace {

/// Rows of a column that are computed at once.
constexpr int64_t rowsAtOnce = 4;

/// The vector of `Count` systems; as a template argument it would lose its
/// alignment.
template <int64_t Count> struct VectorOf;
template <> struct VectorOf<4> {
  typedef Vector Type;
  typedef int64_t Bits __attribute__((vector_size(32)));
};
template <> struct VectorOf<kBundleSystems> {
  typedef Wide Type;
  typedef int64_t Bits __attribute__((vector_size(64)));
};

/// Numbers of `Count` systems: number (i, j) of a matrix, or number i of a
/// vector.
template <int64_t Count> struct Lanes {
  typedef typename VectorOf<Count>::Type V;

  double *numbers;
  int64_t n;

  TAMRT_INLINE V &at(int64_t i, int64_t j = 0) const {
    return *reinterpret_cast<V *>(numbers + (j * n + i) * kBundleSystems);
  }
};

/// The square roots of a vector, two at a time where the baseline can.
template <int64_t Count>
TAMRT_INLINE void squareRoots(const typename VectorOf<Count>::Type &x,
                              typename VectorOf<Count>::Type &roots) {
#ifdef __SSE2__
  for (int s = 0; s < Count; s += 2) {
    const __m128d two = _mm_sqrt_pd(__m128d{x[s], x[s + 1]});
    roots[s] = two[0];
    roots[s + 1] = two[1];
  }
#else
  for (int s = 0; s < Count; ++s)
    roots[s] = std::sqrt(x[s]);
#endif
}

/// The systems of a bundle that a vector holds.
template <int64_t Count> struct Systems {
  typedef typename VectorOf<Count>::Type V;
  typedef typename VectorOf<Count>::Bits Bits;

  int64_t n;
  Lanes<Count> a, b, l, x;
  /// By lane: negative if cholesky_solve refines the solution or fails. Sums of
  /// integers, because vectors are compared lane by lane in functions that are
  /// inlined into those for another instruction set.
  Bits isLeft{};

  TAMRT_INLINE Systems(int64_t n, const double *matrices, const double *vectors,
                       double *factors, double *solutions)
      : n(n), a{const_cast<double *>(matrices), n},
        b{const_cast<double *>(vectors), n}, l{factors, n}, x{solutions, n} {}

  /// Computes L in rows [i, i + Height) of column j, and L's diagonal if this
  /// is the first of them.
  template <int64_t Height>
  TAMRT_INLINE void factorRows(int64_t i, int64_t j, V &inverse) {
    V sums[Height];
    for (int64_t h = 0; h < Height; ++h)
      sums[h] = a.at(i + h, j);
    for (int64_t p = 0; p < j; ++p) {
      const V top = l.at(j, p);
      for (int64_t h = 0; h < Height; ++h)
        sums[h] -= l.at(i + h, p) * top;
    }
    if (i == j) {
      V roots{};
      squareRoots<Count>(sums[0], roots);
      inverse = 1.0 / roots;
      // In [0, 1], as integers, too, if this is a pivot and not a small one.
      const Bits quotient =
          (Bits)(minExactPivot * a.at(j, j) * inverse * inverse);
      isLeft |= quotient | (oneBits - quotient);
    }
    for (int64_t h = 0; h < Height; ++h)
      l.at(i + h, j) = sums[h] * inverse;
    if (i == j)
      l.at(j, j) = inverse;
  }

  /// Factors A, and solves L x = b.
  TAMRT_INLINE void factorAndSolveDown() {
    for (int64_t j = 0; j < n; ++j) {
      V inverse{};
      int64_t i = j;
      for (; i + rowsAtOnce <= n; i += rowsAtOnce)
        factorRows<rowsAtOnce>(i, j, inverse);
      if (n - i == 3)
        factorRows<3>(i, j, inverse);
      else if (n - i == 2)
        factorRows<2>(i, j, inverse);
      else if (n - i == 1)
        factorRows<1>(i, j, inverse);
      V left = b.at(j);
      isLeft |= largestBits - ((Bits)left & ~signBit);
      for (int64_t p = 0; p < j; ++p)
        left -= l.at(j, p) * x.at(p);
      x.at(j) = left * inverse;
    }
  }

  /// x <- L'^-1 x, with solveUp's sums.
  TAMRT_INLINE void solveUp() {
    const int64_t whole = n - n % tileColumns;
    for (int64_t j = n - 1; j >= whole; --j) {
      V left = x.at(j);
      for (int64_t i = j + 1; i < n; ++i)
        left -= l.at(i, j) * x.at(i);
      x.at(j) = left * l.at(j, j);
    }
    for (int64_t j = whole - tileColumns; j >= 0; j -= tileColumns) {
      V sums[tileColumns];
      for (int64_t c = 0; c < tileColumns; ++c) {
        V partial[4] = {};
        int64_t i = j + tileColumns;
        for (; i + 4 <= n; i += 4)
          for (int64_t q = 0; q < 4; ++q)
            partial[q] += l.at(i + q, j + c) * x.at(i + q);
        sums[c] = (partial[0] + partial[1]) + (partial[2] + partial[3]);
        for (; i < n; ++i)
          sums[c] += l.at(i, j + c) * x.at(i);
      }
      for (int64_t c = tileColumns - 1; c >= 0; --c) {
        V left = x.at(j + c) - sums[c];
        for (int64_t p = tileColumns - 1; p > c; --p)
          left -= l.at(j + p, j + c) * x.at(j + p);
        x.at(j + c) = left * l.at(j + c, j + c);
      }
    }
  }

  static constexpr int64_t signBit = std::numeric_limits<int64_t>::min();
  static constexpr int64_t oneBits = 0x3ff0000000000000;
  static constexpr int64_t largestBits = 0x7fefffffffffffff;
};

template <int64_t Count>
TAMRT_INLINE uint32_t solve(int64_t n, const double *matrices,
                            const double *vectors, double *factors,
                            double *solutions) {
  uint32_t left = 0;
  for (int64_t s = 0; s < kBundleSystems; s += Count) {
    Systems<Count> systems(n, matrices + s, vectors + s, factors + s,
                           solutions + s);
    systems.factorAndSolveDown();
    systems.solveUp();
    for (int64_t lane = 0; lane < Count; ++lane)
      left |= uint32_t(systems.isLeft[lane] < 0) << (s + lane);
  }
  return left;
}

template <int64_t Count>
TAMRT_INLINE void forms(const double *factors, int64_t n, double *rows,
                        double *out) {
  for (int64_t s = 0; s < kBundleSystems; s += Count) {
    const Lanes<Count> l = {const_cast<double *>(factors) + s, n};
    const Lanes<Count> x = {rows + s, n};
    typename VectorOf<Count>::Type sum{};
    for (int64_t i = 0; i < n; ++i) {
      auto left = x.at(i);
      for (int64_t p = 0; p < i; ++p)
        left -= l.at(i, p) * x.at(p);
      left *= l.at(i, i);
      x.at(i) = left;
      sum += left * left;
    }
    Lanes<Count>{out + s, 1}.at(0) = sum;
  }
}

TAMRT_HOT uint32_t solveByVectors(int64_t n, const double *matrices,
                                  const double *vectors, double *factors,
                                  double *solutions) {
  return solve<4>(n, matrices, vectors, factors, solutions);
}
TAMRT_HOT void formsByVectors(const double *factors, int64_t n, double *rows,
                              double *out) {
  forms<4>(factors, n, rows, out);
}

#ifdef TAMRT_AVX512
TAMRT_AVX512 uint32_t solveByWides(int64_t n, const double *matrices,
                                   const double *vectors, double *factors,
                                   double *solutions) {
  return solve<kBundleSystems>(n, matrices, vectors, factors, solutions);
}
TAMRT_AVX512 void formsByWides(const double *factors, int64_t n, double *rows,
                               double *out) {
  forms<kBundleSystems>(factors, n, rows, out);
}
#endif

} // namespace

uint32_t solveBundle(int64_t n, const double *matrices, const double *vectors,
                     double *factors, double *solutions) {
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4)
    return solveByWides(n, matrices, vectors, factors, solutions);
#endif
  return solveByVectors(n, matrices, vectors, factors, solutions);
}

void inverseFormsOfBundle(const double *factors, int64_t n, double *rows,
                          double *forms) {
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4)
    return formsByWides(factors, n, rows, forms);
#endif
  formsByVectors(factors, n, rows, forms);
}

} // namespace tamrt::cpu
