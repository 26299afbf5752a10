//===- core/ranks/RankRows.cpp - rows of several ranks --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/RankRows.h"

#include "core/data/RowParts.h"
#include "core/model/CondensedSurvey.h"
#include "core/ranks/Message.h"
#include "core/ranks/RowExchange.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

constexpr size_t kMaxRows = std::numeric_limits<uint32_t>::max();

/// Replaces the indices of texts by what `indexOf` has for each text.
template <class IndexOf>
void renumber(GrowingArray<uint32_t> &ids, const TextIndex &texts,
              const IndexOf &indexOf) {
  std::vector<uint32_t> indices(texts.size());
  for (uint32_t id = 0; id < indices.size(); ++id)
    indices[id] = indexOf(texts[id]);
  for (uint32_t &id : std::span(ids.data(), ids.size()))
    id = indices[id];
}

std::vector<std::string> listOf(const TextIndex &texts) {
  std::vector<std::string> list;
  for (uint32_t id = 0; id < texts.size(); ++id)
    list.emplace_back(texts[id]);
  return list;
}

/// Replaces indices of trained groups by those of the groups that rows have, in
/// the order of their first appearance. \returns their texts.
TextIndex indexTrained(Rows &rows, std::span<const std::string> trained) {
  TextIndex texts;
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> indices(trained.size(), kNone);
  for (uint32_t &id : std::span(rows.groups.data(), rows.groups.size())) {
    if (indices[id] == kNone)
      indices[id] = texts.add(trained[id]);
    id = indices[id];
  }
  return texts;
}

/// A number with the order of a date's key.
uint64_t unsignedOf(int64_t key) { return uint64_t(key) ^ (uint64_t(1) << 63); }

/// The key that `unsignedOf` makes that number of.
int64_t keyOfUnsigned(uint64_t number) {
  return int64_t(number ^ (uint64_t(1) << 63));
}

/// Keys that are asked at once: each step of a search is a message from all
/// ranks to all, which takes as long for some numbers as for one.
constexpr size_t kPivots = 15;

/// Key `i` of kPivots between two, the lower one included.
uint64_t pivot(uint64_t lo, uint64_t hi, size_t i) {
  return lo + uint64_t(static_cast<unsigned __int128>(hi - lo) * (i + 1) /
                       (kPivots + 1));
}

/// By number of the question: the least key between `lo` and `hi` up to which
/// all ranks together have more than `rows` rows. count(question, key) is the
/// number of this rank's.
template <class Count>
void search(const Ranks &ranks, const std::vector<int64_t> &rows,
            std::vector<uint64_t> &lo, std::vector<uint64_t> hi,
            const Count &count) {
  while (true) {
    // The bounds are those of all ranks.
    std::vector<int64_t> counts;
    for (size_t i = 0; i < lo.size(); ++i)
      for (size_t k = 0; lo[i] < hi[i] && k < kPivots; ++k)
        counts.push_back(int64_t(count(i, pivot(lo[i], hi[i], k))));
    if (counts.empty())
      return;
    ranks.add(counts);
    auto at = counts.begin();
    for (size_t i = 0; i < lo.size(); ++i) {
      if (lo[i] == hi[i])
        continue;
      const auto above =
          size_t(std::upper_bound(at, at + kPivots, rows[i]) - at);
      const uint64_t from = lo[i];
      if (above > 0)
        lo[i] = pivot(from, hi[i], above - 1) + 1;
      if (above < kPivots)
        hi[i] = pivot(from, hi[i], above);
      at += kPivots;
    }
  }
}

} // namespace

std::vector<RankCut> cutRows(const std::vector<size_t> &groupRows,
                             bool wholeGroups, size_t ranks) {
  std::vector<RankCut> cuts;
  for (const PartRange &range :
       divideRows(groupRows, ranks, [&](size_t) { return wholeGroups; }))
    if (cuts.size() <= range.part)
      cuts.resize(range.part + 1, {range.group, range.first});
  cuts.resize(ranks + 1, {groupRows.size(), 0});
  return cuts;
}

