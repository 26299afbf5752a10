//===- tools/tam-plan/Input.h - input files ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_INPUT_H
#define TAM_PLAN_INPUT_H

#include "tamc/Planning/TorchSnapshot.h"
#include "tamrt/decompressor.h"

#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The bytes of a file, or of standard input for "-". Those in the format of
/// gzip or zstd are replaced by what they contain; others are left alone.
/// Errors are in lower case without full stop.
class Input final : public tamc::planning::ByteSource {
public:
  /// fault() says so if the file cannot be read.
  explicit Input(const std::string &path);

  /// Reads up to `room` bytes. Fewer only at the end or after a fault.
  size_t read(char *out, size_t room) override;

  /// Why the file could not be read to its end; empty if it could.
  std::string fault() const override { return wrong; }

private:
  /// Moves the rest of `given` to its begin and fills it; false at the end.
  bool fill();

  std::ifstream file;
  std::istream *stream = nullptr;
  std::unique_ptr<tamrt::Decompressor> decompressor;
  std::string_view name;
  std::vector<char> given;
  size_t begin = 0, end = 0;
  std::string wrong;
};

/// All bytes of an input, at most 2^32; returns an error message, empty on
/// success.
std::string readAll(Input &input, std::string &bytes);

/// All bytes of a file as they are, or of standard input for "-"; nothing if it
/// cannot be read.
std::optional<std::string> readFile(const std::string &path);

#endif // TAM_PLAN_INPUT_H
