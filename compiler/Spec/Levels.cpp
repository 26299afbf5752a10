//===- Levels.cpp - levels counted from a profile -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileCsv.h"
#include "ProfileField.h"
#include "ProfileReader.h"
#include "SourceText.h"
#include "TermChecker.h"
#include "Text.h"

#include "tamc/Spec/Terms.h"
#include "tamrt/decimal.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tamc::spec {
namespace {

/// Terms whose number of levels is open, factors of te included.
void collectOpen(std::vector<Term> &terms, std::vector<Term *> &open) {
  for (Term &term : terms) {
    if (term.kind == TermKind::Categorical && term.isNone("n_cat"))
      open.push_back(&term);
    collectOpen(term.factors, open);
  }
}

/// Most levels a term may have.
int64_t maximumLevels() {
  return static_cast<int64_t>(
      termInfo(TermKind::Categorical).find("n_cat")->max);
}

/// The data that the terms need of one column.
struct Column {
  std::string name;
  size_t index = 0;
  /// Distinct values as written, and as numbers, with the texts in which they
  /// appeared first, as long as all are numbers.
  llvm::StringSet<> texts;
  std::map<double, std::string> numbers;
  bool allNumbers = true;
  /// The first two numbers that differ but have the same nearest double, and
  /// the row of the second one.
  std::string clash[2], clashRow;
  size_t clashLine = 0;
  /// First row whose value is not a code, and that value.
  size_t badLine = 0;
  std::string badRow, badValue;
  size_t badField = 0;
  double highest = -1;

  void add(const CsvRow &row, const FieldReader &fields);
  void addNumber(double nearest, llvm::StringRef field, const CsvRow &row);
  /// The distinct values: numbers by value, texts as written.
  int64_t levels() const {
    return static_cast<int64_t>(allNumbers ? numbers.size() : texts.size());
  }
};

void Column::add(const CsvRow &row, const FieldReader &fields) {
  std::string buffer;
  llvm::StringRef field = fields.withPoint(row.fields[index], buffer);
  // A value that was seen before: the most frequent case, which must be fast.
  if (texts.contains(field) || field.trim(" \t").empty() ||
      fields.isMissingText(field))
    return;
  texts.insert(field);
  std::optional<double> number = numberOf(field);
  // These are missing values in a column of numbers, and levels in a column of
  // text.
  if (isMissing(field) || (number && !std::isfinite(*number)))
    return;
  if (!number)
    allNumbers = false;
  else if (allNumbers)
    addNumber(*number, field, row);
  bool code = number && *number >= 0 && *number == std::trunc(*number);
  if (code)
    highest = std::max(highest, *number);
  else if (badLine == 0) {
    badLine = row.line;
    badRow = row.text.str();
    badValue = field.str();
  }
}

void Column::addNumber(double nearest, llvm::StringRef field,
                       const CsvRow &row) {
  auto [at, isNew] = numbers.try_emplace(nearest, field.str());
  if (isNew || clashLine != 0 ||
      tamrt::ExactNumber{nearest, at->second} ==
          tamrt::ExactNumber{nearest, field})
    return;
  clash[0] = at->second;
  clash[1] = field.str();
  clashLine = row.line;
  clashRow = row.text.str();
}

/// Counts the levels that a spec's open terms need.
class LevelCounter {
public:
  LevelCounter(llvm::SourceMgr &sources, llvm::MemoryBufferRef profile,
               char separator, std::vector<Term *> open,
               const FieldReader &fields, ProfileReader &others)
      : sources(sources), profile(profile), separator(separator),
        open(std::move(open)), fields(fields), others(others),
        diagnostics(sources) {}

  bool run();

private:
  bool error(size_t line, llvm::StringRef text, const llvm::Twine &message,
             llvm::SourceMgr::DiagKind kind = llvm::SourceMgr::DK_Error);
  bool checkSeparator(const CsvRow &header);
  bool readHeader(const CsvRow &header);
  bool readRows(CsvReader &reader, size_t fieldCount);
  bool apply(Term &term);

