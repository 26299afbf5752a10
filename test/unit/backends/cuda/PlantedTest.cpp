//===- PlantedTest.cpp - errors that are planted in kernels ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The emulator finds every barrier that is missing, and other errors. They are
/// planted between a kernel's body and the thread that executes it, so that the
/// bodies are those of the device.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Emulator.h"
#include "backends/cuda/Encodings.h"
#include "backends/cuda/PendingSums.h"
#include "backends/cuda/Predict.h"
#include "backends/cuda/Solve.h"
#include "backends/cuda/Sums.h"

#include "gtest/gtest.h"

#include <set>

using namespace tamrt::cuda;

namespace {

/// What is wrong with a kernel.
struct Bug {
  enum Kind {
    None,
    /// No thread waits at the barrier of the line `line`.
    LacksBarrier,
    /// The first thread does not wait there.
    PassesBarrier,
    /// All threads take the one after them for themselves.
    NextThread,
    /// Shuffles name half of the lanes.
    WrongMask,
    /// Shuffles are from one lane further.
    WrongLane,
  } kind = None;
  int line = 0;
};

/// The lines of the barriers that threads reached.
std::set<int> lines;

/// A thread that executes a body with a bug.
class BuggyThread {
public:
  BuggyThread(FiberThread &thread, Bug bug) : real(thread), bug(bug) {}

  int64_t block() const { return real.block(); }
  int64_t blocks() const { return real.blocks(); }
  int thread() const {
    return real.thread() + (bug.kind == Bug::NextThread ? 1 : 0);
  }
  int threads() const { return real.threads(); }
  int64_t index() const { return real.index(); }
  int64_t total() const { return real.total(); }
  template <class T> auto view(const Buffer<T> &buffer) {
    return real.view(buffer);
  }
  auto shared(int first, int count) { return real.shared(first, count); }
  void fail(int32_t status, int64_t detail) { real.fail(status, detail); }

  void barrier(int line = __builtin_LINE()) {
    lines.insert(line);
    if (bug.line == line &&
        (bug.kind == Bug::LacksBarrier ||
         (bug.kind == Bug::PassesBarrier && real.thread() == 0)))
      return;
    real.barrier(line);
  }
  double shuffleDown(uint32_t mask, double x, int distance,
                     int line = __builtin_LINE()) {
    if (bug.kind == Bug::WrongMask)
      mask >>= kWarp / 2;
    if (bug.kind == Bug::WrongLane)
      ++distance;
    return real.shuffleDown(mask, x, distance, line);
  }

private:
  FiberThread &real;
  Bug bug;
};

template <class Body> struct Buggy {
  static constexpr const char *name = Body::name;
  static constexpr bool hasBarriers = true;

  Body body;
  Bug bug;

  void operator()(FiberThread &thread) const {
    BuggyThread buggy(thread, bug);
    body(buggy);
  }
};

/// Numbers in global memory, with records.
template <class T> class Numbers {
public:
  Numbers(std::initializer_list<T> list) : Numbers(std::vector<T>(list)) {}
  explicit Numbers(std::vector<T> from)
      : numbers(std::move(from)),
        records(numbers.size() * sizeof(T) / kRecordedBytes) {}
  template <class As = T> Buffer<As> buffer() {
    return {numbers.data(), int64_t(numbers.size()), records.data()};
  }
  std::vector<T> numbers;

private:
  std::vector<Record> records;
};

constexpr Order kOrders[] = {Order::Forward, Order::Backward, Order::Warps,
                             Order::Random};

/// The message about a bug, or "".
template <class Run> std::string messageOf(Order order, const Run &run) {
  Emulator emulator(order, 1, false);
  try {
    run(emulator);
  } catch (const Fault &fault) {
    return fault.message;
  }
  return "";
}

/// A system of `n` columns whose pivots are small compared with its diagonal,
/// so that its solution is refined.
std::string solveWith(Order order, Bug bug, int64_t n = 70,
                      std::vector<double> *solution = nullptr) {
  std::vector<double> a(size_t(n * n)), b(size_t(n), 0.0);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      a[size_t(j * n + i)] = double(std::min(i, j)) + 1e6;
      b[size_t(i)] += a[size_t(j * n + i)] * (double(j % 7) - 3.0);
    }
  Numbers<double> matrix(a), right(b);
  Numbers<double> workspace(std::vector<double>(TAMRT_SOLVE_WORKSPACE(n)));
  const CholeskySolve body = {n, matrix.buffer(), right.buffer(),
                              workspace.buffer()};
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    const Failure failure =
        emulator.run(Grid{1, kSolveThreads, kSolveThreads / kWarp},
                     Buggy<CholeskySolve>{body, bug});
    EXPECT_EQ(failure.status, TAMRT_OK);
  });
  if (solution)
    *solution = right.numbers;
  return message;
}

