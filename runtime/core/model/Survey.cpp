//===- core/model/Survey.cpp - surveys of parts of the rows ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Survey.h"

#include "core/model/ModelFile.h"
#include "io/Sha256.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace tamrt {
namespace {

using nlohmann::json;

constexpr std::pair<Date::Form, const char *> kDateForms[] = {
    {Date::Form::Missing, "none"},
    {Date::Form::Number, "number"},
    {Date::Form::Local, "local"},
    {Date::Form::Zoned, "zoned"}};

const char *nameOf(Date::Form form) {
  for (auto [each, name] : kDateForms)
    if (each == form)
      return name;
  return "";
}

constexpr auto kDigits = int64_t(ExactSum::kDigits);

bool isPeriodic(const tamrt_model &model, size_t input) {
  return model.inputs[input].rule == TAMRT_RULE_PERIOD_AUTO;
}

std::string periodsOf(size_t input) {
  return "periods." + std::to_string(input);
}

std::vector<std::string> listOf(const TextIndex &texts) {
  std::vector<std::string> list;
  for (uint32_t id = 0; id < texts.size(); ++id)
    list.emplace_back(texts[id]);
  return list;
}

/// The tensors that all surveys have, and those of models with row weights or
/// grids.
template <template <class> class Numbers> struct SurveyTensors {
  Numbers<int64_t> rows, dates, weights;
  Numbers<uint8_t> ordered, integers, grids;
  Numbers<double> spreads;

  /// Calls visit(name, shape, numbers) for each tensor of a survey of `pairs`
  /// groups of `parts` parts, until that fails.
  template <class Visit>
  Status forEach(const tamrt_model &model, int64_t pairs, int64_t parts,
                 const Visit &visit) {
    using Shape = std::vector<int64_t>;
    const int64_t inputs = model.input_count;
    Status status = visit("rows", Shape{pairs}, rows);
    auto then = [&](const char *name, const Shape &shape, auto &numbers) {
      if (status)
        status = visit(name, shape, numbers);
    };
    then("dates", {pairs, 4}, dates);
    then("ordered", {pairs}, ordered);
    then("spreads", {pairs, inputs, 2}, spreads);
    then("integers", {pairs, inputs}, integers);
    if (model.weights)
      then("weights", {pairs, kDigits}, weights);
    if (model.compression)
      then("grids", {parts, model.compression->grid_count}, grids);
    return status;
  }
};

template <class T> using NumberList = std::vector<T>;

/// Whether the values of a column of levels are numbers.
bool areNumbers(const std::vector<std::string> &texts) {
  LevelCollector levels(std::numeric_limits<uint32_t>::max());
  for (const std::string &text : texts)
    levels.add(text);
  return levels.areNumbers();
}

} // namespace

std::string hashOfPeriod(std::span<const double> values) {
  return sha256(viewOf(std::as_bytes(values)));
}

size_t PartSurvey::rows() const {
  size_t rows = 0;
  for (const GroupDates &group : dates)
    rows += group.rows;
  return rows;
}

Result<Survey> surveyOf(const tamrt_model &model, std::string name,
                        const RowReader &reader, bool dependsOnNumbers,
                        RowSurvey &survey) {
  const ModelColumns &columns = reader.columns();
  PartTexts texts = {reader.dateForm(), dependsOnNumbers, {}, {}};
  texts.groups =
      columns.group ? listOf(reader.groups()) : std::vector<std::string>{""};
  for (size_t i = 0; i < columns.levels.size(); ++i)
    texts.levels.push_back(listOf(reader.levels(i)));
  return surveyOf(model, std::move(name), reader.path(), std::move(texts),
                  survey);
}

