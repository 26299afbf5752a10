//===- CompiledStepTest.cpp - compiled steps allocate nothing ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "support/AllocationCount.h"
#include "tamrt/abi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

extern "C" const tamrt_model tam_model;

namespace {

using tamrt::test::allocationsIn;

struct Free {
  void operator()(void *p) const { std::free(p); }
};
using Bytes = std::unique_ptr<void, Free>;

Bytes aligned(int64_t size) {
  size = (size + TAMRT_ALIGNMENT) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
  return Bytes(std::aligned_alloc(TAMRT_ALIGNMENT, size));
}

/// Calls the steps of the model on random data of one group.
class CompiledStepTest : public testing::Test {
protected:
  static constexpr int64_t rows = 5000; // more than a segment

  CompiledStepTest() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; i < tam_model.input_count; ++i) {
      std::vector<double> &column = data.emplace_back(rows);
      for (double &value : column)
        value = uniform(random);
      parameters.insert(parameters.end(), {0, 1, -1, 1});
    }
    for (int64_t i = 0; i < tam_model.penalty_count; ++i)
      parameters.push_back(tam_model.penalties[i].strength);
    for (double offset : {0.0, 2.0}) { // target, weights
      std::vector<double> &column = data.emplace_back(rows);
      for (double &value : column)
        value = uniform(random) + offset;
    }
    int64_t arenaBytes = 0;
    for (const tamrt_step &step : steps())
      arenaBytes = std::max(arenaBytes, step.arena_bytes);
    arena = aligned(arenaBytes);
    state = aligned(tam_model.state_bytes);
    carry = aligned(tam_model.carry_bytes);
    // The formula has no term that learns tables.
    EXPECT_EQ(tam_model.table_count, 0);
    beta.resize(tam_model.columns);
    context.kernels = &tamrt_cpu_kernels;
  }

  static std::vector<tamrt_step> steps() {
    return {tam_model.steps, tam_model.steps + tam_model.step_count};
  }

  /// The step of a kind with the rung of that many rows (0: no rung).
  static const tamrt_step &find(tamrt_step_kind kind, int64_t rung) {
    for (int64_t i = 0; i < tam_model.step_count; ++i)
      if (tam_model.steps[i].kind == kind &&
          tam_model.steps[i].rung_rows == rung)
        return tam_model.steps[i];
    ADD_FAILURE() << "no step of kind " << kind << " and rung " << rung;
    std::abort();
  }

  void run(const tamrt_step &step, double *output, int64_t count,
           int64_t first) {
    std::array<const void *, 16> columns = {};
    for (size_t i = 0; i < data.size(); ++i)
      columns[i] = data[i].data() + (count == rows ? 0 : first);
    step.run(&context, arena.get(), state.get(), carry.get(), parameters.data(),
             tables.data(), beta.data(), columns.data(), output, count, first,
             rows);
  }

  void fit(int64_t rung) {
    run(find(TAMRT_STEP_FIT_INIT, 0), nullptr, 0, 0);
    const tamrt_step &chunk = find(TAMRT_STEP_FIT_CHUNK, rung);
    for (int64_t first = 0; first < rows; first += rung)
      run(chunk, nullptr, std::min(rung, rows - first), first);
    run(find(TAMRT_STEP_FIT_FINISH, 0), beta.data(), rows, 0);
  }

  std::vector<std::vector<double>> data;
  std::vector<double> parameters, beta;
  std::vector<const void *> tables;
  Bytes arena, state, carry;
  tamrt_context context = {};
};

TEST_F(CompiledStepTest, StepsAllocateNothing) {
  std::vector<double> output(64 * tam_model.columns);
  EXPECT_EQ(allocationsIn([&] {
              fit(64);
              for (tamrt_step_kind kind :
                   {TAMRT_STEP_PREDICT, TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN})
                run(find(kind, 64), output.data(), 64, 0);
            }),
            0);
  EXPECT_EQ(context.status, TAMRT_OK);
  for (double value : beta)
    EXPECT_TRUE(std::isfinite(value));
}

TEST_F(CompiledStepTest, RungsAgreeBitForBit) {
  fit(64);
  std::vector<double> first = beta;
  for (int64_t rung : {32, 4, 1}) {
    fit(rung);
    EXPECT_EQ(beta, first) << "rung " << rung;
  }
}

TEST_F(CompiledStepTest, TermsAddUpToThePrediction) {
  fit(64);
  std::vector<double> prediction(64), terms(64 * tam_model.effect_count);
  run(find(TAMRT_STEP_PREDICT, 64), prediction.data(), 64, 0);
  run(find(TAMRT_STEP_TERMS, 64), terms.data(), 64, 0);
  for (int64_t row = 0; row < 64; ++row) {
    double sum = 0, size = 0;
    for (int64_t effect = 0; effect < tam_model.effect_count; ++effect) {
      const double term = terms[row * tam_model.effect_count + effect];
      sum += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(sum, prediction[row], 1e-14 * size) << "row " << row;
  }
}

TEST_F(CompiledStepTest, PlansStayInsideTheirArenas) {
  for (const tamrt_step &step : steps())
    for (int64_t i = 0; i < step.buffer_count; ++i) {
      const tamrt_buffer &buffer = step.buffers[i];
      EXPECT_GE(buffer.offset, 0);
      EXPECT_EQ(buffer.offset % TAMRT_ALIGNMENT, 0);
      EXPECT_LE(buffer.offset + buffer.bytes, step.arena_bytes) << step.name;
    }
}

TEST_F(CompiledStepTest, NothingIsWrittenBeyondTheArena) {
  for (int64_t rung : {64, 8, 1}) {
    const tamrt_step &chunk = find(TAMRT_STEP_FIT_CHUNK, rung);
    run(find(TAMRT_STEP_FIT_INIT, 0), nullptr, 0, 0);
    std::vector<unsigned char> guarded(chunk.arena_bytes + 2 * 64, 0xA5);
    auto address = reinterpret_cast<uintptr_t>(guarded.data());
    size_t shift = (64 - address % 64) % 64;
    std::array<const void *, 16> columns = {};
    for (size_t i = 0; i < data.size(); ++i)
      columns[i] = data[i].data();
    chunk.run(&context, guarded.data() + shift, state.get(), carry.get(),
              parameters.data(), tables.data(), nullptr, columns.data(),
              nullptr, rung, 0, rows);
    for (size_t i = 0; i < guarded.size(); ++i) {
      if (i >= shift && i < shift + chunk.arena_bytes)
        continue;
      ASSERT_EQ(guarded[i], 0xA5) << "byte " << i << " of rung " << rung;
    }
  }
}

} // namespace
