//===- TamOps.cpp - verifiers of the solver graph's ops ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/steps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace mlir;
using namespace tamc::tam;

/// Prints all digits of numbers: upstream's array attribute prints six.
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

LogicalResult tamc::tam::verifyOneOperandIn(Operation *op,
                                            ArrayRef<unsigned> segments) {
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  for (unsigned segment : segments)
    if (sizes[segment] != 1) // operands_c1
      return op->emitOpError("expected one operand in segment ")
             << segment << ", got " << sizes[segment];
  return success();
}

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

LogicalResult tamc::tam::verifySameRows(Operation *op, Value result,
                                        ValueRange values) {
  for (Value value : values)
    if (shapeOf(value)[0] != shapeOf(result)[0])
      return op->emitOpError("expected as many rows as ")
             << value.getType() << " has, got " << result.getType();
  return success();
}

LogicalResult tamc::tam::verifyChunkRows(Operation *op, ValueRange values) {
  for (Value value : values)
    if (!ShapedType::isDynamic(shapeOf(value)[0]))
      return op->emitOpError("expected a dynamic number of rows, got ")
             << value.getType();
  return success();
}

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
  if (isa<OffsetOp, PidOp>(op)) // feature_map_c4
    return verifyChunkRows(op, op->getResult(0));
  return verifySameRows(op, op->getResult(0),
                        op.getRowOperands()); // feature_map_c3
}

Attribute OffsetOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t OffsetOp::getColumns() { return 1; }
SmallVector<Value> OffsetOp::getRowOperands() { return {}; }
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
bool FourierOp::hasAngles() {
  return llvm::is_contained({Extrapolate::Continue, Extrapolate::Constant},
                            getExtrapolate());
}
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
/// A value unseen in training may be the mean of several levels.
std::optional<int64_t> LevelsOp::getRowNumbers() {
  if (getMean())
    return std::nullopt;
  return 1;
}
LogicalResult LevelsOp::verify() { return verifyFeatureMap(*this); }

Attribute AffineOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t AffineOp::getColumns() { return 2; }
LogicalResult AffineOp::verify() { return verifyFeatureMap(*this); }

Attribute WaveletOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t WaveletOp::getColumns() { return getScales() * getLocations(); }
LogicalResult WaveletOp::verify() {
  if (shapeOf(getRange()) != ArrayRef<int64_t>({2})) // wavelet_c1
    return emitOpError("expected a range of two numbers, got ")
           << getRange().getType();
  return verifyFeatureMap(*this);
}

Attribute PidOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
int64_t PidOp::getColumns() { return 3; }
LogicalResult PidOp::verify() {
  auto size = static_cast<int64_t>(getWindow()) + 2;
  if (shapeOf(getCarry()) != ArrayRef<int64_t>({size})) // pid_c1
    return emitOpError("expected a carry of ")
           << size << " numbers, got " << getCarry().getType();
  return failure(failed(verifyFeatureMap(*this)) ||
                 failed(verifyChunkRows(*this, getX())));
}

//===----------------------------------------------------------------------===//
// Maps of several variables
//===----------------------------------------------------------------------===//

LogicalResult StackOp::verify() {
  if (getColumns().empty() ||
      columnsOf(getResult()) !=
          static_cast<int64_t>(getColumns().size())) // stack_c1
    return emitOpError("expected points of ")
           << getColumns().size() << " coordinates, got " << getType();
  return verifySameRows(*this, getResult(), getColumns()); // stack_c2
}

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getResult());
  int64_t count = shape.size() == 1 ? 1 : shape[1];
  if (ShapedType::isDynamic(count) || count < 1 ||
      static_cast<int64_t>(getFirst()) + count >
          columnsOf(getPoints())) // slice_c1
    return emitOpError("expected coordinates within ")
           << getPoints().getType() << ", got " << getFirst() << " and "
           << getType();
  return verifySameRows(*this, getResult(), getPoints()); // slice_c2
}

LogicalResult BoundaryOp::verify() {
  return verifySameRows(*this, getAmount(), getPoints()); // boundary_c1
}

int64_t tamc::tam::columnsOf(Value matrix) { return shapeOf(matrix)[1]; }

