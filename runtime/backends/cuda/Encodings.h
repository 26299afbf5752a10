//===- cuda/Encodings.h - design matrices as kernels read them --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The encodings of design matrices (kernels.def), each with two functions that
/// bodies ask: the number in a row and a column, and a row's dot product with a
/// vector. So one body serves all encodings, and all pairs of them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_ENCODINGS_H
#define TAMRT_BACKENDS_CUDA_ENCODINGS_H

#include "backends/cuda/Block.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// A number of a row, and its column.
struct Number {
  double value;
  int64_t column;
};

/// rows x n numbers.
struct Dense {
  Buffer<const double> values;
  int64_t n;

  template <class Block> struct View {
    ViewOf<Block, const double> values;
    int64_t n;

    /// The numbers that a row has, 0 or not.
    TAMRT_BODY int64_t length(int64_t) const { return n; }
    TAMRT_BODY Number number(int64_t row, int64_t i) const {
      return {values[row * n + i], i};
    }
    TAMRT_BODY double at(int64_t row, int64_t column) const {
      return values[row * n + column];
    }
    template <class Vector>
    TAMRT_BODY double dot(int64_t row, const Vector &beta) const {
      double sum = 0.0;
      for (int64_t i = 0; i < n; ++i)
        sum += values[row * n + i] * beta[i];
      return sum;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(values), n};
  }
};

/// rows x z numbers, and the first column of each row.
struct Banded {
  Buffer<const double> values;
  Buffer<const int32_t> start;
  int64_t z;

  template <class Block> struct View {
    ViewOf<Block, const double> values;
    ViewOf<Block, const int32_t> start;
    int64_t z;

    TAMRT_BODY int64_t length(int64_t) const { return z; }
    TAMRT_BODY Number number(int64_t row, int64_t i) const {
      return {values[row * z + i], start[row] + i};
    }
    TAMRT_BODY double at(int64_t row, int64_t column) const {
      const int64_t i = column - start[row];
      return i >= 0 && i < z ? values[row * z + i] : 0.0;
    }
    template <class Vector>
    TAMRT_BODY double dot(int64_t row, const Vector &beta) const {
      const int64_t first = start[row];
      double sum = 0.0;
      for (int64_t i = 0; i < z; ++i)
        sum += values[row * z + i] * beta[first + i];
      return sum;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(values), block.view(start), z};
  }
};

/// The column of the single 1 of a row, or TAMRT_INDEX_*.
struct OneHot {
  Buffer<const int32_t> index;

  /// The columns whose mean a negative index denotes; 0 for none.
  static TAMRT_BODY int64_t meanColumns(int64_t index) { return -1 - index; }

  template <class Block> struct View {
    ViewOf<Block, const int32_t> index;

    TAMRT_BODY int64_t length(int64_t row) const {
      const int64_t own = index[row];
      return own >= 0 ? 1 : meanColumns(own);
    }
    TAMRT_BODY Number number(int64_t row, int64_t i) const {
      const int64_t own = index[row];
      if (own >= 0)
        return {1.0, own};
      return {1.0 / static_cast<double>(meanColumns(own)), i};
    }
    TAMRT_BODY double at(int64_t row, int64_t column) const {
      const int64_t own = index[row];
      if (own >= 0)
        return own == column ? 1.0 : 0.0;
      const int64_t columns = meanColumns(own);
      return column < columns ? 1.0 / static_cast<double>(columns) : 0.0;
    }
    template <class Vector>
    TAMRT_BODY double dot(int64_t row, const Vector &beta) const {
      const int64_t own = index[row];
      if (own >= 0)
        return beta[own];
      const int64_t columns = meanColumns(own);
      double sum = 0.0;
      for (int64_t i = 0; i < columns; ++i)
        sum += beta[i];
      return columns > 0 ? sum / static_cast<double>(columns) : 0.0;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(index)};
  }
};

/// rows x z columns of numbers that all equal `scale`.
struct MultiHot {
  Buffer<const int32_t> index;
  int64_t z;
  double scale;

  template <class Block> struct View {
    ViewOf<Block, const int32_t> index;
    int64_t z;
    double scale;

    TAMRT_BODY int64_t length(int64_t) const { return z; }
    TAMRT_BODY Number number(int64_t row, int64_t i) const {
      return {scale, index[row * z + i]};
    }
    TAMRT_BODY double at(int64_t row, int64_t column) const {
      double sum = 0.0;
      for (int64_t i = 0; i < z; ++i)
        sum += index[row * z + i] == column ? scale : 0.0;
      return sum;
    }
    template <class Vector>
    TAMRT_BODY double dot(int64_t row, const Vector &beta) const {
      double sum = 0.0;
      for (int64_t i = 0; i < z; ++i)
        sum += beta[index[row * z + i]];
      return scale * sum;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(index), z, scale};
  }
};

/// rows x z numbers and their columns; numbers of a column add up.
struct Sparse {
  Buffer<const double> values;
  Buffer<const int32_t> index;
  int64_t z;

  template <class Block> struct View {
    ViewOf<Block, const double> values;
    ViewOf<Block, const int32_t> index;
    int64_t z;

    TAMRT_BODY int64_t length(int64_t) const { return z; }
    TAMRT_BODY Number number(int64_t row, int64_t i) const {
      return {values[row * z + i], index[row * z + i]};
    }
    TAMRT_BODY double at(int64_t row, int64_t column) const {
      double sum = 0.0;
      for (int64_t i = row * z; i < (row + 1) * z; ++i)
        if (index[i] == column)
          sum += values[i];
      return sum;
    }
    template <class Vector>
    TAMRT_BODY double dot(int64_t row, const Vector &beta) const {
      double sum = 0.0;
      for (int64_t i = row * z; i < (row + 1) * z; ++i)
        sum += values[i] * beta[index[i]];
      return sum;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(values), block.view(index), z};
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_ENCODINGS_H
