//===- core/model/Weights.h - trained weights -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Trained weights and their file.
///
/// The file is a safetensors file that depends only on the model and the
/// training data: it has nothing about the run (time, threads, rung, device,
/// paths). With G groups, D coefficients and I inputs its tensors are
///
///     coefficients  F64 [G, D]     in the order of the design's columns
///     ranges        F64 [G, I, 2]  centre, half range: x = (v - c) / (a/2)
///     knots         F64 [I, 2]     lo and hi of the knots, normalised
///     tables.NAME   F64 or I32     one per table of the model, called NAME
///                                  there ("tables.a.W1"), of its shape
///
/// With inference (Inference.h), E effects, and f and h fields:
///
///     inference.covariance  F64 [G, D(D+1)/2]
///     inference.edf         F64 [G, E]
///     inference.means       F64 [G, D]
///     inference.groups      F64 [G, f]
///     inference.effects     F64 [G, E, h]
///
/// With residuals of n held-out rows (Calibration.h):
///
///     inference.calibration.residuals  F64 [n]   ascending in each group
///     inference.calibration.rows       F64 [G]   numbers of them by group
///
/// and its metadata, where lists and objects are JSON,
///
///     format        "tamc weights 2"; that of files without a checksum was 1
///     checksum      "crc32:" and eight digits (tamrt/checksum.h)
///     model, formula, spec, spec_hash, tamc_version
///     columns       {"target", "group", "date", "weights"}, null where absent
///     effects       [{"name", "term", "first", "columns"}]
///     groups        [group values as read, in order]; [""] without groups
///     inputs        [{"column", "levels", "numeric"}], levels null where the
///                   input has none
///     penalties     {name: ap} of those that differ from the formula's
///     group_penalties  {name: [ap of each group]}, where groups have
///                   penalties of their own
///     inference     {"groups", "effects"}: the names of the fields
///     calibration   {"split"}: which rows were held out
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_WEIGHTS_H
#define TAMRT_CORE_MODEL_WEIGHTS_H

#include "core/data/Normalization.h"
#include "core/model/Calibration.h"
#include "core/model/Inference.h"
#include "core/model/Tables.h"
#include "io/Error.h"
#include "io/Safetensors.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

struct Weights {
  /// Group values as read, in the order of the groups.
  std::vector<std::string> groups;
  /// G x D.
  std::vector<double> coefficients;
  Normalization normalization;
  /// The model's tables.
  Tables tables;
  /// Names of penalties and the aps that the fit used instead of the formula's.
  std::vector<std::pair<std::string, double>> penalties = {};
  /// G x the model's penalties: the aps that the fit used where each group has
  /// its own; empty if it has not.
  std::vector<double> groupAps = {};
  /// Empty without.
  Inference inference = {};
  Calibration calibration = {};
  /// False where they were read from a file without a checksum.
  bool isChecked = true;

  /// The D coefficients of one group.
  const double *of(size_t group, const tamrt_model &model) const {
    return coefficients.data() + group * size_t(model.columns);
  }
};

/// Checks that group values and levels are UTF-8, and that the header has room
/// for the former (io/HeaderLimit.h); to be called before a long fit.
Status checkTexts(const tamrt_model &model, std::span<const std::string> groups,
                  const std::vector<LevelTable> &levels);

/// The file's contents. `weights` must be of `model`, with texts checked, and
/// outlive the result.
SafetensorsWriter serialize(const tamrt_model &model, const Weights &weights);

/// A file of weights under way, which gets the coefficients of groups, and
/// inference, as they come.
class WeightsOutput {
public:
  /// Begins the file `path` with all of `weights` but the coefficients and, if
  /// it will have that, inference. Errors: those of SafetensorsOutput.
  static Result<WeightsOutput> create(const tamrt_model &model,
                                      const Weights &weights, bool hasInference,
                                      const std::string &path);

  /// Writes the coefficients of groups from `first` on, and their inference,
  /// which is empty if the file has none.
  Status write(size_t first, std::span<const double> coefficients,
               const Inference &inference);
  /// Ends the file, of which all groups have been written. To be called once.
  Status commit() { return output.commit(); }

private:
  WeightsOutput(const tamrt_model &model, SafetensorsOutput output)
      : model(&model), output(std::move(output)) {}

  const tamrt_model *model;
  SafetensorsOutput output;
};

/// Whether to read a part that not all files have; Yes is an error if the file
/// lacks it.
enum class FilePart { No, IfPresent, Yes };

/// Parts of a file that are read only on request.
struct WeightsParts {
  FilePart inference = FilePart::No, calibration = FilePart::No;
};

/// Checks that `weights`, which messages call `name`, have the parts that are
/// needed (Yes).
Status checkParts(const Weights &weights, const std::string &name,
                  WeightsParts parts);

/// Reads weights of `model` from the file `from` ("-": standard input).
///
/// Errors: those of SafetensorsFile; weights of another model (names and
/// formulas of both); contents that do not match the model or that no fit can
/// write (numbers that are not finite, invalid ranges and knots, tables for
/// which `findFault` finds a fault), with the name of the tensor or the
/// metadata entry; no memory for the tables; a part that the file lacks.
Result<Weights> loadWeights(const tamrt_model &model, const std::string &from,
                            WeightsParts parts = {});

/// The same from a file that has been opened, or the error of that.
Result<Weights> loadWeights(const tamrt_model &model,
                            Result<SafetensorsFile> file, WeightsParts parts);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_WEIGHTS_H
