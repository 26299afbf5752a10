//===- FakeTerminal.cpp - a descriptor taken for a terminal ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linked into a test program, this replaces libc's isatty(). The descriptor in
/// the environment variable TAMRT_TEST_TERMINAL is a terminal, so that output
/// for terminals can be tested in a container without pseudo-terminals.
///
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <string>
#include <termios.h>
#include <unistd.h>

extern "C" int isatty(int descriptor) noexcept {
  const char *fake = std::getenv("TAMRT_TEST_TERMINAL");
  if (fake && std::to_string(descriptor) == fake)
    return 1;
  termios settings;
  return ::tcgetattr(descriptor, &settings) == 0;
}
