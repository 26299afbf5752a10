//===- core/model/Survey.h - surveys of parts of the rows -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a fit must know of all training rows before it sums them, if these are
/// in several files, its *parts*; and the file of it (docs/scale.md).
///
/// A survey keeps what is known of each part, so that surveys are joined in any
/// order to the same one. What follows from all parts, `PartedRows`, is that of
/// one file with the rows of the parts one after another, in the order of their
/// names.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_SURVEY_H
#define TAMRT_CORE_MODEL_SURVEY_H

#include "core/data/Compression.h"
#include "core/data/ExactSum.h"
#include "core/data/Groups.h"
#include "core/data/Levels.h"
#include "core/data/Normalization.h"
#include "core/data/RowReader.h"
#include "core/data/RowSurvey.h"
#include "io/Date.h"
#include "io/Error.h"
#include "io/Safetensors.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The format of a survey's file, as its header says it.
inline constexpr const char *kSurveyFormat = "tamc survey 2";

/// The survey of one part.
struct PartSurvey {
  /// Parts are in the order of their names.
  std::string name;
  Date::Form dateForm = Date::Form::Missing;
  /// Whether rows were dropped, or spellings of groups joined, because values
  /// of the column are numbers: the group column, and those of levels.
  bool dependsOnNumbers = false;
  std::vector<bool> areNumbers;
  /// Texts of the groups, [""] without a group column, and of each column of
  /// levels, in the order of their first appearance.
  std::vector<std::string> groups;
  std::vector<std::vector<std::string>> levels;
  /// By group.
  std::vector<GroupDates> dates;
  /// Groups x inputs; those of levels are empty.
  std::vector<Spread> spreads;
  /// By grid of the model's compression.
  std::vector<bool> onGrid;
  /// By input: of one of TAMRT_RULE_PERIOD_AUTO `hashOfPeriod`, else "". Of
  /// rows of several parts (CondensedSurvey.h) "", too.
  std::vector<std::string> periods;
  /// By group: sums of row weights; none without a weight column.
  std::vector<ExactSum> weights;

  /// Rows in all groups.
  size_t rows() const;
};

/// A hash of a part's distinct values of an input of TAMRT_RULE_PERIOD_AUTO,
/// rounded and sorted.
std::string hashOfPeriod(std::span<const double> values);

/// The survey of some parts, sorted by name.
struct Survey {
  std::vector<PartSurvey> parts;
  /// By input: the distinct values of all parts, sorted, of an input of
  /// TAMRT_RULE_PERIOD_AUTO; else none.
  std::vector<std::vector<double>> periods;
};

/// That of one part, whose rows `reader` has read to their end. `survey` has
/// them. Errors: texts that are not UTF-8.
Result<Survey> surveyOf(const tamrt_model &model, std::string name,
                        const RowReader &reader, bool dependsOnNumbers,
                        RowSurvey &survey);

/// What a survey keeps of the texts of a part.
struct PartTexts {
  Date::Form dateForm = Date::Form::Missing;
  bool dependsOnNumbers = false;
  /// As in PartSurvey.
  std::vector<std::string> groups;
  std::vector<std::vector<std::string>> levels;
};

/// The same of rows from elsewhere; `path` is their name in messages.
Result<Survey> surveyOf(const tamrt_model &model, std::string name,
                        const std::string &path, PartTexts texts,
                        RowSurvey &survey);

/// Adds the parts of `from`, which comes from the file `path`. Errors, with
/// both files: a part that both have. `into` is that of the files before.
Status join(Survey &into, Survey from, const std::string &path);

/// The file's contents.
SafetensorsWriter serialize(const tamrt_model &model, const Survey &survey);

/// Reads a survey of `model` from `file`, which may be a file of sums. Errors:
/// another spec; contents that no survey can have.
Result<Survey> loadSurvey(const tamrt_model &model,
                          const SafetensorsFile &file);

/// Rows of a group that are in one part.
struct GroupPart {
  uint32_t part;
  /// The part's own index of the group.
  uint32_t index;
  /// Number of the group's rows in the parts before.
  size_t first;
  size_t rows;
};

/// The parts of all groups, in the order of the groups.
class GroupParts {
public:
  GroupParts() = default;
  /// With room for `counts[g]` parts of group g.
  explicit GroupParts(std::span<const uint32_t> counts);

  /// Number of groups.
  size_t size() const { return ends.size(); }
  /// Those of a group.
  std::span<const GroupPart> operator[](size_t group) const {
    return {list.data() + begin(group), list.data() + ends[group]};
  }
  std::span<GroupPart> operator[](size_t group) {
    return {list.data() + begin(group), list.data() + ends[group]};
  }

private:
  size_t begin(size_t group) const { return group == 0 ? 0 : ends[group - 1]; }

  std::vector<GroupPart> list;
  std::vector<size_t> ends;
};

/// The rows of all parts.
struct PartedRows {
  GroupOrder order;
  /// By group, in the order of the group's rows.
  GroupParts parts;
  std::vector<size_t> groupRows;
  /// Whether the parts of a group that has several are whole segments of its
  /// rows, but for its last rows, in order: then its sums are those of one
  /// file.
  std::vector<bool> areSegments;
  Normalization normalization;
  /// Mean row weights by group; empty without a weight column.
  std::vector<double> means;
  FitSteps steps;
  size_t rowCount = 0;

  /// Whether the sums of a group are those of one file.
  bool isExact(size_t group) const {
    return parts[group].size() == 1 || areSegments[group];
  }
};

/// What follows from the parts of `survey`, which must outlive it; `path` is
/// the file that it comes from, for messages.
///
/// Errors: dates of two formats; a part whose rows would be others in one file
/// with the other parts; those of `LevelCollector::table`, `normalize` and
/// `meanWeights`.
Result<PartedRows> combine(const tamrt_model &model, const Survey &survey,
                           const std::string &path);

/// What follows for the groups alone: their order, parts and rows. Errors:
/// those of `combine` but for the last three.
Result<PartedRows> combineGroups(const tamrt_model &model, const Survey &survey,
                                 const std::string &path);

/// The spread of an input without levels in a group of all parts.
Spread spreadOf(const tamrt_model &model, const Survey &survey,
                const PartedRows &rows, size_t group, size_t input);

/// The texts of all parts, with which a part is read as one file with them.
struct SurveyedTexts {
  std::vector<std::string> groups;
  std::vector<std::vector<std::string>> levels;
};
SurveyedTexts textsOf(const Survey &survey);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_SURVEY_H
