//===- core/data/RowReader.cpp - reads rows of a file ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowReader.h"

#include "core/Interruption.h"
#include "core/data/NumberIndex.h"
#include "core/data/RowBlock.h"
#include "io/Number.h"
#include "io/Parallel.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace tamrt {
namespace {

/// Bytes of a file below which a thread costs more than it saves.
constexpr size_t kBlocksPerThread = 2;

constexpr size_t kMaxRows = std::numeric_limits<uint32_t>::max();

/// Releases the unused capacity of columns.
void shrink(Rows &rows) {
  rows.groups.shrink();
  rows.dates.shrink();
  rows.fractions.shrink();
  for (GrowingArray<double> &column : rows.numbers)
    column.shrink();
  for (GrowingArray<uint32_t> &column : rows.levels)
    column.shrink();
  rows.keys.text.shrink();
  rows.keys.ends.shrink();
  rows.lines.shrink();
  rows.places.shrink();
  rows.texts.shrink();
}

} // namespace

/// Threads take blocks one after another, parse them in parallel, and add them
/// in the order of the file. A block that is parsed before an earlier one is
/// set aside while there are other blocks: waiting would take longer than
/// parsing most blocks.
class RowReader::Impl {
public:
  Impl(CsvBlocks file, ModelColumns columns, std::optional<size_t> textColumn,
       const tamrt_model &model, const TrainedTexts *trained,
       const ReadOptions &options);

  static Result<RowReader> open(const DataSource &source,
                                const tamrt_model &model,
                                const TrainedTexts *trained,
                                const ReadOptions &options);
  void expectTexts(std::span<const std::string> groupValues,
                   std::span<const std::vector<std::string>> levelTexts);
  Result<Rows> read(size_t most);
  Result<TextChanges> resolveTexts();
  Status dropMissing(Rows &rows);
  Status rewind();
  std::string describeDropped() const;
  bool hasTexts() const { return rules.texts.has_value(); }

  CsvBlocks file;
  ModelColumns columns;
  const tamrt_model &model;
  ReadOptions options;
  size_t fileRows = 0, dropped = 0, rowsRead = 0;
  /// For columns of the file, the number of rows in which they are missing.
  std::map<size_t, size_t> lacking;
  /// The same for columns of groups and levels if their values are numbers,
  /// which is not known yet.
  std::map<size_t, size_t> doubtful;
  /// The trained groups, for a prediction.
  std::optional<GroupNames> trained;
  TextIndex groups, texts;
  std::vector<TextIndex> levels;
  std::vector<LevelCollector> collectors;
  /// By input, the line of the later text of its collector's clash.
  struct Line {
    size_t number = 0;
    std::string text;
  };
  std::vector<Line> clashes;
  Date::Form form = Date::Form::Missing;

private:
  void reserve(Rows &rows, size_t count) const;
  void work(Rows &rows, size_t most);
  RowBlock *takeIdle(std::unique_lock<std::mutex> &lock);
  void add(RowBlock &block, Rows &rows);
  void addRows(RowBlock &block, Rows &rows);
  void addPlaces(RowBlock &block, Rows &rows);
  Error describeChange(const char *got) const;
  void checkForms(RowBlock &block);
  uint32_t share(LocalTexts &local, uint32_t id, TextIndex &all);
  uint32_t shareLevel(size_t column, LocalTexts &local, uint32_t id);
  void noteClashes(const RowBlock &block, size_t column);
  std::optional<Error> firstError() const;
  Status checkAnyLeft() const;
  void addKeys(const Rows &from, Rows &rows);
  void resetTexts();

  /// A row that has a fault if the values of its column are numbers.
  struct Doubt {
    size_t line = 0;
    std::string text;
  };
  void noteDoubt(const RowBlock &block,
                 const std::optional<RowBlock::Fault> &fault,
                 std::optional<Doubt> &first) const;

