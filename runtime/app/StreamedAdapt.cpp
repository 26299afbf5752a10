//===- app/StreamedAdapt.cpp - adapt with some rows at a time -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/StreamedAdapt.h"

#include "app/Commands.h"
#include "app/Memory.h"
#include "core/device/Device.h"
#include "core/run/GroupFits.h"
#include "core/run/StreamedFit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>

namespace tamrt {
namespace {

/// Bytes of a file for a row of a chunk, about: so that --chunk-rows limits the
/// rows that are read at once.
constexpr size_t kLineBytes = 64;

/// Appends ranges of `from` and of `read`.
template <class T, class Read>
GrowingArray<T> joined(std::span<const HeldRows::Range> ranges, size_t count,
                       const T *from, const Read &read) {
  GrowingArray<T> to;
  to.reserve(count);
  for (const HeldRows::Range &range : ranges) {
    T *out = to.extend(range.held + range.read);
    out = std::copy_n(from + range.first, range.held, out);
    for (size_t row = 0; row < range.read; ++row)
      out[row] = read(range.firstRead + row);
  }
  return to;
}

} // namespace

HeldRows::HeldRows(const AdaptRun &run, const ModelColumns &columns)
    : run(run), levels(columns.levels.size()), texts(columns.levels.size()),
      read(columns.levels.size()), isHeld(columns.levels.size()) {
  // Inputs of the same column of the file share it.
  std::vector<std::optional<size_t>> columnOf(columns.numbers.size());
  for (size_t i = 0; i < run.joint.places.size(); ++i) {
    const JointInputs::Place &place = run.joint.places[i];
    if (place.effect) {
      inputs.push_back(add(Column::Kind::Effect, i));
      continue;
    }
    const size_t column = columns.inputs[*place.input];
    if (run.adapt.model->inputs[i].rule == TAMRT_RULE_LEVELS) {
      inputs.push_back(column);
      isHeld[column] = true;
      continue;
    }
    if (!columnOf[column])
      columnOf[column] = add(Column::Kind::Input, *place.input);
    inputs.push_back(*columnOf[column]);
  }
  target =
      add(run.adapt.corrects ? Column::Kind::Residual : Column::Kind::Target);
  if (columns.weights)
    weights = add(Column::Kind::Weights);
}

size_t HeldRows::add(Column::Kind kind, size_t index) {
  numbers.push_back({kind, index, {}});
  return numbers.size() - 1;
}

const double *HeldRows::Column::of(const Dataset &piece,
                                   const BaseColumns &base) const {
  switch (kind) {
  case Kind::Input:
    return piece.numbers(index);
  case Kind::Target:
    return piece.target();
  case Kind::Weights:
    return piece.weights();
  case Kind::Effect:
    return base.effects[index].data();
  case Kind::Residual:
    return base.residuals.data();
  }
  return nullptr;
}

void HeldRows::takeLevels(const Rows &rows, const RowReader &reader) {
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!isHeld[i])
      continue;
    const TextIndex &of = reader.levels(i);
    std::vector<uint32_t> own(of.size());
    for (uint32_t id = 0; id < of.size(); ++id) {
      own[id] = texts[i].add(of[id]);
      if (own[id] == levels[i].texts.size())
        levels[i].texts.emplace_back(of[id]);
    }
    read[i].resize(rows.count);
    for (size_t row = 0; row < rows.count; ++row)
      read[i][row] = own[rows.levels[i][row]];
  }
}

void HeldRows::replace(std::span<const Range> ranges, const Dataset &piece,
                       const BaseColumns &base, uint64_t firstRow) {
  size_t rows = 0;
  for (const Range &range : ranges)
    rows += range.held + range.read;
  for (Column &column : numbers) {
    const double *values = column.of(piece, base);
    column.values = joined(ranges, rows, column.values.data(),
                           [&](size_t row) { return values[row]; });
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!isHeld[i])
      continue;
    levels[i].ids = joined(ranges, rows, levels[i].ids.data(), [&](size_t row) {
      return read[i][piece.fileRows()[row]];
    });
  }
  fileRows = joined(ranges, rows, fileRows.data(), [&](size_t row) {
    return firstRow + piece.fileRows()[row];
  });
}

