//===- DescriptionText.cpp - constants as C++ text --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptionText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace tamc;

std::string tamc::literalOf(double value) {
  assert(std::isfinite(value) && "models have finite constants");
  char text[64];
  auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  std::string result(text, end);
  // Make it a literal of a double, not of an integer.
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return result;
}

std::string tamc::literalOf(llvm::StringRef text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '"' || c == '\\') {
      result += '\\';
      result += char(c);
    } else if (c >= 0x20 && c < 0x7f && c != '?') {
      result += char(c);
    } else {
      // With three octal digits, a digit that follows is not part of the
      // escape.
      result += '\\';
      result += char('0' + (c >> 6));
      result += char('0' + (c >> 3 & 7));
      result += char('0' + (c & 7));
    }
  }
  return result + "\"";
}

std::string tamc::elementsOf(mlir::DenseElementsAttr elements) {
  std::string text = "{";
  auto add = [&](const std::string &element) {
    // Break lines at eighty columns.
    size_t begin = text.rfind('\n') + 1;
    bool isFirst = text.size() == 1;
    if (!isFirst)
      text += ",";
    if (isFirst || text.size() + element.size() - begin > 77)
      text += "\n    " + element;
    else
      text += " " + element;
  };
  if (elements.getElementType().isF64())
    for (double value : elements.getValues<double>())
      add(literalOf(value));
  else
    for (const llvm::APInt &value : elements.getValues<llvm::APInt>())
      add(std::to_string(value.getSExtValue()));
  return text + "}";
}

/// Structs with the integers of a row each, a line for each.
static std::string rowsOf(mlir::DenseElementsAttr numbers) {
  const int64_t columns = numbers.getType().getDimSize(1);
  std::string text = "{\n";
  for (auto [i, value] : llvm::enumerate(numbers.getValues<int64_t>())) {
    const int64_t column = int64_t(i) % columns;
    text += (column == 0 ? "    {" : ", ") + std::to_string(value);
    if (column == columns - 1)
      text += "},\n";
  }
  return text + "}";
}

static std::string textOf(const Field &field) {
  switch (field.kind) {
  case Field::Kind::I32:
  case Field::Kind::I64:
    return std::to_string(field.integer);
  case Field::Kind::F64:
    return literalOf(field.real);
  case Field::Kind::Text:
    return literalOf(llvm::StringRef(field.text));
  case Field::Kind::Address:
  case Field::Kind::Records:
  case Field::Kind::Numbers:
  case Field::Kind::Rows:
    return field.text;
  case Field::Kind::External:
    return "&" + field.text;
  case Field::Kind::Null:
    return "nullptr";
  }
  llvm_unreachable("all kinds are listed");
}

/// A struct; a record of one field is that field.
static std::string textOf(const Record &record) {
  if (record.size() == 1)
    return textOf(record.front());
  std::string result = "{";
  for (const Field &field : record)
    result += (&field == &record.front() ? "" : ", ") + textOf(field);
  return result + "}";
}

/// Defines the arrays that a record refers to, after the arrays that these
/// refer to.
static void defineArrays(const Record &record, llvm::raw_ostream &out) {
  for (const Field &field : record) {
    if (field.kind == Field::Kind::External)
      out << "extern \"C\" const tamrt_model " << field.text << ";\n";
    if (field.kind == Field::Kind::Numbers)
      out << "static const " << field.type << " " << field.text
          << "[] = " << elementsOf(field.numbers) << ";\n";
    if (field.kind == Field::Kind::Rows)
      out << "static const " << field.type << " " << field.text
          << "[] = " << rowsOf(field.numbers) << ";\n";
    if (field.kind != Field::Kind::Records)
      continue;
    for (const Record &row : field.records)
      defineArrays(row, out);
    out << "static const " << field.type << " " << field.text << "[] = {\n";
    for (const Record &row : field.records)
      out << "    " << textOf(row) << ",\n";
    out << "};\n";
  }
}

std::string tamc::describeInText(const Record &model, llvm::StringRef symbol) {
  std::string result;
  llvm::raw_string_ostream out(result);
  defineArrays(model, out);
  out << "extern \"C\" const tamrt_model " << symbol << ";\n"
      << "const tamrt_model " << symbol << " = {\n";
  for (const Field &field : model)
    out << "    " << textOf(field) << ",\n";
  out << "};";
  return result;
}
