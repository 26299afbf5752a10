//===- Planning/Terminal.cpp - text for a terminal ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Terminal.h"

#include "Picture/Text.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace tamc::planning;

std::string tamc::planning::escapeControls(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    if (length > 0 && isShown(text.substr(0, length))) {
      escaped += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    for (size_t i = std::max<size_t>(length, 1); i > 0; --i) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x",
                    static_cast<unsigned char>(text.front()));
      escaped += code;
      text.remove_prefix(1);
    }
  }
  return escaped;
}

void tamc::planning::escapeNames(Problem &problem) {
  auto escape = [](std::string &name) { name = escapeControls(name); };
  escape(problem.name);
  for (Buffer &buffer : problem.buffers)
    escape(buffer.name);
  for (Space &space : problem.spaces)
    escape(space.name);
  for (Operation &operation : problem.operations)
    escape(operation.name);
}

std::vector<int32_t> tamc::planning::spacesToShow(const Problem &problem,
                                                  const Plan &plan) {
  constexpr size_t most = 16;
  std::vector<int32_t> spaces(problem.spaces.size());
  std::iota(spaces.begin(), spaces.end(), 0);
  if (spaces.size() <= most)
    return spaces;
  auto peak = [&](int32_t space) {
    return static_cast<size_t>(space) < plan.peak.size() ? plan.peak[space] : 0;
  };
  std::stable_sort(spaces.begin(), spaces.end(),
                   [&](int32_t a, int32_t b) { return peak(a) > peak(b); });
  spaces.resize(most);
  std::sort(spaces.begin(), spaces.end());
  return spaces;
}
