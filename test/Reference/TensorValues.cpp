//===- TensorValues.cpp - values of tensor types --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorValues.h"

using namespace mlir;
using namespace tamc::reference;

Datum tamc::reference::zerosOf(RankedTensorType type) {
  if (type.getRank() == 1)
    return Vector(type.getDimSize(0));
  return Matrix(type.getDimSize(0), type.getDimSize(1));
}

bool tamc::reference::fits(const Datum &value, Type type) {
  if (type.isIndex())
    return std::holds_alternative<int64_t>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  auto isSize = [&](unsigned dim, size_t size) {
    return tensor.isDynamicDim(dim) ||
           tensor.getDimSize(dim) == static_cast<int64_t>(size);
  };
  // A table of integers is stored as a matrix.
  bool isCodes = tensor.getElementType().isInteger(32);
  if (tensor.getRank() == 1 && isCodes)
    return std::holds_alternative<Codes>(value) &&
           isSize(0, std::get<Codes>(value).size());
  if (tensor.getRank() == 1)
    return std::holds_alternative<Vector>(value) &&
           isSize(0, std::get<Vector>(value).size());
  return tensor.getRank() == 2 && std::holds_alternative<Matrix>(value) &&
         isSize(0, std::get<Matrix>(value).rows) &&
         isSize(1, std::get<Matrix>(value).columns);
}
