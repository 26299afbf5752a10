//===- io/CsvScanner.cpp - finds the fields of a CSV text -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvScanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace tamrt;

static constexpr size_t kBlock = 64;

static std::string separatorName(char separator) {
  if (separator == ',')
    return "a comma";
  return separator == '\t' ? "a tab" : fmt::format("'{}'", separator);
}

namespace {

/// The special characters of CSV among 64 bytes, with a bit for each byte.
struct Specials {
  uint64_t separators, lineFeeds, returns;
  /// A quote, or a zero byte, which is an error.
  uint64_t others;

  uint64_t all() const { return separators | lineFeeds | returns | others; }
  /// Whether the only special characters end fields and rows: no quotes, and
  /// carriage returns only before line feeds.
  bool isPlain() const { return (others | (returns & ~(lineFeeds >> 1))) == 0; }
};

} // namespace

static inline Specials findSpecials(const char *text, char separator) {
  Specials found = {};
#ifdef __SSE2__
  for (size_t i = 0; i < kBlock; i += 16) {
    __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + i));
    auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    auto bits = [&](__m128i mask) {
      return uint64_t(static_cast<uint32_t>(_mm_movemask_epi8(mask))) << i;
    };
    found.separators |= bits(is(separator));
    found.lineFeeds |= bits(is('\n'));
    found.returns |= bits(is('\r'));
    found.others |= bits(_mm_or_si128(is('"'), is('\0')));
  }
#else
  for (size_t i = 0; i < kBlock; ++i) {
    char c = text[i];
    found.separators |= uint64_t(c == separator) << i;
    found.lineFeeds |= uint64_t(c == '\n') << i;
    found.returns |= uint64_t(c == '\r') << i;
    found.others |= uint64_t(c == '"' || c == '\0') << i;
  }
#endif
  return found;
}

namespace {

class Scanner {
public:
  Scanner(char *text, size_t begin, size_t end, char separator, size_t fields,
          size_t limit, CsvIndex &index)
      : text(text), end(end), separator(separator), fields(fields),
        limit(limit), rowStart(begin), fieldStart(begin), index(index) {}

  void scan();

private:
  bool handlePlain(size_t block, const Specials &specials);
  bool handle(size_t at);
  bool closeQuoted(size_t open);
  bool fault(size_t at, std::string message,
             std::optional<size_t> opened = std::nullopt);
  bool endField(size_t at);
  bool endRow(size_t at, size_t next);

  char *text;
  size_t end;
  char separator;
  size_t fields;
  size_t limit;
  size_t rowStart;
  size_t fieldStart;
  size_t rowFields = 0;
  /// Offset at which scanning continues: special characters before it are
  /// inside quotes.
  size_t resume = 0;
  CsvIndex &index;
};

} // namespace

static std::string tooLong(bool quoted) {
  return fmt::format("expected a field of at most {} bytes, got more{}",
                     kMaxFieldBytes,
                     quoted ? "; is the quote that opens it closed?" : "");
}

bool Scanner::fault(size_t at, std::string message,
                    std::optional<size_t> opened) {
  index.fault = CsvFault{at, std::move(message), opened};
  return false;
}

bool Scanner::endField(size_t at) {
  if (at - fieldStart > kMaxFieldBytes)
    return fault(fieldStart, tooLong(/*quoted=*/text[fieldStart] == '"'));
  if (at - rowStart > std::numeric_limits<uint32_t>::max())
    return fault(rowStart, "row of more than 4 GiB");
  index.fieldEnds.push_back(static_cast<uint32_t>(at - rowStart));
  ++rowFields;
  fieldStart = at + 1;
  return true;
}

/// The row's last field ends at `at`, the next row starts at `next`.
bool Scanner::endRow(size_t at, size_t next) {
  if (!endField(at))
    return false;
  if (fields == 0)
    fields = rowFields;
  if (rowFields != fields) {
    size_t got = rowFields;
    index.fieldEnds.truncate(index.fieldEnds.size() - got);
    if (got == 1 && at == rowStart)
      return fault(
          rowStart,
          fmt::format("expected {} fields, got an empty line", fields));
    return fault(rowStart, fmt::format("expected {} field{}, got {}", fields,
                                       fields == 1 ? "" : "s", got));
  }
  index.rowStarts.push_back(rowStart);
  rowStart = fieldStart = next;
  rowFields = 0;
  return index.rowStarts.size() < limit;
}

/// A quoted field opens at `open`. Finds its end and removes the doubling of
/// the quotes inside.
bool Scanner::closeQuoted(size_t open) {
  size_t from = open + 1;
  size_t to = from;
  while (true) {
    const size_t last = std::min(end, open + kMaxFieldBytes);
    const void *found =
        from < last ? std::memchr(text + from, '"', last - from) : nullptr;
    if (!found && last < end)
      return fault(open, tooLong(/*quoted=*/true));
    if (!found)
      return fault(open, "quoted field is never closed");
    size_t quote = static_cast<size_t>(static_cast<const char *>(found) - text);
    // A zero byte would look like one of those written below.
    if (std::memchr(text + from, 0, quote - from))
      return fault(from, "zero byte: not a text file");
    if (to != from)
      std::memmove(text + to, text + from, quote - from);
    to += quote - from;
    from = quote + 1;
    bool doubled = from < end && text[from] == '"';
    text[to++] = '"';
    if (!doubled)
      break;
    ++from;
  }
  std::memset(text + to, 0, from - to);
  resume = from;
  if (from < end && text[from] != separator && text[from] != '\n' &&
      text[from] != '\r')
    return fault(from,
                 text[from] == '\0'
                     ? "zero byte: not a text file"
                     : fmt::format("expected {} or the line's end after the "
                                   "closing quote",
                                   separatorName(separator)),
                 open);
  return true;
}

