//===- io/Sha256.h - SHA-256 ------------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hash of specs.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_SHA256_H
#define TAMRT_IO_SHA256_H

#include <string>
#include <string_view>

namespace tamrt {

/// The SHA-256 (FIPS 180-4) of a text, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text);

} // namespace tamrt

#endif // TAMRT_IO_SHA256_H
