//===- app/Evaluate.cpp - evaluate ----------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Prediction.h"
#include "app/Session.h"
#include "app/TextTable.h"
#include "core/run/Quality.h"
#include "io/AtomicFile.h"
#include "io/Date.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <unistd.h>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;

/// Sums over rows that are reported together.
struct Score {
  ResidualSums residuals;
  std::vector<IntervalSums> intervals;
};

/// A part of a date.
enum class DatePart { Year, Month, Hour, Weekday };

std::optional<DatePart> datePartOf(const std::string &name) {
  for (auto [part, text] :
       {std::pair(DatePart::Year, "year"), std::pair(DatePart::Month, "month"),
        std::pair(DatePart::Hour, "hour"),
        std::pair(DatePart::Weekday, "weekday")})
    if (name == text)
      return part;
  return std::nullopt;
}

/// The part of a time in seconds since 1970, as "2013", "2013-01", "07" or "1".
std::string textOf(DatePart part, int64_t seconds) {
  const CalendarTime time = calendarTimeOf(seconds);
  switch (part) {
  case DatePart::Year:
    return fmt::format("{:04}", time.year);
  case DatePart::Month:
    return fmt::format("{:04}-{:02}", time.year, time.month);
  case DatePart::Hour:
    return fmt::format("{:02}", time.hour);
  case DatePart::Weekday:
    return fmt::format("{}", time.weekday);
  }
  return "";
}

/// Evaluates rows, which are added in the order of the file: so the sums depend
/// neither on parts nor on threads.
class Evaluation {
public:
  Evaluation(const Options &options, const Weights &weights,
             const RowReader &reader)
      : options(options), reader(reader), part(datePartOf(options.by)),
        groups(weights.groups.size()) {
    for (Score *score : {&all, &empty})
      score->intervals.resize(options.intervals.size());
    std::fill(groups.begin(), groups.end(), empty);
  }

  /// Finds the values by which rows are reported; to be called before `add`
  /// with the same rows.
  void look(const Rows &rows);
  void add(const PredictedRows &rows);

  size_t rowsAdded() const { return count; }
  size_t rowsSkipped() const { return skipped; }
  /// The result as text or JSON.
  std::string format(const tamrt_model &model, const Weights &weights) const;

private:
  /// A value of the column by which rows are reported.
  struct Value {
    std::string_view text;
    const Score *score;
  };

  std::vector<Value> values() const;
  std::string toText(const tamrt_model &model, const Weights &weights) const;
  std::vector<std::string> header(const std::string &name) const;
  void addLine(TextTable &table, const std::string &name,
               const Score &score) const;
  json toJson(const Score &score) const;
  const TextIndex &texts() const {
    return reader.hasTexts() ? reader.texts() : dateTexts;
  }

  const Options &options;
  const RowReader &reader;
  std::optional<DatePart> part;
  size_t count = 0, skipped = 0;
  Score all, empty;
  /// By the groups' places, and by index of a text.
  std::vector<Score> groups, byText;
  /// Texts of the rows looked at, by row of the file.
  GrowingArray<uint32_t> textIds;
  TextIndex dateTexts;
  /// By hour since 1970.
  std::map<int64_t, uint32_t> idOfHour;
};

void Evaluation::look(const Rows &rows) {
  if (options.by.empty())
    return;
  textIds.truncate(0);
  if (reader.hasTexts()) {
    textIds.append({rows.texts.data(), rows.texts.size()});
    return;
  }
  constexpr int64_t kHour = 3600;
  for (int64_t seconds : rows.dates) {
    const int64_t hour = seconds / kHour - (seconds % kHour < 0);
    auto at = idOfHour.find(hour);
    if (at == idOfHour.end())
      at = idOfHour.emplace(hour, dateTexts.add(textOf(*part, hour * kHour)))
               .first;
    textIds.push_back(at->second);
  }
}

