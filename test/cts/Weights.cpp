//===- Weights.cpp - the numbers of a weights file ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Weights.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace llvm;
using namespace tamc::cts;
using namespace tamc::reference;

/// The numbers of a tensor in the file's data.
static Vector numbersOf(const llvm::json::Object &tensor, StringRef data) {
  Vector numbers;
  auto range = tensor.getArray("data_offsets");
  int64_t first = *(*range)[0].getAsInteger(),
          end = *(*range)[1].getAsInteger();
  bool isDouble = tensor.getString("dtype") == "F64";
  for (; first < end; first += isDouble ? 8 : 4) {
    const char *at = data.data() + first;
    numbers.push_back(
        isDouble ? llvm::bit_cast<double>(llvm::support::endian::read64le(at))
                 : static_cast<int32_t>(llvm::support::endian::read32le(at)));
  }
  return numbers;
}

std::optional<Weights>
Weights::read(StringRef file, size_t groups,
              ArrayRef<std::pair<std::string, bool>> tables) {
  if (file.size() < 8)
    return std::nullopt;
  size_t length = llvm::support::endian::read64le(file.data());
  StringRef data = file.drop_front(std::min(8 + length, file.size()));
  auto header = llvm::json::parse(file.substr(8, length));
  if (!header) {
    consumeError(header.takeError());
    return std::nullopt;
  }
  auto find = [&](const std::string &name) {
    return header->getAsObject()->getObject(name);
  };
  if (!find("coefficients"))
    return std::nullopt;
  Weights weights;
  for (const auto &[name, numbers] :
       {std::pair("coefficients", &weights.coefficients),
        std::pair("inference.covariance", &weights.covariances),
        std::pair("inference.edf", &weights.edfs),
        std::pair("inference.means", &weights.means),
        std::pair("inference.groups", &weights.statistics)}) {
    auto tensor = find(name);
    if (!tensor)
      continue;
    Vector all = numbersOf(*tensor, data);
    size_t columns = all.size() / groups;
    for (size_t i = 0; i < groups; ++i)
      numbers->emplace_back(all.begin() + i * columns,
                            all.begin() + (i + 1) * columns);
  }
  for (const auto &[name, isMatrix] : tables) {
    auto tensor = find("tables." + name);
    if (!tensor)
      return std::nullopt;
    Vector numbers = numbersOf(*tensor, data);
    if (!isMatrix) {
      weights.tables.push_back(std::move(numbers));
      continue;
    }
    auto shape = tensor->getArray("shape");
    Matrix matrix(*(*shape)[0].getAsInteger(),
                  shape->size() == 2 ? *(*shape)[1].getAsInteger() : 1);
    matrix.values = std::move(numbers);
    weights.tables.push_back(std::move(matrix));
  }
  return weights;
}
