//===- FakeModel.cpp - a model written by hand ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "tamrt/steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tamrt::test {
namespace {

constexpr int64_t kArenaPerRow = kColumns * int64_t(sizeof(double));
constexpr int64_t kStateNumbers = kColumns * kColumns + kColumns;
/// Of each effect.
const std::vector<int64_t> kEffectColumns = {1, 1, kLevels};

/// One row of the design matrix.
void design(const double *parameters, const void *const *columns, int64_t row,
            double *out) {
  double v = static_cast<const double *>(columns[0])[row];
  int32_t level = static_cast<const int32_t *>(columns[1])[row];
  out[0] = 1;
  out[1] = (v - parameters[0]) / parameters[1];
  for (int64_t i = 0; i < kLevels; ++i)
    out[2 + i] = level == i        ? 1.0
                 : i <= -2 - level ? 1.0 / double(-1 - level)
                                   : 0.0;
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
           const double *parameters, const void *const *, const double *,
           const void *const *columns, double *output, int64_t rows,
           int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_FIT_CHUNK, {arena, state, carry, output}, rows, first,
       groupRows);
  auto *gram = static_cast<double *>(state);
  double *rhs = gram + kColumns * kColumns;
  auto *values = static_cast<double *>(arena);
  auto *y = static_cast<const double *>(columns[2]);
  auto *w = static_cast<const double *>(columns[3]);
  for (int64_t row = 0; row < rows; ++row) {
    double *phi = values + row * kColumns;
    design(parameters, columns, row, phi);
    double weight = w ? w[row] : 1;
    for (int64_t i = 0; i < kColumns; ++i) {
      for (int64_t j = 0; j < kColumns; ++j)
        gram[i * kColumns + j] += phi[i] * weight * phi[j];
      rhs[i] += phi[i] * weight * y[row];
    }
  }
}

void finish(tamrt_context *ctx, void *arena, void *state, void *carry,
            const double *, const void *const *, const double *,
            const void *const *, double *output, int64_t rows, int64_t first,
            int64_t groupRows) {
  note(TAMRT_STEP_FIT_FINISH, {arena, state, carry, output}, rows, first,
       groupRows);
  if (failure != TAMRT_OK && rows == failingRows) {
    ctx->status = failure;
    ctx->detail = failureDetail;
    return;
  }
  auto *a = static_cast<double *>(state);
  solve(a, a + kColumns * kColumns, kColumns, rows, output);
}

void inferFake(tamrt_context *, void *arena, void *state, void *carry,
               const double *, const void *const *, const double *,
               const void *const *, double *output, int64_t rows, int64_t first,
               int64_t groupRows) {
  note(TAMRT_STEP_FIT_INFER, {arena, state, carry, output}, rows, first,
       groupRows);
  infer(static_cast<const double *>(state), kEffectColumns, rows, output);
}

void systemFake(tamrt_context *, void *arena, void *state, void *carry,
                const double *, const void *const *, const double *,
                const void *const *, double *output, int64_t rows,
                int64_t first, int64_t groupRows) {
  note(TAMRT_STEP_FIT_SYSTEM, {arena, state, carry, output}, rows, first,
       groupRows);
  const auto *sums = static_cast<const double *>(state);
  system(sums, sums + kColumns * kColumns, kColumns, rows, output);
}

void penaltyFake(tamrt_context *, void *arena, void *, void *, const double *,
                 const void *const *, const double *, const void *const *,
                 double *output, int64_t rows, int64_t first,
                 int64_t groupRows) {
  note(TAMRT_STEP_PENALTY, {arena, output}, rows, first, groupRows);
  penalty(kColumns, output);
}

template <int Kind>
void apply(tamrt_context *, void *arena, void *state, void *carry,
           const double *parameters, const void *const *,
           const double *coefficients, const void *const *columns,
           double *output, int64_t rows, int64_t first, int64_t groupRows) {
  note(Kind, {arena, state, carry, output}, rows, first, groupRows);
  for (int64_t row = 0; row < rows; ++row) {
    double phi[kColumns];
    design(parameters, columns, row, phi);
    if (Kind == TAMRT_STEP_VARIANCES) {
      computeForms(phi, coefficients, kEffectColumns, output + row * 4);
      continue;
    }
    double parts[3] = {phi[0] * coefficients[0], phi[1] * coefficients[1], 0};
    for (int64_t i = 0; i < kLevels; ++i)
      parts[2] += phi[2 + i] * coefficients[2 + i];
    if (Kind == TAMRT_STEP_PREDICT)
      output[row] = parts[0] + parts[1] + parts[2];
    else if (Kind == TAMRT_STEP_TERMS)
      std::memcpy(output + row * 3, parts, sizeof(parts));
    else
      std::memcpy(output + row * kColumns, phi, sizeof(phi));
  }
}

} // namespace

