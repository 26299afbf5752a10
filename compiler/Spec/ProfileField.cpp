//===- ProfileField.cpp - what the fields of a profile are ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileField.h"
#include "Text.h"

#include "tamrt/decimal.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tamc::spec {

bool isMissing(llvm::StringRef field) {
  field = field.trim(" \t");
  if (field.empty())
    return true;
  for (llvm::StringRef marker : {"na", "n/a", "nat", "null", "none"})
    if (field.equals_insensitive(marker))
      return true;
  if (field[0] == '-' || field[0] == '+')
    field = field.drop_front();
  return field.equals_insensitive("nan");
}

std::optional<double> numberOf(llvm::StringRef field) {
  field = field.trim(" \t");
  if (std::optional<double> number = parseNumber(field))
    return number;
  bool negative = field.consume_front("-");
  if (!negative)
    field.consume_front("+");
  if (!field.equals_insensitive("inf") && !field.equals_insensitive("infinity"))
    return std::nullopt;
  return negative ? -HUGE_VAL : HUGE_VAL;
}

FieldReader::FieldReader(const ProfileFormat &format)
    : decimal(format.decimal) {
  for (llvm::StringRef text : format.missing) {
    std::string buffer;
    missing.push_back(withPoint(text, buffer).trim(" \t").str());
    if (std::optional<double> number = numberOf(missing.back()))
      missingNumbers.push_back(*number);
  }
}

llvm::StringRef FieldReader::withPoint(llvm::StringRef field,
                                       std::string &buffer) const {
  size_t at = decimal == '.' ? field.npos : field.find(decimal);
  if (at == field.npos)
    return field;
  buffer = field.str();
  buffer[at] = '.';
  return numberOf(buffer) ? llvm::StringRef(buffer) : field;
}

bool FieldReader::isMissingText(llvm::StringRef field) const {
  if (missing.empty())
    return false;
  field = field.trim(" \t");
  if (llvm::is_contained(missing, field))
    return true;
  std::optional<double> number;
  if (!missingNumbers.empty())
    number = numberOf(field);
  return number && llvm::any_of(missing, [&](llvm::StringRef text) {
           std::optional<double> other = numberOf(text);
           return other && tamrt::ExactNumber{*other, text} ==
                               tamrt::ExactNumber{*number, field};
         });
}

std::optional<double> FieldReader::number(llvm::StringRef field) const {
  std::string buffer;
  field = withPoint(field, buffer);
  if (isMissing(field) || isMissingText(field))
    return std::nullopt;
  std::optional<double> number = numberOf(field);
  if (number && llvm::is_contained(missingNumbers, *number))
    return std::nullopt;
  return number;
}

} // namespace tamc::spec
