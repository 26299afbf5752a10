//===- Launch.cpp - building launches of kernels ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

/// Most constants of a block that are compared with a new one. The
/// canonicalizer finds what is the same in others.
static constexpr unsigned kMaxCompared = 32;

Value tamc::constantScalar(ConversionPatternRewriter &rewriter, Location loc,
                           TypedAttr value) {
  Block *block = rewriter.getInsertionBlock();
  unsigned compared = 0;
  for (Operation &op : *block) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant || compared++ == kMaxCompared)
      break;
    if (constant.getValue() == value)
      return constant;
  }
  // Not by the rewriter, which could undo that although others use it.
  auto builder = OpBuilder::atBlockBegin(block);
  return arith::ConstantOp::create(builder, loc, value);
}

Value Launch::findSlot(SlotKind kind) {
  Value argument =
      tam::findSlotArgument(source->getParentOfType<func::FuncOp>(), kind);
  if (!argument)
    missing = kind;
  return argument;
}

Launch &Launch::sizes(tam::DesignEncodingInterface encoding,
                      ArrayRef<int64_t> values) {
  scalars64(values);
  if (FloatAttr number = encoding.getCommonNumber())
    scalarF64(number.getValueAsDouble());
  return *this;
}

Launch &Launch::sizes(tam::EncodingInterface encoding, RankedTensorType type) {
  SmallVector<int64_t> values = encoding.getKernelSizes(type);
  if (auto design = dyn_cast<tam::DesignEncodingInterface>(encoding))
    return sizes(design, values);
  return scalars64(values);
}

Launch &Launch::slot(SlotKind kind) {
  if (Value argument = findSlot(kind))
    scalar(argument);
  return *this;
}

Launch &Launch::rowsOf(Value result) {
  RankedTensorType type = tensorType(result);
  return type.isDynamicDim(0) ? slot(SlotKind::Rows)
                              : scalar(type.getDimSize(0));
}

Launch &Launch::out(RankedTensorType type) {
  SmallVector<Value> sizes;
  if (!type.hasStaticShape()) {
    Value capacity = findSlot(SlotKind::Capacity);
    if (!capacity)
      return *this;
    sizes.push_back(capacity);
  }
  inits.push_back(
      tensor::EmptyOp::create(rewriter, source->getLoc(), type, sizes));
  return *this;
}

Launch &Launch::workspace(const Target &target, int64_t columns) {
  const Workspace size = target.getWorkspace(kernel, columns);
  if (size.fixed == 0 && size.perRow == 0)
    return *this;
  if (size.perRow == 0)
    return out(RankedTensorType::get({size.fixed}, rewriter.getF64Type()));
  Value capacity = findSlot(SlotKind::Capacity);
  if (!capacity)
    return *this;
  AffineExpr rows = rewriter.getAffineSymbolExpr(0);
  const AffineMap sizes =
      AffineMap::get(0, 1,
                     {rows * size.perRow + size.fixed,
                      rewriter.getAffineConstantExpr(size.most)},
                     rewriter.getContext());
  Value doubles =
      affine::AffineMinOp::create(rewriter, source->getLoc(), sizes, capacity);
  inits.push_back(tensor::EmptyOp::create(
      rewriter, source->getLoc(),
      RankedTensorType::get({ShapedType::kDynamic}, rewriter.getF64Type()),
      doubles));
  return *this;
}

FailureOr<SmallVector<Value>> Launch::create() {
  if (missing)
    return source->emitOpError("expected an argument with slot '")
           << tam::stringifySlotKind(*missing) << "' in the function";
  auto op = tamk::LaunchOp::create(
      rewriter, source->getLoc(), ValueRange(inits).getTypes(),
      rewriter.getStringAttr(kernel), inputs, scalars, inits,
      absent.empty() ? DenseI32ArrayAttr()
                     : rewriter.getDenseI32ArrayAttr(absent),
      rewriter.getStringAttr(source->getName().getStringRef()),
      isGenerated ? rewriter.getUnitAttr() : UnitAttr());
  return SmallVector<Value>(op->getResults());
}

Value tamc::constantPairs(ConversionPatternRewriter &rewriter, Location loc,
                          ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  SmallVector<int32_t> numbers;
  for (auto [first, second] : pairs)
    numbers.append({static_cast<int32_t>(first), static_cast<int32_t>(second)});
  return constantTensor<int32_t>(rewriter, loc, numbers);
}

Launch tamc::expand(ConversionPatternRewriter &rewriter, Operation *source,
                    tam::EncodingInterface encoding, RankedTensorType type,
                    ValueRange components, int64_t width, int64_t column) {
  return Launch(rewriter, source, "expand_" + encoding.getKernelTag())
      .in(components)
      .rowsOf(source->getResult(0))
      .sizes(encoding, type)
      .scalars64({width, column});
}

FailureOr<SmallVector<Value>> tamc::densify(ConversionPatternRewriter &rewriter,
                                            Operation *source,
                                            RankedTensorType type,
                                            ValueRange components) {
  tam::EncodingInterface encoding = tam::getEncoding(type);
  if (!encoding || isa<tam::DenseAttr>(encoding))
    return SmallVector<Value>(components);
  auto dense = tam::DenseAttr::get(rewriter.getContext());
  return expand(rewriter, source, encoding, type, components,
                type.getDimSize(1), /*column=*/0)
      .out(dense.getComponentTypes(type.cloneWithEncoding(dense)).front())
      .create();
}
