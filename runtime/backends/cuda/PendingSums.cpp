//===- cuda/PendingSums.cpp - sums that share launches --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/PendingSums.h"

#include <functional>

namespace tamrt::cuda {

/// Whether two ranges of memory have a byte in common.
static bool overlap(const void *a, size_t aBytes, const void *b,
                    size_t bBytes) {
  const auto first = reinterpret_cast<uintptr_t>(a);
  const auto second = reinterpret_cast<uintptr_t>(b);
  return first < second + bBytes && second < first + aBytes;
}

template <class T>
static bool isIn(const Buffer<T> &buffer, const void *start, size_t bytes) {
  return buffer.count > 0 &&
         overlap(buffer.data, size_t(buffer.count) * sizeof(T), start, bytes);
}

static int tileOf(const Factor &factor) {
  return tileOf(factor.kind, factor.width);
}

static int64_t numbersOf(const RowProduct &product) {
  return numbersOf(product.na, product.nb, product.left.width,
                   product.right.width);
}

/// Whether places of rows of `columns` columns can be written down.
static bool hasPlaces(const Factor &factor, int64_t columns) {
  if (factor.kind != Factor::Band && factor.kind != Factor::Level)
    return factor.width <= kMostThreads;
  return factor.width <= kMostWidth && columns < kNoPlace;
}

bool RowProduct::fits() const {
  return hasPlaces(left, na) && hasPlaces(right, nb) &&
         threads() <= kMostThreads && na <= kMostShared && nb <= kMostShared &&
         numbersOf(*this) + tileOf(left) + tileOf(right) + kRowsAtOnce <=
             kMostShared;
}

bool PendingSums::agrees(const RowProduct &product,
                         const SegmentSums &sums) const {
  if (products.empty())
    return true;
  const Entry &one = products.front();
  return one.product.rows == product.rows && one.product.w == product.w &&
         one.sums.adds == sums.adds && one.sums.stride == sums.stride;
}

void PendingSums::add(const RowProduct &product, const Segments &of,
                      const SegmentSums &sums) {
  segments = of;
  products.push_back({product, sums});
}

std::pair<const double *, const double *> PendingSums::range() const {
  std::pair<const double *, const double *> found = {nullptr, nullptr};
  for (const Entry &each : products) {
    const double *const start = each.sums.own.data;
    const double *const end = start + each.sums.own.count;
    if (!found.first || std::less<>()(start, found.first))
      found.first = start;
    if (!found.second || std::less<>()(found.second, end))
      found.second = end;
  }
  return found;
}

bool PendingSums::reads(const void *start, size_t bytes) const {
  return std::any_of(products.begin(), products.end(), [&](const Entry &each) {
    const RowProduct &product = each.product;
    return isIn(product.w, start, bytes) ||
           isIn(product.left.values, start, bytes) ||
           isIn(product.left.index, start, bytes) ||
           isIn(product.right.values, start, bytes) ||
           isIn(product.right.index, start, bytes);
  });
}

bool PendingSums::adds(const void *start, size_t bytes) const {
  return std::any_of(products.begin(), products.end(), [&](const Entry &each) {
    return isIn(each.sums.own, start, bytes);
  });
}

/// The sums of a launch, in doubles, so that all launches have as many.
int64_t PendingSums::shareOf(const std::vector<Entry> &all) {
  int64_t sums = 0, tiles = kRowsAtOnce;
  std::vector<Factor> known;
  for (const Entry &each : all) {
    sums += numbersOf(each.product);
    for (const Factor &factor : {each.product.left, each.product.right})
      if (std::find(known.begin(), known.end(), factor) == known.end()) {
        known.push_back(factor);
        tiles += tileOf(factor);
      }
  }
  const int64_t room = std::max<int64_t>(kMostShared - tiles, kMostShared / 2);
  const int64_t launches = (sums + room - 1) / room;
  return launches > 0 ? (sums + launches - 1) / launches : 0;
}

/// The sums of all, from the lowest address on.
SegmentSums PendingSums::allOf(const std::vector<Entry> &all) {
  SegmentSums sums = all.front().sums;
  for (const Entry &each : all)
    if (std::less<>()(each.sums.own.data, sums.own.data))
      sums = each.sums;
  for (const Entry &each : all) {
    const int64_t end =
        each.sums.own.data + each.sums.own.count - sums.own.data;
    const int64_t more = end - sums.own.count;
    if (more <= 0)
      continue;
    sums.own.count += more;
    if (sums.further.count > 0)
      sums.further.count += more;
  }
  return sums;
}

/// Fills a launch with products from the `first` on. \returns the first that is
/// left.
size_t PendingSums::fill(const std::vector<Entry> &all, size_t first,
                         int64_t share, const SegmentSums &lowest,
                         AddRows &body, Grid &grid) const {
  body.rows = all[first].product.rows;
  body.w = all[first].product.w;
  body.segments = segments;
  body.sums = lowest;
  int64_t sums = 0, threads = 0, tiles = 0;
  size_t at = first;
  for (; at < all.size() && body.productCount < kMostProducts; ++at) {
    const RowProduct &product = all[at].product;
    int64_t moreTiles = 0;
    int32_t count = body.factorCount, indices[2];
    const Factor *const both[] = {&product.left, &product.right};
    Factor fresh[2];
    for (int i = 0; i < 2; ++i) {
      int32_t &index = indices[i];
      for (index = 0; index < body.factorCount; ++index)
        if (body.factors[index] == *both[i])
          break;
      if (index < body.factorCount)
        continue;
      if (i == 1 && count > body.factorCount && fresh[0] == *both[1]) {
        index = indices[0];
        continue;
      }
      fresh[count - body.factorCount] = *both[i];
      index = count++;
      moreTiles += tileOf(*both[i]);
    }
    const int64_t numbers = numbersOf(product);
    if (count > kMostFactors || threads + product.threads() > kMostThreads ||
        sums + numbers + tiles + moreTiles + kRowsAtOnce > kMostShared ||
        (sums > 0 && sums >= share))
      break;
    for (int32_t i = body.factorCount; i < count; ++i)
      body.factors[i] = fresh[i - body.factorCount];
    body.factorCount = count;
    const SegmentSums &own = all[at].sums;
    body.products[body.productCount++] = {
        uint8_t(indices[0]),
        uint8_t(indices[1]),
        product.isUpper,
        product.lacksMeans,
        int32_t(product.na),
        int32_t(product.nb),
        int32_t(threads),
        int32_t(sums),
        int32_t(own.own.data - lowest.own.data)};
    sums += numbers;
    threads += product.threads();
    tiles += moreTiles;
  }
  auto tile = int32_t(sums);
  for (int32_t i = 0; i < body.factorCount; ++i) {
    body.factors[i].tile = tile;
    tile += tileOf(body.factors[i]);
  }
  body.weights = tile;
  grid.threads = int((threads + kWarp - 1) / kWarp * kWarp);
  grid.shared = tile + (body.w.data ? kRowsAtOnce : 0);
  body.shared = grid.shared;
  return at;
}

} // namespace tamrt::cuda
