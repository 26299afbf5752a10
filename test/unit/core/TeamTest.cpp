//===- TeamTest.cpp - groups whose rows several threads add up ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A hand-written model of two sums, which are its coefficients: every bit of
/// them must be the same for any number of threads.
///
//===----------------------------------------------------------------------===//

#include "DataTest.h"
#include "TreeSum.h"

#include "core/data/Normalization.h"
#include "core/data/RowReader.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "core/run/GroupFits.h"
#include "core/run/Team.h"
#include "kernels/cpu/CpuKernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tamrt::test {
namespace {

constexpr int64_t S = TAMRT_SEGMENT_ROWS;
/// Offset of the second accumulator.
constexpr int64_t kSecond = 64;

double *second(void *state) {
  return reinterpret_cast<double *>(static_cast<char *>(state) + kSecond);
}

void init(tamrt_context *ctx, void *, void *state, void *, const double *,
          const void *const *, const double *, const void *const *, double *,
          int64_t, int64_t, int64_t) {
  for (double *sums : {static_cast<double *>(state), second(state)})
    tamrt_zero(ctx, 1, sums);
}

/// How many threads a chunk waits for, at most for some seconds, and who has
/// run one.
std::atomic<size_t> awaited = 0;
/// Some chunks and joins take much longer than others.
std::atomic<bool> dawdles = false;
std::atomic<unsigned> dawdled = 0;
void dawdle() {
  if (dawdles && ++dawdled * 2654435761u % 11 == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
std::mutex runnersMutex;
std::set<std::thread::id> runners;

void chunk(tamrt_context *ctx, void *, void *state, void *, const double *,
           const void *const *, const double *, const void *const *columns,
           double *, int64_t rows, int64_t, int64_t) {
  const auto *x = static_cast<const double *>(columns[0]);
  const auto *y = static_cast<const double *>(columns[1]);
  tamrt_gram_dense(ctx, x, nullptr, rows, 1, static_cast<double *>(state));
  if (ctx->status != TAMRT_OK)
    return;
  tamrt_rhs_dense(ctx, x, y, nullptr, rows, 1, second(state));
  dawdle();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (bool waits = awaited > 0; waits;) {
    {
      const std::lock_guard lock(runnersMutex);
      runners.insert(std::this_thread::get_id());
      waits = runners.size() < awaited;
    }
    waits = waits && std::chrono::steady_clock::now() < end;
    std::this_thread::yield();
  }
}

void finish(tamrt_context *, void *, void *state, void *, const double *,
            const void *const *, const double *, const void *const *,
            double *output, int64_t, int64_t, int64_t) {
  for (double *sums : {static_cast<double *>(state), second(state)})
    *output++ = sums[0];
}

void predict(tamrt_context *, void *, void *, void *, const double *,
             const void *const *, const double *coefficients,
             const void *const *columns, double *output, int64_t rows, int64_t,
             int64_t) {
  for (int64_t i = 0; i < rows; ++i)
    output[i] = coefficients[0] * static_cast<const double *>(columns[0])[i];
}

tamrt_step stepOf(tamrt_step_kind kind, int64_t rung,
                  tamrt_step_function function) {
  tamrt_step step = {};
  step.kind = kind;
  step.name = "step";
  step.rung_rows = rung;
  step.run = function;
  return step;
}

void moveLate(tamrt_context *ctx, const double *const *earlier, int64_t parts,
              int64_t count, double *sums, double *out) {
  dawdle();
  tamrt_cpu_kernels.move_sums(ctx, earlier, parts, count, sums, out);
}

RunOptions onThreads(unsigned threads) {
  RunOptions options;
  options.threads = threads;
  return options;
}

class TeamTest : public ::testing::Test {
protected:
  TeamTest() {
    model.group = "g";
    model.solver = "direct";
    model.columns = 2;
    model.state_bytes = kSecond + 8;
    model.accumulator_count = 2;
    model.accumulators = accumulators;
    model.effect_count = 1;
    model.effects = &effect;
    model.step_count = 6;
    model.steps = steps;
    awaited = 0;
    dawdles = false;
    late.move_sums = moveLate;
  }

  /// Rows of groups, sizes by group, without the first `skipped`.
  Dataset data(const std::vector<int64_t> &sizes, int64_t skipped = 0) {
    std::string text = "g,x,y\n";
    uint64_t random = 1;
    auto next = [&] {
      random = random * 6364136223846793005u + 1442695040888963407u;
      return std::to_string(double(random >> 11) * 0x1p-53 + 0.125);
    };
    for (size_t g = 0; g < sizes.size(); ++g)
      for (int64_t i = 0; i < sizes[g]; ++i) {
        const std::string x = next(), y = next();
        if (--skipped < 0)
          text += std::to_string(g) + "," + x + "," + y + "\n";
      }
    Result<FitData> data = fitData(text, model);
    return std::move(data->rows);
  }

  Result<std::vector<double>> fit(const Dataset &rows,
                                  const RunOptions &options) {
    Result<Normalization> normalization = normalize(model, rows, {{}}, 1);
    EXPECT_TRUE(normalization);
    return fitGroups(model, rows, *normalization, Tables(), options);
  }

  tamrt_kernels late = tamrt_cpu_kernels;
  tamrt_input inputs[1] = {input("x", TAMRT_RULE_RANGE)};
  tamrt_effect effect = {"x", "l(x)", 0, 2, 0, 0};
  tamrt_accumulator accumulators[2] = {
      {TAMRT_STEP_FIT_CHUNK, 0, 0, 1, 0},
      {TAMRT_STEP_FIT_CHUNK, 0, kSecond, 1, 0}};
  tamrt_step steps[6] = {stepOf(TAMRT_STEP_FIT_INIT, 0, init),
                         stepOf(TAMRT_STEP_FIT_CHUNK, 8192, chunk),
                         stepOf(TAMRT_STEP_FIT_CHUNK, 1024, chunk),
                         stepOf(TAMRT_STEP_FIT_CHUNK, 256, chunk),
                         stepOf(TAMRT_STEP_FIT_FINISH, 0, finish),
                         stepOf(TAMRT_STEP_PREDICT, 1024, predict)};
  tamrt_model model = modelOf(inputs, 1);
};

const std::vector<std::vector<int64_t>> kGroups = {
    {S},
    {S + 1},
    {5 * S + 77},
    {2 * S, 3 * S},
    {3, 7 * S - 1, 5000},
    {6 * S, 10, 20, 30, 5000, S}};

TEST_F(TeamTest, BitsDoNotDependOnThreads) {
  for (const std::vector<int64_t> &sizes : kGroups) {
    const Dataset rows = data(sizes);
    const std::vector<double> expected = *fit(rows, onThreads(1));
    for (unsigned threads : {2, 3, 7})
      for (int64_t chunkRows : {int64_t(0), int64_t(61), S - 1, S, S + 1}) {
        RunOptions options = onThreads(threads);
        options.chunkRows = chunkRows;
        EXPECT_EQ(*fit(rows, options), expected)
            << sizes.size() << " groups, " << threads << " threads, chunks of "
            << chunkRows;
      }
  }
}

// A group that one to five helpers share, and helpers that come to several
// groups while pieces of others are under way.
TEST_F(TeamTest, ThereAreLevelsForAllNodes) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{70 * S}, {40 * S, 40 * S, 40 * S}}) {
    const Dataset rows = data(sizes);
    RunOptions options = onThreads(1);
    options.kernels = &late;
    const std::vector<double> expected = *fit(rows, options);
    dawdles = true;
    for (int i = 0; i < 20; ++i) {
      options.threads = unsigned(sizes.size()) + 1 + unsigned(i % 5);
      ASSERT_EQ(*fit(rows, options), expected);
    }
    dawdles = false;
  }
}

