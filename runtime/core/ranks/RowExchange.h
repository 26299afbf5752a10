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
/// column can be used for the next one: then one column at a time exists twice
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

/// The order of rows in which columns are arranged.
class ColumnOrder {
public:
  /// That of the columns.
  ColumnOrder() = default;
  /// `indices` has the rows' places in the columns, and must outlive this.
  explicit ColumnOrder(std::span<const uint32_t> indices);

  /// Whether it is that of the columns.
  bool isSame() const { return indices.empty(); }
  size_t size() const { return indices.size(); }
  /// Copies the rows of a column in this order.
  template <class T> void copy(const T *from, T *to) const;

private:
  /// Consecutive rows.
  struct Run {
    uint32_t first, count;
  };

  std::span<const uint32_t> indices;
  /// The order, if its runs are long: often a rank has rows of a group that
  /// follow each other.
  std::vector<Run> runs;
};

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

  /// Replaces a column of the rows that this rank had by that of the rows that
  /// it gets, in the order of the ranks that had them. `spare` is memory for
  /// that, also that of another column. All ranks call it.
  template <class T>
  void move(GrowingArray<T> &column, GrowingArray<T> &spare) const;

  /// What the constructor got. No column can be moved after it.
  std::vector<uint32_t> takeRows() { return std::move(rows); }
  std::vector<size_t> takeSent() { return std::move(sent); }
  std::vector<size_t> takeReceived() { return std::move(received); }

private:
  const Ranks &ranks;
  std::vector<uint32_t> rows;
  std::vector<size_t> sent, received;
  /// Of `rows`, as they are copied.
  std::vector<std::span<const uint32_t>> parts;
};

/// Copies the rows `indices` of a column.
template <class T>
void gather(const T *from, std::span<const uint32_t> indices, T *to) {
  for (const uint32_t index : indices)
    *to++ = from[index];
}

/// Gives an array a size; its values are undefined. \returns them.
template <class T> T *resize(GrowingArray<T> &array, size_t size) {
  array.truncate(0);
  array.reserve(size);
  return array.extend(size);
}

inline ColumnOrder::ColumnOrder(std::span<const uint32_t> indices)
    : indices(indices) {
  constexpr size_t kMinRun = 64;
  for (const uint32_t index : indices) {
    if (!runs.empty() && index == runs.back().first + runs.back().count) {
      ++runs.back().count;
      continue;
    }
    if (runs.size() > indices.size() / kMinRun) {
      runs.clear();
      return;
    }
    runs.push_back({index, 1});
  }
  if (runs.size() <= 1 && (runs.empty() || runs[0].first == 0))
    *this = ColumnOrder();
}

template <class T> void ColumnOrder::copy(const T *from, T *to) const {
  for (const Run &run : runs)
    to = std::copy_n(from + run.first, run.count, to);
  if (runs.empty())
    gather(from, indices, to);
}

template <class T>
void RowExchange::move(GrowingArray<T> &column, GrowingArray<T> &spare) const {
  T *out = resize(spare, rows.size());
  for (const std::span<const uint32_t> part : parts)
    gather(column.data(), part, out + (part.data() - rows.data()));
  if (ranks.size() > 1)
    ranks.exchange(spare.data(), sent, resize(column, count()), received,
                   sizeof(T));
  else
    std::swap(column, spare);
}

/// Brings a column into an order. `spare` is memory for that, also that of
/// another column.
template <class T>
void arrange(GrowingArray<T> &column, const ColumnOrder &order,
             GrowingArray<T> &spare) {
  if (order.isSame())
    return;
  order.copy(column.data(), resize(spare, order.size()));
  std::swap(column, spare);
}

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_ROWEXCHANGE_H