int64_t tamc::tam::getNumbersPerRow(Value design) {
  auto type = cast<RankedTensorType>(design.getType());
  auto encoding =
      dyn_cast_if_present<DesignEncodingInterface>(type.getEncoding());
  if (!encoding)
    return type.getDimSize(1);
  if (auto map = design.getDefiningOp<FeatureMapInterface>())
    if (std::optional<int64_t> numbers = map.getRowNumbers();
        numbers && encoding == map.getStructuredEncoding())
      return *numbers;
  return encoding.getRowNumbers(type);
}

bool tamc::tam::storesAllColumns(Value design) {
  auto encoding = dyn_cast_if_present<DesignEncodingInterface>(
      getEncoding(design.getType()));
  return encoding && encoding.storesAllColumns();
}

int64_t tamc::tam::getBandWidth(Value design) {
  auto encoding = dyn_cast_if_present<DesignEncodingInterface>(
      getEncoding(design.getType()));
  return encoding ? encoding.getBand() : 0;
}

Value tamc::tam::getUnconverted(Value design) {
  auto convert = design.getDefiningOp<ConvertOp>();
  return convert ? convert.getA() : design;
}

SmallVector<Value> tamc::tam::getFactors(Value design) {
  Attribute encoding = getEncoding(design.getType());
  if (isa_and_present<BandedAttr, OneHotAttr>(encoding))
    return {design};
  if (!isa_and_present<SparseAttr>(encoding))
    return {};
  if (Value source = getUnconverted(design); source != design)
    return getFactors(source);
  auto product = design.getDefiningOp<KroneckerOp>();
  if (!product)
    return {};
  SmallVector<Value> factors = getFactors(product.getA());
  SmallVector<Value> others = getFactors(product.getB());
  if (factors.empty() || others.empty())
    return {};
  factors.append(others);
  return factors;
}

bool tamc::tam::areLevels(ArrayRef<Value> factors) {
  return !factors.empty() && llvm::all_of(factors, [](Value factor) {
    return isa<OneHotAttr>(getEncoding(factor.getType()));
  });
}

Attribute BlendOp::getStructuredEncoding() {
  if (storesAllColumns(getBorder()))
    return DenseAttr::get(getContext());
  return SparseAttr::get(getContext(), 2 * getNumbersPerRow(getBorder()));
}
SmallVector<Value> BlendOp::getRowOperands() { return getOperands(); }
int64_t BlendOp::getColumns() { return columnsOf(getBorder()); }
LogicalResult BlendOp::verify() {
  if (getBorder().getType() != getInside().getType()) // blend_c1
    return emitOpError("expected two matrices of one type, got ")
           << getBorder().getType() << " and " << getInside().getType();
  return verifyFeatureMap(*this);
}

Attribute ColumnsOp::getStructuredEncoding() {
  // A matrix of one column needs no encoding (columns_c2).
  auto isDense = [](Value design) {
    return !getEncoding(design.getType()) || storesAllColumns(design);
  };
  if (llvm::all_of(getDesigns(), isDense))
    return DenseAttr::get(getContext());
  if (auto bands =
          dyn_cast_if_present<BandsAttr>(getEncoding(getResult().getType())))
    return bands;
  int64_t width = 0;
  for (Value design : getDesigns())
    width += getNumbersPerRow(design);
  return SparseAttr::get(getContext(), width);
}
SmallVector<Value> ColumnsOp::getRowOperands() { return getDesigns(); }
int64_t ColumnsOp::getColumns() {
  int64_t columns = 0;
  for (Value design : getDesigns())
    columns += columnsOf(design);
  return columns;
}
LogicalResult ColumnsOp::verify() {
  if (getDesigns().empty()) // columns_c1
    return emitOpError("expected a matrix");
  for (Value design : getDesigns())
    if (columnsOf(design) != 1 && !getEncoding(design.getType())) // columns_c2
      return emitOpError("expected an encoding of a matrix of several columns, "
                         "got ")
             << design.getType();
  if (auto bands =
          dyn_cast_if_present<BandsAttr>(getEncoding(getResult().getType()))) {
    auto banded = BandedAttr::get(getContext(), bands.getWidth());
    if (bands.getCount() != static_cast<int64_t>(getDesigns().size()) ||
        llvm::any_of(getDesigns(), [&](Value design) {
          return getEncoding(design.getType()) != banded;
        })) // columns_c3
      return emitOpError("expected ")
             << bands.getCount() << " matrices " << banded << " for " << bands;
  }
  return verifyFeatureMap(*this);
}

