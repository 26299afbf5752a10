//===- core/data/RowReader.cpp - training rows off a file -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowReader.h"

#include "core/data/RowBlock.h"
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

constexpr size_t kMostRows = std::numeric_limits<uint32_t>::max();

template <class T>
void append(GrowingArray<T> &to, const GrowingArray<T> &from) {
  to.append({from.data(), from.size()});
}

/// Gives back what columns have grown by too much.
void shrink(Rows &rows) {
  rows.groups.shrink();
  rows.dates.shrink();
  rows.fractions.shrink();
  for (GrowingArray<double> &column : rows.numbers)
    column.shrink();
  for (GrowingArray<uint32_t> &column : rows.levels)
    column.shrink();
}

} // namespace

/// Threads take blocks one after another, parse them at the same time, and add
/// them in the order of the file. A block whose turn has not come is laid aside
/// while there are others: waiting takes longer than most blocks do.
class RowReader::Impl {
public:
  Impl(CsvBlocks file, ModelColumns columns, const tamrt_model &model,
       const ReadOptions &options)
      : file(std::move(file)), columns(std::move(columns)), model(model),
        options(options), levels(this->columns.levels.size()) {
    line = this->file.firstRowLine();
    for (int64_t i = 0; i < model.input_count; ++i)
      collectors.emplace_back(size_t(model.inputs[i].levels));
  }

  Result<Rows> read(size_t most);
  Status rewind();

  CsvBlocks file;
  ModelColumns columns;
  const tamrt_model &model;
  ReadOptions options;
  size_t fileRows = 0, dropped = 0;
  TextIndex groups;
  std::vector<TextIndex> levels;
  std::vector<LevelCollector> collectors;

private:
  void work(Rows &rows, size_t most);
  RowBlock *takeIdle(std::unique_lock<std::mutex> &lock);
  void add(RowBlock &block, Rows &rows);
  void checkForms(RowBlock &block);
  uint32_t share(LocalTexts &local, uint32_t id, TextIndex &all);
  uint32_t shareLevel(size_t column, LocalTexts &local, uint32_t id);
  std::optional<Error> firstError() const;

  std::vector<RowBlock> blocks;
  /// Guards the file.
  std::mutex reading;
  size_t nextRead = 0;
  bool ended = false;
  /// Guards all that follows, and what is read.
  std::mutex adding;
  std::condition_variable added;
  size_t nextAdded = 0;
  /// Blocks that wait for their turn, and those that nobody has.
  std::map<size_t, RowBlock *> parsed;
  std::vector<RowBlock *> idle;
  bool broken = false, full = false;
  size_t line = 1;
  Date::Form form = Date::Form::Missing;
  /// What stops the reading at once, and the first fault of each kind.
  std::optional<Error> fatal;
  std::array<std::optional<Error>, kRowFaults> faults;
};

std::optional<Error> RowReader::Impl::firstError() const {
  if (fatal)
    return fatal;
  for (const std::optional<Error> &fault : faults)
    if (fault)
      return fault;
  return std::nullopt;
}

/// The number for all threads of a text that one has met.
uint32_t RowReader::Impl::share(LocalTexts &local, uint32_t id,
                                TextIndex &all) {
  uint32_t &shared = local.shared[id];
  if (shared == LocalTexts::kNone)
    shared = all.add(local.texts[id]);
  return shared;
}