/// Adds rows that a reader has read; `texts` are those of their groups.
void RankRows::add(Rows more, const TextIndex &texts, const RowReader &reader) {
  auto addTo = [](TextIndex &to) {
    return [&to](std::string_view text) { return to.add(text); };
  };
  if (columns.group)
    renumber(more.groups, texts, addTo(groups));
  for (size_t i = 0; i < levels.size(); ++i)
    renumber(more.levels[i], reader.levels(i), addTo(levels[i]));
  if (rows.count == 0) {
    rows = std::move(more);
    return;
  }
  rows.append(more);
}

/// Reads the rows of a piece. \returns their survey, without parts if there are
/// no rows.
Result<Survey> RankRows::readPiece(const RankPiece &piece,
                                   const ReadOptions &reading,
                                   const RunOptions &run) {
  ReadOptions with = reading;
  with.mayDropAll = true;
  Result<RowReader> reader =
      trained ? RowReader::open(piece.source, *model, *trained, with)
              : RowReader::open(piece.source, *model, with);
  if (!reader)
    return std::move(reader).error();
  Result<RowReader::AllRows> read = reader->readAll();
  if (!read)
    return std::move(read).error();
  auto &[more, changes] = *read;
  if (!isForWindows)
    if (Result<std::vector<LevelTable>> tables = reader->levelTables(); !tables)
      return std::move(tables).error();
  rowsRead += reader->fileRows();
  rowsDropped += reader->dropped();
  if (more.count == 0)
    return Survey();
  if (rows.count + more.count > kMaxRows)
    return Error{fmt::format("{}: expected at most {} rows of a rank, got "
                             "more; start more ranks",
                             reader->path(), kMaxRows)};
  TextIndex ofTrained;
  if (trained && columns.group)
    ofTrained = indexTrained(more, trained->groups);
  const TextIndex &texts = trained ? ofTrained : reader->groups();
  RowSurvey seen(surveyModel(), surveyColumns());
  seen.add(more, model->group ? texts.size() : 1, run.threads);
  PartTexts of = {
      reader->dateForm(), changes.drops || changes.merges, {""}, {}};
  if (model->group)
    of.groups = listOf(texts);
  for (size_t i = 0; i < levels.size(); ++i)
    of.levels.push_back(listOf(reader->levels(i)));
  Result<Survey> survey = surveyOf(
      surveyModel(), fmt::format("{:08} ({})", piece.index, piece.source.path),
      reader->path(), std::move(of), seen);
  if (!survey)
    return survey;
  if (isForWindows)
    windowPieces.push_back({piece.source.path, rows.count, std::move(more.keys),
                            std::move(more.lines)});
  add(std::move(more), texts, *reader);
  return survey;
}

/// Reads all pieces, and joins their surveys.
Status RankRows::readOwn(const std::vector<RankPiece> &pieces,
                         const ReadOptions &reading, const RunOptions &run,
                         Survey &survey) {
  for (const RankPiece &piece : pieces) {
    Result<Survey> one = readPiece(piece, reading, run);
    if (!one)
      return std::move(one).error();
    if (Status s = tamrt::join(survey, *std::move(one), path); !s)
      return s;
  }
  return {};
}

/// The bytes of a survey; none if it has no parts.
Result<std::string> RankRows::bytesOf(const Survey &survey) const {
  return survey.parts.empty() ? std::string()
                              : serialize(surveyModel(), survey).bytes();
}

/// Adds a survey, given as bytes, whose parts come after those of `all`.
Status RankRows::join(Survey &all, std::string_view bytes) const {
  if (bytes.empty())
    return {};
  FileBytes copy = {std::make_unique_for_overwrite<char[]>(bytes.size()),
                    bytes.size()};
  std::memcpy(copy.data.get(), bytes.data(), bytes.size());
  Result<SafetensorsFile> file = SafetensorsFile::parse(std::move(copy), path);
  if (!file)
    return std::move(file).error();
  Result<Survey> survey = loadSurvey(surveyModel(), *file);
  if (!survey)
    return std::move(survey).error();
  return tamrt::join(all, *std::move(survey), path);
}

/// The surveys of all ranks, joined.
Result<Survey> RankRows::gatherSurveys(const Survey &own) const {
  const Result<std::string> bytes = bytesOf(own);
  if (Status s = ranks->agreeOn(bytes); !s)
    return std::move(s).error();
  Survey all;
  for (const std::string_view of : ranks->gatherAll(*bytes))
    if (Status s = join(all, of); !s)
      return std::move(s).error();
  return all;
}