Result<Survey> surveyOf(const tamrt_model &model, std::string name,
                        const std::string &path, PartTexts texts,
                        RowSurvey &survey) {
  PartSurvey part;
  part.name = std::move(name);
  part.dateForm = texts.dateForm;
  part.dependsOnNumbers = texts.dependsOnNumbers;
  part.groups = std::move(texts.groups);
  part.levels = std::move(texts.levels);
  if (model.group) {
    TextIndex groups;
    for (const std::string &text : part.groups)
      groups.add(text);
    part.areNumbers.push_back(areNumbers(groups));
  }
  for (const std::vector<std::string> &list : part.levels)
    part.areNumbers.push_back(areNumbers(list));
  part.dates = survey.groups();
  part.weights = survey.weightSums();
  const auto inputs = size_t(model.input_count);
  for (size_t g = 0; g < part.dates.size(); ++g)
    for (size_t i = 0; i < inputs; ++i)
      part.spreads.push_back(model.inputs[i].rule == TAMRT_RULE_LEVELS
                                 ? Spread()
                                 : survey.spread(g, i));
  if (model.compression)
    for (size_t i = 0; i < size_t(model.compression->grid_count); ++i)
      part.onGrid.push_back(survey.isOnGrid(i));
  bool isGood = isUtf8(part.name);
  if (!isGood)
    return Error{path + ": expected a name in UTF-8 for the part"};
  for (const std::string &group : part.groups)
    isGood &= isUtf8(group);
  for (const std::vector<std::string> &list : part.levels)
    for (const std::string &text : list)
      isGood &= isUtf8(text);
  if (!isGood)
    return Error{path + ": expected groups and levels in UTF-8"};
  Survey one;
  for (size_t i = 0; i < inputs; ++i) {
    one.periods.emplace_back();
    part.periods.emplace_back();
    if (isPeriodic(model, i)) {
      const std::span<const double> values = survey.period(i).values();
      one.periods.back().assign(values.begin(), values.end());
      part.periods.back() = hashOfPeriod(values);
    }
  }
  one.parts.push_back(std::move(part));
  return one;
}

Status join(Survey &into, Survey from, const std::string &path) {
  for (PartSurvey &part : from.parts) {
    const auto at = std::lower_bound(
        into.parts.begin(), into.parts.end(), part.name,
        [](const PartSurvey &a, const std::string &b) { return a.name < b; });
    if (at != into.parts.end() && at->name == part.name)
      return Error{path + ": part '" + part.name +
                   "': expected parts that the other surveys lack; survey "
                   "--part gives a part another name"};
    into.parts.insert(at, std::move(part));
  }
  if (into.periods.empty())
    into.periods.resize(from.periods.size());
  for (size_t i = 0; i < from.periods.size(); ++i) {
    std::vector<double> all;
    std::set_union(into.periods[i].begin(), into.periods[i].end(),
                   from.periods[i].begin(), from.periods[i].end(),
                   std::back_inserter(all));
    into.periods[i] = std::move(all);
  }
  return {};
}

SafetensorsWriter serialize(const tamrt_model &model, const Survey &survey) {
  SafetensorsWriter writer;
  addSpec(writer, model, kSurveyFormat);
  std::string parts;
  SurveyTensors<NumberList> all;
  size_t pairs = 0;
  for (const PartSurvey &part : survey.parts)
    pairs += part.dates.size();
  auto reserve = [](const char *, const std::vector<int64_t> &shape,
                    auto &numbers) -> Status {
    numbers.reserve(std::accumulate(shape.begin(), shape.end(), size_t(1),
                                    std::multiplies<size_t>()));
    return {};
  };
  (void)all.forEach(model, int64_t(pairs), int64_t(survey.parts.size()),
                    reserve);
  auto addDate = [&](const RowDate &date) {
    all.dates.push_back(date.key);
    all.dates.push_back(int64_t(date.fraction));
  };
  for (const PartSurvey &part : survey.parts) {
    parts += parts.empty() ? '[' : ',';
    // The keys are sorted. A part may have many groups, so a tree of JSON is
    // made of one text at a time.
    parts += "{\"dates\":" + json(nameOf(part.dateForm)).dump() +
             ",\"depends_on_numbers\":" + json(part.dependsOnNumbers).dump() +
             ",\"groups\":";
    appendJson(part.groups, parts);
    parts += ",\"levels\":[";
    for (const std::vector<std::string> &list : part.levels) {
      if (&list != part.levels.data())
        parts += ',';
      appendJson(list, parts);
    }
    parts += "],\"name\":" + json(part.name).dump() +
             ",\"numbers\":" + json(part.areNumbers).dump() + ",\"periods\":";
    appendJson(part.periods, parts);
    parts += '}';
    for (const GroupDates &group : part.dates) {
      all.rows.push_back(int64_t(group.rows));
      addDate(group.first);
      addDate(group.last);
      all.ordered.push_back(group.areOrdered);
    }
    for (const Spread &spread : part.spreads) {
      // Of levels there are none; the file has no infinities.
      const bool isNone = spread.lo > spread.hi;
      all.spreads.push_back(isNone ? 0 : spread.lo);
      all.spreads.push_back(isNone ? 0 : spread.hi);
      all.integers.push_back(spread.integers);
    }
    for (const bool is : part.onGrid)
      all.grids.push_back(is);
    for (const ExactSum &sum : part.weights)
      for (uint64_t digit : sum.canonical())
        all.weights.push_back(int64_t(digit));
  }
  writer.metadata("parts", parts + "]");
  auto add = [&]<class T>(const char *name, const std::vector<int64_t> &shape,
                          std::vector<T> &numbers) -> Status {
    writer.add<T>(name, shape, std::move(numbers));
    return {};
  };
  (void)all.forEach(model, int64_t(pairs), int64_t(survey.parts.size()), add);
  for (size_t i = 0; i < survey.periods.size(); ++i)
    if (isPeriodic(model, i))
      writer.add<double>(periodsOf(i), {int64_t(survey.periods[i].size())},
                         survey.periods[i]);
  return writer;
}

