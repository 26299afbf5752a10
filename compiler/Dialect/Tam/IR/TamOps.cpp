//===- TamOps.cpp - verifiers of the solver graph's ops ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tamc::tam;

/// Numbers in full: upstream's array attribute prints six digits of each.
static ParseResult parseNumbers(OpAsmParser &parser,
                                DenseF64ArrayAttr &numbers) {
  SmallVector<double> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseFloat(values.emplace_back());
      }))
    return failure();
  numbers = parser.getBuilder().getDenseF64ArrayAttr(values);
  return success();
}

static void printNumbers(OpAsmPrinter &printer, Operation *,
                         DenseF64ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer, [&](double number) {
    printer.printFloat(APFloat(number));
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "tamc/Dialect/Tam/IR/TamOps.cpp.inc"

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Number of columns of a design matrix.
static int64_t columnsOf(Value design) { return shapeOf(design)[1]; }

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

static LogicalResult verifyFeatureMap(FeatureMapInterface op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getDimSize(1) != op.getColumns()) // feature_map_c1
    return op->emitOpError("expected ")
           << op.getColumns() << " columns, got " << type;
  Attribute encoding = type.getEncoding();
  if (encoding && !isa<DenseAttr>(encoding) &&
      encoding != op.getStructuredEncoding()) // feature_map_c2
    return op->emitOpError("expected no encoding, #tam.dense or ")
           << op.getStructuredEncoding() << ", got " << encoding;
  return success();
}

Attribute OffsetOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t OffsetOp::getColumns() { return 1; }
LogicalResult OffsetOp::verify() { return verifyFeatureMap(*this); }

Attribute LinearOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t LinearOp::getColumns() { return 1; }
LogicalResult LinearOp::verify() { return verifyFeatureMap(*this); }

Attribute FourierOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t FourierOp::getColumns() { return 2 * getOrder(); }
LogicalResult FourierOp::verify() { return verifyFeatureMap(*this); }

Attribute BSplineOp::getStructuredEncoding() {
  return BandedAttr::get(getContext(), getDegree() + 1);
}
int64_t BSplineOp::getColumns() { return getIntervals() + getDegree(); }
LogicalResult BSplineOp::verify() { return verifyFeatureMap(*this); }

Attribute ChebyshevOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t ChebyshevOp::getColumns() { return getDegree(); }
LogicalResult ChebyshevOp::verify() { return verifyFeatureMap(*this); }

Attribute CategoryOp::getStructuredEncoding() {
  return OneHotAttr::get(getContext());
}
int64_t CategoryOp::getColumns() { return getLevels(); }
LogicalResult CategoryOp::verify() { return verifyFeatureMap(*this); }

Attribute LevelsOp::getStructuredEncoding() {
  return OneHotAttr::get(getContext());
}
int64_t LevelsOp::getColumns() { return getLevels(); }
LogicalResult LevelsOp::verify() { return verifyFeatureMap(*this); }

//===----------------------------------------------------------------------===//
// Sums over rows
//===----------------------------------------------------------------------===//

LogicalResult GramOp::verify() {
  int64_t rows = columnsOf(getA()), columns = columnsOf(getB());
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({rows, columns}))
    return emitOpError("expected an accumulator of ") // gram_c1
           << rows << " x " << columns << ", got "
           << getAccumulator().getType();
  auto type = cast<RankedTensorType>(getAccumulator().getType());
  auto sums = dyn_cast_if_present<SumsAttr>(type.getEncoding());
  if (!sums)
    return success();
  SumsLayout layout = sums.getLayout();
  bool isOneHot = isa_and_present<OneHotAttr>(
      cast<RankedTensorType>(getA().getType()).getEncoding());
  if ((layout == SumsLayout::Upper || layout == SumsLayout::Diagonal) &&
      getA() != getB()) // gram_c2
    return emitOpError("expected '")
           << stringifySumsLayout(layout) << "' only for a matrix with itself";
  if (layout == SumsLayout::Diagonal && !isOneHot) // gram_c2
    return emitOpError("expected 'diagonal' only for a one-hot matrix");
  return success();
}

