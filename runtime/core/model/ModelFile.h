//===- core/model/ModelFile.h - common parts of a model's files -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the files of tensors that belong to a model have in common: weights,
/// and surveys and sums of parts of the rows.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_MODELFILE_H
#define TAMRT_CORE_MODEL_MODELFILE_H

#include "io/Error.h"
#include "io/Safetensors.h"
#include "tamrt/abi.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A metadata entry that contains JSON. Parsed without exceptions: the file may
/// contain anything.
Result<nlohmann::json> jsonEntry(const SafetensorsFile &file,
                                 std::string_view key);

/// What an object has at `key`; null if it lacks that, or is no object.
const nlohmann::json &member(const nlohmann::json &value, const char *key);

/// `value` as a list of texts. The error starts with `place`.
Result<std::vector<std::string>> stringList(const nlohmann::json &value,
                                            const std::string &place);

/// Appends a list of texts as JSON. They may be many, so no tree of them is
/// made.
void appendJson(const std::vector<std::string> &list, std::string &to);

/// An entry, or "unknown" if it is missing, for messages.
std::string orUnknown(const SafetensorsFile &file, std::string_view key);

/// Checks that a file of `what`, such as "weights", belongs to the spec of
/// `model`. Errors name both models.
Status checkSpec(const tamrt_model &model, const SafetensorsFile &file,
                 std::string_view what);

/// Adds format, model and spec.
void addSpec(SafetensorsWriter &writer, const tamrt_model &model,
             std::string_view format);

bool isUtf8(const std::string &text);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_MODELFILE_H