void Evaluation::add(const PredictedRows &rows) {
  byText.resize(options.by.empty() ? 0 : texts().size(), empty);
  const std::vector<uint32_t> rowOf = rows.data.inFileOrder();
  const size_t levels = options.intervals.size();
  const double *weights = rows.data.weights();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    const size_t row = rowOf[fileRow];
    const double target = rows.data.target()[row];
    const double weight = weights ? weights[row] : 1.0;
    if (std::isnan(target)) {
      ++skipped;
      continue;
    }
    ++count;
    const Group &group = rows.data.groups()[rows.data.groupOf(row)];
    Score *own[] = {&all, &groups[group.place],
                    options.by.empty() ? nullptr : &byText[textIds[fileRow]]};
    for (Score *score : own) {
      if (!score)
        continue;
      score->residuals.add(target, rows.numbers[row], weight);
      const double *ends = rows.errors.data() + row * 2 * levels;
      for (size_t i = 0; i < levels; ++i)
        score->intervals[i].add(target, ends[2 * i], ends[2 * i + 1],
                                options.intervals[i], weight);
    }
  }
}

std::vector<std::string> Evaluation::header(const std::string &name) const {
  std::vector<std::string> cells = {name,     "rows",   "rmse", "mae",
                                    "mape %", "nmae %", "r2",   "bias"};
  for (const std::string &level : options.intervalNames)
    for (const char *what : {"covered_", "width_", "pinball_"})
      cells.push_back(what + level + (*what == 'c' ? " %" : ""));
  return cells;
}

void Evaluation::addLine(TextTable &table, const std::string &name,
                         const Score &score) const {
  const QualitySums sums = score.residuals.sums();
  const Quality quality = qualityOf({&sums, 1});
  std::vector<std::string> cells = {name,
                                    fmt::format("{}", int64_t(quality.rows)),
                                    shortly(quality.rmse),
                                    shortly(quality.mae),
                                    shortly(quality.mape),
                                    shortly(quality.nmae),
                                    shortly(quality.r2),
                                    shortly(quality.bias)};
  for (const IntervalSums &interval : score.intervals) {
    cells.push_back(shortly(100 * interval.coverage()));
    for (double number : {interval.width(), interval.pinball()})
      cells.push_back(std::isinf(number) ? "inf" : shortly(number));
  }
  table.row(std::move(cells));
}

json Evaluation::toJson(const Score &score) const {
  const QualitySums sums = score.residuals.sums();
  const Quality quality = qualityOf({&sums, 1});
  json result = {{"rows", int64_t(quality.rows)},
                 {"rmse", quality.rmse},
                 {"mae", quality.mae},
                 {"mape", quality.mape},
                 {"nmae", quality.nmae},
                 {"r2", quality.r2},
                 {"bias", quality.bias}};
  if (options.intervals.empty())
    return result;
  json intervals = json::array();
  for (size_t i = 0; i < options.intervals.size(); ++i)
    intervals.push_back({{"level", options.intervals[i]},
                         {"coverage", score.intervals[i].coverage()},
                         {"width", score.intervals[i].width()},
                         {"pinball", score.intervals[i].pinball()}});
  result["intervals"] = intervals;
  return result;
}

/// The values that rows have, in the order of groups: as numbers if all are
/// numbers, and missing ones last; else by bytes.
std::vector<Evaluation::Value> Evaluation::values() const {
  const GroupOrder order = sortGroups(texts(), true);
  std::vector<uint32_t> ids(byText.size());
  std::iota(ids.begin(), ids.end(), uint32_t(0));
  std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(order.places[a], a) < std::pair(order.places[b], b);
  });
  std::vector<Value> list;
  for (uint32_t id : ids)
    if (byText[id].residuals.sums().rows > 0)
      list.push_back({texts()[id], &byText[id]});
  return list;
}

