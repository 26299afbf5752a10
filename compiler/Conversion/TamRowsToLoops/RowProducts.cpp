//===- RowProducts.cpp - what a row adds to its sums ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowWriter.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tamc;

/// Most columns that lie together in a joint.
static constexpr size_t kMaxParts = 4;

/// Most bytes of joints: they are on the stack, and copied whenever the
/// loop is called.
static constexpr int64_t kJointBytes = 16 * 1024;

int64_t Product::words() const {
  if (layout.isPanels() && layout.isSelf())
    return layout.getWordsPerPanel(tensorOf(sums));
  int64_t stores =
      layout.isPanels() ? llvm::divideCeil(layout.getWordSize(), kWord) : 1;
  if (isColumn(left) || isOneHot(left) || isColumn(right) ||
      tam::areLevels(tam::getFactors(right)))
    return stores;
  return widthOf(layout.isPanels() ? right : left) * stores;
}

/// Finds the sums of a band that fills its words with several columns.
void RowWriter::findJoints() {
  llvm::MapVector<std::pair<Value, Value>, SmallVector<const Product *>> sides;
  for (const Product &product : products)
    if (product.layout.isPanels() && Product::isColumn(product.right) &&
        canPair(product.layout.getWidth(), product.layout.getWordSize()))
      sides[{product.left, product.weights}].push_back(&product);
  int64_t bytes = 0;
  for (auto &[side, all] : sides)
    for (ArrayRef<const Product *> rest = all; rest.size() > 1;) {
      Joint joint;
      joint.parts =
          llvm::to_vector(rest.take_front(std::min(rest.size(), kMaxParts)));
      rest = rest.drop_front(joint.parts.size());
      auto type = tensorOf(joint.parts.front()->sums);
      joint.places =
          cast<tam::SumsAttr>(type.getEncoding()).getCount(type) / kWord;
      if (bytes + joint.bytes() > kJointBytes)
        continue;
      bytes += joint.bytes();
      joints.push_back(std::move(joint));
    }
  for (const Joint &joint : joints)
    for (const Product *part : joint.parts)
      jointOf[part] = &joint;
}

/// A function that copies words, (from, words from one to the next, to, the
/// same, how many).
func::FuncOp RowWriter::writeCopy(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  MemRefType words = openType(f64);
  func::FuncOp function =
      startFunction(name, {words, index, words, index, index});
  loop(function.getArgument(4), 1, [&](Value i) {
    auto word = [&](unsigned argument) {
      Value step = function.getArgument(argument + 1);
      Value place = arith::MulIOp::create(b, loc, i, step);
      return Element(function.getArgument(argument), mul(place, kWord));
    };
    store(load(vector(kWord), word(0), kWord), word(2), kWord);
  });
  finishFunction();
  return function;
}

/// Takes the words of joints from their accumulators, or gives them back.
void RowWriter::copyJoints(bool areGivenBack) {
  for (const Joint &joint : joints)
    for (auto [i, part] : llvm::enumerate(joint.parts)) {
      Value places = constant(joint.places), stride = constant(joint.stride());
      Value own =
          open(buffer(numbers[part->sums], constant(joint.places * kWord)));
      Value step = constant(1);
      Value together = open(
          buffer(Element(joint.memory) + i * kWord,
                 constant(joint.places * joint.stride() * kWord - i * kWord)));
      func::CallOp::create(
          b, loc, copy,
          areGivenBack ? ValueRange{together, stride, own, step, places}
                       : ValueRange{own, step, together, stride, places});
    }
}

/// Adds what the row adds to the words of a joint, two at a time.
void RowWriter::writeJoint(const Joint &joint) {
  const Product &first = *joint.parts.front();
  Element place(joint.memory,
                mul(this->place(first.left), joint.stride() * kWord));
  Value values = productBand(first);
  auto word = [&](size_t i) { return place + i * kWord; };
  auto factor = [&](size_t i) {
    Value own = number(joint.parts[i]->right);
    return splat(own ? own : one(), kWord);
  };
  size_t i = 0;
  for (; i + 2 <= joint.parts.size(); i += 2)
    addTo(word(i),
          product(concat(values, values, kWord),
                  concat(factor(i), factor(i + 1), kWord)),
          2 * kWord);
  if (i < joint.parts.size())
    addWord(word(i), values, number(joint.parts[i]->right), kWord, kWord);
}

