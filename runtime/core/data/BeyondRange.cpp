//===- core/data/BeyondRange.cpp - values outside their range -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/BeyondRange.h"

#include "io/Parallel.h"
#include "kernels/InstructionSets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tamrt {
namespace {

/// Values below which a thread costs more than it saves.
constexpr size_t kValuesPerThread = size_t(1) << 16;

/// Rounding of centre and half range does not put a value beyond its range.
constexpr double kSlack = 1 + 1e-9;

TAMRT_WIDE size_t countBeyond(const double *values, size_t rows, double centre,
                              double half) {
  size_t count = 0;
  for (size_t row = 0; row < rows; ++row)
    count += std::fabs(values[row] - centre) > half * kSlack;
  return count;
}

std::string ofRows(size_t count, size_t rows) {
  return fmt::format("{} of {} row{}", count, rows, rows == 1 ? "" : "s");
}

} // namespace

BeyondRange::BeyondRange(const tamrt_model &model,
                         const Normalization &normalization, Purpose purpose)
    : model(model), normalization(normalization),
      counts(size_t(model.input_count)) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const tamrt_input &input = model.inputs[i];
    const bool isCompared =
        input.rule == TAMRT_RULE_CODES ||
        (isPrediction(purpose) && input.rule == TAMRT_RULE_RANGE);
    // A column of several inputs is reported once.
    const bool isKnown =
        std::any_of(compared.begin(), compared.end(), [&](size_t other) {
          return model.inputs[other].rule == input.rule &&
                 model.inputs[other].levels == input.levels &&
                 model.inputs[other].unseen == input.unseen &&
                 std::string_view(model.inputs[other].column) == input.column;
        });
    if (isCompared && !isKnown)
      compared.push_back(i);
  }
}

void BeyondRange::add(const Dataset &part, unsigned threads) {
  rows += part.rowCount();
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] += part.unseenRows(i);
  const unsigned pieces =
      std::min(chooseThreads(threads, part.rowCount() * compared.size(),
                             kValuesPerThread),
               std::max(unsigned(compared.size()), 1u));
  forEachPiece(pieces, [&](unsigned piece) {
    for (size_t at = piece; at < compared.size(); at += pieces) {
      // The last columns are in cache: they have been copied just now.
      const size_t input = compared[compared.size() - 1 - at];
      for (const Group &group : part.groups()) {
        const double *range = normalization.ranges.data() +
                              2 * (group.place * counts.size() + input);
        counts[input] += countBeyond(part.numbers(input) + group.first,
                                     group.rows, range[0], range[1]);
      }
    }
  });
}

std::vector<std::string> BeyondRange::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < counts.size(); ++i) {
    const tamrt_input &input = model.inputs[i];
    if (counts[i] == 0)
      continue;
    std::string note =
        fmt::format("column '{}': {} ", input.column, ofRows(counts[i], rows));
    if (input.rule == TAMRT_RULE_CODES)
      note += fmt::format("have a code beyond n_cat={} {}", input.levels,
                          input.unseen == TAMRT_UNSEEN_SERIES
                              ? "where the Fourier series goes on"
                              : "and count as the first or last level");
    else if (input.rule == TAMRT_RULE_RANGE)
      note += "are beyond the training range";
    else
      note += fmt::format(
          "have a level that training did not have and {}",
          input.unseen == TAMRT_UNSEEN_MEAN   ? "count as the mean level"
          : input.unseen == TAMRT_UNSEEN_ZERO ? "have no effect"
                                              : "count as the nearest level");
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  }
  return notes;
}

std::string describeTies(size_t ties, size_t rows) {
  return fmt::format(
      "{} have the date of a row before them in their group and follow it as "
      "in the file; where local times repeat, at the end of summer time, an "
      "offset such as +01:00 tells them apart",
      ofRows(ties, rows));
}

} // namespace tamrt
