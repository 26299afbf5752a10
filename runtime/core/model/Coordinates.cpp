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
#include <map>
#include <string_view>
#include <utility>

namespace tamrt {

std::vector<Coordinate> coordinatesOf(const tamrt_model &model) {
  const auto count = size_t(model.penalty_count);
  std::map<std::pair<int64_t, std::string_view>, size_t> placeOf;
  for (size_t i = 0; i < count; ++i)
    placeOf.emplace(
        std::pair(model.penalties[i].effect, model.penalties[i].name), i);
  std::vector<Coordinate> all;
  std::vector<bool> isProduct(count);
  for (size_t i = 0; i < count; ++i) {
    Coordinate coordinate{i, {}, model.penalties[i].effect};
    // The names of a product's factors are its own and their places.
    const std::string_view name = model.penalties[i].name;
    for (size_t at = name.find('['); at != name.npos;
         at = name.find('[', at + 1)) {
      const auto product =
          placeOf.find({coordinate.effect, name.substr(0, at)});
      if (product == placeOf.end())
        continue;
      coordinate.products.push_back(product->second);
      isProduct[product->second] = true;
    }
    all.push_back(std::move(coordinate));
  }
  std::erase_if(all, [&](const Coordinate &coordinate) {
    return isProduct[coordinate.penalty];
  });
  return all;
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