/// The factor of a matrix of 40 columns that is definite, or just not so.
std::string factorWith(Order order, Bug bug, bool isDefinite) {
  constexpr int64_t n = 40;
  std::vector<double> a(n * n, 1.0);
  for (int64_t j = 0; j < n; ++j)
    a[size_t(j * (n + 1))] = isDefinite ? 2.0 : 1.0;
  Numbers<double> matrix(a);
  Numbers<double> workspace(std::vector<double>(TAMRT_FACTOR_WORKSPACE(n)));
  const CholeskyFactor body = {n, 0, matrix.buffer(), workspace.buffer()};
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    const Failure failure =
        emulator.run(Grid{1, kSolveThreads, kSolveThreads / kWarp},
                     Buggy<CholeskyFactor>{body, bug});
    EXPECT_EQ(failure.status, TAMRT_OK);
  });
  // The factor of the diagonal alone has no elements below it.
  if (message.empty()) {
    EXPECT_EQ(matrix.numbers[n - 1] != 0.0, isDefinite);
  }
  return message;
}
std::string factorDefinite(Order order, Bug bug) {
  return factorWith(order, bug, true);
}
std::string factorDiagonal(Order order, Bug bug) {
  return factorWith(order, bug, false);
}

/// Solves with the factor of a matrix whose factor is the triangle of ones.
std::string applyFactor(Order order, Bug bug) {
  constexpr int64_t n = 150;
  Numbers<double> factor(std::vector<double>(n * n, 1.0));
  std::vector<double> b(n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      b[size_t(i)] += double(std::min(i, j) + 1) * double(j % 5);
  Numbers<double> right(b), x{std::vector<double>(n)};
  const CholeskyApply body = {factor.buffer<const double>(),
                              right.buffer<const double>(), n, x.buffer()};
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    emulator.run(Grid{1, kSolveThreads, kSolveThreads / kWarp},
                 Buggy<CholeskyApply>{body, bug});
  });
  for (int64_t i = 0; message.empty() && i < n; ++i)
    EXPECT_EQ(x.numbers[size_t(i)], double(i % 5));
  return message;
}

/// The factor of a diagonal of 150 numbers.
std::string factorNumbers(Order order, Bug bug) {
  constexpr int64_t n = 150;
  std::vector<double> diagonal;
  for (int64_t i = 0; i < n; ++i)
    diagonal.push_back(1.0 / double((i + 1) * (i + 1)));
  Numbers<double> factor(diagonal);
  const DiagonalFactor body = {n, 0, factor.buffer()};
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    const Failure failure =
        emulator.run(Grid{1, kSolveThreads, kSolveThreads / kWarp},
                     Buggy<DiagonalFactor>{body, bug});
    EXPECT_EQ(failure.status, TAMRT_OK);
  });
  for (int64_t i = 0; message.empty() && i < n; ++i)
    EXPECT_NEAR(factor.numbers[size_t(i)], double(i + 1), 1e-12);
  return message;
}

/// A 20 x 20 Gram matrix of 70 rows.
std::string addWith(Order order, Bug bug, std::vector<double> *sums = nullptr) {
  constexpr int64_t rows = 70, n = 20;
  std::vector<double> values;
  for (int64_t i = 0; i < rows * n; ++i)
    values.push_back(double(i * 7919 % 101) / 50.0 - 1.0);
  Numbers<double> a(values), result(std::vector<double>(n * n));
  const Dense dense = {a.buffer<const double>(), n};
  const AddProducts<Dense, Dense> body = {
      dense, dense, {}, rows, n, n, true, 0.0, {}, {result.buffer(), {}}};
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    emulator.run(Grid{4, kTileThreads, kTileShared},
                 Buggy<AddProducts<Dense, Dense>>{body, bug});
  });
  if (sums)
    *sums = result.numbers;
  return message;
}

