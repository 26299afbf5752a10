//===- Target.cpp - what follows from a target's answers ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/Target.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tamc;

Attribute Target::getEncoding(tam::FeatureMapInterface map) const {
  Attribute structured = map.getStructuredEncoding();
  const llvm::StringRef tag =
      cast<tam::EncodingInterface>(structured).getKernelTag();
  auto has = [&](llvm::StringRef kernel) {
    return hasKernel((kernel + tag).str());
  };
  // The kernel of the map writes the structured encoding: without `expand_` it
  // cannot become dense.
  if (llvm::all_of(llvm::ArrayRef<llvm::StringRef>{"gram_", "rhs_", "predict_",
                                                   "sparsify_"},
                   has) ||
      !has("expand_"))
    return structured;
  return tam::DenseAttr::get(map.getContext());
}
