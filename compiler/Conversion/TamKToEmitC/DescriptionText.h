//===- DescriptionText.h - constants as C++ text ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOEMITC_DESCRIPTIONTEXT_H
#define TAMC_CONVERSION_TAMKTOEMITC_DESCRIPTIONTEXT_H

#include "../ModelDescription/ModelDescription.h"

namespace tamc {

/// A C++ literal of the same value: the shortest that reads back to it.
std::string literalOf(double value);

/// A C string literal of the same bytes.
std::string literalOf(llvm::StringRef text);

/// Elements of f64, i32 or i64 as the initial value of an array: braces around
/// literals, in lines of eighty columns.
std::string elementsOf(mlir::DenseElementsAttr elements);

/// The definitions of a model's constants in C++: the arrays it refers to, then
/// `tamrt_model symbol`.
std::string describeInText(const Record &model, llvm::StringRef symbol);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOEMITC_DESCRIPTIONTEXT_H
