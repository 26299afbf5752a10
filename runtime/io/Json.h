//===- io/Json.h - values of JSON -------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_JSON_H
#define TAMRT_IO_JSON_H

#include <nlohmann/json.hpp>

namespace tamrt {

/// A text; null for none.
inline nlohmann::ordered_json textOrNull(const char *text) {
  return text ? nlohmann::ordered_json(text) : nlohmann::ordered_json(nullptr);
}

} // namespace tamrt

#endif // TAMRT_IO_JSON_H