TEST_F(TeamTest, EveryThreadTakesPart) {
  const Dataset rows = data({12 * S});
  awaited = 3;
  runners.clear();
  RunOptions options = onThreads(3);
  options.chunkRows = S;
  ASSERT_TRUE(fit(rows, options));
  EXPECT_EQ(runners.size(), 3u);
}

TEST_F(TeamTest, SegmentsAreJoinedInATree) {
  const std::vector<int64_t> sizes = {1,         S,          S + 1, 2 * S,
                                      3 * S - 5, 5 * S,      6 * S, 7 * S + 1,
                                      11 * S,    16 * S + 9, 23 * S};
  const Dataset rows = data(sizes);
  std::vector<double> expected;
  for (const Group &group : rows.groups()) {
    const double *x = rows.numbers(0) + group.first;
    const double *y = rows.target() + group.first;
    std::vector<double> squares, products;
    for (size_t row = 0; row < group.rows; ++row) {
      if (row % size_t(S) == 0) {
        squares.push_back(0);
        products.push_back(0);
      }
      squares.back() += x[row] * x[row];
      products.back() += x[row] * y[row];
    }
    expected.insert(expected.end(), {treeSum(squares), treeSum(products)});
  }
  EXPECT_EQ(*fit(rows, onThreads(1)), expected);
  EXPECT_EQ(*fit(rows, onThreads(4)), expected);
}

