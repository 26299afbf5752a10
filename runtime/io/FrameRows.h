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
#include "io/GrowingArray.h"
#include "tamrt/frame.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A column of numbers in the memory of a frame, none of which is marked as
/// missing. Copies are the nearest doubles.
class FrameNumbers {
public:
  /// Those of a column from its row `first` on; none if it has other values.
  static std::optional<FrameNumbers> of(const tamrt_frame_column &column,
                                        size_t first);

  /// Writes the numbers of `rows` to `out`.
  void gather(std::span<const uint32_t> rows, double *out) const;

  /// The numbers themselves; null unless they are doubles.
  const double *doubles() const {
    return type == TAMRT_FRAME_F64 ? static_cast<const double *>(values)
                                   : nullptr;
  }

private:
  FrameNumbers(tamrt_frame_type type, const void *values)
      : type(type), values(values) {}

  tamrt_frame_type type;
  const void *values;
};

/// Consecutive rows of one batch of a frame, which must outlive them. Rows
/// count from 0. Used by one thread at a time.
class FrameRows {
public:
  FrameRows(const tamrt_frame &frame, const tamrt_frame_batch &batch,
            size_t first, size_t count)
      : frame(&frame), batch(&batch), first(first), count(count),
        texts(size_t(frame.column_count)) {}

  size_t rowCount() const { return count; }

  /// The value as a CSV file would have it: missing values are empty, numbers
  /// their shortest text, times in ISO 8601, or with their seconds since 1970
  /// where `times` finds them beyond the years. It lives as long as the object.
  std::string_view field(size_t row, size_t column) const;

  /// The same for a single row: the text is made in `buffer`, unless it is
  /// stored.
  std::string_view field(size_t row, size_t column, std::string &buffer) const;

  /// Writes a tag of each row's value, so that rows with equal tags have equal
  /// fields. Returns an address that stands for what the tags mean: those of
  /// rows with another address cannot be compared. Null, and no tags, for a
  /// column of texts and one with marks of missing values.
  const void *tags(size_t column, uint64_t *out) const;

  /// Converts the values of a column to the nearest doubles in `out`, and the
  /// texts of a column of texts. Adds to `odd` the rows whose value is missing,
  /// infinite or no number.
  void numbers(size_t column, double *out, std::vector<size_t> &odd) const;

  /// Only adds these rows to `odd`, for a column of FrameNumbers.
  void findOdd(size_t column, std::vector<size_t> &odd) const;

  /// Whether a column has points in time.
  bool hasTimes(size_t column) const;

  /// The form of the points in time of a column, which has no marks of missing
  /// values, if none is missing or beyond the years 0 to 9999; then writes
  /// their seconds, unless `seconds` is null. None also if there are seconds to
  /// write and fractions of them.
  std::optional<Date::Form> plainTimes(size_t column, int64_t *seconds) const;

  /// Writes the form of each point in time, Date::Form::Missing for a missing
  /// one, and its seconds, 0 for that; appends the fractions in 1e-18 seconds
  /// to `fractions`, unless all are 0. Returns the first row that is not in the
  /// years 0 to 9999, to which dates in files are limited.
  std::optional<size_t> times(size_t column, Date::Form *forms,
                              int64_t *seconds,
                              GrowingArray<uint64_t> &fractions) const;

private:
  /// Texts of values that are not stored as text.
  struct Texts {
    std::string bytes;
    std::vector<size_t> ends;
  };

  /// The column and the index of the row's value in it; null if it is missing.
  const tamrt_frame_column *find(size_t row, size_t column,
                                 int64_t &index) const;

  const tamrt_frame *frame;
  const tamrt_frame_batch *batch;
  size_t first, count;
  /// By column, made when they are asked for.
  mutable std::vector<std::unique_ptr<const Texts>> texts;
};

} // namespace tamrt

#endif // TAMRT_IO_FRAMEROWS_H
