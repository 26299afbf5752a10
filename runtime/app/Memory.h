//===- app/Memory.h - memory of a fit beside its arenas ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_MEMORY_H
#define TAMRT_APP_MEMORY_H

#include "core/run/Windows.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamrt {

/// Upper bounds, in bytes of address space, on the memory of a fit besides that
/// of a rung on each thread (`fitMemory`, of groups of one segment). A fit of R
/// rows of G groups on T threads, L being the levels of the longest group
/// (`levelsFor`), runs under
///
///     constant + T * (rung + L * perLevel) + (T - 1) * perThread + R * perRow
///       + G * perGroup.
struct MemoryNeed {
  /// The program, its libraries and memory kept by the C library; the model's
  /// tables and the memory to learn them; the block of the file that the first
  /// thread reads.
  int64_t constant;
  /// Memory of each thread besides the first: stack, block and so on.
  int64_t perThread;
  /// The columns that the model reads, both in the file's order and in the
  /// steps' order.
  int64_t perRow;
  /// Coefficients and ranges, with two copies while they are written to the
  /// file.
  int64_t perGroup;
  /// A level of the sums of a group of several segments.
  int64_t perLevel;
};

/// The bounds of `model`.
MemoryNeed memoryNeed(const tamrt_model &model);

/// The same for a fit in parts (`--stream`), which runs under
///
///     constant + T * use.rung + (T - 1) * perThread + R * perRow
///       + G * perGroup + min((G + T) * group, max(group, groupLimit)),
///     group = use.group + L * use.perLevel,
///
/// unless `kept` says otherwise.
struct StreamNeed {
  /// Memory of one of the model's solvers: its largest rung without the memory
  /// of a group, and that of a group while it is fitted.
  struct Use {
    tamrt_step_kind kind;
    int64_t rung, group, perLevel;
  };

  /// As for a fit in memory, including the rows of a part of the file.
  int64_t constant, perThread, perGroup;
  /// Bytes that learners keep per row.
  int64_t perRow;
  /// Most bytes of all groups that are fitted at a time; one group may exceed
  /// it.
  int64_t groupLimit;
  std::vector<Use> uses;
  /// A phrase for each kind of data whose memory grows with rows or distinct
  /// values.
  std::vector<std::string> kept;
};

StreamNeed streamNeed(const tamrt_model &model);

/// The same for each rank of a fit on N ranks of one machine (docs/scale.md),
/// in bytes that are resident: MPI reserves addresses that it does not use. The
/// constants are those of OpenMPI. A rank that has at most R rows of g groups,
/// of all G, runs under
///
///     constant + N * perRank + T * (rung + L * perLevel) + (T - 1) * perThread
///       + R * perRow + F * perFileRow + G * perGroup + g * use.group
///       + K * use.node,
///
/// and rank 0 under G * perGroupOfFirst more. If a rank reads parts of several
/// files, F are the rows of the largest, else 0. K are the nodes that its
/// groups have beyond one each: a group of n segments has at most
/// 2 log2(n) + 1. If conjugate gradients make sketches, a rank takes
///
///     min(g * use.sketch, max(use.sketch, sketchLimit))
///
/// more. With inference, and in `tune`, a rank takes
///
///     min(messages, 2 * G * perOwnGroup) + T * perThread + g * perOwnGroup
///
/// of `inference`, and of `tune`, more, and rank 0 besides G * perGroupOfFirst.
struct RankNeed {
  /// Memory of one of the model's solvers.
  struct Use {
    tamrt_step_kind kind;
    /// The sums of a group in one node, its coefficients and, for conjugate
    /// gradients, its state and vectors; the sums of a further node; the sketch
    /// of a group.
    int64_t group, node, sketch;
  };

  /// As for a fit of a file, and MPI.
  int64_t constant, perThread, perLevel;
  /// MPI's buffers for messages with one other rank of the machine.
  int64_t perRank;
  /// Columns while they are read or exchanged, and those of one more file.
  int64_t perRow, perFileRow;
  /// The survey of all ranks, and the coefficients; those that rank 0 receives.
  int64_t perGroup, perGroupOfFirst;
  /// Most bytes of the sketches of groups that iterate at a time.
  int64_t sketchLimit;
  std::vector<Use> uses;
  /// What comes from all groups to rank 0: most bytes of messages; what a
  /// thread takes to find it; that of a group on the rank that solves it, and
  /// on rank 0.
  struct Gathered {
    int64_t messages, perThread, perOwnGroup, perGroupOfFirst;
  };
  /// Inference, until it is in the file; the equations, until penalties have
  /// been chosen. None for a model without the direct solver.
  std::optional<Gathered> inference, tune;
};

