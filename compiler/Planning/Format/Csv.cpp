//===- Planning/Csv.cpp - problems and plans as comma-separated text ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Csv.h"

#include "Format/ReadSize.h"
#include "Picture/Text.h"
#include "Problem/NameTable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

using namespace tamc::planning;

namespace {

enum Column {
  Name,
  Lower,
  Upper,
  End,
  Size,
  Alignment,
  Offset,
  Hint,
  Gaps,
  SpaceName,
  Spaces,
  Uses,
  Alias,
  Output,
  Device,
  Dtype,
  Stream,
  NumColumns
};

constexpr std::pair<std::string_view, Column> spellings[] = {
    {"id", Name},         {"buffer", Name},
    {"name", Name},       {"lower", Lower},
    {"begin", Lower},     {"start", Lower},
    {"upper", Upper},     {"end", End},
    {"size", Size},       {"alignment", Alignment},
    {"offset", Offset},   {"pin", Offset},
    {"hint", Hint},       {"gaps", Gaps},
    {"space", SpaceName}, {"spaces", Spaces},
    {"uses", Uses},       {"alias", Alias},
    {"output", Output},   {"device", Device},
    {"dtype", Dtype},     {"stream", Stream}};

std::string_view trim(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// The text for a message: without control characters and invalid UTF-8, and
/// shortened.
std::string printable(std::string_view text) {
  std::string shown = "'";
  size_t at = 0;
  while (at < text.size() && at < 40) {
    size_t length = sequenceLength(text.substr(at));
    bool isText = length > 0 && isShown(text.substr(at, length));
    shown += isText ? text.substr(at, length) : "?";
    at += isText ? length : 1;
  }
  return shown + (at < text.size() ? "...'" : "'");
}

/// Splits a text into lines of fields; keeps count of lines.
class Lines {
public:
  explicit Lines(std::string_view text) : rest(text) {
    if (rest.substr(0, 3) == "\xEF\xBB\xBF")
      rest.remove_prefix(3);
  }

  /// The fields of the next line that is not blank; false at the end. Line
  /// ends between quotes belong to their field.
  bool next() {
    line = following;
    while (!rest.empty()) {
      size_t end = std::min(rest.find('\n'), rest.size());
      if (!trim(rest.substr(0, end)).empty()) {
        split();
        return true;
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
      line = ++following;
    }
    return false;
  }

  /// Line of the last fields; the first of them if they span several.
  int64_t line = 1;
  std::vector<std::string> fields;
  /// The error in the quotes of the last fields, and the line of the opening
  /// quote.
  std::string wrong;

private:
  /// Takes one line from `rest`, or more if quotes contain line ends.
  void split() {
    fields.clear();
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (rest.starts_with('"'))
        takeQuoted();
      else
        fields.emplace_back(trim(take(rest.find_first_of(",\n"))));
      if (!rest.starts_with(','))
        break;
      rest.remove_prefix(1);
    }
    rest.remove_prefix(std::min<size_t>(rest.size(), 1));
    ++following;
  }

  /// The start of `rest` up to `end`, or all of it.
  std::string_view take(size_t end) {
    std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(taken.size());
    return taken;
  }

  void takeQuoted() {
    int64_t opened = following;
    std::string &field = fields.emplace_back();
    do {
      rest.remove_prefix(1);
      std::string_view part = take(rest.find('"'));
      following += std::count(part.begin(), part.end(), '\n');
      field += part;
      if (rest.empty()) {
        wrong = "a quote is not closed";
        line = opened;
        return;
      }
      rest.remove_prefix(1);
      if (rest.starts_with('"'))
        field += '"';
    } while (rest.starts_with('"'));
    if (!trim(take(rest.find_first_of(",\n"))).empty() && wrong.empty()) {
      wrong = "expected a comma or the end of the line behind a quoted field";
      line = following;
    }
  }

  std::string_view rest;
  /// The line that `rest` begins on.
  int64_t following = 1;
};

std::optional<int64_t> parse(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

class Reader {
public:
  Reader(std::string_view text, const CsvOptions &options)
      : lines(text), options(options),
        rows(static_cast<size_t>(std::count(text.begin(), text.end(), '\n'))) {}

  std::optional<Diagnostic> readHeader() {
    if (!lines.next())
      return fail("expected a line of column names, got an empty text");
    if (!lines.wrong.empty())
      return fail(lines.wrong);
    columns.fill(-1);
    for (size_t i = 0; i < lines.fields.size(); ++i) {
      std::string name = lines.fields[i];
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      auto found = std::find_if(
          std::begin(spellings), std::end(spellings),
          [&](const auto &spelling) { return spelling.first == name; });
      if (found == std::end(spellings))
        return fail("unknown column " + printable(name));
      if (columns[found->second] >= 0)
        return fail("column " + printable(name) + " is there twice");
      columns[found->second] = static_cast<int>(i);
    }
    width = lines.fields.size();
    return std::nullopt;
  }

  /// The next line; nothing at the end of the text.
  std::optional<Diagnostic> readLine(bool &more) {
    more = lines.next();
    if (!more)
      return std::nullopt;
    if (!lines.wrong.empty())
      return fail(lines.wrong);
    if (lines.fields.size() != width)
      return fail("expected " + std::to_string(width) + " fields, got " +
                  std::to_string(lines.fields.size()));
    return std::nullopt;
  }

  bool has(Column column) const { return columns[column] >= 0; }
  const std::string &text(Column column) const {
    static const std::string none;
    return has(column) ? lines.fields[columns[column]] : none;
  }

  Diagnostic fail(std::string message) const {
    return {std::move(message), lines.line};
  }

  /// A number of 0 or more in the field of `column`.
  std::optional<Diagnostic> number(Column column, const char *what,
                                   int64_t &value) const {
    std::optional<int64_t> parsed = parse(text(column));
    if (!parsed)
      return fail(std::string("expected a whole number below 2^63 as ") + what +
                  ", got " + printable(text(column)));
    if (*parsed < 0)
      return fail(std::string("expected ") + what + " of 0 or more, got " +
                  text(column));
    value = *parsed;
    return std::nullopt;
  }

  /// As above; blank or -1 leaves `value` empty.
  std::optional<Diagnostic> maybe(Column column, const char *what,
                                  std::optional<int64_t> &value) const {
    if (text(column).empty() || text(column) == "-1")
      return std::nullopt;
    int64_t found = 0;
    std::optional<Diagnostic> wrong = number(column, what, found);
    value = found;
    return wrong;
  }

  std::optional<Diagnostic> readBuffer(Problem &problem, Buffer &buffer);
  std::optional<Diagnostic> readGaps(Interval life, Buffer &buffer) const;
  std::optional<Diagnostic> readSpaces(Problem &problem, Buffer &buffer);
  std::optional<Diagnostic> readUses(Buffer &buffer) const;
  int32_t spaceNamed(Problem &problem, const std::string &name);
  std::variant<Problem, Diagnostic> read();

  int64_t line() const { return lines.line; }

private:
  Lines lines;
  CsvOptions options;
  size_t rows; // at most, where the last line has an end
  std::array<int, NumColumns> columns = {};
  size_t width = 0;
  std::map<std::string, int32_t> spaces, classes, kinds;
};

std::optional<Diagnostic> Reader::readGaps(Interval life,
                                           Buffer &buffer) const {
  std::string_view rest = text(Gaps);
  auto wrong = [&](std::string_view gap) {
    return fail("expected a gap like 'lo-hi' or 'lo-hi@wlo:whi', got " +
                printable(gap));
  };
  int64_t from = life.lower;
  while (!(rest = trim(rest)).empty()) {
    size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    std::string_view gap = rest.substr(0, end);
    rest.remove_prefix(end);
    size_t at = gap.find('@');
    std::string_view time = gap.substr(0, at);
    size_t dash = time.find('-', 1);
    if (dash == time.npos)
      return wrong(gap);
    std::optional<int64_t> lower = parse(time.substr(0, dash));
    std::optional<int64_t> upper = parse(time.substr(dash + 1));
    if (!lower || !upper || *lower < 0 || *upper < *lower)
      return wrong(gap);
    if (*lower < from || *upper > life.upper)
      return fail("expected sorted, disjoint gaps within the life, got " +
                  printable(gap));
    if (at != gap.npos) {
      std::string_view window = gap.substr(at + 1);
      size_t colon = window.find(':');
      if (colon == window.npos)
        return wrong(gap);
      std::optional<int64_t> low = parse(window.substr(0, colon));
      std::optional<int64_t> high = parse(window.substr(colon + 1));
      if (!low || !high || *low < 0 || *high < *low)
        return wrong(gap);
      if (*high > buffer.size)
        return fail("expected a window within the size, got " + printable(gap));
      buffer.windows.push_back({{*lower, *upper}, *low, *high});
    }
    if (*lower > from)
      buffer.live.push_back({from, *lower});
    from = *upper;
  }
  if (from < life.upper || buffer.live.empty())
    buffer.live.push_back({from, life.upper});
  return std::nullopt;
}

int32_t Reader::spaceNamed(Problem &problem, const std::string &name) {
  auto [found, fresh] =
      spaces.try_emplace(name, static_cast<int32_t>(spaces.size()));
  if (fresh && found->second > 0)
    problem.spaces.emplace_back();
  if (fresh)
    problem.spaces[found->second].name = name;
  return found->second;
}

std::optional<Diagnostic> Reader::readSpaces(Problem &problem, Buffer &buffer) {
  std::string_view rest = text(Spaces);
  if (rest.empty()) {
    if (has(SpaceName))
      buffer.space = spaceNamed(problem, text(SpaceName));
    else if (has(Spaces))
      return fail("expected spaces like 'sram:0|dram:12', got a blank field");
    return std::nullopt;
  }
  while (true) {
    std::string_view each = trim(rest.substr(0, rest.find('|')));
    size_t colon = each.rfind(':');
    std::optional<int64_t> cost =
        colon == each.npos ? std::nullopt : parse(trim(each.substr(colon + 1)));
    if (!cost || *cost < 0 || trim(each.substr(0, colon)).empty())
      return fail("expected spaces like 'sram:0|dram:12', got " +
                  printable(text(Spaces)));
    int32_t space =
        spaceNamed(problem, std::string(trim(each.substr(0, colon))));
    buffer.choices.push_back({space, *cost});
    if (rest.find('|') == rest.npos)
      break;
    rest.remove_prefix(rest.find('|') + 1);
  }
  // The space of a plan is a pin to it.
  if (!options.ignorePins && !text(SpaceName).empty()) {
    int32_t space = spaceNamed(problem, text(SpaceName));
    std::erase_if(buffer.choices, [&](const SpaceChoice &choice) {
      return choice.space != space;
    });
    if (buffer.choices.empty())
      return fail("expected one of the spaces " + printable(text(Spaces)) +
                  ", got " + printable(text(SpaceName)));
  }
  buffer.space = buffer.choices.front().space;
  return std::nullopt;
}

std::optional<Diagnostic> Reader::readUses(Buffer &buffer) const {
  std::string_view rest = text(Uses);
  while (!(rest = trim(rest)).empty()) {
    size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    std::optional<int64_t> use = parse(rest.substr(0, end));
    if (!use)
      return fail("expected times like '3 9' as uses, got " +
                  printable(text(Uses)));
    buffer.uses.push_back(*use);
    rest.remove_prefix(end);
  }
  return std::nullopt;
}

std::optional<Diagnostic> Reader::readBuffer(Problem &problem, Buffer &buffer) {
  buffer.name = text(Name);
  if (buffer.name.empty())
    return fail("expected a name, got a blank field");
  Interval life;
  if (auto wrong = number(Lower, "the begin", life.lower))
    return wrong;
  Column last = has(Upper) ? Upper : End;
  if (auto wrong = number(last, "the end", life.upper))
    return wrong;
  if (last == End) {
    if (life.upper == std::numeric_limits<int64_t>::max())
      return fail("expected the end below 2^63-1, got " + text(End));
    ++life.upper;
  }
  if (life.upper < life.lower)
    return fail("expected an end not before the begin, got begin " +
                text(Lower) + " and end " + text(last));
  if (isExpression(text(Size))) {
    auto result = readExpression(text(Size), options.binding, problem, buffer);
    if (result)
      return fail(*result);
  } else if (auto wrong = number(Size, "a size", buffer.size)) {
    return wrong;
  }
  if (has(Alignment) && !text(Alignment).empty()) {
    if (auto wrong = number(Alignment, "an alignment", buffer.alignment))
      return wrong;
    if (buffer.alignment < 1)
      return fail("expected an alignment of 1 or more, got " + text(Alignment));
  }
  if (!options.ignorePins)
    if (auto wrong = maybe(Offset, "an offset", buffer.pin))
      return wrong;
  if (auto wrong = maybe(Hint, "a hint", buffer.hint))
    return wrong;
  if (auto wrong = readGaps(life, buffer))
    return wrong;
  if (auto wrong = readSpaces(problem, buffer))
    return wrong;
  if (auto wrong = readUses(buffer))
    return wrong;
  if (!text(Alias).empty() && text(Alias) != "-1")
    buffer.aliasClass =
        classes.try_emplace(text(Alias), static_cast<int32_t>(classes.size()))
            .first->second;
  if (!text(Output).empty() && text(Output) != "0" && text(Output) != "1")
    return fail("expected 0 or 1 as output, got " + printable(text(Output)));
  buffer.output = text(Output) == "1";
  if (has(Device) || has(Dtype) || has(Stream)) {
    std::string kind = text(Device) + '\n' + text(Dtype) + '\n' + text(Stream);
    buffer.kind = kinds.try_emplace(kind, static_cast<int32_t>(kinds.size()))
                      .first->second;
  }
  return std::nullopt;
}

std::variant<Problem, Diagnostic> Reader::read() {
  if (auto wrong = readHeader())
    return *wrong;
  if (!has(Name))
    return fail("expected a column 'id'");
  if (!has(Lower))
    return fail("expected a column 'lower'");
  if (has(Upper) == has(End))
    return fail("expected one of the columns 'upper' and 'end'");
  if (!has(Size))
    return fail("expected a column 'size'");
  Problem problem;
  NameTable seen;
  std::vector<int64_t> line;
  // Reserves memory, because moving a million buffers is slow; but only up to a
  // limit, because a text of many lines may be nonsense.
  constexpr size_t most = size_t(1) << 20;
  problem.buffers.reserve(std::min(rows, most));
  seen.reserve(std::min(rows, most));
  for (bool more = true;;) {
    if (auto wrong = readLine(more))
      return *wrong;
    if (!more)
      break;
    Buffer buffer;
    if (auto wrong = readBuffer(problem, buffer))
      return *wrong;
    int64_t before = seen.insert(problem, buffer.name, problem.buffers.size());
    if (before >= 0)
      return fail("duplicate buffer " + printable(buffer.name) +
                  ", first on line " + std::to_string(line[before]));
    problem.buffers.push_back(std::move(buffer));
    line.push_back(lines.line);
  }
  if (std::optional<Diagnostic> wrong = validateNamed(problem, 1, true)) {
    wrong->line = wrong->buffer < 0 ? 0 : line[wrong->buffer];
    return *wrong;
  }
  return problem;
}

/// The text as a field, quoted if necessary.
std::string field(const std::string &text) {
  if (text.find_first_of(",\" \t\r\n") == text.npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// The values of the columns for a live range: first and last time, and the
/// gaps.
Interval lifeOf(const Buffer &buffer, std::string &gaps) {
  struct Part {
    Interval time;
    const Window *window;
  };
  std::vector<Part> parts;
  for (const Interval &interval : buffer.live)
    parts.push_back({interval, nullptr});
  for (const Window &window : buffer.windows)
    parts.push_back({window.time, &window});
  if (parts.empty())
    return {};
  std::stable_sort(
      parts.begin(), parts.end(),
      [](const Part &a, const Part &b) { return a.time.lower < b.time.lower; });
  Interval life = {parts.front().time.lower, parts.back().time.upper};
  auto append = [&](int64_t lower, int64_t upper) {
    gaps += (gaps.empty() ? "" : " ") + std::to_string(lower) + "-" +
            std::to_string(upper);
  };
  int64_t from = life.lower;
  for (const Part &part : parts) {
    if (part.time.lower > from)
      append(from, part.time.lower);
    if (part.window) {
      append(part.time.lower, part.time.upper);
      gaps += "@" + std::to_string(part.window->lower) + ":" +
              std::to_string(part.window->upper);
    }
    from = part.time.upper;
  }
  return life;
}

} // namespace

std::variant<Problem, Diagnostic>
tamc::planning::readCsv(std::string_view text, const CsvOptions &options) {
  return Reader(text, options).read();
}

std::variant<std::vector<int64_t>, Diagnostic>
tamc::planning::readOffsets(std::string_view text, const Problem &problem,
                            std::vector<int32_t> *spaces) {
  Reader reader(text, {});
  if (auto wrong = reader.readHeader())
    return *wrong;
  if (!reader.has(Name))
    return reader.fail("expected a column 'id'");
  if (!reader.has(Offset))
    return reader.fail("expected a column 'offset'");
  if (!hasChoice(problem))
    spaces = nullptr;
  if (spaces && !reader.has(SpaceName))
    return reader.fail("expected a column 'space'");
  std::unordered_map<std::string_view, int32_t> names;
  for (size_t i = 0; i < problem.spaces.size(); ++i)
    names.emplace(problem.spaces[i].name, static_cast<int32_t>(i));
  if (spaces)
    spaces->assign(problem.buffers.size(), 0);
  std::unordered_map<std::string_view, size_t> index;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    index.emplace(problem.buffers[i].name, i);
  std::vector<int64_t> offsets(problem.buffers.size(), -1);
  for (bool more = true;;) {
    if (auto wrong = reader.readLine(more))
      return *wrong;
    if (!more)
      break;
    auto found = index.find(reader.text(Name));
    if (found == index.end())
      return reader.fail("buffer " + printable(reader.text(Name)) +
                         " is not in the problem");
    if (offsets[found->second] >= 0)
      return reader.fail("duplicate buffer " + printable(reader.text(Name)));
    if (auto wrong = reader.number(Offset, "an offset", offsets[found->second]))
      return *wrong;
    if (!spaces)
      continue;
    auto space = names.find(reader.text(SpaceName));
    if (space == names.end())
      return reader.fail("space " + printable(reader.text(SpaceName)) +
                         " is not in the problem");
    (*spaces)[found->second] = space->second;
  }
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] < 0)
      return Diagnostic{"buffer " + printable(problem.buffers[i].name) +
                            " has no offset in the plan",
                        0, static_cast<int64_t>(i)};
  return offsets;
}

std::string tamc::planning::writeCsv(const Problem &problem,
                                     std::span<const int64_t> offsets,
                                     std::span<const int32_t> chosen) {
  bool alignment = false, pin = !offsets.empty(), hint = false, gaps = false;
  bool alias = false, output = false, kind = false;
  bool choice = hasChoice(problem), uses = false, fixed = !chosen.empty();
  for (const Buffer &buffer : problem.buffers) {
    alignment |= buffer.alignment != 1;
    pin |= buffer.pin.has_value();
    hint |= buffer.hint.has_value();
    gaps |= buffer.live.size() > 1 || !buffer.windows.empty();
    fixed |= buffer.choices.empty();
    uses |= !buffer.uses.empty();
    alias |= buffer.aliasClass >= 0;
    output |= buffer.output;
    kind |= buffer.kind != 0;
  }
  bool space =
      fixed && (problem.spaces.size() > 1 ||
                (!problem.spaces.empty() && !problem.spaces[0].name.empty()));
  std::string text = "id,lower,upper,size";
  for (auto [used, name] :
       {std::pair(alignment, ",alignment"), std::pair(hint, ",hint"),
        std::pair(gaps, ",gaps"), std::pair(choice, ",spaces"),
        std::pair(uses, ",uses"), std::pair(space, ",space"),
        std::pair(alias, ",alias"), std::pair(output, ",output"),
        std::pair(kind, ",dtype"), std::pair(pin, ",offset")})
    if (used)
      text += name;
  text += '\n';
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    std::string holes;
    Interval life = lifeOf(buffer, holes);
    text += field(buffer.name) + ',' + std::to_string(life.lower) + ',' +
            std::to_string(life.upper) + ',';
    text += buffer.expression >= 0
                ? field(problem.expressions[buffer.expression].text())
                : std::to_string(buffer.size);
    auto add = [&](bool used, const std::string &value) {
      if (used)
        text += ',' + value;
    };
    add(alignment, std::to_string(buffer.alignment));
    add(hint, buffer.hint ? std::to_string(*buffer.hint) : "");
    add(gaps, holes);
    std::string list, times;
    for (const SpaceChoice &each : buffer.choices)
      list += (list.empty() ? "" : "|") + problem.spaces[each.space].name +
              ":" + std::to_string(each.cost);
    for (int64_t use : buffer.uses)
      times += (times.empty() ? "" : " ") + std::to_string(use);
    add(choice, field(list));
    add(uses, times);
    if (chosen.empty())
      add(space, buffer.choices.empty()
                     ? field(problem.spaces[buffer.space].name)
                     : "");
    else
      add(space, field(problem.spaces[chosen[i]].name));
    add(alias, buffer.aliasClass < 0 ? "" : std::to_string(buffer.aliasClass));
    add(output, buffer.output ? "1" : "0");
    add(kind, std::to_string(buffer.kind));
    if (pin)
      text += ',' + (!offsets.empty() ? std::to_string(offsets[i])
                     : buffer.pin     ? std::to_string(*buffer.pin)
                                      : std::string());
    text += '\n';
  }
  return text;
}
