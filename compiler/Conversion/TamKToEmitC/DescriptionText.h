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

/// The shortest C++ literal with this value.
std::string literalOf(double value);

/// A C string literal with these bytes.
std::string literalOf(llvm::StringRef text);

/// Elements of f64, i32 or i64 as the initialiser of an array: literals in
/// braces, in lines of eighty columns.
std::string elementsOf(mlir::DenseElementsAttr elements);

/// The definitions of a model's constants in C++: the arrays that it refers to,
/// then `tamrt_model symbol`.
std::string describeInText(const Record &model, llvm::StringRef symbol);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOEMITC_DESCRIPTIONTEXT_H
