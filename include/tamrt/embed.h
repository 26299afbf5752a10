//===- tamrt/embed.h - common part of library headers -------------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Status codes and details of errors of models that `tamc --emit=lib` made.
/// C11, libc only. The header of every model contains this text, so that it
/// needs no other header; headers of several models may be included together.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_EMBED_H
#define TAMRT_EMBED_H

#include <stddef.h>
#include <stdint.h>

/// Result of a function of an embedded model. After an error the function's
/// output is undefined; predictions refuse the weights of a fit that failed.
typedef enum tamrt_embed_status {
  /// Done.
  TAMRT_EMBED_OK = 0,
  /// A required pointer is null. Detail: column, if it is that of a column.
  TAMRT_EMBED_NULL_POINTER = 1,
  /// No row, or more than 2^32 - 2.
  TAMRT_EMBED_ROW_COUNT = 2,
  /// The arena is smaller than the data needs. Detail: needed.
  TAMRT_EMBED_ARENA_TOO_SMALL = 3,
  /// The buffer for weights or for a file is too small. Detail: needed.
  TAMRT_EMBED_BUFFER_TOO_SMALL = 4,
  /// Weights do not start at a multiple of 8 bytes.
  TAMRT_EMBED_MISALIGNED = 5,
  /// A value is not a number (NaN). Detail: row, column.
  TAMRT_EMBED_MISSING_VALUE = 6,
  /// A value is infinite. Detail: row, column.
  TAMRT_EMBED_INFINITE_VALUE = 7,
  /// A row weight is negative. Detail: row, column.
  TAMRT_EMBED_NEGATIVE_WEIGHT = 8,
  /// More distinct levels in the training rows than the model has room for.
  /// Detail: row of the first one beyond, column.
  TAMRT_EMBED_TOO_MANY_LEVELS = 9,
  /// The range of a column's values exceeds that of a double. Detail: column,
  /// group.
  TAMRT_EMBED_RANGE_OVERFLOW = 10,
  /// Values of a column differ only by rounding. Detail: column, group.
  TAMRT_EMBED_RANGE_ROUNDING = 11,
  /// The group was not trained. Detail: row, group.
  TAMRT_EMBED_UNKNOWN_GROUP = 12,
  /// The system of a group is not positive definite; raise the penalty ap, or
  /// lower one above 8. Detail: group, effect.
  TAMRT_EMBED_NOT_POSITIVE_DEFINITE = 13,
  /// A sum or a coefficient exceeds the range of a double; scale the target or
  /// the row weights, or lower the penalty ap. Detail: group, effect.
  TAMRT_EMBED_OVERFLOW = 14,
  /// A prediction is not finite: the row is too far from the training rows.
  /// Detail: row, group, effect (null: the sum of the effects).
  TAMRT_EMBED_NOT_FINITE = 15,
  /// The weights are those of another model.
  TAMRT_EMBED_OTHER_MODEL = 16,
  /// The bytes are not weights, or not weights that a fit can write.
  TAMRT_EMBED_MALFORMED_WEIGHTS = 17,
  /// No group, column or level of that name.
  TAMRT_EMBED_UNKNOWN_NAME = 18,
  /// A bug in tamc, or object and runtime of different versions of it.
  TAMRT_EMBED_INTERNAL = 19,
  /// The CPU lacks instructions that the model was compiled for (--mcpu).
  TAMRT_EMBED_CPU = 20,
  /// The iterations of a group did not converge; raise the penalty ap, or lower
  /// one above 8. Detail: group.
  TAMRT_EMBED_NOT_CONVERGED = 21,
  /// A number that an effect learns from the training rows exceeds the range of
  /// a double: the rows' distances are too small for a gamma, or the leaves'
  /// row counts differ too much for the sp_alpha. Detail: effect.
  TAMRT_EMBED_TABLES = 22,
  /// The sum of the row weights of a group is not above 0, or a double cannot
  /// hold it in full precision. Detail: column, group.
  TAMRT_EMBED_WEIGHT_SUM = 23
} tamrt_embed_status;

/// The place of an error. A field that the status does not use is -1, null
/// or 0.
typedef struct tamrt_embed_error {
  /// A tamrt_embed_status.
  int32_t status;
  int32_t reserved;
  /// Row of the data, from 0.
  int64_t row;
  /// Group of the data; 0 in a model without groups.
  int64_t group;
  /// Names of the column, as in the spec, and of the effect. They live as long
  /// as the program.
  const char *column;
  const char *effect;
  /// Bytes that the arena or buffer must have.
  size_t needed;
} tamrt_embed_error;

#endif // TAMRT_EMBED_H
