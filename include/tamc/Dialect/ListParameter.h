//===- ListParameter.h - syntax of lists in attributes ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_LISTPARAMETER_H
#define TAMC_DIALECT_LISTPARAMETER_H

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/STLExtras.h"

namespace tamc {

/// Parses `[a, b]`, the syntax of ListParameter.td.
template <typename T>
mlir::FailureOr<mlir::SmallVector<T>> parseList(mlir::AsmParser &parser) {
  mlir::SmallVector<T> list;
  auto parseElement = [&]() -> mlir::ParseResult {
    mlir::FailureOr<T> element = mlir::FieldParser<T>::parse(parser);
    if (failed(element))
      return mlir::failure();
    list.push_back(*element);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square,
                                     parseElement))
    return mlir::failure();
  return list;
}

/// Prints what parseList() reads.
template <typename T>
void printList(mlir::AsmPrinter &printer, mlir::ArrayRef<T> list) {
  printer << '[';
  llvm::interleaveComma(list, printer, [&](const T &element) {
    if constexpr (std::is_integral_v<T>)
      printer << element;
    else
      printer.printStrippedAttrOrType(element);
  });
  printer << ']';
}

} // namespace tamc

#endif // TAMC_DIALECT_LISTPARAMETER_H
