//===- ListParameter.td - lists in attributes --------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_LISTPARAMETER_TD
#define TAMC_DIALECT_LISTPARAMETER_TD

include "mlir/IR/AttrTypeBase.td"

/// A list in brackets, of attributes or integers. ListParameter.h has its
/// syntax.
class Tamc_List<string type, string desc> : ArrayRefParameter<type, desc> {
  let comparator = cppType # "($_lhs) == " # cppType # "($_rhs)";
  let parser = "::tamc::parseList<" # type # ">($_parser)";
  let printer = "::tamc::printList($_printer, $_self)";
}
class Tamc_OptionalList<string type, string desc> : Tamc_List<type, desc> {
  let defaultValue = cppStorageType # "()";
}

#endif // TAMC_DIALECT_LISTPARAMETER_TD