namespace {

/// Whether no two texts are equal.
bool areDistinct(const std::vector<std::string> &texts) {
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Reads one entry of the list of parts.
Result<PartSurvey> partOf(const json &entry, const std::string &place,
                          const ModelColumns &columns) {
  PartSurvey part;
  const Error bad = {place + ": expected a part with name, dates, numbers, "
                             "groups, levels and periods"};
  const json &name = member(entry, "name"), &dates = member(entry, "dates"),
             &depends = member(entry, "depends_on_numbers"),
             &numbers = member(entry, "numbers"),
             &levels = member(entry, "levels"),
             &periods = member(entry, "periods");
  if (!name.is_string() || !dates.is_string() || !depends.is_boolean() ||
      !numbers.is_array() || !levels.is_array() || !periods.is_array())
    return bad;
  part.name = name.get<std::string>();
  part.dependsOnNumbers = depends.get<bool>();
  const auto form = std::find_if(
      std::begin(kDateForms), std::end(kDateForms), [&](const auto &each) {
        return dates.get<std::string>() == each.second;
      });
  if (form == std::end(kDateForms))
    return bad;
  part.dateForm = form->first;
  for (const json &is : numbers) {
    if (!is.is_boolean())
      return bad;
    part.areNumbers.push_back(is.get<bool>());
  }
  Result<std::vector<std::string>> groups =
      stringList(member(entry, "groups"), place + ": groups");
  if (!groups)
    return std::move(groups).error();
  part.groups = *std::move(groups);
  for (const json &list : levels) {
    Result<std::vector<std::string>> texts =
        stringList(list, place + ": levels");
    if (!texts)
      return std::move(texts).error();
    part.levels.push_back(*std::move(texts));
  }
  Result<std::vector<std::string>> hashes =
      stringList(periods, place + ": periods");
  if (!hashes)
    return std::move(hashes).error();
  part.periods = *std::move(hashes);
  if (part.levels.size() != columns.levels.size() ||
      part.periods.size() != columns.inputs.size() ||
      part.areNumbers.size() != part.levels.size() + size_t(!!columns.group) ||
      part.groups.empty() || !areDistinct(part.groups) ||
      (!columns.group && part.groups != std::vector<std::string>{""}))
    return bad;
  return part;
}

/// The tensors of a survey, whose groups of all parts are `pairs`.
Status fillParts(const tamrt_model &model, const SafetensorsFile &file,
                 Survey &survey, size_t pairs) {
  const std::string &path = file.path();
  SurveyTensors<SafetensorsFile::View> all;
  auto find = [&]<class T>(const char *name, const std::vector<int64_t> &shape,
                           SafetensorsFile::View<T> &numbers) -> Status {
    Result<SafetensorsFile::View<T>> found = file.view<T>(name, shape);
    if (!found)
      return std::move(found).error();
    numbers = *found;
    return {};
  };
  if (Status s = all.forEach(model, int64_t(pairs),
                             int64_t(survey.parts.size()), find);
      !s)
    return s;
  for (size_t i = 0; model.weights && i < all.weights.size(); ++i)
    if (all.weights[i] < 0 || all.weights[i] > int64_t(0xffffffff))
      return Error{path + ": tensor 'weights': expected digits of 32 bits"};
  const size_t gridCount =
      model.compression ? size_t(model.compression->grid_count) : 0;
  const auto width = size_t(model.input_count);
  size_t at = 0;
  for (size_t p = 0; p < survey.parts.size(); ++p) {
    PartSurvey &part = survey.parts[p];
    part.dates.reserve(part.groups.size());
    part.spreads.reserve(part.groups.size() * width);
    for (size_t g = 0; g < part.groups.size(); ++g, ++at) {
      auto date = [&](size_t i) {
        return RowDate{all.dates[4 * at + i],
                       uint64_t(all.dates[4 * at + i + 1])};
      };
      const GroupDates of = {size_t(all.rows[at]), date(0), date(2),
                             all.ordered[at] != 0};
      // Far more rows than there are would overflow sums of rows.
      if (all.rows[at] < 1 || all.rows[at] > (int64_t(1) << 48) ||
          of.last < of.first)
        return Error{path +
                     ": tensors 'rows' and 'dates': expected rows, and "
                     "the earlier date first, of part '" +
                     part.name + "'"};
      part.dates.push_back(of);
      if (model.weights) {
        ExactSum::Digits digits;
        for (size_t i = 0; i < digits.size(); ++i)
          digits[i] = uint64_t(all.weights[at * digits.size() + i]);
        part.weights.push_back(ExactSum::of(digits));
      }
      for (size_t i = 0; i < width; ++i) {
        const size_t k = at * width + i;
        const double lo = all.spreads[2 * k], hi = all.spreads[2 * k + 1];
        if (!std::isfinite(lo) || !std::isfinite(hi) || lo > hi)
          return Error{path +
                       ": tensor 'spreads': expected finite numbers, "
                       "the lower one first, of part '" +
                       part.name + "'"};
        part.spreads.push_back(model.inputs[i].rule == TAMRT_RULE_LEVELS
                                   ? Spread()
                                   : Spread{lo, hi, all.integers[k] != 0});
      }
    }
    for (size_t i = 0; i < gridCount; ++i)
      part.onGrid.push_back(all.grids[p * gridCount + i] != 0);
  }
  return {};
}

} // namespace

Result<Survey> loadSurvey(const tamrt_model &model,
                          const SafetensorsFile &file) {
  if (Status s = checkSpec(model, file, "a survey"); !s)
    return std::move(s).error();
  if (!file.isChecked())
    return Error{file.path() + ": damaged: expected a checksum, got none"};
  Result<json> parts = jsonEntry(file, "parts");
  if (!parts)
    return std::move(parts).error();
  const std::string place = file.path() + ": metadata 'parts'";
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  Survey survey;
  size_t pairs = 0;
  if (parts->is_array())
    for (const json &entry : *parts) {
      Result<PartSurvey> part = partOf(entry, place, columns);
      if (!part)
        return std::move(part).error();
      if (!survey.parts.empty() && !(survey.parts.back().name < part->name))
        return Error{place + ": expected parts in the order of their names"};
      pairs += part->groups.size();
      survey.parts.push_back(*std::move(part));
    }
  if (survey.parts.empty())
    return Error{place + ": expected a list of parts"};
  // Their texts may be many.
  *parts = {};
  if (Status s = fillParts(model, file, survey, pairs); !s)
    return std::move(s).error();
  for (size_t i = 0; i < size_t(model.input_count); ++i) {
    survey.periods.emplace_back();
    if (!isPeriodic(model, i))
      continue;
    const int64_t any[] = {-1};
    Result<std::vector<double>> values = file.values<double>(periodsOf(i), any);
    if (!values)
      return std::move(values).error();
    for (size_t k = 0; k < values->size(); ++k)
      if (!std::isfinite((*values)[k]) ||
          (k > 0 && !((*values)[k - 1] < (*values)[k])))
        return Error{file.path() + ": tensor '" + periodsOf(i) +
                     "': expected ascending finite numbers"};
    survey.periods.back() = *std::move(values);
  }
  return survey;
}

namespace {

/// The texts of all parts, each once, in the order of the parts.
TextIndex groupsOf(const Survey &survey) {
  TextIndex all;
  for (const PartSurvey &part : survey.parts)
    for (const std::string &text : part.groups)
      all.add(text);
  return all;
}
TextIndex levelsOf(const Survey &survey, size_t column) {
  TextIndex all;
  for (const PartSurvey &part : survey.parts)
    for (const std::string &text : part.levels[column])
      all.add(text);
  return all;
}

} // namespace

SurveyedTexts textsOf(const Survey &survey) {
  SurveyedTexts all = {listOf(groupsOf(survey)), {}};
  for (size_t i = 0; i < survey.parts.front().levels.size(); ++i)
    all.levels.push_back(listOf(levelsOf(survey, i)));
  return all;
}

namespace {

/// Checks that the parts would be read alike in one file.
Status checkAlike(const tamrt_model &model, const Survey &survey,
                  const std::string &path, const TextIndex &groups) {
  const PartSurvey *dated = nullptr;
  for (const PartSurvey &part : survey.parts) {
    if (part.dateForm == Date::Form::Missing)
      continue;
    if (dated && dated->dateForm != part.dateForm)
      return Error{path + ": part '" + part.name +
                   "': expected dates of one format, got format '" +
                   nameOf(part.dateForm) + "' and in part '" + dated->name +
                   "' '" + nameOf(dated->dateForm) + "'"};
    dated = &part;
  }
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  auto check = [&](size_t column, bool areAll, const char *name) -> Status {
    for (const PartSurvey &part : survey.parts)
      if (part.areNumbers[column] != areAll &&
          (part.dependsOnNumbers || areAll))
        return Error{path + ": part '" + part.name + "': column '" + name +
                     "': expected values of one kind in all parts, got " +
                     (areAll ? "text, and numbers in others"
                             : "numbers, and text in others") +
                     "; declare texts that are missing values (--missing), or "
                     "fit the rows as one file"};
    return {};
  };
  size_t column = 0;
  if (columns.group)
    if (Status s = check(column++, areNumbers(groups), model.group); !s)
      return s;
  for (size_t i = 0; i < columns.levels.size(); ++i) {
    const char *name = "";
    for (size_t k = 0; k < columns.inputs.size(); ++k)
      if (model.inputs[k].rule == TAMRT_RULE_LEVELS && columns.inputs[k] == i)
        name = model.inputs[k].column;
    const std::vector<std::string> texts = listOf(levelsOf(survey, i));
    if (Status s = check(column++, areNumbers(texts), name); !s)
      return s;
  }
  return {};
}

/// Sorts the parts of a group by date, those with equal dates by name, and
/// counts the rows before each. \returns whether they are whole segments.
bool arrangeParts(const Survey &survey, std::span<GroupPart> parts) {
  auto dates = [&](const GroupPart &part) -> const GroupDates & {
    return survey.parts[part.part].dates[part.index];
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const GroupPart &a, const GroupPart &b) {
                     return dates(a).first < dates(b).first;
                   });
  bool areSegments = true;
  size_t rows = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].first = rows;
    areSegments &= rows % TAMRT_SEGMENT_ROWS == 0;
    rows += parts[i].rows;
    if (i == 0)
      continue;
    // Rows with equal dates are in the order of their parts' names.
    const auto order = dates(parts[i - 1]).last <=> dates(parts[i]).first;
    areSegments &=
        order < 0 || (order == 0 && parts[i - 1].part < parts[i].part);
  }
  return areSegments;
}

