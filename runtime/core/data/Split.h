//===- core/data/Split.h - rows held out of a fit ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the rows of each group into those of a fit and those that are held
/// out of it: to calibrate intervals (docs/math.md section 8), or to compare
/// candidates (section 4, "Grid").
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_SPLIT_H
#define TAMRT_CORE_DATA_SPLIT_H

#include "core/data/RowReader.h"
#include "io/Date.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tamrt {

/// Which rows are held out.
struct Split {
  enum class Kind {
    /// The last rows of each group, by date, else in the file's order: the
    /// share of its rows, rounded down.
    Share,
    /// Rows from a date on.
    Date,
    /// Rows with a value in a column: the text, or an equal number.
    Value,
  };
  Kind kind = Kind::Share;
  double share = 0;
  Date date;
  std::string column, value;
  /// As it was written, and the option that has it.
  std::string text, option = "--calibrate";
};

/// Parses a share such as "0.2", a date such as "2013-01-01", or a column and a
/// value such as "split=calib". The error has no place: "expected a share ..,
/// got 'x'".
Result<Split> parseSplit(const std::string &text);

/// The rows of a file that are held out.
struct HeldOut {
  /// For each row of the file, whether it is; not for rows that are dropped.
  std::vector<bool> marks;
  /// Rows of the fit, and rows held out.
  size_t fitted = 0, heldOut = 0;
  /// Most bytes that were kept of all rows at the same time, other than marks.
  size_t keptBytes = 0;
};

/// Reads a file as a fit of `model` does and divides its rows. Keeps a bit per
/// row; for a share also 4 bytes, and 20 more where dates are not in order.
///
/// Errors: those of `RowReader`; a file that cannot be read again; a date for a
/// model without dates, or of another format than the file's; a group with all
/// or none of its rows held out.
Result<HeldOut> holdOut(const tamrt_model &model, const DataSource &source,
                        const ReadOptions &options, const Split &split);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_SPLIT_H
