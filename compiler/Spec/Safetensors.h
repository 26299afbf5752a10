//===- Safetensors.h - reads tensors from a file ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_COMPILER_SPEC_SAFETENSORS_H
#define TAMC_COMPILER_SPEC_SAFETENSORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace tamc::spec {

/// A tensor of a file. Its bytes live as long as the file.
struct Tensor {
  std::string name, type;
  std::vector<int64_t> shape;
  llvm::StringRef bytes;

  /// The elements, row by row, as doubles; zeros without sign. F64, F32, I64
  /// and I32 are supported. Errors: another type; a number of bytes that does
  /// not match shape and type; an integer that a double cannot represent.
  llvm::Expected<std::vector<double>> numbers() const;
};

/// A safetensors file: the length of a JSON header as 8 bytes little-endian,
/// the header, the tensors' bytes one after another.
class TensorFile {
public:
  static constexpr uint64_t maxBytes = uint64_t(1) << 30;

  /// Reads a regular file of at most `maxBytes`. Errors: there is no such file;
  /// its format is wrong. Linear in the file.
  static llvm::Expected<TensorFile> read(const std::string &path);

  /// By name.
  llvm::ArrayRef<Tensor> tensors() const { return all; }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<Tensor> all;
};

} // namespace tamc::spec

#endif // TAMC_COMPILER_SPEC_SAFETENSORS_H
