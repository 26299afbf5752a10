//===- embed/Support.h - memory and data of the caller ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Access to the caller's memory, data, weights and error for the functions of
/// an embedded model. Nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_EMBED_SUPPORT_H
#define TAMRT_EMBED_SUPPORT_H

#include "core/data/Ranges.h"
#include "core/device/Layout.h"
#include "core/model/TableFault.h"
#include "core/run/Workplace.h"
#include "embed/Embed.h"

#include <cstddef>
#include <cstdint>

namespace tamrt::embed {

/// Fills the caller's error, which may be null.
class Report {
public:
  explicit Report(tamrt_embed_error *error);

  int ok() const { return TAMRT_EMBED_OK; }
  int fail(tamrt_embed_status status) const;
  int column(tamrt_embed_status status, const char *name) const;
  int value(tamrt_embed_status status, size_t row, const char *name) const;
  int group(tamrt_embed_status status, int64_t group, const char *name) const;
  int unknownGroup(size_t row, int64_t group) const;
  int table(const char *effect) const;
  int notFinite(size_t row, int64_t group, const char *effect) const;
  int needed(tamrt_embed_status status, size_t bytes) const;
  /// Reports a step's status in terms of the model.
  int step(const tamrt_model &model, const tamrt_context &context,
           int64_t group) const;
  /// Reports a status for an effect of a group, given a column of the design.
  int effect(tamrt_embed_status status, const tamrt_model &model,
             int64_t designColumn, int64_t group) const;

private:
  tamrt_embed_error *error;
};

/// One use of a column by the steps: an input, the target or the row weights.
struct Slot {
  /// The caller's values; null if the model has no such column.
  const double *values;
  const char *name;
  /// The first slot that shares the steps' column; may be this one.
  size_t owner;
};

/// Slots of a model: its inputs, the target, the row weights.
inline size_t slotCount(const tamrt_model &model) {
  return size_t(model.input_count) + 2;
}

inline bool isLevels(const tamrt_model &model, size_t slot) {
  return slot < size_t(model.input_count) &&
         model.inputs[slot].rule == TAMRT_RULE_LEVELS;
}

inline bool isWeights(const tamrt_model &model, size_t slot) {
  return slot == slotCount(model) - 1;
}

/// Checks a number of rows.
int checkRows(size_t rows, const Report &report);

/// The caller's rows. The struct `data` points at holds the number of rows and
/// then a pointer to: the groups, if the model has groups; the dates, likewise;
/// each distinct column of the inputs, in their order; the target and the row
/// weights, if the model has them and no input reads that column.
struct DataView {
  size_t rows = 0;
  /// Null in a model without groups or dates; dates are also null if they are
  /// not given.
  const int64_t *groups = nullptr, *dates = nullptr;
  Slot *slots = nullptr;

  /// Reads the struct into `slots`, which has slotCount(model) elements; target
  /// and weights only if `fits`. Errors: null pointers.
  int read(const tamrt_model &model, const void *data, bool fits, Slot *slots,
           const Report &report);

  int64_t groupOf(size_t row) const { return groups ? groups[row] : 0; }
  /// Checks values: the error is for the first invalid row, and in it for the
  /// first column. Invalid are values that are not finite and negative row
  /// weights.
  int check(const tamrt_model &model, const Report &report) const;
};

/// Sorts rows by group and date; rows with equal dates keep their order.
/// \returns the number of groups.
size_t sortRows(const DataView &data, uint32_t *order);

/// Whether this order is the data's own.
bool isInOrder(const uint32_t *order, size_t rows);

/// The header of a block of weights.
struct WeightsHeader {
  char magic[8];
  /// Size of the whole block.
  uint64_t bytes;
  char specHash[64];
  int64_t groups, columns, inputs, levels;
  /// Bytes of names, and whether groups have names.
  uint64_t nameBytes;
  uint64_t namedGroups;
};

/// Weights as one block of memory, at a multiple of 8 bytes: the header, then
/// with G groups, D coefficients, I inputs and room for L levels in all
///
///     double  coefficients[G][D], ranges[G][I][2], knots[I][2]
///     int64_t groups[G]       ascending
///     int64_t level_counts[I], named_levels[I]   0 or 1
///     double  levels[L]       those of an input ascending, at its place
///     tables  each filled up to a multiple of 8 bytes
///     names   of the groups, if they have some, then of named levels: each a
///             uint64_t length and the bytes, filled up to a multiple of 8
///
/// A group or level with a name has its index as number.
struct WeightsView {
  WeightsHeader *header;
  double *coefficients, *ranges, *knots;
  int64_t *groups, *levelCounts, *namedLevels;
  double *levels;
  char *tables, *names;

