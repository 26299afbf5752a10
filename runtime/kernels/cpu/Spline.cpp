//===- cpu/Spline.cpp - B-splines in banded form --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The B-spline feature map by the triangular scheme of Cox and de Boor
/// (docs/math.md section 3, term s; C. de Boor, A Practical Guide to Splines,
/// chapter X), and for cubic splines within the range by the equivalent
/// polynomials on each span.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Cubics.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/Support.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef TAMRT_AVX512
#pragma GCC diagnostic push
// The headers of GCC 12 use an uninitialised vector on purpose, for an
// undefined value.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace tamrt::cpu {

namespace {

constexpr int64_t maxDegree = 20;

/// The knots lo (degree+1 times), interior points of linspace(lo, hi, k+1), hi
/// (degree+1 times), computed where they are asked for.
class Knots {
public:
  Knots(double lo, double hi, int64_t k, int64_t degree)
      : lo(lo), hi(hi), step((hi - lo) / static_cast<double>(k)),
        perUnit(static_cast<double>(k) / (hi - lo)), k(k), degree(degree) {}

  /// Knot j, 0 <= j <= k + 2*degree.
  double operator[](int64_t j) const {
    const int64_t i = j - degree;
    if (i <= 0)
      return lo;
    if (i >= k)
      return hi;
    // From the nearer end, so that the knots are symmetric.
    return 2 * i <= k ? lo + step * static_cast<double>(i)
                      : hi - step * static_cast<double>(k - i);
  }

  /// The point at which the basis is evaluated for x; lo if x is NaN.
  double clamp(double x) const {
    const double last = hi - 1e-6;
    if (x > last)
      x = last;
    return x > lo ? x : lo;
  }

  /// Whether all gaps between different knots are large enough to count.
  bool areApart() const { return step > 2e-8; }

  /// The j with knot j <= x < knot j+1 for a clamped x; degree <= j < k+degree.
  int64_t span(double x) const {
    // Clamped before the conversion to an integer, whatever the knots are: NaN
    // selects the first span.
    const double quotient = (x - lo) * perUnit;
    const double last = static_cast<double>(k - 1);
    int64_t i =
        quotient > 0.0 ? static_cast<int64_t>(std::min(quotient, last)) : 0;
    // The quotient may round to the wrong side of a knot.
    while (i > 0 && x < (*this)[degree + i])
      --i;
    while (i < k - 1 && x >= (*this)[degree + i + 1])
      ++i;
    return degree + i;
  }

private:
  double lo, hi, step, perUnit;
  int64_t k, degree;
};

} // namespace

/// The degree+1 basis functions that do not vanish on span j, at x;
/// O(degree^2).
static void evaluate(const Knots &knots, int64_t j, int64_t degree, double x,
                     double *values) {
  double left[maxDegree + 1], right[maxDegree + 1];
  values[0] = 1.0;
  for (int64_t p = 1; p <= degree; ++p) {
    left[p] = knots[j + 1 - p];
    right[p] = knots[j + p];
    double carried = 0.0;
    for (int64_t i = 0; i < p; ++i) {
      const double low = left[p - i], high = right[i + 1];
      const double gap = high - low;
      // 0/0 = 0: a function between coinciding knots contributes nothing.
      const double share = gap > 1e-8 ? values[i] / gap : 0.0;
      values[i] = carried + (high - x) * share;
      carried = (x - low) * share;
    }
    values[p] = carried;
  }
}

