//===- LaunchesTest.cpp - steps that are stored as data -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every space of operands, lists, generated kernels, and errors, in tables of
/// launches.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "support/LaunchCode.h"

#include <cstring>

using namespace tamrt::test;

namespace {

/// What the last generated kernel got.
tamrt_argument given[16];

template <int count>
void record(tamrt_context *, const tamrt_argument *arguments) {
  std::copy_n(arguments, count, given);
}

void fail(tamrt_context *ctx, const tamrt_argument *) {
  ctx->status = TAMRT_ERROR_DEVICE;
  ctx->detail = 7;
}

class Launches : public KernelTest {
protected:
  tamrt_launches table(const std::vector<int64_t> &code, int64_t count,
                       size_t scratch) const {
    return {count,    int64_t(scratch), code.data(),       offsets,
            literals, constants,        sizeof(constants), generated};
  }

  /// Runs a table and checks that nothing is written behind the scratch.
  void run(const std::vector<int64_t> &code, int64_t count, size_t scratch,
           int64_t rows = 3) {
    tamrt_launches step = table(code, count, scratch);
    tamrt_argument guard;
    guard.integer = 0x5ca1ab1e;
    std::vector<tamrt_argument> memory(scratch + 1, guard);
    tamrt_run_launches(&ctx, &step, memory.data(), arena, state, carry,
                       parameters, tables, coefficients, columns, output, rows,
                       5, 7);
    EXPECT_EQ(memory.back().integer, guard.integer);
  }

  alignas(64) char arena[256] = {};
  alignas(64) char state[256] = {};
  char carry[8], constants[16];
  double parameters[4] = {}, coefficients[2], output[2];
  double column[3] = {1, 2, 3}, learned[1];
  const void *columns[2] = {nullptr, column}, *tables[1] = {learned};
  int64_t offsets[2] = {64, 128};
  int64_t literals[2] = {INT64_MIN, 0};
  tamrt_generated_kernel generated[4] = {record<9>, record<7>, fail, record<1>};
};

} // namespace

TEST_F(Launches, EverySpace) {
  const double half = 0.5;
  std::memcpy(&literals[1], &half, sizeof half);
  run({-1, 9, in(TAMRT_SPACE_NUMBER), in(TAMRT_SPACE_NUMBER, -12),
       in(TAMRT_SPACE_STATE, 40), in(TAMRT_SPACE_CARRY, 8),
       in(TAMRT_SPACE_PARAMETERS, 32), in(TAMRT_SPACE_COEFFICIENTS, 8),
       in(TAMRT_SPACE_OUTPUT), in(TAMRT_SPACE_CONSTANTS, 16),
       in(TAMRT_SPACE_ARENA, 8)},
      1, 9);
  EXPECT_EQ(given[0].address, nullptr);
  EXPECT_EQ(given[1].integer, -12);
  EXPECT_EQ(given[2].address, state + 40);
  EXPECT_EQ(given[3].address, carry + 8);
  EXPECT_EQ(given[4].address, parameters + 4);
  EXPECT_EQ(given[5].address, coefficients + 1);
  EXPECT_EQ(given[6].address, output);
  EXPECT_EQ(given[7].address, constants + 16);
  EXPECT_EQ(given[8].address, arena + 128);
  run({-2, 7, in(TAMRT_SPACE_ROWS), in(TAMRT_SPACE_FIRST),
       in(TAMRT_SPACE_GROUP_ROWS), in(TAMRT_SPACE_COLUMNS, 8),
       in(TAMRT_SPACE_TABLES), in(TAMRT_SPACE_LITERALS),
       in(TAMRT_SPACE_LITERALS, 8)},
      1, 7);
  EXPECT_EQ(given[0].integer, 3);
  EXPECT_EQ(given[1].integer, 5);
  EXPECT_EQ(given[2].integer, 7);
  EXPECT_EQ(given[3].address, column);
  EXPECT_EQ(given[4].address, learned);
  EXPECT_EQ(given[5].integer, INT64_MIN);
  EXPECT_EQ(given[6].real, half);
}

