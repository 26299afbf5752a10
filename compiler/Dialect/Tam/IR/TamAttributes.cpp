//===- TamAttributes.cpp - encodings and slots ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/ListParameter.h"
#include "tamc/Dialect/Tam/IR/SlotLimit.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc::tam;

#include "tamc/Dialect/Tam/IR/TamAttrInterfaces.cpp.inc"
#include "tamc/Dialect/Tam/IR/TamEnums.cpp.inc"

/// The factors of panels: `, 4`, or `, 4 of 23, 1 of 7`.
static ParseResult parseFactors(AsmParser &parser, SmallVector<int64_t> &widths,
                                SmallVector<int64_t> &columns) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseInteger(widths.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("of")) &&
        parser.parseInteger(columns.emplace_back()))
      return failure();
    if (!columns.empty() ? columns.size() != widths.size() : widths.size() > 1)
      return parser.emitError(place)
             << "expected the columns of every factor, or one width";
  }
  return success();
}

static void printFactors(AsmPrinter &printer, ArrayRef<int64_t> widths,
                         ArrayRef<int64_t> columns) {
  for (auto [index, width] : llvm::enumerate(widths)) {
    printer << ", " << width;
    if (!columns.empty())
      printer << " of " << columns[index];
  }
}

/// A parameter of TamModel.td.
static FailureOr<Real> parseReal(AsmParser &parser) {
  double value = 0;
  if (parser.parseFloat(value))
    return failure();
  return Real(value);
}

#define GET_ATTRDEF_CLASSES
#include "tamc/Dialect/Tam/IR/TamAttributes.cpp.inc"

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

void TamDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tamc/Dialect/Tam/IR/TamAttributes.cpp.inc"
      >();
}

std::string tamc::tam::getGramKernel(EncodingInterface a, EncodingInterface b) {
  return ("gram_" + a.getKernelTag() + "_" + b.getKernelTag()).str();
}

EncodingInterface tamc::tam::getEncoding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_if_present<EncodingInterface>(tensor.getEncoding());
}

//===----------------------------------------------------------------------===//
// Design matrices: dense, banded, one-hot
//===----------------------------------------------------------------------===//

/// dense_c1, banded_c1, bands_c1, one_hot_c1, multi_hot_c1, sparse_c1.
static LogicalResult verifyDesign(ArrayRef<int64_t> shape, Type element,
                                  EmitError emitError) {
  if (shape.size() != 2 || !element.isF64() || ShapedType::isDynamic(shape[1]))
    return emitError() << "expected a tensor of f64 of rank 2 with a known "
                          "number of columns";
  return success();
}

static RankedTensorType rowsTensor(RankedTensorType design, Type element,
                                   std::optional<int64_t> width = {}) {
  SmallVector<int64_t> shape{design.getDimSize(0)};
  if (width)
    shape.push_back(*width);
  return RankedTensorType::get(shape, element);
}

LogicalResult DenseAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                        EmitError emitError) const {
  return verifyDesign(shape, element, emitError);
}

SmallVector<RankedTensorType>
DenseAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, type.getElementType(), type.getDimSize(1))};
}

StringRef DenseAttr::getKernelTag() const { return "dense"; }

SmallVector<int64_t> DenseAttr::getKernelSizes(RankedTensorType type) const {
  return {type.getDimSize(1)};
}

int64_t DenseAttr::getRowNumbers(RankedTensorType type) const {
  return type.getDimSize(1);
}

bool DenseAttr::storesAllColumns() const { return true; }

LogicalResult BandedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         EmitError emitError) const {
  if (failed(verifyDesign(shape, element, emitError)))
    return failure();
  if (getWidth() < 1 || getWidth() > shape[1]) // banded_c2
    return emitError() << "expected a band of 1 to " << shape[1]
                       << " columns, got " << getWidth();
  return success();
}

SmallVector<RankedTensorType>
BandedAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, type.getElementType(), getWidth()),
          rowsTensor(type, IntegerType::get(getContext(), 32))};
}

StringRef BandedAttr::getKernelTag() const { return "banded"; }

SmallVector<int64_t> BandedAttr::getKernelSizes(RankedTensorType type) const {
  return {getWidth(), type.getDimSize(1)};
}

int64_t BandedAttr::getRowNumbers(RankedTensorType) const { return getWidth(); }

int64_t BandedAttr::getBand() const { return getWidth(); }