/// The same without what depends on which rank has which rows: each group may
/// be on all ranks, so that all their surveys would have groups times ranks
/// numbers.
Result<Survey> RankRows::condenseSurveys(Survey own) const {
  condense(own);
  Result<std::string> folded = bytesOf(own);
  if (Status s = ranks->agreeOn(folded); !s)
    return std::move(s).error();
  folded = ranks->fold(*std::move(folded), [&](std::string_view later) {
    if (Status s = join(own, later); !s)
      return Result<std::string>(std::move(s).error());
    condense(own);
    return bytesOf(own);
  });
  if (!folded)
    return std::move(folded).error();
  // Its bytes are those of all ranks.
  if (ranks->rank() == 0)
    return own;
  Survey all;
  if (Status s = join(all, *folded); !s)
    return std::move(s).error();
  return all;
}

/// Gives all trained groups, also those without rows, their order. Only order
/// and rows are changed.
void RankRows::orderAsTrained(PartedRows &all) const {
  const GroupNames index(trained->groups);
  std::vector<size_t> rowsOf(trained->groups.size());
  for (size_t g = 0; g < all.order.names.size(); ++g)
    rowsOf[*index.find(all.order.names[g])] = all.groupRows[g];
  for (uint32_t &place : all.order.places)
    place = *index.find(all.order.names[place]);
  all.order.names.assign(trained->groups.begin(), trained->groups.end());
  all.groupRows = std::move(rowsOf);
}

/// Finds groups, levels, and dates from the survey of all rows, and replaces
/// the rows' groups by their places.
Status RankRows::useSurvey(const Survey &survey) {
  Result<PartedRows> all = combineGroups(surveyModel(), survey, path);
  if (!all)
    return std::move(all).error();
  const SurveyedTexts texts = textsOf(survey);
  const size_t count = all->order.names.size();
  firstDates.resize(count);
  lastDates.resize(count);
  for (size_t g = 0; g < count; ++g)
    for (const GroupPart &part : all->parts[g]) {
      const GroupDates &dates = survey.parts[part.part].dates[part.index];
      const bool isFirst = &part == all->parts[g].data();
      firstDates[g] =
          isFirst ? dates.first : std::min(firstDates[g], dates.first);
      lastDates[g] = isFirst ? dates.last : std::max(lastDates[g], dates.last);
    }
  for (const PartSurvey &part : survey.parts)
    if (dateForm == Date::Form::Missing)
      dateForm = part.dateForm;
  if (trained && columns.group)
    orderAsTrained(*all);
  names = std::move(all->order.names);
  groupRows = std::move(all->groupRows);
  TextIndex known;
  for (const std::string &text : texts.groups)
    known.add(text);
  if (columns.group)
    renumber(rows.groups, groups, [&](std::string_view text) {
      return all->order.places[known.add(text)];
    });
  for (size_t i = 0; i < levels.size(); ++i) {
    TextIndex index;
    for (const std::string &text : texts.levels[i])
      index.add(text);
    renumber(rows.levels[i], levels[i],
             [&](std::string_view text) { return index.add(text); });
    levels[i] = std::move(index);
  }
  return {};
}

Result<RankRows> RankRows::read(const Ranks &ranks, const tamrt_model &model,
                                const std::vector<RankPiece> &pieces,
                                const ReadOptions &reading,
                                const RunOptions &run, const std::string &path,
                                const TrainedTexts *trained) {
  RankRows all(ranks, model, path);
  all.trained = trained;
  all.isForWindows = reading.forWindows;
  all.surveyKeys();
  all.rows.numbers.resize(all.columns.numbers.size());
  all.rows.inFrame.resize(all.columns.numbers.size());
  all.rows.levels.resize(all.columns.levels.size());
  all.levels.resize(all.columns.levels.size());
  Survey own;
  if (Status s = ranks.agree(all.readOwn(pieces, reading, run, own)); !s)
    return std::move(s).error();
  int64_t counts[] = {int64_t(all.rowsRead), int64_t(all.rowsDropped)};
  ranks.add(counts);
  all.rowsRead = size_t(counts[0]);
  all.rowsDropped = size_t(counts[1]);
  if (all.rowsRead == all.rowsDropped)
    return Error{fmt::format("{}: expected a row without missing values, all "
                             "of {} have some",
                             path, all.rowsDropped)};
  // What follows is the same on all ranks, errors included.
  Result<Survey> survey = all.condenseSurveys(std::move(own));
  if (!survey)
    return std::move(survey).error();
  if (Status s = all.useSurvey(*survey); !s)
    return std::move(s).error();
  return all;
}