WindowColumns HeldRows::columns() const {
  WindowColumns columns;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool hasLevels = run.adapt.model->inputs[i].rule == TAMRT_RULE_LEVELS;
    columns.source.inputs.push_back(
        hasLevels ? nullptr : numbers[inputs[i]].values.data());
    columns.levels.push_back(hasLevels ? &levels[inputs[i]] : nullptr);
  }
  columns.source.target = numbers[target].values.data();
  if (weights)
    columns.source.weights = numbers[*weights].values.data();
  return columns;
}

size_t HeldRows::bytesPerRow() const {
  return numbers.size() * sizeof(double) +
         size_t(std::count(isHeld.begin(), isHeld.end(), true)) *
             sizeof(uint32_t) +
         sizeof(uint64_t);
}

void WaitingRows::add(KeyCells keys, GrowingArray<uint64_t> lines,
                      const Dataset &piece, const BaseColumns &base) {
  const size_t rows = piece.rowCount();
  std::vector<double> predictions(base.predictions.size());
  for (size_t row = 0; row < predictions.size(); ++row)
    predictions[piece.fileRows()[row]] = base.predictions[row];
  parts.push_back(
      {next, rows, std::move(keys), std::move(lines), std::move(predictions),
       std::vector(rows, std::numeric_limits<double>::quiet_NaN())});
  next += rows;
  waitingBytes += parts.back().bytes();
}

int64_t WaitingRows::Part::bytes() const {
  return int64_t(keys.text.size() +
                 sizeof(uint64_t) * (keys.ends.size() + lines.size()) +
                 sizeof(double) * (base.size() + forecasts.size()));
}

const WaitingRows::Part &WaitingRows::partOf(uint64_t row) const {
  auto after = std::upper_bound(
      parts.begin(), parts.end(), row,
      [](uint64_t row, const Part &part) { return row < part.first; });
  return *std::prev(after);
}

double WaitingRows::set(uint64_t row, double forecast) {
  Part &part = partOf(row);
  const size_t at = row - part.first;
  --part.left;
  part.forecasts[at] = forecast;
  return forecast + (part.base.empty() ? 0 : part.base[at]);
}

std::string_view WaitingRows::keys(uint64_t row) const {
  const Part &part = partOf(row);
  return part.keys.ends.empty() ? "" : part.keys[row - part.first];
}

uint64_t WaitingRows::line(uint64_t row) const {
  const Part &part = partOf(row);
  return part.lines[row - part.first];
}

Status WaitingRows::write(const AdaptedRows *out) {
  for (; !parts.empty() && parts.front().left == 0; parts.pop_front()) {
    const Part &part = parts.front();
    waitingBytes -= part.bytes();
    for (size_t row = 0; out && row < part.forecasts.size(); ++row) {
      const double base = part.base.empty() ? 0 : part.base[row];
      const double numbers[] = {part.forecasts[row] + base, base,
                                part.forecasts[row]};
      if (Status s =
              out->row(part.keys.ends.empty() ? "" : part.keys[row],
                       std::span(numbers).first(run.adapt.corrects ? 3 : 1));
          !s)
        return s;
    }
  }
  return {};
}

/// Notes, by group of the reader, the first row without a target on which a
/// window trains if the group is long enough, and counts the rows.
void StreamedAdaptation::addLacks(
    const Rows &read, std::vector<GroupState> &found,
    std::vector<std::optional<Lack>> &lacks) const {
  const double *target = read.numbers[*reader->columns().target].data();
  const bool grouped = reader->columns().group.has_value();
  const GroupWindows any(of.adapt, 0);
  for (size_t row = 0; row < read.count; ++row) {
    const size_t group = grouped ? read.groups[row] : 0;
    const size_t at = found[group].rows++;
    if (std::isnan(target[row]) && !lacks[group] && any.trainingOn(at))
      lacks[group] = {at, read.lines[row]};
  }
}

