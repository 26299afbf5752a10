//===- ProfileField.h - what the fields of a profile are --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Missing values and numbers of a profile. A model's levels are counted when
/// it is compiled, and collected by the runtime in a fit. The rules for missing
/// values, numbers and equality must agree with runtime/io/Number.h,
/// runtime/io/CsvFormat.h and runtime/core/data/Levels.h.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_PROFILEFIELD_H
#define TAMC_COMPILER_SPEC_PROFILEFIELD_H

#include "tamc/Spec/ModelSpec.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tamc::spec {

/// Whether a field is missing in a column of numbers. In a column of text only
/// an empty one is.
bool isMissing(llvm::StringRef field);

/// A number with a decimal point, or an infinity in words.
std::optional<double> numberOf(llvm::StringRef field);

/// Reads fields of a format.
class FieldReader {
public:
  explicit FieldReader(const ProfileFormat &format);

  /// `field` in the form in which levels are compared: numbers have a decimal
  /// point. `buffer` contains it if it is not `field` itself.
  llvm::StringRef withPoint(llvm::StringRef field, std::string &buffer) const;

  /// Whether a field with a decimal point is one of the format's missing texts,
  /// or a number that is equal to one as it is written.
  bool isMissingText(llvm::StringRef field) const;

  /// The field as a number, which is not missing.
  std::optional<double> number(llvm::StringRef field) const;

private:
  char decimal;
  /// With a decimal point, if they are numbers; and these numbers.
  std::vector<std::string> missing;
  std::vector<double> missingNumbers;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_PROFILEFIELD_H
