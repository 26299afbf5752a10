//===- FailingNew.h - the end of memory on request --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_FAILINGNEW_H
#define TAMC_TEST_SUPPORT_FAILINGNEW_H

namespace tamrt::test {

/// While an object of this class exists, `operator new` fails on this thread,
/// in all forms without an alignment. Linking FailingNew.cpp replaces them in
/// the whole program.
class NoMemory {
public:
  NoMemory();
  NoMemory(const NoMemory &) = delete;
  NoMemory &operator=(const NoMemory &) = delete;
  ~NoMemory();
};

} // namespace tamrt::test

#endif // TAMC_TEST_SUPPORT_FAILINGNEW_H
