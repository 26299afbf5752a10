//===- kernels/GoldenTermsTest.cpp - golden rows of more terms ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Feature maps along time, of several inputs and with learnt tables, and their
/// predictions beyond the range, against numbers that TAM computed
/// (docs/math.md section 6).
///
//===----------------------------------------------------------------------===//

#include "GoldenTerms.h"
#include "KernelTest.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace tamrt::test {

namespace {

/// Random numbers as docs/math.md section 3 defines them.
class Draws {
public:
  double uniform() {
    const uint64_t high = engine();
    const uint64_t both = high << 32 | engine();
    return static_cast<double>(both & ((uint64_t(1) << 53) - 1)) * 0x1p-53;
  }
  /// For 16 numbers or more.
  Doubles normals(int64_t count) {
    Doubles out(count);
    for (double &value : out)
      value = uniform();
    for (int64_t at = 0; at + 16 <= count; at += 16)
      transform(&out[at]);
    if (count % 16 != 0) {
      for (int64_t i = count - 16; i < count; ++i)
        out[i] = uniform();
      transform(&out[count - 16]);
    }
    return out;
  }

private:
  static void transform(double *block) {
    for (int j = 0; j < 8; ++j) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - block[j]));
      const double angle = 2.0 * std::numbers::pi * block[j + 8];
      block[j] = radius * std::cos(angle);
      block[j + 8] = radius * std::sin(angle);
    }
  }

  std::mt19937 engine{42};
};

constexpr double pi = std::numbers::pi;
enum Feature { a, b, c, k };

using Rows = std::vector<std::vector<double>>;

