//===- Planning/AllocationTree.cpp - allocation trees ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/AllocationTree.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <cassert>

using namespace tamc::planning;

AllocationTree::AllocationTree(const Instance &instance, int64_t alignment,
                               int32_t item, bool cured)
    : instance(instance), alignment(alignment), cured(cured) {
  int32_t leaf = addLeaf(Kind::Allocation, item, instance.items[item].size);
  root = addTemporal(leaf, spansOf(item));
}

int32_t AllocationTree::addLeaf(Kind kind, int32_t item, int64_t size) {
  Node node;
  node.kind = kind;
  node.item = item;
  node.size = size;
  node.used = kind == Kind::Empty ? 0 : size;
  nodes.push_back(std::move(node));
  return static_cast<int32_t>(nodes.size()) - 1;
}

int32_t AllocationTree::addTemporal(int32_t child, std::vector<Span> spans) {
  Node node;
  node.kind = Kind::Temporal;
  node.size = nodes[child].size;
  node.used = nodes[child].used;
  node.children = {child};
  node.spans = std::move(spans);
  for (Span &span : node.spans)
    span.child = 0;
  nodes.push_back(std::move(node));
  auto index = static_cast<int32_t>(nodes.size()) - 1;
  adopt(index, child, 0);
  return index;
}

int32_t AllocationTree::addSpatial(int32_t left, int32_t right) {
  Node node;
  node.kind = Kind::Spatial;
  node.size =
      saturatingAdd(alignUp(nodes[left].size, alignment), nodes[right].size);
  node.children = {left, right};
  nodes.push_back(std::move(node));
  auto index = static_cast<int32_t>(nodes.size()) - 1;
  adopt(index, left, 0);
  adopt(index, right, 1);
  return index;
}

int32_t AllocationTree::wrap(int32_t child, std::vector<Span> spans,
                             int64_t extra) {
  assert(extra > 0);
  int32_t left = addTemporal(child, std::move(spans));
  int32_t right = addTemporal(addLeaf(Kind::Empty, -1, extra), {});
  return addSpatial(left, right);
}

void AllocationTree::adopt(int32_t parent, int32_t child, int32_t index) {
  nodes[child].parent = parent;
  nodes[child].index = index;
}

std::vector<AllocationTree::Span> AllocationTree::spansOf(int32_t item) const {
  std::vector<Span> spans;
  for (const Piece &piece : instance.piecesOf(instance.items[item]))
    insertSpan(spans, {piece.lower, piece.upper, 0});
  return spans;
}

void AllocationTree::insertSpan(std::vector<Span> &spans, Span span) {
  auto next = std::lower_bound(
      spans.begin(), spans.end(), span.lower,
      [](const Span &a, int32_t lower) { return a.lower < lower; });
  // Spans of one child may touch or, for spatial splits, overlap: join them.
  auto first = next;
  while (first != spans.begin() && std::prev(first)->child == span.child &&
         std::prev(first)->upper >= span.lower)
    --first;
  auto last = next;
  while (last != spans.end() && last->child == span.child &&
         last->lower <= span.upper)
    ++last;
  if (first == last) {
    spans.insert(next, span);
    return;
  }
  first->lower = std::min(first->lower, span.lower);
  first->upper = std::max(std::prev(last)->upper, span.upper);
  spans.erase(std::next(first), last);
}

size_t AllocationTree::firstAfter(const std::vector<Span> &spans,
                                  int32_t time) {
  auto first =
      std::partition_point(spans.begin(), spans.end(),
                           [&](const Span &a) { return a.upper <= time; });
  return static_cast<size_t>(first - spans.begin());
}

int32_t AllocationTree::overlapping(const Node &node, int32_t item) const {
  const std::vector<Span> &spans = node.spans;
  int32_t found = -1;
  for (const Piece &piece : instance.piecesOf(instance.items[item]))
    for (size_t i = firstAfter(spans, piece.lower);
         i < spans.size() && spans[i].lower < piece.upper; ++i) {
      if (found >= 0 && spans[found].child != spans[i].child)
        return -2;
      found = static_cast<int32_t>(i);
    }
  return found;
}

bool AllocationTree::covers(const Node &node, int32_t item) const {
  std::span<const Piece> pieces = instance.piecesOf(instance.items[item]);
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece &piece) {
    size_t i = firstAfter(node.spans, piece.lower);
    return i < node.spans.size() && node.spans[i].lower <= piece.lower &&
           piece.upper <= node.spans[i].upper;
  });
}