uint64_t RankRows::digest() const {
  auto mix = [](uint64_t value) {
    value = (value ^ value >> 31) * 0x9E3779B97F4A7C15;
    return (value ^ value >> 29) * 0xBF58476D1CE4E5B9;
  };
  const RankCut &start = cuts[ranks->rank()];
  uint64_t sum = 0;
  for (const Group &group : arranged.groups) {
    // Index in the group of all ranks.
    size_t index = group.place == start.group ? start.row : 0;
    for (size_t row = group.first; row < group.first + group.rows; ++row) {
      uint64_t hash = mix(mix(group.place + 1) ^ index++);
      if (columns.date) {
        const RowDate date = rows.dateOf(row);
        hash = mix(mix(hash ^ uint64_t(date.key)) ^ date.fraction);
      }
      for (const GrowingArray<double> &column : rows.numbers)
        hash = mix(hash ^ std::bit_cast<uint64_t>(column[row]));
      for (const GrowingArray<uint32_t> &column : rows.levels)
        hash = mix(hash ^ column[row]);
      sum += mix(hash);
    }
  }
  // The halves, of which sums of 64 bits do not overflow.
  int64_t halves[] = {int64_t(sum & 0xFFFFFFFF), int64_t(sum >> 32)};
  ranks->add(halves);
  return uint64_t(halves[0]) + (uint64_t(halves[1]) << 32);
}

/// Where, among the sorted rows of this rank, the rows of each rank start, and
/// the end. `hasFractions`: whether dates of any rank have fractions.
std::vector<size_t> RankRows::findCuts(const RowOrder &sorted,
                                       bool hasFractions) {
  std::vector<size_t> starts;
  // Of the cuts inside a group: the rank, and this rank's rows of the group.
  std::vector<size_t> which, begins, ends;
  std::vector<int64_t> wanted;
  for (const RankCut &cut : cuts) {
    const auto group = std::lower_bound(
        sorted.groups.begin(), sorted.groups.end(), cut.group,
        [](const Group &a, size_t place) { return a.place < place; });
    const bool isThere =
        group != sorted.groups.end() && group->place == cut.group;
    const size_t begin =
        group == sorted.groups.end() ? rows.count : group->first;
    if (cut.row > 0) {
      which.push_back(starts.size());
      begins.push_back(begin);
      ends.push_back(isThere ? begin + group->rows : begin);
      wanted.push_back(int64_t(cut.row));
    }
    starts.push_back(begin);
  }
  const size_t count = which.size();
  const uint32_t *ids = sorted.rows.data();
  // The number of this rank's rows, of the group of a cut, before or at a date.
  auto countTo = [&](size_t i, uint64_t key, uint64_t fraction, bool isAt) {
    const RowDate date = {keyOfUnsigned(key), fraction};
    return size_t(std::partition_point(ids + begins[i], ids + ends[i],
                                       [&](uint32_t row) {
                                         return isAt ? rows.dateOf(row) <= date
                                                     : rows.dateOf(row) < date;
                                       }) -
                  (ids + begins[i]));
  };
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> keys(count), fractions(count);
  if (columns.date) {
    std::vector<uint64_t> most;
    for (size_t i = 0; i < count; ++i) {
      const size_t group = cuts[which[i]].group;
      keys[i] = unsignedOf(firstDates[group].key);
      most.push_back(unsignedOf(lastDates[group].key));
    }
    search(*ranks, wanted, keys, most, [&](size_t i, uint64_t key) {
      return countTo(i, key, kLast, true);
    });
    search(*ranks, wanted, fractions,
           std::vector<uint64_t>(count, hasFractions ? kLast : 0),
           [&](size_t i, uint64_t fraction) {
             return countTo(i, keys[i], fraction, true);
           });
  }
  // Rows with the date of the cut are in the order of ranks.
  std::vector<int64_t> before(count);
  std::vector<int64_t> own(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t rowsOf = ends[i] - begins[i];
    before[i] =
        columns.date ? int64_t(countTo(i, keys[i], fractions[i], false)) : 0;
    starts[which[i]] += size_t(before[i]);
    own[i] = columns.date
                 ? int64_t(countTo(i, keys[i], fractions[i], true)) - before[i]
                 : int64_t(rowsOf);
  }
  ranks->add(before);
  const RankBytes all =
      ranks->gatherAll({reinterpret_cast<const char *>(own.data()),
                        own.size() * sizeof(int64_t)});
  for (size_t i = 0; i < count; ++i) {
    int64_t left = wanted[i] - before[i];
    const RankCut &cut = cuts[which[i]], &last = cuts[which[i] - 1];
    const bool isFirst = cut.group != last.group || cut.row != last.row;
    tiesAtCuts += columns.date && isFirst && left > 0;
    for (size_t r = 0; r < ranks->rank(); ++r) {
      int64_t of;
      std::memcpy(&of, all[r].data() + i * sizeof(int64_t), sizeof of);
      left -= of;
    }
    starts[which[i]] += size_t(std::clamp<int64_t>(left, 0, own[i]));
  }
  return starts;
}

