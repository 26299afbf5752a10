//===- RowKernel.cpp - code for sums that share a loop ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel walks over tiles of some rows, which lie in one segment (abi.h).
// Of a tile it computes the feature maps by the runtime's kernels, into scratch
// that stays in the first-level cache, and then runs loops over its rows that
// add all products of a row to their sums.
//
// Sums of two columns live in registers over a tile. All others are words in
// memory: a row adds to each at another place, and by the time the next row
// comes to the same place the word has been stored. That is why the products of
// one row are added together, and not a pair of matrices at a time.
//
// Products are formed as the runtime's kernels form them, factor by factor, and
// never fused with the addition: the bits are the same on every instruction
// set, and but for panels, which add in another order, without fusion.
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"

#include "KernelWriter.h"

#include "tamrt/abi.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc;

/// Rows of a tile, and the bytes of scratch that make it smaller.
static constexpr int64_t kTileRows = 128;
static constexpr int64_t kLeastTileRows = 8;
static constexpr int64_t kScratchBytes = 64 * 1024;

/// Words that one loop over a tile's rows updates: more than this and its code
/// leaves the cache of decoded instructions.
static constexpr int64_t kWordsPerLoop = 160;

/// Numbers that an instruction stores.
static constexpr int64_t kStoredNumbers = 4;

/// Numbers of a line of the cache.
static constexpr int64_t kLine = 64 / sizeof(double);

/// Sums of two columns that one loop keeps in registers.
static constexpr size_t kSumsPerLoop = 12;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isBanded(Value design) {
  return isa<tam::BandedAttr>(tensorOf(design).getEncoding());
}

static bool isOneHot(Value design) {
  return isa<tam::OneHotAttr>(tensorOf(design).getEncoding());
}

/// Numbers per row, and columns, of a design matrix.
static int64_t widthOf(Value design) {
  return cast<tam::BandedAttr>(tensorOf(design).getEncoding()).getWidth();
}
static int64_t columnsOf(Value design) {
  return tensorOf(design).getDimSize(1);
}

LogicalResult tamc::checkRowKernel(tam::RowsOp op) {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (!isa<tam::NormalizeOp, tam::OffsetOp, tam::LinearOp, tam::BSplineOp,
             tam::CategoryOp, tam::KroneckerOp, tam::ConvertOp, tam::GramOp,
             tam::RhsOp>(inner))
      return inner.emitOpError("expected an op that a row kernel has code for");
    auto map = dyn_cast<tam::FeatureMapInterface>(inner);
    if (map && tensorOf(inner.getResult(0)).getEncoding() !=
                   map.getStructuredEncoding())
      return inner.emitOpError("expected encoding ")
             << map.getStructuredEncoding() << " in a row kernel, got "
             << inner.getResult(0).getType();
  }
  return success();
}

namespace {

/// The numbers that a row updates in one accumulator: what is added, and where.
struct Product {
  /// The design matrices in the order of the runtime's kernels: one-hot before
  /// banded before columns; of panels, the band along the words first, which
  /// may be a product of several. `right` of a right-hand side is the target.
  Value left, right;
  Value weights;
  Value sums;
  tam::SumsAttr layout;

  bool isSelf() const { return left == right; }
  /// Whether a side is a number per row.
  static bool isColumn(Value side) {
    return tensorOf(side).getRank() == 1 ||
           isa<tam::DenseAttr>(tensorOf(side).getEncoding());
  }
  bool isOfColumns() const { return isColumn(left); }
  /// Of sums in panels, the factor that words go along.
  Value getWordFactor() const {
    return tam::getFactors(left)[layout.getWordFactor()];
  }
  /// Words, a number or vector of them, that a row updates.
  int64_t words() const {
    if (layout.isPanels() && layout.isSelf())
      return layout.getWordsPerPanel(tensorOf(sums));
    int64_t stores = layout.isPanels() ? llvm::divideCeil(layout.getWordSize(),
                                                          kStoredNumbers)
                                       : 1;
    if (isColumn(left) || isOneHot(left) || isColumn(right) ||
        tam::areLevels(tam::getFactors(right)))
      return stores;
    return widthOf(layout.isPanels() ? right : left) * stores;
  }
};

/// Writes one kernel.
class Writer : KernelWriter {
public:
  Writer(OpBuilder &builder, tam::RowsOp op, ArrayRef<int64_t> offsets)
      : KernelWriter(builder, op.getLoc()), op(op), offsets(offsets) {}