Attribute LinearColumnsOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
SmallVector<Value> LinearColumnsOp::getRowOperands() { return getInputs(); }
int64_t LinearColumnsOp::getColumns() {
  return static_cast<int64_t>(getInputs().size());
}
LogicalResult LinearColumnsOp::verify() {
  const size_t count = getInputs().size();
  const size_t modes = getExtrapolate() ? getExtrapolate()->size() : count;
  if (count == 0 || getScales().size() != count ||
      modes != count) // linear_columns_c1
    return emitOpError("expected as many scales and modes as inputs, at "
                       "least one, got ")
           << getScales().size() << " and " << modes << " of " << count;
  for (double scale : getScales())
    if (!std::isfinite(scale)) // linear_columns_c2
      return emitOpError("expected scales that are finite, got ") << scale;
  return verifyFeatureMap(*this);
}

Attribute NeuralOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
/// The points, and `only` if it is given.
static SmallVector<Value> rowsOf(Value points, Value only) {
  SmallVector<Value> values{points};
  if (only)
    values.push_back(only);
  return values;
}

SmallVector<Value> NeuralOp::getRowOperands() {
  return rowsOf(getPoints(), getOnly());
}
int64_t NeuralOp::getColumns() { return shapeOf(getBias().back())[0]; }
LogicalResult NeuralOp::verify() {
  if (getWeights().empty() ||
      getWeights().size() != getBias().size()) // neural_c1
    return emitOpError("expected weights and a bias for each layer, got ")
           << getWeights().size() << " and " << getBias().size();
  int64_t width = columnsOf(getPoints());
  for (auto [weights, bias] : llvm::zip(getWeights(), getBias())) {
    int64_t next = shapeOf(bias)[0];
    if (shapeOf(weights) != ArrayRef<int64_t>({width, next})) // neural_c2
      return emitOpError("expected weights of ")
             << width << " x " << next << ", got " << weights.getType();
    width = next;
  }
  return verifyFeatureMap(*this);
}

Attribute RadialOp::getStructuredEncoding() {
  return DenseAttr::get(getContext());
}
SmallVector<Value> RadialOp::getRowOperands() {
  return rowsOf(getPoints(), getOnly());
}
int64_t RadialOp::getColumns() { return shapeOf(getCenters())[0]; }
LogicalResult RadialOp::verify() {
  if (columnsOf(getCenters()) != columnsOf(getPoints())) // radial_c1
    return emitOpError("expected centres of ")
           << columnsOf(getPoints()) << " coordinates, got "
           << getCenters().getType();
  if (shapeOf(getGamma()) != ArrayRef<int64_t>({1})) // radial_c2
    return emitOpError("expected one gamma, got ") << getGamma().getType();
  return verifyFeatureMap(*this);
}

Attribute TreeOp::getStructuredEncoding() {
  int64_t trees = shapeOf(getFeatures())[0];
  return MultiHotAttr::get(getContext(), trees,
                           1 / std::sqrt(static_cast<double>(trees)));
}
SmallVector<Value> TreeOp::getRowOperands() {
  return rowsOf(getPoints(), getOnly());
}
int64_t TreeOp::getColumns() {
  return shapeOf(getFeatures())[0] * static_cast<int64_t>(getLeaves());
}
LogicalResult TreeOp::verify() {
  ArrayRef<int64_t> features = shapeOf(getFeatures());
  ArrayRef<int64_t> thresholds = shapeOf(getThresholds());
  auto leaves = static_cast<int64_t>(getLeaves());
  bool fits = features.size() == 2;
  if (fits && getOblivious())
    fits = thresholds == features && features[1] < 31 &&
           leaves == int64_t(1) << features[1];
  else if (fits)
    fits = features[1] == 1 && thresholds[0] == features[0] &&
           thresholds[1] == leaves - 1;
  if (!fits) // tree_c1
    return emitOpError("expected features and thresholds of ")
           << leaves << " leaves per tree, got " << getFeatures().getType()
           << " and " << getThresholds().getType();
  return verifyFeatureMap(*this);
}

