//===- JsonFuzzer.cpp - any bytes as a planning problem in JSON -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanIt.h"

#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Json.h"

#include <string>
#include <variant>

using namespace tamc::planning;

/// Reading gives an error or a valid problem, which is written, read back and
/// planned.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  auto result = readJson(text);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    require(!wrong->message.empty());
    return 0;
  }
  const auto &problem = std::get<Problem>(result);
  require(!validate(problem));
  auto again = readJson(writeJson(problem));
  require(std::holds_alternative<Problem>(again));
  require(std::get<Problem>(again).buffers.size() == problem.buffers.size());
  (void)writeCsv(problem);
  planIt(problem);
  return 0;
}
