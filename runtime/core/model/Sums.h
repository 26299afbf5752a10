//===- core/model/Sums.h - sums of parts of the rows ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sums of a direct fit over parts of the rows, and the file of them
/// (docs/scale.md).
///
/// The sums of a group are joined in a binary tree (core/run/Workplace.h). Its
/// leaves are the segments of the group's rows where each part has whole
/// segments, otherwise the group's parts themselves, in order. A file has the
/// *nodes* of the tree that follow from its parts: node (level, index) is the
/// sum of 2^level leaves from leaf index * 2^level on. Nodes are joined as soon
/// as both halves are known, so the order in which files are joined changes no
/// bit.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_SUMS_H
#define TAMRT_CORE_MODEL_SUMS_H

#include "core/model/Survey.h"
#include "io/Error.h"
#include "io/Safetensors.h"
#include "tamrt/abi.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tamrt {

/// A node of the tree of a group.
struct SumsNode {
  size_t group;
  int64_t level, index;

  auto operator<=>(const SumsNode &) const = default;
};

/// The places of a model's sums, one after another, in a node.
class SumsLayout {
public:
  /// `model` has the steps of the fit, and must outlive the layout.
  explicit SumsLayout(const tamrt_model &model);

  /// Numbers of a node.
  size_t size() const { return count; }

  /// Calls body(accumulator, place in the node).
  template <class Body> void forEach(const Body &body) const {
    size_t at = 0;
    for (int64_t i = 0; i < model.accumulator_count; ++i) {
      const tamrt_accumulator &each = model.accumulators[i];
      if (each.kind != TAMRT_STEP_FIT_CHUNK)
        continue;
      body(each, at);
      at += size_t(each.count);
    }
  }

  /// Adds the sums of a node to those of another.
  void join(const std::vector<double> &more, std::vector<double> &sums) const;

private:
  const tamrt_model &model;
  size_t count = 0;
};

/// The sums of some parts.
struct Sums {
  Survey survey;
  /// Indices of the parts that have been summed, ascending.
  std::vector<size_t> parts;
  std::map<SumsNode, std::vector<double>> nodes;
};

/// Joins nodes that are halves of one.
void joinHalves(const SumsLayout &layout, Sums &sums);

/// Adds `from`, which comes from the file `path`, to sums of the same survey.
/// Errors: a part that both have.
Status join(const SumsLayout &layout, Sums &into, Sums from,
            const std::string &path);

/// The file's contents.
Result<SafetensorsWriter> serialize(const tamrt_model &model,
                                    const SumsLayout &layout, const Sums &sums);

/// Whether a file has sums; else it should have a survey. An error if it has
/// neither.
Result<bool> hasSums(const SafetensorsFile &file);

/// The hash of the survey with which the sums in a file were made.
Result<std::string> surveyHashOf(const SafetensorsFile &file);

/// The sums in `file`, whose survey is `survey`, with the rows `rows`. Errors:
/// contents that no sums can have.
Result<Sums> loadSums(const SumsLayout &layout, const SafetensorsFile &file,
                      Survey survey, const PartedRows &rows);

/// Leaves of the tree of a group, and the first leaf of one of its parts.
int64_t leavesOf(const PartedRows &rows, size_t group);
int64_t firstLeafOf(const PartedRows &rows, size_t group,
                    const GroupPart &part);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_SUMS_H
