//===- core/ranks/RankFiles.cpp - the rows that a rank reads --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/RankFiles.h"

#include "core/ranks/Message.h"
#include "io/InputFile.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <glob.h>
#include <limits>
#include <optional>

namespace tamrt {
namespace {

namespace fs = std::filesystem;

/// Bytes that are read at once: they stay in a core's cache.
constexpr size_t kBufferBytes = size_t(1) << 18;

struct File {
  std::string path;
  size_t bytes = 0;
  /// One rank reads all of it, because it is compressed.
  bool isWhole = false;
};

/// A place in the files.
struct Place {
  size_t file = 0, byte = 0;
  /// Line of the file that starts here.
  size_t line = 1;
};

/// Bytes of a file.
struct Span {
  size_t file, begin, end;
};

Result<std::vector<File>> findFiles(const std::string &pattern) {
  const std::vector<std::string> paths = expandPattern(pattern);
  if (paths.empty())
    return Error{pattern + ": expected files of such names, got none"};
  std::vector<File> files;
  for (const std::string &path : paths) {
    Result<InputFile> file = InputFile::open(path);
    if (!file)
      return std::move(file).error();
    if (path == "-" || !file->isRegular())
      return Error{path + ": expected a file, of which ranks read parts, got a "
                          "pipe or a device"};
    files.push_back({path, file->bytes(), false});
    if (files.back().bytes > 0)
      continue;
    files.back().isWhole = true;
    std::error_code failed;
    files.back().bytes = size_t(fs::file_size(path, failed));
    if (failed)
      return Error{path + ": " + failed.message()};
    if (files.back().bytes == 0)
      return Error{path + ": empty file, expected a header"};
  }
  return files;
}

/// The files that rank 0 found.
Result<std::vector<File>> shareFiles(const Ranks &ranks,
                                     const std::string &pattern) {
  const Result<std::string> bytes =
      ranks.fromFirst([&]() -> Result<std::string> {
        const Result<std::vector<File>> found = findFiles(pattern);
        if (!found)
          return found.error();
        MessageWriter message;
        for (const File &file : *found) {
          message.text(file.path);
          message.number(file.bytes);
          message.number(file.isWhole);
        }
        return std::move(message.bytes);
      });
  if (!bytes)
    return bytes.error();
  std::vector<File> files;
  for (MessageReader reader(*bytes); !reader.isEnd();) {
    std::string path(reader.text());
    const size_t size = reader.number();
    files.push_back({std::move(path), size, reader.number() != 0});
  }
  return files;
}

/// Where the bytes of a rank start if rows did not matter.
Place placeOf(const std::vector<File> &files, size_t rank, size_t ranks) {
  size_t all = 0;
  for (const File &file : files)
    all += file.bytes;
  size_t left = all / ranks * rank + all % ranks * rank / ranks;
  for (size_t f = 0; f < files.size(); ++f) {
    if (left < files[f].bytes)
      // A file that cannot be divided belongs to the rank of its start.
      return left > 0 && files[f].isWhole ? Place{f + 1, 0} : Place{f, left};
    left -= files[f].bytes;
  }
  return {files.size(), 0};
}

/// The bytes between two places.
std::vector<Span> spansOf(const std::vector<File> &files, const Place &from,
                          const Place &to) {
  std::vector<Span> spans;
  for (size_t f = from.file; f < files.size() && f <= to.file; ++f) {
    const size_t begin = f == from.file ? from.byte : 0;
    const size_t end = f == to.file ? to.byte : files[f].bytes;
    if (begin < end)
      spans.push_back({f, begin, end});
  }
  return spans;
}

/// Reads bytes of a file in pieces, and calls body(piece) until it is false.
template <class Body>
Status forEachBuffer(const File &file, size_t begin, size_t end,
                     const Body &body) {
  Result<InputFile> input = InputFile::open(file.path);
  if (!input)
    return std::move(input).error();
  if (Status s = input->rewind(begin); !s)
    return s;
  std::vector<char> buffer(kBufferBytes);
  while (begin < end) {
    Result<size_t> got =
        input->read(buffer.data(), std::min(buffer.size(), end - begin));
    if (!got)
      return std::move(got).error();
    if (*got == 0)
      return Error{file.path + ": the file has changed while it was read"};
    begin += *got;
    if (!body(std::string_view(buffer.data(), *got)))
      break;
  }
  return {};
}

/// Quotes and line ends of a span.
struct Counts {
  size_t file, quotes, lines;
};

/// Adds those of some bytes. Counts of a byte each, of few bytes, let the
/// compiler count several at once.
void add(std::string_view bytes, Counts &counts) {
  constexpr size_t kMaxCount = std::numeric_limits<uint8_t>::max();
  while (!bytes.empty()) {
    uint8_t quotes = 0, lines = 0;
    for (const char c : bytes.substr(0, kMaxCount)) {
      quotes += c == '"';
      lines += c == '\n';
    }
    bytes.remove_prefix(std::min(bytes.size(), kMaxCount));
    counts.quotes += quotes;
    counts.lines += lines;
  }
}

Result<std::vector<Counts>> countSpans(const std::vector<File> &files,
                                       const std::vector<Span> &spans) {
  std::vector<Counts> counts;
  for (const Span &span : spans) {
    if (files[span.file].isWhole)
      continue;
    Counts of = {span.file, 0, 0};
    Status read = forEachBuffer(files[span.file], span.begin, span.end,
                                [&](std::string_view bytes) {
                                  add(bytes, of);
                                  return true;
                                });
    if (!read)
      return std::move(read).error();
    counts.push_back(of);
  }
  return counts;
}

/// The first place from `from` on at which a row may start: after a line end
/// outside quotes, of a line that is not empty, because empty lines are errors
/// only if rows follow. `before` are the counts of the file's bytes before.
Result<Place> findRow(const std::vector<File> &files, const Place &from,
                      const Counts &before) {
  const File &file = files[from.file];
  bool isQuoted = before.quotes % 2 != 0;
  Place at = {from.file, file.bytes, 1 + before.lines};
  // The line before `from` is unknown, so its end does not count.
  size_t byte = from.byte, lineBytes = 0;
  Status read =
      forEachBuffer(file, from.byte, file.bytes, [&](std::string_view bytes) {
        for (const char c : bytes) {
          ++byte;
          if (c == '"')
            isQuoted = !isQuoted;
          if (c != '\n') {
            lineBytes += c != '\r';
            continue;
          }
          ++at.line;
          if (!isQuoted && lineBytes > 0) {
            at.byte = byte;
            return false;
          }
          if (!isQuoted)
            lineBytes = 0;
        }
        return true;
      });
  if (!read)
    return std::move(read).error();
  return at;
}

std::string pack(const std::vector<Counts> &counts) {
  MessageWriter message;
  for (const Counts &of : counts) {
    message.number(of.file);
    message.number(of.quotes);
    message.number(of.lines);
  }
  return std::move(message.bytes);
}

/// Where the rows of this rank start, from the counts of all ranks.
Result<Place> startOf(const Ranks &ranks, const std::vector<File> &files,
                      const Place &cut, const RankBytes &counts) {
  if (cut.byte == 0)
    return cut;
  Counts before = {cut.file, 0, 0};
  for (size_t r = 0; r < ranks.rank(); ++r)
    for (MessageReader reader(counts[r]); !reader.isEnd();) {
      const size_t file = reader.number(), quotes = reader.number(),
                   lines = reader.number();
      if (file == cut.file) {
        before.quotes += quotes;
        before.lines += lines;
      }
    }
  return findRow(files, cut, before);
}

/// The rows of the spans of this rank, and the names of their files' columns.
/// A file without rows has none.
Result<std::vector<RankPiece>> openSpans(const std::vector<File> &files,
                                         const std::vector<Span> &spans,
                                         size_t line, const CsvFormat &format,
                                         MessageWriter &names) {
  std::vector<RankPiece> pieces;
  for (const Span &span : spans) {
    const File &file = files[span.file];
    Result<CsvBlocks> opened =
        CsvBlocks::open(file.path, CsvBlocks::kBlockBytes, format,
                        /*mayLackRows=*/true);
    if (!opened)
      return std::move(opened).error();
    names.text(file.path);
    std::string all;
    for (const std::string &name : opened->names())
      all += fmt::format("{}'{}'", all.empty() ? "" : ", ", name);
    names.text(all);
    CsvBlock block;
    Result<bool> hasRows = opened->read(block);
    if (!hasRows)
      return std::move(hasRows).error();
    if (!*hasRows)
      continue;
    DataSource source(file.path);
    if (!file.isWhole) {
      ByteRange range = {span.begin, span.end, line};
      if (range.begin <= opened->firstRowByte())
        range = {opened->firstRowByte(), span.end, opened->firstRowLine()};
      if (range.begin >= range.end)
        continue;
      source.range = range;
    }
    pieces.push_back({pieces.size(), std::move(source)});
  }
  return pieces;
}

} // namespace

bool isPattern(const std::string &name) {
  std::error_code ignored;
  return name.find_first_of("*?[") != std::string::npos &&
         !fs::exists(name, ignored);
}

std::vector<std::string> expandPattern(const std::string &name) {
  if (!isPattern(name))
    return {name};
  std::vector<std::string> paths;
  glob_t found = {};
  const int status = ::glob(name.c_str(), GLOB_NOSORT, nullptr, &found);
  for (size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
    paths.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<RankPiece>> divideFiles(const Ranks &ranks,
                                           const std::string &pattern,
                                           const CsvFormat &format) {
  Result<std::vector<File>> files = shareFiles(ranks, pattern);
  if (!files)
    return std::move(files).error();
  const Place cut = placeOf(*files, ranks.rank(), ranks.size());
  Result<std::vector<Counts>> counts = countSpans(
      *files,
      spansOf(*files, cut, placeOf(*files, ranks.rank() + 1, ranks.size())));
  if (Status s = ranks.agreeOn(counts); !s)
    return std::move(s).error();
  Result<Place> start =
      startOf(ranks, *files, cut, ranks.gatherAll(pack(*counts)));
  if (Status s = ranks.agreeOn(start); !s)
    return std::move(s).error();
  MessageWriter own;
  own.number(start->file);
  own.number(start->byte);
  const RankBytes starts = ranks.gatherAll(own.bytes);
  Place end = {files->size(), 0};
  if (ranks.rank() + 1 < ranks.size()) {
    MessageReader next(starts[ranks.rank() + 1]);
    end.file = next.number();
    end.byte = next.number();
  }
  MessageWriter names;
  Result<std::vector<RankPiece>> pieces = openSpans(
      *files, spansOf(*files, *start, end), start->line, format, names);
  if (Status s = ranks.agreeOn(pieces); !s)
    return std::move(s).error();

  // The columns of all files, and how many pieces other ranks have before.
  std::optional<std::pair<std::string, std::string>> first;
  for (const std::string_view of : ranks.gatherAll(names.bytes))
    for (MessageReader reader(of); !reader.isEnd();) {
      std::string path(reader.text()), columns(reader.text());
      if (!first)
        first = {path, columns};
      else if (columns != first->second)
        return Error{fmt::format("{}: expected the columns of '{}', {}, got {}",
                                 path, first->first, first->second, columns)};
    }
  MessageWriter count;
  count.number(pieces->size());
  const RankBytes all = ranks.gatherAll(count.bytes);
  size_t before = 0, some = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const size_t own = MessageReader(all[r]).number();
    some += own;
    before += r < ranks.rank() ? own : 0;
  }
  if (some == 0)
    return Error{files->front().path + ": no rows after the header"};
  for (RankPiece &piece : *pieces)
    piece.index += before;
  return pieces;
}

} // namespace tamrt