/// Finds the parts of each group, in the order of the parts. `groups` are the
/// texts of all.
Status findParts(const tamrt_model &model, const Survey &survey,
                 const std::string &path, TextIndex &groups, PartedRows &all) {
  const size_t count = all.order.names.size();
  // First how many parts each group has.
  std::vector<uint32_t> counts(count);
  auto forEach = [&](const auto &body) -> Status {
    for (size_t p = 0; p < survey.parts.size(); ++p) {
      const PartSurvey &part = survey.parts[p];
      for (size_t g = 0; g < part.groups.size(); ++g) {
        const size_t place =
            model.group ? all.order.places[groups.add(part.groups[g])] : 0;
        if (place >= count)
          return Error{path + ": part '" + part.name +
                       "': expected groups that are numbers, got '" +
                       part.groups[g] + "'"};
        body(place, p, g);
      }
    }
    return {};
  };
  if (Status s =
          forEach([&](size_t place, size_t, size_t) { ++counts[place]; });
      !s)
    return s;
  all.parts = GroupParts(counts);
  std::fill(counts.begin(), counts.end(), 0);
  return forEach([&](size_t place, size_t p, size_t g) {
    all.parts[place][counts[place]++] = {uint32_t(p), uint32_t(g), 0,
                                         survey.parts[p].dates[g].rows};
  });
}

} // namespace