  /// Points into a block for `groups` groups of `model` at `memory`, null to
  /// measure. \returns its bytes without names, the largest size_t on overflow.
  size_t layOut(const tamrt_model &model, size_t groups, void *memory);

  /// Sets the header.
  void seal(const tamrt_model &model, size_t groups, uint64_t nameBytes,
            bool namedGroups);

  /// Points into weights of `model`. Errors: misaligned; not weights; those of
  /// another model. The checks are sufficient for safe predictions.
  int open(const tamrt_model &model, const void *memory, size_t size,
           const Report &report);

  /// The index of a group, or -1. O(log G).
  int64_t find(int64_t group) const;

  /// Writes the addresses of the tables.
  void pointTo(const tamrt_model &model, void **addresses) const;
};

/// Number of levels of the inputs before `input`: the offset of its own levels
/// in WeightsView::levels.
size_t levelsBefore(const tamrt_model &model, size_t input);

/// Bytes of a table in weights, and of all.
inline size_t roomOf(const tamrt_table &table) {
  return (size_t(bytesOf(table)) + 7) / 8 * 8;
}
size_t tableBytes(const tamrt_model &model);

/// Calls body(learner, k, contents) for each table in weights, `k` being its
/// index within its learner. Stops and returns false once body returns false.
template <class Byte, class Body>
bool forEachTable(const tamrt_model &model, Byte *tables, const Body &body) {
  // Learners have consecutive tables, in order.
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    for (int64_t k = 0; k < learner.table_count; ++k) {
      if (!body(learner, k, tables))
        return false;
      tables += roomOf(model.tables[learner.first_table + k]);
    }
  }
  return true;
}

/// Bytes of a name in weights.
inline uint64_t nameBytes(uint64_t length) {
  return sizeof(uint64_t) + (length + 7) / 8 * 8;
}

/// Reads the names of weights one after another: first the groups', then those
/// of each input with named levels.
class NameReader {
public:
  explicit NameReader(const WeightsView &weights)
      : at(weights.names), end(weights.names + weights.header->nameBytes) {}

  /// The next name; false when there is none.
  bool next(const char *&text, size_t &length);

private:
  const char *at, *end;
};

/// Provides the steps' columns of one chunk: the caller's own if rows are in
/// order, else copies; the codes of levels; the scaled row weights.
class Chunks {
public:
  /// `rows`: most rows of a chunk. `copies`: whether rows may be out of order.
  Chunks(const tamrt_model &model, size_t rows, bool copies, bool fits,
         Layout &layout);

  /// Points `place` at rows [first, first + count) of `order`, or of the data
  /// if it is null. The row weights of a fit are divided by `meanWeight`.
  void set(const DataView &data, const WeightsView &weights,
           const uint32_t *order, size_t first, size_t count, Workplace &place,
           double meanWeight = 1) const;

private:
  const tamrt_model &model;
  size_t rows, slots;
  const void **columns;
  char *memory;
};

/// The code of a value of input `input` in the weights' levels.
int32_t codeOf(const tamrt_model &model, const WeightsView &weights,
               size_t input, double value);

/// Points `place` at memory of the sizes given.
void takeWorkplace(const ThreadMemory &memory, Layout &layout,
                   Workplace &place);

} // namespace tamrt::embed

#endif // TAMRT_EMBED_SUPPORT_H