  RowRules rules;
  std::optional<Doubt> doubtfulGroup;
  std::vector<std::optional<Doubt>> doubtfulLevels;
  /// Groups that are numbers; they may have several spellings.
  NumberIndex groupNumbers{groups};
  TextChanges changes;
  std::vector<RowBlock> blocks;
  /// Guards the file.
  std::mutex reading;
  size_t nextRead = 0;
  bool ended = false;
  /// Guards all members below, and the rows read.
  std::mutex adding;
  std::condition_variable added;
  size_t nextAdded = 0;
  /// Most rows of a piece so far.
  size_t longestPiece = 0;
  /// Parsed blocks that have yet to be added, and blocks that no thread uses.
  std::map<size_t, RowBlock *> parsed;
  std::vector<RowBlock *> idle;
  bool broken = false, full = false;
  size_t line = 1;
  /// An error that stops the reading at once, and the first fault of each kind.
  std::optional<Error> fatal;
  std::array<std::optional<Error>, kRowFaults> faults;
};

RowReader::Impl::Impl(CsvBlocks opened, ModelColumns found,
                      std::optional<size_t> textColumn,
                      const tamrt_model &model, const TrainedTexts *by,
                      const ReadOptions &options)
    : file(std::move(opened)), columns(std::move(found)), model(model),
      options(options), levels(columns.levels.size()),
      clashes(columns.inputs.size()), doubtfulLevels(columns.levels.size()) {
  line = file.firstRowLine();
  rules.dropMissing = options.dropMissing;
  rules.keepsLines = (by || options.forWindows) && options.keepLines;
  rules.keepsDates = options.keepDates;
  rules.mayLackTarget =
      options.forWindows || (by && by->purpose == Purpose::Evaluate);
  rules.areLevelsNumbers.resize(columns.levels.size());
  rules.texts = textColumn;
  rules.inPlace.resize(columns.numbers.size());
  if (options.inPlace && !options.dropMissing && !options.choice.marks)
    for (size_t i = 0; i < columns.numbers.size(); ++i)
      rules.inPlace[i] = columns.weights != i &&
                         file.frameNumbers(columns.numbers[i], 0).has_value();
  resetTexts();
  if (options.keepKeys &&
      (options.forWindows || (by && isPrediction(by->purpose))))
    for (const std::optional<size_t> &key : {columns.group, columns.date})
      if (key && (rules.keys.empty() || rules.keys.front() != *key))
        rules.keys.push_back(*key);
  if (!by)
    return;
  trained.emplace(by->groups);
  rules.trained = &*trained;
  rules.areGroupsNumbers = trained->numeric();
  for (size_t i = 0; i < by->levels.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      rules.areLevelsNumbers[columns.inputs[i]] = by->levels[i].numeric;
}

void RowReader::Impl::resetTexts() {
  groupNumbers.clear();
  groups.clear();
  texts.clear();
  for (TextIndex &texts : levels)
    texts.clear();
  collectors.clear();
  for (int64_t i = 0; i < model.input_count; ++i)
    collectors.emplace_back(
        options.forWindows ? kMaxRows : size_t(model.inputs[i].levels));
  for (RowBlock &block : blocks) {
    block.groupTexts = {};
    block.furtherTexts = {};
    block.levelTexts.clear();
  }
}

std::optional<Error> RowReader::Impl::firstError() const {
  if (fatal)
    return fatal;
  for (const std::optional<Error> &fault : faults)
    if (fault)
      return fault;
  return std::nullopt;
}

/// The shared index of a group's text that one thread has seen.
uint32_t RowReader::Impl::share(LocalTexts &local, uint32_t id,
                                TextIndex &all) {
  uint32_t &shared = local.shared[id];
  if (shared != LocalTexts::kNone)
    return shared;
  const std::string_view text = local.texts[id];
  if (!rules.areGroupsNumbers.value_or(false))
    return shared = all.add(text);
  // A text that is none is an error of its caller, which names it.
  const std::optional<ExactNumber> number = parseExactNumber(text);
  if (!number)
    return shared = all.add(text);
  if (const std::optional<uint32_t> same = groupNumbers.find(*number))
    return shared = *same;
  shared = all.add(text);
  groupNumbers.add(*number, shared);
  return shared;
}

/// As `share`, for a column of levels. If there are too many, the remaining
/// texts get no indices of their own.
uint32_t RowReader::Impl::shareLevel(size_t column, LocalTexts &local,
                                     uint32_t id) {
  uint32_t &shared = local.shared[id];
  if (shared != LocalTexts::kNone)
    return shared;
  TextIndex &all = levels[column];
  if (trained && !options.forWindows)
    return shared = all.add(local.texts[id]);
  const auto before = all.size();
  bool more = false;
  for (size_t i = 0; i < columns.inputs.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS &&
        columns.inputs[i] == column)
      more |= collectors[i].add(local.texts[id]);
  if (!more && before > 0)
    return 0;
  return shared = all.add(local.texts[id]);
}

void RowReader::Impl::expectTexts(
    std::span<const std::string> groupValues,
    std::span<const std::vector<std::string>> levelTexts) {
  if (columns.group) {
    TextIndex all;
    for (const std::string &text : groupValues)
      all.add(text);
    rules.areGroupsNumbers = areNumbers(all);
    // Parts may have several spellings of a number: all texts have indices, and
    // rows have that of the first.
    groups = std::move(all);
    for (uint32_t id = 0; *rules.areGroupsNumbers && id < groups.size(); ++id)
      if (const std::optional<ExactNumber> number =
              parseExactNumber(groups[id]))
        groupNumbers.add(*number, id);
  }
  for (size_t column = 0; column < levels.size(); ++column) {
    rules.areLevelsNumbers[column] = true;
    for (size_t i = 0; i < columns.inputs.size(); ++i)
      if (model.inputs[i].rule == TAMRT_RULE_LEVELS &&
          columns.inputs[i] == column) {
        for (const std::string &text : levelTexts[column])
          collectors[i].add(text);
        rules.areLevelsNumbers[column] = collectors[i].areNumbers();
      }
    for (const std::string &text : levelTexts[column])
      levels[column].add(text);
  }
}

/// Finds the first date whose format differs from that of earlier rows.
void RowReader::Impl::checkForms(RowBlock &block) {
  const size_t forms =
      block.forms.empty() ? block.text.rowCount() > 0 : block.forms.size();
  for (size_t row = 0; row < forms; ++row) {
    const Date::Form got =
        block.forms.empty() ? block.commonForm : block.forms[row];
    if (got == form || got == Date::Form::Missing)
      continue;
    if (form == Date::Form::Missing) {
      form = got;
      continue;
    }
    block.note(RowFault::Date,
               {row, *columns.date,
                ": " + describeOtherForm(
                           form, got, block.text.field(row, *columns.date))});
    return;
  }
}

void RowReader::Impl::noteDoubt(const RowBlock &block,
                                const std::optional<RowBlock::Fault> &fault,
                                std::optional<Doubt> &first) const {
  if (fault && !first)
    first = {block.text.line(fault->row),
             file.place(block.text, fault->row, fault->column) + fault->text};
}

void RowReader::Impl::addKeys(const Rows &from, Rows &rows) {
  if (rules.keepsLines) {
    uint64_t *lines = rows.lines.extend(from.count);
    const size_t firstLine = line;
    for (size_t row = 0; row < from.count; ++row)
      lines[row] = firstLine + from.lines[row];
  }
  if (rules.keys.empty())
    return;
  const size_t before = rows.keys.text.size();
  rows.keys.text.append(from.keys.text);
  uint64_t *ends = rows.keys.ends.extend(from.count);
  for (size_t row = 0; row < from.count; ++row)
    ends[row] = before + from.keys.ends[row];
}

Error RowReader::Impl::describeChange(const char *got) const {
  return Error{file.path() + ": expected " +
               std::to_string(options.choice.marks->size()) +
               " rows as before, got " + got +
               ": the file has changed meanwhile"};
}

/// Removes the rows of a block that are not wanted, and adds the indices of the
/// others.
void RowReader::Impl::addPlaces(RowBlock &block, Rows &rows) {
  const RowChoice &choice = options.choice;
  if (!choice.marks && !options.keepPlaces)
    return;
  const size_t count = block.text.rowCount(), first = fileRows - count;
  if (choice.marks) {
    std::vector<bool> out(block.rows.count);
    for (size_t row = 0, next = 0; row < count; ++row)
      if (!block.isOut(row))
        out[next++] = (*choice.marks)[first + row] != choice.wanted;
    block.rows.drop(out);
  }
  if (options.keepPlaces)
    for (size_t row = 0; row < count; ++row)
      if (!block.isOut(row) &&
          (!choice.marks || (*choice.marks)[first + row] == choice.wanted))
        rows.places.push_back(uint32_t(first + row));
}

/// Reserves memory for `count` rows. Those of a file are not counted before.
void RowReader::Impl::reserve(Rows &rows, size_t count) const {
  if (columns.group)
    rows.groups.reserve(count);
  if (columns.date && rules.keepsDates)
    rows.dates.reserve(count);
  for (size_t i = 0; i < rows.numbers.size(); ++i)
    if (!rules.inPlace[i])
      rows.numbers[i].reserve(count);
  for (GrowingArray<uint32_t> &column : rows.levels)
    column.reserve(count);
  if (rules.keepsLines)
    rows.lines.reserve(count);
}

/// Adds the next block in the file's order to `rows`.
void RowReader::Impl::add(RowBlock &block, Rows &rows) {
  block.text.startAt(line);
  fileRows += block.text.rowCount();
  dropped += block.dropped;
  for (auto [column, count] : block.lacking)
    lacking[column] += count;
  for (auto [column, count] : block.doubtful)
    doubtful[column] += count;
  addRows(block, rows);
  line += block.text.lineCount();
}

void RowReader::Impl::addRows(RowBlock &block, Rows &rows) {
  if (fatal)
    return;
  if (block.text.fault()) {
    fatal = file.describe(block.text);
    return;
  }
  if (fileRows >= kMaxRows) {
    fatal = Error{file.path() + ": expected fewer than " +
                  std::to_string(kMaxRows) + " rows, got more"};
    return;
  }
  if (columns.date)
    checkForms(block);
  for (size_t kind = 0; kind < kRowFaults; ++kind)
    if (const auto &fault = block.faults[kind]; fault && !faults[kind])
      faults[kind] = Error{file.place(block.text, fault->row, fault->column) +
                           fault->text};
  // The rest is only read for errors of kinds that are reported first.
  if (firstError())
    return;
  noteDoubt(block, block.doubtfulGroup, doubtfulGroup);
  for (size_t i = 0; i < block.doubtfulLevels.size(); ++i)
    noteDoubt(block, block.doubtfulLevels[i], doubtfulLevels[i]);

  if (options.choice.marks && fileRows > options.choice.marks->size()) {
    fatal = describeChange("more");
    return;
  }
  addPlaces(block, rows);
  const Rows &from = block.rows;
  addKeys(from, rows);
  if (!trained) {
    // Most rows have the group of the row before.
    uint32_t before = LocalTexts::kNone, shared = 0;
    for (uint32_t &id :
         std::span(block.rows.groups.data(), from.groups.size())) {
      if (id != before)
        shared = share(block.groupTexts, before = id, groups);
      id = shared;
    }
  }
  if (rules.texts)
    for (uint32_t &id : std::span(block.rows.texts.data(), from.texts.size())) {
      uint32_t &shared = block.furtherTexts.shared[id];
      if (shared == LocalTexts::kNone)
        shared = texts.add(block.furtherTexts.texts[id]);
      id = shared;
    }
  for (size_t i = 0; i < from.levels.size(); ++i) {
    for (uint32_t &id :
         std::span(block.rows.levels[i].data(), from.levels[i].size()))
      id = shareLevel(i, block.levelTexts[i], id);
    noteClashes(block, i);
  }
  rows.append(from);
  rowsRead += from.count;
}

/// Notes the lines of the clashes of a column's levels that are in this block.
void RowReader::Impl::noteClashes(const RowBlock &block, size_t column) {
  for (size_t i = 0; i < columns.inputs.size(); ++i) {
    if (model.inputs[i].rule != TAMRT_RULE_LEVELS ||
        columns.inputs[i] != column || !collectors[i].clash())
      continue;
    const std::string &text = collectors[i].clash()->second;
    if (clashes[i].text == text)
      continue;
    std::string buffer;
    for (size_t row = 0; row < block.text.rowCount(); ++row)
      if (file.format().withPoint(block.text.field(row, columns.levels[column]),
                                  buffer) == text) {
        clashes[i] = {block.text.line(row), text};
        break;
      }
  }
}

/// Waits for a block that no thread uses; null if no thread will release one.
RowBlock *RowReader::Impl::takeIdle(std::unique_lock<std::mutex> &lock) {
  added.wait(lock, [&] { return broken || !idle.empty(); });
  if (broken)
    return nullptr;
  RowBlock *block = idle.back();
  idle.pop_back();
  return block;
}

void RowReader::Impl::work(Rows &rows, size_t most) {
  std::unique_lock lock(adding);
  while (RowBlock *block = takeIdle(lock)) {
    lock.unlock();
    checkInterruption();
    size_t turn;
    {
      std::lock_guard read(reading);
      {
        std::lock_guard look(adding);
        if (ended || full || broken)
          return;
      }
      Result<bool> more = file.read(block->text);
      if (!more || !*more) {
        std::lock_guard look(adding);
        ended = true;
        // A truncated file is an error; its rows do not matter.
        if (!more && !fatal)
          fatal = std::move(more).error();
        return;
      }
      turn = nextRead++;
    }
    block->parse(columns, rules);
    lock.lock();
    parsed.emplace(turn, block);
    for (auto next = parsed.begin();
         !broken && next != parsed.end() && next->first == nextAdded;
         next = parsed.erase(next)) {
      add(*next->second, rows);
      idle.push_back(next->second);
      ++nextAdded;
      full = rows.count >= most && !firstError();
      broken = fatal.has_value();
    }
    added.notify_all();
  }
}

Result<Rows> RowReader::Impl::read(size_t most) {
  Rows rows;
  rows.numbers.resize(columns.numbers.size());
  rows.levels.resize(columns.levels.size());
  rows.inFrame.resize(columns.numbers.size());
  for (size_t i = 0; i < columns.numbers.size(); ++i)
    if (rules.inPlace[i])
      rows.inFrame[i] = file.frameNumbers(columns.numbers[i], fileRows);
  // Pieces of a file have as many rows as those before, nearly; arrays that
  // have room for them from the start can take the memory of these.
  const bool isPiece = most < std::numeric_limits<size_t>::max();
  const size_t frameLeft =
      file.frameRows() - std::min(file.frameRows(), fileRows);
  reserve(rows, std::max(std::min(frameLeft, most),
                         isPiece ? longestPiece + longestPiece / 32 : 0));
  const size_t bytes =
      file.bytes() > 0 ? file.bytes() : std::numeric_limits<size_t>::max();
  const unsigned threads =
      chooseThreads(options.threads, std::max<size_t>(bytes, 1),
                    kBlocksPerThread * options.blockBytes);
  // One block for each thread, and one set aside for each but the first.
  const size_t count = 2 * size_t(threads) - 1;
  if (blocks.size() < count)
    blocks.resize(count);
  idle.clear();
  for (RowBlock &block : blocks)
    idle.push_back(&block);
  full = false;
  // A prediction may have any number of new levels.
  if (trained) {
    for (TextIndex &texts : levels)
      texts.clear();
    for (RowBlock &block : blocks)
      for (LocalTexts &local : block.levelTexts)
        std::fill(local.shared.begin(), local.shared.end(), LocalTexts::kNone);
  }
  forEachPiece(threads, [&](unsigned) {
    try {
      work(rows, most);
    } catch (...) {
      // Wake up threads that wait for a block that will not come.
      {
        std::lock_guard lock(adding);
        broken = true;
      }
      added.notify_all();
      throw;
    }
  });
  if (std::optional<Error> error = firstError())
    return *std::move(error);
  if (ended) {
    if (Status s = checkAnyLeft(); !s)
      return std::move(s).error();
    if (options.choice.marks && fileRows < options.choice.marks->size())
      return describeChange("fewer");
  }
  if (isPiece)
    longestPiece = std::max(longestPiece, rows.count);
  else
    shrink(rows);
  return rows;
}

Result<RowReader::TextChanges> RowReader::Impl::resolveTexts() {
  changes = {};
  std::optional<Doubt> first;
  auto doubt = [&](const std::optional<Doubt> &of) {
    changes.drops |= of.has_value();
    if (of && (!first || of->line < first->line))
      first = of;
  };
  if (columns.group && !rules.areGroupsNumbers) {
    rules.areGroupsNumbers = areNumbers(groups);
    if (*rules.areGroupsNumbers) {
      doubt(doubtfulGroup);
      const GroupOrder order = sortGroups(groups, true);
      changes.merges =
          order.names.size() <
          size_t(std::count_if(
              order.places.begin(), order.places.end(),
              [&](uint32_t place) { return place < order.names.size(); }));
    }
  }
  // Groups come first, as in other errors.
  const bool isGroup = first.has_value();
  for (size_t i = 0; i < levels.size(); ++i) {
    if (rules.areLevelsNumbers[i])
      continue;
    rules.areLevelsNumbers[i] = true;
    for (size_t input = 0; input < columns.inputs.size(); ++input)
      if (model.inputs[input].rule == TAMRT_RULE_LEVELS &&
          columns.inputs[input] == i)
        rules.areLevelsNumbers[i] = collectors[input].areNumbers();
    if (*rules.areLevelsNumbers[i] && !isGroup)
      doubt(doubtfulLevels[i]);
  }
  if (first && !options.dropMissing)
    return Error{first->text};
  return changes;
}

Status RowReader::Impl::dropMissing(Rows &rows) {
  std::vector<bool> out(rows.count);
  auto mark = [&](const TextIndex &texts, const GrowingArray<uint32_t> &ids,
                  auto kindOf, size_t column) {
    std::vector<bool> isDoubtful(texts.size());
    for (uint32_t id = 0; id < texts.size(); ++id)
      isDoubtful[id] = kindOf(texts[id], file.format()) == TextKind::Doubtful;
    for (size_t row = 0; row < rows.count; ++row)
      if (isDoubtful[ids[row]])
        out[row] = true;
    if (auto at = doubtful.find(column); at != doubtful.end())
      lacking[column] += at->second;
  };
  if (columns.group && *rules.areGroupsNumbers)
    mark(groups, rows.groups, kindOfGroup, *columns.group);
  for (size_t i = 0; i < levels.size(); ++i)
    if (*rules.areLevelsNumbers[i])
      mark(levels[i], rows.levels[i], kindOfLevel, columns.levels[i]);
  dropped += rows.drop(out);
  rowsRead = rows.count;
  // Groups and levels are those of the remaining rows.
  TextIndex groupsBefore = std::move(groups);
  std::vector<TextIndex> levelsBefore = std::move(levels);
  groups = {};
  levels = std::vector<TextIndex>(levelsBefore.size());
  resetTexts();
  auto renumber = [](TextIndex &texts, TextIndex before,
                     GrowingArray<uint32_t> &ids) {
    for (uint32_t &id : std::span(ids.data(), ids.size()))
      id = texts.add(before[id]);
  };
  renumber(groups, std::move(groupsBefore), rows.groups);
  for (size_t i = 0; i < levels.size(); ++i)
    renumber(levels[i], std::move(levelsBefore[i]), rows.levels[i]);
  for (size_t i = 0; i < collectors.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      for (uint32_t id = 0; id < levels[columns.inputs[i]].size(); ++id)
        collectors[i].add(levels[columns.inputs[i]][id]);
  return checkAnyLeft();
}

Status RowReader::Impl::checkAnyLeft() const {
  if (fileRows > dropped || options.mayDropAll)
    return {};
  return Error{file.path() +
               ": expected a row without missing values, all of " +
               std::to_string(dropped) + " have some"};
}

std::string RowReader::Impl::describeDropped() const {
  std::string text = "dropped " + std::to_string(dropped) + " of " +
                     std::to_string(fileRows) + " rows";
  size_t told = 0;
  for (auto [column, count] : lacking) {
    text += told == 0                    ? ": missing values in "
            : told + 1 == lacking.size() ? " and "
                                         : ", ";
    text += "'" + file.names()[column] + "' (" + std::to_string(count) + ")";
    ++told;
  }
  return text;
}

Status RowReader::Impl::rewind() {
  if (Status s = file.rewind(); !s)
    return s;
  if (std::exchange(changes.drops, false) |
      std::exchange(changes.merges, false))
    resetTexts();
  nextRead = nextAdded = 0;
  fileRows = dropped = rowsRead = 0;
  lacking.clear();
  doubtful.clear();
  line = file.firstRowLine();
  ended = false;
  return {};
}

RowReader::RowReader(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
RowReader::RowReader(RowReader &&) noexcept = default;
RowReader &RowReader::operator=(RowReader &&) noexcept = default;
RowReader::~RowReader() = default;

Result<RowReader> RowReader::Impl::open(const DataSource &source,
                                        const tamrt_model &model,
                                        const TrainedTexts *trained,
                                        const ReadOptions &options) {
  Result<CsvBlocks> file =
      CsvBlocks::open(source, options.blockBytes, options.format);
  if (!file)
    return std::move(file).error();
  ModelColumns columns = ModelColumns::find(
      model, trained && !options.forWindows ? trained->purpose : Purpose::Fit,
      [&](const char *name) { return file->find(name); });
  if (columns.missing)
    return file->require(columns.missing).error();
  const std::optional<size_t> textColumn = file->find(options.textColumn);
  if (!textColumn && !options.textColumn.empty() && !options.allowsNoTexts)
    return file->require(options.textColumn).error();
  return RowReader(std::make_unique<Impl>(*std::move(file), std::move(columns),
                                          textColumn, model, trained, options));
}

Result<RowReader> RowReader::open(const DataSource &source,
                                  const tamrt_model &model,
                                  const ReadOptions &options) {
  return Impl::open(source, model, nullptr, options);
}

Result<RowReader> RowReader::open(const DataSource &source,
                                  const tamrt_model &model,
                                  const TrainedTexts &trained,
                                  const ReadOptions &options) {
  return Impl::open(source, model, &trained, options);
}

void RowReader::expectTexts(std::span<const std::string> groups,
                            std::span<const std::vector<std::string>> levels) {
  impl->expectTexts(groups, levels);
}
Result<Rows> RowReader::read(size_t most) { return impl->read(most); }
Result<RowReader::TextChanges> RowReader::resolveTexts() {
  return impl->resolveTexts();
}
Status RowReader::dropMissing(Rows &rows) { return impl->dropMissing(rows); }
Result<RowReader::AllRows> RowReader::readAll() {
  Result<Rows> rows = read(std::numeric_limits<size_t>::max());
  if (!rows)
    return std::move(rows).error();
  Result<TextChanges> changes = resolveTexts();
  if (!changes)
    return std::move(changes).error();
  if (changes->drops)
    if (Status s = dropMissing(*rows); !s)
      return std::move(s).error();
  return AllRows{*std::move(rows), *changes};
}
Status RowReader::rewind() { return impl->rewind(); }
const std::string &RowReader::path() const { return impl->file.path(); }
const char *RowReader::unit() const { return impl->file.unit(); }
const ModelColumns &RowReader::columns() const { return impl->columns; }
size_t RowReader::fileRows() const { return impl->fileRows; }
size_t RowReader::dropped() const { return impl->dropped; }
size_t RowReader::rowsRead() const { return impl->rowsRead; }
Date::Form RowReader::dateForm() const { return impl->form; }
bool RowReader::hasTexts() const { return impl->hasTexts(); }
const TextIndex &RowReader::texts() const { return impl->texts; }
std::string RowReader::describeDropped() const {
  return impl->describeDropped();
}
const TextIndex &RowReader::groups() const { return impl->groups; }
GroupOrder RowReader::groupOrder() const {
  return impl->trained
             ? impl->trained->order()
             : sortGroups(impl->groups, impl->columns.group.has_value());
}
const TextIndex &RowReader::levels(size_t column) const {
  return impl->levels[column];
}

Result<std::vector<LevelTable>> RowReader::levelTables() const {
  std::vector<LevelTable> tables(size_t(impl->model.input_count));
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = impl->model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    const std::optional<LevelCollector::Clash> &clash =
        impl->collectors[i].clash();
    const Impl::Line &line = impl->clashes[i];
    Result<LevelTable> table = impl->collectors[i].table(
        path(), input.column,
        clash && clash->second == line.text
            ? impl->file.unit() + (" " + std::to_string(line.number))
            : "");
    if (!table)
      return std::move(table).error();
    tables[i] = *std::move(table);
  }
  return tables;
}

} // namespace tamrt
