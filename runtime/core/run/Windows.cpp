//===- core/run/Windows.cpp - fits in sliding windows ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Windows.h"

#include "core/device/Device.h"
#include "core/learn/Learners.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tamrt {
namespace {

/// Most bytes of the rows of the windows that are fitted at once, and their
/// part of the bytes that the run may take: more only leave the caches.
constexpr size_t kBatchBytes = size_t(32) << 20;
constexpr int64_t kBatchPart = 4;

/// Whether a fit makes tables that depend on its rows.
bool learnsFromRows(const tamrt_model &model) {
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    const tamrt_table *tables = model.tables + learner.first_table;
    if (learner.kind != TAMRT_LEARN_NEURAL &&
        std::any_of(tables, tables + learner.table_count,
                    [](const tamrt_table &table) { return !table.given; }))
      return true;
  }
  return false;
}

/// Bytes of the rows of a window, of its numbers and of its predictions.
size_t bytesPerWindow(const tamrt_model &model, const WindowOptions &options,
                      size_t predicted) {
  const auto inputs = size_t(model.input_count);
  const size_t row = sizeof(double) * (inputs + 3) + sizeof(uint32_t);
  return row * (options.training + predicted) +
         sizeof(double) * (size_t(model.columns) + 8 * inputs);
}

/// A number of windows that are fitted at once.
size_t windowsAtOnce(const tamrt_model &model, const WindowOptions &options,
                     size_t predicted, const RunOptions &run) {
  // They would share their tables.
  if (learnsFromRows(model))
    return 1;
  if (options.atOnce > 0)
    return options.atOnce;
  int64_t free = Device::cpu().memory().freeBytes;
  if (run.memoryBytes > 0)
    free = std::min(free, run.memoryBytes);
  const int64_t budget =
      budgetOf(free, run.oracle.share(MemoryPlace::Ram, run.work)) / kBatchPart;
  return std::max<size_t>(
      std::min(kBatchBytes, size_t(std::max<int64_t>(budget, 0))) /
          bytesPerWindow(model, options, predicted),
      1);
}

/// Windows that are fitted at once.
class Batch {
public:
  Batch(const tamrt_model &model, const Dataset &data,
        const WindowColumns &columns, std::span<const Window> windows,
        const WindowOptions &options, std::span<const double> discount,
        const RunOptions &run)
      : model(model), data(data), columns(columns), windows(windows),
        options(options), discount(discount), run(run) {}

  Status fit();
  Status predict(double *predictions) const;
  const std::vector<double> &coefficients() const {
    return weights.coefficients;
  }

private:
  Status findLevels();
  std::string nameOf(const Window &window) const;
  void setCodes(size_t window, size_t input, size_t first, size_t rows,
                int32_t *codes) const;

  const tamrt_model &model;
  const Dataset &data;
  const WindowColumns &columns;
  std::span<const Window> windows;
  const WindowOptions &options;
  std::span<const double> discount;
  const RunOptions &run;
  /// By window and input; empty for a model without levels.
  std::vector<LevelTable> levels;
  /// A window is a group of it.
  Weights weights;
};

/// "north, rows 1 to 365".
std::string Batch::nameOf(const Window &window) const {
  const Group &group = data.groups()[window.group];
  const size_t first = window.training - group.first;
  return fmt::format("{}{}rows {} to {}", group.name,
                     group.name.empty() ? "" : ", ", first + 1,
                     first + options.training);
}

/// The levels of the windows' training rows.
Status Batch::findLevels() {
  if (std::none_of(columns.levels.begin(), columns.levels.end(),
                   [](const auto *levels) { return levels; }))
    return {};
  const size_t inputs = columns.levels.size();
  levels.resize(windows.size() * inputs);
  std::vector<bool> isSeen;
  for (size_t w = 0; w < windows.size(); ++w)
    for (size_t i = 0; i < inputs; ++i) {
      if (!columns.levels[i])
        continue;
      const tamrt_input &input = model.inputs[i];
      const auto &[ids, texts] = *columns.levels[i];
      LevelCollector collector(size_t(input.levels));
      isSeen.assign(texts.size(), false);
      for (size_t row = 0; row < options.training; ++row) {
        const uint32_t id = ids[windows[w].training + row];
        if (!isSeen[id])
          collector.add(texts[id]);
        isSeen[id] = true;
      }
      Result<LevelTable> table =
          collector.table(nameOf(windows[w]), input.column);
      if (!table)
        return std::move(table).error();
      levels[w * inputs + i] = *std::move(table);
    }
  return {};
}

