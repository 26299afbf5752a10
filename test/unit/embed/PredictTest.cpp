//===- PredictTest.cpp - predictions in the caller's memory ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "embed/Embed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tamrt::test {
namespace {

constexpr size_t kRows = 20;

/// The row whose prediction by `predict` below is not finite.
int64_t spoiltRow = -1;

/// Predicts the first chunk and reports an overflow for the next.
void predict(tamrt_context *context, void *, void *, void *, const double *,
             const void *const *, const double *, const void *const *,
             double *output, int64_t rows, int64_t first, int64_t) {
  if (first > 0) {
    context->status = TAMRT_ERROR_OVERFLOW;
    context->detail = 1;
    return;
  }
  std::fill_n(output, rows, 0.0);
  if (spoiltRow >= 0)
    output[spoiltRow] = std::numeric_limits<double>::infinity();
}

TEST(Predict, TheFirstFailureIsReported) {
  FakeModel fake;
  for (tamrt_step &step : fake.steps)
    if (step.kind == TAMRT_STEP_PREDICT)
      step.run = predict;
  const tamrt_model &model = fake.get();

  std::vector<int64_t> groups(kRows, 7);
  std::vector<double> x, d, y;
  for (size_t row = 0; row < kRows; ++row) {
    x.push_back(double(row));
    d.push_back(double(row % 2));
    y.push_back(double(row % 5));
  }
  struct {
    size_t rows;
    const int64_t *groups;
    const double *x, *d, *y;
  } data = {kRows, groups.data(), x.data(), d.data(), y.data()};
  std::vector<double> weights(tamrt_embed_weights_size(&model, 1) / 8);
  std::vector<char> arena(
      std::max(tamrt_embed_fit_arena_size(&model, kRows, 1),
               tamrt_embed_predict_arena_size(&model, kRows)));
  tamrt_embed_error error;
  ASSERT_EQ(tamrt_embed_fit(&model, &data, weights.data(), weights.size() * 8,
                            arena.data(), arena.size(), &error),
            TAMRT_EMBED_OK);

  std::vector<double> output(kRows);
  auto run = [&] {
    return tamrt_embed_predict(&model, &data, weights.data(),
                               weights.size() * 8, arena.data(), arena.size(),
                               output.data(), &error);
  };
  EXPECT_EQ(run(), TAMRT_EMBED_OVERFLOW);
  EXPECT_EQ(error.group, 7);
  EXPECT_STREQ(error.effect, "x");
  // Its effects are finite, their sum is not.
  spoiltRow = 5;
  EXPECT_EQ(run(), TAMRT_EMBED_NOT_FINITE);
  EXPECT_EQ(error.status, TAMRT_EMBED_NOT_FINITE);
  EXPECT_EQ(error.row, 5);
  EXPECT_EQ(error.group, 7);
  EXPECT_EQ(error.effect, nullptr);
  spoiltRow = -1;
}

} // namespace
} // namespace tamrt::test
