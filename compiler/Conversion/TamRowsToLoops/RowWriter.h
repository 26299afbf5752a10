//===- RowWriter.h - writes the loop of sums over rows ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The writer of a loop of sums: RowLoop.cpp has the loops over tiles and rows,
/// RowProducts.cpp what a row adds to its sums.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMROWSTOLOOPS_ROWWRITER_H
#define TAMC_CONVERSION_TAMROWSTOLOOPS_ROWWRITER_H

#include "LoopWriter.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tamc {

inline bool isBanded(mlir::Value design) {
  return mlir::isa<tam::BandedAttr>(tensorOf(design).getEncoding());
}

inline bool isOneHot(mlir::Value design) {
  return mlir::isa<tam::OneHotAttr>(tensorOf(design).getEncoding());
}

/// Numbers per row of a design matrix.
inline int64_t widthOf(mlir::Value design) {
  return mlir::cast<tam::BandedAttr>(tensorOf(design).getEncoding()).getWidth();
}
using tam::columnsOf;

/// The numbers that a row updates in one accumulator: what is added, and where.
struct Product {
  /// The design matrices in the order of the runtime's kernels: one-hot before
  /// banded before columns; of panels, the band along the words first, which
  /// may be a product of several. `right` of a right-hand side is the target.
  mlir::Value left, right;
  mlir::Value weights;
  mlir::Value sums;
  tam::SumsAttr layout;

  bool isSelf() const { return left == right; }
  /// Whether a side is a number per row.
  static bool isColumn(mlir::Value side) {
    return tensorOf(side).getRank() == 1 ||
           mlir::isa<tam::DenseAttr>(tensorOf(side).getEncoding());
  }
  bool isOfColumns() const { return isColumn(left); }
  /// Of sums in panels, the factor that words go along.
  mlir::Value getWordFactor() const {
    return tam::getFactors(left)[layout.getWordFactor()];
  }
  /// Words, a number or vector of them, that a row updates.
  int64_t words() const;
};

/// Numbers of a word, what an instruction stores.
constexpr int64_t kWord = 4;

/// The sums of a band with several columns, whose words of a start of the band
/// lie together while the loop runs: what limits it is the number of cache
/// lines that a row writes to. They are taken from their accumulators before
/// the first row, and given back after the last and wherever those are moved.
struct Joint {
  /// The products, one after another in a place.
  llvm::SmallVector<const Product *> parts;
  /// Starts of the band.
  int64_t places = 0;
  /// Where the words are.
  mlir::Value memory;

  /// Words from one place to the next, so that two lie in one line.
  int64_t stride() const { return int64_t(llvm::alignTo(parts.size(), 2)); }
  int64_t bytes() const { return places * stride() * kWord * sizeof(double); }
};

/// Writes one loop.
class RowWriter : LoopWriter {
public:
  RowWriter(mlir::OpBuilder &builder, tam::RowsOp op,
            llvm::ArrayRef<int64_t> offsets)
      : LoopWriter(builder, op.getLoc()), op(op), offsets(offsets) {}

  mlir::func::FuncOp write(llvm::StringRef name);

private:
  using Value = mlir::Value;

  // The function's parts.
  void findProducts();
  llvm::SmallVector<int64_t> scratchPerRow();
  Value tileScratch(int64_t perRow, mlir::Type type);
  void bindAccumulators(mlir::func::FuncOp function, unsigned next);
  void writeMaps(Value rows);
  void writeWeighted(Value rows);
  void writePrefetch(Value row);
  llvm::SmallVector<Value> addColumns(llvm::ArrayRef<const Product *> products,
                                      mlir::ValueRange sums);
  void writeLoop(Value rows, llvm::ArrayRef<const Product *> words,
                 llvm::ArrayRef<const Product *> ofColumns, bool prefetches);
  Element wordAt(const Product &product, Value index);
  void writeProduct(const Product &product);
  void writePanels(const Product &product);
  void writePairs(const Product &product, Element first, size_t factor,
                  Value pair, int64_t index);
  void addWord(Element word, Value values, Value factor, int64_t numbers,
               int64_t size);
  /// Whether two words that lie together are added to at once: an instruction
  /// less where vectors are as long, and elsewhere the same as one by one.
  static bool canPair(int64_t width, int64_t size) {
    return width == kWord && size == width;
  }

  // Sums that lie together.
  void findJoints();
  mlir::func::FuncOp writeCopy(llvm::StringRef name);
  void copyJoints(bool areGivenBack);
  void writeJoint(const Joint &joint);

  // A row's numbers, loaded once per loop.
  void startRow(Value i);
  Value number(Value side);
  Value weightOf(Value weights);
  Element bandsOf(Value design, Value weights);
  Value band(Value design, Value weights);
  Value place(Value design);
  Value productBand(const Product &product);

  tam::RowsOp op;
  llvm::ArrayRef<int64_t> offsets;

  llvm::SmallVector<Product> products;
  llvm::SmallVector<Joint> joints;
  /// The joint that a product is part of.
  llvm::DenseMap<const Product *, const Joint *> jointOf;
  /// What writeCopy has written.
  mlir::func::FuncOp copy;
  /// Inputs with a number per row.
  llvm::SmallVector<Value> columns;
  /// Weighted bands: matrix and weights.
  llvm::SetVector<std::pair<Value, Value>> weightedBands;
  /// If it is known where the accumulators are in the state, the part of the
  /// state that has them all, and the first number of each in it.
  Value state;
  llvm::DenseMap<Value, int64_t> offsetOf;
  int64_t tileRows = 0;
  /// Scratch, and the bytes of it that are taken.
  Value tileMemory;
  int64_t tileBytes = 0;
  /// The buffer of each column or parameter of the op, from the tile's first
  /// row on. `starts` has the first columns, or levels, of design matrices.
  llvm::DenseMap<Value, Element> numbers;
  llvm::DenseMap<Value, Value> starts;
  llvm::DenseMap<std::pair<Value, Value>, Value> weighted;

  /// The row, and the state as the row addresses it.
  Value row, rowState;
  llvm::DenseMap<Value, Value> rowNumbers, rowPlaces;
  llvm::DenseMap<std::pair<Value, Value>, Value> rowBands;
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMROWSTOLOOPS_ROWWRITER_H
