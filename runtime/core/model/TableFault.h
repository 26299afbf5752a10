//===- core/model/TableFault.h - contents of tables, checked ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks the contents of a table: a fit writes only valid ones, and kernels
/// rely on that. Shared by the executable and the library for embedding;
/// nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_TABLEFAULT_H
#define TAMRT_CORE_MODEL_TABLEFAULT_H

#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>

namespace tamrt {

/// Elements of a table.
int64_t elementsOf(const tamrt_table &table);

/// Bytes of a table's contents.
int64_t bytesOf(const tamrt_table &table);

/// A fault of the contents of a table.
struct TableFault {
  enum Kind {
    None,
    /// A number is not finite.
    NotFinite,
    /// A range is descending.
    Range,
    /// A gamma is not positive.
    Gamma,
    /// A feature is not an input of the learner.
    Feature,
    /// Thresholds of a flat tree are descending.
    Threshold,
    /// A weight of a leaf is negative.
    Weight,
    /// The spec gives other numbers.
    Other,
  };

  Kind kind = None;
  /// The first invalid element; 0 for Range and Other.
  size_t index = 0;

  explicit operator bool() const { return kind != None; }
};

/// The fault of `contents` as table `k` of `learner`. O(elements).
TableFault faultOf(const tamrt_model &model, const tamrt_learner &learner,
                   int64_t k, const void *contents);

/// The same only for features, which kernels use as indices, so that they must
/// be valid.
TableFault subscriptFaultOf(const tamrt_model &model,
                            const tamrt_learner &learner, int64_t k,
                            const void *contents);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_TABLEFAULT_H
