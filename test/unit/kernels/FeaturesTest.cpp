//===- kernels/FeaturesTest.cpp - tests of the feature maps ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs and feature maps against their formulas (docs/math.md sections 2, 3)
/// in long double.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>

namespace tamrt::test {

namespace {

using Real = long double;

constexpr int64_t allModes[] = {TAMRT_CONTINUE, TAMRT_CONSTANT, TAMRT_LINEAR,
                                TAMRT_SATURATION};

/// docs/math.md section 3, "Beyond the range", for one column.
Real extrapolated(const std::function<Real(Real)> &phi, Real x, int64_t mode) {
  const Real border = std::min(std::max(x, Real(-1)), Real(1));
  if (mode == TAMRT_CONTINUE)
    return phi(x);
  const Real r = std::fabs(x - border);
  if (mode == TAMRT_CONSTANT || r == 0)
    return phi(border);
  const Real u = (x - border) / r, eps = 1e-5;
  const Real slope = (phi(border) - phi(border - eps * u)) / eps;
  return mode == TAMRT_LINEAR
             ? phi(border) + r * slope
             : phi(border) + slope * (1 - std::exp(-2 * r)) / 2;
}

/// The knots of `s`, written out.
std::vector<Real> knotsOf(Real lo, Real hi, int64_t k, int64_t degree) {
  std::vector<Real> knots(degree, lo);
  for (int64_t i = 0; i <= k; ++i)
    knots.push_back(lo + (hi - lo) * i / k);
  knots.insert(knots.end(), degree, hi);
  return knots;
}

/// Basis function i of degree p by the recursion as books have it.
Real coxDeBoor(const std::vector<Real> &t, int64_t i, int64_t p, Real x) {
  if (p == 0)
    return t[i] <= x && x < t[i + 1] ? 1 : 0;
  const Real low = t[i + p] - t[i], high = t[i + p + 1] - t[i + 1];
  Real sum = 0;
  if (low > 1e-8)
    sum += (x - t[i]) / low * coxDeBoor(t, i, p - 1, x);
  if (high > 1e-8)
    sum += (t[i + p + 1] - x) / high * coxDeBoor(t, i + 1, p - 1, x);
  return sum;
}

/// Points inside, at and beyond both ends of the range.
const Doubles points = {-7.5, -1.3,        -1.0 - 1e-12, -1.0, -0.999995,
                        -0.6, -0.5,        -1e-9,        0.0,  0.2,
                        0.25, 1.0 / 3,     0.5,          0.75, 0.999995,
                        1.0,  1.0 + 1e-12, 1.25,         3.0,  40.0};

class FeaturesTest : public KernelTest {
protected:
  /// The B-spline kernel's rows, banded.
  Matrix spline(const Doubles &x, double lo, double hi, int64_t k,
                int64_t degree, int64_t mode) {
    Matrix m{Encoding::Banded, k + degree, degree + 1};
    m.values.assign(x.size() * m.z, std::nan(""));
    m.start.assign(x.size(), -1);
    const double parameters[] = {0.0, 1.0, lo, hi};
    tamrt_bspline(&ctx, x.data(), parameters, x.size(), k, degree, mode,
                  m.values.data(), m.start.data());
    return m;
  }

