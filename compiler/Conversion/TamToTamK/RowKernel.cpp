//===- RowKernel.cpp - code for sums that share a loop ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel walks over tiles of some rows. Of a tile it computes the feature
// maps by the runtime's kernels, into scratch that stays in the first-level
// cache, and then runs loops over its rows that add all products of a row to
// their sums.
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

#include "RowWriter.h"

#include "tamrt/abi.h"

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

/// A line of the cache, in bytes and in numbers.
static constexpr int64_t kLineBytes = 64;
static constexpr int64_t kLine = kLineBytes / sizeof(double);

/// Sums of two columns that one loop keeps in registers.
static constexpr size_t kSumsPerLoop = 12;

/// Reads the sums off the op.
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

/// Room for the tile's rows. All of it is one piece of memory, of which a loop
/// needs one address, not one per array.
Value RowWriter::tileScratch(int64_t bytesPerRow) {
  Value room = at(tileMemory, b.getI8Type(), tileBytes);
  tileBytes += llvm::alignTo(tileRows * bytesPerRow, kLineBytes);
  return room;
}

/// Computes the feature maps of the tile. What they write is known from here
/// on.
void RowWriter::writeMaps(Value rows) {
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
        .Case([&](tam::RegridOp map) {
          call("regrid",
               {numbers[map.getX()], numbers[map.getParameters()], rows,
                constant(static_cast<int64_t>(map.getLevels())),
                LLVM::ConstantOp::create(b, loc, f64, map.getStepAttr()),
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
void RowWriter::writeWeighted(Value rows) {
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

/// Asks for what the next tile will read. The loop over the rows takes longer
/// than memory does, and reads nothing else that is not in the cache.
void RowWriter::writePrefetch(Value i) {
  Value index = add(i, constant(tileRows));
  for (Value column : columns)
    LLVM::Prefetch::create(b, loc, at(numbers[column], f64, index), /*rw=*/0,
                           /*hint=*/3, /*cache=*/1);
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
    next.push_back(LLVM::FAddOp::create(b, loc, sum, value));
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
    if (!words.empty())
      rowSums =
          LLVM::LaunderInvariantGroupOp::create(b, loc, pointer, firstSums);
    for (const Product *product : words)
      writeProduct(*product);
    return addColumns(ofColumns, sums);
  };
  SmallVector<Value> sums;
  for (const Product *product : ofColumns)
    sums.push_back(load(f64, numbers[product->sums]));
  if (prefetches)
    sums = loop(rows, kLine, sums, [&](Value line, ValueRange carried) {
      writePrefetch(line);
      Value left = LLVM::SubOp::create(b, loc, rows, line);
      return loop(least(left, constant(kLine)), 1, carried,
                  [&](Value inside, ValueRange inner) {
                    return body(add(line, inside), inner);
                  });
    });
  else
    sums = loop(rows, 1, sums, body);
  for (auto [product, sum] : llvm::zip(ofColumns, sums))
    store(sum, numbers[product->sums]);
}

LLVM::LLVMFuncOp RowWriter::write(StringRef name) {
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
  while (tileRows > kLeastTileRows && scratchBytes(tileRows) > kScratchBytes)
    tileRows /= 2;

  Block &body = op.getBody().front();
  auto inputs = body.getArguments().take_front(op.getInputs().size());
  auto accumulators = body.getArguments().drop_front(op.getInputs().size());
  SmallVector<Type> types{pointer};
  for (BlockArgument input : inputs)
    if (!input.getType().isIndex())
      types.push_back(pointer);
  types.push_back(i64);
  types.append(accumulators.size(), pointer);
  if (!joints.empty())
    copy = writeCopy((name + "_copy").str());
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

  tileMemory = scratch(scratchBytes(tileRows));
  for (Joint &joint : joints)
    joint.memory = scratch(joint.bytes());
  copyJoints(/*areGivenBack=*/false);

  loop(rows, tileRows, [&](Value begin) {
    Value count =
        least(LLVM::SubOp::create(b, loc, rows, begin), constant(tileRows));
    for (Value column : columns)
      numbers[column] = at(firstRows[column], f64, begin);
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
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

LLVM::LLVMFuncOp tamc::writeRowKernel(OpBuilder &builder, tam::RowsOp op,
                                      StringRef name,
                                      ArrayRef<int64_t> offsets) {
  return RowWriter(builder, op, offsets).write(name);
}
