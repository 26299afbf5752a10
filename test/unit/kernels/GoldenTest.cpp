//===- kernels/GoldenTest.cpp - golden design rows ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Feature maps, their modes beyond the range and predictions against numbers
/// TAM computed (docs/math.md section 6).
///
//===----------------------------------------------------------------------===//

#include "GoldenRows.h"
#include "KernelTest.h"

#include <cmath>
#include <numbers>

namespace tamrt::test {

namespace {

class GoldenTest : public KernelTest,
                   public ::testing::WithParamInterface<golden::Case> {
protected:
  using Rows = std::vector<std::vector<double>>;

  /// The kernels' design matrix of a model, made term by term.
  class Design {
  public:
    Design(tamrt_context *ctx, int group, const Rows &data, int64_t width)
        : ctx(ctx), group(group), data(data), width(width),
          out(data.size() * width) {
      Doubles ones(data.size());
      tamrt_offset(ctx, rows(), ones.data());
      dense(ones, 1);
    }

    void linear(int feature, double scale) {
      Doubles values(data.size());
      tamrt_linear(ctx, input(feature).data(), rows(), scale, TAMRT_CONTINUE,
                   values.data());
      dense(values, 1);
    }
    void fourier(int feature, int64_t m, int64_t cyclic, int64_t mode) {
      Doubles values(data.size() * 2 * m);
      tamrt_fourier(ctx, input(feature).data(), rows(), m, cyclic, mode,
                    values.data());
      dense(values, 2 * m);
    }
    void chebyshev(int feature, int64_t degree) {
      Doubles values(data.size() * degree);
      tamrt_chebyshev(ctx, input(feature).data(), rows(), degree,
                      TAMRT_SATURATION, values.data());
      dense(values, degree);
    }
    void spline(int feature, int64_t k, int64_t degree, int64_t mode) {
      Doubles values(data.size() * (degree + 1));
      std::vector<int32_t> start(data.size());
      const double parameters[] = {0.0, 1.0, -1.0, 1.0};
      tamrt_bspline(ctx, input(feature).data(), parameters, rows(), k, degree,
                    mode, values.data(), start.data());
      tamrt_expand_banded(ctx, values.data(), start.data(), rows(), degree + 1,
                          k + degree, width, column, out.data());
      column += k + degree;
    }
    void category(int feature, int64_t n) {
      std::vector<int32_t> index(data.size());
      tamrt_onehot(ctx, input(feature).data(), rows(), n, index.data());
      tamrt_expand_onehot(ctx, index.data(), rows(), n, width, column,
                          out.data());
      column += n;
    }

    /// The matrix; all its columns must be made.
    const Doubles &finish() const {
      EXPECT_EQ(column, width);
      return out;
    }

  private:
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
    void dense(const Doubles &values, int64_t n) {
      tamrt_expand_dense(ctx, values.data(), rows(), n, width, column,
                         out.data());
      column += n;
    }

    tamrt_context *ctx;
    int group;
    const Rows &data;
    int64_t width, column = 0;
    Doubles out;
  };

  /// The design of a model by its name.
  Doubles design(const std::string &name, int group, const Rows &data,
                 int64_t width) {
    constexpr double pi = std::numbers::pi;
    enum { a, b, c, k };
    Design d(&ctx, group, data, width);
    if (name == "linear")
      d.linear(a, pi), d.linear(b, pi), d.linear(c, 2.0);
    else if (name == "spline_default")
      d.spline(a, 10, 3, TAMRT_LINEAR), d.linear(b, pi);
    else if (name == "spline_sat")
      d.spline(a, 7, 2, TAMRT_SATURATION), d.linear(b, pi);
    else if (name == "spline_const")
      d.spline(a, 7, 3, TAMRT_CONSTANT), d.spline(b, 10, 3, TAMRT_CONTINUE);
    else if (name == "fourier")
      d.fourier(a, 4, 0, TAMRT_CONTINUE), d.fourier(b, 10, 1, TAMRT_CONTINUE);
    else if (name == "fourier_linear_ood")
      d.fourier(a, 4, 0, TAMRT_LINEAR), d.linear(b, pi);
    else if (name == "cat_nominal")
      d.category(k, 7), d.linear(b, pi);
    else if (name == "cheb")
      d.chebyshev(a, 6), d.chebyshev(b, 5);
    else
      ADD_FAILURE() << "no design for " << name;
    return d.finish();
  }
};

TEST_P(GoldenTest, DesignRows) {
  const golden::Case &model = GetParam();
  const int64_t width = model.design[0].size();
  const Doubles rows = design(model.name, 0, golden::trainingRows, width);
  golden::expectDesign(model, rows);
}

TEST_P(GoldenTest, PredictionsBeyondTheRange) {
  const golden::Case &model = GetParam();
  const int64_t width = model.design[0].size();
  for (size_t r = 0; r < golden::newRows.size(); ++r) {
    const auto &[group, values] = golden::newRows[r];
    const Rows data = {{values, values + golden::features}};
    const Doubles row = design(model.name, group, data, width);
    double prediction = 0.0;
    tamrt_predict_dense(&ctx, row.data(), model.coefficients[group].data(), 1,
                        width, 1, 0, 0, &prediction);
    EXPECT_NEAR(prediction, model.predictions[r],
                1e-9 * (1 + std::fabs(model.predictions[r])))
        << "row " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest, ::testing::ValuesIn(golden::cases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace

} // namespace tamrt::test