LogicalResult BandsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                        EmitError emitError) const {
  if (failed(verifyDesign(shape, element, emitError)))
    return failure();
  // Divisions, because a product could overflow.
  if (getWidth() < 1 || getCount() < 1 ||
      getCount() > shape[1] / getWidth()) // bands_c2
    return emitError() << "expected bands of at most " << shape[1]
                       << " columns, at least one of one column, got "
                       << getCount() << " of " << getWidth();
  return success();
}

SmallVector<RankedTensorType>
BandsAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, type.getElementType(), getRowNumbers(type)),
          rowsTensor(type, IntegerType::get(getContext(), 32), getCount())};
}

StringRef BandsAttr::getKernelTag() const { return "bands"; }

SmallVector<int64_t> BandsAttr::getKernelSizes(RankedTensorType type) const {
  return {getWidth(), getCount(), type.getDimSize(1)};
}

int64_t BandsAttr::getRowNumbers(RankedTensorType) const {
  return getWidth() * getCount();
}

LogicalResult OneHotAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         EmitError emitError) const {
  return verifyDesign(shape, element, emitError);
}

SmallVector<RankedTensorType>
OneHotAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, IntegerType::get(getContext(), 32))};
}

StringRef OneHotAttr::getKernelTag() const { return "onehot"; }

SmallVector<int64_t> OneHotAttr::getKernelSizes(RankedTensorType type) const {
  return {type.getDimSize(1)};
}

int64_t OneHotAttr::getRowNumbers(RankedTensorType type) const {
  return type.getDimSize(1);
}

SumsLayout OneHotAttr::getSelfLayout() const { return SumsLayout::Diagonal; }

int64_t OneHotAttr::getBand() const { return 1; }

SmallVector<int64_t> OneHotAttr::getSparsifySizes(RankedTensorType type,
                                                  int64_t numbers) const {
  return {type.getDimSize(1), numbers};
}

LogicalResult MultiHotAttr::verifyEncoding(ArrayRef<int64_t> shape,
                                           Type element,
                                           EmitError emitError) const {
  if (failed(verifyDesign(shape, element, emitError)))
    return failure();
  if (getCount() < 1 || getCount() > shape[1]) // multi_hot_c2
    return emitError() << "expected 1 to " << shape[1]
                       << " numbers per row, got " << getCount();
  if (!getScale().getValue().isFinite()) // multi_hot_c3
    return emitError() << "expected a finite scale, got " << getScale();
  return success();
}

SmallVector<RankedTensorType>
MultiHotAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, IntegerType::get(getContext(), 32), getCount())};
}

StringRef MultiHotAttr::getKernelTag() const { return "multihot"; }

SmallVector<int64_t> MultiHotAttr::getKernelSizes(RankedTensorType type) const {
  return {getCount(), type.getDimSize(1)};
}

int64_t MultiHotAttr::getRowNumbers(RankedTensorType) const {
  return getCount();
}

FloatAttr MultiHotAttr::getCommonNumber() const { return getScale(); }

LogicalResult SparseAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         EmitError emitError) const {
  if (failed(verifyDesign(shape, element, emitError)))
    return failure();
  if (getWidth() < 1) // sparse_c2
    return emitError() << "expected at least one number per row, got "
                       << getWidth();
  return success();
}

SmallVector<RankedTensorType>
SparseAttr::getComponentTypes(RankedTensorType type) const {
  return {rowsTensor(type, type.getElementType(), getWidth()),
          rowsTensor(type, IntegerType::get(getContext(), 32), getWidth())};
}

StringRef SparseAttr::getKernelTag() const { return "sparse"; }

SmallVector<int64_t> SparseAttr::getKernelSizes(RankedTensorType type) const {
  return {getWidth(), type.getDimSize(1)};
}

int64_t SparseAttr::getRowNumbers(RankedTensorType) const { return getWidth(); }

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