Result<bool> StreamedAdaptation::survey() {
  auto keepAll = [&](const std::string &why) {
    of.progress.clear();
    tell(of.model, "note", "--stream keeps all rows" + why);
    return false;
  };
  if (of.adapt.corrects && of.model.carry_bytes > 0)
    return keepAll(": a prediction needs those before it");
  const size_t chunk =
      of.options.chunkRows > 0 ? size_t(of.options.chunkRows) : SIZE_MAX;
  Result<RowReader> opened = of.open(
      /*keepsKeys=*/true, /*inPlace=*/false,
      std::min(CsvBlocks::kBlockBytes / kLineBytes, chunk) * kLineBytes);
  if (!opened)
    return std::move(opened).error();
  reader = *std::move(opened);
  if (Status s = reader->rewind(); !s)
    return Error{s.error().message + "; leave out --stream"};
  rows.emplace(*reader, of.joint.model(), StreamLimits().rowBytes,
               of.options.threads);
  rows->maxRows = std::min(rows->maxRows, chunk);

  // Of windows nothing but the dates matters before their rows are read again.
  tamrt_model keysOnly = of.joint.model();
  keysOnly.input_count = 0;
  keysOnly.compression = nullptr;
  ModelColumns columns;
  columns.group = reader->columns().group;
  columns.date = reader->columns().date;
  std::optional<RowSurvey> dates;
  std::vector<GroupState> found;
  std::vector<std::optional<Lack>> lacks;
  while (true) {
    dates.emplace(keysOnly, columns);
    found.clear();
    lacks.clear();
    ++rows->readings;
    Status read =
        reader->forEachRows(rows->maxRows, [&](const Rows &some) -> Status {
          const size_t count = !columns.group ? 1
                               : of.weights   ? of.weights->groups.size()
                                              : reader->groups().size();
          dates->add(some, count, of.options.threads);
          found.resize(count);
          lacks.resize(count);
          addLacks(some, found, lacks);
          of.progress.update("read", 0, 0);
          return {};
        });
    if (!read)
      return std::move(read).error();
    Result<RowReader::TextChanges> changes = reader->resolveTexts();
    if (!changes)
      return std::move(changes).error();
    if (!changes->drops && !changes->merges)
      break;
    // Again, with one index for each group.
    if (Status s = reader->rewind(); !s)
      return std::move(s).error();
  }
  of.timings.end("survey");
  if (const std::optional<size_t> group = dates->disorder()) {
    const std::string name =
        !columns.group ? ""
        : of.weights   ? of.weights->groups[*group]
                       : std::string(reader->groups()[uint32_t(*group)]);
    return keepAll(", " +
                   std::to_string(reader->rowsRead() *
                                  Dataset::bytesPerRow(of.joint.model())) +
                   " bytes: the dates" +
                   (of.model.group ? " of group '" + name + "'" : "") +
                   " are not in order");
  }
  ties = dates->ties();
  mostOpen = dates->mostOpen();

  order = reader->groupOrder();
  rows->order = &order;
  rows->levels.assign(of.levels().begin(), of.levels().end());
  // A reader with trained texts forgets others.
  if (!of.weights)
    rows->keepTexts();
  groups.resize(order.names.size());
  names.resize(order.names.size());
  size_t longest = 0;
  std::optional<Failure> lacking;
  for (size_t number = 0; number < found.size(); ++number) {
    const size_t place = columns.group ? order.places[number] : 0;
    groups[place] = found[number];
    names[place].name = order.names[place];
    longest = std::max(longest, found[number].rows);
    const GroupWindows windows = windowsOf(groups[place]);
    this->windows += windows.count();
    const std::optional<Lack> &lack = lacks[number];
    if (lack && *windows.trainingOn(lack->row) < windows.count() &&
        (!lacking || lack->line < lacking->line))
      lacking = {place, lack->line, {}};
  }
  if (windows == 0)
    return of.describeShort(longest);
  if (lacking)
    return AdaptRun::describeLack(
        RowPlaces::placeOf(of.model, of.path, of.unit, lacking->line,
                           of.model.target, names[*lacking->group].name));
  if (Status s = checkMemory(); !s)
    return std::move(s).error();
  return true;
}

