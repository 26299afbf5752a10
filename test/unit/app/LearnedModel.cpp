//===- LearnedModel.cpp - a model with tables and a carry -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearnedModel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tamrt::test {
namespace {

constexpr int64_t n = kLearnedColumns;
constexpr int64_t kStateNumbers = n * n + n;
constexpr int32_t kX = 0;

const double *numbersOf(const void *const *tables, size_t i) {
  return static_cast<const double *>(tables[i]);
}

const int32_t *integersOf(const void *const *tables, size_t i) {
  return static_cast<const int32_t *>(tables[i]);
}

/// One row of the design matrix. `carry` is the v of the row before.
void design(const double *parameters, const void *const *tables,
            const void *const *columns, int64_t row, int64_t index,
            int64_t groupRows, double *carry, double *out) {
  const double v =
      (static_cast<const double *>(columns[0])[row] - parameters[0]) /
      parameters[1];
  const int32_t level = static_cast<const int32_t *>(columns[1])[row];
  std::fill(out, out + n, 0.0);
  *out++ = 1;
  *out++ = v;
  if (level >= 0)
    out[level] = 1;
  out += kLevels;
  *out++ = index > 0 ? v - *carry : v;
  *carry = v;
  *out++ = v / double(groupRows);
  const double *range = numbersOf(tables, 0);
  *out++ = (v - range[0]) / (range[1] - range[0]);
  for (int i = 0; i < 2; ++i)
    *out++ = std::tanh(v * numbersOf(tables, 1)[i] + numbersOf(tables, 2)[i]);
  for (int i = 0; i < 2; ++i) {
    const double distance = v - numbersOf(tables, 3)[i];
    *out++ = std::exp(-numbersOf(tables, 4)[0] * distance * distance);
  }
  for (int tree = 0; tree < 2; ++tree, out += 2) {
    const bool above = v > numbersOf(tables, 6)[tree];
    // Features are 0: there is one input.
    out[integersOf(tables, 5)[tree] + above] =
        numbersOf(tables, 7)[2 * tree + above];
  }
  for (int tree = 0; tree < 2; ++tree, out += 3) {
    const double *thresholds = numbersOf(tables, 9) + 2 * tree;
    out[integersOf(tables, 8)[tree] + (v > thresholds[0]) +
        (v > thresholds[1])] = 1;
  }
}

void init(tamrt_context *, void *arena, void *state, void *carry,
          const double *, const void *const *, const double *,
          const void *const *, double *output, int64_t rows, int64_t first,
          int64_t groupRows) {
  note(TAMRT_STEP_FIT_INIT, {arena, state, carry, output}, rows, first,
       groupRows);
  std::memset(state, 0, kStateNumbers * sizeof(double));
}

void chunk(tamrt_context *, void *arena, void *state, void *carry,
           const double *parameters, const void *const *tables, const double *,
           const void *const *columns, double *output, int64_t rows,
           int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_FIT_CHUNK,
       {arena, state, carry, output, tables[0], tables[5]}, rows, first,
       groupRows);
  auto *gram = static_cast<double *>(state);
  double *rhs = gram + n * n;
  auto *y = static_cast<const double *>(columns[2]);
  for (int64_t row = 0; row < rows; ++row) {
    double phi[n];
    design(parameters, tables, columns, row, first + row, groupRows,
           static_cast<double *>(carry), phi);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j)
        gram[i * n + j] += phi[i] * phi[j];
      rhs[i] += phi[i] * y[row];
    }
  }
}

void finish(tamrt_context *, void *arena, void *state, void *carry,
            const double *, const void *const *, const double *,
            const void *const *, double *output, int64_t rows, int64_t first,
            int64_t groupRows) {
  note(TAMRT_STEP_FIT_FINISH, {arena, state, carry, output}, rows, first,
       groupRows);
  auto *a = static_cast<double *>(state);
  solve(a, a + n * n, n, rows, output);
}

void inferLearned(tamrt_context *, void *arena, void *state, void *carry,
                  const double *, const void *const *, const double *,
                  const void *const *, double *output, int64_t rows,
                  int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_FIT_INFER, {arena, state, carry, output}, rows, first,
       groupRows);
  infer(static_cast<const double *>(state), {1, n - 1}, rows, output);
}

void systemLearned(tamrt_context *, void *arena, void *state, void *carry,
                   const double *, const void *const *, const double *,
                   const void *const *, double *output, int64_t rows,
                   int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_FIT_SYSTEM, {arena, state, carry, output}, rows, first,
       groupRows);
  const auto *sums = static_cast<const double *>(state);
  system(sums, sums + n * n, n, rows, output);
}

