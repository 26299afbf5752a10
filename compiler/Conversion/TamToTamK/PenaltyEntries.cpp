//===- PenaltyEntries.cpp - penalties as inputs of kernels ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PenaltyEntries.h"

using namespace mlir;
using namespace tamc;

void PenaltyEntries::add(tam::PenaltyOp source, int64_t start, int32_t table) {
  // The number of each entry, and of each sum behind them, here; -1: none.
  const size_t entries = source.getRows().size();
  SmallVector<int32_t> own(entries, -1);
  for (size_t i = 0; i < entries; ++i) {
    if (source.getTableOf(i) != table)
      continue;
    own[i] = static_cast<int32_t>(rows.size());
    rows.push_back(start + source.getRows()[i]);
    columns.push_back(start + source.getColumns()[i]);
    if (table >= 0)
      which.push_back((*source.getElement())[i]);
  }
  strengths = source.getStrengths();
  for (tam::PenaltyOp::Part part : source.getPartList()) {
    const auto place = static_cast<size_t>(part.entry);
    if (place == own.size())
      own.push_back(sums++);
    if (own[place] < 0)
      continue;
    part.entry = own[place];
    if (part.source >= 0)
      part.source = own[part.source];
    parts.push_back({part, /*isOfSum=*/place >= entries});
  }
}

LogicalResult PenaltyEntries::addTo(Launch &launch,
                                    ConversionPatternRewriter &rewriter,
                                    Operation *op) const {
  Location loc = op->getLoc();
  tam::PenaltyParts coded;
  for (Part part : parts) {
    if (part.isOfSum)
      part.entry += size();
    if (part.source >= 0)
      part.source += size();
    coded.add(part);
  }
  Value numbers = constantTensor<double>(rewriter, loc, coded.values);
  if (strengths) {
    auto computed =
        Launch(rewriter, op, "penalty_values")
            .in(constantTensor<int32_t>(rewriter, loc, coded.code))
            .in(numbers)
            .in(strengths)
            .scalars64({static_cast<int64_t>(parts.size()), size() + sums})
            .out(RankedTensorType::get({size() + sums}, rewriter.getF64Type()))
            .create();
    if (failed(computed))
      return failure();
    numbers = computed->front();
  }
  launch.in(constantTensor<int32_t>(rewriter, loc, rows))
      .in(constantTensor<int32_t>(rewriter, loc, columns))
      .in(numbers);
  if (!which.empty())
    launch.in(constantTensor<int32_t>(rewriter, loc, which));
  return success();
}

FailureOr<SmallVector<tam::PenaltyOp>> tamc::sourcesOf(Operation *op,
                                                       ValueRange penalties) {
  SmallVector<tam::PenaltyOp> sources;
  for (Value penalty : penalties) {
    sources.push_back(penalty.getDefiningOp<tam::PenaltyOp>());
    if (!sources.back())
      return op->emitOpError("expected penalties of tam.penalty");
    if (sources.back().getStrengths() != sources.front().getStrengths())
      return op->emitOpError("expected penalties with one tensor of strengths");
  }
  return sources;
}

AllPenalties::AllPenalties(ArrayRef<tam::PenaltyOp> sources)
    : sources(sources) {
  for (tam::PenaltyOp source : sources) {
    starts.push_back(size);
    size += tensorType(source.getResult()).getDimSize(0);
  }
}

LogicalResult AllPenalties::forEach(
    function_ref<LogicalResult(const PenaltyEntries &, ValueRange)> body)
    const {
  PenaltyEntries plain;
  for (auto [start, source] : llvm::zip(starts, sources))
    plain.add(source, start, /*table=*/-1);
  if (failed(body(plain, {})))
    return failure();
  for (auto [start, penalty] : llvm::zip(starts, sources)) {
    tam::PenaltyOp source = penalty;
    for (auto [index, weights] : llvm::enumerate(source.getWeights())) {
      PenaltyEntries learnt;
      learnt.add(source, start, static_cast<int32_t>(index));
      if (learnt.size() > 0 && failed(body(learnt, weights)))
        return failure();
    }
  }
  return success();
}
