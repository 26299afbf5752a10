//===- core/run/StreamedRows.cpp - rows that are read in pieces -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/StreamedRows.h"

#include <algorithm>
#include <utility>

namespace tamrt {

StreamedRows::StreamedRows(RowReader &reader, const tamrt_model &model,
                           size_t rowBytes, unsigned threads)
    : reader(reader), model(model), threads(threads),
      maxRows(std::max<size_t>(
          rowBytes / std::max<size_t>(Dataset::bytesPerRow(model), 1), 1)) {}

void StreamedRows::keepTexts() {
  groupTexts = reader.groups().size();
  levelTexts.clear();
  for (size_t i = 0; i < reader.columns().levels.size(); ++i)
    levelTexts.push_back(reader.levels(i).size());
}

Status StreamedRows::checkTexts() const {
  bool same = reader.groups().size() == groupTexts;
  for (size_t i = 0; i < levelTexts.size(); ++i)
    same &= reader.levels(i).size() == levelTexts[i];
  if (same)
    return {};
  return Error{reader.path() +
               ": expected the groups and levels that were read before, got "
               "others: the file has changed meanwhile"};
}

Status StreamedRows::forEachLeft(FunctionRef<void(Rows &rows)> see,
                                 FunctionRef<Status(Dataset &piece)> body) {
  ++readings;
  return reader.forEachRows(maxRows, [&](Rows &rows) -> Status {
    if (Status s = checkTexts(); !s)
      return s;
    see(rows);
    Dataset piece = Dataset::arrange(std::move(rows), reader, *order, model,
                                     levels, threads);
    if (!means.empty())
      piece.divideWeights(means);
    return body(piece);
  });
}

Status StreamedRows::forEach(FunctionRef<Status(Dataset &piece)> body) {
  if (Status s = reader.rewind(); !s)
    return s;
  return forEachLeft([](const Rows &) {}, body);
}

} // namespace tamrt