  void checkSpline(double lo, double hi, int64_t k, int64_t degree) {
    const std::vector<Real> knots = knotsOf(lo, hi, k, degree);
    Doubles x = points;
    for (int64_t i = 0; i <= k; ++i) {
      x.push_back(lo + (hi - lo) * i / k);
      x.push_back(std::nextafter(x.back(), 2.0));
      x.push_back(uniform(-1.2, 1.2));
    }
    for (int64_t mode : allModes) {
      SCOPED_TRACE("k " + std::to_string(k) + " degree " +
                   std::to_string(degree) + " mode " + std::to_string(mode));
      const Matrix m = spline(x, lo, hi, k, degree, mode);
      for (size_t r = 0; r < x.size(); ++r) {
        ASSERT_GE(m.start[r], 0);
        ASSERT_LE(m.start[r] + m.z, m.n);
        double sum = 0;
        for (int64_t j = 0; j < m.n; ++j) {
          auto phi = [&](Real at) {
            at = std::max(std::min(at, Real(hi) - Real(1e-6)), Real(lo));
            return coxDeBoor(knots, j, degree, at);
          };
          // A knot in doubles may lie on the other side of x: degree 0 jumps.
          if (degree > 0) {
            // The slope's difference of two values loses five digits.
            const double scale = 1 + std::fabs(x[r]);
            const double tolerance =
                mode >= TAMRT_LINEAR && std::fabs(x[r]) > 1 ? 1e-9 : 1e-12;
            ASSERT_NEAR(m.at(r, j), extrapolated(phi, x[r], mode),
                        tolerance * scale)
                << "x " << x[r] << " column " << j;
          }
          sum += m.at(r, j);
        }
        ASSERT_NEAR(sum, 1.0, 1e-9 * (1 + std::fabs(x[r]))) << "x " << x[r];
      }
    }
  }
};

TEST_F(FeaturesTest, Normalize) {
  const Doubles v = {3.0, 5.0, 4.0, -1.0};
  const double parameters[] = {4.0, 0.75, 0.0, 0.0};
  Doubles x(4);
  tamrt_normalize(&ctx, v.data(), parameters, 4, x.data());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(x[i], (v[i] - 4.0) / 0.75);
}

TEST_F(FeaturesTest, Offset) {
  Doubles values = {7.0, 7.0, 7.0};
  tamrt_offset(&ctx, 2, values.data());
  EXPECT_EQ(values, (Doubles{1.0, 1.0, 7.0}));
}

TEST_F(FeaturesTest, Linear) {
  const double scale = 2.5;
  for (int64_t mode : allModes) {
    Doubles values(points.size());
    tamrt_linear(&ctx, points.data(), points.size(), scale, mode,
                 values.data());
    for (size_t r = 0; r < points.size(); ++r)
      EXPECT_NEAR(
          values[r],
          extrapolated([&](Real x) { return scale * x; }, points[r], mode),
          1e-9 * (1 + std::fabs(points[r])))
          << "x " << points[r] << " mode " << mode;
  }
}

// The bytes of `normalize` and `linear` for each column alone, and nothing
// beyond the matrix.
TEST_F(FeaturesTest, LinearColumns) {
  for (int64_t n : {0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 21, 40, 67})
    for (int64_t rows : {0, 1, 3, 4, 7, 31, 32, 33, 100, 600}) {
      SCOPED_TRACE(std::to_string(n) + " columns of " + std::to_string(rows) +
                   " rows");
      std::vector<Doubles> v, parameters;
      std::vector<const double *> inputs;
      Doubles scales;
      std::vector<int64_t> modes;
      for (int64_t j = 0; j < n; ++j) {
        v.push_back(uniforms(rows, -3.0, 5.0));
        if (rows > 2)
          v.back()[j % rows] = std::nan("");
        parameters.push_back({uniform(0.0, 2.0), uniform(0.5, 3.0), -1.0, 1.0});
        scales.push_back(uniform(-2.0, 2.0));
        modes.push_back(allModes[(j + n) % 4]);
      }
      for (int64_t j = 0; j < n; ++j)
        inputs.insert(inputs.end(), {v[j].data(), parameters[j].data()});
      Doubles values(rows * n + 1, 7.0), expected = values;
      for (int64_t j = 0; j < n; ++j) {
        Doubles x(rows), column(rows);
        tamrt_normalize(&ctx, inputs[2 * j], inputs[2 * j + 1], rows, x.data());
        tamrt_linear(&ctx, x.data(), rows, scales[j], modes[j], column.data());
        for (int64_t r = 0; r < rows; ++r)
          expected[r * n + j] = column[r];
      }
      tamrt_linear_columns(&ctx, scales.data(), modes.data(), inputs.data(),
                           2 * n, rows, values.data());
      EXPECT_EQ(std::memcmp(values.data(), expected.data(),
                            values.size() * sizeof(double)),
                0);
    }
}

TEST_F(FeaturesTest, FourierInside) {
  // Every figure counts inside the range.
  const Real pi = std::numbers::pi_v<Real>;
  Doubles x = uniforms(200);
  for (int special : {-1, 0, 1})
    x.push_back(special);
  for (int64_t m : {1, 2, 3, 4, 5, 10, 17, 50, 70}) {
    for (int64_t cyclic : {0, 1}) {
      Doubles values(x.size() * 2 * m);
      tamrt_fourier(&ctx, x.data(), x.size(), m, cyclic, TAMRT_CONTINUE,
                    values.data());
      for (size_t r = 0; r < x.size(); ++r)
        for (int64_t k = 1; k <= m; ++k) {
          const Real theta = pi * k * x[r] / (cyclic ? 1 : 2);
          const double *row = values.data() + r * 2 * m;
          ASSERT_NEAR(row[k - 1], std::cos(theta), 4e-15) << "k " << k;
          ASSERT_NEAR(row[m + k - 1], std::sin(theta), 4e-15) << "k " << k;
        }
    }
  }
}

TEST_F(FeaturesTest, FourierBeyond) {
  const Real pi = std::numbers::pi_v<Real>;
  const int64_t m = 6;
  for (int64_t cyclic : {0, 1})
    for (int64_t mode : allModes) {
      Doubles values(points.size() * 2 * m);
      tamrt_fourier(&ctx, points.data(), points.size(), m, cyclic, mode,
                    values.data());
      for (size_t r = 0; r < points.size(); ++r)
        for (int64_t k = 1; k <= m; ++k) {
          const Real rate = pi * k / (cyclic ? 1 : 2);
          const double *row = values.data() + r * 2 * m;
          const double tolerance =
              mode >= TAMRT_LINEAR ? 1e-9 * (1 + std::fabs(points[r])) : 1e-13;
          EXPECT_NEAR(row[k - 1],
                      extrapolated([&](Real x) { return std::cos(rate * x); },
                                   points[r], mode),
                      tolerance);
          EXPECT_NEAR(row[m + k - 1],
                      extrapolated([&](Real x) { return std::sin(rate * x); },
                                   points[r], mode),
                      tolerance);
        }
    }
}

TEST_F(FeaturesTest, Chebyshev) {
  for (int64_t degree : {1, 2, 5, 9})
    for (int64_t mode : allModes) {
      Doubles values(points.size() * degree);
      tamrt_chebyshev(&ctx, points.data(), points.size(), degree, mode,
                      values.data());
      for (size_t r = 0; r < points.size(); ++r)
        for (int64_t j = 1; j <= degree; ++j) {
          auto phi = [&](Real x) {
            return std::fabs(x) <= 1 ? std::cos(j * std::acos(x))
                   : x > 0           ? std::cosh(j * std::acosh(x))
                           : (j % 2 ? -1 : 1) * std::cosh(j * std::acosh(-x));
          };
          const Real expected = extrapolated(phi, points[r], mode);
          EXPECT_NEAR(values[r * degree + j - 1], expected,
                      1e-9 * (1 + std::fabs(expected)))
              << "x " << points[r] << " T_" << j << " mode " << mode;
        }
    }
}

TEST_F(FeaturesTest, BsplineMatchesTheRecursion) {
  for (int64_t degree : {0, 1, 2, 3, 5})
    for (int64_t k : {1, 2, 3, 10, 20})
      checkSpline(-1.0, 1.0, k, degree);
  // Ranges the rules of an input can yield: all equal, none, rounded.
  checkSpline(-1e-3, 1e-3, 10, 3);
  checkSpline(0.0, 1.0, 10, 3);
  checkSpline(-1.0, std::nextafter(1.0, 2.0), 10, 3);
  checkSpline(-0.5, 0.8, 7, 2);
}

TEST_F(FeaturesTest, BsplineOfHighDegree) {
  // The plain recursion takes 2^degree steps: check what must hold instead.
  const Doubles x = uniforms(100);
  const Matrix m = spline(x, -1.0, 1.0, 12, 20, TAMRT_CONTINUE);
  for (size_t r = 0; r < x.size(); ++r) {
    double sum = 0, mean = 0;
    const std::vector<Real> t = knotsOf(-1.0, 1.0, 12, 20);
    for (int64_t j = 0; j < m.n; ++j) {
      ASSERT_GE(m.at(r, j), 0.0);
      sum += m.at(r, j);
      // Greville's abscissae reproduce x.
      Real greville = 0;
      for (int64_t i = 1; i <= 20; ++i)
        greville += t[j + i] / 20;
      mean += m.at(r, j) * greville;
    }
    EXPECT_NEAR(sum, 1.0, 1e-13);
    EXPECT_NEAR(mean, x[r], 1e-13);
  }
}

TEST_F(FeaturesTest, BsplineOfManySpans) {
  const int64_t k = 100000, degree = 3;
  Doubles x = uniforms(2000);
  for (int64_t i = 0; i <= k; i += 37) {
    x.push_back(-1.0 + 2.0 * i / k);
    x.push_back(std::nextafter(x.back(), -2.0));
  }
  for (int64_t mode : allModes) {
    const Matrix m = spline(x, -1.0, 1.0, k, degree, mode);
    for (size_t r = 0; r < x.size(); ++r) {
      const double at = std::min(x[r], 1.0 - 1e-6);
      const double span = (at + 1.0) / 2.0 * k;
      ASSERT_NEAR(m.start[r], std::floor(span),
                  std::fabs(span - std::round(span)) < 1e-8 ? 1 : 0);
      double sum = 0;
      for (int64_t i = 0; i < m.z; ++i)
        sum += m.values[r * m.z + i];
      ASSERT_NEAR(sum, 1.0, 1e-10);
    }
  }
}

TEST_F(FeaturesTest, BsplineOfDegreeZeroCountsSpans) {
  const Doubles x = {-5.0, -1.0, -0.51, -0.5, -0.1, 0.0, 0.49, 0.5, 1.0, 9.0};
  const Matrix m = spline(x, -1.0, 1.0, 4, 0, TAMRT_CONTINUE);
  EXPECT_EQ(m.start, (std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(m.values, Doubles(x.size(), 1.0));
}

// The slope at the border is taken between two points. Both must lie in one
// span for the row to fit its band: so they do with the most spans there may
// be, at the border itself and beyond.
TEST_F(FeaturesTest, BsplineSlopeFitsTheBand) {
  for (int64_t k : {1, 10, 1000, 99999, 100000})
    for (double hi : {1.0, std::nextafter(1.0, 2.0), std::nextafter(1.0, 0.0)})
      for (double lo :
           {-1.0, std::nextafter(-1.0, -2.0), std::nextafter(-1.0, 0.0)})
        for (int64_t degree : {0, 1, 3, 20}) {
          spline({-50.0, -1.0000001, 1.0000001, 50.0}, lo, hi, k, degree,
                 TAMRT_LINEAR);
          ASSERT_EQ(ctx.status, TAMRT_OK) << "k " << k;
        }
  // Training values beyond the range: a knot between the points is an error,
  // not a wrong row.
  const Doubles x = {2.0};
  spline(x, -2.0, 2.5, 4, 3, TAMRT_LINEAR);
  EXPECT_EQ(ctx.status, TAMRT_OK) << "no knot between 1 and 1 - 1e-5";
  spline(x, -2.0, 1.99999, 4, 3, TAMRT_LINEAR);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 2);
}

TEST_F(FeaturesTest, BsplineOfNoNumberStaysInBounds) {
  const Matrix m =
      spline({std::nan(""), std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity()},
             -1.0, 1.0, 5, 3, TAMRT_CONTINUE);
  EXPECT_EQ(m.start, (std::vector<int32_t>{0, 4, 0}));
}

// For any knots, a row stays inside its columns and no conversion is undefined
// (a sanitizer would report it).
TEST_F(FeaturesTest, BsplineOfAnyKnotsStaysInBounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double odd[] = {0.0,      -1.0,      1.0,         1.0 - 1e-16, 5e-324,
                        -5e-324,  1e-7,      1e17,        1e308,       -1.7e308,
                        infinity, -infinity, std::nan("")};
  for (double lo : odd)
    for (double hi : odd)
      for (int64_t k : {1, 5, 100000})
        for (int64_t mode : {TAMRT_CONTINUE, TAMRT_LINEAR}) {
          const double parameters[] = {0.0, 1.0, lo, hi};
          const int64_t rows = std::size(odd);
          Doubles values(4 * rows);
          std::vector<int32_t> start(rows, 0);
          ctx.status = TAMRT_OK;
          tamrt_bspline(&ctx, odd, parameters, rows, k, 3, mode, values.data(),
                        start.data());
          for (int32_t first : start)
            EXPECT_TRUE(first >= 0 && first < k) << lo << ' ' << hi;
        }
  ctx.status = TAMRT_OK;
}

TEST_F(FeaturesTest, Onehot) {
  const int64_t n = 7;
  Doubles x;
  std::vector<int32_t> expected;
  for (int32_t code = 0; code < n; ++code) {
    x.push_back((code - 3.0) / 3.0);
    expected.push_back(code);
  }
  // Halves go to the even code, codes beyond the range to its ends.
  const double halves[] = {0.5, 1.5, 2.5, 3.5};
  const int32_t even[] = {0, 2, 2, 4};
  for (int i = 0; i < 4; ++i) {
    x.push_back(2.0 * halves[i] / 6.0 - 1.0);
    if ((x.back() + 1.0) / 2.0 * 6.0 != halves[i])
      x.pop_back();
    else
      expected.push_back(even[i]);
  }
  for (double far : {-9.0, 9.0, -1e300, 1e300, std::nan("")}) {
    x.push_back(far);
    expected.push_back(far > 0 ? n - 1 : 0);
  }
  std::vector<int32_t> index(x.size());
  tamrt_onehot(&ctx, x.data(), x.size(), n, index.data());
  EXPECT_EQ(index, expected);
  EXPECT_GT(x.size(), n + 5u) << "no half survived rounding";

  tamrt_onehot(&ctx, x.data(), x.size(), 1, index.data());
  EXPECT_EQ(index, std::vector<int32_t>(x.size(), 0));
}

TEST_F(FeaturesTest, Affine) {
  Doubles values(2 * points.size());
  tamrt_affine(&ctx, points.data(), points.size(), 3.5, values.data());
  for (size_t r = 0; r < points.size(); ++r) {
    EXPECT_EQ(values[2 * r], 1.0);
    EXPECT_EQ(values[2 * r + 1], 3.5 * points[r]);
  }
}

TEST_F(FeaturesTest, Wavelet) {
  const int64_t rows = points.size();
  const std::pair<double, double> ranges[] = {
      {-1.0, 1.0}, {-0.9, 1.1}, {0.25, 0.25}};
  for (auto [lo, hi] : ranges)
    for (auto [scales, locations] : {std::pair{5, 20}, {1, 1}, {3, 2}, {2, 7}})
      for (int64_t mode : allModes) {
        const double range[] = {lo, hi};
        Doubles values(rows * scales * locations, std::nan(""));
        tamrt_wavelet(&ctx, points.data(), range, rows, scales, locations, mode,
                      values.data());
        const Real span = hi == lo ? 1 : Real(hi) - lo;
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t i = 0; i < scales; ++i)
            for (int64_t j = 0; j < locations; ++j) {
              auto psi = [&](Real x) {
                const Real width = std::pow(Real(2), -i) * Real(0.2) * span;
                const Real centre =
                    locations == 1 ? lo
                                   : lo + (Real(hi) - lo) * j / (locations - 1);
                const Real u = (x - centre) / width;
                return (1 - u * u) * std::exp(-u * u / 2) / std::sqrt(width);
              };
              const double x = points[r];
              const bool slope = mode >= TAMRT_LINEAR && std::fabs(x) > 1;
              EXPECT_NEAR(values[(r * scales + i) * locations + j],
                          extrapolated(psi, x, mode),
                          slope ? 1e-8 * (1 + std::fabs(x)) : 1e-13);
            }
      }
  // Far from all of them: nothing, and no product of infinity and zero.
  const Doubles far = {1e30, 1e200, -1e308};
  const double range[] = {-1.0, 1.0};
  Doubles values(far.size() * 6, 1.0);
  tamrt_wavelet(&ctx, far.data(), range, far.size(), 2, 3, TAMRT_CONTINUE,
                values.data());
  EXPECT_EQ(values, Doubles(far.size() * 6, 0.0));
}

TEST_F(FeaturesTest, NoRows) {
  const double parameters[] = {0.0, 1.0, -1.0, 1.0};
  tamrt_normalize(&ctx, nullptr, parameters, 0, nullptr);
  tamrt_offset(&ctx, 0, nullptr);
  tamrt_linear(&ctx, nullptr, 0, 1.0, TAMRT_LINEAR, nullptr);
  tamrt_fourier(&ctx, nullptr, 0, 3, 0, TAMRT_LINEAR, nullptr);
  tamrt_chebyshev(&ctx, nullptr, 0, 3, TAMRT_LINEAR, nullptr);
  tamrt_bspline(&ctx, nullptr, parameters, 0, 3, 3, TAMRT_LINEAR, nullptr,
                nullptr);
  tamrt_onehot(&ctx, nullptr, 0, 3, nullptr);
}

TEST_F(FeaturesTest, ArgumentsOutsideTheContract) {
  const double parameters[] = {0.0, 1.0, -1.0, 1.0};
  double x = 0.0, value = 0.0;
  int32_t start = 0;
  tamrt_linear(&ctx, &x, 1, 1.0, 4, &value);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  tamrt_fourier(&ctx, &x, 1, 1, 0, -1, &value);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 5);
  const double scales[] = {1.0, 1.0};
  const double *inputs[] = {&x, parameters, &x, parameters};
  double values[2];
  for (int64_t bad : {0, 1}) {
    int64_t modes[] = {TAMRT_CONTINUE, TAMRT_LINEAR};
    modes[bad] = 4;
    tamrt_linear_columns(&ctx, scales, modes, inputs, 4, 1, values);
    expectError(TAMRT_ERROR_INVALID_ARGUMENT, 2);
    modes[bad] = -1;
    tamrt_linear_columns(&ctx, scales, modes, inputs, 4, 1, values);
    expectError(TAMRT_ERROR_INVALID_ARGUMENT, 2);
    // Modes of no column are not read.
    tamrt_linear_columns(&ctx, scales, modes, inputs, 2 * bad, 1, values);
  }
  const int64_t modes[] = {TAMRT_CONTINUE, TAMRT_CONTINUE};
  tamrt_linear_columns(&ctx, scales, modes, inputs, 3, 1, values);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 3);
  tamrt_chebyshev(&ctx, &x, 1, 1, 9, &value);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  tamrt_wavelet(&ctx, &x, parameters, 1, 1, 1, 4, &value);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 6);
  tamrt_bspline(&ctx, &x, parameters, 1, 0, 3, 0, &value, &start);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  tamrt_bspline(&ctx, &x, parameters, 1, 1, 21, 0, &value, &start);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 5);
  tamrt_bspline(&ctx, &x, parameters, 1, 1, 0, 7, &value, &start);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 6);
}

} // namespace

} // namespace tamrt::test
