//===- Decompress.h - a file that may be compressed -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DECOMPRESS_H
#define TAMC_DECOMPRESS_H

#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

namespace tamc {

/// Replaces the contents of a file in gzip or zstd by what was compressed;
/// others are left alone. Returns an error message in lower case, empty on
/// success.
std::string decompress(std::unique_ptr<llvm::MemoryBuffer> &buffer);

} // namespace tamc

#endif // TAMC_DECOMPRESS_H