/// Exchanges the rows as `cuts` divide them.
Status RankRows::moveRows() {
  Status room;
  int64_t fractions = rows.fractions.empty() ? 0 : 1;
  ranks->add({&fractions, 1});
  RowOrder sorted = sortRows(rows, columns.group.has_value(), windowGroups());
  const std::vector<size_t> starts = findCuts(sorted, fractions > 0);
  std::vector<size_t> counts;
  for (size_t r = 0; r < ranks->size(); ++r)
    counts.push_back(starts[r + 1] - starts[r]);
  std::vector<size_t> received = ranks->exchangeCounts(counts);
  RowExchange moves(*ranks, std::move(sorted), std::move(counts),
                    std::move(received));
  const size_t count = moves.count();
  if (count > kMaxRows)
    room = Error{fmt::format("{}: expected at most {} rows of a rank, got "
                             "{}; start more ranks",
                             path, kMaxRows, count)};
  if (Status s = ranks->agree(std::move(room)); !s)
    return s;
  if (fractions > 0 && rows.fractions.empty())
    std::fill_n(rows.fractions.extend(rows.count), rows.count, 0);
  auto forEachKey = [&](const auto &body) {
    auto forColumn = [&]<class T>(GrowingArray<T> &column) {
      GrowingArray<T> spare;
      body(column, spare);
    };
    if (columns.group)
      forColumn(rows.groups);
    if (columns.date)
      forColumn(rows.dates);
    if (fractions > 0)
      forColumn(rows.fractions);
  };
  forEachKey([&](auto &column, auto &spare) { moves.move(column, spare); });
  rows.count = count;
  ColumnOrder order;
  if (!isForWindows) {
    // The rows of each rank are in this order.
    arranged = sortRows(rows, columns.group.has_value(), windowGroups());
    order = ColumnOrder(arranged.rows);
    forEachKey(
        [&](auto &column, auto &spare) { arrange(column, order, spare); });
  }
  auto moveAll = [&]<class T>(std::vector<GrowingArray<T>> &all) {
    GrowingArray<T> spare;
    for (GrowingArray<T> &column : all) {
      moves.move(column, spare);
      arrange(column, order, spare);
    }
  };
  moveAll(rows.numbers);
  moveAll(rows.levels);
  if (isForWindows)
    sent = {moves.takeRows(), moves.takeSent(), moves.takeReceived()};
  else
    std::iota(arranged.rows.begin(), arranged.rows.end(), uint32_t(0));
  return {};
}

