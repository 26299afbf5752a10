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
/// whole matrices. Numbers that an encoding cannot represent must not get into
/// them, or the choice of a wrong encoding would not be noticed.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_LAYOUTS_H
#define TAMC_TEST_REFERENCE_LAYOUTS_H

#include "Datum.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include <optional>

namespace tamc::reference {

/// The first row of `design` that a matrix of this encoding cannot represent;
/// nullopt if there is none, or if there is no encoding.
std::optional<size_t> findMisfit(const Matrix &design,
                                 mlir::Attribute encoding);

/// Adds a'Wb to `sum` through the numbers of an accumulator of `layout`: each
/// row adds to these, and the elements of `sum` are computed from them.
/// `intervals` are those of the spline for `cubic_panels`. Returns the first
/// row for which the layout has no words; then `sum` is unchanged.
std::optional<size_t> addThrough(tam::SumsAttr layout, const Matrix &a,
                                 const Matrix &b, const Vector *weights,
                                 int64_t intervals, Matrix &sum);

/// Removes the elements of `sum` that an accumulator of `layout` does not
/// store: `upper` and `diagonal` leave elements out, the others do not.
void reduceTo(tam::SumsAttr layout, Matrix &sum);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_LAYOUTS_H