TEST_F(Launches, KernelsInTheirOrder) {
  // Two columns of points from one: x, and 2x by `linear`.
  const double two = 2;
  std::memcpy(&literals[1], &two, sizeof two);
  run({positionOf_linear, 5, in(TAMRT_SPACE_COLUMNS, 8), in(TAMRT_SPACE_ROWS),
       in(TAMRT_SPACE_LITERALS, 8), in(TAMRT_SPACE_NUMBER, TAMRT_CONTINUE),
       in(TAMRT_SPACE_ARENA, 0),
       // A list is two arguments, and each of its buffers one more.
       positionOf_stack, 4, in(TAMRT_SPACE_LIST, 2), in(TAMRT_SPACE_COLUMNS, 8),
       in(TAMRT_SPACE_ARENA, 0), in(TAMRT_SPACE_ROWS),
       in(TAMRT_SPACE_STATE, 8)},
      2, 6);
  double points[6];
  std::memcpy(points, state + 8, sizeof points);
  EXPECT_EQ(std::vector<double>(points, points + 6),
            (std::vector<double>{1, 2, 2, 4, 3, 6}));
}

TEST_F(Launches, EmptyListAndNoLaunches) {
  run({}, 0, 0);
  const double number = 4;
  std::memcpy(state, &number, sizeof number);
  run({positionOf_join_sums, 4, in(TAMRT_SPACE_LIST, 0),
       in(TAMRT_SPACE_NUMBER, 1), in(TAMRT_SPACE_STATE)},
      1, 4);
  double sum;
  std::memcpy(&sum, state, sizeof sum);
  EXPECT_EQ(sum, number);
}

TEST_F(Launches, NothingAfterAnError) {
  given[0].integer = 0;
  run({-3, 0, -4, 1, in(TAMRT_SPACE_NUMBER, 1)}, 2, 1);
  EXPECT_EQ(given[0].integer, 0);
  expectError(TAMRT_ERROR_DEVICE, 7);
  run({-4, 1, in(TAMRT_SPACE_NUMBER, 1)}, 1, 1);
  EXPECT_EQ(given[0].integer, 1);
}

/// Calls with rows, states and contexts of their own: each launch for all of
/// them, then the next. A call that fails stops alone.
TEST_F(Launches, CallsTogether) {
  constexpr size_t count = 3;
  static std::vector<int64_t> order;
  order.clear();
  generated[0] = [](tamrt_context *, const tamrt_argument *arguments) {
    order.push_back(arguments[0].integer);
  };
  generated[1] = [](tamrt_context *ctx, const tamrt_argument *arguments) {
    if (arguments[0].integer == 2)
      ctx->status = TAMRT_ERROR_DEVICE;
  };
  const std::vector<int64_t> code = {
      -1, 1, in(TAMRT_SPACE_ROWS),
      // Copies the first column to the state.
      positionOf_stack, 4, in(TAMRT_SPACE_LIST, 1), in(TAMRT_SPACE_COLUMNS),
      in(TAMRT_SPACE_ROWS), in(TAMRT_SPACE_STATE), -2, 1, in(TAMRT_SPACE_ROWS),
      -1, 1, in(TAMRT_SPACE_ROWS)};
  const tamrt_launches step = table(code, 4, 5);
  const double rows[count][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  double states[count][3] = {};
  tamrt_context contexts[count] = {ctx, ctx, ctx};
  std::vector<tamrt_call> calls(count);
  const void *each[count][1];
  for (size_t i = 0; i < count; ++i) {
    each[i][0] = rows[i];
    calls[i].context = &contexts[i];
    calls[i].columns = each[i];
    calls[i].state = states[i];
    calls[i].rows = int64_t(i) + 1;
  }
  tamrt_argument guard;
  guard.integer = 0x5ca1ab1e;
  std::vector<tamrt_argument> memory(5 + TAMRT_SPACES * count + 1, guard);
  tamrt_run_calls(&step, memory.data(), calls.data(), count);
  EXPECT_EQ(memory.back().integer, guard.integer);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 2, 3, 1, 3}));
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(contexts[i].status, i == 1 ? TAMRT_ERROR_DEVICE : TAMRT_OK);
    for (size_t row = 0; row < 3; ++row)
      EXPECT_EQ(states[i][row], row <= i ? rows[i][row] : 0) << i;
  }
  tamrt_run_calls(&step, memory.data(), calls.data(), 0);
}
