//===- embed/Embed.h - models inside other programs -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of an embedded model call these with the model as their first
/// argument; the header that `tamc --emit=lib` writes documents them. None
/// allocates, throws, prints, starts a thread or keeps state between calls.
///
/// `data` points at a struct that depends on the model: the number of rows, as
/// size_t, and a pointer per column in the order of `DataView`.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_EMBED_EMBED_H
#define TAMRT_EMBED_EMBED_H

#include "tamrt/abi.h"
#include "tamrt/embed.h"
#include "tamrt/load_weights.h"

#include <cstddef>
#include <cstdint>

extern "C" {

size_t tamrt_embed_weights_size(const tamrt_model *model, size_t groups);
size_t tamrt_embed_fit_arena_size(const tamrt_model *model, size_t rows,
                                  size_t groups);
size_t tamrt_embed_predict_arena_size(const tamrt_model *model, size_t rows);

int tamrt_embed_fit(const tamrt_model *model, const void *data, void *weights,
                    size_t weights_size, void *arena, size_t arena_size,
                    tamrt_embed_error *error);
int tamrt_embed_predict(const tamrt_model *model, const void *data,
                        const void *weights, size_t weights_size, void *arena,
                        size_t arena_size, double *output,
                        tamrt_embed_error *error);
int tamrt_embed_decompose(const tamrt_model *model, const void *data,
                          const void *weights, size_t weights_size, void *arena,
                          size_t arena_size, double *output,
                          tamrt_embed_error *error);

size_t tamrt_embed_group_count(const tamrt_model *model, const void *weights,
                               size_t weights_size);
const double *tamrt_embed_coefficients(const tamrt_model *model,
                                       const void *weights, size_t weights_size,
                                       int64_t group);
int tamrt_embed_group_id(const tamrt_model *model, const void *weights,
                         size_t weights_size, const char *name, int64_t *id);
int tamrt_embed_level(const tamrt_model *model, const void *weights,
                      size_t weights_size, const char *column, const char *text,
                      double *value);

size_t tamrt_embed_save_size(const tamrt_model *model, const void *weights,
                             size_t weights_size);
int tamrt_embed_save(const tamrt_model *model, const void *weights,
                     size_t weights_size, void *file, size_t file_size,
                     tamrt_embed_error *error);

} // extern "C"

#endif // TAMRT_EMBED_EMBED_H
