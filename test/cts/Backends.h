//===- Backends.h - what the suite runs models on ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one list of backends. A new one is one entry in Backends.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_CTS_BACKENDS_H
#define TAMC_TEST_CTS_BACKENDS_H

#include <string>
#include <vector>

namespace tamc::cts {

/// What a backend promises about its results.
enum class Promise {
  /// They have the bytes of the first backend, whose numbers are compared with
  /// those of the reference interpreter.
  SameBytes,
  /// They are as close to the reference interpreter's as a subject demands.
  Close,
};

/// A way to run models: a device, an instruction set, a form of the steps.
struct Backend {
  std::string name;
  Promise promise = Promise::SameBytes;
  /// Options of tamc, besides those of the subject.
  std::vector<std::string> compile = {};
  /// Options of `fit` and `predict`.
  std::vector<std::string> run = {};
  /// Further environment variables of these commands, NAME=VALUE.
  std::vector<std::string> environment = {};
  /// The machine that runs the models if it is not this one, as in the names of
  /// cross compilers. Such models are executables of several commands (Then.c);
  /// those of this machine are shared objects that tam-cts-run loads.
  std::string machine = {};
  /// What links them: its compiler driver, and the runtime.
  std::string driver = {}, runtime = {};
  /// A library that takes long to load: models are run by a process that has
  /// loaded it (support/Serve.h).
  std::string preload = {};
  /// Whether it can run the loops over rows that are generated for a model:
  /// only if the CPU can address its memory. Otherwise subjects with loops are
  /// left out, because their sums would be computed on the CPU.
  bool runsLoops = true;
  /// It runs only each n-th subject: for slow ones.
  size_t every = 1;
  /// Why this machine or build lacks it; empty if it is there.
  std::string missing = {};
};

/// All backends; the first is the one whose bytes others promise.
std::vector<Backend> allBackends();

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_BACKENDS_H