TEST_F(TeamTest, AModelWithACarryIsNotSplit) {
  model.carry_bytes = 8;
  const Question asked =
      questionOf(model, TAMRT_STEP_FIT_CHUNK, 1, size_t(9 * S),
                 int64_t(1) << 30, onThreads(4));
  EXPECT_EQ(asked.threads, 1u);
  EXPECT_EQ(asked.direct->spareBytes, 0);
}

TEST_F(TeamTest, StatesOfThreadsAreCounted) {
  const Question asked =
      questionOf(model, TAMRT_STEP_FIT_CHUNK, 1, size_t(9 * S),
                 int64_t(1) << 30, onThreads(4));
  EXPECT_EQ(asked.threads, 4u);
  const Decision decision = decide(asked, {});
  EXPECT_EQ(decision.threads, 4u);
  EXPECT_EQ(decision.spares, 0u);
  const int64_t bytes = asked.direct->rungs[decision.rung].bytes;
  EXPECT_EQ(decision.bytes, 4 * bytes);
  // A short group is one thread's and has no levels: those of 8 finished
  // segments are four.
  const Question shorter = questionOf(model, TAMRT_STEP_FIT_CHUNK, 1, size_t(S),
                                      int64_t(1) << 30, onThreads(4));
  EXPECT_EQ(shorter.threads, 1u);
  EXPECT_EQ(bytes - shorter.direct->rungs.front().bytes, 4 * 2 * 64);
}

/// A kernel that finds no memory at some calls.
std::atomic<int> calls = 0;
int firstFailure = 0, lastFailure = 0;

void gramThatFails(tamrt_context *ctx, const double *a, const double *w,
                   int64_t rows, int64_t n, double *sums) {
  const int call = ++calls;
  if (firstFailure <= call && call <= lastFailure) {
    ctx->status = TAMRT_ERROR_OUT_OF_MEMORY;
    ctx->detail = 1;
    return;
  }
  tamrt_cpu_kernels.gram_dense(ctx, a, w, rows, n, sums);
}

/// Joins and moves of sums that find no memory at some calls.
bool failsNow(tamrt_context *ctx) {
  const int call = ++calls;
  if (call < firstFailure || call > lastFailure)
    return false;
  ctx->status = TAMRT_ERROR_OUT_OF_MEMORY;
  ctx->detail = 1;
  return true;
}

void joinThatFails(tamrt_context *ctx, const double *const *earlier,
                   int64_t parts, int64_t count, double *sums) {
  if (!failsNow(ctx))
    tamrt_cpu_kernels.join_sums(ctx, earlier, parts, count, sums);
}

void moveThatFails(tamrt_context *ctx, const double *const *earlier,
                   int64_t parts, int64_t count, double *sums, double *out) {
  if (!failsNow(ctx))
    tamrt_cpu_kernels.move_sums(ctx, earlier, parts, count, sums, out);
}