void AllocationTree::append(int32_t node, int32_t item) {
  int64_t slot = nodes[node].size;
  int64_t block = instance.items[item].size;
  bool sole = nodes[node].children.size() == 1 &&
              nodes[nodes[node].children.front()].kind == Kind::Empty;
  if (sole)
    nodes[node].children.clear();
  int32_t leaf = addLeaf(Kind::Allocation, item, block);
  std::vector<Span> spans = spansOf(item);
  // The left side is padded; counting the padding preserves the slot's size.
  int64_t left = cured ? alignUp(block, alignment) : block;
  if (left < slot)
    leaf = wrap(leaf, spans, slot - left);
  if (block > slot)
    for (size_t i = 0; i < nodes[node].children.size(); ++i) {
      std::vector<Span> own;
      for (const Span &span : nodes[node].spans)
        if (span.child == static_cast<int32_t>(i))
          own.push_back(span);
      int32_t wrapped =
          wrap(nodes[node].children[i], std::move(own), block - slot);
      nodes[node].children[i] = wrapped;
      adopt(node, wrapped, static_cast<int32_t>(i));
    }
  auto index = static_cast<int32_t>(nodes[node].children.size());
  nodes[node].children.push_back(leaf);
  adopt(node, leaf, index);
  for (Span span : spans)
    insertSpan(nodes[node].spans, {span.lower, span.upper, index});
  if (sole || block > slot) {
    measure(node);
    return;
  }
  nodes[node].size = std::max(slot, nodes[leaf].size);
  nodes[node].used = std::max(nodes[node].used, nodes[leaf].used);
}

void AllocationTree::measure(int32_t index) {
  Node &node = nodes[index];
  if (node.kind == Kind::Temporal) {
    node.size = node.used = 0;
    for (int32_t child : node.children) {
      node.size = std::max(node.size, nodes[child].size);
      node.used = std::max(node.used, nodes[child].used);
    }
  } else if (node.kind == Kind::Spatial) {
    const Node &left = nodes[node.children[0]];
    const Node &right = nodes[node.children[1]];
    int64_t begin = alignUp(left.size, alignment);
    node.size = saturatingAdd(begin, right.size);
    node.used = right.used > 0 ? saturatingAdd(begin, right.used) : left.used;
  }
}

