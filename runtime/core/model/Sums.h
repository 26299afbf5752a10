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

#include "core/data/TargetSum.h"
#include "core/model/Survey.h"
#include "io/Error.h"
#include "io/Safetensors.h"
#include "tamrt/abi.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {

/// A node of the tree of a group.
struct SumsNode {
  size_t group;
  int64_t level, index;

  auto operator<=>(const SumsNode &) const = default;
};

/// The places of the sums to which a model's steps of one kind add rows, one
/// after another, in a node; behind those of the direct solver are those of the
/// target.
class SumsLayout {
public:
  /// `model` has the steps of the fit, and must outlive the layout.
  explicit SumsLayout(const tamrt_model &model,
                      tamrt_step_kind kind = TAMRT_STEP_FIT_CHUNK);

  /// Numbers of a node.
  size_t size() const {
    return count + (hasTarget() ? size_t(TargetSum::kNumbers) : 0);
  }
  bool hasTarget() const { return kind == TAMRT_STEP_FIT_CHUNK; }

  /// Calls body(accumulator, place in the node).
  template <class Body> void forEach(const Body &body) const {
    size_t at = 0;
    for (int64_t i = 0; i < model.accumulator_count; ++i) {
      const tamrt_accumulator &each = model.accumulators[i];
      if (each.kind != kind)
        continue;
      body(each, at);
      at += size_t(each.count);
    }
  }

  /// The target's sums of a node.
  TargetSum target(std::span<const double> sums) const {
    return TargetSum::load(sums.data() + count);
  }
  void setTarget(const TargetSum &target, std::span<double> sums) const {
    target.store(sums.data() + count);
  }

  /// Adds the sums of a node to those of another.
  void join(const std::vector<double> &more, std::vector<double> &sums) const;

private:
  const tamrt_model &model;
  tamrt_step_kind kind;
  /// Sums of the model.
  size_t count = 0;
};

/// Nodes with their numbers.
using NodeSums = std::map<SumsNode, std::vector<double>>;

/// The sums of some parts.
struct Sums {
  Survey survey;
  /// Indices of the parts that have been summed, ascending.
  std::vector<size_t> parts;
  NodeSums nodes;
};

/// Joins nodes that are halves of one: join(first, second) adds the first half
/// to the second.
template <class Value, class Join>
void joinHalves(std::map<SumsNode, Value> &nodes, const Join &join) {
  // Halves are neighbours in the order of nodes, and a node that is joined is
  // behind all of its level.
  for (auto at = nodes.begin(); at != nodes.end();) {
    const auto next = std::next(at);
    if (next == nodes.end() || at->first.index % 2 != 0 ||
        next->first !=
            SumsNode{at->first.group, at->first.level, at->first.index + 1}) {
      at = next;
      continue;
    }
    Value all = std::move(next->second);
    join(at->second, all);
    const SumsNode node = {at->first.group, at->first.level + 1,
                           at->first.index / 2};
    nodes.erase(next);
    at = nodes.erase(at);
    const auto added = nodes.emplace(node, std::move(all)).first;
    // It may be the next one.
    if (at == nodes.end() || added->first < at->first)
      at = added;
  }
}
void joinHalves(const SumsLayout &layout, Sums &sums);

/// Adds `from`, which comes from the file `path`, to sums of the same survey.
/// Errors: a part that both have.
Status join(const SumsLayout &layout, Sums &into, Sums from,
            const std::string &path);

/// The contents of a file of sums but for the numbers.
struct SumsContents {
  const Survey &survey;
  /// As in Sums.
  std::vector<size_t> parts;
  /// In order.
  std::vector<SumsNode> nodes;
};

/// Begins a file, which gets the numbers of its nodes one after another.
Result<SafetensorsOutput> beginSums(const tamrt_model &model,
                                    const SumsLayout &layout,
                                    SumsContents contents,
                                    const std::string &path);

/// Whether a file has sums; else it should have a survey. An error if it has
/// neither.
Result<bool> hasSums(const SafetensorsFile &file);

/// The hash of the survey with which the sums in a file were made.
Result<std::string> surveyHashOf(const SafetensorsFile &file);

/// A file of sums, whose numbers stay there.
class SumsFile {
public:
  /// The tensor that `SafetensorsFile::open` should leave in the file.
  static constexpr const char *kSums = "sums";

  /// The sums in `file`, of which nothing else is kept: its survey has been
  /// loaded. Errors: contents that no sums can have.
  static Result<SumsFile> load(SafetensorsFile file);
  /// Checks that they are those of `survey`, with the rows `rows`. To be called
  /// before numbers are read. Errors: contents that no such sums can have.
  Status check(const SumsLayout &layout, const Survey &survey,
               const PartedRows &rows);

  const std::string &path() const { return file.path(); }
  /// As in Sums.
  const std::vector<size_t> &parts() const { return summed; }
  /// All nodes in order, and those of `count` groups from `first` on.
  std::span<const SumsNode> nodes() const { return list; }
  std::span<const SumsNode> nodesOf(size_t first, size_t count) const;
  /// Adds the nodes of these groups. Errors: those of SafetensorsFile.
  Status read(size_t first, size_t count, NodeSums &nodes) const;

private:
  SumsFile(SafetensorsFile file, std::vector<size_t> summed,
           std::vector<SumsNode> list)
      : file(std::move(file)), summed(std::move(summed)),
        list(std::move(list)) {}

  SafetensorsFile file;
  /// Numbers of a node, once they have been checked.
  size_t size = 0;
  std::vector<size_t> summed;
  std::vector<SumsNode> list;
};

/// Writes the sums of several files with the same survey to the file `path`, a
/// group at a time. Errors: a part that two of them have; those of reading and
/// writing.
Status mergeSums(const tamrt_model &model, const SumsLayout &layout,
                 const Survey &survey, std::span<const SumsFile> files,
                 const std::string &path);

/// Leaves of the tree of a group, and the first leaf of one of its parts.
int64_t leavesOf(const PartedRows &rows, size_t group);
int64_t firstLeafOf(const PartedRows &rows, size_t group,
                    const GroupPart &part);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_SUMS_H