TEST_F(TeamTest, MemoryRunsOutBetweenTheSumsOfAState) {
  const Dataset rows = data({9 * S + 5});
  RunOptions options = onThreads(1);
  const std::vector<double> expected = *fit(rows, options);
  tamrt_kernels kernels = tamrt_cpu_kernels;
  kernels.join_sums = joinThatFails;
  kernels.move_sums = moveThatFails;
  options.kernels = &kernels;
  options.threads = 2;
  for (int call = 1; call <= 40; ++call) {
    calls = 0;
    firstFailure = lastFailure = call;
    EXPECT_EQ(*fit(rows, options), expected) << call;
    EXPECT_GE(calls, 20) << "two of each of 9 moves and of the last join";
  }
}

/// Fails for good, in time for others to wait for it.
bool failsLate(tamrt_context *ctx) {
  if (!failsNow(ctx))
    return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}

template <bool Throws>
void moveThatEnds(tamrt_context *ctx, const double *const *earlier,
                  int64_t parts, int64_t count, double *sums, double *out) {
  if (!failsLate(ctx))
    tamrt_cpu_kernels.move_sums(ctx, earlier, parts, count, sums, out);
  else if (Throws)
    throw std::bad_alloc();
}

// Whatever other threads wait for.
TEST_F(TeamTest, MovesThatFailForGood) {
  const Dataset rows = data({40 * S});
  for (int call = 1; call <= 90; ++call)
    for (bool throws : {false, true}) {
      tamrt_kernels kernels = tamrt_cpu_kernels;
      kernels.move_sums = throws ? moveThatEnds<true> : moveThatEnds<false>;
      RunOptions options = onThreads(2 + unsigned(call) % 4);
      options.kernels = &kernels;
      calls = 0;
      firstFailure = call;
      lastFailure = std::numeric_limits<int>::max();
      // Two sums of 39 segments, and of what helpers have at the end.
      const bool mustFail = call <= 2 * 39;
      try {
        const bool fails = !fit(rows, options);
        EXPECT_TRUE(fails ? !throws : !mustFail) << call;
      } catch (const std::bad_alloc &) {
        EXPECT_TRUE(throws) << call;
      }
    }
}

/// The chunk of a right-hand side that finds no memory at some calls, before
/// it has added anything.
void chunkThatFails(tamrt_context *ctx, void *arena, void *state, void *carry,
                    const double *parameters, const void *const *tables,
                    const double *coefficients, const void *const *columns,
                    double *output, int64_t rows, int64_t first,
                    int64_t groupRows) {
  const int call = ++calls;
  if (firstFailure <= call && call <= lastFailure) {
    ctx->status = TAMRT_ERROR_OUT_OF_MEMORY;
    ctx->detail = 1;
    return;
  }
  chunk(ctx, arena, state, carry, parameters, tables, coefficients, columns,
        output, rows, first, groupRows);
}

TEST_F(TeamTest, EachStepOfARightHandSideIsCountedOnce) {
  // Its largest rung is below those of the products, which are the crew's.
  tamrt_step all[] = {stepOf(TAMRT_STEP_CG_INIT, 0, init),
                      stepOf(TAMRT_STEP_CG_CHUNK, 64, chunkThatFails),
                      stepOf(TAMRT_STEP_CG_CHUNK, 16, chunkThatFails),
                      stepOf(TAMRT_STEP_CG_FINISH, 0, finish),
                      stepOf(TAMRT_STEP_APPLY_CHUNK, 256, chunk),
                      stepOf(TAMRT_STEP_APPLY_CHUNK, 128, chunk),
                      stepOf(TAMRT_STEP_APPLY_CHUNK, 16, chunk)};
  model.steps = all;
  model.step_count = std::size(all);
  model.cg_state_bytes = model.state_bytes;
  const Dataset rows = data({250});
  auto sumsOf = [&](int first, int last) {
    calls = 0;
    firstFailure = first;
    lastFailure = last;
    Result<Crew> crew =
        makeCrew(model, TAMRT_STEP_APPLY_CHUNK, 1, 250, onThreads(1));
    EXPECT_TRUE(crew);
    Worker &worker = crew->workers.front();
    worker.run(all[0], nullptr, 0, 0, 250);
    Team(*crew).add(worker,
                    {TAMRT_STEP_CG_CHUNK, nullptr, rows, 0, 0, 250, 250, {}});
    EXPECT_TRUE(worker.place.good());
    return std::pair(*static_cast<double *>(worker.place.state),
                     *second(worker.place.state));
  };
  const auto expected = sumsOf(0, 0);
  for (int call = 1; call <= 4; ++call)
    for (int more : {0, 1})
      EXPECT_EQ(sumsOf(call, call + more), expected) << call << " " << more;
}