void AllocationTree::trim(int32_t root) {
  std::vector<int32_t> order = {root};
  for (size_t i = 0; i < order.size(); ++i) {
    Node &node = nodes[order[i]];
    if (node.kind == Kind::Temporal)
      order.insert(order.end(), node.children.begin(), node.children.end());
    if (node.kind == Kind::Empty)
      node.size = 0;
    if (node.kind != Kind::Spatial)
      continue;
    // The part to the left of bytes in use does not move.
    order.push_back(node.children[1]);
    if (nodes[node.children[1]].used == 0)
      order.push_back(node.children[0]);
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    measure(*it);
}

void AllocationTree::update(int32_t node, int32_t item) {
  std::vector<Span> spans = spansOf(item);
  for (int32_t child = node, parent = nodes[node].parent; parent >= 0;
       child = parent, parent = nodes[parent].parent) {
    ++visited;
    Node &at = nodes[parent];
    if (at.kind == Kind::Spatial) {
      measure(parent);
      continue;
    }
    // Nothing changes from here on. The steps of a cured tree count the rest.
    if (!cured && nodes[child].size <= at.size && covers(at, item))
      return;
    at.size = std::max(at.size, nodes[child].size);
    at.used = std::max(at.used, nodes[child].used);
    for (const Span &span : spans)
      insertSpan(at.spans, {span.lower, span.upper, nodes[child].index});
  }
}

bool AllocationTree::allocate(int32_t item, bool mayGrow) {
  return search(item, mayGrow, false);
}

bool AllocationTree::allocateOverSeveral(int32_t item, bool mayGrow) {
  assert(cured);
  return search(item, mayGrow, true);
}

bool AllocationTree::joinChildren(int32_t index, int32_t item, bool mayGrow) {
  std::vector<bool> joins(nodes[index].children.size(), false);
  visited += static_cast<int64_t>(nodes[index].spans.size());
  for (const Piece &piece : instance.piecesOf(instance.items[item]))
    for (const Span &span : nodes[index].spans)
      if (span.lower < piece.upper && piece.lower < span.upper)
        joins[span.child] = true;
  int64_t top = 0;
  for (size_t i = 0; i < joins.size(); ++i)
    if (joins[i])
      top = std::max(top, nodes[nodes[index].children[i]].used);
  top = alignUp(top, alignment);
  int64_t slot = nodes[index].size;
  if (!mayGrow && (top > slot || instance.items[item].size > slot - top))
    return false;

  Node below;
  below.kind = Kind::Temporal;
  std::vector<int32_t> kept;
  std::vector<int32_t> renamed(joins.size());
  for (size_t i = 0; i < joins.size(); ++i) {
    std::vector<int32_t> &list = joins[i] ? below.children : kept;
    renamed[i] = static_cast<int32_t>(list.size());
    list.push_back(nodes[index].children[i]);
  }
  auto joined = static_cast<int32_t>(kept.size());
  std::vector<Span> spans;
  for (Span span : nodes[index].spans) {
    if (joins[span.child])
      insertSpan(below.spans, {span.lower, span.upper, renamed[span.child]});
    insertSpan(spans, {span.lower, span.upper,
                       joins[span.child] ? joined : renamed[span.child]});
  }
  for (int32_t child : below.children)
    trim(child);
  nodes.push_back(std::move(below));
  auto left = static_cast<int32_t>(nodes.size()) - 1;
  for (size_t i = 0; i < nodes[left].children.size(); ++i)
    adopt(left, nodes[left].children[i], static_cast<int32_t>(i));
  measure(left);
  int32_t right = addTemporal(
      addLeaf(Kind::Empty, -1, std::max<int64_t>(slot - top, 0)), {});
  append(right, item);
  int32_t split = addSpatial(left, right);
  kept.push_back(split);
  for (size_t i = 0; i < kept.size(); ++i)
    adopt(index, kept[i], static_cast<int32_t>(i));
  nodes[index].children = std::move(kept);
  for (const Span &span : spansOf(item))
    insertSpan(spans, {span.lower, span.upper, joined});
  nodes[index].spans = std::move(spans);
  measure(index);
  update(index, item);
  return true;
}

const AllocationTree::Checkpoint *
AllocationTree::findCheckpoint(int32_t item, bool mayGrow) const {
  const Item &next = instance.items[item];
  if (next.size != last.size || mayGrow != last.mayGrow)
    return nullptr;
  std::span<const Piece> pieces = instance.piecesOf(next);
  auto isTaken = [&](const Checkpoint &at) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece &piece) {
      return std::max(piece.lower, at.taken.lower) <
             std::min(piece.upper, at.taken.upper);
    });
  };
  auto isClear = [&](const Checkpoint &at) {
    if (at.top < 0)
      return true;
    const Range &clear = last.tries[at.top].clear;
    return clear.lower <= next.lower && next.upper <= clear.upper;
  };
  // To come here again from the root takes longer than this loop.
  auto end =
      std::partition_point(last.passed.begin(), last.passed.end(), isTaken);
  while (end != last.passed.begin())
    if (isClear(*--end))
      return &*end;
  return nullptr;
}

void AllocationTree::beginSearch(int32_t item, bool mayGrow) {
  if (const Checkpoint *at = findCheckpoint(item, mayGrow)) {
    last.now = *at;
    last.passed.resize(static_cast<size_t>(at - last.passed.data()) + 1);
    last.tries.resize(last.now.tries);
    return;
  }
  const int64_t size = instance.items[item].size;
  last.keeps = !cured && size == last.size && mayGrow == last.mayGrow;
  last.size = size;
  last.mayGrow = mayGrow;
  last.tries.clear();
  last.added.clear();
  last.passed.clear();
  last.now = {};
  last.now.taken = always();
  push({root, mayGrow, always()});
}

void AllocationTree::addCheckpoint() {
  Checkpoint &now = last.now;
  // At the root a search begins anyway, and there may be a new one.
  if (!keepsStates() || (now.top >= 0 && last.tries[now.top].node == root))
    return;
  now.tries = last.tries.size();
  last.passed.push_back(now);
}

void AllocationTree::push(Try next) {
  next.next = last.now.top;
  last.tries.push_back(next);
  last.now.top = static_cast<int32_t>(last.tries.size()) - 1;
}

void AllocationTree::meetSeveral(const Node &node, int32_t item) {
  Checkpoint &now = last.now;
  // There is no place in an allocation, whatever else overlaps the item.
  Range best;
  for (const Piece &piece : instance.piecesOf(instance.items[item]))
    for (size_t i = firstAfter(node.spans, piece.lower);
         i < node.spans.size() && node.spans[i].lower < piece.upper; ++i) {
      const Span &span = node.spans[i];
      const Range both = {std::max(now.taken.lower, span.lower),
                          std::min(now.taken.upper, span.upper)};
      if (nodes[node.children[span.child]].kind == Kind::Allocation &&
          both.upper - both.lower > best.upper - best.lower)
        best = both;
    }
  now.taken = best;
}