Status RankRows::exchange(const RunOptions &run) {
  cuts = cutRows(groupRows, model->carry_bytes > 0 || run.inference,
                 ranks->size());
  if (Status s = moveRows(); !s)
    return s;
  keysOnly.reset();
  size_t parts = 0;
  for (size_t r = 0; r <= ranks->rank(); ++r) {
    const bool hasRows =
        cuts[r].group != cuts[r + 1].group || cuts[r].row != cuts[r + 1].row;
    if (hasRows && r == ranks->rank())
      ownPart = parts;
    parts += hasRows;
  }
  Survey own;
  Status done;
  if (ownPart) {
    Result<Survey> survey = surveyOwn(run);
    if (survey)
      own = *std::move(survey);
    else
      done = std::move(survey).error();
  }
  if (Status s = ranks->agree(std::move(done)); !s)
    return s;
  Result<Survey> survey = gatherSurveys(own);
  if (!survey)
    return std::move(survey).error();
  Result<SurveyedFit> prepared = prepareParts(*model, *std::move(survey), path);
  if (!prepared)
    return std::move(prepared).error();
  surveyed.emplace(*std::move(prepared));
  return {};
}

/// Surveys the rows that this rank has after the exchange.
Result<Survey> RankRows::surveyOwn(const RunOptions &run) {
  const size_t first = cuts[ranks->rank()].group;
  const RankCut &end = cuts[ranks->rank() + 1];
  const size_t last = end.row > 0 ? end.group + 1 : end.group;
  if (columns.group)
    for (uint32_t &id : std::span(rows.groups.data(), rows.groups.size()))
      id -= uint32_t(first);
  RowSurvey seen(*model, columns);
  seen.add(rows, columns.group ? last - first : 1, run.threads);
  PartTexts texts = {dateForm, false, {}, {}};
  texts.groups.assign(names.begin() + ptrdiff_t(first),
                      names.begin() + ptrdiff_t(last));
  for (const TextIndex &index : levels)
    texts.levels.push_back(listOf(index));
  return surveyOf(*model, fmt::format("{:08}", ranks->rank()), path,
                  std::move(texts), seen);
}

Dataset RankRows::takeRows(unsigned threads) {
  const PartedRows &parted = surveyed->rows;
  Dataset data = Dataset::arrange(
      std::move(rows), std::move(arranged), columns,
      [&](size_t column) -> const TextIndex & { return levels[column]; },
      *model, parted.normalization.levels, threads);
  data.divideWeights(parted.means);
  return data;
}

/// Leaves to the survey of the rows that were read their groups, levels and
/// dates, which the exchange needs: the rest is found of the rows after it,
/// when those of a group are consecutive, or by windows of their own rows.
void RankRows::surveyKeys() {
  keysOnly = std::make_unique<KeysModel>(KeysModel{*model, {}, {}});
  keysOnly->columns.group = columns.group;
  keysOnly->columns.date = columns.date;
  std::copy_if(
      model->inputs, model->inputs + model->input_count,
      std::back_inserter(keysOnly->inputs),
      [](const tamrt_input &input) { return input.rule == TAMRT_RULE_LEVELS; });
  tamrt_model &keys = keysOnly->model;
  keys.inputs = keysOnly->inputs.data();
  keys.input_count = int64_t(keysOnly->inputs.size());
  keys.compression = nullptr;
  keys.weights = nullptr;
}

Status RankRows::exchangeGroups() {
  cuts = cutRows(groupRows, /*wholeGroups=*/true, ranks->size());
  return moveRows();
}

GroupOrder RankRows::windowGroups() const {
  GroupOrder order = {names, std::vector<uint32_t>(names.size())};
  std::iota(order.places.begin(), order.places.end(), uint32_t(0));
  return order;
}

/// The piece that has a row that this rank read.
const RankRows::ReadPiece &RankRows::pieceOf(size_t row) const {
  return *std::prev(std::upper_bound(
      windowPieces.begin(), windowPieces.end(), row,
      [](size_t at, const ReadPiece &piece) { return at < piece.first; }));
}

std::string_view RankRows::keysOf(size_t row) const {
  const ReadPiece &piece = pieceOf(row);
  // None in a model without key columns.
  return piece.keys.ends.empty() ? std::string_view()
                                 : piece.keys[row - piece.first];
}

void RankRows::forEachRead(
    FunctionRef<void(size_t row, std::string_view keys)> body) const {
  for (size_t row = 0; row < sent.rows.size(); ++row)
    body(row, keysOf(row));
}