class GoldenTermsTest : public KernelTest,
                        public ::testing::WithParamInterface<golden::Case> {
protected:
  /// The kernels' design matrix of a model, made term by term.
  class Design {
  public:
    Design(tamrt_context *ctx, int group, const Rows &data, int64_t width)
        : ctx(ctx), group(group), data(data), width(width),
          out(data.size() * width) {
      Matrix ones{Encoding::Dense, 1, 0, Doubles(data.size())};
      tamrt_offset(ctx, rows(), ones.values.data());
      add(ones);
    }

    int64_t rows() const { return data.size(); }

    Doubles input(int feature) const {
      const auto [lo, hi] = golden::ranges[group][feature];
      const double parameters[] = {(lo + hi) / 2, (hi - lo) / 2, -1.0, 1.0};
      Doubles v, x(data.size());
      for (const std::vector<double> &row : data)
        v.push_back(row[feature]);
      tamrt_normalize(ctx, v.data(), parameters, rows(), x.data());
      return x;
    }
    Doubles points(const std::vector<int> &features) const {
      std::vector<Doubles> columns;
      std::vector<const double *> pointers;
      for (int feature : features)
        columns.push_back(input(feature));
      for (const Doubles &column : columns)
        pointers.push_back(column.data());
      Doubles result(data.size() * features.size());
      tamrt_stack(ctx, pointers.data(), pointers.size(), rows(), result.data());
      return result;
    }

    Matrix linear(int feature) const {
      Matrix m{Encoding::Dense, 1, 0, Doubles(data.size())};
      tamrt_linear(ctx, input(feature).data(), rows(), pi, TAMRT_CONTINUE,
                   m.values.data());
      return m;
    }
    Matrix fourier(int feature, int64_t m) const {
      Matrix result{Encoding::Dense, 2 * m, 0, Doubles(data.size() * 2 * m)};
      tamrt_fourier(ctx, input(feature).data(), rows(), m, 0, TAMRT_CONTINUE,
                    result.values.data());
      return result;
    }
    Matrix wavelet(int feature, int64_t scales, int64_t locations) const {
      const int64_t n = scales * locations;
      Matrix m{Encoding::Dense, n, 0, Doubles(data.size() * n)};
      const double range[] = {-1.0, 1.0};
      tamrt_wavelet(ctx, input(feature).data(), range, rows(), scales,
                    locations, TAMRT_CONTINUE, m.values.data());
      return m;
    }
    Matrix pid(int feature, int64_t window) const {
      Matrix m{Encoding::Dense, 3, 0, Doubles(data.size() * 3)};
      Doubles carry(window + 2);
      // The group goes on.
      tamrt_pid(ctx, input(feature).data(), rows(), 0, 40, window, carry.data(),
                m.values.data());
      return m;
    }
    Matrix spline(int feature, int64_t intervals, int64_t mode) const {
      Matrix m{Encoding::Banded, intervals + 3, 4, Doubles(data.size() * 4)};
      m.start.resize(data.size());
      const double parameters[] = {0.0, 1.0, -1.0, 1.0};
      tamrt_bspline(ctx, input(feature).data(), parameters, rows(), intervals,
                    3, mode, m.values.data(), m.start.data());
      return m;
    }
    Matrix category(int feature, int64_t n) const {
      Matrix m{Encoding::OneHot, n};
      m.index.resize(data.size());
      tamrt_onehot(ctx, input(feature).data(), rows(), n, m.index.data());
      return m;
    }
    Matrix layer(const Doubles &h, int64_t d, int64_t n, const Doubles &weights,
                 const Doubles &bias, int64_t activation, double scale) const {
      Matrix m{Encoding::Dense, n, 0, Doubles(data.size() * n)};
      tamrt_neural_layer(ctx, h.data(), weights.data(), bias.data(), nullptr,
                         rows(), d, n, activation, scale, m.values.data());
      return m;
    }
    Matrix radial(const Doubles &at, double gamma, double nu) const {
      const int64_t n = golden::centers.size();
      Doubles centers;
      for (const std::vector<double> &center : golden::centers)
        centers.insert(centers.end(), center.begin(), center.end());
      Matrix m{Encoding::Dense, n, 0, Doubles(data.size() * n)};
      tamrt_radial(ctx, at.data(), centers.data(), &gamma, nullptr, rows(), 2,
                   n, nu, m.values.data());
      return m;
    }
    Matrix oblivious(const Doubles &at, int64_t d, const golden::Trees &trees,
                     int64_t depth) const {
      const int64_t count = trees.features.size() / depth;
      Matrix m{Encoding::MultiHot, count << depth, count};
      m.scale = 1.0 / std::sqrt(static_cast<double>(count));
      m.index.resize(rows() * count);
      tamrt_tree_oblivious(ctx, at.data(), trees.features.data(),
                           trees.thresholds.data(), nullptr, rows(), d, count,
                           depth, m.index.data());
      return m;
    }
    /// One tree.
    Matrix flat(const Doubles &at, int64_t d, const Doubles &thresholds) const {
      const int64_t leaves = thresholds.size() + 1;
      const int32_t feature = 0;
      Matrix m{Encoding::MultiHot, leaves, 1};
      m.scale = 1.0;
      m.index.resize(rows());
      tamrt_tree_flat(ctx, at.data(), &feature, thresholds.data(), nullptr,
                      rows(), d, 1, leaves, m.index.data());
      return m;
    }

    Matrix sparse(const Matrix &m) const {
      Matrix result{Encoding::Sparse, m.n,
                    m.encoding == Encoding::Dense    ? m.n
                    : m.encoding == Encoding::OneHot ? 1
                                                     : m.z};
      result.values.resize(rows() * result.z);
      result.index.resize(rows() * result.z);
      double *values = result.values.data();
      int32_t *index = result.index.data();
      if (m.encoding == Encoding::Dense)
        tamrt_sparsify_dense(ctx, m.values.data(), rows(), m.n, 0, m.n, 0,
                             values, index);
      else if (m.encoding == Encoding::Banded)
        tamrt_sparsify_banded(ctx, m.values.data(), m.start.data(), rows(), m.z,
                              m.n, 0, m.z, 0, values, index);
      else if (m.encoding == Encoding::OneHot)
        tamrt_sparsify_onehot(ctx, m.index.data(), rows(), m.n, 1, 0, 1, 0,
                              values, index);
      else
        tamrt_sparsify_multihot(ctx, m.index.data(), rows(), m.z, m.n, m.scale,
                                0, m.z, 0, values, index);
      return result;
    }
    Matrix product(const Matrix &left, const Matrix &right) const {
      const Matrix x = left.encoding == Encoding::Sparse ? left : sparse(left);
      const Matrix y = sparse(right);
      Matrix result{Encoding::Sparse, x.n * y.n, x.z * y.z};
      result.values.resize(rows() * result.z);
      result.index.resize(rows() * result.z);
      tamrt_kronecker_sparse(ctx, x.values.data(), x.index.data(),
                             y.values.data(), y.index.data(), rows(), x.z, x.n,
                             y.z, y.n, result.values.data(),
                             result.index.data());
      return result;
    }
    /// A sparse map of two coordinates, linear beyond the range.
    Matrix
    extrapolated(const Doubles &at,
                 const std::function<Matrix(const Doubles &)> &map) const {
      Doubles border(at.size()), inside(at.size()), amount(data.size());
      tamrt_boundary(ctx, at.data(), rows(), 2, TAMRT_LINEAR, border.data(),
                     inside.data(), amount.data());
      const Matrix x = map(border), y = map(inside);
      Matrix result{Encoding::Sparse, x.n, 2 * x.z};
      result.values.resize(rows() * result.z);
      result.index.resize(rows() * result.z);
      tamrt_blend_sparse(ctx, x.values.data(), x.index.data(), y.values.data(),
                         y.index.data(), amount.data(), rows(), x.z, x.n,
                         result.values.data(), result.index.data());
      return result;
    }
    /// Tree and slope: 1 and pi x, times the leaf.
    Matrix linearTree(const Doubles &at, const Doubles &thresholds) const {
      Doubles slope(data.size());
      tamrt_slice(ctx, at.data(), rows(), 2, 1, 1, slope.data());
      Matrix line{Encoding::Dense, 2, 0, Doubles(data.size() * 2)};
      tamrt_affine(ctx, slope.data(), rows(), pi, line.values.data());
      return product(line, flat(at, 2, thresholds));
    }

    void add(const Matrix &m) {
      expand(ctx, m, rows(), width, column, out.data());
      column += m.n;
    }

    /// The matrix; all its columns must be made.
    const Doubles &finish() const {
      EXPECT_EQ(column, width);
      return out;
    }

  private:
    tamrt_context *ctx;
    int group;
    const Rows &data;
    int64_t width, column = 0;
    Doubles out;
  };

  /// The design of a model by its name.
  Doubles design(const std::string &name, int group, const Rows &data,
                 int64_t width) {
    Design d(&ctx, group, data, width);
    const golden::Trees *trees = nullptr;
    for (const golden::Trees &candidate : golden::trees)
      if (candidate.name == name)
        trees = &candidate;
    if (name == "wavelet") {
      d.add(d.wavelet(a, 3, 8)), d.add(d.linear(b));
    } else if (name == "pid") {
      d.add(d.pid(a, 5)), d.add(d.linear(b));
    } else if (name == "neural_relu") {
      Draws draws;
      const Doubles weights = draws.normals(30), bias = draws.normals(30);
      d.add(d.layer(d.input(a), 1, 30, weights, bias, TAMRT_RELU,
                    1 / std::sqrt(30.0)));
      d.add(d.linear(b));
    } else if (name == "neural_cos_2l") {
      Draws draws;
      const int64_t n = 20;
      const double scale = 1 / std::sqrt(20.0);
      auto phases = [&] {
        Doubles bias(n);
        for (double &phase : bias)
          phase = 2 * pi * draws.uniform();
        return bias;
      };
      const Doubles first = draws.normals(2 * n), firstBias = phases();
      Doubles second = draws.normals(n * n);
      const Doubles secondBias = phases();
      for (double &weight : second)
        weight *= scale;
      const Matrix hidden =
          d.layer(d.points({a, b}), 2, n, first, firstBias, TAMRT_COS, 1.0);
      d.add(d.layer(hidden.values, n, n, second, secondBias, TAMRT_COS, scale));
    } else if (name == "tree_uniform" || name == "tree_quantile") {
      d.add(d.oblivious(d.points({a, b}), 2, *trees, 3));
    } else if (name == "tree_nary") {
      d.add(d.flat(d.input(a), 1, trees->thresholds)), d.add(d.linear(b));
    } else if (name == "lt") {
      const Doubles thresholds = {-0.6, -0.2, 0.2, 0.6};
      d.add(d.extrapolated(d.points({a, b}), [&](const Doubles &at) {
        return d.linearTree(at, thresholds);
      }));
    } else if (name == "te") {
      d.add(d.product(d.spline(a, 4, TAMRT_LINEAR), d.fourier(b, 2)));
    } else if (name == "te3") {
      d.add(d.product(d.product(d.spline(a, 4, TAMRT_LINEAR), d.category(k, 7)),
                      d.linear(b)));
    } else if (name == "rbf_matern") {
      d.add(d.radial(d.points({a, b}), 2.0, 1.5));
    } else {
      ADD_FAILURE() << "no design for " << name;
    }
    return d.finish();
  }
};

