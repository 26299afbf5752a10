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
#include "core/model/Survey.h"
#include "tamrt/backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tamrt {

using nlohmann::json;

static constexpr const char *kSumsFormat = "tamc sums 3";
/// Those of earlier versions, and what to do with such a file.
static constexpr std::array<std::array<const char *, 2>, 3> kOldFormats = {{
    {"tamc sums 1", "which lack the sums of the target; sum the parts again"},
    {"tamc sums 2", "which lack what the rows are checked by; survey and sum "
                    "the parts again"},
    {"tamc survey 1", "which lacks what the rows are checked by; survey the "
                      "parts again"},
}};

SumsLayout::SumsLayout(const tamrt_model &model, tamrt_step_kind kind)
    : model(model), kind(kind) {
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
  if (!hasTarget())
    return;
  TargetSum all = target(sums);
  all.join(target(more));
  setTarget(all, sums);
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
  joinHalves(sums.nodes,
             [&](const std::vector<double> &into, std::vector<double> &more) {
               layout.join(into, more);
             });
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

Result<SafetensorsOutput> beginSums(const tamrt_model &model,
                                    const SumsLayout &layout,
                                    SumsContents contents,
                                    const std::string &path) {
  // All of the survey but its format is in the file, too.
  SafetensorsWriter writer = serialize(model, contents.survey);
  Result<std::string> hash = writer.hash();
  if (!hash)
    return std::move(hash).error();
  writer.metadata("survey", *std::move(hash));
  addSpec(writer, model, kSumsFormat);
  const std::vector<int64_t> parts(contents.parts.begin(),
                                   contents.parts.end());
  std::vector<int64_t> nodes;
  nodes.reserve(3 * contents.nodes.size());
  for (const SumsNode &node : contents.nodes)
    for (int64_t number : {int64_t(node.group), node.level, node.index})
      nodes.push_back(number);
  const auto count = int64_t(contents.nodes.size());
  // There may be many.
  contents.nodes = {};
  writer.add<int64_t>("summed", {int64_t(parts.size())}, parts);
  writer.add<int64_t>("nodes", {count, 3}, std::move(nodes));
  writer.addLater(SumsFile::kSums, {count, int64_t(layout.size())});
  return SafetensorsOutput::create(std::move(writer), path);
}

Result<bool> hasSums(const SafetensorsFile &file) {
  const std::string format = orUnknown(file, "format");
  if (format == kSumsFormat || format == kSurveyFormat)
    return format == kSumsFormat;
  for (auto [old, what] : kOldFormats)
    if (format == old)
      return Error{file.path() + ": expected format '" + kSumsFormat +
                   "' or '" + kSurveyFormat + "', got the older '" + old +
                   "', " + what};
  return Error{file.path() + ": expected a file of format '" + kSurveyFormat +
               "' or '" + kSumsFormat + "', got '" + format + "'"};
}

Result<std::string> surveyHashOf(const SafetensorsFile &file) {
  return file.requireMetadata("survey");
}

namespace {

Error noSuchParts(const std::string &path) {
  return Error{path + ": tensor 'summed': expected ascending indices of parts"};
}
Error noSuchNodes(const std::string &path) {
  return Error{path + ": tensor 'nodes': expected ascending nodes of the "
                      "groups' trees"};
}

} // namespace

Result<SumsFile> SumsFile::load(SafetensorsFile file) {
  const std::string path = file.path();
  const int64_t any[] = {-1}, three[] = {-1, 3};
  Result<std::vector<int64_t>> parts = file.values<int64_t>("summed", any);
  if (!parts)
    return std::move(parts).error();
  std::vector<size_t> summed;
  for (int64_t part : *parts) {
    if (part < 0 || (!summed.empty() && part <= int64_t(summed.back())))
      return noSuchParts(path);
    summed.push_back(size_t(part));
  }
  const Result<SafetensorsFile::View<int64_t>> numbers =
      file.view<int64_t>("nodes", three);
  if (!numbers)
    return std::move(numbers).error();
  const size_t count = numbers->size() / 3;
  std::vector<SumsNode> nodes;
  nodes.reserve(count);
  for (size_t k = 0; k < count; ++k) {
    const int64_t group = (*numbers)[3 * k], level = (*numbers)[3 * k + 1],
                  index = (*numbers)[3 * k + 2];
    const bool isGood = group >= 0 && level >= 0 && level < 62 && index >= 0;
    const SumsNode node = {size_t(group), level, index};
    if (!isGood || (!nodes.empty() && !(nodes.back() < node)))
      return noSuchNodes(path);
    nodes.push_back(node);
  }
  file.forgetOthers();
  return SumsFile(std::move(file), std::move(summed), std::move(nodes));
}

Status SumsFile::check(const SumsLayout &layout, const Survey &survey,
                       const PartedRows &rows) {
  if (!summed.empty() && summed.back() >= survey.parts.size())
    return noSuchParts(path());
  for (const SumsNode &node : list)
    if (node.group >= rows.groupRows.size() ||
        node.index >= leavesOf(rows, node.group) >> node.level)
      return noSuchNodes(path());
  const int64_t shape[] = {int64_t(list.size()), int64_t(layout.size())};
  Result<const SafetensorsFile::Tensor *> sums = file.numbers(kSums, shape);
  if (!sums)
    return std::move(sums).error();
  // A fit that overflows is an error of the solve, so numbers may be infinite.
  size = layout.size();
  return {};
}

std::span<const SumsNode> SumsFile::nodesOf(size_t first, size_t count) const {
  auto before = [](const SumsNode &node, size_t group) {
    return node.group < group;
  };
  const auto begin = std::lower_bound(list.begin(), list.end(), first, before);
  return {begin, std::lower_bound(begin, list.end(), first + count, before)};
}

Status SumsFile::read(size_t first, size_t count, NodeSums &nodes) const {
  const std::span<const SumsNode> all = nodesOf(first, count);
  const SafetensorsFile::Tensor &sums = *file.find(kSums);
  size_t at = size_t(all.data() - list.data()) * size;
  for (const SumsNode &node : all) {
    std::vector<double> numbers(size);
    if (Status s = file.read(sums, at, numbers); !s)
      return s;
    at += size;
    nodes.emplace(node, std::move(numbers));
  }
  return {};
}

Status mergeSums(const tamrt_model &model, const SumsLayout &layout,
                 const Survey &survey, std::span<const SumsFile> files,
                 const std::string &path) {
  SumsContents contents = {survey, {}, {}};
  for (const SumsFile &file : files)
    for (size_t part : file.parts()) {
      const auto at =
          std::lower_bound(contents.parts.begin(), contents.parts.end(), part);
      if (at != contents.parts.end() && *at == part)
        return Error{file.path() + ": part '" + survey.parts[part].name +
                     "': expected parts that the other files lack"};
      contents.parts.insert(at, part);
    }
  // Groups are joined one after another: first their nodes alone, which begin
  // the file.
  std::vector<size_t> groups;
  size_t most = 0;
  for (const SumsFile &file : files)
    most += file.nodes().size();
  groups.reserve(most);
  contents.nodes.reserve(most);
  for (const SumsFile &file : files)
    for (const SumsNode &node : file.nodes())
      if (groups.empty() || groups.back() != node.group)
        groups.push_back(node.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (size_t group : groups) {
    std::map<SumsNode, bool> nodes;
    for (const SumsFile &file : files)
      for (const SumsNode &node : file.nodesOf(group, 1))
        if (!nodes.emplace(node, true).second)
          return Error{file.path() +
                       ": expected sums that the other files lack"};
    joinHalves(nodes, [](bool, bool) {});
    for (const auto &[node, isThere] : nodes)
      contents.nodes.push_back(node);
  }
  Result<SafetensorsOutput> output =
      beginSums(model, layout, std::move(contents), path);
  if (!output)
    return std::move(output).error();
  size_t at = 0;
  for (size_t group : groups) {
    Sums sums;
    for (const SumsFile &file : files)
      if (Status s = file.read(group, 1, sums.nodes); !s)
        return s;
    joinHalves(layout, sums);
    for (const auto &[node, numbers] : sums.nodes) {
      if (Status s = output->write(SumsFile::kSums, at, numbers); !s)
        return s;
      at += numbers.size();
    }
  }
  return output->commit();
}

} // namespace tamrt
