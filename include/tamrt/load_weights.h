//===- tamrt/load_weights.h - weights of a file in memory ---------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts a file of weights to the weights of embedded models. The compiler
/// calls these functions for weights that are part of a library.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_LOAD_WEIGHTS_H
#define TAMRT_LOAD_WEIGHTS_H

#include "tamrt/abi.h"
#include "tamrt/embed.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of the weights in `file`, a multiple of 8; 0 if they are not weights
/// of `model`, of which neither steps nor buffers are read.
size_t tamrt_embed_load_size(const tamrt_model *model, const void *file,
                             size_t file_size);

/// Writes these weights, at a multiple of 8 bytes. \returns a
/// tamrt_embed_status; `error` may be null.
int tamrt_embed_load(const tamrt_model *model, const void *file,
                     size_t file_size, void *weights, size_t weights_size,
                     tamrt_embed_error *error);

/// A status in words.
const char *tamrt_embed_status_string(int status);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TAMRT_LOAD_WEIGHTS_H