Attribute KroneckerOp::getStructuredEncoding() {
  if (storesAllColumns(getA()) && storesAllColumns(getB()))
    return DenseAttr::get(getContext());
  return SparseAttr::get(getContext(),
                         getNumbersPerRow(getA()) * getNumbersPerRow(getB()));
}
SmallVector<Value> KroneckerOp::getRowOperands() { return getOperands(); }
int64_t KroneckerOp::getColumns() {
  return columnsOf(getA()) * columnsOf(getB());
}
LogicalResult KroneckerOp::verify() { return verifyFeatureMap(*this); }

LogicalResult ConvertOp::verify() {
  auto from = cast<RankedTensorType>(getA().getType());
  auto to = cast<RankedTensorType>(getType());
  if (!from.getEncoding()) // convert_c1
    return emitOpError("expected a matrix that has an encoding, got ") << from;
  auto sparse = dyn_cast_if_present<SparseAttr>(to.getEncoding());
  bool fits = sparse ? sparse.getWidth() == getNumbersPerRow(getA())
                     : isDense(getResult());
  if (!fits || from.getShape() != to.getShape())
    return emitOpError("expected ") // convert_c1
           << from.getShape()[1] << " columns, dense or sparse with "
           << getNumbersPerRow(getA()) << " numbers per row, got " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Estimation
//===----------------------------------------------------------------------===//

SmallVector<PenaltyOp::Part> PenaltyOp::getPartList() {
  SmallVector<Part> list;
  if (!getParts()) {
    for (auto [entry, value] : llvm::enumerate(getValues()))
      list.push_back({static_cast<int32_t>(entry), value, {}});
    return list;
  }
  const double *value = getValues().data();
  for (ArrayRef<int32_t> rest = *getParts(); !rest.empty();) {
    const int32_t entry = rest[0], count = rest[1];
    rest = rest.drop_front(2);
    Part part = {entry, 0, {}};
    if (count < 0) {
      part.source = rest.front();
      rest = rest.drop_front();
    } else {
      part.value = *value++;
    }
    part.factors = rest.take_front(count < 0 ? ~count : count);
    rest = rest.drop_front(part.factors.size());
    list.push_back(part);
  }
  return list;
}

/// Checks `parts`; returns how many have values.
static FailureOr<size_t> verifyParts(PenaltyOp op, int64_t entries) {
  if (op.getParts().has_value() != bool(op.getStrengths())) // penalty_c5
    return op.emitOpError("expected both strengths and parts, or none");
  int64_t strengths =
      cast<RankedTensorType>(op.getStrengths().getType()).getDimSize(0);
  size_t index = 0, values = 0;
  // Of the sums behind the entries, whether a part reads them.
  SmallVector<bool> isRead;
  for (ArrayRef<int32_t> rest = *op.getParts(); !rest.empty(); ++index) {
    auto refuse = [&]() -> FailureOr<size_t> {
      return op.emitOpError("expected an entry, a number of strengths and "
                            "their indices as part ")
             << index; // penalty_c5
    };
    if (rest.size() < 2 || rest[0] < 0 ||
        rest[0] > entries + static_cast<int64_t>(isRead.size()))
      return refuse();
    const int64_t sum = rest[0] - entries;
    const bool readsSum = rest[1] < 0;
    const auto count = static_cast<size_t>(readsSum ? ~rest[1] : rest[1]);
    rest = rest.drop_front(2);
    if (rest.size() < count + (readsSum ? 1 : 0))
      return refuse();
    if (sum == static_cast<int64_t>(isRead.size()))
      isRead.push_back(false);
    if (readsSum) {
      const int64_t source = rest.front() - entries;
      if (source < 0 || source >= static_cast<int64_t>(isRead.size()) ||
          source == sum) // penalty_c6
        return op.emitOpError("expected a sum of parts before it in part ")
               << index;
      isRead[source] = true;
      rest = rest.drop_front();
    }
    if (sum >= 0 && isRead[sum]) // penalty_c6
      return op.emitOpError("expected no part of a sum behind one that reads "
                            "it, got part ")
             << index;
    if (llvm::any_of(rest.take_front(count), [&](int32_t factor) {
          return factor < 0 || factor >= strengths;
        }))
      return refuse();
    rest = rest.drop_front(count);
    values += !readsSum;
  }
  return values;
}

LogicalResult PenaltyOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  auto encoding = cast<CoordinatesAttr>(type.getEncoding());
  auto count = static_cast<size_t>(encoding.getCount());
  FailureOr<size_t> values = count;
  if (getParts() || getStrengths())
    values = verifyParts(*this, encoding.getCount());
  if (failed(values))
    return failure();
  if (getRows().size() != count || getColumns().size() != count ||
      getValues().size() != *values) // penalty_c1
    return emitOpError("expected as many rows and columns as #tam.coordinates "
                       "counts, and a value for each entry or part");
  for (auto [row, column] : llvm::zip(getRows(), getColumns()))
    if (column < 0 || column > row || row >= type.getDimSize(0)) // penalty_c2
      return emitOpError("expected 0 <= column <= row < ")
             << type.getDimSize(0) << ", got row " << row << ", column "
             << column;
  for (double value : getValues())
    if (!std::isfinite(value)) // penalty_c4
      return emitOpError("expected finite values, got ") << value;
  std::optional<ArrayRef<int32_t>> tables = getTable(), elements = getElement();
  if (getWeights().empty() && !tables && !elements)
    return success();
  if (!tables || !elements || tables->size() != count ||
      elements->size() != count) // penalty_c3
    return emitOpError("expected a table and an element for each entry");
  for (auto [table, element] : llvm::zip(*tables, *elements)) {
    if (table == -1)
      continue;
    if (table < 0 || size_t(table) >= getWeights().size() || element < 0 ||
        element >= cast<RankedTensorType>(getWeights()[table].getType())
                       .getNumElements()) // penalty_c3
      return emitOpError("expected an element of the weights, got element ")
             << element << " of table " << table;
  }
  return success();
}

