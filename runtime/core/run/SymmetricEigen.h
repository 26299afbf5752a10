//===- core/run/SymmetricEigen.h - eigenvectors of small matrices -*- C++
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

/// A = V' diag(values) V, with orthonormal rows of V.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};

/// Those of a symmetric n x n matrix, by Jacobi's cyclic rotations, in no
/// order. Their errors are rounding errors of the largest. For a diagonal
/// matrix, V = I. O(n^3) a sweep, of which some ten are needed. May throw
/// std::bad_alloc.
SymmetricEigen eigenOf(Matrix a);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_SYMMETRICEIGEN_H