void note(int32_t kind, std::initializer_list<const void *> memory,
          int64_t rows, int64_t first, int64_t groupRows) {
  if (!recording)
    return;
  bool aligned = true;
  for (const void *pointer : memory)
    aligned &= reinterpret_cast<uintptr_t>(pointer) % TAMRT_ALIGNMENT == 0;
  calls.push_back({kind, rows, first, groupRows, aligned});
}

void solve(const double *sums, const double *vector, int64_t n, int64_t rows,
           double *output) {
  std::vector<double> a(sums, sums + n * n), b(vector, vector + n);
  for (int64_t i = 0; i < n; ++i)
    a[i * n + i] += 1e-6 * double(rows);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = k + 1; i < n; ++i) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k; j < n; ++j)
        a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  for (int64_t i = n - 1; i >= 0; --i) {
    double sum = b[i];
    for (int64_t j = i + 1; j < n; ++j)
      sum -= a[i * n + j] * output[j];
    output[i] = sum / a[i * n + i];
  }
}

void system(const double *gram, const double *b, int64_t n, int64_t rows,
            double *output) {
  std::copy_n(gram, n * n, output);
  for (int64_t i = 0; i < n; ++i)
    output[i * n + i] += 1e-6 * double(rows);
  std::copy_n(b, n, output + vectorInSystem(n));
}

void penalty(int64_t n, double *output) {
  std::fill_n(output, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i)
    output[i * n + i] = 1e-6;
}

void infer(const double *gram, const std::vector<int64_t> &columns,
           int64_t rows, double *output) {
  const auto n = std::accumulate(columns.begin(), columns.end(), int64_t(0));
  const InferenceLayout layout(n, int64_t(columns.size()));
  const double floor = 1e-6 * double(rows);
  std::vector<double> inverse(n * n), a(gram, gram + n * n);
  for (int64_t j = 0; j < n; ++j) {
    std::vector<double> unit(n);
    unit[j] = 1;
    // A column, which is a row, too.
    solve(gram, unit.data(), n, rows, inverse.data() + j * n);
    a[j * n + j] += floor;
  }
  double *next = output + layout.inverse;
  for (int64_t i = 0; i < n; ++i)
    next = std::copy_n(inverse.data() + i * n, i + 1, next);
  int64_t i = 0;
  next = output + layout.edf;
  for (int64_t count : columns) {
    *next = 0;
    for (const int64_t end = i + count; i < end; ++i)
      for (int64_t k = 0; k < n; ++k)
        *next += inverse[i * n + k] * gram[k * n + i];
    ++next;
  }
  for (int64_t j = 0; j < n; ++j)
    output[layout.means + j] = j == 0 ? 0 : gram[j * n] / double(rows);
  double norms[2] = {0, 0}, logDeterminant = 0;
  for (int64_t j = 0; j < n; ++j) {
    double sums[2] = {0, 0};
    for (int64_t k = 0; k < n; ++k) {
      const double scale = std::sqrt(a[j * n + j] * a[k * n + k]);
      sums[0] += std::fabs(a[j * n + k]) / scale;
      sums[1] += std::fabs(inverse[j * n + k]) * scale;
    }
    norms[0] = std::max(norms[0], sums[0]);
    norms[1] = std::max(norms[1], sums[1]);
  }
  for (int64_t k = 0; k < n; ++k) {
    logDeterminant += std::log(a[k * n + k]);
    for (int64_t r = k + 1; r < n; ++r)
      for (int64_t c = n; c-- > k;)
        a[r * n + c] -= a[r * n + k] / a[k * n + k] * a[k * n + c];
  }
  output[layout.numbers] = logDeterminant;
  output[layout.numbers + 1] = norms[0] * norms[1];
}

