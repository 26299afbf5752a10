//===- bench/SimulateRanks.cpp - a fit by more ranks than processors ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits the load model to the rows of files by several numbers of ranks, which
/// are threads of this process, and prints how long each fit would take if each
/// rank had a processor and a network as described (NetworkRanks.h). Rows that
/// come from a disk take longer: here files are in memory. All fits must have
/// the same bytes.
///
//===----------------------------------------------------------------------===//

#include "NetworkRanks.h"

#include "core/ranks/RankFit.h"
#include "core/run/Progress.h"
#include "kernels/cpu/CpuKernels.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

extern "C" const tamrt_model tam_model;

using namespace tamrt;

namespace {

/// Phases of `fitOnRanks`, in their order; the last is what comes after.
constexpr const char *kPhases[] = {"divide", "read",  "exchange", "sums",
                                   "join",   "solve", "end"};
constexpr size_t kPhaseCount = std::size(kPhases);

/// A fit by some ranks. Times are seconds of the rank that is last.
struct Simulation {
  double phaseEnds[kPhaseCount] = {};
  /// Of the time of all ranks: what they spent in exchanges.
  double waiting = 0;
  /// The most bytes that a rank has sent.
  int64_t sent = 0;
  /// Processor time of the ranks' threads and of this process.
  double threadSeconds = 0, processSeconds = 0;
  std::vector<double> coefficients;

  double seconds() const { return phaseEnds[kPhaseCount - 1]; }
};

double processTime() {
  timespec time = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// What one rank does. \returns its times at the ends of the phases.
std::vector<double> runRank(NetworkRanks &network, size_t rank,
                            const std::string &pattern,
                            std::vector<double> &coefficients,
                            std::string &error) {
  network.start(rank);
  Progress progress(-1, "ranks");
  RunOptions run;
  run.threads = 1;
  run.kernels = &tamrt_cpu_kernels;
  run.progress = &progress;
  ReadOptions reading;
  reading.threads = 1;
  std::vector<double> ends;
  auto end = [&](const char *) { ends.push_back(network.now(rank)); };
  Result<RankFit> fit = fitOnRanks(Ranks(network[rank]), tam_model, pattern,
                                   reading, run, {.end = end});
  end("end");
  if (!fit)
    error = fit.error().message;
  else if (rank == 0)
    coefficients = std::move(fit->weights.coefficients);
  return ends;
}

Simulation simulate(const std::string &pattern, size_t count,
                    const Network &how) {
  NetworkRanks network(count, how);
  Simulation result;
  std::vector<std::vector<double>> ends(count);
  std::vector<std::string> errors(count);
  const double begin = processTime();
  {
    std::vector<std::jthread> threads;
    for (size_t rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        ends[rank] =
            runRank(network, rank, pattern, result.coefficients, errors[rank]);
      });
  }
  result.processSeconds = processTime() - begin;
  // All ranks have the same error.
  if (!errors[0].empty())
    throw std::runtime_error(errors[0]);
  double total = 0;
  for (size_t rank = 0; rank < count; ++rank) {
    if (ends[rank].size() != kPhaseCount)
      throw std::runtime_error("expected other phases of a fit by ranks");
    for (size_t i = 0; i < kPhaseCount; ++i)
      result.phaseEnds[i] = std::max(result.phaseEnds[i], ends[rank][i]);
    total += ends[rank].back();
    result.waiting += network.waited(rank);
    result.threadSeconds += network.copied(rank);
    result.sent = std::max(result.sent, network.sent(rank));
  }
  result.threadSeconds += total - result.waiting;
  result.waiting /= total;
  return result;
}

void printHeader() {
  fmt::print("| ranks | s | times faster |");
  for (const char *phase : kPhases)
    fmt::print(" {} |", phase);
  fmt::print(" waiting | bytes sent by a rank |\n|");
  for (size_t i = 0; i < kPhaseCount + 5; ++i)
    fmt::print("---|");
  fmt::print("\n");
}

void print(size_t ranks, const Simulation &simulation, double first) {
  fmt::print("| {} | {:.4f} | {:.2f} |", ranks, simulation.seconds(),
             first / simulation.seconds());
  double last = 0;
  for (const double end : simulation.phaseEnds)
    fmt::print(" {:.4f} |", end - std::exchange(last, end));
  fmt::print(" {:.0f}% | {} |\n", 100 * simulation.waiting, simulation.sent);
  std::fflush(stdout);
}

int run(int argc, char **argv) {
  std::string pattern;
  std::vector<size_t> ranks = {1, 2, 4, 8, 16, 32, 64};
  double latency = 20, overhead = 1, bandwidth = 1.25;
  size_t repeat = 1;
  CLI::App app("Times a fit of the load model by more ranks than processors");
  app.add_option("FILES", pattern, "a file of rows, or a pattern of files")
      ->required();
  app.add_option("--ranks", ranks,
                 "numbers of ranks; others are compared with "
                 "the first")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--latency", latency, "microseconds of a message")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--overhead", overhead,
                 "microseconds of a message at each of its ends")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--bandwidth", bandwidth,
                 "10^9 bytes a second of a rank, in each direction")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repeat", repeat, "of so many fits the fastest")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const Network network = {1e-6 * latency, 1e-6 * overhead, 1e9 * bandwidth};
  std::optional<Simulation> first;
  for (const size_t count : ranks) {
    std::optional<Simulation> fastest;
    for (size_t turn = 0; turn < repeat; ++turn) {
      Simulation next = simulate(pattern, count, network);
      if (first && next.coefficients != first->coefficients)
        throw std::runtime_error(fmt::format(
            "{} ranks have other coefficients than {}", count, ranks[0]));
      // A thread that no rank's clock counts would be work for nothing.
      if (next.threadSeconds < 0.9 * next.processSeconds - 0.1)
        throw std::runtime_error(fmt::format(
            "the ranks' clocks count {:.3f} s of {:.3f} s of processor time",
            next.threadSeconds, next.processSeconds));
      if (!fastest || next.seconds() < fastest->seconds())
        fastest = std::move(next);
    }
    if (!first)
      printHeader();
    print(count, *fastest, (first ? *first : *fastest).seconds());
    if (!first)
      first = std::move(fastest);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
