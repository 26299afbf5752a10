//===- core/model/Coordinates.cpp - penalties that are chosen -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Coordinates.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tamrt {

std::vector<Coordinate> coordinatesOf(const tamrt_model &model) {
  // The names of a product's factors, which follow it, are its own and their
  // places.
  auto isFactor = [&](size_t outer, size_t inner) {
    const tamrt_penalty &a = model.penalties[outer],
                        &b = model.penalties[inner];
    const std::string_view name = a.name, longer = b.name;
    return outer != inner && a.effect == b.effect && longer.starts_with(name) &&
           longer.substr(name.size()).starts_with('[');
  };
  const auto count = size_t(model.penalty_count);
  std::vector<Coordinate> coordinates;
  for (size_t i = 0; i < count; ++i) {
    Coordinate coordinate{i, {}, model.penalties[i].effect};
    bool isProduct = false;
    for (size_t j = 0; j < count; ++j) {
      isProduct |= isFactor(i, j);
      if (isFactor(j, i))
        coordinate.products.push_back(j);
    }
    if (!isProduct)
      coordinates.push_back(std::move(coordinate));
  }
  return coordinates;
}

double apOf(const Coordinate &coordinate, const std::vector<double> &aps) {
  double ap = aps[coordinate.penalty];
  for (size_t product : coordinate.products)
    ap += aps[product];
  return ap;
}

/// Whether a penalty has a limit below that of all aps.
static bool hasLimit(const tamrt_penalty &penalty) {
  return penalty.limit < TAMRT_AP_LIMIT;
}

Status checkLimits(const tamrt_model &model, const std::vector<double> &aps) {
  for (const Coordinate &coordinate : coordinatesOf(model)) {
    const tamrt_penalty &penalty = model.penalties[coordinate.penalty];
    const double ap = apOf(coordinate, aps);
    // A sum of tenths may be off by rounding.
    if (!hasLimit(penalty) || ap <= penalty.limit + 1e-9)
      continue;
    return Error{fmt::format(
        "{}: expected an ap of at most {}{}, got {}; a larger penalty would "
        "hardly change the fit, but take the digits of the rows' sums",
        penalty.name, penalty.limit,
        coordinate.products.empty() ? "" : ", those of its products added",
        ap)};
  }
  return {};
}

bool haveLimits(const tamrt_model &model) {
  return std::any_of(model.penalties, model.penalties + model.penalty_count,
                     hasLimit);
}

} // namespace tamrt