TEST_F(TeamTest, MemoryRunsOut) {
  const Dataset rows = data({5 * S + 5, 300});
  RunOptions options = onThreads(1);
  const std::vector<double> expected = *fit(rows, options);
  tamrt_kernels kernels = tamrt_cpu_kernels;
  kernels.gram_dense = gramThatFails;
  options.kernels = &kernels;
  options.threads = 3;
  for (int failures : {1, 2, 1000})
    for (int at = 1; at <= 12; ++at) {
      calls = 0;
      firstFailure = at;
      lastFailure = at + failures - 1;
      Result<std::vector<double>> got = fit(rows, options);
      if (got) {
        EXPECT_EQ(*got, expected) << failures << " failures from call " << at;
      } else {
        EXPECT_EQ(failures, 1000) << got.error().message;
        EXPECT_NE(got.error().message.find("bytes of memory"),
                  std::string::npos)
            << got.error().message;
      }
    }
}

TEST_F(TeamTest, RowsThatComeInParts) {
  const int64_t all = 39 * S + 9;
  const Dataset rows = data({all});
  RunOptions options = onThreads(1);
  options.kernels = &late;
  const std::vector<double> expected = *fit(rows, options);
  dawdles = true;
  const Normalization normalization = *normalize(model, rows, {{}}, 1);
  const Tables tables;
  const std::vector<std::string> names = {"0"};
  const std::vector<size_t> sizes = {size_t(all)};
  for (unsigned threads : {1, 2, 5, 0})
    for (std::vector<int64_t> ends :
         {std::vector<int64_t>{all},
          {6 * S, 12 * S, 18 * S, 24 * S, 30 * S, 36 * S, all},
          {1, S + 1, 15 * S, all},
          {4 * S - 1, 8 * S + 1, 9 * S, all}}) {
      // The last: threads that have no memory to help.
      options.threads = threads ? threads : 3;
      options.spareBytes = threads ? std::numeric_limits<int64_t>::max() : 0;
      Result<GroupFits> fits =
          GroupFits::create(model, TAMRT_STEP_FIT_CHUNK, normalization, tables,
                            {names, sizes}, 1, options);
      ASSERT_TRUE(fits);
      EXPECT_TRUE(*fits->resume());
      for (int64_t from = 0; int64_t end : ends) {
        ASSERT_TRUE(fits->add(data({end}, from)));
        from = end;
      }
      EXPECT_FALSE(*fits->resume());
      EXPECT_EQ(*fits->finish(), expected) << threads << " threads";
    }
}

// A model of two columns by conjugate gradients, row (x, y), target x y.

/// Offsets of the accumulators: two of the right-hand side, two of products.
constexpr int64_t kSums[4] = {0, 64, 128, 192};

double *sumsAt(void *state, size_t i) {
  return reinterpret_cast<double *>(static_cast<char *>(state) + kSums[i]);
}

template <size_t First>
void initTwo(tamrt_context *ctx, void *, void *state, void *, const double *,
             const void *const *, const double *, const void *const *, double *,
             int64_t, int64_t, int64_t) {
  for (size_t i : {First, First + 1})
    tamrt_zero(ctx, 1, sumsAt(state, i));
}

/// Adds both columns times x y, or times what `v` predicts.
template <size_t First>
void addTwo(tamrt_context *ctx, void *, void *state, void *, const double *,
            const void *const *, const double *v, const void *const *columns,
            double *, int64_t rows, int64_t, int64_t) {
  const auto *x = static_cast<const double *>(columns[0]);
  const auto *y = static_cast<const double *>(columns[1]);
  std::vector<double> to(static_cast<size_t>(rows));
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = v ? x[i] * v[0] + y[i] * v[1] : x[i] * y[i];
  tamrt_rhs_dense(ctx, x, to.data(), nullptr, rows, 1, sumsAt(state, First));
  tamrt_rhs_dense(ctx, y, to.data(), nullptr, rows, 1,
                  sumsAt(state, First + 1));
}

