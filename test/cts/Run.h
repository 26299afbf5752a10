//===- Run.h - compiles and runs a subject on a backend ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_RUN_H
#define TAMC_TEST_CTS_RUN_H

#include "Backends.h"
#include "Checker.h"
#include "Data.h"
#include "Server.h"
#include "Subjects.h"

#include "unit/Differential/Program.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tamc::cts {

/// Runs subjects in a temporary folder, one after another.
class Runs {
public:
  explicit Runs(const Data &data);

  /// Forgets the programs of the subject before.
  void start(const Subject &subject);

  /// Fits and predicts with the subject on a backend, whatever it promises. A
  /// program of a kind that another backend has used is not compiled again.
  /// Returns a message if something fails.
  std::string run(const Backend &backend, Outputs &outputs);

  /// Writes the last run on a backend of this machine to a new folder, so that
  /// it can be repeated on another machine: the program, its commands, with
  /// @DEVICE@ for the device, and what it wrote. The data are beside the
  /// folder.
  void record(const Backend &backend, const std::string &to);

  /// How often each kernel of the CPU was launched for a backend of this
  /// machine, by the names of kernels.def.
  std::map<std::string, long> launches(const Backend &backend) const;

private:
  std::string compile(const Backend &backend, std::string &program);
  std::string runTamc(const std::vector<std::string> &arguments);
  std::vector<std::vector<std::string>> commands() const;

  reference::Folder folder;
  Subject subject;
  /// Results of `compile` by the options of the compiler.
  std::map<std::vector<std::string>, std::string> programs;
  /// Those of tam-cts-run, by the library that they have loaded, or none.
  std::map<std::string, std::unique_ptr<Server>> servers;
  std::unique_ptr<Server> tamc;
};

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_RUN_H