/// Degree: that of the spline if it is a constant, so that loops unroll, else
/// -1. Returns false if a row does not fit in its band.
template <int Degree>
inline bool evaluateRows(const double *__restrict x, const Knots &knots,
                         int64_t rows, int64_t anyDegree, int64_t mode,
                         double *__restrict values, int32_t *__restrict start) {
  const int64_t degree = Degree < 0 ? anyDegree : Degree, z = degree + 1;
  for (int64_t r = 0; r < rows; ++r, values += z) {
    const Evaluation e = evaluationOf(x[r], mode);
    const double at = knots.clamp(e.at);
    const int64_t j = knots.span(at);
    evaluate(knots, j, degree, at, values);
    start[r] = static_cast<int32_t>(j - degree);
    if (e.amount == 0.0)
      continue;
    // A knot between the two points of the slope would make the row one column
    // wider than the band. That needs training values beyond [-1, 1], or spans
    // shorter than the distance of the points; no rule of a spline's input
    // (docs/math.md section 2) with k <= 100000 gives either.
    const double inner = knots.clamp(e.inner);
    if (knots.span(inner) != j)
      return false;
    double inside[maxDegree + 1];
    evaluate(knots, j, degree, inner, inside);
    for (int64_t i = 0; i < z; ++i)
      values[i] = e.combine(values[i], inside[i]);
  }
  return true;
}

