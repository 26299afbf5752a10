//===- io/CsvWriter.cpp - writes comma-separated values -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvWriter.h"
#include "io/Number.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <utility>

using namespace tamrt;

/// Large enough that the time of a write is negligible compared with
/// formatting.
static constexpr size_t kWriteBytes = size_t(1) << 18;

CsvWriter::CsvWriter(AtomicFile output) : file(std::move(output)) {
  buffer.resize(kWriteBytes);
}

CsvWriter::CsvWriter(GrowingArray<char> &text) : memory(&text) {
  buffer.resize(kWriteBytes);
}

void CsvWriter::flush() {
  if (memory)
    memory->append({buffer.data(), used});
  else if (status)
    status = file->write({buffer.data(), used});
  used = 0;
}

char *CsvWriter::reserve(size_t bytes) {
  if (buffer.size() - used < bytes) {
    flush();
    if (buffer.size() < bytes)
      buffer.resize(bytes);
  }
  return buffer.data() + used;
}

void CsvWriter::separate() {
  if (cells++ != 0) {
    *reserve(1) = ',';
    ++used;
    rowEmpty = false;
  }
}

static bool needsQuotes(std::string_view value) {
  if (value.empty())
    return false;
  auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  return isBlank(value.front()) || isBlank(value.back()) ||
         value.find_first_of(",\"\r\n") != std::string_view::npos;
}

char *CsvWriter::writeCell(std::string_view value, char *out) {
  if (!needsQuotes(value))
    return std::copy(value.begin(), value.end(), out);
  *out++ = '"';
  for (char c : value) {
    if (c == '"')
      *out++ = '"';
    *out++ = c;
  }
  *out++ = '"';
  return out;
}

void CsvWriter::text(std::string_view value) {
  separate();
  char *begin = reserve(cellBytes(value));
  const char *end = writeCell(value, begin);
  used += static_cast<size_t>(end - begin);
  rowEmpty &= end == begin;
}

void CsvWriter::written(std::string_view text, size_t count) {
  separate();
  std::memcpy(reserve(text.size()), text.data(), text.size());
  used += text.size();
  rowEmpty &= text.empty();
  cells += count - 1;
}

void CsvWriter::number(double value) {
  separate();
  char *begin = reserve(kNumberLength);
  used += static_cast<size_t>(formatNumber(value, begin) - begin);
  rowEmpty = false;
}

void CsvWriter::integer(int64_t value) {
  separate();
  char *begin = reserve(kNumberLength);
  char *end = std::to_chars(begin, begin + kNumberLength, value).ptr;
  used += static_cast<size_t>(end - begin);
  rowEmpty = false;
}

void CsvWriter::header(std::span<const std::string> names) {
  for (const std::string &name : names)
    text(name);
  endRow();
}

void CsvWriter::endRow() {
  if (width == 0)
    width = cells;
  assert(cells == width && "a row with more or fewer cells than the header");
  char *out = reserve(3);
  if (rowEmpty) {
    *out++ = '"';
    *out++ = '"';
    used += 2;
  }
  *out = '\n';
  ++used;
  cells = 0;
  rowEmpty = true;
}

Status CsvWriter::complete() {
  assert(cells == 0 && "complete inside a row");
  flush();
  return status;
}

Status CsvWriter::finish() {
  if (Status s = complete(); !s || memory)
    return s;
  return file->commit();
}
