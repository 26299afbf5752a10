//===- core/run/RowSums.cpp - dense sums of design rows -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/RowSums.h"

#include "kernels/InstructionSets.h"
#include "kernels/cpu/Support.h"

namespace tamrt {

using cpu::Vector;
using cpu::vectorAt;
static_assert(sizeof(Vector) == kSumsVector * sizeof(double));

namespace {

/// `i` up to a multiple of the rows of a vector, and down.
constexpr size_t up(size_t i) {
  return (i + kSumsVector - 1) / kSumsVector * kSumsVector;
}
constexpr size_t down(size_t i) { return i / kSumsVector * kSumsVector; }

} // namespace

TAMRT_WIDE void addRow(const double *row, size_t d, double weight,
                       double target, const double *from, double *to) {
  for (size_t k = 0; k <= d; ++k) {
    const double factor = weight * (k < d ? row[k] : target);
    const size_t first = k < d ? down(k) : 0, end = up(d);
    if (factor != 0)
      for (size_t i = first; i < end; i += kSumsVector)
        vectorAt(to + i - first) =
            vectorAt(from + i - first) + factor * vectorAt(row + i);
    else if (from != to)
      for (size_t i = first; i < end; i += kSumsVector)
        vectorAt(to + i - first) = vectorAt(from + i - first);
    from += end - first;
    to += end - first;
  }
}

void addSystem(const double *matrix, const double *vector, size_t d,
               double *sums) {
  for (size_t k = 0; k <= d; ++k) {
    const size_t first = k < d ? down(k) : 0;
    const double *from = k < d ? matrix + k * d : vector;
    for (size_t i = k < d ? k : 0; i < d; ++i)
      sums[i - first] += from[i];
    sums += up(d) - first;
  }
}

/// Writes four numbers `stride` apart.
static TAMRT_INLINE void storeApart(const Vector &numbers, size_t stride,
                                    double *to) {
  if (stride == 1)
    vectorAt(to) = numbers;
  else
    for (size_t k = 0; k < kSumsVector; ++k)
      to[k * stride] = numbers[k];
}

TAMRT_WIDE void expandSums(const double *a, const double *b, size_t d,
                           size_t stride, double *__restrict matrix,
                           double *__restrict vector) {
  for (size_t k = 0; k <= d; ++k) {
    const size_t first = k < d ? down(k) : 0;
    double *to = k < d ? matrix + k * d * stride : vector;
    size_t i = k < d ? k : 0;
    if (b) {
      for (; i < d && i % kSumsVector != 0; ++i)
        to[i * stride] = a[i - first] + b[i - first];
      for (; i + kSumsVector <= d; i += kSumsVector)
        storeApart(vectorAt(a + i - first) + vectorAt(b + i - first), stride,
                   to + i * stride);
      for (; i < d; ++i)
        to[i * stride] = a[i - first] + b[i - first];
      b += up(d) - first;
    } else {
      for (; i < d; ++i)
        to[i * stride] = a[i - first];
    }
    a += up(d) - first;
  }
}

} // namespace tamrt
