//===- Arrow.h - the C interfaces of Apache Arrow ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structs of Arrow's C data and C stream interfaces, as the specification
/// defines them, and a reader of the stream in a PyCapsule.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_PYTHON_ARROW_H
#define TAMC_PYTHON_ARROW_H

#include "tamrt/frame.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <nanobind/nanobind.h>
#include <set>
#include <string>
#include <vector>

extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema **children;
  ArrowSchema *dictionary;
  void (*release)(ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  ArrowArray **children;
  ArrowArray *dictionary;
  void (*release)(ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
  int (*get_next)(ArrowArrayStream *, ArrowArray *);
  const char *(*get_last_error)(ArrowArrayStream *);
  void (*release)(ArrowArrayStream *);
  void *private_data;
};
}

namespace tamc::python {

/// All rows of a stream of record batches. Numbers, texts with offsets, and
/// times are read where they are; texts in views are copied.
class ArrowRows {
public:
  /// Takes the stream out of a capsule "arrow_array_stream". Only the columns
  /// `wanted` are read. Throws nanobind::value_error and nanobind::type_error,
  /// with the column.
  ArrowRows(nanobind::capsule stream, const std::set<std::string> &wanted);
  ArrowRows(const ArrowRows &) = delete;
  ArrowRows &operator=(const ArrowRows &) = delete;
  ~ArrowRows();

  struct Batch {
    int64_t rows;
    std::vector<tamrt_frame_column> columns;
  };
  std::vector<std::string> names;
  /// By column.
  std::vector<bool> isRead;
  std::vector<Batch> batches;

private:
  tamrt_frame_column convert(const ArrowSchema &schema, const ArrowArray &array,
                             int64_t rows, const std::string &name);
  void release();

  ArrowArrayStream stream = {};
  ArrowSchema schema = {};
  std::deque<ArrowArray> arrays;
  /// Offsets and bytes of texts that were views.
  struct Texts {
    std::vector<int64_t> ends;
    std::string bytes;
  };
  std::deque<Texts> texts;
  std::deque<tamrt_frame_column> dictionaries;
};

} // namespace tamc::python

#endif // TAMC_PYTHON_ARROW_H
