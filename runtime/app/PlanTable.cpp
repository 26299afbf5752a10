//===- app/PlanTable.cpp - the memory plan as text ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/plan_table.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tamrt {
namespace {

/// Most characters of a drawing across and up.
constexpr int64_t kDrawingWidth = 64, kDrawingHeight = 16;

std::span<const tamrt_buffer> buffersOf(const tamrt_step &step) {
  return {step.buffers, size_t(step.buffer_count)};
}

std::string heading(const tamrt_step &step) {
  std::string text = "step " + std::string(step.name) + ": ";
  if (step.rung_rows > 0)
    text += std::to_string(step.rung_rows) +
            (step.rung_rows == 1 ? " row, " : " rows, ");
  text += std::to_string(step.launches) +
          (step.launches == 1 ? " launch" : " launches") + ", strategy " +
          step.strategy + "\narena " + std::to_string(step.arena_bytes) +
          " bytes, lower bound " + std::to_string(step.lower_bound_bytes) +
          ", naive " + std::to_string(step.naive_bytes) + "\n";
  return text;
}

/// Rows of cells as lines; `right` says which columns are flush right. The last
/// one must be, so that no line ends with a blank.
std::string table(const std::vector<std::vector<std::string>> &rows,
                  std::string_view right) {
  std::vector<size_t> widths(right.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string pad(widths[i] - row[i].size(), ' ');
      text += (i ? "  " : "") + (right[i] == 'r' ? pad + row[i] : row[i] + pad);
    }
    text += '\n';
  }
  return text;
}

/// The texts of a buffer.
struct Names {
  Names(const tamrt_buffer &buffer, const char *const *texts)
      : name(texts[buffer.name]), op(texts[buffer.op]),
        term(texts[buffer.term]) {}
  const char *name, *op, *term;
};

std::string bufferTable(std::span<const tamrt_buffer> buffers,
                        const char *const *texts) {
  std::vector<std::vector<std::string>> rows = {
      {"buffer", "op", "term", "bytes", "live", "offset"}};
  for (const tamrt_buffer &buffer : buffers) {
    const Names names(buffer, texts);
    rows.push_back({names.name, names.op, names.term,
                    std::to_string(buffer.bytes),
                    fmt::format("[{}, {})", buffer.first, buffer.last),
                    std::to_string(buffer.offset)});
  }
  return table(rows, "lllrlr");
}

/// The largest sum of bytes alive at one launch, each buffer rounded up to the
/// alignment. The sum is largest where some buffer begins. O(buffers^2).
int64_t peakBytes(const tamrt_step &step) {
  int64_t peak = 0;
  for (const tamrt_buffer &begins : buffersOf(step)) {
    int64_t sum = 0;
    for (const tamrt_buffer &buffer : buffersOf(step))
      if (buffer.first <= begins.first && begins.first < buffer.last)
        sum += (buffer.bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT *
               TAMRT_ALIGNMENT;
    peak = std::max(peak, sum);
  }
  return peak;
}

std::string rungTable(std::span<const tamrt_step> steps) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "rows", "arena", "lower bound", "peak", "naive"}};
  for (const tamrt_step &step : steps)
    rows.push_back(
        {step.name, step.rung_rows > 0 ? std::to_string(step.rung_rows) : "-",
         std::to_string(step.arena_bytes),
         std::to_string(step.lower_bound_bytes),
         std::to_string(peakBytes(step)), std::to_string(step.naive_bytes)});
  return table(rows, "lrrrrr");
}

/// The steps of a scope, in order.
std::vector<const tamrt_step *> inScope(std::span<const tamrt_step> steps,
                                        PlanScope scope) {
  std::vector<const tamrt_step *> chosen;
  // The rungs of a step are neighbours.
  for (const tamrt_step &step : steps)
    if (scope == PlanScope::AllRungs || chosen.empty() ||
        chosen.back()->kind != step.kind)
      chosen.push_back(&step);
  return chosen;
}

