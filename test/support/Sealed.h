//===- Sealed.h - weights files with a right checksum -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changed files with a correct checksum.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_SEALED_H
#define TAMC_TEST_SUPPORT_SEALED_H

#include "tamrt/checksum.h"

#include <string>

namespace tamrt::test {

/// A weights file with the checksum of its present contents; unchanged if it
/// has no checksum.
inline std::string sealed(std::string file) {
  const size_t place = file.find("\"crc32:") + 1;
  if (place > 0 && place + kNoChecksum.size() < file.size())
    file.replace(place, kNoChecksum.size(), checksumOf(file, place).view());
  return file;
}

} // namespace tamrt::test

#endif // TAMC_TEST_SUPPORT_SEALED_H