LogicalResult SumsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                       EmitError emitError) const {
  if (shape.empty() || shape.size() > 2 || !element.isF64() ||
      ShapedType::isDynamicShape(shape)) // sums_c1
    return emitError() << "expected a tensor of f64 of static shape and rank 1 "
                          "or 2";
  StringRef layout = stringifySumsLayout(getLayout());
  if (shape.size() == 1 && getLayout() != SumsLayout::Full &&
      getLayout() != SumsLayout::Panels) // sums_c2
    return emitError()
           << "expected 'full' or 'panels' for a tensor of rank 1, got '"
           << layout << "'";
  if (isSelf() && shape[0] != shape[1]) // sums_c3
    return emitError() << "expected a square for '" << layout << "', got "
                       << shape[0] << " x " << shape[1];
  if (getLayout() == SumsLayout::Frequencies && shape[0] % 2 != 0) // sums_c3
    return emitError() << "expected an even size for 'frequencies', got "
                       << shape[0];
  if (getWidths().empty() == isPanels()) // sums_c4
    return emitError() << "expected a width for panels alone, got '" << layout
                       << "' with " << getWidths().size();
  if (!isPanels())
    return success();
  int64_t along = shape[isTransposed() ? 1 : 0], all = 1;
  if (getColumns().empty() ? getWidths().size() != 1
                           : getColumns().size() != getWidths().size())
    return emitError() << "expected the columns of " << getWidths().size()
                       << " factors, got " << getColumns().size();
  for (auto [index, width] : llvm::enumerate(getWidths())) {
    int64_t most = getColumns().empty() ? along : getColumns()[index];
    if (width < 1 || width > most)
      return emitError() << "expected a width from 1 to " << most << " for '"
                         << layout << "', got " << width;
    all *= most;
  }
  if (all != along)
    return emitError() << "expected factors with " << along
                       << " columns together, got " << all;
  if (getLayout() == SumsLayout::CubicPanels &&
      getWidths() != ArrayRef<int64_t>{4}) // sums_c5
    return emitError() << "expected one factor of width 4 for 'cubic_panels'";
  return success();
}

bool SumsAttr::isPanels() const {
  return llvm::is_contained({SumsLayout::Panels, SumsLayout::TransposedPanels,
                             SumsLayout::UpperPanels, SumsLayout::CubicPanels},
                            getLayout());
}

bool SumsAttr::isByElements() const {
  return !llvm::is_contained({SumsLayout::Frequencies, SumsLayout::CubicPanels},
                             getLayout());
}

bool SumsAttr::isTransposed() const {
  return llvm::is_contained(
      {SumsLayout::Transposed, SumsLayout::TransposedPanels}, getLayout());
}

bool SumsAttr::isSelf() const {
  return llvm::is_contained({SumsLayout::Upper, SumsLayout::Diagonal,
                             SumsLayout::UpperPanels, SumsLayout::Frequencies,
                             SumsLayout::CubicPanels},
                            getLayout());
}

int64_t SumsAttr::getWidth() const {
  return getWidths().empty() ? 0 : llvm::product_of(getWidths(), int64_t(1));
}

SmallVector<int64_t> SumsAttr::getFactorColumns(RankedTensorType type) const {
  if (!getColumns().empty())
    return SmallVector<int64_t>(getColumns());
  return {type.getDimSize(isTransposed() ? 1 : 0)};
}

size_t SumsAttr::getWordFactor() const {
  ArrayRef<int64_t> widths = getWidths();
  size_t most = 0;
  for (size_t i = 1; i < widths.size(); ++i)
    if (widths[i] >= widths[most])
      most = i;
  return most;
}

int64_t SumsAttr::getWordSize() const {
  return llvm::PowerOf2Ceil(getLayout() == SumsLayout::UpperPanels
                                ? getWidths()[getWordFactor()]
                                : getWidth());
}

int64_t SumsAttr::getWordsPerPanel(RankedTensorType type) const {
  if (getLayout() == SumsLayout::CubicPanels)
    return 2;
  if (getLayout() != SumsLayout::UpperPanels)
    return type.getRank() == 1 ? 1 : type.getDimSize(isTransposed() ? 0 : 1);
  int64_t words = 1;
  for (auto [index, width] : llvm::enumerate(getWidths()))
    words *= index == getWordFactor() ? width / 2 + 1 : width * (width + 1) / 2;
  return words;
}

int64_t SumsAttr::getPanels(RankedTensorType type) const {
  int64_t panels = 1;
  for (auto [width, columns] : llvm::zip(getWidths(), getFactorColumns(type)))
    panels *= columns - width + 1;
  return panels;
}

int64_t SumsAttr::getCount(RankedTensorType type) const {
  if (isPanels())
    return getPanels(type) * getWordsPerPanel(type) * getWordSize();
  if (getLayout() == SumsLayout::Frequencies)
    return 2 * type.getDimSize(0) + 1;
  return getLayout() == SumsLayout::Diagonal ? type.getDimSize(0)
                                             : type.getNumElements();
}

/// Calls `body(index, offset)` for each tuple of indices below `extents`, the
/// last fastest. `offset` is the sum of the indices times `strides`.
static void forEachTuple(ArrayRef<int64_t> extents, ArrayRef<int64_t> strides,
                         llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t count = llvm::product_of(extents, int64_t(1));
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index, offset = 0;
    for (size_t f = extents.size(); f-- > 0; rest /= extents[f])
      offset += rest % extents[f] * strides[f];
    body(index, offset);
  }
}