/// A cell of CSV, quoted if necessary.
std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string jsonText(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string quoted = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += "\\u00";
      quoted += digits[byte >> 4];
      quoted += digits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string formatText(const PlannedSteps &plan, PlanScope scope) {
  std::string text;
  for (const tamrt_step *step : inScope(plan.steps, scope)) {
    text += heading(*step);
    if (step->buffer_count > 0)
      text += bufferTable(buffersOf(*step), plan.texts);
    text += '\n';
  }
  return text + rungTable(plan.steps);
}

std::string formatCsv(const PlannedSteps &plan) {
  std::string text = "step,rung,launches,strategy,arena,lower_bound,naive,"
                     "buffer,op,term,bytes,first,last,offset\n";
  for (const tamrt_step &step : plan.steps) {
    std::string start =
        csvCell(step.name) + "," + std::to_string(step.rung_rows) + "," +
        std::to_string(step.launches) + "," + csvCell(step.strategy) + "," +
        std::to_string(step.arena_bytes) + "," +
        std::to_string(step.lower_bound_bytes) + "," +
        std::to_string(step.naive_bytes) + ",";
    if (step.buffer_count == 0)
      text += start + ",,,,,,\n";
    for (const tamrt_buffer &buffer : buffersOf(step)) {
      const Names names(buffer, plan.texts);
      text += start + csvCell(names.name) + "," + csvCell(names.op) + "," +
              csvCell(names.term) + "," + std::to_string(buffer.bytes) + "," +
              std::to_string(buffer.first) + "," + std::to_string(buffer.last) +
              "," + std::to_string(buffer.offset) + "\n";
    }
  }
  return text;
}

std::string formatJson(const PlannedSteps &plan) {
  std::string text = "{\"steps\":[";
  bool firstStep = true;
  for (const tamrt_step &step : plan.steps) {
    text += firstStep ? "" : ",";
    firstStep = false;
    text += "{\"step\":" + jsonText(step.name) +
            ",\"rung\":" + std::to_string(step.rung_rows) +
            ",\"launches\":" + std::to_string(step.launches) +
            ",\"strategy\":" + jsonText(step.strategy) +
            ",\"arena\":" + std::to_string(step.arena_bytes) +
            ",\"lower_bound\":" + std::to_string(step.lower_bound_bytes) +
            ",\"naive\":" + std::to_string(step.naive_bytes) + ",\"buffers\":[";
    bool firstBuffer = true;
    for (const tamrt_buffer &buffer : buffersOf(step)) {
      text += firstBuffer ? "" : ",";
      firstBuffer = false;
      const Names names(buffer, plan.texts);
      text += "{\"buffer\":" + jsonText(names.name) +
              ",\"op\":" + jsonText(names.op) +
              ",\"term\":" + jsonText(names.term) +
              ",\"bytes\":" + std::to_string(buffer.bytes) +
              ",\"first\":" + std::to_string(buffer.first) +
              ",\"last\":" + std::to_string(buffer.last) +
              ",\"offset\":" + std::to_string(buffer.offset) + "}";
    }
    text += "]}";
  }
  return text + "]}\n";
}

char letter(size_t buffer) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return buffer < letters.size() ? letters[buffer] : '#';
}

/// The character of the cell [time, timeEnd) x [address, addressEnd).
char cell(std::span<const tamrt_buffer> buffers, int64_t time, int64_t timeEnd,
          int64_t address, int64_t addressEnd) {
  const tamrt_buffer *smallest = nullptr;
  for (const tamrt_buffer &buffer : buffers)
    if (buffer.first < timeEnd && buffer.last > time &&
        buffer.offset < addressEnd && buffer.offset + buffer.bytes > address &&
        (!smallest || buffer.bytes < smallest->bytes))
      smallest = &buffer;
  return smallest ? letter(size_t(smallest - buffers.data())) : '.';
}

std::string draw(const tamrt_step &step, const char *const *texts) {
  std::span<const tamrt_buffer> buffers = buffersOf(step);
  std::string text = heading(step);
  if (buffers.empty() || step.launches <= 0 || step.arena_bytes <= 0)
    return text;
  auto pieces = [](int64_t whole, int64_t most) {
    return (whole + most - 1) / most;
  };
  int64_t timeStep = pieces(step.launches, kDrawingWidth);
  // Whole alignment units, so that edges of buffers are edges of characters
  // in small arenas.
  int64_t byteStep =
      pieces(pieces(step.arena_bytes, kDrawingHeight), TAMRT_ALIGNMENT) *
      TAMRT_ALIGNMENT;
  int64_t width = pieces(step.launches, timeStep);
  int64_t height = pieces(step.arena_bytes, byteStep);
  std::string top = std::to_string(step.arena_bytes);
  for (int64_t y = height - 1; y >= 0; --y) {
    text += y == height - 1 ? top : std::string(top.size(), ' ');
    text += " |";
    for (int64_t x = 0; x < width; ++x)
      text += cell(buffers, x * timeStep, (x + 1) * timeStep, y * byteStep,
                   (y + 1) * byteStep);
    text += '\n';
  }
  text += std::string(top.size() - 1, ' ') + "0 +" +
          std::string(size_t(width), '-') + "\n";
  text += std::string(top.size() + 2, ' ') + "0 to " +
          std::to_string(step.launches) + ", " + std::to_string(timeStep) +
          (timeStep == 1 ? " launch" : " launches") + " and " +
          std::to_string(byteStep) + " bytes a character\n";
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Names names(buffers[i], texts);
    text += fmt::format("{} {}  {}", letter(i), names.name, names.op);
    if (*names.term)
      text += fmt::format("  {}", names.term);
    text += '\n';
  }
  return text;
}

} // namespace

std::string formatPlan(PlannedSteps plan, PlanFormat format, PlanScope scope) {
  switch (format) {
  case PlanFormat::Csv:
    return formatCsv(plan);
  case PlanFormat::Json:
    return formatJson(plan);
  case PlanFormat::Text:
    break;
  }
  return formatText(plan, scope);
}

std::string drawPlan(PlannedSteps plan, PlanScope scope) {
  std::string text;
  for (const tamrt_step *step : inScope(plan.steps, scope)) {
    if (!text.empty())
      text += '\n';
    text += draw(*step, plan.texts);
  }
  return text;
}

} // namespace tamrt
