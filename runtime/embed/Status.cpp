//===- embed/Status.cpp - errors of embedded models in words --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Embed.h"

const char *tamrt_embed_status_string(int status) {
  switch (status) {
  case TAMRT_EMBED_OK:
    return "done";
  case TAMRT_EMBED_NULL_POINTER:
    return "expected a pointer, got null";
  case TAMRT_EMBED_ROW_COUNT:
    return "expected 1 to 2^32 - 2 rows";
  case TAMRT_EMBED_ARENA_TOO_SMALL:
    return "expected a larger arena";
  case TAMRT_EMBED_BUFFER_TOO_SMALL:
    return "expected a larger buffer";
  case TAMRT_EMBED_MISALIGNED:
    return "expected weights at a multiple of 8 bytes";
  case TAMRT_EMBED_MISSING_VALUE:
    return "expected a finite value, got a missing value";
  case TAMRT_EMBED_INFINITE_VALUE:
    return "expected a finite value, got infinity";
  case TAMRT_EMBED_NEGATIVE_WEIGHT:
    return "expected a weight that is not negative";
  case TAMRT_EMBED_TOO_MANY_LEVELS:
    return "expected fewer levels";
  case TAMRT_EMBED_RANGE_OVERFLOW:
    return "expected values whose range is finite";
  case TAMRT_EMBED_RANGE_ROUNDING:
    return "expected values that are equal or differ by more than rounding";
  case TAMRT_EMBED_UNKNOWN_GROUP:
    return "expected groups that were trained";
  case TAMRT_EMBED_NOT_POSITIVE_DEFINITE:
    return "expected a positive definite system; raise the penalty ap, or "
           "lower one above 8";
  case TAMRT_EMBED_OVERFLOW:
    return "expected finite coefficients, got an overflow; scale the target "
           "or the row weights, or lower the penalty ap";
  case TAMRT_EMBED_NOT_FINITE:
    return "expected a finite prediction; the row is too far from the "
           "training rows";
  case TAMRT_EMBED_OTHER_MODEL:
    return "expected weights of this model, got those of another";
  case TAMRT_EMBED_MALFORMED_WEIGHTS:
    return "expected weights as a fit leaves them";
  case TAMRT_EMBED_UNKNOWN_NAME:
    return "expected a name that is known";
  case TAMRT_EMBED_INTERNAL:
    return "internal error, or an object and a runtime of different versions "
           "of tamc";
  case TAMRT_EMBED_NOT_CONVERGED:
    return "expected the iterations of a group to converge; raise the penalty "
           "ap, or lower one above 8";
  case TAMRT_EMBED_TABLES:
    return "expected training rows that an effect can learn finite numbers "
           "from; set gamma, or lower sp_alpha";
  case TAMRT_EMBED_WEIGHT_SUM:
    return "expected row weights of a group with a sum above 0 that a double "
           "holds in full precision";
  case TAMRT_EMBED_CPU:
    return "expected a CPU with the instructions the model was compiled for";
  }
  return "unknown status";
}