  LLVM::LLVMFuncOp write(StringRef name);

private:
  // The kernel's parts.
  LLVM::LLVMFuncOp writeFlush(StringRef name);
  void findProducts();
  int64_t scratchPerRow();
  /// Room for the tile's rows.
  Value tileScratch(int64_t bytesPerRow) {
    return scratch(tileRows * bytesPerRow);
  }
  void writeMaps(Value rows);
  void writeWeighted(Value rows);
  void writeColumns(Value rows, ArrayRef<const Product *> products);
  void writePrefetch(Value row);
  void writeProducts(Value rows, ArrayRef<const Product *> products,
                     bool prefetches);
  Value wordAt(const Product &product, Value index);
  void writeProduct(const Product &product);
  void writePanels(const Product &product);
  void writePairs(const Product &product, Value first, size_t factor,
                  Value pair, int64_t index);
  void addWord(Value address, Value values, Value factor, int64_t numbers,
               int64_t size);
  /// Whether two words that lie together are added to at once: an instruction
  /// less where vectors are as long, and elsewhere the same as one by one.
  static bool canPair(int64_t width, int64_t size) {
    return width == kStoredNumbers && size == width;
  }

  // A row's numbers, loaded once per loop.
  Value number(Value side);
  Value weightOf(Value weights);
  Value band(Value design, Value weights);
  Value place(Value design);
  Value productBand(const Product &product);

  tam::RowsOp op;
  ArrayRef<int64_t> offsets;

  SmallVector<Product> products;
  /// Inputs with a number per row.
  SmallVector<Value> columns;
  /// Weighted bands: matrix and weights.
  llvm::SetVector<std::pair<Value, Value>> weightedBands;
  /// The first accumulator, and the bytes from it to each where they are known.
  Value firstSums;
  DenseMap<Value, int64_t> offsetOf;
  int64_t tileRows = kTileRows;
  /// What each column or parameter of the op is in the tile: a pointer to its
  /// first number. Of design matrices `starts` has the pointer to the first
  /// columns, or levels.
  DenseMap<Value, Value> numbers, starts;
  DenseMap<std::pair<Value, Value>, Value> weighted;

  Value row, rowSums;
  DenseMap<Value, Value> rowNumbers, rowPlaces;
  DenseMap<std::pair<Value, Value>, Value> rowBands;
};

} // namespace

/// A function that moves an accumulator's segment under way to its finished
/// ones: (accumulator, numbers, whether none has been finished before).
LLVM::LLVMFuncOp Writer::writeFlush(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  LLVM::LLVMFuncOp function =
      startFunction(name, {pointer, i64, b.getI1Type()});
  Value segment = function.getArgument(0), count = function.getArgument(1);
  Value finished = at(segment, f64, count);
  loop(count, 1, [&](Value i) {
    Value from = at(segment, f64, i), to = at(finished, f64, i);
    Value sum = load(f64, from);
    Value all = LLVM::FAddOp::create(b, loc, load(f64, to), sum);
    store(LLVM::SelectOp::create(b, loc, function.getArgument(2), sum, all),
          to);
    store(LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(0.0)), from);
  });
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

/// Reads the sums off the op.
void Writer::findProducts() {
  for (Operation &inner : op.getBody().front()) {
    auto layoutOf = [](Value sums) {
      return cast<tam::SumsAttr>(tensorOf(sums).getEncoding());
    };
    if (auto gram = dyn_cast<tam::GramOp>(inner)) {
      tam::SumsAttr layout = layoutOf(gram.getResult());
      bool isTransposed = layout.isTransposed();
      Value left = isTransposed ? gram.getB() : gram.getA();
      Value right = isTransposed ? gram.getA() : gram.getB();
      // What was made sparse to meet a product is a band all the same.
      if (auto convert = right.getDefiningOp<tam::ConvertOp>();
          convert && left != right)
        right = convert.getA();
      products.push_back(
          {left, right, gram.getWeights(), gram.getAccumulator(), layout});
    } else if (auto rhs = dyn_cast<tam::RhsOp>(inner)) {
      products.push_back({rhs.getA(), rhs.getY(), rhs.getWeights(),
                          rhs.getAccumulator(), layoutOf(rhs.getResult())});
    }
  }
  for (const Product &product : products) {
    if (!product.weights)
      continue;
    if (product.layout.isPanels()) {
      if (isBanded(product.getWordFactor()))
        weightedBands.insert({product.getWordFactor(), product.weights});
      continue;
    }
    for (Value side : {product.left, product.right})
      if (!Product::isColumn(side) && isBanded(side))
        weightedBands.insert({side, product.weights});
  }
}

