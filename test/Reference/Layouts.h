//===- Layouts.h - what encodings keep of a value ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The encodings of design matrices and accumulators, as the descriptions of
/// the attributes define them (docs/generated/tam.md). The interpreter has
/// whole matrices. What an encoding has no place for must not reach them, or a
/// pass that chooses a wrong one would go unnoticed.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_LAYOUTS_H
#define TAMC_TEST_REFERENCE_LAYOUTS_H

#include "Datum.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include <optional>

namespace tamc::reference {

/// The first row of `design` that a matrix of this encoding cannot hold;
/// nullopt if it holds all. Without an encoding it holds all.
std::optional<size_t> findMisfit(const Matrix &design,
                                 mlir::Attribute encoding);

/// Adds a'Wb to `sum` by way of the numbers that an accumulator of `layout`
/// keeps: each row adds to these, and the elements of `sum` are read off them.
/// `intervals` are those of the spline whose products `cubic_panels` keep.
/// Returns the first row that the layout has no words for; then `sum` is
/// unchanged.
std::optional<size_t> addThrough(tam::SumsAttr layout, const Matrix &a,
                                 const Matrix &b, const Vector *weights,
                                 int64_t intervals, Matrix &sum);

/// Reduces `sum` to what an accumulator of `layout` keeps of it: `upper` and
/// `diagonal` leave elements out, the others none.
void reduceTo(tam::SumsAttr layout, Matrix &sum);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_LAYOUTS_H
