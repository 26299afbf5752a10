//===- Frame.h - Python's data as rows in memory ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PYTHON_FRAME_H
#define TAMC_PYTHON_FRAME_H

#include "Arrow.h"

#include "tamrt/frame.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tamc::python {

/// A column in Python's memory, or in memory of its own where Python has no
/// array of a known type. Keeps what it reads alive.
using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig,
                                nanobind::device::cpu, nanobind::ndim<1>>;

/// Columns of one length, each from one array or all from Arrow. The methods
/// need the GIL; reading does not.
class Frame {
public:
  explicit Frame(std::string name) : name(std::move(name)) {}

  /// Adds an array of numbers or truth values. `valid` has a bit for each, the
  /// lowest of a byte first: 0 if it is missing. Throws nanobind::type_error
  /// for another type.
  void addNumbers(const std::string &column, Array values,
                  std::optional<Array> valid);
  /// Adds points in time: int64 ticks, the least of which is a missing value.
  void addTimes(const std::string &column, Array values, int64_t ticks,
                bool isZoned);
  /// Adds texts: None is a missing value. Throws nanobind::type_error for what
  /// is neither text nor a number.
  void addTexts(const std::string &column, nanobind::sequence values);
  /// Adds texts by their indices; a negative index is a missing value.
  void addCategories(const std::string &column, Array indices,
                     nanobind::sequence categories);
  /// Adds the columns of a stream of Arrow; those that are not `wanted` are not
  /// read. At most once, before other columns.
  void addArrow(nanobind::capsule stream, const std::set<std::string> &wanted);
  /// Adds a column that is not read.
  void addUnread(const std::string &column);

  /// The rows; valid until a column is added. Throws nanobind::value_error if
  /// columns have different lengths.
  const tamrt_frame *get();

private:
  struct Texts {
    std::vector<int64_t> ends = {0};
    std::string bytes;
    std::vector<uint8_t> valid;
    tamrt_frame_column column = {};
  };

  Texts &makeTexts(const std::string &column, nanobind::sequence values);
  void add(const std::string &column, tamrt_frame_column added, int64_t rows);

  std::string name;
  std::deque<std::string> names;
  std::vector<tamrt_frame_column> columns;
  /// -1: not read.
  std::vector<int64_t> lengths;
  std::vector<Array> arrays;
  std::deque<Texts> texts;
  std::vector<const char *> pointers;
  std::unique_ptr<ArrowRows> arrow;
  std::vector<std::vector<tamrt_frame_column>> columnsOfBatches;
  std::vector<tamrt_frame_batch> batches;
  tamrt_frame frame = {};
};

/// The type of an array's elements; throws nanobind::type_error if the runtime
/// cannot read them.
tamrt_frame_type typeOf(const std::string &column,
                        nanobind::dlpack::dtype type);

} // namespace tamc::python

#endif // TAMC_PYTHON_FRAME_H