/// Bytes of scratch that a row takes.
int64_t Writer::scratchPerRow() {
  int64_t bytes = 0;
  for (Operation &inner : op.getBody().front())
    llvm::TypeSwitch<Operation *>(&inner)
        .Case<tam::NormalizeOp, tam::LinearOp>(
            [&](auto) { bytes += sizeof(double); })
        .Case<tam::CategoryOp>([&](auto) { bytes += sizeof(int32_t); })
        .Case([&](tam::BSplineOp spline) {
          bytes +=
              widthOf(spline.getResult()) * sizeof(double) + sizeof(int32_t);
        });
  for (auto [design, weights] : weightedBands)
    bytes += widthOf(design) * sizeof(double);
  return bytes;
}

/// Computes the feature maps of the tile. What they write is known from here
/// on.
void Writer::writeMaps(Value rows) {
  auto mode = [&](tam::Extrapolate mode) {
    return constant(static_cast<int64_t>(mode));
  };
  auto doubles = [&](Value of, int64_t width) {
    return numbers[of] = tileScratch(width * sizeof(double));
  };
  auto integers = [&](Value of) {
    return starts[of] = tileScratch(sizeof(int32_t));
  };
  for (Operation &inner : op.getBody().front())
    llvm::TypeSwitch<Operation *>(&inner)
        .Case([&](tam::NormalizeOp map) {
          call("normalize",
               {numbers[map.getColumn()], numbers[map.getParameters()], rows,
                doubles(map.getResult(), 1)});
        })
        .Case([&](tam::LinearOp map) {
          Value scale =
              LLVM::ConstantOp::create(b, loc, f64, map.getScaleAttr());
          call("linear",
               {numbers[map.getX()], rows, scale, mode(map.getExtrapolate()),
                doubles(map.getResult(), 1)});
        })
        .Case([&](tam::CategoryOp map) {
          call("onehot", {numbers[map.getX()], rows,
                          constant(static_cast<int64_t>(map.getLevels())),
                          integers(map.getResult())});
        })
        .Case([&](tam::BSplineOp map) {
          call("bspline",
               {numbers[map.getX()], numbers[map.getParameters()], rows,
                constant(static_cast<int64_t>(map.getIntervals())),
                constant(static_cast<int64_t>(map.getDegree())),
                mode(map.getExtrapolate()),
                doubles(map.getResult(), widthOf(map.getResult())),
                integers(map.getResult())});
        });
}

/// Computes the bands times the row weights.
void Writer::writeWeighted(Value rows) {
  if (weightedBands.empty())
    return;
  for (auto pair : weightedBands)
    weighted[pair] = tileScratch(widthOf(pair.first) * sizeof(double));
  loop(rows, 1, [&](Value i) {
    for (auto pair : weightedBands) {
      int64_t width = widthOf(pair.first);
      Value weight = load(f64, at(numbers[pair.second], f64, i));
      Value first = mul(i, width);
      Value values = load(vector(width), at(numbers[pair.first], f64, first));
      store(product(splat(weight, width), values),
            at(weighted[pair], f64, first));
    }
  });
}

/// The row's number of a column, null for the intercept.
Value Writer::number(Value side) {
  if (side.getDefiningOp<tam::OffsetOp>())
    return {};
  Value &known = rowNumbers[side];
  if (!known)
    known = load(f64, at(numbers[side], f64, row));
  return known;
}

/// The row's weight, null where rows have none.
Value Writer::weightOf(Value weights) {
  return weights ? number(weights) : Value();
}

/// The row's numbers of a band, times the weight if there are weights.
Value Writer::band(Value design, Value weights) {
  Value &known = rowBands[{design, weights}];
  if (!known) {
    int64_t width = widthOf(design);
    Value base = weights ? weighted.lookup({design, weights}) : numbers[design];
    known = load(vector(width), at(base, f64, mul(row, width)),
                 llvm::isPowerOf2_64(width) ? width : 1);
  }
  return known;
}

