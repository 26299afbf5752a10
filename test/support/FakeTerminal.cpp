//===- FakeTerminal.cpp - a descriptor taken for a terminal ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linked into a test program, this takes the place of libc's isatty(). The
/// descriptor that the environment variable TAMRT_TEST_TERMINAL names is a
/// terminal: what is for terminals only can be tested where there are none, in
/// a container without pseudo-terminals.
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
