//===- app/SplitRows.cpp - split ------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Parts.h"
#include "core/data/RowParts.h"
#include "core/run/PartFit.h"
#include "core/run/StreamedRows.h"
#include "io/AtomicFile.h"
#include "io/CsvBlocks.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace tamrt {
namespace {

/// Bytes of a part that are written at once: at most, and at least; bytes of
/// all parts.
constexpr size_t kMostBuffer = size_t(1) << 16, kLeastBuffer = size_t(1) << 12,
                 kBuffers = size_t(1) << 24;
/// Most parts whose files are open.
constexpr size_t kOpenFiles = 32;

/// Rows of a group up to one of them, and their part.
struct Piece {
  size_t end;
  size_t part;
};

/// Divides the rows of each group into pieces of at most `most` parts of about
/// as many rows: whole segments of rows that are in the order of their dates,
/// else whole groups. Sets the number of parts.
std::vector<std::vector<Piece>> divide(const tamrt_model &model,
                                       const Survey &survey,
                                       const PartedRows &rows,
                                       const Options &options, size_t &parts) {
  auto isWhole = [&](size_t group) {
    return options.wholeGroups || model.carry_bytes > 0 ||
           !survey.parts.front()
                .dates[rows.parts[group].front().index]
                .areOrdered;
  };
  std::vector<std::vector<Piece>> pieces(rows.groupRows.size());
  size_t last = 0;
  parts = 0;
  for (const PartRange &range :
       divideRows(rows.groupRows, size_t(options.parts), isWhole)) {
    // Parts without rows have no number.
    if (parts == 0 || range.part != last)
      ++parts;
    last = range.part;
    pieces[range.group].push_back({range.first + range.rows, parts - 1});
  }
  return pieces;
}

/// A part under way.
class PartFile {
public:
  static Result<PartFile> create(const std::string &path, std::string header) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file)
      return std::move(file).error();
    return PartFile(*std::move(file), std::move(header));
  }

  std::string &text() { return buffer; }
  Status flush() {
    Status written = file.write(buffer);
    buffer.clear();
    return written;
  }
  Status suspend() { return file.suspend(); }
  Status commit() { return file.commit(); }

private:
  PartFile(AtomicFile file, std::string header)
      : file(std::move(file)), buffer(std::move(header)) {}

  AtomicFile file;
  std::string buffer;
};

/// All parts. Only some have open files, those that were written last: rows in
/// the order of the parts open each once.
class PartFiles {
public:
  static Result<PartFiles> create(const std::string &folder, size_t count,
                                  const std::string &header) {
    PartFiles all;
    const size_t digits = std::to_string(count).size();
    for (size_t i = 0; i < count; ++i) {
      Result<PartFile> part = PartFile::create(
          fmt::format("{}/part-{:0{}}.csv", folder, i + 1, digits), header);
      if (!part)
        return std::move(part).error();
      if (Status s = part->suspend(); !s)
        return std::move(s).error();
      all.parts.push_back(*std::move(part));
    }
    all.bufferBytes = std::clamp(kBuffers / std::max<size_t>(count, 1),
                                 kLeastBuffer, kMostBuffer);
    return all;
  }

  std::string &text(size_t part) { return parts[part].text(); }

  /// Writes the text of a part if there is much.
  Status flush(size_t part) {
    if (parts[part].text().size() < bufferBytes)
      return {};
    if (const auto at = std::find(open.begin(), open.end(), part);
        at != open.end())
      open.erase(at);
    open.push_back(part);
    if (open.size() > kOpenFiles) {
      if (Status s = parts[open.front()].suspend(); !s)
        return s;
      open.erase(open.begin());
    }
    return parts[part].flush();
  }

  /// All are complete before one of them appears.
  Status commit() {
    for (PartFile &part : parts) {
      if (Status s = part.flush(); !s)
        return s;
      if (Status s = part.suspend(); !s)
        return s;
    }
    for (PartFile &part : parts)
      if (Status s = part.commit(); !s)
        return s;
    return {};
  }

private:
  PartFiles() = default;

  std::vector<PartFile> parts;
  /// In the order of their last use.
  std::vector<size_t> open;
  size_t bufferBytes = 0;
};

void addQuoted(std::string &to, std::string_view text) {
  to += '"';
  for (char c : text) {
    if (c == '"')
      to += '"';
    to += c;
  }
  to += '"';
}

/// The file's header, with each name in quotes.
std::string headerOf(const CsvBlocks &file) {
  std::string header;
  for (const std::string &name : file.names()) {
    if (&name != file.names().data())
      header += file.format().separator;
    addQuoted(header, name);
  }
  return header + "\n";
}

/// Adds a row of a block, of `columns` fields, as it was read.
void addRow(const CsvBlock &block, size_t row, size_t columns,
            std::string &to) {
  for (size_t i = 0; i < columns; ++i) {
    if (i > 0)
      to += block.csvFormat().separator;
    const std::string_view raw = block.raw(row, i);
    // A line of one empty field could be one that is skipped.
    if (!raw.empty() ? raw.front() == '"' : columns == 1)
      addQuoted(to, block.field(row, i));
    else
      to += raw;
  }
  to += '\n';
}

