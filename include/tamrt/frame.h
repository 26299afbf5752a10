//===- tamrt/frame.h - rows in memory ----------------------------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows in the memory of a program, which the runtime reads as it reads a file.
/// The layout of columns is that of Apache Arrow, so that Arrow's arrays and
/// contiguous arrays of numbers need no copy. C, libc only.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_FRAME_H
#define TAMRT_FRAME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The elements of `tamrt_frame_column::values`.
typedef enum tamrt_frame_type {
  /// Numbers. A NaN is a missing value.
  TAMRT_FRAME_F64 = 0,
  TAMRT_FRAME_F32 = 1,
  TAMRT_FRAME_I64 = 2,
  TAMRT_FRAME_I32 = 3,
  TAMRT_FRAME_I16 = 4,
  TAMRT_FRAME_I8 = 5,
  TAMRT_FRAME_U64 = 6,
  TAMRT_FRAME_U32 = 7,
  TAMRT_FRAME_U16 = 8,
  TAMRT_FRAME_U8 = 9,
  /// Truth values, a byte or a bit each: the numbers 0 and 1, the texts False
  /// and True.
  TAMRT_FRAME_BOOL = 10,
  TAMRT_FRAME_BITS = 11,
  /// UTF-8 of `text`: element i is from values[i] up to values[i + 1], int32_t
  /// or int64_t. An empty text is a missing value.
  TAMRT_FRAME_TEXT32 = 12,
  TAMRT_FRAME_TEXT64 = 13,
  /// Points in time: int64_t ticks since 1970-01-01, `ticks` of them a second.
  /// The least int64_t is a missing value.
  TAMRT_FRAME_TIME = 14,
  /// Days since 1970-01-01, int32_t.
  TAMRT_FRAME_DAYS = 15,
} tamrt_frame_type;

/// A column of a batch.
typedef struct tamrt_frame_column {
  /// A tamrt_frame_type.
  int32_t type;
  /// For TIME: 1 if the ticks are in UTC, 0 if they are local times, which have
  /// no time zone. Dates of a column are of one kind.
  int32_t is_zoned;
  /// For TIME: 1, 1000, 1000000 or 1000000000.
  int64_t ticks;
  /// Index in `values` and bit of `valid` of the first row.
  int64_t first;
  const void *values;
  /// For TEXT32 and TEXT64.
  const char *text;
  /// A bit for each element, the lowest first: 0 if it is a missing value.
  /// Null: none is.
  const uint8_t *valid;
  /// The values, if `values` are indices into it; else null. It has no
  /// dictionary itself, and indices are integers that it has; a negative one is
  /// a missing value.
  const struct tamrt_frame_column *dictionary;
} tamrt_frame_column;

/// Consecutive rows.
typedef struct tamrt_frame_batch {
  int64_t rows;
  /// One for each name of the frame.
  const tamrt_frame_column *columns;
} tamrt_frame_batch;

/// Rows by columns. Rows are counted from 0.
typedef struct tamrt_frame {
  /// What messages call it.
  const char *name;
  int64_t column_count;
  const char *const *names;
  int64_t batch_count;
  const tamrt_frame_batch *batches;
} tamrt_frame;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TAMRT_FRAME_H
