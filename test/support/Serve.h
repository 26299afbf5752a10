//===- Serve.h - runs many programs from one process ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs of a program, each in a process that is forked when the program and its
/// libraries have been loaded: that takes longer than most runs.
///
/// A request on the standard input is the number of bytes that follow as a
/// line, and then texts that each end with a zero byte: the folder to run in,
/// the files for output and messages, the number of variables of the
/// environment, these, NAME=VALUE, and the arguments of the program. The reply
/// on the standard output is a line with the status as waitpid has it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_SERVE_H
#define TAMC_TEST_SUPPORT_SERVE_H

#include <string>
#include <vector>

namespace tamc::test {

/// Serves requests until the input ends, each by `run` in a process of its own;
/// returns the exit status.
int serve(int (*run)(std::vector<std::string> arguments));

} // namespace tamc::test

#endif // TAMC_TEST_SUPPORT_SERVE_H