/// The row's level, or first column of its band; of a product, the tuple of
/// those of its factors as one number.
Value Writer::place(Value design) {
  Value &known = rowPlaces[design];
  if (known)
    return known;
  SmallVector<Value> factors = tam::getFactors(design);
  if (factors.size() == 1)
    return known = LLVM::SExtOp::create(
               b, loc, i64, load(i32, at(starts[factors[0]], i32, row)));
  Value panel;
  for (Value factor : factors) {
    int64_t panels = columnsOf(factor) - tam::getFactorWidth(factor) + 1;
    Value own = place(factor);
    panel = panel ? add(mul(panel, panels), own) : own;
  }
  return rowPlaces[design] = panel;
}

/// The address of number `index` of a product's sums. What varies goes first,
/// so that a known offset ends up in the instruction.
Value Writer::wordAt(const Product &p, Value index) {
  auto known = offsetOf.find(p.sums);
  if (known == offsetOf.end())
    return at(numbers[p.sums], f64, index);
  return at(at(rowSums, f64, index), b.getI8Type(), known->second);
}

/// Adds what the row adds to one accumulator. The runtime's kernels weight the
/// left side (kernels/cpu/Gram*.cpp).
void Writer::writeProduct(const Product &p) {
  if (p.layout.isPanels())
    return writePanels(p);
  Value one = LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(1.0));
  if (isOneHot(p.left)) {
    Value level = place(p.left), weight = weightOf(p.weights);
    if (p.isSelf())
      return addTo(wordAt(p, level), weight ? weight : one);
    if (Product::isColumn(p.right)) {
      Value value = number(p.right);
      return addTo(wordAt(p, level),
                   weight || value ? product(weight, value) : one);
    }
    Value word = wordAt(p, add(mul(level, columnsOf(p.right)), place(p.right)));
    if (isOneHot(p.right))
      return addTo(word, weight ? weight : one);
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
  Value corner = wordAt(p, add(mul(place(p.left), columns), place(p.right)));
  Value right = band(p.right, {});
  Value factors =
      p.weights ? weighted.lookup({p.left, p.weights}) : numbers[p.left];
  factors = at(factors, f64, mul(row, width));
  for (int64_t i = 0; i < width; ++i) {
    Value factor = load(f64, at(factors, f64, i));
    addTo(at(corner, f64, i * columns),
          product(splat(factor, widthOf(p.right)), right));
  }
}

/// The row's numbers of the product of a left side's factors, times the weight
/// if there are weights; null for a single 1.
Value Writer::productBand(const Product &p) {
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
    SmallVector<int32_t> before, after;
    for (int64_t i = 0; i < size * width; ++i) {
      before.push_back(i / width);
      after.push_back(i % width);
    }
    if (values)
      own =
          product(LLVM::ShuffleVectorOp::create(b, loc, values, values, before),
                  LLVM::ShuffleVectorOp::create(b, loc, own, own, after));
    values = own;
    size *= width;
  }
  return values;
}

/// Adds `factor` times `values` to a word of so many numbers; null is 1.
void Writer::addWord(Value address, Value values, Value factor, int64_t numbers,
                     int64_t size) {
  Value scale = factor ? splat(factor, numbers) : Value();
  if (!scale && !values)
    scale = splat(LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(1.0)),
                  numbers);
  addTo(address, product(values, scale), size);
}

