//===- core/run/PenaltyBasis.h - a basis in which penalties are diagonal -*- C++
//-*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The orthogonal basis of the coefficients in which all unit penalties are
/// diagonal. Those of a product's factors are Kronecker products I (x) Q (x) I,
/// each with its own Q, so the basis is the Kronecker product of the Qs'
/// eigenvectors.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PENALTYBASIS_H
#define TAMRT_CORE_RUN_PENALTYBASIS_H

#include "core/run/Matrix.h"
#include "core/run/UnitPenalties.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tamrt {

class PenaltyBasis {
public:
  /// None if penalties of one effect are not such products. May throw
  /// std::bad_alloc.
  static std::optional<PenaltyBasis> find(std::span<const UnitPenalty> units);

  /// Some columns, and the coordinates that penalise them.
  struct Block {
    size_t first, columns;
    /// Coordinates firstCoordinate, .., endCoordinate - 1.
    size_t firstCoordinate, endCoordinate;
    /// The eigenvectors of the Qs, in rows; empty for I.
    std::vector<Matrix> factors;
    /// The sizes of the Qs.
    std::vector<size_t> sizes;
  };

  std::span<const Block> blocks() const { return all; }
  /// The eigenvalues of a coordinate's penalty: one for each column of its
  /// block. Those of its null space are exact zeros.
  std::span<const double> values(size_t coordinate) const {
    return eigenvalues[coordinate];
  }

  /// U'x.
  void rotate(double *x) const;
  /// U'MU of a symmetric matrix.
  void rotate(Matrix &m) const;

private:
  std::vector<Block> all;
  std::vector<std::vector<double>> eigenvalues;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PENALTYBASIS_H
