//===- SplineCode.h - emits the evaluation of splines -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emission of code that evaluates B-splines on equal intervals, of one row or
/// of several at once, within a kernel.
///
/// On one interval a B-spline is a polynomial in the share of the interval that
/// lies below x, and which polynomial depends on no more than how many
/// intervals lie before and after it (docs/math.md section 3, term s; C. de
/// Boor, A Practical Guide to Splines, chapter X). So is the sum of a spline's
/// functions times their coefficients: its own polynomial on each interval.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMROWSTOLOOPS_SPLINECODE_H
#define TAMC_CONVERSION_TAMROWSTOLOOPS_SPLINECODE_H

#include "LoopWriter.h"

namespace tamc {

/// What a function knows of a spline from its start on.
struct SplineKnots {
  int64_t intervals, degree;
  /// The input's parameters, a buffer.
  mlir::Value parameters;
  /// The first knot, the greatest number the spline is evaluated at, and the
  /// intervals per unit.
  mlir::Value lo, highest, perUnit;
  /// Whether the knots are so far apart that no gap counts as none, as an i1;
  /// else the polynomials do not hold.
  mlir::Value areApart;

  /// Numbers of a polynomial, constant first, and zeros up to a power of two.
  int64_t powers() const;
};

/// Where one row lies on the intervals, or several: numbers or vectors of them.
struct SplinePlace {
  /// The interval, an i32, and the share of it below x.
  mlir::Value interval, share;
};

/// Emits code of splines of degree 1 to 7. `lanes` is 1 for
/// one row, or how many are evaluated at once, in vectors; each has the same
/// bits either way.
class SplineWriter : protected LoopWriter {
protected:
  using LoopWriter::LoopWriter;

  /// Reads the knots of an input off its parameters.
  SplineKnots knotsOf(mlir::Value parameters, int64_t intervals,
                      int64_t degree);
  /// Where `x` lies; not a number counts as the first knot.
  SplinePlace placeOf(const SplineKnots &knots, mlir::Value x, int64_t lanes);
  /// The polynomial of the spline with the buffer `coefficients` on an
  /// interval, an index, as a vector of powers().
  mlir::Value polynomialOn(const SplineKnots &knots, mlir::Value interval,
                           mlir::Value coefficients);
  /// The value at `share` of a polynomial given power by power, as many as the
  /// degree and one.
  mlir::Value valueAt(mlir::Value share, mlir::ValueRange powers);

private:
  mlir::Value tableOf(const SplineKnots &knots);
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMROWSTOLOOPS_SPLINECODE_H