LogicalResult SolveOp::verify() {
  int64_t size = shapeOf(getVector())[0];
  if (shapeOf(getMatrix()) != ArrayRef<int64_t>({size, size})) // solve_c1
    return emitOpError("expected a square matrix of ")
           << size << " rows, got " << getMatrix().getType();
  return success();
}

LogicalResult NormalProductOp::verify() {
  if (getSums().empty() ||
      getSums().size() != getPenalties().size()) // normal_product_c1
    return emitOpError("expected as many sums as penalties, got ")
           << getSums().size() << " and " << getPenalties().size();
  int64_t size = 0;
  for (auto [sums, penalty] : llvm::zip(getSums(), getPenalties())) {
    int64_t rows = shapeOf(penalty)[0];
    if (shapeOf(sums)[0] != rows) // normal_product_c1
      return emitOpError("expected sums of ")
             << rows << ", got " << sums.getType();
    size += rows;
  }
  if (shapeOf(getVector())[0] != size) // normal_product_c2
    return emitOpError("expected a vector of ")
           << size << ", got " << getVector().getType();
  return success();
}

LogicalResult FactorOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getMatrix());
  if (shape[0] != shape[1]) // factor_c1
    return emitOpError("expected a square matrix, got ") << getType();
  return success();
}

LogicalResult FactorSolveOp::verify() {
  int64_t size = shapeOf(getVector())[0];
  if (shapeOf(getFactor()) != ArrayRef<int64_t>({size, size}))
    return emitOpError("expected a square factor of ") // factor_solve_c1
           << size << " rows, got " << getFactor().getType();
  return success();
}

