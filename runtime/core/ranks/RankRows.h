//===- core/ranks/RankRows.h - rows of several ranks ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows that are read by several ranks and then exchanged, so that each rank
/// has a part of them as `split` would make it: whole segments of a group, in
/// the order that one process has, or whole groups.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_RANKROWS_H
#define TAMRT_CORE_RANKS_RANKROWS_H

#include "core/FunctionRef.h"
#include "core/data/Dataset.h"
#include "core/data/ExactSum.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "core/model/Survey.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/Ranks.h"
#include "core/run/Executor.h"
#include "core/run/PartFit.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The first row of a rank: a group's place and the group's row.
struct RankCut {
  size_t group, row;
};

/// Divides groups of so many rows among ranks (`divideRows`), at segments or
/// only between groups. \returns where each rank starts, and the end.
std::vector<RankCut> cutRows(const std::vector<size_t> &groupRows,
                             bool wholeGroups, size_t ranks);

/// A row of a file, which a rank has after the exchange.
struct RankRow {
  /// The rank, and on it the row's index among those that it has.
  size_t rank, row;
  std::string path;
  uint64_t line;
};

/// Cells of the keys of some rows.
struct RankKeys {
  RankBytes bytes;
  /// In the order in which the rows were given.
  std::vector<std::string_view> rows;
};

/// Rows of this rank.
class RankRows {
public:
  /// Bytes of the sums of a group's row weights, if rows have weights: of the
  /// rank's own rows, as a message, those of all ranks, and of one of them as a
  /// file and read from that.
  static constexpr size_t kWeightBytesPerGroup = 5 * sizeof(ExactSum);

  /// Reads the rows of this rank's pieces, and surveys the groups, levels and
  /// dates of those of all. `path` is what all are called in messages. Errors,
  /// of all ranks: those of `RowReader`, `surveyOf`, and `combineGroups`; more
  /// than 2^32 - 1 rows of a rank. Groups of rows for windows
  /// (`ReadOptions::forWindows`) are those of `trained`, which must outlive
  /// this, if it is given.
  static Result<RankRows> read(const Ranks &ranks, const tamrt_model &model,
                               const std::vector<RankPiece> &pieces,
                               const ReadOptions &reading,
                               const RunOptions &run, const std::string &path,
                               const TrainedTexts *trained = nullptr);

  /// Exchanges the rows and surveys the parts that the ranks have then; a fit
  /// with inference has whole groups. Errors: as above, and those of
  /// `prepareParts`.
  Status exchange(const RunOptions &run);

  /// The same for rows for windows: all rows of a group go to one rank, those
  /// with equal dates in the order of the files. Errors: too many rows.
  Status exchangeGroups();

  /// By group of all ranks.
  const std::vector<size_t> &rowsOfGroups() const { return groupRows; }

  /// Of rows for windows, after their exchange: this rank's rows, which it has
  /// no longer, their columns, groups, and texts of a column of levels.
  Rows takeWindowRows() { return std::move(rows); }
  const ModelColumns &windowColumns() const { return columns; }
  GroupOrder windowGroups() const;
  const TextIndex &levelTexts(size_t column) const { return levels[column]; }
  /// The cells of the keys of some rows, given by their indices after the
  /// exchange. All ranks call it.
  RankKeys exchangeKeys(std::span<const uint32_t> wanted) const;
  /// Returns a number of each row, by its index after the exchange, to the rank
  /// that read the row: there they are by its index in the files.
  std::vector<double> giveBack(std::span<const double> numbers) const;
  /// The first row in the files' order of those that some rank marks, by their
  /// indices after the exchange. All ranks call it and get the same.
  std::optional<RankRow> firstOf(const std::vector<bool> &isMarked) const;
  /// Calls body(row, keys) for the rows that this rank read.
  void
  forEachRead(FunctionRef<void(size_t row, std::string_view keys)> body) const;