RankKeys RankRows::exchangeKeys(std::span<const uint32_t> wanted) const {
  // The rows are asked for by rank: each at its place in the requests.
  std::vector<size_t> ends(ranks->size()), counts(ranks->size());
  std::inclusive_scan(sent.received.begin(), sent.received.end(), ends.begin());
  auto rankOf = [&](uint32_t row) {
    return size_t(std::upper_bound(ends.begin(), ends.end(), row) -
                  ends.begin());
  };
  for (const uint32_t row : wanted)
    ++counts[rankOf(row)];
  std::vector<size_t> next(ranks->size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), size_t(0));
  std::vector<uint32_t> requests(wanted.size());
  for (const uint32_t row : wanted) {
    const size_t from = rankOf(row);
    requests[next[from]++] = row - uint32_t(ends[from] - sent.received[from]);
  }
  const std::vector<size_t> asked = ranks->exchangeCounts(counts);
  std::vector<uint32_t> rowsAsked(
      std::accumulate(asked.begin(), asked.end(), size_t(0)));
  ranks->exchange(requests.data(), counts, rowsAsked.data(), asked,
                  sizeof(uint32_t));

  std::vector<std::string> answers;
  const uint32_t *row = rowsAsked.data();
  size_t first = 0;
  for (size_t to = 0; to < ranks->size(); first += sent.counts[to++]) {
    MessageWriter answer;
    for (const uint32_t *end = row + asked[to]; row < end; ++row)
      answer.text(keysOf(sent.rows[first + *row]));
    answers.push_back(std::move(answer.bytes));
  }
  RankKeys keys = {ranks->exchange(answers), {}};
  std::vector<MessageReader> readers(keys.bytes.begin(), keys.bytes.end());
  for (const uint32_t row : wanted)
    keys.rows.push_back(readers[rankOf(row)].text());
  return keys;
}

/// What the ranks that got this rank's rows have for them, by the rows' indices
/// in the files.
template <class T> std::vector<T> RankRows::returned(const T *numbers) const {
  std::vector<T> sorted(sent.rows.size()), own(sent.rows.size());
  ranks->exchange(numbers, sent.received, sorted.data(), sent.counts,
                  sizeof(T));
  for (size_t i = 0; i < sorted.size(); ++i)
    own[sent.rows[i]] = sorted[i];
  return own;
}

std::vector<double> RankRows::giveBack(std::span<const double> numbers) const {
  return returned(numbers.data());
}

std::optional<RankRow>
RankRows::firstOf(const std::vector<bool> &isMarked) const {
  int64_t count = std::count(isMarked.begin(), isMarked.end(), true);
  ranks->add({&count, 1});
  if (count == 0)
    return {};
  const std::vector<uint8_t> marks(isMarked.begin(), isMarked.end());
  const std::vector<uint8_t> own = returned(marks.data());
  MessageWriter message;
  const auto row = size_t(std::find(own.begin(), own.end(), 1) - own.begin());
  if (row < own.size()) {
    auto at = size_t(std::find(sent.rows.begin(), sent.rows.end(), row) -
                     sent.rows.begin());
    size_t to = 0;
    for (; at >= sent.counts[to]; ++to)
      at -= sent.counts[to];
    const ReadPiece &piece = pieceOf(row);
    message.number(to);
    message.number(at);
    message.number(piece.lines[row - piece.first]);
    message.text(piece.path);
  }
  // Ranks read the files in their order.
  size_t from = 0, before = 0;
  const RankBytes all = ranks->gatherAll(message.bytes);
  while (all[from].empty())
    before += sent.received[from++];
  MessageReader reader(all[from]);
  RankRow first = {reader.number(), 0, {}, 0};
  first.row = before + reader.number();
  first.line = reader.number();
  first.path = reader.text();
  return first;
}

size_t RankRows::firstGroup(size_t rank) const {
  return cuts[rank].group + (cuts[rank].row > 0 ? 1 : 0);
}

size_t RankRows::rankOfGroup(size_t group) const {
  size_t rank = 0;
  while (rank + 1 < ranks->size() && firstGroup(rank + 1) <= group)
    ++rank;
  return rank;
}

bool RankRows::hasRows(size_t rank, size_t group) const {
  const RankCut &first = cuts[rank], &end = cuts[rank + 1];
  const bool isEmpty = first.group == end.group && first.row == end.row;
  return !isEmpty && first.group <= group &&
         (group < end.group || (group == end.group && end.row > 0));
}

} // namespace tamrt