/// Checks that there is memory for the rows that windows hold, and chooses how
/// many rows are read at a time.
Status StreamedAdaptation::checkMemory() {
  const WindowStreamNeed need =
      windowStreamNeed(of.model, of.adapt, of.windowOptions().perUnit);
  // Any groups may be open at the same time.
  std::vector<int64_t> most;
  for (const GroupState &group : groups)
    if (windowsOf(group).count() > 0)
      most.push_back(std::min(int64_t(group.rows), need.rowsPerGroup));
  std::sort(most.begin(), most.end(), std::greater<>());
  most.resize(std::min(most.size(), mostOpen));
  bytesPerRow = need.perRow;
  const int64_t bytes =
      need.perRow * std::accumulate(most.begin(), most.end(), int64_t(0));
  freeBytes = Device::cpu().memory().freeBytes;
  if (of.run.memoryBytes > 0)
    freeBytes = std::min(freeBytes, of.run.memoryBytes);
  const double share = of.run.oracle.share(MemoryPlace::Ram, of.run.work);
  budget = budgetOf(freeBytes, share);
  // A row that is read waits, too.
  const int64_t perRow =
      int64_t(Dataset::bytesPerRow(of.joint.model())) + need.perRow;
  if (bytes + perRow > budget) {
    const auto wanted = int64_t(std::ceil(double(bytes + perRow) / share));
    return Error{fmt::format(
        "expected {} bytes of memory for the rows that windows of {} group{} "
        "hold at a time, got {}, which is {:g}% of {} bytes free; {} bytes "
        "more would do",
        bytes + perRow, most.size(), most.size() == 1 ? "" : "s", budget,
        share * 100, freeBytes, wanted - freeBytes)};
  }
  rows->maxRows = std::min(rows->maxRows, size_t((budget - bytes) / perRow));
  return {};
}

Status StreamedAdaptation::checkWaiting() const {
  const int64_t bytes =
      waiting->bytesBefore() + int64_t(held->count() * held->bytesPerRow());
  if (bytes <= budget)
    return {};
  return of.located(Error{fmt::format(
      "expected at most {} bytes of rows that wait for those before them, a "
      "part of {} bytes free, got {}: rows of a group are far from each other "
      "in the file; sort it by date or by group, or leave out --stream",
      budget, freeBytes, bytes)});
}

Status StreamedAdaptation::compute(const AdaptedRows &out) {
  if (Status s = reader->rewind(); !s)
    return s;
  held.emplace(of, reader->columns());
  assert(int64_t(held->bytesPerRow() + WaitingRows::kBytesPerRow) <=
         bytesPerRow);
  waiting.emplace(of);
  if (out.window)
    spool.emplace(of.options.windowCoefficients, groups.size());
  ++rows->readings;
  Status read = rows->forEachLeft(
      [&](Rows &some) {
        keys = std::move(some.keys);
        lines = std::move(some.lines);
        held->takeLevels(some, *reader);
      },
      [&](Dataset &piece) { return process(piece, out); });
  if (unwritten)
    return *unwritten;
  if (!read)
    return read.error().message.starts_with(of.path + ": ")
               ? read
               : of.located(read.error());
  for (size_t place = 0; place < groups.size(); ++place)
    if (groups[place].read != groups[place].rows)
      return of.located(changedRows(names[place].name));
  if (out.window && !failure)
    if (Status s = passTurn(out); !s)
      return s;
  of.timings.end("windows");
  of.timings.note("readings of the file", int64_t(rows->readings));
  return failure ? Status(failure->error) : Status();
}

