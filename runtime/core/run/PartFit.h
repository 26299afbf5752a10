//===- core/run/PartFit.h - the fit of rows in several parts ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of a direct fit whose rows are in several parts: the survey of a
/// part, its sums, and the solve of the sums of all parts. Sums and solves run
/// as those of a fit in one piece (Executor.h, GroupFits.h): what has a sum in
/// the tree of a group's segments is fitted as if it were a group, up to its
/// solve.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PARTFIT_H
#define TAMRT_CORE_RUN_PARTFIT_H

#include "core/data/BeyondRange.h"
#include "core/data/RowReader.h"
#include "core/model/Sums.h"
#include "core/model/Survey.h"
#include "core/model/Tables.h"
#include "core/model/Weights.h"
#include "core/run/Crew.h"
#include "core/run/Executor.h"
#include "core/run/PartBlocks.h"
#include "core/run/PartCheck.h"
#include "core/run/StreamedFit.h"
#include "core/run/StreamedRows.h"
#include "core/run/Workplace.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Checks that a model can be fitted in parts that are files. Errors: a model
/// without the direct solver; learners that need the rows.
Status checkParts(const tamrt_model &model);

/// Surveys the part `name`, of which `reader` is at the first row. Errors:
/// those of `RowReader` and `surveyOf`; a file that must be read again, and
/// cannot.
Result<Survey> surveyPart(const tamrt_model &model, std::string name,
                          RowReader &reader, const RunOptions &options);

/// A pass over the rows of some groups.
struct PartPass {
  /// The model with the steps, their kind, and the places of their sums. The
  /// kind is FIT_CHUNK, or that of a pass of conjugate gradients.
  const tamrt_model &model;
  tamrt_step_kind kind;
  const SumsLayout &layout;
  /// By a group's place: whether it needs the pass; empty: all do.
  std::vector<bool> isWanted = {};
  /// The same: the vector; empty: the pass has none.
  std::vector<const double *> vectors = {};
};

/// A survey of all parts, and what follows from it.
struct SurveyedFit {
  Survey survey;
  PartedRows rows;
  Tables tables;
  /// Of the steps that `rows` chose.
  SumsLayout layout;

  const tamrt_model &model() const { return *rows.steps.model; }

  /// The pass of the direct solver, over all groups.
  PartPass directPass() const {
    return {model(), TAMRT_STEP_FIT_CHUNK, layout};
  }

  /// Frees all of the survey but the parts' names, and what the sums of part
  /// `but`, if there is one, need when its reader knows its texts.
  void forgetParts(std::optional<size_t> but = {});
};

/// Combines the parts of `survey`, from the file `path`. Errors: those of
/// `combine` and `learn`; learners that need the rows; a carry, and a group of
/// which several parts have rows.
Result<SurveyedFit> prepareParts(const tamrt_model &model, Survey survey,
                                 const std::string &path);

/// Takes the numbers of a node, by its index among a part's nodes. Not called
/// by two threads at once.
using TakeNode =
    std::function<Status(size_t node, std::span<const double> numbers)>;

/// Sums the rows of one part, of which `reader` is at the first one.
class PartSums {
public:
  /// All arguments must outlive it. `expectTexts` must be called next.
  PartSums(const tamrt_model &model, const SurveyedFit &fit, size_t part,
           RowReader &reader, const RunOptions &options);
  /// Of rows that are in memory. `takeRows` must be called next.
  PartSums(const tamrt_model &model, const SurveyedFit &fit, size_t part,
           const RunOptions &options);
  PartSums(const PartSums &) = delete;
  PartSums &operator=(const PartSums &) = delete;

  /// Tells the reader which texts of the survey to expect.
  void expectTexts();

  /// Gives it the rows, which must outlive it, and whose groups it replaces.
  /// Errors: rows that are not those of the survey.
  Status takeRows(Dataset &rows);
  /// Sums them. Memory and threads are kept from pass to pass of conjugate
  /// gradients. Errors: those of fits and of `take`.
  Status sum(const PartPass &pass, const TakeNode &take);
  /// Keeps all rows, or only some at a time; then the dates of the part's
  /// groups must be in order. Errors: those of `RowReader` and of fits; rows
  /// that are not those of the survey.
  Status sumInMemory(const TakeNode &take);
  Status sumStreamed(const TakeNode &take, const StreamLimits &limits = {});

