//===- core/model/Sums.cpp - sums of parts of the rows --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Sums.h"

#include "core/device/Device.h"
#include "core/model/ModelFile.h"
#include "tamrt/backend.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tamrt {

using nlohmann::json;

static constexpr const char *kFormat = "tamc sums 1";
static constexpr const char *kSurveyFormat = "tamc survey 1";

SumsLayout::SumsLayout(const tamrt_model &model) : model(model) {
  forEach([&](const tamrt_accumulator &each, size_t) {
    count += size_t(each.count);
  });
}

void SumsLayout::join(const std::vector<double> &more,
                      std::vector<double> &sums) const {
  tamrt_context context = {};
  context.kernels = Device::cpu().kernels();
  forEach([&](const tamrt_accumulator &each, size_t at) {
    const double *from = more.data() + at;
    if (each.unit == 0)
      context.kernels->join_sums(&context, &from, 1, each.count,
                                 sums.data() + at);
    else
      context.kernels->join_counts(&context, from, each.count, each.unit,
                                   sums.data() + at);
  });
}

int64_t leavesOf(const PartedRows &rows, size_t group) {
  if (!rows.areSegments[group] || rows.parts[group].size() == 1)
    return int64_t(rows.parts[group].size());
  return int64_t(rows.groupRows[group] - 1) / TAMRT_SEGMENT_ROWS + 1;
}

int64_t firstLeafOf(const PartedRows &rows, size_t group,
                    const GroupPart &part) {
  if (!rows.areSegments[group] || rows.parts[group].size() == 1)
    return &part - rows.parts[group].data();
  return int64_t(part.first) / TAMRT_SEGMENT_ROWS;
}

void joinHalves(const SumsLayout &layout, Sums &sums) {
  // Halves are neighbours in the order of nodes, and a node that is joined is
  // behind all of its level.
  for (auto at = sums.nodes.begin(); at != sums.nodes.end();) {
    const auto next = std::next(at);
    if (next == sums.nodes.end() || at->first.index % 2 != 0 ||
        next->first !=
            SumsNode{at->first.group, at->first.level, at->first.index + 1}) {
      at = next;
      continue;
    }
    std::vector<double> all = std::move(next->second);
    layout.join(at->second, all);
    const SumsNode node = {at->first.group, at->first.level + 1,
                           at->first.index / 2};
    sums.nodes.erase(next);
    at = sums.nodes.erase(at);
    const auto added = sums.nodes.emplace(node, std::move(all)).first;
    // It may be the next one.
    if (at == sums.nodes.end() || added->first < at->first)
      at = added;
  }
}

Status join(const SumsLayout &layout, Sums &into, Sums from,
            const std::string &path) {
  for (size_t part : from.parts) {
    const auto at =
        std::lower_bound(into.parts.begin(), into.parts.end(), part);
    if (at != into.parts.end() && *at == part)
      return Error{path + ": part '" + into.survey.parts[part].name +
                   "': expected parts that the other files lack"};
    into.parts.insert(at, part);
  }
  into.nodes.merge(from.nodes);
  if (!from.nodes.empty())
    return Error{path + ": expected sums that the other files lack"};
  joinHalves(layout, into);
  return {};
}

Result<SafetensorsWriter> serialize(const tamrt_model &model,
                                    const SumsLayout &layout,
                                    const Sums &sums) {
  SafetensorsWriter writer;
  addSpec(writer, model, kFormat);
  Result<std::string> hash = hashOf(model, sums.survey);
  if (!hash)
    return std::move(hash).error();
  writer.metadata("survey", *std::move(hash));
  addSurvey(writer, model, sums.survey);
  std::vector<int64_t> parts, nodes;
  for (size_t part : sums.parts)
    parts.push_back(int64_t(part));
  std::vector<double> numbers;
  numbers.reserve(sums.nodes.size() * layout.size());
  for (const auto &[node, of] : sums.nodes) {
    for (int64_t number : {int64_t(node.group), node.level, node.index})
      nodes.push_back(number);
    numbers.insert(numbers.end(), of.begin(), of.end());
  }
  const auto count = int64_t(sums.nodes.size());
  writer.add<int64_t>("summed", {int64_t(parts.size())}, parts);
  writer.add<int64_t>("nodes", {count, 3}, nodes);
  writer.add<double>("sums", {count, int64_t(layout.size())}, numbers);
  return writer;
}

Result<bool> hasSums(const SafetensorsFile &file) {
  const std::string format = orUnknown(file, "format");
  if (format == kFormat || format == kSurveyFormat)
    return format == kFormat;
  return Error{file.path() + ": expected a file of format '" + kSurveyFormat +
               "' or '" + kFormat + "', got '" + format + "'"};
}

Result<std::string> surveyHashOf(const SafetensorsFile &file) {
  return file.requireMetadata("survey");
}

Result<Sums> loadSums(const SumsLayout &layout, const SafetensorsFile &file,
                      Survey survey, const PartedRows &rows) {
  const std::string &path = file.path();
  Sums sums;
  sums.survey = std::move(survey);
  const int64_t any[] = {-1}, three[] = {-1, 3};
  Result<std::vector<int64_t>> parts = file.values<int64_t>("summed", any);
  if (!parts)
    return std::move(parts).error();
  for (int64_t part : *parts) {
    if (part < 0 || part >= int64_t(sums.survey.parts.size()) ||
        (!sums.parts.empty() && part <= int64_t(sums.parts.back())))
      return Error{path + ": tensor 'summed': expected ascending indices of "
                          "parts"};
    sums.parts.push_back(size_t(part));
  }
  Result<std::vector<int64_t>> nodes = file.values<int64_t>("nodes", three);
  if (!nodes)
    return std::move(nodes).error();
  const size_t count = nodes->size() / 3;
  const int64_t shape[] = {int64_t(count), int64_t(layout.size())};
  Result<std::vector<double>> numbers = file.values<double>("sums", shape);
  if (!numbers)
    return std::move(numbers).error();
  for (size_t k = 0; k < count; ++k) {
    const int64_t group = (*nodes)[3 * k], level = (*nodes)[3 * k + 1],
                  index = (*nodes)[3 * k + 2];
    const bool isGood = group >= 0 && group < int64_t(rows.groupRows.size()) &&
                        level >= 0 && level < 62 && index >= 0 &&
                        index < leavesOf(rows, size_t(group)) >> level;
    if (!isGood ||
        !sums.nodes
             .try_emplace(SumsNode{size_t(group), level, index},
                          numbers->begin() + ptrdiff_t(k * layout.size()),
                          numbers->begin() + ptrdiff_t((k + 1) * layout.size()))
             .second)
      return Error{path + ": tensor 'nodes': expected different nodes of the "
                          "groups' trees"};
  }
  // A fit that overflows is an error of the solve, so numbers may be infinite.
  return sums;
}

} // namespace tamrt