  llvm::SourceMgr &sources;
  llvm::MemoryBufferRef profile;
  char separator;
  std::vector<Term *> open;
  const FieldReader &fields;
  ProfileReader &others;
  Diagnostics diagnostics;
  std::vector<Column> columns;
  llvm::StringMap<size_t> columnOf;
};

/// Reports an error in the profile, which is not a buffer of `sources`.
bool LevelCounter::error(size_t line, llvm::StringRef text,
                         const llvm::Twine &message,
                         llvm::SourceMgr::DiagKind kind) {
  // Quote no long line and no text that is not UTF-8.
  text = text.take_front(200);
  if (findNotText(text) != llvm::StringRef::npos)
    text = "";
  sources.PrintMessage(llvm::errs(),
                       llvm::SMDiagnostic(sources, llvm::SMLoc(),
                                          profile.getBufferIdentifier(),
                                          static_cast<int>(line), 0, kind,
                                          message.str(), text, {}));
  return false;
}

/// What is between the fields of a file, for messages.
std::string separatorsOf(char separator) {
  return separator == ','    ? "commas"
         : separator == '\t' ? "tabs"
         : separator == ' '  ? "blanks"
                             : std::string("'") + separator + "'";
}

/// Checks that the header is not a single column whose name has another
/// separator, unless it is a column that is read.
bool LevelCounter::checkSeparator(const CsvRow &header) {
  if (header.fields.size() != 1 || others.hasColumns() ||
      llvm::any_of(open, [&](const Term *term) {
        return term->feature == header.fields[0];
      }))
    return true;
  for (char byte : llvm::StringRef(";\t|,")) {
    if (byte == separator || !header.fields[0].contains(byte))
      continue;
    error(header.line, header.text,
          "expected columns separated by " + separatorsOf(separator) +
              ", got one column");
    return error(header.line, header.text,
                 "--sep " +
                     (byte == '\t' ? std::string("tab")
                                   : std::string("'") + byte + "'") +
                     " reads a file with " +
                     (byte == ';' || byte == '|' ? "a " : "") +
                     separatorsOf(byte) + " between its fields",
                 llvm::SourceMgr::DK_Note);
  }
  return true;
}

bool LevelCounter::readHeader(const CsvRow &header) {
  bool good = true;
  for (Term *term : open) {
    auto [entry, fresh] = columnOf.try_emplace(term->feature, columns.size());
    if (!fresh)
      continue;
    Column &column = columns.emplace_back();
    column.name = term->feature;
    auto first = llvm::find(header.fields, llvm::StringRef(term->feature));
    if (first == header.fields.end()) {
      good = error(header.line, header.text,
                   "expected a column '" + llvm::Twine(term->feature) +
                       "', got none of that name");
      llvm::StringRef near = closest(term->feature, header.fields);
      if (!near.empty())
        error(header.line, header.text, "did you mean '" + near + "'?",
              llvm::SourceMgr::DK_Note);
      diagnostics.note(term->range, "the levels of this term are counted");
      continue;
    }
    column.index = first - header.fields.begin();
    if (llvm::count(header.fields, *first) > 1)
      good = error(header.line, header.text,
                   "expected one column '" + llvm::Twine(term->feature) +
                       "', got several");
  }
  return good;
}

bool LevelCounter::readRows(CsvReader &reader, size_t fieldCount) {
  CsvRow row;
  while (reader.next(row)) {
    if (row.fields.size() != fieldCount)
      return error(row.line, row.text,
                   "expected " + llvm::Twine(fieldCount) +
                       " fields as in the header, got " +
                       llvm::Twine(row.fields.size()));
    others.add(row);
    for (Column &column : columns) {
      column.add(row, fields);
      if (column.levels() > maximumLevels())
        return error(row.line, row.text,
                     "expected at most " + llvm::Twine(maximumLevels()) +
                         " levels of '" + column.name + "', got more");
    }
  }
  if (!reader.error().empty())
    return error(reader.errorLine(), "", reader.error());
  return true;
}

/// Fills in the number of levels of one term.
bool LevelCounter::apply(Term &term) {
  const Column &column = columns[columnOf[term.feature]];
  if (column.levels() == 0) {
    error(1, "", "expected values in column '" + column.name + "', got none");
    diagnostics.note(term.range, "the levels of this term are counted");
    return false;
  }
  if (column.allNumbers && column.clashLine != 0) {
    error(column.clashLine, column.clashRow,
          "expected levels of '" + column.name +
              "' that differ as doubles, got '" + column.clash[0] + "' and '" +
              column.clash[1] +
              "', which have the same nearest double; with a letter in front "
              "they are text");
    diagnostics.note(term.range, "the levels of this term are counted");
    return false;
  }
  int64_t levels = column.levels();
  bool fourier = term.getString("topo") == "fourier";
  if (fourier) {
    bool tooHigh = column.highest >= static_cast<double>(maximumLevels());
    if (column.badLine != 0 || tooHigh) {
      if (tooHigh && column.badLine == 0)
        error(1, "",
              "expected codes below " + llvm::Twine(maximumLevels()) +
                  " in column '" + column.name + "', got " +
                  formatNumber(column.highest));
      else
        error(column.badLine, column.badRow,
              "expected integer codes from 0 in column '" + column.name +
                  "', got '" + column.badValue + "'");
      diagnostics.note(term.range, "topo='fourier' needs codes");
      return false;
    }
    levels = static_cast<int64_t>(column.highest) + 1;
  }
  term.parameters["n_cat"] = levels;
  term.parameters["levels"] = !fourier;
  return checkOrdinalOrder(term, diagnostics, term.range);
}

bool LevelCounter::run() {
  CsvReader reader(profile.getBuffer(), separator);
  CsvRow header;
  if (!reader.next(header))
    return error(reader.errorLine(), "",
                 reader.error().empty() ? "expected a header, got an empty file"
                                        : reader.error());
  // Fields may point into the reader, so the names are compared before the next
  // row.
  size_t fieldCount = header.fields.size();
  for (size_t i = 0; i != fieldCount; ++i)
    if (!header.quoted[i])
      header.fields[i] = header.fields[i].trim(" \t");
  others.readHeader(header);
  if (!checkSeparator(header) || !readHeader(header) ||
      !readRows(reader, fieldCount))
    return false;
  bool good = true;
  for (Term *term : open)
    good &= apply(*term);
  return good;
}

} // namespace

bool resolveLevels(llvm::SourceMgr &sources, ModelSpec &spec,
                   std::optional<llvm::MemoryBufferRef> profile,
                   const ProfileFormat &format) {
  std::vector<Term *> open;
  collectOpen(spec.terms, open);
  const FieldReader fields(format);
  ProfileReader others(
      spec, [&](llvm::StringRef field) { return fields.number(field); });
  if (profile && (!open.empty() || others.isNeeded())) {
    if (!LevelCounter(sources, *profile, format.separator, std::move(open),
                      fields, others)
             .run())
      return false;
    spec.profile = others.find();
    return true;
  }
  if (open.empty())
    return true;
  Diagnostics diagnostics(sources);
  for (const Term *term : open) {
    diagnostics.error(term->range, "expected the number of levels of '" +
                                       term->feature +
                                       "', got neither n_cat nor a profile");
    diagnostics.note(term->range,
                     "write c(" + formatColumn(term->feature) +
                         ", n_cat=N) for codes 0 to N-1, or give "
                         "'--profile train.csv' to count the levels");
  }
  return false;
}

} // namespace tamc::spec