LogicalResult DiagonalFactorOp::verify() {
  int64_t size = shapeOf(getPenalty())[0];
  for (Value value : {Value(getSums()), Value(getResult())})
    if (value && shapeOf(value) != ArrayRef<int64_t>({size}))
      return emitOpError("expected ") // diagonal_factor_c1
             << size << " numbers, got " << value.getType();
  return getSums() ? verifyFull(*this, getSums()) // diagonal_factor_c2
                   : success();
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

static LogicalResult verifyEffects(Operation *op, OperandRange designs) {
  if (designs.empty()) // apply_c3
    return op->emitOpError("expected design matrices, got none");
  if (failed(verifyChunkRows(op, designs)))
    return failure();
  return verifyChunkRows(op, op->getResult(0)); // apply_c4
}

static LogicalResult verifyApply(Operation *op, OperandRange designs,
                                 OperandRange coefficients) {
  if (failed(verifyEffects(op, designs)))
    return failure();
  if (designs.size() != coefficients.size()) // apply_c2
    return op->emitOpError("expected as many vectors of coefficients as design "
                           "matrices, got ")
           << coefficients.size() << " and " << designs.size();
  for (auto [design, beta] : llvm::zip(designs, coefficients))
    if (shapeOf(beta) != ArrayRef<int64_t>({columnsOf(design)})) // apply_c1
      return op->emitOpError("expected ")
             << columnsOf(design) << " coefficients for " << design.getType()
             << ", got " << beta.getType();
  return success();
}

LogicalResult PredictOp::verify() {
  if (getStart() && failed(verifyChunkRows(*this, getStart()))) // apply_c4
    return failure();
  return verifyApply(*this, getDesigns(), getCoefficients());
}

LogicalResult DecomposeOp::verify() {
  if (columnsOf(getResult()) !=
      static_cast<int64_t>(getDesigns().size())) // decompose_c1
    return emitOpError("expected ")
           << getDesigns().size() << " columns, got " << getType();
  // Both lists have the same length by construction; with an odd number of
  // operands one is in neither list.
  if (getNumOperands() % 2 != 0) // apply_c2
    return emitOpError("expected as many vectors of coefficients as design "
                       "matrices, got ")
           << getNumOperands() << " operands";
  return verifyApply(*this, getDesigns(), getCoefficients());
}

LogicalResult DesignOp::verify() {
  int64_t columns = 0;
  for (Value design : getDesigns())
    columns += columnsOf(design);
  if (columnsOf(getResult()) != columns) // design_c1
    return emitOpError("expected ") << columns << " columns, got " << getType();
  return verifyEffects(*this, getDesigns());
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

LogicalResult InverseOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getMatrix());
  const int64_t triangle = tamrt::triangleSize(shape[0]);
  if (shape[0] != shape[1] ||
      shapeOf(getTriangle()) != ArrayRef<int64_t>({triangle})) // inverse_c1
    return emitOpError("expected a square matrix and the triangle of one, got ")
           << getMatrix().getType() << " and " << getTriangle().getType();
  if (shapeOf(getNumbers()) != ArrayRef<int64_t>({2})) // inverse_c2
    return emitOpError("expected two numbers, got ") << getNumbers().getType();
  return success();
}

LogicalResult ColumnMeansOp::verify() {
  const int64_t size = shapeOf(getResult())[0];
  if (shapeOf(getMatrix()) != ArrayRef<int64_t>({size, size}))
    return emitOpError("expected a square matrix of ") // column_means_c1
           << size << " rows, got " << getMatrix().getType();
  return success();
}

LogicalResult EffectiveDfOp::verify() {
  int64_t columns = 0, size = 0;
  bool arePositive = true;
  for (int64_t count : getColumns()) {
    columns += count;
    arePositive &= count > 0;
  }
  for (Value penalty : getPenalties())
    size += shapeOf(penalty)[0];
  if (!arePositive || columns != size ||
      shapeOf(getInverse()) !=
          ArrayRef<int64_t>({tamrt::triangleSize(columns)}))
    return emitOpError("expected as many columns of effects as of penalties "
                       "and of the inverse, got ") // effective_df_c1
           << columns << " and " << size << ", and " << getInverse().getType();
  if (shapeOf(getResult())[0] !=
      static_cast<int64_t>(getColumns().size())) // effective_df_c2
    return emitOpError("expected ")
           << getColumns().size() << " results, got " << getType();
  return success();
}

LogicalResult QuadraticFormsOp::verify() {
  int64_t columns = 0;
  for (Value design : getDesigns())
    columns += columnsOf(design);
  if (shapeOf(getTriangle()) !=
      ArrayRef<int64_t>({tamrt::triangleSize(columns)})) // quadratic_forms_c1
    return emitOpError("expected the triangle of a matrix of ")
           << columns << " rows, got " << getTriangle().getType();
  if (columnsOf(getResult()) !=
      1 + static_cast<int64_t>(getDesigns().size())) // quadratic_forms_c2
    return emitOpError("expected ")
           << 1 + getDesigns().size() << " columns, got " << getType();
  return verifyEffects(*this, getDesigns());
}
