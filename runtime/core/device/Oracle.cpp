//===- core/device/Oracle.cpp - solver, rung and threads ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Oracle.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace tamrt {
namespace {

/// Uses the rest of the budget for spares.
void addSpares(const Need &need, Decision &decision) {
  if (decision.threads < 2 || need.spareBytes == 0)
    return;
  const int64_t left =
      std::min(decision.budget - decision.bytes, need.spareLimit);
  decision.spares =
      unsigned(std::min(int64_t(decision.threads), left / need.spareBytes));
  decision.bytes += decision.spares * need.spareBytes;
}

/// Chooses rung and threads of one way. `fits` is set if they are within
/// budget.
Decision place(const Need &need, unsigned most, int64_t budget) {
  assert(!need.rungs.empty());
  Decision decision;
  decision.budget = budget;
  for (unsigned threads = std::max(most, 1u); threads > 0; threads /= 2)
    for (size_t rung = 0; rung < need.rungs.size(); ++rung) {
      if (threads > 1 && rung > 0 && need.rungs[rung].rows < kSmallChunk)
        break;
      const double bytes = double(need.sharedBytes) +
                           double(threads) * double(need.rungs[rung].bytes);
      if (bytes > double(budget))
        continue;
      decision.fits = true;
      decision.rung = rung;
      decision.threads = threads;
      decision.bytes =
          need.sharedBytes + int64_t(threads) * need.rungs[rung].bytes;
      addSpares(need, decision);
      return decision;
    }
  decision.rung = need.rungs.size() - 1;
  decision.bytes = need.sharedBytes + need.rungs.back().bytes;
  return decision;
}

/// "3.9 MB".
std::string megabytes(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

/// Bytes that a way needs on one thread and the smallest rung.
int64_t minBytes(const Need &need) {
  return need.sharedBytes + need.rungs.back().bytes;
}

/// "needs 985.4 MB, 188.0 MB are free", with the share if these numbers alone
/// do not show the reason.
std::string lacks(const Need &need, const Question &question,
                  const OracleOptions &options) {
  const int64_t bytes = minBytes(need);
  std::string text =
      fmt::format("needs {}, {} are free", megabytes(double(bytes)),
                  megabytes(double(question.freeBytes)));
  if (bytes <= question.freeBytes)
    text += fmt::format(", of which {:g}% may be taken",
                        options.share(question.place, question.work) * 100);
  return text;
}

} // namespace

std::string_view nameOf(SolverChoice solver) {
  switch (solver) {
  case SolverChoice::Direct:
    return "the direct solver";
  case SolverChoice::ConjugateGradients:
    return "conjugate gradients";
  case SolverChoice::SmallBlocks:
    return "conjugate gradients with small blocks";
  }
  return "";
}

std::string_view ruleName(OracleRule rule) {
  return rule == OracleRule::Plan ? "plan" : "estimate";
}

double OracleOptions::share(MemoryPlace place, WorkKind work) const {
  if (work == WorkKind::Static)
    return place == MemoryPlace::Device ? deviceShare : ramShare;
  return place == MemoryPlace::Device ? slidingDeviceShare : slidingRamShare;
}

OracleOptions oracleOptions(const tamrt_oracle *spec) {
  OracleOptions options;
  if (!spec)
    return options;
  auto take = [](auto given, auto &option) {
    if (given > 0)
      option = given;
  };
  if (spec->rule == TAMRT_ORACLE_ESTIMATE)
    options.rule = OracleRule::Estimate;
  take(spec->device_share, options.deviceShare);
  take(spec->ram_share, options.ramShare);
  take(spec->sliding_device_share, options.slidingDeviceShare);
  take(spec->sliding_ram_share, options.slidingRamShare);
  take(spec->direct_limit, options.directColumns);
  take(spec->estimate_factor, options.estimateFactor);
  return options;
}

int64_t budgetOf(int64_t freeBytes, double share) {
  if (freeBytes <= 0)
    return 0;
  // 0.7 is not exactly 7/10 in binary: a product that is an integer except for
  // this error counts as that integer.
  const long double product = (long double)(freeBytes)*share;
  const long double whole = std::round(product);
  const long double part = std::abs(product - whole) <= 1e-16L * product
                               ? whole
                               : std::floor(product);
  return part >= (long double)(freeBytes) ? freeBytes : int64_t(part);
}

Decision decide(const Question &question, const OracleOptions &options) {
  assert(question.direct || question.conjugateGradients);
  const int64_t budget = budgetOf(question.freeBytes,
                                  options.share(question.place, question.work));
  auto gradients = [&](std::string reason) {
    Decision decision =
        place(*question.conjugateGradients, question.threads, budget);
    decision.solver = SolverChoice::ConjugateGradients;
    decision.reason = std::move(reason);
    if (decision.fits || !question.smallBlocks)
      return decision;
    Decision small = place(*question.smallBlocks, question.threads, budget);
    small.solver = SolverChoice::SmallBlocks;
    small.reason =
        decision.reason + ", nor does a preconditioner of all blocks";
    return small;
  };
  if (!question.direct)
    return gradients("compiled for conjugate gradients alone");

  Decision direct = place(*question.direct, question.threads, budget);
  if (!question.conjugateGradients) {
    direct.reason = "compiled for the direct solver alone";
    return direct;
  }
  if (question.columns > options.directColumns)
    return gradients(fmt::format("{} columns, more than {}", question.columns,
                                 options.directColumns));
  if (options.rule == OracleRule::Plan) {
    direct.reason =
        fmt::format("{} columns, planned bytes fit", question.columns);
    return direct.fits ? direct
                       : gradients("planned bytes of the direct solver do not "
                                   "fit");
  }
  const double estimate = options.estimateFactor * 8 *
                          double(question.columns) * double(question.columns);
  const double most = options.deviceShare * double(question.freeBytes);
  if (!(estimate < most))
    return gradients(fmt::format("estimated {:.0f} bytes, not less than {:.0f}",
                                 estimate, most));
  // Only the estimate counts, not the plan; the smallest rung is tried.
  direct.fits = true;
  direct.reason =
      fmt::format("estimated {:.0f} bytes, less than {:.0f}", estimate, most);
  return direct;
}

std::string tooLittle(const Question &question, const Decision &decision,
                      const OracleOptions &options, const std::string &source) {
  const double share = options.share(question.place, question.work);
  const Need &need = question.needOf(decision.solver);
  const int64_t rows = need.rungs.back().rows;
  // The least free memory whose share is enough.
  auto wanted = int64_t(std::ceil(double(decision.bytes) / share));
  while (budgetOf(wanted, share) < decision.bytes)
    ++wanted;
  std::string text = fmt::format(
      "expected {} bytes of memory for {} in chunks of {} row{}{}, got {}, "
      "which is {:g}% of {} bytes free{}; {} bytes more would do",
      decision.bytes, nameOf(decision.solver), rows, rows == 1 ? "" : "s",
      need.reserveBytes > 0
          ? fmt::format(", of which the device's kernels reserve {}",
                        need.reserveBytes)
          : "",
      decision.budget, share * 100, std::max<int64_t>(question.freeBytes, 0),
      source.empty() ? "" : " (" + source + ")", wanted - question.freeBytes);
  if (decision.bytes <= question.freeBytes)
    text += fmt::format(
        ", or a share of {:.2f}",
        std::ceil(100 * double(decision.bytes) / double(question.freeBytes)) /
            100);
  return text;
}

std::string routeNote(const Question &question, const Decision &decision,
                      const OracleOptions &options) {
  if (decision.solver == SolverChoice::Direct)
    return "";
  const bool isSmall = decision.solver == SolverChoice::SmallBlocks;
  std::string text = fmt::format("fits by {}: ", nameOf(decision.solver));
  if (!question.direct)
    return isSmall ? text + "a preconditioner of all blocks " +
                         lacks(*question.conjugateGradients, question, options)
                   : "";
  if (question.columns > options.directColumns)
    text += fmt::format("{} coefficients, more than the direct limit of {}",
                        question.columns, options.directColumns);
  else if (options.rule == OracleRule::Estimate)
    text += fmt::format(
        "the direct solver is estimated to need {}, {} are "
        "free, of which {:g}% may be taken",
        megabytes(options.estimateFactor * 8 * double(question.columns) *
                  double(question.columns)),
        megabytes(double(question.freeBytes)), options.deviceShare * 100);
  else
    text += "the direct solver " + lacks(*question.direct, question, options);
  if (isSmall)
    text +=
        fmt::format("; a preconditioner of all blocks needs {}",
                    megabytes(double(minBytes(*question.conjugateGradients))));
  return text;
}

} // namespace tamrt