/// Fits the windows whose rows have come with those of a piece.
Status StreamedAdaptation::process(Dataset &piece, const AdaptedRows &out) {
  BaseColumns base;
  // Their errors come before those of windows.
  if (Status s = of.predictBase(
          piece,
          {of.model, piece, {lines.data(), lines.size()}, of.path, of.unit},
          base);
      !s)
    return s;
  const uint64_t firstRow = waiting->added();
  waiting->add(std::move(keys), std::move(lines), piece, base);
  for (const Group &group : piece.groups()) {
    GroupState &state = groups[group.place];
    const GroupWindows windows = windowsOf(state);
    if (group.rows > state.rows - state.read)
      return changedRows(group.name);
    const size_t first = windows.count() > 0
                             ? std::min(windows.firstPredicted(0), state.rows)
                             : state.rows;
    for (size_t row = 0; row < group.rows && state.read + row < first; ++row)
      waiting->skip(firstRow + piece.fileRows()[group.first + row]);
    state.isOpen = windows.count() > 0;
  }
  hold(piece, base, firstRow);
  fit(readyWindows(), out);
  if (unwritten)
    return *unwritten;
  Status written = waiting->write(failure ? nullptr : &out);
  if (written && !failure)
    written = checkWaiting();
  if (!written)
    unwritten = written.error();
  return written;
}

/// Adds the rows of a piece to those that are held, and drops those that no
/// window to come needs.
void StreamedAdaptation::hold(const Dataset &piece, const BaseColumns &base,
                              uint64_t firstRow) {
  std::vector<HeldRows::Range> ranges;
  auto next = piece.groups().begin();
  size_t count = 0;
  for (size_t place = 0; place < groups.size(); ++place) {
    GroupState &state = groups[place];
    HeldRows::Range range = {state.first, state.held, 0, 0};
    if (next != piece.groups().end() && next->place == place) {
      range.firstRead = next->first;
      range.read = next->rows;
      state.read += next->rows;
      ++next;
    }
    if (!state.isOpen) {
      state.held = 0;
      continue;
    }
    const size_t from = windowsOf(state).firstTrained(state.nextWindow);
    const size_t drops =
        std::min(from - std::min(from, state.dropped), range.held + range.read);
    const size_t ofHeld = std::min(drops, range.held);
    range.first += ofHeld;
    range.held -= ofHeld;
    range.firstRead += drops - ofHeld;
    range.read -= drops - ofHeld;
    state.dropped += drops;
    state.first = count;
    state.held = range.held + range.read;
    count += state.held;
    ranges.push_back(range);
  }
  held->replace(ranges, piece, base, firstRow);
}

/// The windows of units whose rows have all come.
std::vector<Window> StreamedAdaptation::readyWindows() {
  std::vector<Window> ready;
  const size_t perUnit = of.windowOptions().perUnit;
  for (size_t place = 0; place < groups.size(); ++place) {
    GroupState &state = groups[place];
    if (!state.isOpen)
      continue;
    const GroupWindows windows = windowsOf(state);
    while (state.nextWindow < windows.count()) {
      const size_t end = std::min(state.nextWindow + perUnit, windows.count());
      if (state.read < windows.end(end - 1))
        break;
      for (; state.nextWindow < end; ++state.nextWindow)
        ready.push_back(windows.window(place, state.nextWindow,
                                       state.first - state.dropped));
    }
    state.isOpen = state.nextWindow < windows.count();
  }
  return ready;
}

/// Fits some windows, in order, and sets the forecasts of their rows.
void StreamedAdaptation::fit(std::span<const Window> ready,
                             const AdaptedRows &out) {
  std::vector<Window> fits;
  for (const Window &window : ready)
    if (matters(window.group))
      fits.push_back(window);
    else
      for (size_t row = 0; row < window.rows; ++row)
        waiting->skip(held->fileRow(window.first + row));
  if (fits.empty())
    return;
  std::vector<double> predictions(held->count(),
                                  std::numeric_limits<double>::quiet_NaN());
  Status done = fitSome(fits, out, predictions);
  if (!done && !unwritten)
    findFailure(fits, of.located(done.error()));
  deliver(fits, predictions);
  fitted += fits.size();
  of.progress.update("windows", fitted, windows);
}

