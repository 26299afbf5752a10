//===- Planning/AllocationTree.h - allocation trees -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_ALLOCATIONTREE_H
#define TAMC_PLANNING_ALLOCATIONTREE_H

#include "Problem/Instance.h"
#include "Strategies/Deadline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// One pool of strategy `tree`, which divides memory as PyTorch Inductor does.
///
/// A *temporal split* is a slot whose children share its bytes and are disjoint
/// in time; a *spatial split* has a left and a right slot side by side; leaves
/// are allocations and empty bytes. No function is recursive: a tree may be as
/// deep as it has items.
class AllocationTree {
public:
  /// A pool with only `item`. Left sides are rounded up to `alignment`. A
  /// *cured* tree also places items over several overlapping children, by
  /// joining those into one, and takes padding into account when it divides a
  /// slot.
  AllocationTree(const Instance &instance, int64_t alignment, int32_t item,
                 bool cured = false);

  /// Places `item` in the tree, which grows only if `mayGrow`; false if there
  /// is no place. O(depth * log(items)) on usual trees.
  bool allocate(int32_t item, bool mayGrow);

  /// As above, but if there is no place because several children overlap the
  /// item, these become one child with the item above them.
  bool allocateOverSeveral(int32_t item, bool mayGrow);

  /// Places `item` above everything else.
  void allocateAtEnd(int32_t item);

  /// Nodes visited so far: a measure of time that is the same on every machine.
  int64_t steps() const { return visited; }

  /// Writes the offsets of the items, from `base` on, and returns the size of
  /// the pool. O(nodes).
  int64_t finalize(int64_t base, std::vector<int64_t> &offsets) const;

private:
  enum class Kind : uint8_t { Allocation, Empty, Temporal, Spatial };
  /// A part of the live range of a temporal split's child.
  struct Span {
    int32_t lower, upper;
    int32_t child; // index into Node::children
  };
  struct Node {
    Kind kind;
    int32_t item = -1;
    int32_t parent = -1;
    int32_t index = 0; // in the parent's children
    int64_t size = 0;
    /// Size without the empty bytes at the right end.
    int64_t used = 0;
    /// Temporal: any number. Spatial: left, right.
    std::vector<int32_t> children;
    /// Temporal: live ranges of the children, sorted; they are disjoint.
    std::vector<Span> spans;
  };

  int32_t addLeaf(Kind kind, int32_t item, int64_t size);
  int32_t addTemporal(int32_t child, std::vector<Span> spans);
  int32_t addSpatial(int32_t left, int32_t right);
  /// child -> Spatial(Temporal[child], Temporal[Empty(extra)])
  int32_t wrap(int32_t child, std::vector<Span> spans, int64_t extra);
  void adopt(int32_t parent, int32_t child, int32_t index);
  std::vector<Span> spansOf(int32_t item) const;
  static void insertSpan(std::vector<Span> &spans, Span span);
  /// The one child alive with the item, -1 for none, -2 for several.
  int32_t overlapping(const Node &node, int32_t item) const;
  void append(int32_t node, int32_t item);
  bool search(int32_t item, bool mayGrow, bool join);
  /// Places the item above the children of a temporal split that overlap it;
  /// false if there is no room for it.
  bool joinChildren(int32_t node, int32_t item, bool mayGrow);
  /// Removes the empty bytes at the right end.
  void trim(int32_t node);
  /// Size and used bytes, from the children's.
  void measure(int32_t node);
  /// Updates the ancestors of `node` after `item` was added to it.
  void update(int32_t node, int32_t item);

  const Instance &instance;
  int64_t alignment;
  bool cured;
  std::vector<Node> nodes;
  int32_t root = -1;
  int64_t visited = 0;
};

/// The alignment to which left sides of an instance's tree are rounded up.
/// Inductor has one alignment; the common multiple of several is valid for
/// every buffer.
int64_t treeAlignment(const Instance &instance);

/// Strategy `tree`. Items that are not placed at the deadline are stacked on
/// top.
Placement placeByTree(const Instance &instance, const Options &options,
                      const Deadline &deadline);

} // namespace tamc::planning

#endif // TAMC_PLANNING_ALLOCATIONTREE_H
