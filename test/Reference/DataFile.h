//===- DataFile.h - rows of one group in a JSON file ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The data of tam-interpret and tam-drive:
///
///   {"rows": 3, "parameters": [2, 1, -1, 1],
///    "columns": [[1, 2, 3], [4, 5, 6]], "coefficients": [0.5, 0.25]}
///
/// `columns` are the inputs, the target and the row weights; a column whose
/// numbers are all integers can be used as codes. `coefficients` are only
/// needed by functions that read them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_DATAFILE_H
#define TAMC_TEST_REFERENCE_DATAFILE_H

#include "Datum.h"

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tamc::reference {

/// The contents of such a file.
struct DataFile {
  int64_t rows = 0;
  Vector parameters, coefficients;
  std::vector<Vector> columns;
};

/// Reads the file at `path`; nullopt, and `error` says why, if that fails.
std::optional<DataFile> readDataFile(llvm::StringRef path, std::string &error);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_DATAFILE_H
