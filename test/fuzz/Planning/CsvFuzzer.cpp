//===- CsvFuzzer.cpp - any bytes as a planning problem in CSV -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanIt.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Json.h"

#include <string>
#include <variant>

using namespace tamc::planning;

/// Reading gives an error or a valid problem, which is written, read back and
/// planned; the same bytes as a plan of it give an error or its offsets.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  auto result = readCsv(text);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    require(!wrong->message.empty());
    return 0;
  }
  const auto &problem = std::get<Problem>(result);
  require(!validate(problem));
  auto again = readCsv(writeCsv(problem));
  require(std::holds_alternative<Problem>(again));
  require(std::get<Problem>(again).buffers.size() == problem.buffers.size());
  (void)writeJson(problem);
  auto offsets = readOffsets(text, problem);
  if (auto *found = std::get_if<std::vector<int64_t>>(&offsets))
    (void)check(problem, *found);
  planIt(problem);
  return 0;
}