std::string Evaluation::toText(const tamrt_model &model,
                               const Weights &weights) const {
  std::string text =
      fmt::format("{}\n{} rows with a target, {} without{}\n\n", model.formula,
                  count, skipped,
                  options.intervals.empty()
                      ? ""
                      : fmt::format("; {} intervals", nameOf(options.method)));
  TextTable table;
  table.row(header(model.group ? model.group : ""));
  for (size_t g = 0; g < groups.size() && model.group; ++g)
    if (groups[g].residuals.sums().rows > 0)
      addLine(table, weights.groups[g], groups[g]);
  addLine(table, model.group ? "all" : "", all);
  text += table.format();
  if (options.by.empty())
    return text;
  TextTable byValue;
  byValue.row(header(options.by));
  for (const Value &value : values())
    addLine(byValue, isEmpty(value.text) ? "(empty)" : std::string(value.text),
            *value.score);
  return text + "\n" + byValue.format();
}

std::string Evaluation::format(const tamrt_model &model,
                               const Weights &weights) const {
  if (options.infoFormat == InfoFormat::Text)
    return toText(model, weights);
  json result = {{"model", model.name},
                 {"formula", model.formula},
                 {"rows", count},
                 {"without_target", skipped}};
  if (!options.intervals.empty())
    result["method"] = nameOf(options.method);
  result["all"] = toJson(all);
  auto named = [&](const char *key, std::string_view name, const Score &score) {
    json entry = {{key, name}};
    entry.update(toJson(score));
    return entry;
  };
  json list = json::array();
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].residuals.sums().rows > 0)
      list.push_back(named("group", weights.groups[g], groups[g]));
  result["groups"] = list;
  if (!options.by.empty()) {
    json values = json::array();
    for (const Value &value : this->values())
      values.push_back(named("value", value.text, *value.score));
    result["by"] = {{"column", options.by}, {"values", values}};
  }
  // Values of the file need not be UTF-8.
  return result.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Checks that rows can be reported by what the options ask for.
Status checkBy(const tamrt_model &model, const Options &options,
               const RowReader &reader) {
  if (options.by.empty() || reader.hasTexts() ||
      reader.dateForm() != Date::Form::Number)
    return {};
  return Error{fmt::format("{}: column '{}': expected dates for --by={}, got "
                           "numbers",
                           reader.path(), model.date, options.by)};
}

Status evaluateFile(const tamrt_model &model, const Options &options,
                    const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  const RunOptions run = session.run(options, progress);
  if (Status s = Prediction::checkMemory(model, options, run); !s)
    return s;
  Result<std::shared_ptr<const Weights>> read =
      readWeights(model, options, StandardErrors::partsFor(options));
  if (!read)
    return std::move(read).error();
  const Weights &weights = **read;
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.textColumn = options.by;
  reading.allowsNoTexts = model.date && datePartOf(options.by);
  Result<RowReader> reader = RowReader::open(
      options.source(), model,
      {weights.groups, weights.normalization.levels, Purpose::Evaluate},
      reading);
  if (!reader)
    return std::move(reader).error();
  Prediction prediction(model, options, weights, run);
  Evaluation evaluation(options, weights, *reader);
  Status predicted = prediction.forEachPart(
      *reader, timings, [&](const Rows &rows) { evaluation.look(rows); },
      [&](const PredictedRows &rows) -> Status {
        if (Status s = checkBy(model, options, *reader); !s)
          return s;
        evaluation.add(rows);
        timings.end("evaluate");
        return {};
      });
  if (!predicted)
    return predicted;
  if (evaluation.rowsAdded() == 0)
    return Error{fmt::format("{}: column '{}': expected a target, got none in "
                             "{} rows",
                             reader->path(), model.target,
                             evaluation.rowsSkipped())};
  if (Status s = writeOutput(options.output, evaluation.format(model, weights));
      !s)
    return s;
  timings.end("write");
  progress.clear();
  prediction.tellNotes(*reader);
  session.finish(timings, options);
  return {};
}

} // namespace

Status runEvaluate(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return evaluateFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
