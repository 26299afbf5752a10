//===- TextMutator.h - random changes of an attribute's text ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_PIPELINES_TEXTMUTATOR_H
#define TAMC_TEST_UNIT_PIPELINES_TEXTMUTATOR_H

#include "Random.h"

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tamc::reference {

/// Makes one random change to an element of a list in the text of `attribute`,
/// whose lists are in angle or square brackets. `changeNumber` replaces a
/// number; it returns an empty text for what is not a number. The result is
/// `attribute` if it cannot be parsed after the change.
mlir::Attribute
changeText(mlir::Attribute attribute, Random &random,
           llvm::function_ref<std::string(llvm::StringRef)> changeNumber);

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_PIPELINES_TEXTMUTATOR_H