Status StreamedAdaptation::fitSome(std::span<const Window> some,
                                   const AdaptedRows &out,
                                   std::span<double> predictions) {
  RunOptions run = of.run;
  run.progress = nullptr;
  const auto width = size_t(of.adapt.model->columns);
  return fitWindows(
      *of.adapt.model, of.route, names, held->columns(), some,
      of.windowOptions(), run,
      [&](const FittedWindows &fits) -> Status {
        apart += fits.apart;
        const std::span coefficients(fits.coefficients);
        for (size_t w = 0; out.window && !failure && w < fits.windows.size();
             ++w) {
          const Window &window = fits.windows[w];
          if (Status s = takeWindow({window.group, window.index,
                                     held->fileRow(window.first),
                                     coefficients.subspan(w * width, width)},
                                    out);
              !s) {
            unwritten = s.error();
            return s;
          }
        }
        return {};
      },
      predictions.data());
}

/// Finds the first group of some windows, of which one cannot be fitted, with
/// such a window.
void StreamedAdaptation::findFailure(std::span<const Window> some,
                                     Error error) {
  std::vector<double> unused(held->count());
  failure = {some.back().group, 0, std::move(error)};
  if (some.front().group == some.back().group)
    return;
  for (size_t first = 0, end = 0; first < some.size(); first = end) {
    while (end < some.size() && some[end].group == some[first].group)
      ++end;
    if (Status s = fitSome(some.subspan(first, end - first), {}, unused); !s) {
      failure = {some[first].group, 0, of.located(s.error())};
      return;
    }
  }
}

/// Sets the forecasts of windows, and finds those that are not finite.
void StreamedAdaptation::deliver(std::span<const Window> some,
                                 std::span<const double> predictions) {
  for (const Window &window : some)
    for (size_t row = window.first; row < window.first + window.rows; ++row) {
      const uint64_t fileRow = held->fileRow(row);
      const uint64_t line = waiting->line(fileRow);
      const double got = waiting->set(fileRow, predictions[row]);
      if (std::isfinite(got) ||
          (failure && (failure->group || failure->line < line)))
        continue;
      failure = {std::nullopt, line,
                 Error{RowPlaces::placeOf(of.model, of.path, of.unit, line,
                                          nullptr, names[window.group].name) +
                       ": " + describeInfinite(got)}};
    }
}

/// Gives a window, or keeps it until those of the groups before have come.
Status StreamedAdaptation::takeWindow(const FittedWindow &window,
                                      const AdaptedRows &out) {
  if (Status s = passTurn(out); !s)
    return s;
  ++groups[window.group].taken;
  const std::string_view keys = waiting->keys(window.row);
  if (window.group != turn)
    return spool->add(window.group, {keys, window.index, window.coefficients});
  out.window(window, keys);
  return {};
}

/// Goes on to the next group when all windows of one have been given.
Status StreamedAdaptation::passTurn(const AdaptedRows &out) {
  while (turn < groups.size() &&
         groups[turn].taken == windowsOf(groups[turn]).count()) {
    if (++turn == groups.size())
      return {};
    Status taken = spool->take(turn, [&](const WindowSpool::Fit &fit) {
      out.window({turn, fit.index, 0, fit.coefficients}, fit.keys);
    });
    if (!taken)
      return taken;
  }
  return {};
}

AdaptCounts StreamedAdaptation::counts() const {
  AdaptCounts counts = {0, 0, 0, ties, windows, apart};
  for (const GroupState &group : groups) {
    counts.rows += group.rows;
    counts.groups += group.rows > 0;
    counts.without += group.rows > 0 && windowsOf(group).count() == 0;
  }
  return counts;
}

} // namespace tamrt