LogicalResult RhsOp::verify() {
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({columnsOf(getA())}))
    return emitOpError("expected an accumulator of ") // rhs_c1
           << columnsOf(getA()) << ", got " << getAccumulator().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Estimation
//===----------------------------------------------------------------------===//

LogicalResult PenaltyOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  size_t count = getValues().size();
  auto encoding = cast<CoordinatesAttr>(type.getEncoding());
  if (getRows().size() != count || getColumns().size() != count ||
      static_cast<size_t>(encoding.getCount()) != count) // penalty_c1
    return emitOpError("expected as many rows, columns and values as "
                       "#tam.coordinates counts");
  for (auto [row, column] : llvm::zip(getRows(), getColumns()))
    if (column < 0 || column > row || row >= type.getDimSize(0)) // penalty_c2
      return emitOpError("expected 0 <= column <= row < ")
             << type.getDimSize(0) << ", got row " << row << ", column "
             << column;
  return success();
}

LogicalResult NormalMatrixOp::verify() {
  size_t effects = getPenalties().size();
  if (getBlocks().size() != effects * (effects + 1) / 2) // normal_matrix_c1
    return emitOpError("expected ")
           << effects * (effects + 1) / 2 << " blocks for " << effects
           << " penalties, got " << getBlocks().size();
  size_t block = 0;
  int64_t size = 0;
  for (size_t i = 0; i < effects; ++i) {
    int64_t rows = shapeOf(getPenalties()[i])[0];
    size += rows;
    for (size_t j = i; j < effects; ++j, ++block) {
      int64_t columns = shapeOf(getPenalties()[j])[0];
      if (shapeOf(getBlocks()[block]) != ArrayRef<int64_t>({rows, columns}))
        return emitOpError("expected block (") // normal_matrix_c2
               << i << ", " << j << ") of " << rows << " x " << columns
               << ", got " << getBlocks()[block].getType();
    }
  }
  if (shapeOf(getResult()) != ArrayRef<int64_t>({size, size}))
    return emitOpError("expected a result of ") // normal_matrix_c3
           << size << " x " << size << ", got " << getType();
  return success();
}

LogicalResult NormalVectorOp::verify() {
  int64_t size = 0;
  for (Value block : getBlocks())
    size += shapeOf(block)[0];
  if (shapeOf(getResult()) != ArrayRef<int64_t>({size})) // normal_vector_c1
    return emitOpError("expected a result of ")
           << size << ", got " << getType();
  return success();
}

LogicalResult SolveOp::verify() {
  int64_t size = shapeOf(getVector())[0];
  if (shapeOf(getMatrix()) != ArrayRef<int64_t>({size, size})) // solve_c1
    return emitOpError("expected a square matrix of ")
           << size << " rows, got " << getMatrix().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

static LogicalResult verifyApply(Operation *op, OperandRange designs,
                                 OperandRange coefficients) {
  // Both lists have the same length by construction, and an operand too many is
  // in neither.
  if (op->getNumOperands() % 2 != 0) // apply_c2
    return op->emitOpError("expected as many vectors of coefficients as design "
                           "matrices, got ")
           << op->getNumOperands() << " operands";
  for (auto [design, beta] : llvm::zip(designs, coefficients))
    if (shapeOf(beta) != ArrayRef<int64_t>({columnsOf(design)})) // apply_c1
      return op->emitOpError("expected ")
             << columnsOf(design) << " coefficients for " << design.getType()
             << ", got " << beta.getType();
  return success();
}

LogicalResult PredictOp::verify() {
  return verifyApply(*this, getDesigns(), getCoefficients());
}

LogicalResult DecomposeOp::verify() {
  if (columnsOf(getResult()) !=
      static_cast<int64_t>(getDesigns().size())) // decompose_c1
    return emitOpError("expected ")
           << getDesigns().size() << " columns, got " << getType();
  return verifyApply(*this, getDesigns(), getCoefficients());
}

LogicalResult DesignOp::verify() {
  int64_t columns = 0;
  for (Value design : getDesigns())
    columns += columnsOf(design);
  if (columnsOf(getResult()) != columns) // design_c1
    return emitOpError("expected ") << columns << " columns, got " << getType();
  return success();
}