/// The codes of some rows by the levels of a window.
void Batch::setCodes(size_t window, size_t input, size_t first, size_t rows,
                     int32_t *codes) const {
  const auto &[ids, texts] = *columns.levels[input];
  const LevelTable &table = levels[window * columns.levels.size() + input];
  const auto unseen = tamrt_unseen(model.inputs[input].unseen);
  std::vector<std::optional<int32_t>> known(texts.size());
  for (size_t row = 0; row < rows; ++row) {
    std::optional<int32_t> &code = known[ids[first + row]];
    if (!code)
      code = table.code(texts[ids[first + row]], unseen);
    codes[row] = *code;
  }
}

Status Batch::fit() {
  if (Status s = findLevels(); !s)
    return s;
  std::vector<Group> ranges;
  for (const Window &window : windows)
    ranges.push_back({nameOf(window), window.training, options.training});
  Dataset rows = Dataset::copy(
      model, columns.source, ranges, discount,
      [&](size_t w, size_t input, int32_t *codes) {
        setCodes(w, input, windows[w].training, options.training, codes);
      },
      run.threads);
  Result<Normalization> normalization =
      normalizeApart(model, rows, run.threads);
  if (!normalization)
    return std::move(normalization).error();
  weights.normalization = *std::move(normalization);
  if (Status s = rows.scaleWeights(); !s)
    return s;
  Result<Tables> tables = learn(model, rows, weights.normalization);
  if (!tables)
    return std::move(tables).error();
  weights.tables = *std::move(tables);
  Result<std::vector<double>> coefficients =
      fitGroups(model, rows, weights.normalization, weights.tables, run);
  if (!coefficients)
    return std::move(coefficients).error();
  weights.coefficients = *std::move(coefficients);
  for (Group &range : ranges)
    weights.groups.push_back(std::move(range.name));
  return {};
}

Status Batch::predict(double *predictions) const {
  std::vector<Group> ranges;
  for (size_t w = 0; w < windows.size(); ++w)
    ranges.push_back({weights.groups[w], windows[w].first, windows[w].rows});
  RowSource source = columns.source;
  source.target = nullptr;
  const Dataset rows = Dataset::copy(
      model, source, ranges, {},
      [&](size_t w, size_t input, int32_t *codes) {
        setCodes(w, input, windows[w].first, windows[w].rows, codes);
      },
      run.threads);
  std::vector<double> numbers(rows.rowCount());
  if (Status s = predictGroups(model, TAMRT_STEP_PREDICT, rows, weights, run,
                               numbers.data());
      !s)
    return s;
  for (size_t w = 0; w < windows.size(); ++w)
    std::copy_n(numbers.data() + rows.groups()[w].first, windows[w].rows,
                predictions + windows[w].first);
  return {};
}

} // namespace

std::vector<Window> windowsOf(const Dataset &data, const tamrt_adapt &adapt) {
  const auto training = size_t(adapt.window), update = size_t(adapt.update),
             gap = size_t(adapt.horizon) - 1;
  std::vector<Window> windows;
  for (size_t g = 0; g < data.groups().size(); ++g) {
    const Group &group = data.groups()[g];
    size_t index = 0;
    for (size_t at = training + gap; at < group.rows; at += update)
      windows.push_back({g, index++, group.first + at - gap - training,
                         group.first + at, std::min(update, group.rows - at)});
  }
  return windows;
}

Status fitWindows(const tamrt_model &model, const Dataset &data,
                  const WindowColumns &columns, std::span<const Window> windows,
                  const WindowOptions &options, const RunOptions &run,
                  const std::function<Status(const FittedWindows &)> &take,
                  double *predictions) {
  // Errors name a window, also in a model without groups.
  tamrt_model named = model;
  named.group = "window";
  std::vector<double> discount;
  if (options.forget < 1) {
    // Products, so that the bits are the same on all machines.
    discount.assign(options.training, 1);
    for (size_t age = 1; age < discount.size(); ++age)
      discount[age] = discount[age - 1] * options.forget;
  }
  size_t predicted = 0;
  for (const Window &window : windows)
    predicted = std::max(predicted, window.rows);
  const size_t atOnce = windowsAtOnce(model, options, predicted, run);
  RunOptions each = run;
  each.progress = nullptr;
  for (size_t done = 0; done < windows.size();) {
    if (run.progress)
      run.progress->update("windows", done, windows.size());
    const auto some =
        windows.subspan(done, std::min(atOnce, windows.size() - done));
    Batch batch(named, data, columns, some, options, discount, each);
    if (Status s = batch.fit(); !s)
      return s;
    if (Status s = batch.predict(predictions); !s)
      return s;
    if (take)
      if (Status s = take({some, batch.coefficients()}); !s)
        return s;
    done += some.size();
  }
  return {};
}

} // namespace tamrt
