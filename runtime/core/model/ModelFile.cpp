//===- core/model/ModelFile.cpp - common parts of a model's files ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/ModelFile.h"

namespace tamrt {

using nlohmann::json;

Result<json> jsonEntry(const SafetensorsFile &file, std::string_view key) {
  Result<std::string> text = file.requireMetadata(key);
  if (!text)
    return std::move(text).error();
  json value = json::parse(*text, nullptr, false);
  if (value.is_discarded())
    return Error{file.path() + ": metadata '" + std::string(key) +
                 "': expected JSON"};
  return value;
}

const json &member(const json &value, const char *key) {
  static const json null;
  const auto at = value.find(key);
  return at == value.end() ? null : *at;
}

Result<std::vector<std::string>> stringList(const json &value,
                                            const std::string &place) {
  std::vector<std::string> list;
  bool good = value.is_array();
  list.reserve(value.size());
  for (size_t i = 0; good && i < value.size(); ++i) {
    good = value[i].is_string();
    if (good)
      list.push_back(value[i].get<std::string>());
  }
  if (!good)
    return Error{place + ": expected a list of texts"};
  return list;
}

void appendJson(const std::vector<std::string> &list, std::string &to) {
  to += '[';
  for (const std::string &text : list) {
    if (&text != list.data())
      to += ',';
    to += json(text).dump();
  }
  to += ']';
}

std::string orUnknown(const SafetensorsFile &file, std::string_view key) {
  auto at = file.metadata().find(key);
  return at == file.metadata().end() ? "unknown" : at->second;
}

Status checkSpec(const tamrt_model &model, const SafetensorsFile &file,
                 std::string_view what) {
  Result<std::string> hash = file.requireMetadata("spec_hash");
  if (!hash)
    return std::move(hash).error();
  if (*hash == model.spec_hash)
    return {};
  std::string message = file.path() + ": expected " + std::string(what) +
                        " of model '" + model.name + "' (" + model.formula +
                        "), got those of model '" + orUnknown(file, "model") +
                        "' (" + orUnknown(file, "formula") + ")";
  // Two specs may have the same name and formula and differ in a column's name
  // or an option. Without a remark on that the message would contradict itself.
  if (orUnknown(file, "model") == model.name &&
      orUnknown(file, "formula") == model.formula)
    message += "; other keys of their specs differ";
  return Error{message};
}

void addSpec(SafetensorsWriter &writer, const tamrt_model &model,
             std::string_view format) {
  writer.metadata("format", std::string(format));
  writer.metadata("model", model.name);
  writer.metadata("formula", model.formula);
  writer.metadata("spec_hash", model.spec_hash);
  writer.metadata("tamc_version", model.tamc_version);
}

bool isUtf8(const std::string &text) {
  // Replacement changes only bytes that are not UTF-8.
  json value = text;
  std::string dumped =
      value.dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(dumped).get<std::string>() == text;
}

} // namespace tamrt