/// Of a product: with a penalty of each row.
template <size_t First>
void finishTwo(tamrt_context *, void *, void *state, void *, const double *,
               const void *const *, const double *v, const void *const *,
               double *output, int64_t, int64_t, int64_t groupRows) {
  for (size_t i = 0; i < 2; ++i) {
    const double *sums = sumsAt(state, First + i);
    output[i] = sums[0] + (v ? 1e-3 * double(groupRows) * v[i] : 0);
  }
}

/// No effect has a factor.
void precondition(tamrt_context *, void *, void *, void *, const double *,
                  const void *const *, const double *, const void *const *,
                  double *, int64_t, int64_t, int64_t) {}

class IterationsTest : public TeamTest {
protected:
  IterationsTest() {
    model.solver = "cg";
    model.columns = 2;
    model.cg_state_bytes = kSums[3] + 8;
    for (size_t i = 0; i < 4; ++i)
      sums[i] = {i < 2 ? TAMRT_STEP_CG_CHUNK : TAMRT_STEP_APPLY_CHUNK, 0,
                 kSums[i], 1, 0};
    model.accumulator_count = 4;
    model.accumulators = sums;
    effect.columns = 2;
    model.steps = iterated;
    model.step_count = 8;
  }

  tamrt_accumulator sums[4];
  tamrt_step iterated[8] = {stepOf(TAMRT_STEP_CG_INIT, 0, initTwo<0>),
                            stepOf(TAMRT_STEP_CG_CHUNK, 1024, addTwo<0>),
                            stepOf(TAMRT_STEP_CG_FINISH, 0, finishTwo<0>),
                            stepOf(TAMRT_STEP_APPLY_INIT, 0, initTwo<2>),
                            stepOf(TAMRT_STEP_APPLY_CHUNK, 1024, addTwo<2>),
                            stepOf(TAMRT_STEP_APPLY_CHUNK, 256, addTwo<2>),
                            stepOf(TAMRT_STEP_APPLY_FINISH, 0, finishTwo<2>),
                            stepOf(TAMRT_STEP_PRECONDITION, 0, precondition)};
};