/// Products of a band of 5 columns, of levels and of numbers in three segments.
std::string addRowsWith(Order order, Bug bug,
                        std::vector<double> *sums = nullptr) {
  constexpr int64_t rows = 210, width = 3, n = 5, levels = 4;
  constexpr int64_t segments = 3, own = n * n + levels + n * levels;
  std::vector<double> values, target;
  std::vector<int32_t> starts, level;
  for (int64_t i = 0; i < rows * width; ++i)
    values.push_back(double(i * 7919 % 101) / 50.0 - 1.0);
  for (int64_t i = 0; i < rows; ++i) {
    starts.push_back(int32_t(i * 31 % (n - width + 1)));
    level.push_back(int32_t(i * 17 % levels));
    target.push_back(double(i * 13 % 29));
  }
  Numbers<double> a(values), y(target),
      result(std::vector<double>(size_t(own), 0.0));
  Numbers<double> further(
      std::vector<double>(size_t((segments - 1) * own), 0.0));
  Numbers<int32_t> start(starts), index(level);
  const Factor band = {Factor::Band, int32_t(width), a.buffer<const double>(),
                       start.buffer<const int32_t>()};
  const Factor hot = {Factor::Level, 1, {}, index.buffer<const int32_t>()};
  const Factor ones;
  PendingSums pending;
  int64_t at = 0;
  const auto add = [&](const Factor &left, const Factor &right, int64_t na,
                       int64_t nb, bool isUpper) {
    Buffer<double> first = result.buffer(), rest = further.buffer();
    const auto shift = [&](Buffer<double> &buffer, int64_t count) {
      buffer.data += at;
      buffer.count = count;
      buffer.records = static_cast<Record *>(buffer.records) +
                       at * int64_t(sizeof(double) / kRecordedBytes);
    };
    shift(first, na * nb);
    shift(rest, (segments - 2) * own + na * nb);
    pending.add({left, right, {}, rows, na, nb, isUpper}, {segments, rows / 3},
                {first, rest, own});
    at += na * nb;
  };
  add(band, band, n, n, true);
  add(hot, ones, levels, 1, false);
  add(band, hot, n, levels, false);
  const std::string message = messageOf(order, [&](Emulator &emulator) {
    pending.flush([&](const Grid &grid, const AddRows &body) {
      emulator.run(grid, Buggy<AddRows>{body, bug});
    });
    emulator.run(
        Grid{1, kWarp},
        JoinSegments{
            {result.buffer(), further.buffer(), own}, own, segments, 0.0});
  });
  if (sums)
    *sums = result.numbers;
  return message;
}

/// All kernels with barriers.
constexpr std::string (*kPrograms[])(Order, Bug) = {
    [](Order order, Bug bug) { return addWith(order, bug); },
    [](Order order, Bug bug) { return addRowsWith(order, bug); },
    [](Order order, Bug bug) { return solveWith(order, bug); },
    factorDefinite,
    factorDiagonal,
    factorNumbers,
    applyFactor};

} // namespace

TEST(Planted, NothingIsFoundInTheKernelsThemselves) {
  for (Order order : kOrders) {
    for (auto *with : kPrograms)
      EXPECT_EQ(with(order, {}), "");
  }
}

TEST(Planted, EveryMissingBarrierIsFound) {
  for (auto *with : kPrograms) {
    lines.clear();
    EXPECT_EQ(with(Order::Forward, {}), "");
    const std::set<int> all = lines;
    EXPECT_GE(all.size(), 2u);
    for (int line : all)
      for (Order order : kOrders) {
        // What is not there yet may also be an index of no element.
        const std::string said = with(order, {Bug::LacksBarrier, line});
        EXPECT_TRUE(said.find("race: ") != std::string::npos ||
                    said.find("expected an element") != std::string::npos)
            << "line " << line << ", order " << int(order) << ": " << said;
      }
  }
}

TEST(Planted, EveryBarrierThatAThreadPassesIsFound) {
  for (auto *with : kPrograms) {
    lines.clear();
    with(Order::Forward, {});
    const std::set<int> all = lines;
    for (int line : all)
      for (Order order : kOrders)
        EXPECT_NE(with(order, {Bug::PassesBarrier, line}), "")
            << "line " << line << ", order " << int(order);
  }
}

TEST(Planted, WrongMasksAndLanesOfShufflesAreFound) {
  for (Order order : kOrders) {
    EXPECT_NE(solveWith(order, {Bug::WrongMask}).find("mask lacks"),
              std::string::npos);
    // The numbers of other lanes are wrong, but all lanes take part.
    std::vector<double> good, bad;
    solveWith(order, {}, 70, &good);
    solveWith(order, {Bug::WrongLane}, 70, &bad);
    EXPECT_NE(good, bad);
  }
}

TEST(Planted, OffByOneIsFound) {
  for (Order order : kOrders) {
    // The last thread of a block writes the first element of no tile.
    EXPECT_NE(addWith(order, {Bug::NextThread}), "");
    // One row more than the buffer has.
    Numbers<double> a({1.0, 2.0, 3.0}), beta({2.0}), out({0.0, 0.0, 0.0, 0.0});
    Predict<Dense> body = {{a.buffer<const double>(), 1},
                           beta.buffer<const double>(),
                           3,
                           1,
                           0,
                           0,
                           out.buffer()};
    const auto run = [&](Emulator &emulator) {
      emulator.run(Grid{1, kWarp}, body);
    };
    EXPECT_EQ(messageOf(order, run), "");
    EXPECT_EQ(out.numbers, (std::vector<double>{2.0, 4.0, 6.0, 0.0}));
    body.rows = 4;
    EXPECT_NE(messageOf(order, run).find("expected an element below 3, got 3"),
              std::string::npos);
  }
}
