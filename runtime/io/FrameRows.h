//===- io/FrameRows.h - some rows of a frame in memory ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_FRAMEROWS_H
#define TAMRT_IO_FRAMEROWS_H

#include "io/Date.h"
#include "tamrt/frame.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Consecutive rows of one batch of a frame, which must outlive them. Rows
/// count from 0. Used by one thread at a time.
class FrameRows {
public:
  FrameRows(const tamrt_frame &frame, const tamrt_frame_batch &batch,
            size_t first, size_t count)
      : batch(&batch), first(first), count(count),
        texts(size_t(frame.column_count)) {}

  size_t rowCount() const { return count; }

  /// The value as a CSV file would have it: missing values are empty, numbers
  /// their shortest text, times in ISO 8601, or with their seconds since 1970
  /// where `firstBeyond` finds them. It lives as long as the object.
  std::string_view field(size_t row, size_t column) const;

  /// Converts the values of a column to the nearest doubles in `out`, and the
  /// texts of a column of texts. Adds to `odd` the rows whose value is missing,
  /// infinite or no number.
  void numbers(size_t column, double *out, std::vector<size_t> &odd) const;

  /// Whether a column has points in time, which `time` gives. A missing one
  /// has Date::Form::Missing.
  bool hasTimes(size_t column) const;
  Date time(size_t row, size_t column) const;

  /// The first row whose point in time is not in the years 0 to 9999, to which
  /// dates in files are limited; none in a column of other values.
  std::optional<size_t> firstBeyond(size_t column) const;

private:
  /// Texts of values that are not stored as text.
  struct Texts {
    std::string bytes;
    std::vector<size_t> ends;
  };

  /// The column and the index of the row's value in it; null if it is missing.
  const tamrt_frame_column *find(size_t row, size_t column,
                                 int64_t &index) const;

  const tamrt_frame_batch *batch;
  size_t first, count;
  /// By column, made when they are asked for.
  mutable std::vector<std::unique_ptr<const Texts>> texts;
};

} // namespace tamrt

#endif // TAMRT_IO_FRAMEROWS_H