  /// After the exchange: the survey of all parts.
  SurveyedFit &fit() { return *surveyed; }
  /// The part of this rank; none if it has no rows.
  std::optional<size_t> part() const { return ownPart; }
  /// A hash of the rows of all ranks, each with its place in its group; the
  /// same for any number of ranks.
  uint64_t digest() const;
  /// This rank's rows, which it has no longer.
  Dataset takeRows(unsigned threads);
  /// The first group that starts on a rank or on a later one. The groups that
  /// start on a rank are solved there.
  size_t firstGroup(size_t rank) const;
  /// The rank that solves a group.
  size_t rankOfGroup(size_t group) const;
  /// Whether a rank has rows of a group.
  bool hasRows(size_t rank, size_t group) const;

  /// Rows that all ranks read, and of those that they dropped.
  size_t rowsRead = 0, rowsDropped = 0;
  /// After the exchange: rows with the date of the row before them in their
  /// group, which another rank has.
  size_t tiesAtCuts = 0;

private:
  /// What was read of a piece of rows for windows, and the index of its first
  /// row.
  struct ReadPiece {
    std::string path;
    size_t first;
    KeyCells keys;
    GrowingArray<uint64_t> lines;
  };
  /// Where rows went: for each its index before, sorted by rank, and the
  /// numbers of those that each rank got from this one, and this one from it.
  struct Sent {
    std::vector<uint32_t> rows;
    std::vector<size_t> counts, received;
  };
  /// What the survey of the rows that were read sees of the model.
  struct KeysModel {
    tamrt_model model;
    std::vector<tamrt_input> inputs;
    ModelColumns columns;
  };

  RankRows(const Ranks &ranks, const tamrt_model &model, std::string path)
      : ranks(&ranks), model(&model), path(std::move(path)),
        columns(columnsOf(model, Purpose::Fit)) {}
  void surveyKeys();
  const tamrt_model &surveyModel() const {
    return keysOnly ? keysOnly->model : *model;
  }
  const ModelColumns &surveyColumns() const {
    return keysOnly ? keysOnly->columns : columns;
  }
  const ReadPiece &pieceOf(size_t row) const;
  std::string_view keysOf(size_t row) const;
  template <class T> std::vector<T> returned(const T *numbers) const;
  Result<Survey> readPiece(const RankPiece &piece, const ReadOptions &reading,
                           const RunOptions &run);
  Result<std::string> bytesOf(const Survey &survey) const;
  Status join(Survey &all, std::string_view bytes) const;
  Result<Survey> gatherSurveys(const Survey &own) const;
  Result<Survey> condenseSurveys(Survey own) const;
  Status readOwn(const std::vector<RankPiece> &pieces,
                 const ReadOptions &reading, const RunOptions &run,
                 Survey &survey);
  void add(Rows more, const TextIndex &texts, const RowReader &reader);
  void orderAsTrained(PartedRows &all) const;
  Status moveRows();
  Status useSurvey(const Survey &survey);
  std::vector<size_t> findCuts(const RowOrder &sorted, bool hasFractions);
  Result<Survey> surveyOwn(const RunOptions &run);

  const Ranks *ranks;
  const tamrt_model *model;
  std::string path;
  ModelColumns columns;
  Rows rows;
  Date::Form dateForm = Date::Form::Missing;
  /// The texts of the rows' groups and levels, before the exchange those of
  /// this rank.
  TextIndex groups;
  std::vector<TextIndex> levels;
  /// The groups of all ranks, and their rows and dates.
  std::vector<std::string> names;
  std::vector<size_t> groupRows;
  std::vector<RowDate> firstDates, lastDates;
  std::vector<RankCut> cuts;
  /// Of rows for a fit, after the exchange: their groups, whose rows are
  /// consecutive and in order.
  RowOrder arranged;
  std::optional<SurveyedFit> surveyed;
  std::optional<size_t> ownPart;
  /// Until the exchange of rows for a fit.
  std::unique_ptr<KeysModel> keysOnly;
  bool isForWindows = false;
  const TrainedTexts *trained = nullptr;
  std::vector<ReadPiece> windowPieces;
  Sent sent;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_RANKROWS_H