// For various parts, groups at a time and threads.
TEST_F(IterationsTest, RowsThatComeInParts) {
  const std::vector<std::string> names = {"0", "1", "2", "3"};
  // Ends of parts, by group. The iterations of the second group end at once,
  // for its target is nothing.
  const std::vector<std::vector<size_t>> ends = {
      {0, 0, 0, 0},
      {size_t(S) - 1, 1, 3, 1},
      {3 * size_t(S) + 1, 3, size_t(S), 2},
      {3 * size_t(S) + 2, size_t(S) + 9, 2 * size_t(S) + 77, 3}};
  auto read = [&](const std::vector<size_t> &from,
                  const std::vector<size_t> &to) {
    std::string text = "g,x,y\n";
    for (size_t g = 0; g < names.size(); ++g)
      for (size_t i = from[g]; i < to[g]; ++i) {
        const double x = g == 1 ? 0 : std::sin(double(i) + double(g));
        text += names[g] + "," + std::to_string(x) + "," +
                std::to_string(std::cos(3.7 * double(i))) + "\n";
      }
    const std::string path = testing::TempDir() + "team-test.csv";
    std::ofstream(path) << text;
    RowReader reader = *RowReader::open(path, model, {});
    Rows rows = *reader.read(text.size());
    const GroupOrder order = reader.groupOrder();
    return Dataset::arrange(std::move(rows), reader, order, model,
                            *reader.levelTables(), 1);
  };
  const std::vector<size_t> &sizes = ends.back();
  const Dataset rows = read(ends.front(), sizes);
  std::vector<Dataset> parts;
  for (size_t part = 1; part < ends.size(); ++part)
    parts.push_back(read(ends[part - 1], ends[part]));
  RunOptions options = onThreads(1);
  CgSummary expected, got;
  options.summary = &expected;
  const std::vector<double> coefficients = *fit(rows, options);
  EXPECT_EQ(expected.unconverged, 0u);
  EXPECT_EQ(coefficients[2], 0);
  EXPECT_NE(coefficients[0], coefficients[4]);
  const Normalization normalization = *normalize(model, rows, {{}}, 1);
  const Tables tables;
  options.summary = &got;
  std::vector<size_t> readings;
  for (unsigned threads : {1, 2, 5})
    for (size_t most : {1, 2, 3, 4}) {
      // The last: threads that have no memory to help.
      options.threads = threads ? threads : 3;
      options.spareBytes = threads ? std::numeric_limits<int64_t>::max() : 0;
      Result<GroupFits> fits =
          GroupFits::create(model, TAMRT_STEP_APPLY_CHUNK, normalization,
                            tables, {names, sizes}, most, options);
      ASSERT_TRUE(fits);
      EXPECT_EQ(fits->count(), most);
      size_t count = 0;
      for (; *fits->resume(); ++count)
        for (const Dataset &part : parts)
          ASSERT_TRUE(fits->add(part));
      EXPECT_EQ(*fits->finish(), coefficients)
          << threads << " threads, " << most << " groups at a time";
      EXPECT_EQ(got.allIterations, expected.allIterations);
      if (threads == 1)
        readings.push_back(count);
    }
  // One reading for each right-hand side and product; groups that are fitted at
  // the same time share it, and the last does not wait for the first.
  const auto most = size_t(expected.maxIterations);
  EXPECT_EQ(readings[0], size_t(expected.allIterations) + names.size());
  EXPECT_LT(readings[1], readings[0]);
  EXPECT_EQ(readings[2], most + 2);
  EXPECT_EQ(readings[3], most + 1);
}

TEST_F(IterationsTest, RowsThatAreNotThoseThatWereSaid) {
  const std::vector<std::string> names = {"0"};
  const std::vector<size_t> sizes = {10};
  const Normalization normalization = *normalize(model, data({10}), {{}}, 1);
  const Tables tables;
  for (int64_t second : {9, 10, 11}) {
    Result<GroupFits> fits =
        GroupFits::create(model, TAMRT_STEP_APPLY_CHUNK, normalization, tables,
                          {names, sizes}, 1, onThreads(1));
    ASSERT_TRUE(fits);
    ASSERT_TRUE(*fits->resume());
    ASSERT_TRUE(fits->add(data({10})));
    ASSERT_TRUE(*fits->resume());
    Status added = fits->add(data({second}));
    EXPECT_EQ(added.ok(), second <= 10);
    Result<bool> resumed = fits->resume();
    EXPECT_EQ(resumed.ok(), second == 10);
    for (const Error &error : {added.ok() ? Error{} : added.error(),
                               resumed.ok() ? Error{} : resumed.error()})
      EXPECT_TRUE(error.message.empty() ||
                  error.message ==
                      "expected the rows that were read before of group '0', "
                      "got others: the file has changed meanwhile")
          << error.message;
  }
}

TEST_F(TeamTest, PredictionsAreSplit) {
  const Dataset rows = data({7 * S + 3, 50});
  Weights weights;
  weights.normalization = *normalize(model, rows, {{}}, 1);
  weights.groups = {"0", "1"};
  weights.coefficients = {2, 0, 3, 0};
  std::vector<double> expected(rows.rowCount()), got(rows.rowCount());
  RunOptions options = onThreads(1);
  ASSERT_TRUE(predictGroups(model, TAMRT_STEP_PREDICT, rows, weights, options,
                            expected.data()));
  EXPECT_EQ(expected[0], 2 * rows.numbers(0)[0]);
  for (unsigned threads : {2, 3, 7}) {
    options.threads = threads;
    ASSERT_TRUE(predictGroups(model, TAMRT_STEP_PREDICT, rows, weights, options,
                              got.data()));
    EXPECT_EQ(got, expected);
  }
}

} // namespace
} // namespace tamrt::test
