//===- TensorValues.h - values of tensor types ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_TENSORVALUES_H
#define TAMC_TEST_REFERENCE_TENSORVALUES_H

#include "Datum.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tamc::reference {

/// A value of zeros of a static tensor type.
Datum zerosOf(mlir::RankedTensorType type);

/// Whether `value` is a valid value of type `type`.
bool fits(const Datum &value, mlir::Type type);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_TENSORVALUES_H