GroupParts::GroupParts(std::span<const uint32_t> counts) {
  size_t end = 0;
  ends.reserve(counts.size());
  for (uint32_t count : counts)
    ends.push_back(end += count);
  list.resize(end);
}

Spread spreadOf(const tamrt_model &model, const Survey &survey,
                const PartedRows &rows, size_t group, size_t input) {
  const auto inputs = size_t(model.input_count);
  Spread spread;
  for (const GroupPart &part : rows.parts[group])
    spread.add(survey.parts[part.part].spreads[part.index * inputs + input]);
  return spread;
}

Result<PartedRows> combineGroups(const tamrt_model &model, const Survey &survey,
                                 const std::string &path) {
  PartedRows all;
  {
    TextIndex groups = groupsOf(survey);
    if (Status s = checkAlike(model, survey, path, groups); !s)
      return std::move(s).error();
    all.order = sortGroups(groups, model.group != nullptr);
    if (Status s = findParts(model, survey, path, groups, all); !s)
      return std::move(s).error();
  }
  const size_t count = all.order.names.size();
  all.areSegments.reserve(count);
  all.groupRows.reserve(count);
  for (size_t g = 0; g < count; ++g) {
    const std::span<GroupPart> parts = all.parts[g];
    all.areSegments.push_back(arrangeParts(survey, parts));
    all.groupRows.push_back(parts.back().first + parts.back().rows);
    all.rowCount += all.groupRows.back();
  }
  return all;
}

