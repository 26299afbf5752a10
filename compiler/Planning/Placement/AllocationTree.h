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
  ///
  /// A search in a plain tree starts behind the slots of the last one for the
  /// same size that are too small, or taken while `item` is alive. So n items
  /// of one size take O(n log n) together, though the tree becomes n deep, if
  /// each finds a slot next to such ones: each alive only while the one before
  /// is, or temporaries beside longer lives. The steps of a cured tree are a
  /// budget: there, every search starts at the root.
  bool allocate(int32_t item, bool mayGrow);

  /// As above, but if there is no place because several children overlap the
  /// item, these become one child with the item above them. Only in a cured
  /// tree.
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
    /// Size without the empty bytes at the right end; only a cured tree needs
    /// it, and only there it is up to date.
    int64_t used = 0;
    /// Temporal: any number. Spatial: left, right.
    std::vector<int32_t> children;
    /// Temporal: live ranges of the children, sorted; they are disjoint.
    std::vector<Span> spans;
  };
  struct Range {
    int32_t lower = 0;
    int32_t upper = 0;
  };
  /// A node to visit, and the one to visit after it.
  struct Try {
    int32_t node;
    bool mayGrow;
    /// At these times, only the children that were entered are alive in the
    /// splits around the node.
    Range clear;
    /// Index into Search::tries; -1 is none.
    int32_t next = -1;
  };
  /// A state of a search. Nodes are only added, and slots only get fuller: so
  /// every search for the size comes to this state if its item is alive at a
  /// time in `taken` and never outside of what is clear around the next node.
  struct Checkpoint {
    /// The next node to visit, index into Search::tries; -1 if none is left.
    int32_t top = -1;
    /// The number of tries that existed, and of Search::added.
    size_t tries = 0, added = 0;
    /// At each of these times, every slot visited is taken or too small.
    Range taken;
  };
  /// The present search or the last one.
  struct Search {
    int64_t size = 0;
    bool mayGrow = false;
    /// Whether it keeps checkpoints: not before a size comes again.
    bool keeps = false;
    /// Nodes to visit, as lists that share their ends.
    std::vector<Try> tries;
    /// Slots added at the end of the tree since the search began at the root;
    /// they are visited after the tries.
    std::vector<int32_t> added;
    /// States that it went through: the conditions of the next are stricter.
    std::vector<Checkpoint> passed;
    Checkpoint now;
  };

  int32_t addLeaf(Kind kind, int32_t item, int64_t size);
  int32_t addTemporal(int32_t child, std::vector<Span> spans);
  int32_t addSpatial(int32_t left, int32_t right);
  /// child -> Spatial(Temporal[child], Temporal[Empty(extra)])
  int32_t wrap(int32_t child, std::vector<Span> spans, int64_t extra);
  void adopt(int32_t parent, int32_t child, int32_t index);
  std::vector<Span> spansOf(int32_t item) const;
  static void insertSpan(std::vector<Span> &spans, Span span);
  /// The first of the spans that end after a time.
  static size_t firstAfter(const std::vector<Span> &spans, int32_t time);
  /// A span that overlaps the item, -1 for none, -2 if several children overlap
  /// it.
  int32_t overlapping(const Node &node, int32_t item) const;
  /// Whether the spans of a temporal split cover the life of an item in it.
  bool covers(const Node &node, int32_t item) const;
  Range always() const {
    return {0, static_cast<int32_t>(instance.times.size())};
  }
  /// Begins a search for the item: at a state of the last one, or at the root.
  void beginSearch(int32_t item, bool mayGrow);
  /// The last state of the last search to which one for the item comes, too;
  /// null if there is none.
  const Checkpoint *findCheckpoint(int32_t item, bool mayGrow) const;
  /// Whether another search may come to the present state.
  bool keepsStates() const {
    return last.keeps && last.now.taken.lower < last.now.taken.upper;
  }
  /// Adds the present state to those passed. Complexity: constant.
  void addCheckpoint();
  /// Makes a node the next one to visit.
  void push(Try next);
  /// Notes that several children of a temporal split overlap the item.
  void meetSeveral(const Node &node, int32_t item);
  /// Notes that the search enters the child of a temporal split's span, and
  /// returns what is clear around it: at most `clear`.
  Range enter(const Node &node, int32_t span, Range clear);
  void append(int32_t node, int32_t item);
  bool search(int32_t item, bool mayGrow, bool join);
  /// Looks for a place in a node and those below it that are first; the others
  /// are to be visited next.
  bool descend(Try at, int32_t item, bool join);
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
  Search last;
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
