//===- embed/Support.h - memory and data of the caller ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The caller's memory, data, weights and error, as the functions of an
/// embedded model see them. Nothing here allocates or throws.
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
  /// The status a step left, in terms of the model.
  int step(const tamrt_model &model, const tamrt_context &context,
           int64_t group) const;
  /// An effect of a group, by a column of the design.
  int effect(tamrt_embed_status status, const tamrt_model &model,
             int64_t designColumn, int64_t group) const;

private:
  tamrt_embed_error *error;
};

/// One column the steps read, or one of its uses: an input, the target or the
/// row weights.
struct Slot {
  /// The caller's values; null where the model has no such column.
  const double *values;
  const char *name;
  /// The first slot with the same steps' column, perhaps this one.
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
  /// Null in a model without groups or dates; dates also where not given.
  const int64_t *groups = nullptr, *dates = nullptr;
  Slot *slots = nullptr;

  /// Reads the struct into `slots`, room for slotCount(model); target and
  /// weights only where `fits`. Errors: null pointers.
  int read(const tamrt_model &model, const void *data, bool fits, Slot *slots,
           const Report &report);

  int64_t groupOf(size_t row) const { return groups ? groups[row] : 0; }
  /// The error of the first bad row, in it of the first column: a value that is
  /// not finite, a negative row weight.
  int check(const tamrt_model &model, const Report &report) const;
};

/// Sorts rows by group and date, those of equal dates as they came. \returns
/// the number of groups.
size_t sortRows(const DataView &data, uint32_t *order);

/// Whether rows sorted so lie as they are.
bool isInOrder(const uint32_t *order, size_t rows);

/// What every block of weights begins with.
struct WeightsHeader {
  char magic[8];
  /// Of the whole block.
  uint64_t bytes;
  char specHash[64];
  int64_t groups, columns, inputs, levels;
  /// Bytes of names, and whether groups have some.
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
  /// another model. What is checked is enough for predictions to be safe.
  int open(const tamrt_model &model, const void *memory, size_t size,
           const Report &report);

  /// The place of a group, or -1. O(log G).
  int64_t find(int64_t group) const;

  /// Writes where the tables are: one address each.
  void pointTo(const tamrt_model &model, void **addresses) const;
};

/// Levels of the inputs before `input`: the place of its own in
/// WeightsView::levels.
size_t levelsBefore(const tamrt_model &model, size_t input);

/// Bytes of a table in weights, and of all.
inline size_t roomOf(const tamrt_table &table) {
  return (size_t(bytesOf(table)) + 7) / 8 * 8;
}
size_t tableBytes(const tamrt_model &model);

/// Calls body(learner, k, contents) for each table, `k` within its learner, of
/// `tables` in weights; false as soon as body is.
template <class Byte, class Body>
bool forEachTable(const tamrt_model &model, Byte *tables, const Body &body) {
  // Learners have runs of tables in order.
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

/// The names of weights one after another: first the groups', then those of
/// each input with named levels.
class NameReader {
public:
  explicit NameReader(const WeightsView &weights)
      : at(weights.names), end(weights.names + weights.header->nameBytes) {}

  /// The next name; false when there is none.
  bool next(const char *&text, size_t &length);

private:
  const char *at, *end;
};

/// Brings the steps' columns of one chunk together: the caller's own where rows
/// are in order, else copies; the codes of levels; the scaled row weights.
class Chunks {
public:
  /// `rows`: most rows of a chunk. `copies`: whether rows may be out of order.
  Chunks(const tamrt_model &model, size_t rows, bool copies, bool fits,
         Layout &layout);

  /// Points `place` at rows [first, first + count) of `order`, or of the data
  /// where it is null. The row weights of a fit are divided by `meanWeight`.
  void set(const DataView &data, const WeightsView &weights,
           const uint32_t *order, size_t first, size_t count, Workplace &place,
           double meanWeight = 1) const;

private:
  const tamrt_model &model;
  size_t rows, slots;
  const void **columns;
  char *memory;
};

/// The number of the value in the weights' levels, of input `input`.
int32_t codeOf(const tamrt_model &model, const WeightsView &weights,
               size_t input, double value);

/// Points `place` at memory of the sizes given.
void takeWorkplace(const ThreadMemory &memory, Layout &layout,
                   Workplace &place);

} // namespace tamrt::embed

#endif // TAMRT_EMBED_SUPPORT_H
