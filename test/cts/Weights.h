//===- Weights.h - the numbers of a weights file ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_WEIGHTS_H
#define TAMC_TEST_CTS_WEIGHTS_H

#include "Datum.h"

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tamc::cts {

/// What a fit learnt (docs/weights-format.md).
struct Weights {
  /// By group, in the order of their numbers.
  std::vector<reference::Vector> coefficients;
  std::vector<reference::Datum> tables;
  /// By group, empty without inference (docs/weights-format.md): the lower
  /// triangles of covariances, numbers of effects, means of columns,
  /// statistics.
  std::vector<reference::Vector> covariances, edfs, means, statistics;

  /// Reads the coefficients of `groups` groups, and the tables of these names,
  /// which are matrices or vectors. Nullopt if one is missing. The rest of the
  /// file is that which the runtime writes.
  static std::optional<Weights>
  read(llvm::StringRef file, size_t groups,
       llvm::ArrayRef<std::pair<std::string, bool>> tables);
};

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_WEIGHTS_H
