//===- SumEncoder.cpp - encodings of sums over rows -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumEncoder.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

void tamc::tam::setEncoding(Value value, Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(type.cloneWithEncoding(encoding));
}

/// Whether a matrix is a spline, also one that is extrapolated, a product with
/// one, or has columns of one: its rows then have numbers at places of a fixed
/// distance.
static bool hasBands(Value design) {
  if (int64_t width = getBandWidth(design))
    return width > 1;
  if (storesAllColumns(design))
    return false;
  Operation *source = design.getDefiningOp();
  return isa_and_present<ConvertOp, ColumnsOp, KroneckerOp, BlendOp>(source) &&
         llvm::any_of(source->getOperands(), hasBands);
}

/// The encoding of a matrix' copy for kernels of pairs.
static Attribute copyEncoding(Value design) {
  MLIRContext *context = design.getContext();
  if (storesAllColumns(design))
    return DenseAttr::get(context);
  return SparseAttr::get(context, getNumbersPerRow(design));
}

SumEncoder::SumEncoder(Operation *root, const Target &target, bool frequencies)
    : target(target), frequencies(frequencies) {
  root->walk([&](ConvertOp op) {
    if (getEncoding(op.getResult().getType()) == copyEncoding(op.getA()))
      converted[op.getA()] = op.getResult();
  });
}

void SumEncoder::encode(RowReductionInterface sum) {
  auto gram = dyn_cast<GramOp>(sum.getOperation());
  if (gram)
    convertPair(gram);
  if (getEncoding(sum->getResult(0).getType()))
    return;
  auto layout = SumsAttr::get(sum->getContext(),
                              gram ? layoutOf(gram) : SumsLayout::Full);
  setEncoding(sum.getAccumulatorMutable().get(), layout);
  setEncoding(sum->getResult(0), layout);
}

/// Whether the target has a kernel for the sums of two different matrices, in
/// this order.
bool SumEncoder::hasKernel(Value a, Value b) const {
  auto first = dyn_cast<EncodingInterface>(getEncoding(a.getType()));
  auto second = dyn_cast<EncodingInterface>(getEncoding(b.getType()));
  return first && second && target.hasKernel(getGramKernel(first, second));
}

bool SumEncoder::hasKernel(GramOp gram) const {
  return gram.getA() == gram.getB() || hasKernel(gram.getA(), gram.getB()) ||
         hasKernel(gram.getB(), gram.getA());
}

/// Converts a pair without a kernel of its own, one matrix after another, until
/// there is a kernel: dense matrices have kernels with some encodings, and the
/// generic kernel takes sparse matrices.
void SumEncoder::convertPair(GramOp gram) {
  for (bool storesAll : {true, false})
    for (OpOperand *operand : {&gram.getAMutable(), &gram.getBMutable()})
      if (!hasKernel(gram) && storesAllColumns(operand->get()) == storesAll)
        convert(*operand);
}

/// Replaces a matrix by its copy, unless it is stored like that.
void SumEncoder::convert(OpOperand &operand) {
  Value design = operand.get();
  if (isa<DenseAttr, SparseAttr>(getEncoding(design.getType())))
    return;
  Value &copy = converted[design];
  if (!copy) {
    OpBuilder builder(operand.getOwner());
    builder.setInsertionPointAfterValue(design);
    auto type = cast<RankedTensorType>(design.getType());
    copy =
        ConvertOp::create(builder, design.getLoc(),
                          type.cloneWithEncoding(copyEncoding(design)), design);
  }
  operand.set(copy);
}

SumsLayout SumEncoder::layoutOf(GramOp gram) const {
  Value a = gram.getA(), b = gram.getB();
  if (a == b) {
    auto fourier = a.getDefiningOp<FourierOp>();
    if (frequencies && fourier && fourier.hasAngles())
      return SumsLayout::Frequencies;
    return cast<DesignEncodingInterface>(getEncoding(a.getType()))
        .getSelfLayout();
  }
  if (!hasKernel(a, b))
    return SumsLayout::Transposed;
  // The numbers of splines are added together only along the columns of sums.
  // Row weights multiply the kernel's first matrix: with them a sum in the
  // other order would round otherwise.
  const bool isAcross = isa<SparseAttr>(getEncoding(a.getType())) &&
                        isa<SparseAttr>(getEncoding(b.getType())) &&
                        !gram.getWeights() && hasBands(a) && !hasBands(b);
  return isAcross ? SumsLayout::Transposed : SumsLayout::Full;
}
