//===- Columns.cpp - matrices side by side ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"

using namespace mlir;
using namespace tamc;

void PartsWriter::goBehind(ValueRange sources) {
  // What another block has is there in all of this one.
  for (Value value : sources)
    if (Operation *source = value.getDefiningOp();
        source && source->getBlock() == op->getBlock() &&
        (!last || last->isBeforeInBlock(source)))
      last = source;
  if (last)
    rewriter.setInsertionPointAfter(last);
}

LogicalResult PartsWriter::write(Launch launch) {
  goBehind(launch.getInputs());
  if (values.empty())
    for (RankedTensorType type : types)
      launch.out(type);
  else
    launch.out(values);
  auto written = launch.create();
  if (failed(written))
    return failure();
  values = std::move(*written);
  last = values.front().getDefiningOp();
  return success();
}

FailureOr<SmallVector<Value>> tamc::stack(ConversionPatternRewriter &rewriter,
                                          Operation *source,
                                          ArrayRef<ValueRange> operands,
                                          RankedTensorType type) {
  Launch launch(rewriter, source, "stack");
  for (ValueRange column : operands)
    launch.in(column);
  return launch.rowsOf(source->getResult(0)).out(type).create();
}

Launch tamc::sparsify(ConversionPatternRewriter &rewriter, Operation *source,
                      Value design, ValueRange components, SparsePart part) {
  RankedTensorType type = tensorType(design);
  auto encoding = cast<tam::DesignEncodingInterface>(tam::getEncoding(type));
  Launch launch(rewriter, source, "sparsify_" + encoding.getKernelTag());
  launch.in(components)
      .rowsOf(source->getResult(0))
      .sizes(encoding,
             encoding.getSparsifySizes(type, tam::getNumbersPerRow(design)));
  return launch.scalars64({part.first, part.width, part.at});
}

namespace {

/// Writes matrices side by side.
class ColumnsWriter {
public:
  ColumnsWriter(ConversionPatternRewriter &rewriter, Operation *op,
                ValueRange designs, ArrayRef<ValueRange> components,
                RankedTensorType type, tam::DesignEncodingInterface encoding)
      : rewriter(rewriter), op(op), designs(designs), components(components),
        type(type), encoding(encoding),
        writer(rewriter, op, encoding.getComponentTypes(type)) {}

  /// The components of the matrix.
  FailureOr<SmallVector<Value>> write();

private:
  /// Matrices of one column, such as linear terms in the design step, that are
  /// written together: numbers of a row that lie together.
  static constexpr size_t kStacked = 16;

  /// The end of the matrices from `begin` on that are written together.
  size_t endOf(size_t begin);
  /// Columns as a dense matrix of their own.
  FailureOr<SmallVector<Value>> stackColumns(size_t begin, size_t end);
  /// Launches that write a matrix to the columns from `column` on.
  Launch copy(size_t index);
  Launch copyToDense(RankedTensorType part, ValueRange own);

  ConversionPatternRewriter &rewriter;
  Operation *op;
  ValueRange designs;
  ArrayRef<ValueRange> components;
  RankedTensorType type;
  tam::DesignEncodingInterface encoding;
  PartsWriter writer;
  /// Columns and numbers of a row that have been written.
  int64_t column = 0, at = 0;
};

size_t ColumnsWriter::endOf(size_t begin) {
  auto isColumn = [&](size_t i) {
    return tensorType(designs[i]).getDimSize(1) == 1;
  };
  size_t end = begin + 1;
  if (encoding.storesAllColumns() && isColumn(begin))
    while (end < designs.size() && end < begin + kStacked && isColumn(end))
      ++end;
  return end;
}

FailureOr<SmallVector<Value>> ColumnsWriter::stackColumns(size_t begin,
                                                          size_t end) {
  SmallVector<SmallVector<Value>> columns;
  for (size_t i = begin; i < end; ++i)
    writer.goBehind(components[i]);
  for (size_t i = begin; i < end; ++i) {
    auto column = densify(rewriter, op, tensorType(designs[i]), components[i]);
    if (failed(column))
      return failure();
    columns.push_back(*column);
  }
  return stack(rewriter, op, llvm::to_vector_of<ValueRange>(columns),
               RankedTensorType::get(
                   {type.getDimSize(0), static_cast<int64_t>(end - begin)},
                   type.getElementType()));
}

Launch ColumnsWriter::copyToDense(RankedTensorType part, ValueRange own) {
  if (!part.getEncoding())
    part = part.cloneWithEncoding(encoding);
  return expand(rewriter, op, tam::getEncoding(part), part, own,
                type.getDimSize(1), column);
}

Launch ColumnsWriter::copy(size_t index) {
  Value design = designs[index];
  ValueRange own = components[index];
  if (encoding.storesAllColumns())
    return copyToDense(tensorType(design), own);
  if (auto bands = dyn_cast<tam::BandsAttr>(Attribute(encoding)))
    return Launch(rewriter, op, "place_band")
        .in(own)
        .rowsOf(op->getResult(0))
        .scalars64({bands.getWidth(), column, static_cast<int64_t>(index)});
  return sparsify(rewriter, op, design, own,
                  {column, encoding.getRowNumbers(type), at});
}

FailureOr<SmallVector<Value>> ColumnsWriter::write() {
  for (size_t begin = 0, end; begin < designs.size(); begin = end) {
    end = endOf(begin);
    if (end - begin == 1) {
      if (failed(writer.write(copy(begin))))
        return failure();
    } else {
      auto stacked = stackColumns(begin, end);
      if (failed(stacked) || end - begin == designs.size())
        return stacked;
      if (failed(writer.write(
              copyToDense(tensorType(stacked->front()), *stacked))))
        return failure();
    }
    for (Value design : designs.slice(begin, end - begin)) {
      column += tensorType(design).getDimSize(1);
      at += tam::getNumbersPerRow(design);
    }
  }
  return writer.getValues();
}

} // namespace

FailureOr<SmallVector<Value>>
tamc::writeColumns(ConversionPatternRewriter &rewriter, Operation *source,
                   ValueRange designs, ArrayRef<ValueRange> components,
                   tam::DesignEncodingInterface encoding) {
  RankedTensorType first = tensorType(designs.front());
  int64_t columns = 0;
  for (Value design : designs)
    columns += tensorType(design).getDimSize(1);
  auto type = RankedTensorType::get({first.getDimSize(0), columns},
                                    first.getElementType(), encoding);
  return ColumnsWriter(rewriter, source, designs, components, type, encoding)
      .write();
}