/// The row's number of a column, null for the intercept.
Value RowWriter::number(Value side) {
  if (side.getDefiningOp<tam::OffsetOp>())
    return {};
  Value &known = rowNumbers[side];
  if (!known)
    known = load(at(numbers[side], row));
  return known;
}

/// The row's weight, null where rows have none.
Value RowWriter::weightOf(Value weights) {
  return weights ? number(weights) : Value();
}

/// The tile's numbers of a band, times the weights if there are weights.
Element RowWriter::bandsOf(Value design, Value weights) {
  return weights ? Element(weighted.lookup({design, weights}))
                 : numbers[design];
}

/// The row's numbers of a band, times the weight if there are weights.
Value RowWriter::band(Value design, Value weights) {
  Value &known = rowBands[{design, weights}];
  if (!known) {
    int64_t width = widthOf(design);
    known = load(vector(width), at(bandsOf(design, weights), mul(row, width)),
                 llvm::isPowerOf2_64(width) ? width : 1);
  }
  return known;
}

/// The row's level, or first column of its band; of a product, the tuple of
/// those of its factors as one number.
Value RowWriter::place(Value design) {
  Value &known = rowPlaces[design];
  if (known)
    return known;
  SmallVector<Value> factors = tam::getFactors(design);
  if (factors.size() == 1)
    return known = arith::IndexCastOp::create(
               b, loc, index, load(i32, Element(starts[factors[0]], row)));
  Value panel;
  for (Value factor : factors) {
    int64_t panels = columnsOf(factor) - tam::getBandWidth(factor) + 1;
    Value own = place(factor);
    panel = panel ? add(mul(panel, panels), own) : own;
  }
  return rowPlaces[design] = panel;
}

/// Number `index` of a product's sums.
Element RowWriter::wordAt(const Product &p, Value index) {
  auto known = offsetOf.find(p.sums);
  if (known == offsetOf.end())
    return at(numbers[p.sums], index);
  return Element(rowState, index, known->second);
}

/// Adds what the row adds to one accumulator. The runtime's kernels weight the
/// left side (kernels/cpu/Gram*.cpp).
void RowWriter::writeProduct(const Product &p) {
  if (const Joint *joint = jointOf.lookup(&p)) {
    if (joint->parts.front() == &p)
      writeJoint(*joint);
    return;
  }
  if (p.layout.isPanels())
    return writePanels(p);
  if (isOneHot(p.left)) {
    Value level = place(p.left), weight = weightOf(p.weights);
    if (p.isSelf())
      return addTo(wordAt(p, level), weight ? weight : one());
    if (Product::isColumn(p.right)) {
      Value value = number(p.right);
      return addTo(wordAt(p, level),
                   weight || value ? product(weight, value) : one());
    }
    Element word =
        wordAt(p, add(mul(level, columnsOf(p.right)), place(p.right)));
    if (isOneHot(p.right))
      return addTo(word, weight ? weight : one());
    return addTo(word, band(p.right, p.weights));
  }
  int64_t width = widthOf(p.left);
  if (Product::isColumn(p.right)) {
    Value value = number(p.right);
    return addTo(wordAt(p, place(p.left)),
                 product(band(p.left, p.weights),
                         value ? splat(value, width) : Value()));
  }
  int64_t columns = columnsOf(p.right);
  Element corner = wordAt(p, add(mul(place(p.left), columns), place(p.right)));
  Value right = band(p.right, {});
  Element factors = at(bandsOf(p.left, p.weights), mul(row, width));
  for (int64_t i = 0; i < width; ++i)
    addTo(corner + i * columns,
          product(splat(load(factors + i), widthOf(p.right)), right));
}

/// The row's numbers of the product of a left side's factors, times the weight
/// if there are weights; null for a single 1.
Value RowWriter::productBand(const Product &p) {
  Value values;
  int64_t size = 1;
  for (auto [index, factor] : llvm::enumerate(tam::getFactors(p.left))) {
    Value weights = index == p.layout.getWordFactor() ? p.weights : Value();
    if (!isBanded(factor)) {
      if (weights)
        values = product(values, splat(number(weights), size));
      continue;
    }
    Value own = band(factor, weights);
    int64_t width = widthOf(factor);
    SmallVector<int64_t> before, after;
    for (int64_t i = 0; i < size * width; ++i) {
      before.push_back(i / width);
      after.push_back(i % width);
    }
    if (values)
      own = product(shuffle(values, values, before), shuffle(own, own, after));
    values = own;
    size *= width;
  }
  return values;
}