/// None for a model that ranks do not fit.
std::optional<RankNeed> rankNeed(const tamrt_model &model);

/// The same for each rank of `predict` and `decompose`. If the files' parts of
/// a rank have R rows, with keys of at most 24 bytes a row, and there are
/// weights of G groups that are those of a fit alone, it runs under
///
///     constant + N * perRank + T * rung + (T - 1) * perThread
///       + R * use.perRow + G * perGroup,
///
/// and rank 0 under min(messagesOfFirst, R * use.perRow) more, R being the rows
/// of the rank that has most. If groups have penalties of their own, or if
/// standard errors or intervals are asked for, the bytes of the weights' file
/// come to all of these. Standard errors and intervals, which have C columns,
/// take
///
///     T * errors.perThread + G * errors.perGroup
///       + R * (errors.perRow + C * errors.perColumn)
///
/// more, conformal intervals R * C * errors.perColumn alone. All that is for a
/// row counts for the messages of rank 0.
struct RankTableNeed {
  /// A type of output.
  struct Use {
    tamrt_step_kind kind;
    /// Columns and numbers of a row, and its text in the table.
    int64_t perRow;
  };
  /// What the standard errors of a type of output take.
  struct Errors {
    tamrt_step_kind kind;
    /// The arena of the variances beyond that of the output; the numbers of a
    /// row that are in no column, beyond its text, which comes later, and its
    /// weight; a column of a row, and its text; the inference of a group beside
    /// the file.
    int64_t perThread, perRow, perColumn, perGroup;
  };

  /// As for a fit; most bytes of the table that rank 0 receives at a time.
  int64_t constant, messagesOfFirst, perThread, perRank;
  /// The weights, while they are read.
  int64_t perGroup;
  std::vector<Use> uses;
  /// None for a model without the direct solver.
  std::vector<Errors> errors;
};

/// None for a model of which one process predicts.
std::optional<RankTableNeed> rankTableNeed(const tamrt_model &model);

/// The windows of the spec of a model that has some, of units that a run on the
/// CPU has.
WindowOptions windowsOfSpec(const tamrt_model &model);

/// The same for each rank of `adapt` with the windows of the spec. If R is the
/// larger number of the rows that a rank reads and of those of its groups, with
/// keys of at most 24 bytes a row, and its groups, of all G, have W windows, it
/// runs under
///
///     constant + N * perRank + T * windows + (T - 1) * perThread
///       + R * perRow + W * perWindow + G * perGroup,
///
/// and rank 0 under min(messagesOfFirst, R * perRow) more, R being that of the
/// rank that has most. With `--coefficients` W * perCoefficients come to it,
/// also to the messages. If groups of a correction's base model have penalties
/// of their own, the bytes of its weights' file come to all of these.
struct RankWindowNeed {
  /// As for a prediction.
  int64_t constant, messagesOfFirst, perThread, perRank;
  /// The largest rung of a window, or of the base model, and the rows, designs
  /// and sums of the windows that a thread fits at once.
  int64_t windows;
  /// Columns, keys and numbers of a row, and its text in the table.
  int64_t perRow;
  /// Where a window is; its keys and the text of its coefficients.
  int64_t perWindow, perCoefficients;
  /// The survey of all ranks, and the weights of the base model.
  int64_t perGroup;
};

/// The memory of a rank for `windows`, which are `windowsOfSpec(model)`: of a
/// model that has some.
RankWindowNeed rankWindowNeed(const tamrt_model &model,
                              const WindowOptions &windows);

/// Memory for the rows of `adapt --stream`, which holds
///
///     chunk + perRow * (sum over open groups of at most rowsPerGroup rows)
///
/// bytes of them. A group is open from its first row in the file to its last
/// one. If rows of an open group are further apart than others, more rows wait
/// to be written.
struct WindowStreamNeed {
  /// The rows that are read at a time.
  int64_t chunk;
  /// The columns of the windows' model, and the row's output until it can be
  /// written, with keys of ordinary length.
  int64_t perRow;
  /// The rows of the windows that share sums, from the first one that they
  /// train on to the last one that they predict.
  int64_t rowsPerGroup;
};

/// That of `model`, of which `perUnit` windows share sums (`windowsOfUnit`).
WindowStreamNeed windowStreamNeed(const tamrt_model &model,
                                  const tamrt_adapt &adapt, size_t perUnit);

} // namespace tamrt

#endif // TAMRT_APP_MEMORY_H
