//===- Planning/JsonText.cpp - JSON text with places of errors ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/JsonText.h"

#include <cctype>

using namespace tamc::planning;
using Json = nlohmann::ordered_json;

namespace {

/// The first byte of the unexpected token, which ends with the `read`-th byte
/// of the text.
size_t beginOfToken(std::string_view text, size_t read) {
  if (read == 0 || read > text.size())
    return text.size();
  size_t at = read - 1;
  auto isPart = [&](size_t i) {
    auto c = static_cast<unsigned char>(text[i]);
    return std::isalnum(c) || c == '.' || c == '+' || c == '-';
  };
  if (text[at] == '"') {
    size_t begin = text.rfind('"', at - (at > 0));
    // A quote after an odd number of backslashes does not begin the token.
    auto escaped = [&](size_t quote) {
      size_t slashes = 0;
      while (slashes < quote && text[quote - slashes - 1] == '\\')
        ++slashes;
      return slashes % 2 == 1;
    };
    while (begin != text.npos && begin > 0 && escaped(begin))
      begin = text.rfind('"', begin - 1);
    return begin == text.npos ? at : begin;
  }
  while (isPart(at) && at > 0 && isPart(at - 1))
    --at;
  return at;
}

/// The parser's error, as "expected ',' or '}', got string literal".
std::string describe(const nlohmann::json::parse_error &error) {
  std::string_view what = error.what();
  auto after = [&](std::string_view mark) -> std::string {
    size_t begin = what.find(mark);
    if (begin == what.npos)
      return {};
    begin += mark.size();
    return std::string(what.substr(begin, what.find(';', begin) - begin));
  };
  std::string expected = after("; expected "), got = after(" - unexpected ");
  // After a value there may be another one.
  if (expected == "'}'" || expected == "']'")
    expected = "',' or " + expected;
  if (!got.empty())
    return "expected " + (expected.empty() ? "JSON" : expected) + ", got " +
           got;
  got = after(" - ");
  return "expected JSON, got " + (got.empty() ? "something else" : got);
}

} // namespace

Diagnostic tamc::planning::diagnosticAt(std::string_view text, size_t position,
                                        std::string message) {
  auto [line, column] = placeOfByte(text, position);
  Diagnostic diagnostic{std::move(message), line};
  diagnostic.column = column;
  return diagnostic;
}

std::optional<Diagnostic>
tamc::planning::readJsonText(std::string_view whole,
                             const std::function<void(const Json &)> &read,
                             std::string_view ignored) {
  // Before any other function visits the values, which might be recursive.
  JsonScan scan = scanJson(whole, ignored);
  if (scan.flaw)
    return diagnosticAt(whole, scan.flaw->position,
                        std::move(scan.flaw->message));
  std::string_view text = whole;
  std::string shorter;
  TextRange cut{whole.size(), 0};
  if (scan.numberLists) {
    // All between its brackets.
    cut = {scan.numberLists->begin + 1, scan.numberLists->size - 2};
    shorter.reserve(whole.size() - cut.size);
    shorter.append(whole.substr(0, cut.begin));
    shorter.append(whole.substr(cut.begin + cut.size));
    text = shorter;
  }
  try {
    read(Json::parse(text.begin(), text.end()));
  } catch (const nlohmann::json::parse_error &error) {
    const size_t position = beginOfToken(text, error.byte);
    return diagnosticAt(whole,
                        position < cut.begin ? position : position + cut.size,
                        describe(error));
  } catch (const Json::out_of_range &) {
    return Diagnostic{"expected numbers below 1.8e308"};
  } catch (const Json::exception &) {
    // The remaining errors are strings that are not UTF-8, found while quoting
    // them.
    return Diagnostic{"expected JSON in UTF-8"};
  } catch (JsonError &wrong) {
    return diagnosticAt(whole, byteOfPlace(whole, wrong.place),
                        std::move(wrong.message));
  }
  return std::nullopt;
}