/// Adds `factor` times `values` to a word of so many numbers; null is 1.
void RowWriter::addWord(Element word, Value values, Value factor,
                        int64_t numbers, int64_t size) {
  Value scale = factor ? splat(factor, numbers) : Value();
  if (!scale && !values)
    scale = splat(one(), numbers);
  addTo(word, product(values, scale), size);
}

/// Adds the row's products of a matrix with itself to the panel at `first`.
/// The factors from `factor` on, but for the word factor, go through their
/// pairs; `pair` is the product of the pairs chosen so far, and `index` says
/// which they are.
void RowWriter::writePairs(const Product &p, Element first, size_t factor,
                           Value pair, int64_t index) {
  SmallVector<Value> factors = tam::getFactors(p.left);
  Value words = p.getWordFactor();
  if (factor == factors.size()) {
    int64_t width = tam::getBandWidth(words);
    int64_t size = p.layout.getWordSize();
    int64_t rotations = p.layout.getLayout() == tam::SumsLayout::CubicPanels
                            ? p.layout.getWordsPerPanel(tensorOf(p.sums))
                            : width / 2 + 1;
    int64_t r = 0;
    if (isBanded(words) && canPair(width, size)) {
      Value own = band(words, p.weights), other = band(words, {});
      for (; r + 2 <= rotations; r += 2)
        addTo(first + (index * rotations + r) * size,
              product(product(concat(own, own, width),
                              concat(rotate(other, width, r),
                                     rotate(other, width, r + 1), width)),
                      pair ? splat(pair, 2 * width) : Value()),
              size);
    }
    for (; r < rotations; ++r) {
      Value values;
      if (isBanded(words))
        values =
            product(band(words, p.weights), rotate(band(words, {}), width, r));
      else if (p.weights)
        values = splat(number(p.weights), 1);
      addWord(first + (index * rotations + r) * size, values, pair, width,
              size);
    }
    return;
  }
  if (factor == p.layout.getWordFactor() || !isBanded(factors[factor]))
    return writePairs(p, first, factor + 1, pair, index);
  int64_t width = widthOf(factors[factor]);
  Element numbers = at(this->numbers[factors[factor]], mul(row, width));
  index *= width * (width + 1) / 2;
  for (int64_t i = 0; i < width; ++i)
    for (int64_t k = i; k < width; ++k) {
      Value own = times(load(numbers + i), load(numbers + k));
      writePairs(p, first, factor + 1, product(pair, own), index++);
    }
}

/// The same for panels.
void RowWriter::writePanels(const Product &p) {
  int64_t size = p.layout.getWordSize(), width = p.layout.getWidth();
  Value word = mul(place(p.left), p.layout.getWordsPerPanel(tensorOf(p.sums)));
  if (!p.isSelf() && !Product::isColumn(p.right))
    word = add(word, place(p.right));
  Element first = at(numbers[p.sums], mul(word, size));
  if (p.isSelf())
    return writePairs(p, first, 0, {}, 0);
  Value values = productBand(p);
  if (Product::isColumn(p.right))
    return addWord(first, values, number(p.right), width, size);
  if (tam::areLevels(tam::getFactors(p.right)))
    return addWord(first, values, {}, width, size);
  int64_t others = widthOf(p.right);
  Element factors = at(numbers[p.right], mul(row, others));
  int64_t j = 0;
  if (canPair(width, size)) {
    // Of numbers that are in a register already: a load each takes longer.
    Value right = band(p.right, {});
    for (; j + 2 <= others; j += 2) {
      SmallVector<int64_t> from(width, j);
      from.append(width, j + 1);
      addTo(first + j * size,
            times(concat(values, values, width), shuffle(right, right, from)),
            size);
    }
  }
  for (; j < others; ++j)
    addWord(first + j * size, values, load(factors + j), width, size);
}
