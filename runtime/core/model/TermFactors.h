//===- core/model/TermFactors.h - columns of a term -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which columns an effect reads, and how: from its term as the model has it.
/// tamc has checked the term, and wrote each run of white space as one blank.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_TERMFACTORS_H
#define TAMRT_CORE_MODEL_TERMFACTORS_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A term that is not a product.
struct TermFactor {
  /// Its name: "s", "c".
  std::string kind;
  /// The columns that it reads: the first one, then those of `others` and
  /// `slope`; each once.
  std::vector<std::string> columns;
  /// The other parameters as written, without quotes.
  std::map<std::string, std::string, std::less<>> parameters;
};

/// The factors of a term, in order: of a te those of all its terms, else one.
/// None for the offset.
std::vector<TermFactor> factorsOf(std::string_view term);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_TERMFACTORS_H