AllocationTree::Range AllocationTree::enter(const Node &node, int32_t index,
                                            Range clear) {
  const Span &span = node.spans[index];
  Range &taken = last.now.taken;
  taken.lower = std::max(taken.lower, span.lower);
  taken.upper = std::min(taken.upper, span.upper);
  if (index > 0)
    clear.lower = std::max(clear.lower, node.spans[index - 1].upper);
  if (index + 1 < static_cast<int32_t>(node.spans.size()))
    clear.upper = std::min(clear.upper, node.spans[index + 1].lower);
  return clear;
}

bool AllocationTree::descend(Try at, int32_t item, bool join) {
  int64_t block = instance.items[item].size;
  for (;;) {
    ++visited;
    const Node &node = nodes[at.node];
    if (node.kind == Kind::Spatial) {
      push({node.children[1], at.mayGrow, at.clear});
      at.node = node.children[0];
      at.mayGrow = false;
      continue;
    }
    if (node.kind != Kind::Temporal)
      return false;
    if (!at.mayGrow && block > node.size) {
      // Nothing is taken, and a later root may be large enough.
      if (at.node == root)
        last.now.taken = {};
      return false;
    }
    int32_t span = overlapping(node, item);
    if (span == -2) {
      if (join && joinChildren(at.node, item, at.mayGrow))
        return true;
      if (keepsStates())
        meetSeveral(node, item);
      return false;
    }
    if (span >= 0) {
      if (keepsStates())
        at.clear = enter(node, span, at.clear);
      at.node = node.children[node.spans[span].child];
      continue;
    }
    append(at.node, item);
    update(at.node, item);
    push(at);
    addCheckpoint();
    return true;
  }
}

bool AllocationTree::search(int32_t item, bool mayGrow, bool join) {
  beginSearch(item, mayGrow);
  Checkpoint &now = last.now;
  for (;;) {
    if (now.top < 0 && now.added < last.added.size())
      push({last.added[now.added++], mayGrow, always()});
    addCheckpoint();
    if (now.top < 0)
      return false;
    const Try at = last.tries[now.top];
    now.top = at.next;
    if (!last.keeps)
      last.tries.pop_back();
    if (descend(at, item, join))
      return true;
  }
}

void AllocationTree::allocateAtEnd(int32_t item) {
  int32_t leaf = addLeaf(Kind::Allocation, item, instance.items[item].size);
  std::vector<Span> spans = nodes[root].spans;
  std::vector<Span> own = spansOf(item);
  int32_t right = addTemporal(leaf, own);
  int32_t split = addSpatial(root, right);
  std::vector<Span> all;
  for (Span span : spans)
    insertSpan(all, {span.lower, span.upper, 0});
  for (Span span : own)
    insertSpan(all, {span.lower, span.upper, 0});
  root = addTemporal(split, std::move(all));
  // Only the new slot may grow from now on: of the states of a search that lets
  // others grow, the one behind all slots is left.
  if (last.mayGrow) {
    const bool isOver = !last.passed.empty() && last.passed.back().top < 0 &&
                        last.passed.back().added == last.added.size();
    last.passed.erase(last.passed.begin(),
                      last.passed.end() - (isOver ? 1 : 0));
  }
  last.added.push_back(right);
}

int64_t AllocationTree::finalize(int64_t base,
                                 std::vector<int64_t> &offsets) const {
  // Parents come before children; sizes are then summed in reverse order.
  std::vector<int32_t> order = {root};
  for (size_t i = 0; i < order.size(); ++i)
    for (int32_t child : nodes[order[i]].children)
      order.push_back(child);
  // Empty bytes no longer count, so that a slot can be smaller than while the
  // tree grew. Left sides stay rounded up.
  std::vector<int64_t> size(nodes.size(), 0);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node &node = nodes[*it];
    if (node.kind == Kind::Allocation)
      size[*it] = node.size;
    if (node.kind == Kind::Spatial)
      size[*it] = saturatingAdd(alignUp(size[node.children[0]], alignment),
                                size[node.children[1]]);
    if (node.kind == Kind::Temporal)
      for (int32_t child : node.children)
        size[*it] = std::max(size[*it], size[child]);
  }
  std::vector<int64_t> offset(nodes.size(), 0);
  offset[root] = base;
  for (int32_t at : order) {
    const Node &node = nodes[at];
    if (node.kind == Kind::Allocation)
      offsets[node.item] = offset[at];
    for (int32_t child : node.children)
      offset[child] = offset[at];
    if (node.kind == Kind::Spatial)
      offset[node.children[1]] =
          saturatingAdd(offset[at], alignUp(size[node.children[0]], alignment));
  }
  return size[root];
}
