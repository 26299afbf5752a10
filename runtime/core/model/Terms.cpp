//===- core/model/Terms.cpp - feature maps of a model ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Terms.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tamrt {

using nlohmann::ordered_json;

Result<ordered_json> parseTerms(const tamrt_model &model) {
  ordered_json terms =
      ordered_json::parse(model.terms ? model.terms : "", nullptr,
                          /*allow_exceptions=*/false);
  if (!terms.is_array() || terms.size() + 1 != size_t(model.effect_count))
    return Error{"expected a model that knows its terms, got one that was "
                 "compiled from a module without them"};
  return terms;
}

std::vector<size_t> inputsOf(const ordered_json &term) {
  if (!term.contains("factors"))
    return term["inputs"];
  std::vector<size_t> inputs;
  for (const ordered_json &factor : term["factors"])
    for (size_t input : inputsOf(factor))
      inputs.push_back(input);
  return inputs;
}

bool isRecursive(const ordered_json &term) {
  return term["kind"] == "pid" ||
         (term.contains("factors") &&
          std::any_of(term["factors"].begin(), term["factors"].end(),
                      isRecursive));
}

} // namespace tamrt