namespace {

typedef int32_t Four __attribute__((vector_size(16)));
typedef int64_t Mask __attribute__((vector_size(32)));

/// The domain of a cubic spline.
struct Domain {
  double lo, hi, perUnit;
  /// The last span.
  int32_t last;
};

/// Rows of a block: the spans of all rows are found before any values. In one
/// loop a processor would not look far enough ahead to hide the latency.
constexpr int64_t blockRows = 64;

/// The positions of a block's rows in their spans, and these spans.
struct Block {
  alignas(64) double shares[blockRows];
  alignas(64) int32_t spans[blockRows];
};

/// The kind of a span with two spans before it and two after it.
constexpr int64_t innerKind = panels::kindOfSpan(2, 2);

/// The cubics of the inner kind at several shares: u^3/6 and 2/3 - u^2 + u^3/2,
/// and the same of 1 - u.
template <typename V> TAMRT_INLINE void evaluateInner(const V &u, V (&f)[4]) {
  const V v = 1.0 - u, squareU = u * u, squareV = v * v;
  f[0] = squareV * (v * (1.0 / 6.0));
  f[1] = squareU * (u * 0.5 - 1.0) + 2.0 / 3.0;
  f[2] = squareV * (v * 0.5 - 1.0) + 2.0 / 3.0;
  f[3] = squareU * (u * (1.0 / 6.0));
}

/// The cubics of the inner kind at four positions, row after row, with the same
/// bits as eight at a time.
TAMRT_INLINE void evaluateInners(const double *shares, double *values) {
  const AlignedVector u = vectorAt(shares);
  AlignedVector f[4], rows[4];
  evaluateInner(u, f);
  transpose(f, rows);
  for (int i = 0; i < 4; ++i)
    vectorAt(values + 4 * i) = rows[i];
}

/// Evaluates the rows of other kinds, those with a bit in `others`.
TAMRT_INLINE void evaluateOthers(const Block &block, uint64_t others,
                                 int32_t last, double *values) {
  for (uint64_t rest = others; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const int32_t span = block.spans[i];
    const int64_t kind = panels::kindOfSpan(span, last - span);
    if (kind == innerKind)
      continue;
    const Cubics &cubics = cubicTable.kinds[kind];
    Vector sum = vectorAt(cubics.coefficients[3]);
    for (int power = 2; power >= 0; --power)
      sum = sum * block.shares[i] + vectorAt(cubics.coefficients[power]);
    vectorAt(values + 4 * i) = sum;
  }
}

/// Whether four spans all have two before them and two after them.
TAMRT_INLINE bool areInner(Four span, int32_t last) {
  typedef int64_t Two __attribute__((vector_size(16)));
  const Four two = Four{} + 2;
  const auto both = reinterpret_cast<Two>((span >= two) & (last - span >= two));
  return (both[0] & both[1]) == -1;
}

/// Finds the spans of four numbers; sets a bit in `outside` for each number
/// beyond the range. Returns the bits of the block's `others`. The compiler
/// would not vectorise this, because comparisons may trap.
TAMRT_INLINE uint64_t placeFour(Vector x, const Domain &domain, int64_t r,
                                Block &block, Mask &outside) {
  const Vector zero = {};
  // NaN gives lo.
  const Vector highest = zero + (domain.hi - 1e-6), lowest = zero + domain.lo;
  outside |= (x > 1.0) | (x < -1.0);
  x = x > highest ? highest : x;
  x = x > lowest ? x : lowest;
  const Vector position = (x - domain.lo) * domain.perUnit;
  // Clamped before the conversion to an integer; NaN gives 0.
  const Vector greatest = zero + static_cast<double>(domain.last);
  Vector whole = position > zero ? position : zero;
  whole = whole < greatest ? whole : greatest;
  const Four span = __builtin_convertvector(whole, Four);
  vectorAt(block.shares + r) = position - __builtin_convertvector(span, Vector);
  std::memcpy(block.spans + r, &span, sizeof span);
  return areInner(span, domain.last) ? 0 : uint64_t(15) << r;
}

/// evaluateRows for degree 3, distinct knots and k of 31 bits, without rows
/// beyond the range. Returns whether there are such rows.
TAMRT_HOT bool evaluateByFours(const double *__restrict x, const Domain &range,
                               int64_t rows, double *__restrict values,
                               int32_t *__restrict start) {
  const Domain domain = range;
  Mask outside = {};
  Block block;
  for (int64_t first = 0; first < rows; first += blockRows) {
    const int64_t count = std::min(blockRows, rows - first);
    const int64_t full = count / 4 * 4;
    uint64_t others = 0;
    for (int64_t r = 0; r < full; r += 4)
      others |= placeFour(vectorAt(x + first + r), domain, r, block, outside);
    if (full < count) {
      double rest[4] = {};
      std::copy(x + first + full, x + first + count, rest);
      others |= placeFour(vectorAt(rest), domain, full, block, outside);
    }
    std::copy_n(block.spans, count, start + first);
    double *to = values + 4 * first;
    for (int64_t r = 0; r < full; r += 4)
      evaluateInners(block.shares + r, to + 4 * r);
    if (full < count) {
      double rest[16];
      evaluateInners(block.shares + full, rest);
      std::copy_n(rest, 4 * (count - full), to + 4 * full);
      others &= (uint64_t(1) << count) - 1;
    }
    evaluateOthers(block, others, domain.last, to);
  }
  return (outside[0] | outside[1] | outside[2] | outside[3]) != 0;
}

#ifdef TAMRT_AVX512

/// evaluateInners for eight rows.
TAMRT_AVX512 inline void evaluateInnersWide(const double *shares,
                                            double *values) {
  __m512d f[4];
  evaluateInner<__m512d>(_mm512_load_pd(shares), f);
  // Functions 0 and 1, and 2 and 3, of the rows 0, 2, 4, 6 and 1, 3, 5, 7.
  const __m512d even01 = _mm512_unpacklo_pd(f[0], f[1]);
  const __m512d odd01 = _mm512_unpackhi_pd(f[0], f[1]);
  const __m512d even23 = _mm512_unpacklo_pd(f[2], f[3]);
  const __m512d odd23 = _mm512_unpackhi_pd(f[2], f[3]);
  const __m512d rows02 =
      __builtin_shufflevector(even01, even23, 0, 1, 8, 9, 2, 3, 10, 11);
  const __m512d rows13 =
      __builtin_shufflevector(odd01, odd23, 0, 1, 8, 9, 2, 3, 10, 11);
  const __m512d rows46 =
      __builtin_shufflevector(even01, even23, 4, 5, 12, 13, 6, 7, 14, 15);
  const __m512d rows57 =
      __builtin_shufflevector(odd01, odd23, 4, 5, 12, 13, 6, 7, 14, 15);
  _mm512_storeu_pd(values, _mm512_shuffle_f64x2(rows02, rows13, 0x44));
  _mm512_storeu_pd(values + 8, _mm512_shuffle_f64x2(rows02, rows13, 0xee));
  _mm512_storeu_pd(values + 16, _mm512_shuffle_f64x2(rows46, rows57, 0x44));
  _mm512_storeu_pd(values + 24, _mm512_shuffle_f64x2(rows46, rows57, 0xee));
}

/// evaluateByFours for eight rows at a time, with the same bits. Uses
/// intrinsics, because the compiler splits comparisons of such wide vectors.
TAMRT_AVX512 bool evaluateByEights(const double *__restrict x,
                                   const Domain &domain, int64_t rows,
                                   double *__restrict values,
                                   int32_t *__restrict start) {
  const __m512d highest = _mm512_set1_pd(domain.hi - 1e-6);
  const __m512d lowest = _mm512_set1_pd(domain.lo);
  const __m512d greatest = _mm512_set1_pd(domain.last);
  const __m512d one = _mm512_set1_pd(1.0);
  const __m256i two = _mm256_set1_epi32(2);
  const __m256i last = _mm256_set1_epi32(domain.last);
  __mmask8 outside = 0;
  Block block;
  for (int64_t first = 0; first < rows; first += blockRows) {
    const int64_t count = std::min(blockRows, rows - first);
    const int64_t full = count / 8 * 8;
    uint64_t others = 0;
    for (int64_t r = 0; r < count; r += 8) {
      const auto here =
          static_cast<__mmask8>(r < full ? 0xff : (1 << (count - full)) - 1);
      __m512d at = _mm512_maskz_loadu_pd(here, x + first + r);
      outside |= _mm512_cmp_pd_mask(_mm512_abs_pd(at), one, _CMP_GT_OQ);
      // NaN gives lo.
      at = _mm512_max_pd(_mm512_min_pd(highest, at), lowest);
      const __m512d position = (at - lowest) * domain.perUnit;
      const __m256i span = _mm512_cvttpd_epi32(_mm512_min_pd(
          _mm512_max_pd(position, _mm512_setzero_pd()), greatest));
      _mm512_store_pd(block.shares + r, position - _mm512_cvtepi32_pd(span));
      _mm256_store_si256(reinterpret_cast<__m256i *>(block.spans + r), span);
      const __mmask8 some =
          here & (_mm256_cmplt_epi32_mask(span, two) |
                  _mm256_cmplt_epi32_mask(_mm256_sub_epi32(last, span), two));
      others |= uint64_t(some) << r;
    }
    std::copy_n(block.spans, count, start + first);
    double *to = values + 4 * first;
    for (int64_t r = 0; r < full; r += 8)
      evaluateInnersWide(block.shares + r, to + 4 * r);
    if (full < count) {
      double rest[32];
      evaluateInnersWide(block.shares + full, rest);
      std::copy_n(rest, 4 * (count - full), to + 4 * full);
    }
    evaluateOthers(block, others, domain.last, to);
  }
  return outside != 0;
}

#endif

/// evaluateRows for degree 3, distinct knots and k of 31 bits.
bool evaluateCubics(const double *x, double lo, double hi, int64_t rows,
                    int64_t k, int64_t mode, double *values, int32_t *start) {
  const Domain domain = {lo, hi, static_cast<double>(k) / (hi - lo),
                         static_cast<int32_t>(k - 1)};
  auto *evaluate = evaluateByFours;
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4)
    evaluate = evaluateByEights;
#endif
  if (!evaluate(x, domain, rows, values, start) || mode == TAMRT_CONTINUE)
    return true;
  // Beyond the range, nearly equal values are subtracted; there the scheme is
  // more accurate.
  const Knots knots(lo, hi, k, 3);
  for (int64_t r = 0; r < rows; ++r)
    if (std::fabs(x[r]) > 1.0 &&
        !evaluateRows<3>(x + r, knots, 1, 3, mode, values + 4 * r, start + r))
      return false;
  return true;
}

} // namespace

void bspline(tamrt_context *ctx, const double *x, const double *parameters,
             int64_t rows, int64_t k, int64_t degree, int64_t mode,
             double *values, int32_t *start) {
  if (k < 1)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  if (degree < 0 || degree > maxDegree)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 6);
  const Knots knots(parameters[2], parameters[3], k, degree);
  const bool fits =
      degree == 3 && knots.areApart() && k < (int64_t(1) << 31)
          ? evaluateCubics(x, parameters[2], parameters[3], rows, k, mode,
                           values, start)
          : evaluateRows<-1>(x, knots, rows, degree, mode, values, start);
  if (!fits)
    fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 2);
}

} // namespace tamrt::cpu