/// Adds the row's products of a matrix with itself to the panel at `first`.
/// The factors from `factor` on, but for the word factor, go through their
/// pairs; `pair` is the product of the pairs chosen so far, and `index` says
/// which they are.
void Writer::writePairs(const Product &p, Value first, size_t factor,
                        Value pair, int64_t index) {
  SmallVector<Value> factors = tam::getFactors(p.left);
  Value words = p.getWordFactor();
  if (factor == factors.size()) {
    int64_t width = tam::getFactorWidth(words);
    int64_t size = p.layout.getWordSize();
    int64_t rotations = p.layout.getLayout() == tam::SumsLayout::CubicPanels
                            ? p.layout.getWordsPerPanel(tensorOf(p.sums))
                            : width / 2 + 1;
    int64_t r = 0;
    if (isBanded(words) && canPair(width, size)) {
      Value own = band(words, p.weights), other = band(words, {});
      for (; r + 2 <= rotations; r += 2)
        addTo(at(first, f64, (index * rotations + r) * size),
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
      addWord(at(first, f64, (index * rotations + r) * size), values, pair,
              width, size);
    }
    return;
  }
  if (factor == p.layout.getWordFactor() || !isBanded(factors[factor]))
    return writePairs(p, first, factor + 1, pair, index);
  int64_t width = widthOf(factors[factor]);
  Value numbers = at(this->numbers[factors[factor]], f64, mul(row, width));
  index *= width * (width + 1) / 2;
  for (int64_t i = 0; i < width; ++i)
    for (int64_t k = i; k < width; ++k) {
      Value own = product(load(f64, at(numbers, f64, i)),
                          load(f64, at(numbers, f64, k)));
      writePairs(p, first, factor + 1, product(pair, own), index++);
    }
}

/// The same for panels.
void Writer::writePanels(const Product &p) {
  int64_t size = p.layout.getWordSize(), width = p.layout.getWidth();
  Value word = mul(place(p.left), p.layout.getWordsPerPanel(tensorOf(p.sums)));
  if (!p.isSelf() && !Product::isColumn(p.right))
    word = add(word, place(p.right));
  Value first = at(numbers[p.sums], f64, mul(word, size));
  if (p.isSelf())
    return writePairs(p, first, 0, {}, 0);
  Value values = productBand(p);
  if (Product::isColumn(p.right))
    return addWord(first, values, number(p.right), width, size);
  if (tam::areLevels(tam::getFactors(p.right)))
    return addWord(first, values, {}, width, size);
  int64_t others = widthOf(p.right);
  Value factors = at(numbers[p.right], f64, mul(row, others));
  auto factor = [&](int64_t j) { return load(f64, at(factors, f64, j)); };
  int64_t j = 0;
  if (canPair(width, size))
    for (; j + 2 <= others; j += 2)
      addTo(at(first, f64, j * size),
            product(concat(values, values, width),
                    concat(splat(factor(j), width), splat(factor(j + 1), width),
                           width)),
            size);
  for (; j < others; ++j)
    addWord(at(first, f64, j * size), values, factor(j), width, size);
}

/// Asks for what the next tile will read. The loop over the rows takes longer
/// than memory does, and reads nothing else that is not in the cache.
void Writer::writePrefetch(Value i) {
  Value index = add(i, constant(tileRows));
  for (Value column : columns)
    LLVM::Prefetch::create(b, loc, at(numbers[column], f64, index), /*rw=*/0,
                           /*hint=*/3, /*cache=*/1);
}

/// A loop that adds products to words in memory.
void Writer::writeProducts(Value rows, ArrayRef<const Product *> some,
                           bool prefetches) {
  auto body = [&](Value i) {
    row = i;
    rowNumbers.clear();
    rowPlaces.clear();
    rowBands.clear();
    // Without this the addresses of all accumulators are computed before the
    // loop, and there are far more than registers.
    rowSums = LLVM::LaunderInvariantGroupOp::create(b, loc, pointer, firstSums);
    for (const Product *product : some)
      writeProduct(*product);
  };
  if (!prefetches)
    return loop(rows, 1, body);
  loop(rows, kLine, [&](Value line) {
    writePrefetch(line);
    Value left = LLVM::SubOp::create(b, loc, rows, line);
    loop(least(left, constant(kLine)), 1,
         [&](Value inside) { body(add(line, inside)); });
  });
}

/// A loop that adds products of columns to sums in registers.
void Writer::writeColumns(Value rows, ArrayRef<const Product *> some) {
  SmallVector<Value> start;
  for (const Product *p : some)
    start.push_back(load(f64, numbers[p->sums]));
  SmallVector<Value> end =
      loop(rows, 1, start, [&](Value i, ValueRange carried) {
        row = i;
        rowNumbers.clear();
        SmallVector<Value> next;
        for (auto [p, sum] : llvm::zip(some, carried)) {
          // The weight meets the second column first, as in the runtime; of a
          // matrix with itself that is all the same.
          Value second = number(p->right), weight = weightOf(p->weights);
          Value factor = weight || second ? product(weight, second) : Value();
          Value first = number(p->left);
          Value value = factor || first
                            ? product(factor, first)
                            : Value(LLVM::ConstantOp::create(
                                  b, loc, f64, b.getF64FloatAttr(1.0)));
          next.push_back(LLVM::FAddOp::create(b, loc, sum, value));
        }
        return next;
      });
  for (auto [p, sum] : llvm::zip(some, end))
    store(sum, numbers[p->sums]);
}

LLVM::LLVMFuncOp Writer::write(StringRef name) {
  findProducts();
  int64_t perRow = scratchPerRow();
  while (tileRows > kLeastTileRows && tileRows * perRow > kScratchBytes)
    tileRows /= 2;

  Block &body = op.getBody().front();
  auto inputs = body.getArguments().take_front(op.getInputs().size());
  auto accumulators = body.getArguments().drop_front(op.getInputs().size());
  SmallVector<Type> types{pointer};
  for (BlockArgument input : inputs)
    if (!input.getType().isIndex())
      types.push_back(pointer);
  types.append({i64, i64});
  types.append(accumulators.size(), pointer);
  LLVM::LLVMFuncOp flush = writeFlush((name + "_flush").str());
  OpBuilder::InsertionGuard guard(b);
  LLVM::LLVMFuncOp function = startFunction(name, types);
  unsigned next = 0;
  context = function.getArgument(next++);
  DenseMap<Value, Value> firstRows;
  for (BlockArgument input : inputs) {
    if (input.getType().isIndex())
      continue;
    Value argument = function.getArgument(next++);
    if (tensorOf(input).hasStaticShape())
      numbers[input] = argument;
    else
      columns.push_back(input), firstRows[input] = argument;
  }
  Value rows = function.getArgument(next++);
  Value firstRow = function.getArgument(next++);
  // Known offsets make one address of all accumulators: a register, not one
  // more load per product.
  firstSums = accumulators.empty() ? Value() : function.getArgument(next);
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    Value argument = function.getArgument(next);
    if (offsets.empty() || i == 0)
      function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
    if (offsets.empty()) {
      numbers[accumulator] = argument;
    } else {
      numbers[accumulator] = at(firstSums, b.getI8Type(), offsets[i]);
      offsetOf[accumulator] = offsets[i];
    }
    ++next;
  }

  // Tiles end with the segment: how many there are is not known before.
  Block *entry = b.getBlock();
  Region *region = entry->getParent();
  Block *header = b.createBlock(region, region->end(), {i64}, {loc});
  Block *tile = b.createBlock(region, region->end());
  Block *exit = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(entry);
  Value zero = constant(0), segmentRows = constant(TAMRT_SEGMENT_ROWS);
  Value mostRows = constant(tileRows);
  LLVM::BrOp::create(b, loc, zero, header);
  b.setInsertionPointToEnd(header);
  Value begin = header->getArgument(0);
  LLVM::CondBrOp::create(b, loc, isLess(begin, rows), tile, exit);
  b.setInsertionPointToEnd(tile);
  Value index = add(firstRow, begin);
  Value inside = LLVM::SRemOp::create(b, loc, index, segmentRows);
  Value isStart =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, inside, zero);
  Value starts = LLVM::AndOp::create(b, loc, isStart, isLess(zero, index));
  onlyIf(starts, [&] {
    Value isFirst = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, index,
                                         segmentRows);
    for (BlockArgument accumulator : accumulators) {
      auto type = tensorOf(accumulator);
      int64_t count = cast<tam::SumsAttr>(type.getEncoding()).getCount(type);
      LLVM::CallOp::create(
          b, loc, flush,
          ValueRange{numbers[accumulator], constant(count), isFirst});
    }
  });
  Value left = least(LLVM::SubOp::create(b, loc, rows, begin),
                     LLVM::SubOp::create(b, loc, segmentRows, inside));
  Value count = least(left, mostRows);
  for (Value column : columns)
    numbers[column] = at(firstRows[column], f64, begin);
  writeMaps(count);
  writeWeighted(count);

  SmallVector<const Product *> ofColumns, others;
  bool isFirstLoop = true;
  auto writeOthers = [&] {
    if (!others.empty())
      writeProducts(count, others, std::exchange(isFirstLoop, false));
    others.clear();
  };
  int64_t words = 0;
  for (const Product &product : products) {
    if (product.isOfColumns()) {
      ofColumns.push_back(&product);
      continue;
    }
    if (words + product.words() > kWordsPerLoop) {
      writeOthers();
      words = 0;
    }
    others.push_back(&product);
    words += product.words();
  }
  writeOthers();
  for (ArrayRef<const Product *> rest = ofColumns; !rest.empty();) {
    ArrayRef<const Product *> some =
        rest.take_front(std::min(rest.size(), kSumsPerLoop));
    writeColumns(count, some);
    rest = rest.drop_front(some.size());
  }
  LLVM::BrOp::create(b, loc, add(begin, count), header);
  b.setInsertionPointToEnd(exit);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

LLVM::LLVMFuncOp tamc::writeRowKernel(OpBuilder &builder, tam::RowsOp op,
                                      StringRef name,
                                      ArrayRef<int64_t> offsets) {
  return Writer(builder, op, offsets).write(name);
}