TEST_P(GoldenTermsTest, DesignRows) {
  const golden::Case &model = GetParam();
  const int64_t width = model.design[0].size();
  const Doubles rows = design(model.name, 0, golden::trainingRows, width);
  golden::expectDesign(model, rows);
}

TEST_P(GoldenTermsTest, PredictionsBeyondTheRange) {
  const golden::Case &model = GetParam();
  const int64_t width = model.design[0].size();
  auto expectPredictions = [&](int group, const Rows &data,
                               const Doubles &expected) {
    const Doubles row = design(model.name, group, data, width);
    Doubles predictions(data.size());
    tamrt_predict_dense(&ctx, row.data(), model.coefficients[group].data(),
                        data.size(), width, 1, 0, 0, predictions.data());
    for (size_t r = 0; r < data.size(); ++r)
      EXPECT_NEAR(predictions[r], expected[r],
                  1e-9 * (1 + std::fabs(expected[r])))
          << "group " << group << " row " << r;
  };
  if (model.predictions.empty())
    return expectPredictions(0, golden::firstNewRows, golden::pidPredictions);
  size_t next = 0;
  for (const auto &[group, values] : golden::newRows)
    if (group < static_cast<int>(model.coefficients.size()))
      expectPredictions(group, {{values, values + golden::features}},
                        {model.predictions[next++]});
  EXPECT_EQ(next, model.predictions.size());
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTermsTest,
                         ::testing::ValuesIn(golden::termCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace

} // namespace tamrt::test
