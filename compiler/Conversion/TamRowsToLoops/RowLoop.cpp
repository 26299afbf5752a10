//===- RowLoop.cpp - loops of sums over rows --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function walks over tiles of some rows. The runtime's kernels compute the
// feature maps of a tile, in scratch that stays in the first-level cache. Then
// loops over the tile's rows add all products of a row to their sums.
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

#include "RowLoops.h"

#include "RowWriter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc;

/// Rows of a tile, and the bytes of scratch that make it smaller.
static constexpr int64_t kTileRows = 128;
static constexpr int64_t kMinTileRows = 8;
static constexpr int64_t kScratchBytes = 64 * 1024;

/// Words that one loop over a tile's rows updates: more than this and its code
/// leaves the cache of decoded instructions.
static constexpr int64_t kWordsPerLoop = 160;

/// Numbers of a line of the cache.
static constexpr int64_t kLine = kLineBytes / sizeof(double);

/// Sums of two columns that one loop keeps in registers.
static constexpr size_t kSumsPerLoop = 12;

/// Finds the products that the op's sums add.
void RowWriter::findProducts() {
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

/// Bytes a row of each array of scratch.
SmallVector<int64_t> RowWriter::scratchPerRow() {
  SmallVector<int64_t> bytes;
  for (Operation &inner : op.getBody().front())
    llvm::TypeSwitch<Operation *>(&inner)
        .Case<tam::NormalizeOp, tam::RegridOp, tam::LinearOp>(
            [&](auto) { bytes.push_back(sizeof(double)); })
        .Case<tam::CategoryOp>([&](auto) { bytes.push_back(sizeof(int32_t)); })
        .Case([&](tam::BSplineOp spline) {
          bytes.push_back(widthOf(spline.getResult()) * sizeof(double));
          bytes.push_back(sizeof(int32_t));
        });
  for (auto [design, weights] : weightedBands)
    bytes.push_back(widthOf(design) * sizeof(double));
  return bytes;
}

/// Scratch of the tile, so many numbers a row. All scratch is one piece of
/// memory: a loop needs one address for it, and not one per array.
Value RowWriter::tileScratch(int64_t perRow, Type type) {
  Value first = constant(tileBytes);
  auto array = MemRefType::get({tileRows * perRow}, type);
  int64_t bytes = array.getNumElements() * type.getIntOrFloatBitWidth() / 8;
  tileBytes += llvm::alignTo(bytes, kLineBytes);
  return memref::ViewOp::create(b, loc, array, tileMemory, first, ValueRange());
}

/// Computes the feature maps of the tile, and notes the buffers of the results.
void RowWriter::writeMaps(Value rows) {
  auto count = [&](auto value) {
    return constant(static_cast<int64_t>(value));
  };
  // The column of the tile's rows; parameters, which all rows share.
  auto input = [&](Value of) { return buffer(numbers[of], rows); };
  auto doubles = [&](Value of, int64_t width) {
    Value array = tileScratch(width, f64);
    numbers[of] = array;
    return array;
  };
  auto integers = [&](Value of) { return starts[of] = tileScratch(1, i32); };
  for (Operation &inner : op.getBody().front())
    llvm::TypeSwitch<Operation *>(&inner)
        .Case([&](tam::NormalizeOp map) {
          call("normalize", {input(map.getColumn()), input(map.getParameters()),
                             rows, doubles(map.getResult(), 1)});
        })
        .Case([&](tam::RegridOp map) {
          call("regrid",
               {input(map.getX()), input(map.getParameters()), rows,
                count(map.getLevels()), each(map.getStep().convertToDouble()),
                doubles(map.getResult(), 1)});
        })
        .Case([&](tam::LinearOp map) {
          call("linear",
               {input(map.getX()), rows, each(map.getScale().convertToDouble()),
                count(map.getExtrapolate()), doubles(map.getResult(), 1)});
        })
        .Case([&](tam::CategoryOp map) {
          call("onehot", {input(map.getX()), rows, count(map.getLevels()),
                          integers(map.getResult())});
        })
        .Case([&](tam::BSplineOp map) {
          call("bspline", {input(map.getX()), input(map.getParameters()), rows,
                           count(map.getIntervals()), count(map.getDegree()),
                           count(map.getExtrapolate()),
                           doubles(map.getResult(), widthOf(map.getResult())),
                           integers(map.getResult())});
        });
}

/// Computes the bands times the row weights.
void RowWriter::writeWeighted(Value rows) {
  if (weightedBands.empty())
    return;
  for (auto pair : weightedBands)
    weighted[pair] = tileScratch(widthOf(pair.first), f64);
  loop(rows, 1, [&](Value i) {
    for (auto pair : weightedBands) {
      int64_t width = widthOf(pair.first);
      Value weight = load(at(numbers[pair.second], i));
      Value first = mul(i, width);
      Value values = load(vector(width), at(numbers[pair.first], first));
      store(product(splat(weight, width), values),
            Element(weighted[pair], first));
    }
  });
}

/// Prefetches what the next tile reads. The loop over the rows takes longer
/// than memory does, and reads nothing else that is not in the cache.
void RowWriter::writePrefetch(Value i) {
  for (Value column : columns) {
    Element next = at(numbers[column], add(i, tileRows));
    memref::PrefetchOp::create(b, loc, next.buffer, ValueRange(next.index),
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}

/// Goes on to another row, of which nothing has been loaded.
void RowWriter::startRow(Value i) {
  row = i;
  rowNumbers.clear();
  rowPlaces.clear();
  rowBands.clear();
}

/// What the row adds to sums of columns.
SmallVector<Value> RowWriter::addColumns(ArrayRef<const Product *> some,
                                         ValueRange sums) {
  SmallVector<Value> next;
  for (auto [p, sum] : llvm::zip(some, sums)) {
    // The weight meets the second column first, as in the runtime; of a
    // matrix with itself that is all the same.
    Value second = number(p->right), weight = weightOf(p->weights);
    Value factor = weight || second ? product(weight, second) : Value();
    Value first = number(p->left);
    Value value = factor || first ? product(factor, first) : one();
    next.push_back(plus(sum, value));
  }
  return next;
}

/// A loop over the tile's rows that adds products to words in memory, and
/// products of columns to sums in registers. Words first: while each sum of
/// columns waits for the row before, there is other work.
void RowWriter::writeLoop(Value rows, ArrayRef<const Product *> words,
                          ArrayRef<const Product *> ofColumns,
                          bool prefetches) {
  auto body = [&](Value i, ValueRange sums) {
    startRow(i);
    // Without this the addresses of all accumulators are computed before the
    // loop, and there are far more than registers.
    if (state && !words.empty())
      rowState = launder(state);
    for (const Product *product : words)
      writeProduct(*product);
    return addColumns(ofColumns, sums);
  };
  SmallVector<Value> sums;
  for (const Product *product : ofColumns)
    sums.push_back(load(numbers[product->sums]));
  Value zero = constant(0);
  if (prefetches)
    sums = loop(zero, rows, kLine, sums, [&](Value line, ValueRange carried) {
      writePrefetch(line);
      Value count = least(sub(rows, line), constant(kLine));
      return loop(zero, count, 1, carried, [&](Value i, ValueRange inner) {
        return body(add(line, i), inner);
      });
    });
  else
    sums = loop(zero, rows, 1, sums, body);
  for (auto [product, sum] : llvm::zip(ofColumns, sums))
    store(sum, numbers[product->sums]);
}

/// Notes the buffers of the accumulators, the function's arguments from `next`
/// on. If it is known where they are in the state, all are addressed from the
/// first one: one register, and not a load for each.
void RowWriter::bindAccumulators(func::FuncOp function, unsigned next) {
  auto accumulators =
      op.getBody().front().getArguments().drop_front(op.getInputs().size());
  if (accumulators.empty())
    return;
  if (offsets.empty()) {
    for (Value accumulator : accumulators) {
      numbers[accumulator] = function.getArgument(next);
      setNoAlias(function, next++);
    }
    return;
  }
  const int64_t *first = std::min_element(offsets.begin(), offsets.end());
  auto argument = static_cast<unsigned>(next + (first - offsets.begin()));
  setNoAlias(function, argument);
  int64_t size = 0;
  for (auto [accumulator, offset] : llvm::zip(accumulators, offsets)) {
    offsetOf[accumulator] = offset - *first;
    auto type = cast<MemRefType>(function.getArgument(next++).getType());
    size = std::max(size, offset - *first + type.getNumElements());
  }
  state = memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({size}, f64), function.getArgument(argument),
      /*offset=*/0, ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
  for (auto [accumulator, offset] : offsetOf)
    numbers[accumulator] = Element(state) + offset;
}

func::FuncOp RowWriter::write(StringRef name) {
  findProducts();
  findJoints();
  SmallVector<int64_t> perRow = scratchPerRow();
  auto scratchBytes = [&](int64_t rows) {
    int64_t bytes = 0;
    for (int64_t each : perRow)
      bytes += llvm::alignTo(rows * each, kLineBytes);
    return bytes;
  };
  tileRows = kTileRows;
  while (tileRows > kMinTileRows && scratchBytes(tileRows) > kScratchBytes)
    tileRows /= 2;

  if (!joints.empty())
    copy = writeCopy((name + "_copy").str());
  OpBuilder::InsertionGuard guard(b);
  func::FuncOp function = startFunction(name, tam::getLoopArguments(op));
  unsigned next = 0;
  DenseMap<Value, Value> wholeColumns;
  for (Value input :
       op.getBody().front().getArguments().take_front(op.getInputs().size())) {
    if (input.getType().isIndex())
      continue;
    Value argument = function.getArgument(next++);
    if (tensorOf(input).hasStaticShape())
      numbers[input] = argument;
    else
      columns.push_back(input), wholeColumns[input] = argument;
  }
  Value rows = function.getArgument(next++);
  bindAccumulators(function, next);

  tileMemory = scratch(scratchBytes(tileRows), b.getI8Type(), kLineBytes);
  for (Joint &joint : joints)
    joint.memory =
        scratch(joint.bytes() / int64_t(sizeof(double)), f64, kLineBytes);
  copyJoints(/*areGivenBack=*/false);

  loop(rows, tileRows, [&](Value begin) {
    Value count = least(sub(rows, begin), constant(tileRows));
    for (Value column : columns)
      numbers[column] = buffer(Element(wholeColumns[column], begin), count);
    writeMaps(count);
    writeWeighted(count);

    SmallVector<const Product *> words, ofColumns;
    for (const Product &product : products)
      (product.isOfColumns() ? ofColumns : words).push_back(&product);
    bool isFirst = true;
    for (ArrayRef<const Product *> rest = words, columnsLeft = ofColumns;
         !rest.empty() || !columnsLeft.empty(); isFirst = false) {
      size_t products = 0;
      for (int64_t all = 0; products < rest.size(); ++products) {
        all += rest[products]->words();
        if (products > 0 && all > kWordsPerLoop)
          break;
      }
      size_t sums = std::min(columnsLeft.size(), kSumsPerLoop);
      writeLoop(count, rest.take_front(products), columnsLeft.take_front(sums),
                isFirst);
      rest = rest.drop_front(products);
      columnsLeft = columnsLeft.drop_front(sums);
    }
  });
  copyJoints(/*areGivenBack=*/true);
  finishFunction();
  return function;
}

func::FuncOp tamc::writeRowLoop(OpBuilder &builder, tam::RowsOp op,
                                StringRef name, ArrayRef<int64_t> offsets) {
  return RowWriter(builder, op, offsets).write(name);
}
