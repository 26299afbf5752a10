//===- core/model/CondensedSurvey.cpp - parts as one part -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/CondensedSurvey.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tamrt {
namespace {

/// Whether one part with the rows of both says of them what both say.
bool areAlike(const PartSurvey &a, const PartSurvey &b) {
  const bool haveDates = a.dateForm == b.dateForm ||
                         a.dateForm == Date::Form::Missing ||
                         b.dateForm == Date::Form::Missing;
  // Whether values are numbers matters only to parts that depend on it.
  return haveDates && a.dependsOnNumbers == b.dependsOnNumbers &&
         (!a.dependsOnNumbers || a.areNumbers == b.areNumbers);
}

/// The texts of a part that others are added to.
struct TextIndices {
  explicit TextIndices(const PartSurvey &part) : levels(part.levels.size()) {
    for (const std::string &text : part.groups)
      groups.add(text);
    for (size_t i = 0; i < levels.size(); ++i)
      for (const std::string &text : part.levels[i])
        levels[i].add(text);
  }

  TextIndex groups;
  std::vector<TextIndex> levels;
};

/// Adds texts that a list lacks; `index` has the list's. \returns the place of
/// each in the list.
std::vector<size_t> addTexts(std::vector<std::string> &to, TextIndex &index,
                             std::vector<std::string> &texts) {
  std::vector<size_t> places;
  for (std::string &text : texts) {
    places.push_back(index.add(text));
    if (places.back() == to.size())
      to.push_back(std::move(text));
  }
  return places;
}

void add(GroupDates &to, const GroupDates &more) {
  to.areOrdered &= more.areOrdered && to.last <= more.first;
  to.rows += more.rows;
  to.first = std::min(to.first, more.first);
  to.last = std::max(to.last, more.last);
}

/// Adds the rows of a part that is alike; `texts` are those of `to`.
void add(PartSurvey &to, TextIndices &texts, PartSurvey more) {
  if (to.dateForm == Date::Form::Missing)
    to.dateForm = more.dateForm;
  for (size_t i = 0; i < to.areNumbers.size(); ++i)
    to.areNumbers[i] = to.areNumbers[i] && more.areNumbers[i];
  for (size_t i = 0; i < to.levels.size(); ++i)
    addTexts(to.levels[i], texts.levels[i], more.levels[i]);
  const size_t inputs = more.spreads.size() / more.groups.size();
  const std::vector<size_t> places =
      addTexts(to.groups, texts.groups, more.groups);
  for (size_t g = 0; g < places.size(); ++g) {
    const size_t place = places[g];
    const Spread *const spreads = more.spreads.data() + g * inputs;
    if (place == to.dates.size()) {
      to.dates.push_back(more.dates[g]);
      to.spreads.insert(to.spreads.end(), spreads, spreads + inputs);
      if (!more.weights.empty())
        to.weights.push_back(more.weights[g]);
      continue;
    }
    add(to.dates[place], more.dates[g]);
    for (size_t i = 0; i < inputs; ++i)
      to.spreads[place * inputs + i].add(spreads[i]);
    if (!more.weights.empty())
      to.weights[place].add(more.weights[g]);
  }
  // There are no hashes of the values of both.
  to.periods.assign(to.periods.size(), "");
  for (size_t i = 0; i < to.onGrid.size(); ++i)
    to.onGrid[i] = to.onGrid[i] && more.onGrid[i];
}

} // namespace

void condense(Survey &survey) {
  std::vector<PartSurvey> few;
  // Of the last one, once another part has been added to it.
  std::optional<TextIndices> texts;
  for (PartSurvey &part : survey.parts)
    if (!few.empty() && areAlike(few.back(), part)) {
      if (!texts)
        texts.emplace(few.back());
      add(few.back(), *texts, std::move(part));
    } else {
      few.push_back(std::move(part));
      texts.reset();
    }
  survey.parts = std::move(few);
}

} // namespace tamrt