void computeForms(const double *phi, const double *triangle,
                  const std::vector<int64_t> &columns, double *output) {
  auto form = [&](int64_t first, int64_t end) {
    double sum = 0;
    for (int64_t i = first; i < end; ++i)
      for (int64_t j = first; j < end; ++j)
        sum += phi[i] * phi[j] *
               triangle[triangleSize(std::max(i, j)) + std::min(i, j)];
    return sum;
  };
  int64_t first = 0;
  for (int64_t count : columns) {
    *++output = form(first, first + count);
    first += count;
  }
  output[-int64_t(columns.size())] = form(0, first);
}

/// What the buffers name.
static const char *const kPlanTexts[] = {"values", "tam.linear", "l(x)",
                                         "index",  "tam.onehot", "c(d)"};

FakeModel::FakeModel(std::vector<int64_t> rungs) {
  x = {"x", TAMRT_RULE_RANGE, 0, 0, 0, 0, 0};
  d = {"d", TAMRT_RULE_LEVELS, int32_t(kLevels), 0, 0, 0, 0};
  effects = {{"offset", "offset", 0, 1, 0, 0},
             {"x", "l(x)", 1, 1, 0, 0},
             {"d", "c(d)", 2, kLevels, 0, 0}};
  buffers = {{0, 1, 2, 128, 0, 0, 2}, {3, 4, 5, 64, 128, 1, 3}};
  // Names stay where they are once all are there.
  stepNames.reserve(5 * rungs.size() + 5);
  auto add = [&](tamrt_step_kind kind, const char *stem, int64_t rows,
                 tamrt_step_function run) {
    stepNames.push_back(stem);
    if (rows)
      stepNames.back().append("_").append(std::to_string(rows));
    bool chunked = kind == TAMRT_STEP_FIT_CHUNK;
    int64_t arena = chunked ? rows * kArenaPerRow : 0;
    // Its steps read and write themselves.
    steps.push_back({kind, chunked ? 3 : 1, 1, 0, stepNames.back().c_str(),
                     rows, arena, arena, 2 * arena, "tree", run,
                     chunked ? int64_t(buffers.size()) : 0,
                     chunked ? buffers.data() : nullptr, nullptr});
  };
  add(TAMRT_STEP_FIT_INIT, "fit_init", 0, init);
  for (int64_t rows : rungs)
    add(TAMRT_STEP_FIT_CHUNK, "fit_chunk", rows, chunk);
  add(TAMRT_STEP_FIT_FINISH, "fit_finish", 0, finish);
  for (int64_t rows : rungs)
    add(TAMRT_STEP_PREDICT, "predict", rows, apply<TAMRT_STEP_PREDICT>);
  for (int64_t rows : rungs)
    add(TAMRT_STEP_TERMS, "terms", rows, apply<TAMRT_STEP_TERMS>);
  for (int64_t rows : rungs)
    add(TAMRT_STEP_DESIGN, "design", rows, apply<TAMRT_STEP_DESIGN>);
  add(TAMRT_STEP_FIT_INFER, "fit_infer", 0, inferFake);
  add(TAMRT_STEP_FIT_SYSTEM, "fit_system", 0, systemFake);
  add(TAMRT_STEP_PENALTY, "penalty", 0, penaltyFake);
  for (int64_t rows : rungs)
    add(TAMRT_STEP_VARIANCES, "variances", rows, apply<TAMRT_STEP_VARIANCES>);
}

const tamrt_model &FakeModel::get() {
  d.unseen = unseen;
  inputs[0] = x;
  inputs[1] = d;
  model.abi_version = TAMRT_ABI_VERSION;
  model.name = name.c_str();
  model.formula = formula.c_str();
  model.spec = "formula: y ~ l(x) + c(d)\n";
  model.spec_hash = hash.c_str();
  model.target = "y";
  model.group = group;
  model.date = date;
  model.weights = weights;
  model.solver = "direct";
  model.tamc_version = "0.1.0";
  model.llvm_version = "22.1.8";
  model.columns = kColumns;
  model.state_bytes = kStateNumbers * int64_t(sizeof(double));
  model.input_count = 2;
  model.inputs = inputs;
  model.effect_count = int64_t(effects.size());
  model.effects = effects.data();
  model.plan_texts = kPlanTexts;
  model.step_count = int64_t(steps.size());
  model.steps = steps.data();
  return model;
}

} // namespace tamrt::test