void penaltyLearned(tamrt_context *, void *arena, void *, void *,
                    const double *, const void *const *, const double *,
                    const void *const *, double *output, int64_t rows,
                    int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_PENALTY, {arena, output}, rows, first, groupRows);
  penalty(n, output);
}

template <int Kind>
void apply(tamrt_context *, void *arena, void *state, void *carry,
           const double *parameters, const void *const *tables,
           const double *coefficients, const void *const *columns,
           double *output, int64_t rows, int64_t first, int64_t groupRows) {
  note(Kind, {arena, state, carry, output, tables[0]}, rows, first, groupRows);
  for (int64_t row = 0; row < rows; ++row) {
    double phi[n];
    design(parameters, tables, columns, row, first + row, groupRows,
           static_cast<double *>(carry), phi);
    if (Kind == TAMRT_STEP_VARIANCES) {
      computeForms(phi, coefficients, {1, n - 1}, output + row * 3);
      continue;
    }
    double parts[2] = {phi[0] * coefficients[0], 0};
    for (int64_t i = 1; i < n; ++i)
      parts[1] += phi[i] * coefficients[i];
    if (Kind == TAMRT_STEP_PREDICT)
      output[row] = parts[0] + parts[1];
    else if (Kind == TAMRT_STEP_TERMS)
      std::memcpy(output + row * 2, parts, sizeof(parts));
    else
      std::memcpy(output + row * n, phi, sizeof(phi));
  }
}

tamrt_step_function functionOf(int32_t kind) {
  switch (kind) {
  case TAMRT_STEP_FIT_INIT:
    return init;
  case TAMRT_STEP_FIT_CHUNK:
    return chunk;
  case TAMRT_STEP_FIT_FINISH:
    return finish;
  case TAMRT_STEP_PREDICT:
    return apply<TAMRT_STEP_PREDICT>;
  case TAMRT_STEP_TERMS:
    return apply<TAMRT_STEP_TERMS>;
  case TAMRT_STEP_FIT_INFER:
    return inferLearned;
  case TAMRT_STEP_FIT_SYSTEM:
    return systemLearned;
  case TAMRT_STEP_PENALTY:
    return penaltyLearned;
  case TAMRT_STEP_VARIANCES:
    return apply<TAMRT_STEP_VARIANCES>;
  default:
    return apply<TAMRT_STEP_DESIGN>;
  }
}

} // namespace

LearnedModel::LearnedModel(std::vector<int64_t> rungs)
    : FakeModel(std::move(rungs)) {
  effects = {{"offset", "offset", 0, 1, 0, 0},
             {"x", "many(x)", 1, n - 1, 0, 0}};
  for (tamrt_step &step : steps)
    step.run = functionOf(step.kind);
  auto learner = [&](int32_t kind, int32_t choice, int64_t first,
                     int64_t second, double number, int64_t count) {
    learners.push_back({kind,
                        choice,
                        {first, second},
                        number,
                        42,
                        1,
                        1,
                        &kX,
                        int64_t(tables.size()),
                        count});
  };
  auto table = [&](const char *called, int64_t first, int64_t second = 1,
                   int32_t rank = 1, int32_t isInteger = 0) {
    tables.push_back({called, isInteger, rank, {first, second}, nullptr});
  };
  learner(TAMRT_LEARN_RANGE, 0, 0, 0, 0, 1);
  table("x.range", 2);
  learner(TAMRT_LEARN_NEURAL, TAMRT_TANH, 2, 1, 0, 2);
  table("x.W1", 1, 2, 2);
  table("x.b1", 2);
  learner(TAMRT_LEARN_CENTERS, 0, 2, 0, 0, 2);
  table("x.centers", 2, 1, 2);
  table("x.gamma", 1);
  learner(TAMRT_LEARN_OBLIVIOUS_TREES, TAMRT_SPLIT_UNIFORM, 2, 1, 0.5, 3);
  table("x.1.features", 2, 1, 2, 1);
  table("x.1.thresholds", 2, 1, 2);
  table("x.1.leaf_weights", 2, 2, 2);
  learner(TAMRT_LEARN_FLAT_TREES, TAMRT_SPLIT_QUANTILE, 2, 3, 0, 2);
  table("x.2.features", 2, 1, 1, 1);
  table("x.2.thresholds", 2, 2, 2);
}

const tamrt_model &LearnedModel::get() {
  FakeModel::get();
  model.columns = n;
  model.state_bytes = kStateNumbers * int64_t(sizeof(double));
  model.carry_bytes = sizeof(double);
  model.table_count = int64_t(tables.size());
  model.tables = tables.data();
  model.learner_count = int64_t(learners.size());
  model.learners = learners.data();
  return model;
}

} // namespace tamrt::test
