//===- core/ranks/RowExchange.h - columns of exchanged rows -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Moves the columns of rows to the ranks that get the rows. The memory of a
/// column is used for the next one, so that one column at a time exists twice
/// and the system gives fresh memory for one alone.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_ROWEXCHANGE_H
#define TAMRT_CORE_RANKS_ROWEXCHANGE_H

#include "core/data/CachedParts.h"
#include "core/data/Dataset.h"
#include "core/ranks/Ranks.h"
#include "io/GrowingArray.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace tamrt {

class RowExchange {
public:
  /// `order` has the indices of this rank's rows as they are sent, those for a
  /// rank after those for the ranks before it, and their groups; `sent` and
  /// `received` their numbers by rank.
  RowExchange(const Ranks &ranks, RowOrder order, std::vector<size_t> sent,
              std::vector<size_t> received)
      : ranks(ranks), rows(std::move(order.rows)), sent(std::move(sent)),
        received(std::move(received)), parts(partsOf(rows, order.groups)) {}
  RowExchange(const RowExchange &) = delete;
  RowExchange &operator=(const RowExchange &) = delete;

  /// Rows that this rank gets.
  size_t count() const {
    return std::accumulate(received.begin(), received.end(), size_t(0));
  }

  /// Replaces columns of the rows that this rank had by those of the rows that
  /// it gets: in the order of the ranks that had them, or in the order that was
  /// given to `setOrder`. All ranks call it.
  template <class T> void move(std::span<GrowingArray<T>> columns);

  /// Sets the order of the columns that are moved from now on: the indices of
  /// the rows in the order of ranks.
  void setOrder(std::span<const uint32_t> indices);

  /// Brings columns that have been moved before into this order.
  template <class T> void arrange(std::span<GrowingArray<T>> columns) const;

  /// What the constructor got. No column can be moved after it.
  std::vector<uint32_t> takeRows() { return std::move(rows); }
  std::vector<size_t> takeSent() { return std::move(sent); }
  std::vector<size_t> takeReceived() { return std::move(received); }

private:
  /// Consecutive rows.
  struct Run {
    uint32_t first, count;
  };
  /// An array of so many values, which are undefined.
  template <class T> static T *resize(GrowingArray<T> &array, size_t size) {
    array.truncate(0);
    array.reserve(size);
    return array.extend(size);
  }
  template <class T>
  static void gather(const T *from, std::span<const uint32_t> indices, T *to) {
    for (const uint32_t index : indices)
      *to++ = from[index];
  }

  /// Brings a column of the rows in the order of ranks into ours.
  template <class T>
  void arrange(const GrowingArray<T> &column, GrowingArray<T> &to) const;

  const Ranks &ranks;
  std::vector<uint32_t> rows;
  std::vector<size_t> sent, received;
  /// Of `rows`, as they are copied.
  std::vector<std::span<const uint32_t>> parts;
  /// Empty: that of ranks.
  std::span<const uint32_t> order;
  /// The order, if its runs are long: often a rank has rows of a group that
  /// follow each other.
  std::vector<Run> runs;
};

inline void RowExchange::setOrder(std::span<const uint32_t> indices) {
  constexpr size_t kMinRun = 64;
  order = indices;
  runs.clear();
  for (const uint32_t index : indices) {
    if (!runs.empty() && index == runs.back().first + runs.back().count) {
      ++runs.back().count;
      continue;
    }
    if (runs.size() > indices.size() / kMinRun)
      return runs.clear();
    runs.push_back({index, 1});
  }
  if (runs.size() <= 1 && (runs.empty() || runs[0].first == 0))
    order = {};
}

template <class T>
void RowExchange::arrange(const GrowingArray<T> &column,
                          GrowingArray<T> &to) const {
  T *out = resize(to, order.size());
  for (const Run &run : runs)
    out = std::copy_n(column.data() + run.first, run.count, out);
  if (runs.empty())
    gather(column.data(), order, out);
}

template <class T> void RowExchange::move(std::span<GrowingArray<T>> columns) {
  GrowingArray<T> spare;
  for (GrowingArray<T> &column : columns) {
    T *out = resize(spare, rows.size());
    for (const std::span<const uint32_t> part : parts)
      gather(column.data(), part, out + (part.data() - rows.data()));
    if (ranks.size() > 1)
      ranks.exchange(spare.data(), sent, resize(column, count()), received,
                     sizeof(T));
    else
      std::swap(column, spare);
    if (order.empty())
      continue;
    arrange(column, spare);
    std::swap(column, spare);
  }
}

template <class T>
void RowExchange::arrange(std::span<GrowingArray<T>> columns) const {
  GrowingArray<T> spare;
  for (GrowingArray<T> &column : columns) {
    if (order.empty())
      return;
    arrange(column, spare);
    std::swap(column, spare);
  }
}

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_ROWEXCHANGE_H