void SumsAttr::forEachNumber(RankedTensorType type,
                             llvm::function_ref<void(Number)> body) const {
  assert(isByElements() && "expected numbers that are sums of elements");
  int64_t rows = type.getDimSize(0);
  int64_t columns = type.getRank() == 2 ? type.getDimSize(1) : 1;
  if (!isPanels()) {
    bool isSquare = getLayout() == SumsLayout::Upper;
    for (int64_t i = 0; i < rows; ++i) {
      if (getLayout() == SumsLayout::Diagonal) {
        body({i, i, i, 0});
        continue;
      }
      for (int64_t j = isSquare ? i : 0; j < columns; ++j) {
        body({isTransposed() ? j * rows + i : i * columns + j, i, j, 0});
        if (isSquare && i != j)
          body({i * columns + j, j, i, 0});
      }
    }
    return;
  }
  SmallVector<int64_t> factors = getFactorColumns(type), starts, strides;
  for (auto [width, own] : llvm::zip(getWidths(), factors)) {
    for (int64_t &stride : strides)
      stride *= own;
    strides.push_back(1);
    starts.push_back(own - width + 1);
  }
  int64_t size = getWordSize(), words = getWordsPerPanel(type);
  forEachTuple(starts, strides, [&](int64_t panel, int64_t start) {
    if (!isSelf()) {
      forEachTuple(getWidths(), strides, [&](int64_t i, int64_t column) {
        for (int64_t j = 0; j < words; ++j) {
          int64_t number = (panel * words + j) * size + i;
          int64_t along = start + column;
          body({number, isTransposed() ? j : along, isTransposed() ? along : j,
                panel});
        }
      });
      return;
    }
    // The word of a pair of numbers follows from the factors' pairs.
    forEachTuple(getWidths(), strides, [&](int64_t i, int64_t row) {
      forEachTuple(getWidths(), strides, [&](int64_t k, int64_t column) {
        int64_t word = 0, rotation = 0, place = 0, above = 1;
        for (int64_t width : getWidths())
          above *= width;
        int64_t restI = i, restK = k;
        for (auto [f, width] : llvm::enumerate(getWidths())) {
          above /= width;
          int64_t ownI = restI / above, ownK = restK / above;
          restI %= above;
          restK %= above;
          int64_t low = std::min(ownI, ownK), high = std::max(ownI, ownK);
          if (f == getWordFactor()) {
            bool isNear = 2 * (high - low) <= width;
            rotation = isNear ? high - low : width - (high - low);
            place = isNear ? low : high;
            continue;
          }
          // Pairs (i, k >= i) in lexicographic order.
          word = word * (width * (width + 1) / 2) + low * width -
                 low * (low - 1) / 2 + high - low;
        }
        word = word * (getWidths()[getWordFactor()] / 2 + 1) + rotation;
        body({(panel * words + word) * size + place, start + row,
              start + column, panel});
      });
    });
  });
}

SmallVector<RankedTensorType>
SumsAttr::getComponentTypes(RankedTensorType type) const {
  return {RankedTensorType::get({getCount(type)}, type.getElementType())};
}

StringRef SumsAttr::getKernelTag() const { return "sums"; }

SmallVector<int64_t> SumsAttr::getKernelSizes(RankedTensorType type) const {
  return SmallVector<int64_t>(type.getShape());
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

LogicalResult CoordinatesAttr::verifyEncoding(ArrayRef<int64_t> shape,
                                              Type element,
                                              EmitError emitError) const {
  if (shape.size() != 2 || !element.isF64() ||
      ShapedType::isDynamicShape(shape) || shape[0] != shape[1])
    return emitError() // coordinates_c1
           << "expected a square tensor of f64 of static shape";
  return success();
}

SmallVector<RankedTensorType>
CoordinatesAttr::getComponentTypes(RankedTensorType type) const {
  auto i32 = IntegerType::get(getContext(), 32);
  return {RankedTensorType::get({getCount()}, i32),
          RankedTensorType::get({getCount()}, i32),
          RankedTensorType::get({getCount()}, type.getElementType())};
}

StringRef CoordinatesAttr::getKernelTag() const { return "coordinates"; }

SmallVector<int64_t>
CoordinatesAttr::getKernelSizes(RankedTensorType type) const {
  return {getCount(), type.getDimSize(0)};
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult SlotAttr::verify(EmitError emitError, SlotKind kind,
                               int64_t offset) {
  if (offset < 0 || offset >= kMaxSlotOffset)
    return emitError() // slot_c1
           << "expected an offset of at least 0 and less than "
           << kMaxSlotOffset << ", got " << offset;
  return success();
}
