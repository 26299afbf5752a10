//===- core/model/Systems.cpp - normal equations of groups ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Systems.h"

#include <algorithm>

namespace tamrt {

bool System::squaresVanish() const {
  return target.all().squares() < kMinSquares &&
         std::ranges::any_of(vector, [](double b) { return b != 0; });
}

void Systems::resize(const tamrt_model &model, size_t count) {
  groups.resize(count);
  const auto d = size_t(model.columns);
  for (System &system : groups) {
    system.matrix.resize(d * d);
    system.vector.resize(d);
  }
}

size_t Systems::bytesPerGroup(const tamrt_model &model) {
  const auto d = size_t(model.columns);
  return sizeof(System) + (d * d + d) * sizeof(double);
}

void Systems::take(size_t group, const double *output) {
  System &system = groups[group];
  const size_t d = system.vector.size();
  for (size_t j = 0; j < d; ++j)
    for (size_t i = j; i < d; ++i)
      system.matrix[j * d + i] = system.matrix[i * d + j] = output[j * d + i];
  const double *vector = output + vectorInSystem(int64_t(d));
  system.vector.assign(vector, vector + d);
}

void Systems::addRows(const Dataset &rows) {
  for (const Group &group : rows.groups()) {
    if (groups.size() <= group.place)
      groups.resize(group.place + 1);
    System &system = groups[group.place];
    system.rows += double(group.rows);
    system.target.add(rows, group);
  }
}

} // namespace tamrt
