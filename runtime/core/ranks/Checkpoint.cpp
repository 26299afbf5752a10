//===- core/ranks/Checkpoint.cpp - a fit under way ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/Checkpoint.h"

#include "core/model/ModelFile.h"
#include "core/ranks/Message.h"
#include "io/Safetensors.h"
#include "io/Sha256.h"

#include <algorithm>
#include <filesystem>

namespace tamrt {

static constexpr const char *kFormat = "tamc checkpoint 1";

std::string Checkpoint::hashOf(const SurveyedFit &fit, uint64_t digest,
                               SolverChoice solver, const RunOptions &run) {
  const PartedRows &rows = fit.rows;
  MessageWriter all;
  all.number(digest);
  for (size_t g = 0; g < rows.order.names.size(); ++g) {
    all.text(rows.order.names[g]);
    all.number(rows.groupRows[g]);
  }
  all.numbers(rows.normalization.ranges);
  all.numbers(run.strengths);
  all.number(uint64_t(solver));
  if (solver != SolverChoice::Direct) {
    all.numbers(std::span(&run.cg.tolerance, 1));
    all.number(uint64_t(run.cg.maxIterations));
    all.number(uint64_t(run.cg.preconditioner));
    all.number(run.allowUnconverged);
  }
  return sha256(all.bytes);
}

void Checkpoint::add(size_t group, std::span<const double> coefficients) {
  solved[group] = true;
  std::copy(coefficients.begin(), coefficients.end(),
            numbers.begin() + ptrdiff_t(group * coefficients.size()));
}

Status Checkpoint::load(const std::string &path, const std::string &hash) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return {};
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file)
    return std::move(file).error();
  if (orUnknown(*file, "format") != kFormat)
    return Error{path + ": expected a file of format '" + kFormat + "', got '" +
                 orUnknown(*file, "format") + "'"};
  if (Status s = checkSpec(*model, *file, "a checkpoint"); !s)
    return s;
  if (!file->isChecked())
    return Error{path + ": damaged: expected a checksum, got none"};
  if (orUnknown(*file, "rows") != hash)
    return Error{path + ": expected the checkpoint of a fit of these rows with "
                        "these options, got that of others; remove it to "
                        "start anew"};
  const int64_t any[] = {-1};
  Result<std::vector<int64_t>> groups = file->values<int64_t>("groups", any);
  if (!groups)
    return std::move(groups).error();
  const int64_t shape[] = {int64_t(groups->size()), model->columns};
  Result<std::vector<double>> read =
      file->values<double>("coefficients", shape);
  if (!read)
    return std::move(read).error();
  const auto width = size_t(model->columns);
  for (size_t i = 0; i < groups->size(); ++i) {
    const int64_t group = (*groups)[i];
    if (group < 0 || group >= int64_t(solved.size()) || solved[size_t(group)])
      return Error{path + ": tensor 'groups': expected different indices of "
                          "groups"};
    add(size_t(group), std::span(*read).subspan(i * width, width));
  }
  return {};
}

Status Checkpoint::save(const std::string &path,
                        const std::string &hash) const {
  SafetensorsWriter writer;
  addSpec(writer, *model, kFormat);
  writer.metadata("rows", hash);
  const auto width = size_t(model->columns);
  std::vector<int64_t> groups;
  std::vector<double> some;
  for (size_t g = 0; g < solved.size(); ++g)
    if (solved[g]) {
      groups.push_back(int64_t(g));
      some.insert(some.end(), numbers.begin() + ptrdiff_t(g * width),
                  numbers.begin() + ptrdiff_t((g + 1) * width));
    }
  const auto count = int64_t(groups.size());
  writer.add<int64_t>("groups", {count}, groups);
  writer.add<double>("coefficients", {count, model->columns}, some);
  return writer.write(path);
}

} // namespace tamrt
