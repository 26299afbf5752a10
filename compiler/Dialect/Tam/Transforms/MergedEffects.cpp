//===- MergedEffects.cpp - effects that become one ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedEffects.h"

using namespace mlir;
using namespace tamc::tam;

bool Effects::hasPlainPenalty(size_t i) const {
  auto penalty = penalties[i].getDefiningOp<PenaltyOp>();
  return penalty && penalty.getWeights().empty() &&
         penalty.getStrengths() == strengths() &&
         llvm::all_of(penalty.getPartList(), [&](const PenaltyOp::Part &part) {
           return static_cast<size_t>(part.entry) < penalty.getRows().size();
         });
}

Value Effects::strengths() const {
  auto first = penalties.front().getDefiningOp<PenaltyOp>();
  return first ? first.getStrengths() : Value();
}

SmallVector<EffectRun>
tamc::tam::findRuns(const Effects &effects,
                    function_ref<EffectKind(size_t)> kindOf, size_t least,
                    int64_t mostColumns) {
  SmallVector<EffectRun> runs;
  const size_t count = effects.size();
  for (size_t first = 0; first < count;) {
    const EffectKind kind = kindOf(first);
    size_t end = first + 1;
    while (end < count && kindOf(end) == kind)
      ++end;
    if (kind.name == EffectKind::None ||
        end - first < std::max<size_t>(least, 2)) {
      for (; first < end; ++first)
        runs.push_back({first, 1, kind});
      continue;
    }
    while (first < end) {
      int64_t columns = columnsOf(effects.designs[first]);
      EffectRun run = {first++, 1, kind};
      for (; first < end; ++first, ++run.count) {
        columns += columnsOf(effects.designs[first]);
        if (columns > mostColumns)
          break;
      }
      runs.push_back(run);
    }
  }
  return runs;
}

NormalizeOp tamc::tam::getLinearInput(Value design) {
  auto map = design.getDefiningOp<LinearOp>();
  return map ? map.getX().getDefiningOp<NormalizeOp>() : nullptr;
}

/// The penalties of several effects, whose columns follow one another, as one
/// matrix.
static Value mergePenalties(OpBuilder &builder, Location loc,
                            ArrayRef<Value> penalties) {
  SmallVector<int32_t> rows, columns;
  PenaltyParts parts;
  Value strengths;
  int32_t size = 0;
  for (Value penalty : penalties) {
    auto source = penalty.getDefiningOp<PenaltyOp>();
    auto first = static_cast<int32_t>(rows.size());
    for (int32_t row : source.getRows())
      rows.push_back(size + row);
    for (int32_t column : source.getColumns())
      columns.push_back(size + column);
    size += static_cast<int32_t>(columnsOf(penalty));
    strengths = source.getStrengths();
    for (PenaltyOp::Part part : source.getPartList()) {
      part.entry += first;
      parts.add(part);
    }
  }
  auto type = RankedTensorType::get(
      {size, size}, builder.getF64Type(),
      CoordinatesAttr::get(builder.getContext(), rows.size()));
  return PenaltyOp::create(builder, loc, type, ValueRange(), strengths, rows,
                           columns, parts.values, DenseI32ArrayAttr(),
                           DenseI32ArrayAttr(),
                           strengths ? builder.getDenseI32ArrayAttr(parts.code)
                                     : DenseI32ArrayAttr());
}

/// Linear terms side by side, as a matrix of this type.
static Value mergeLinear(OpBuilder &builder, Location loc, Type type,
                         ArrayRef<Value> designs) {
  SmallVector<Value> inputs, parameters;
  SmallVector<double> scales;
  SmallVector<Attribute> modes;
  bool allContinue = true;
  for (Value design : designs) {
    NormalizeOp input = getLinearInput(design);
    auto map = design.getDefiningOp<LinearOp>();
    inputs.push_back(input.getColumn());
    parameters.push_back(input.getParameters());
    scales.push_back(map.getScale().convertToDouble());
    modes.push_back(map.getExtrapolateAttr());
    allContinue &= map.getExtrapolate() == Extrapolate::Continue;
  }
  return LinearColumnsOp::create(builder, loc, type, inputs, parameters, scales,
                                 allContinue ? ArrayAttr()
                                             : builder.getArrayAttr(modes));
}

/// The location of several terms: "first .. last".
static Location locateAll(OpBuilder &builder, ArrayRef<Value> designs) {
  SmallVector<Location> locs;
  for (Value design : designs)
    locs.push_back(design.getLoc());
  StringRef first = getTermText(locs.front()), last = getTermText(locs.back());
  Location all = builder.getFusedLoc(locs);
  if (first.empty() || last.empty())
    return all;
  return NameLoc::get(builder.getStringAttr(first + " .. " + last), all);
}

Effects tamc::tam::mergeRuns(OpBuilder &builder, const Effects &effects,
                             ArrayRef<EffectRun> runs) {
  Effects merged;
  for (const EffectRun &run : runs) {
    auto designs = ArrayRef(effects.designs).slice(run.first, run.count);
    auto penalties = ArrayRef(effects.penalties).slice(run.first, run.count);
    if (run.count == 1) {
      merged.designs.push_back(designs.front());
      merged.penalties.push_back(penalties.front());
      continue;
    }
    int64_t columns = 0;
    for (Value design : designs)
      columns += columnsOf(design);
    auto type = RankedTensorType::get({ShapedType::kDynamic, columns},
                                      builder.getF64Type());
    Location loc = locateAll(builder, designs);
    merged.designs.push_back(
        run.kind.name == EffectKind::Column
            ? mergeLinear(builder, loc, type, designs)
            : ColumnsOp::create(builder, loc, type, designs).getResult());
    merged.penalties.push_back(mergePenalties(builder, loc, penalties));
  }
  return merged;
}