  /// The nodes whose sums are taken, in order.
  std::vector<SumsNode> nodes() const { return blocks.nodes(); }

  /// Whether the dates of all groups of the part are in order.
  bool areOrdered() const;
  /// Notes on the rows for the user, after they have been summed.
  std::vector<std::string> notes() const;
  /// The number of times that the file was read.
  size_t readings() const { return timesRead; }

private:
  /// Sums that are taken by several threads, and the first error of that.
  struct Taking {
    const PartPass &pass;
    const TakeNode &take;
    std::mutex mutex = {};
    Status status = {};
  };

  Status checkSeen() const;
  void takeBlock(size_t block, void *state, const TargetSum &target) const;
  template <class BlockAt> RunOptions takingBlocks(const BlockAt &blockAt);
  void choose(const std::vector<bool> &isWanted);
  Result<Crew> makeCrew(const PartPass &pass);
  std::vector<Group> divide(const Dataset &data, std::vector<uint32_t> &next,
                            Status &status) const;
  Status divideGroups(Dataset &piece, std::vector<uint32_t> &next) const;
  StreamedRows readRows(size_t rowBytes);
  Status addStreamed(StreamedRows &rows, const StreamLimits &limits);

  const tamrt_model &model;
  const SurveyedFit &fit;
  size_t part;
  /// Null: the rows are in memory.
  RowReader *reader = nullptr;
  ModelColumns columns;
  RunOptions options;
  PartBlocks blocks;
  /// Rows in memory.
  Dataset *rows = nullptr;
  /// Of each block: those of its rows, and its index.
  std::vector<Group> ranges;
  std::vector<size_t> blockOf;
  /// The ranges that are the groups of the rows now, and have a pass.
  std::vector<size_t> chosen;
  Taking *taking = nullptr;
  /// That of the last pass of conjugate gradients.
  std::optional<Crew> crew;
  std::optional<PartCheck> check;
  BeyondRange beyond;
  size_t timesRead = 0;
};

/// The nodes of a group whose parts have all been summed, from the last leaves
/// to the first.
using SumsRoots = std::vector<const std::vector<double> *>;

/// Those of a group, from sums that come from `path`. Errors: sums that are
/// missing.
Result<SumsRoots> rootsOf(const tamrt_model &model, const PartedRows &rows,
                          const NodeSums &sums, size_t group,
                          const std::string &path);

/// Puts their sum in a state, in which the accumulators are zero.
void putSums(const SumsLayout &layout, const SumsRoots &roots, Workplace &in);

/// The normalization of some groups, given by their places, as if they were
/// all.
Normalization normalizationOf(const Normalization &all,
                              std::span<const size_t> places);

/// The coefficients of groups, given by their places, whose parts have all been
/// summed; none if the options ask for systems. These, and inference, have the
/// groups in the order of `places`. Errors: sums that are missing; those of a
/// fit's solve. `path` is where the sums come from.
Result<std::vector<double>>
solveGroups(const tamrt_model &model, const SurveyedFit &fit,
            const NodeSums &sums, std::span<const size_t> places,
            const std::string &path, const RunOptions &options);

/// Takes the coefficients of groups from `first` on, and their inference, which
/// is empty if the options do not ask for it.
using TakeCoefficients =
    std::function<Status(size_t first, std::span<const double> coefficients,
                         const Inference &inference)>;

/// Solves the sums of all parts, some groups at a time. If the options ask for
/// systems, these get all that a fit's have, and `take` is not called. Errors:
/// a part without sums; those of `solveGroups` and of `take`.
Status solveSums(const tamrt_model &model, const SurveyedFit &fit,
                 const SumsFile &sums, const RunOptions &options,
                 const TakeCoefficients &take);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PARTFIT_H