/// Copies the rows of a file, in their order, to parts.
class RowCopy {
public:
  RowCopy(CsvBlocks file, PartFiles &parts)
      : file(std::move(file)), parts(parts) {}

  /// Copies the rows up to row `end` of the file to `part`.
  Status copyTo(size_t end, size_t part) {
    for (; next < end; ++next) {
      while (at == block.rowCount()) {
        Result<bool> more = read();
        if (!more || !*more)
          return more ? changed() : std::move(more).error();
      }
      addRow(block, at++, file.names().size(), parts.text(part));
      if (Status s = parts.flush(part); !s)
        return s;
    }
    return {};
  }

  /// Copies the rows that are left to `part`.
  Status finish(size_t part) {
    while (true) {
      if (at < block.rowCount()) {
        if (Status s = copyTo(next + (block.rowCount() - at), part); !s)
          return s;
        continue;
      }
      Result<bool> more = read();
      if (!more)
        return std::move(more).error();
      if (!*more)
        return {};
    }
  }

private:
  Result<bool> read() {
    Result<bool> more = file.read(block);
    at = 0;
    if (!more || !*more)
      return more;
    block.scan();
    if (block.fault())
      return file.describe(block);
    return true;
  }
  Error changed() const {
    return Error{file.path() + ": expected the rows that were read before, "
                               "got fewer: the file has changed meanwhile"};
  }

  CsvBlocks file;
  PartFiles &parts;
  CsvBlock block;
  /// The next row of the block, and of the file.
  size_t at = 0, next = 0;
};

/// Makes the folder, which must have no files.
Result<OutputFolder> makeFolder(const std::string &path) {
  Result<OutputFolder> folder = OutputFolder::make(path);
  if (!folder)
    return folder;
  std::error_code code;
  const bool isEmpty = std::filesystem::is_empty(path, code);
  if (code)
    return Error{path + ": " + code.message()};
  if (!isEmpty)
    return Error{path + ": expected a new or empty folder for the parts, got "
                        "one with files"};
  return folder;
}

} // namespace

Status runSplit(const tamrt_model &model, const Options &options) {
  if (options.input == "-")
    return Error{"expected a file that can be read again, got standard input"};
  Result<OutputFolder> folder = makeFolder(options.output);
  if (!folder)
    return std::move(folder).error();
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.keepPlaces = true;
  Result<RowReader> reader = RowReader::open(options.source(), model, reading);
  if (!reader)
    return std::move(reader).error();
  RunOptions run;
  run.threads = options.threads;
  Result<Survey> survey = surveyPart(model, "all", *reader, run);
  if (!survey)
    return std::move(survey).error();
  Result<PartedRows> rows = combine(model, *survey, options.input);
  if (!rows)
    return std::move(rows).error();
  size_t count = 0;
  const std::vector<std::vector<Piece>> pieces =
      divide(model, *survey, *rows, options, count);

  Result<CsvBlocks> file =
      CsvBlocks::open(options.source(), CsvBlocks::kBlockBytes, options.format);
  if (!file)
    return std::move(file).error();
  Result<PartFiles> parts =
      PartFiles::create(options.output, count, headerOf(*file));
  if (!parts)
    return std::move(parts).error();
  RowCopy copy(*std::move(file), *parts);
  if (Status s = reader->rewind(); !s)
    return s;
  const size_t most =
      StreamedRows(*reader, model, StreamLimits().rowBytes, options.threads)
          .maxRows;
  // By group: rows so far, and the piece of the next one.
  std::vector<size_t> next(pieces.size()), piece(pieces.size());
  size_t part = 0;
  Status copied = reader->forEachRows(most, [&](const Rows &read) -> Status {
    for (size_t row = 0; row < read.count; ++row) {
      const size_t g = model.group ? rows->order.places[read.groups[row]] : 0;
      const size_t at = next[g]++;
      while (piece[g] + 1 < pieces[g].size() && at >= pieces[g][piece[g]].end)
        ++piece[g];
      part = pieces[g][piece[g]].part;
      // Rows that a fit drops go with the next one.
      if (Status s = copy.copyTo(size_t(read.places[row]) + 1, part); !s)
        return s;
    }
    return {};
  });
  if (!copied)
    return copied;
  if (Status s = copy.finish(part); !s)
    return s;
  if (Status s = parts->commit(); !s)
    return s;
  folder->keep();
  if (count < size_t(options.parts))
    tell(model, "note",
         fmt::format("made {} part{}: rows are divided at whole groups{}",
                     count, count == 1 ? "" : "s",
                     options.wholeGroups || model.carry_bytes > 0
                         ? ""
                         : fmt::format(", and at segments of {} rows where "
                                       "dates are in order",
                                       TAMRT_SEGMENT_ROWS)));
  return {};
}

} // namespace tamrt