/// A special byte at `at`. Returns false to stop.
bool Scanner::handle(size_t at) {
  if (text[at] == separator)
    return endField(at);
  switch (text[at]) {
  case '\n': {
    bool carriage = at > fieldStart && text[at - 1] == '\r';
    return endRow(carriage ? at - 1 : at, at + 1);
  }
  case '\r':
    if (at + 1 < end && text[at + 1] == '\n')
      return true;
    return fault(at, "carriage return without line feed outside quotes");
  case '"':
    if (at != fieldStart)
      return fault(at, "quote inside a field that does not start with one");
    return closeQuoted(at);
  default:
    return fault(at, "zero byte: not a text file");
  }
}

/// Handles a whole block that is plain, in a row that is not long. Returns
/// false to stop.
bool Scanner::handlePlain(size_t block, const Specials &specials) {
  uint32_t *out = index.fieldEnds.extend(kBlock);
  uint64_t bits = specials.separators | specials.lineFeeds;
  for (; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<size_t>(std::countr_zero(bits));
    const size_t at = block + bit;
    if ((specials.lineFeeds >> bit & 1) == 0) {
      *out++ = static_cast<uint32_t>(at - rowStart);
      ++rowFields;
      fieldStart = at + 1;
      continue;
    }
    const bool carriage = at > fieldStart && text[at - 1] == '\r';
    if (rowFields + 1 != fields) {
      index.fieldEnds.truncate(
          static_cast<size_t>(out - index.fieldEnds.data()));
      return endRow(carriage ? at - 1 : at, at + 1);
    }
    *out++ = static_cast<uint32_t>((carriage ? at - 1 : at) - rowStart);
    index.rowStarts.push_back(rowStart);
    rowStart = fieldStart = at + 1;
    rowFields = 0;
  }
  index.fieldEnds.truncate(static_cast<size_t>(out - index.fieldEnds.data()));
  return true;
}

void Scanner::scan() {
  // Rows of more than this many bytes are handled field by field.
  constexpr size_t kLongRow = kMaxFieldBytes - kBlock;
  size_t block = rowStart;
  while (block < end) {
    Specials specials;
    if (end - block >= kBlock) {
      specials = findSpecials(text + block, separator);
    } else {
      char padded[kBlock];
      std::memset(padded, 'x', kBlock);
      std::memcpy(padded, text + block, end - block);
      specials = findSpecials(padded, separator);
    }
    size_t next = block + kBlock;
    if (fields != 0 && resume <= block && specials.isPlain() &&
        block - rowStart < kLongRow &&
        limit - index.rowStarts.size() > kBlock) {
      if (!handlePlain(block, specials)) {
        index.end = rowStart;
        return;
      }
      block = next;
      continue;
    }
    for (uint64_t bits = specials.all(); bits != 0; bits &= bits - 1) {
      size_t at = block + static_cast<size_t>(std::countr_zero(bits));
      // Inside a quoted field, which was handled when it opened.
      if (at < resume)
        continue;
      if (!handle(at)) {
        index.end = rowStart;
        return;
      }
      if (resume > next) {
        next = resume;
        break;
      }
    }
    block = next;
  }
  // The last row may have no line end.
  if (rowStart < end || rowFields != 0)
    endRow(end, end);
  index.end = rowStart;
}

void tamrt::scanCsv(char *text, size_t begin, size_t end, char separator,
                    size_t fields, CsvIndex &index, size_t limit) {
  index.rowStarts.truncate(0);
  index.fieldEnds.truncate(0);
  index.fault.reset();
  Scanner(text, begin, end, separator, fields, limit, index).scan();
}

CsvIndex tamrt::scanCsv(char *text, size_t begin, size_t end, char separator,
                        size_t fields, size_t limit) {
  CsvIndex index;
  scanCsv(text, begin, end, separator, fields, index, limit);
  index.rowStarts.shrink();
  index.fieldEnds.shrink();
  return index;
}

static size_t countQuotes(const char *text, size_t begin, size_t end) {
  return static_cast<size_t>(std::count(text + begin, text + end, '"'));
}

bool tamrt::isFaultyRow(const char *text, size_t begin, size_t end,
                        char separator) {
  for (size_t field = begin, at = begin; at < end;) {
    // One more for the carriage return of a line end.
    if (at - field > kMaxFieldBytes + 1)
      return true;
    const char c = text[at];
    if (c == '\0' || (c == '"' && at != field) ||
        (c == '\r' && at + 1 < end && text[at + 1] != '\n'))
      return true;
    if (c == '\n')
      return false;
    ++at;
    if (c == separator)
      field = at;
    if (c != '"')
      continue;
    for (bool closed = false; !closed;) {
      const void *quote = std::memchr(text + at, '"', end - at);
      if (!quote)
        return end - field > kMaxFieldBytes;
      at = static_cast<size_t>(static_cast<const char *>(quote) - text) + 1;
      closed = at == end || text[at] != '"';
      at += closed ? 0 : 1;
    }
    if (at - field > kMaxFieldBytes || (at < end && text[at] != separator &&
                                        text[at] != '\n' && text[at] != '\r'))
      return true;
  }
  return false;
}

size_t tamrt::findLastRowEnd(const char *text, size_t begin, size_t end) {
  const void *quote = std::memchr(text + begin, '"', end - begin);
  // Quotes between `begin` and the current position: if their number is even,
  // it is outside quotes.
  size_t quotes = quote ? countQuotes(text, begin, end) : 0;
  for (size_t at = end; at > begin; --at) {
    if (text[at - 1] == '"')
      --quotes;
    else if (text[at - 1] == '\n' && quotes % 2 == 0)
      return at;
  }
  return begin;
}
