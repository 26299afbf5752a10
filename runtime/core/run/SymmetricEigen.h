//===- core/run/SymmetricEigen.h - eigenvectors of symmetric matrices -*- C++
//-*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_SYMMETRICEIGEN_H
#define TAMRT_CORE_RUN_SYMMETRICEIGEN_H

#include "core/run/Matrix.h"

#include <vector>

namespace tamrt {

/// |A| = (AA)^(1/2) = V' diag(values) V, with orthonormal rows of V: A itself,
/// if no eigenvalue is negative.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};

/// Those of a symmetric n x n matrix, in no order, by Hestenes' one-sided
/// rotations. Small values keep their digits where the matrix has them on its
/// diagonal; a diagonal matrix has V = I. O(n^3) a sweep, of which some ten are
/// needed. May throw std::bad_alloc.
SymmetricEigen eigenOf(Matrix a);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_SYMMETRICEIGEN_H