Result<PartedRows> combine(const tamrt_model &model, const Survey &survey,
                           const std::string &path) {
  Result<PartedRows> groups = combineGroups(model, survey, path);
  if (!groups)
    return std::move(groups).error();
  PartedRows all = *std::move(groups);
  const size_t count = all.order.names.size();
  const auto inputs = size_t(model.input_count);
  auto spread = [&](size_t group, size_t input) {
    return spreadOf(model, survey, all, group, input);
  };
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  std::vector<LevelTable> levels(inputs);
  for (size_t i = 0; i < inputs; ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    LevelCollector collector(size_t(input.levels));
    for (const std::string &text : listOf(levelsOf(survey, columns.inputs[i])))
      collector.add(text);
    Result<LevelTable> table = collector.table(path, input.column);
    if (!table)
      return std::move(table).error();
    levels[i] = *std::move(table);
  }
  auto nameAt = [&](size_t g) { return all.order.names[g]; };
  Result<Normalization> normalization =
      normalize(model,
                {count, nameAt, spread,
                 [&](size_t input, double &lo, double &hi) {
                   const std::vector<double> &values = survey.periods[input];
                   return periodOf(values.data(), values.size(), lo, hi);
                 }},
                std::move(levels));
  if (!normalization)
    return Error{path + ": " + normalization.error().message};
  all.normalization = *std::move(normalization);
  if (model.weights) {
    std::vector<ExactSum> sums(count);
    for (size_t g = 0; g < count; ++g)
      for (const GroupPart &part : all.parts[g])
        sums[g].add(survey.parts[part.part].weights[part.index]);
    Result<std::vector<double>> means =
        meanWeights(model, nameAt, sums, all.groupRows);
    if (!means)
      return Error{path + ": " + means.error().message};
    all.means = *std::move(means);
  }
  all.steps = chooseSteps(
      model, all.normalization,
      [&](size_t grid) {
        return std::all_of(
            survey.parts.begin(), survey.parts.end(),
            [&](const PartSurvey &part) { return part.onGrid[grid]; });
      },
      [&](size_t group, size_t grid) {
        return spread(group, size_t(model.compression->grids[grid].input));
      });
  return all;
}

} // namespace tamrt