/// As `share`, for a column of levels, of which there may be too many: the rest
/// of them have no numbers of their own.
uint32_t RowReader::Impl::shareLevel(size_t column, LocalTexts &local,
                                     uint32_t id) {
  uint32_t &shared = local.shared[id];
  if (shared != LocalTexts::kNone)
    return shared;
  TextIndex &all = levels[column];
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

/// Finds the first date that is not of the form of the rows before.
void RowReader::Impl::checkForms(RowBlock &block) {
  for (size_t row = 0; row < block.forms.size(); ++row) {
    const Date::Form got = block.forms[row];
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

/// Adds a block whose turn it is to `rows`.
void RowReader::Impl::add(RowBlock &block, Rows &rows) {
  block.text.startAt(line);
  line += block.text.lineCount();
  fileRows += block.text.rowCount();
  dropped += block.dropped;
  if (fatal)
    return;
  if (block.text.fault()) {
    fatal = file.describe(block.text);
    return;
  }
  if (fileRows >= kMostRows) {
    fatal = Error{file.path() + ": expected fewer than " +
                  std::to_string(kMostRows) + " rows, got more"};
    return;
  }
  if (columns.date)
    checkForms(block);
  for (size_t kind = 0; kind < kRowFaults; ++kind)
    if (const auto &fault = block.faults[kind]; fault && !faults[kind])
      faults[kind] = Error{file.place(block.text, fault->row, fault->column) +
                           fault->text};
  // The rest is read for errors that come first.
  if (firstError())
    return;

  const Rows &from = block.rows;
  for (uint32_t &id : std::span(block.rows.groups.data(), from.groups.size()))
    id = share(block.groupTexts, id, groups);
  append(rows.groups, from.groups);
  append(rows.dates, from.dates);
  if (!from.fractions.empty() || !rows.fractions.empty()) {
    const size_t missing = rows.count - rows.fractions.size();
    std::fill_n(rows.fractions.extend(missing), missing, 0);
    append(rows.fractions, from.fractions);
    const size_t plain = from.count - from.fractions.size();
    std::fill_n(rows.fractions.extend(plain), plain, 0);
  }
  for (size_t i = 0; i < from.numbers.size(); ++i)
    append(rows.numbers[i], from.numbers[i]);
  for (size_t i = 0; i < from.levels.size(); ++i) {
    for (uint32_t &id :
         std::span(block.rows.levels[i].data(), from.levels[i].size()))
      id = shareLevel(i, block.levelTexts[i], id);
    append(rows.levels[i], from.levels[i]);
  }
  rows.count += from.count;
}

/// Waits for a block that nobody has; null when there is none to wait for.
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
        // A file that ends in the middle is no file: what came does not matter.
        if (!more && !fatal)
          fatal = std::move(more).error();
        return;
      }
      turn = nextRead++;
    }
    block->parse(columns, options.dropMissing);
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
  const size_t bytes =
      file.bytes() > 0 ? file.bytes() : std::numeric_limits<size_t>::max();
  const unsigned threads =
      chooseThreads(options.threads, std::max<size_t>(bytes, 1),
                    kBlocksPerThread * options.blockBytes);
  // One that is laid aside for each thread but the first.
  const size_t count = 2 * size_t(threads) - 1;
  if (blocks.size() < count)
    blocks.resize(count);
  idle.clear();
  for (RowBlock &block : blocks)
    idle.push_back(&block);
  full = false;
  forEachPiece(threads, [&](unsigned) {
    try {
      work(rows, most);
    } catch (...) {
      // No one may wait for a block that will not come.
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
  if (ended && fileRows == dropped)
    return Error{file.path() +
                 ": expected a row without missing values, all of " +
                 std::to_string(dropped) + " have some"};
  shrink(rows);
  return rows;
}

Status RowReader::Impl::rewind() {
  if (Status s = file.rewind(); !s)
    return s;
  nextRead = nextAdded = 0;
  fileRows = dropped = 0;
  line = file.firstRowLine();
  ended = false;
  return {};
}

RowReader::RowReader(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
RowReader::RowReader(RowReader &&) noexcept = default;
RowReader &RowReader::operator=(RowReader &&) noexcept = default;
RowReader::~RowReader() = default;

Result<RowReader> RowReader::open(const std::string &path,
                                  const tamrt_model &model,
                                  const ReadOptions &options) {
  Result<CsvBlocks> file = CsvBlocks::open(path, options.blockBytes);
  if (!file)
    return std::move(file).error();
  Result<ModelColumns> columns =
      ModelColumns::find(model, Purpose::Fit,
                         [&](const char *name) { return file->require(name); });
  if (!columns)
    return std::move(columns).error();
  return RowReader(std::make_unique<Impl>(*std::move(file), *std::move(columns),
                                          model, options));
}

Result<Rows> RowReader::read(size_t most) { return impl->read(most); }
Status RowReader::rewind() { return impl->rewind(); }
const std::string &RowReader::path() const { return impl->file.path(); }
const ModelColumns &RowReader::columns() const { return impl->columns; }
size_t RowReader::fileRows() const { return impl->fileRows; }
size_t RowReader::dropped() const { return impl->dropped; }
const TextIndex &RowReader::groups() const { return impl->groups; }
const TextIndex &RowReader::levels(size_t column) const {
  return impl->levels[column];
}

Result<std::vector<LevelTable>> RowReader::levelTables() const {
  std::vector<LevelTable> tables(size_t(impl->model.input_count));
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = impl->model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    Result<LevelTable> table = impl->collectors[i].table(path(), input.column);
    if (!table)
      return std::move(table).error();
    tables[i] = *std::move(table);
  }
  return tables;
}

} // namespace tamrt
