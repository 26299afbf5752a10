//===- SafetensorsFuzzer.cpp - any bytes as safetensors -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Safetensors.h"

#include <cstdlib>
#include <cstring>

using namespace tamrt;

/// Reading gives an error or tensors that all lie inside the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FileBytes bytes{std::make_unique<char[]>(size), size};
  if (size != 0)
    std::memcpy(bytes.data.get(), data, size);
  Result<SafetensorsFile> file =
      SafetensorsFile::parse(std::move(bytes), "fuzz.safetensors");
  if (!file)
    return 0;
  for (const auto &[name, tensor] : file->tensors()) {
    if (tensor.data.size() != tensor.count * sizeOf(tensor.type))
      std::abort();
    if (tensor.type == TensorType::U8)
      (void)file->values<uint8_t>(name, tensor.shape).ok();
    if (tensor.type == TensorType::F64)
      (void)file->values<double>(name, tensor.shape).ok();
  }
  return 0;
}
