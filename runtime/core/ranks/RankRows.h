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

#include "core/data/Dataset.h"
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
#include <optional>
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

/// Rows of this rank.
class RankRows {
public:
  /// Reads the rows of this rank's pieces, and surveys those of all. `path` is
  /// what all are called in messages. Errors, of all ranks: those of
  /// `RowReader`, `surveyOf`, and `combine`; more than 2^32 - 1 rows of a rank.
  static Result<RankRows> read(const Ranks &ranks, const tamrt_model &model,
                               const std::vector<RankPiece> &pieces,
                               const ReadOptions &reading,
                               const RunOptions &run, const std::string &path);

  /// Exchanges the rows and surveys the parts that the ranks have then. Errors:
  /// as above.
  Status exchange(const RunOptions &run);

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
  RankRows(const Ranks &ranks, const tamrt_model &model, std::string path)
      : ranks(&ranks), model(&model), path(std::move(path)),
        columns(columnsOf(model)) {}
  Result<Survey> readPiece(const RankPiece &piece, const ReadOptions &reading,
                           const RunOptions &run);
  Result<std::string> bytesOf(const Survey &survey) const;
  Status join(Survey &all, std::string_view bytes) const;
  Result<Survey> gatherSurveys(const Survey &own) const;
  Result<Survey> condenseSurveys(Survey own) const;
  Status readOwn(const std::vector<RankPiece> &pieces,
                 const ReadOptions &reading, const RunOptions &run,
                 Survey &survey);
  void add(Rows more, const RowReader &reader);
  Status useSurvey(const Survey &survey);
  std::vector<size_t> findCuts(const RowOrder &sorted, bool hasFractions);
  template <class T>
  void move(GrowingArray<T> &column, const RowOrder &sorted,
            const std::vector<size_t> &counts,
            const std::vector<size_t> &received) const;
  Result<Survey> surveyOwn(const RunOptions &run);
  /// The places of the groups that this rank's rows have after the exchange.
  GroupOrder ownGroups() const;

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
  std::optional<SurveyedFit> surveyed;
  std::optional<size_t> ownPart;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_RANKROWS_H
