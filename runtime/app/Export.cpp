//===- app/Export.cpp - export --------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Export.h"
#include "app/Commands.h"

namespace tamrt {

Status runExport(const tamrt_model &model, const Options &options) {
  if (Status s = checkOutput(options); !s)
    return s;
  Result<std::shared_ptr<const Weights>> weights = readWeights(model, options);
  if (!weights)
    return std::move(weights).error();
  Result<std::string> text = formatExport(model, **weights);
  if (!text)
    return std::move(text).error();
  return writeOutput(options.output, *text);
}

} // namespace tamrt
