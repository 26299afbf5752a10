//===- Table.cpp - rows of text, and how they form groups -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <stdexcept>

using namespace tamc::reference;

size_t Table::column(const std::string &name) const {
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    throw std::invalid_argument("expected a column '" + name + "'");
  return it - names.begin();
}

static std::string quoted(const std::string &field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos)
    return field;
  std::string result = "\"";
  for (char c : field)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string Table::toCsv() const {
  std::string text;
  auto add = [&](const std::vector<std::string> &fields) {
    for (size_t i = 0; i < fields.size(); ++i)
      text += (i ? "," : "") + quoted(fields[i]);
    text += '\n';
  };
  add(names);
  for (const auto &row : rows)
    add(row);
  return text;
}

Table tamc::reference::parseCsv(const std::string &text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string &field = lines.back().back();
    if (text[i] == '"') {
      if (isQuoted && i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        isQuoted = !isQuoted;
    } else if (isQuoted) {
      field += text[i];
    } else if (text[i] == ',') {
      lines.back().emplace_back();
    } else if (text[i] == '\n') {
      if (field.ends_with('\r'))
        field.pop_back();
      lines.push_back({""});
    } else {
      field += text[i];
    }
  }
  if (lines.back() == std::vector<std::string>{""})
    lines.pop_back();
  Table table;
  if (lines.empty())
    return table;
  table.names = lines.front();
  table.rows.assign(lines.begin() + 1, lines.end());
  return table;
}

std::optional<double> tamc::reference::parseNumber(const std::string &text) {
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string tamc::reference::toText(double value) {
  char buffer[32];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

/// Whether a comes before b: as numbers when both are numbers, else as text.
static bool isBefore(const std::string &a, const std::string &b) {
  auto left = parseNumber(a), right = parseNumber(b);
  return left && right ? *left < *right : a < b;
}

std::vector<GroupRows> tamc::reference::groupsOf(const Table &table,
                                                 const std::string &group,
                                                 const std::string &date) {
  std::vector<GroupRows> groups;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    std::string name =
        group.empty() ? "" : table.rows[row][table.column(group)];
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const GroupRows &g) { return g.name == name; });
    if (it == groups.end())
      it = groups.insert(it, {name, {}});
    it->rows.push_back(row);
  }
  bool allNumbers =
      std::all_of(groups.begin(), groups.end(), [](const GroupRows &g) {
        return parseNumber(g.name).has_value();
      });
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const GroupRows &a, const GroupRows &b) {
                     return allNumbers ? isBefore(a.name, b.name)
                                       : a.name < b.name;
                   });
  if (!date.empty())
    for (GroupRows &g : groups)
      std::stable_sort(g.rows.begin(), g.rows.end(), [&](size_t a, size_t b) {
        size_t column = table.column(date);
        return isBefore(table.rows[a][column], table.rows[b][column]);
      });
  return groups;
}
