//===- core/run/WindowBasis.h - bases that move with windows ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sums of a window from those of rows that were normalised by other
/// ranges. Internal to MovingSums.
///
/// With x = (v - c)/h and a window's y = alpha x + beta, the columns of an
/// effect l or p of y are fixed combinations of those of x and the offset's:
/// phi(y) = B phi(x), so that the window's Gram matrix is B S B'.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_WINDOWBASIS_H
#define TAMRT_CORE_RUN_WINDOWBASIS_H

#include "core/FunctionRef.h"
#include "core/data/Ranges.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace tamrt {

/// The effects of a model whose bases depend affinely on the range of their
/// input.
class WindowBasis {
public:
  explicit WindowBasis(const tamrt_model &model);

  /// By input: whether only such effects read it.
  const std::vector<bool> &moves() const { return inputMoves; }

  /// Whether sums of rows normalised by `from` give those of rows normalised
  /// by `to` without a loss of more than some digits, for all effects of an
  /// input that moves.
  bool canChange(size_t input, const Range &from, const Range &to) const;

  /// Changes S, D x D, column after column, of which only the lower triangle is
  /// read and written, and S's right-hand side. Their numbers are `stride`
  /// apart. rangesOf(input) has the ranges before and after. `norms`, the
  /// squared norms of the design's columns, become those of the numbers from
  /// which the new columns are computed, which may cancel.
  void change(FunctionRef<std::pair<Range, Range>(size_t)> rangesOf,
              size_t stride, double *matrix, double *vector, double *norms);

private:
  struct Effect {
    size_t first, columns, input;
    /// l: the factor of x. p: 0.
    double factor;
  };

  const size_t d;
  std::vector<bool> inputMoves;
  std::vector<Effect> effects;
  /// B's rows of the effects' columns: what they have of the offset, and of the
  /// effect's own columns up to themselves.
  std::vector<double> ofOffset;
  std::vector<std::vector<double>> ofColumns;
  /// Rows of B S, numbers of B b, and what new norms are the squares of.
  std::vector<double> rows, values, sizes;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_WINDOWBASIS_H
