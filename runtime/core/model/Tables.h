//===- core/model/Tables.h - tables of a model ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tables of a model: numbers learnt or drawn once for all groups, which
/// steps read (abi.h, tamrt_table).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_TABLES_H
#define TAMRT_CORE_MODEL_TABLES_H

#include "core/device/AlignedBuffer.h"
#include "core/model/TableFault.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The contents of a model's tables, each in a buffer of its own, aligned to
/// TAMRT_ALIGNMENT.
class Tables {
public:
  /// No tables.
  Tables() = default;

  /// Memory for the tables of `model`. Tables given by the spec get their
  /// contents; the contents of the others are undefined. Errors: no memory.
  static Result<Tables> allocate(const tamrt_model &model);

  /// The contents of table `i` of the model, which has doubles.
  std::span<const double> numbers(size_t i) const {
    return {buffers[i].as<double>(), counts[i]};
  }

  /// The contents of table `i` of the model, which has integers.
  std::span<const int32_t> integers(size_t i) const {
    return {buffers[i].as<int32_t>(), counts[i]};
  }

  /// Copies contents of table `i` of the model, of its size, into it.
  void set(size_t i, const void *contents);

  /// The argument of a step: one pointer per table.
  const void *const *pointers() const { return addresses.data(); }

  /// The same for learners, which write the tables.
  void *const *pointers() { return addresses.data(); }

private:
  std::vector<AlignedBuffer> buffers;
  std::vector<size_t> counts, bytes;
  std::vector<void *> addresses;
};

/// Name in its learner, type and shape of a table.
struct TableForm {
  std::string name;
  bool isInteger = false;
  int32_t rank = 1;
  int64_t shape[2] = {1, 1};
};

/// The tables of a learner of a known kind, in order (abi.h,
/// tamrt_learner_kind).
std::vector<TableForm> formsOf(const tamrt_learner &learner);

/// Checks that the learners of `model` match its inputs, and its tables match
/// the learners. An error is a bug of the program that made the model.
Status checkLearners(const tamrt_model &model);

/// The message for a fault of `contents` of table `k` of `learner`: "expected
/// finite numbers, got nan at index 3".
std::string describe(const TableFault &fault, const tamrt_model &model,
                     const tamrt_learner &learner, int64_t k,
                     const void *contents);

/// A table with a fault.
struct FaultyTable {
  /// The table's index in the model.
  size_t table;
  /// The message.
  std::string text;
};

/// The first table with a fault.
std::optional<FaultyTable> findFault(const tamrt_model &model,
                                     const Tables &tables);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_TABLES_H
