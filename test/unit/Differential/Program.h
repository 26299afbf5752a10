//===- Program.h - programs run in a folder of their own --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_DIFFERENTIAL_PROGRAM_H
#define TAMC_TEST_UNIT_DIFFERENTIAL_PROGRAM_H

#include <string>
#include <vector>

namespace tamc::reference {

/// How a process ended, by its status of waitpid.
std::string describe(int status);

/// A temporary folder, removed with all that is in it.
class Folder {
public:
  Folder();
  ~Folder();
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string path(const std::string &name) const;
  void write(const std::string &name, const std::string &text) const;
  /// The bytes of a file; empty if there is none.
  std::string read(const std::string &name) const;

  /// Runs a program in the folder, with its output in the file `output` if that
  /// is not empty, and with further environment variables, NAME=VALUE. Returns
  /// "" if it exits with 0, else its messages and exit status. Its messages are
  /// in the file `stderr`.
  std::string run(const std::string &program,
                  const std::vector<std::string> &arguments,
                  const std::string &output = "",
                  const std::vector<std::string> &environment = {}) const;

private:
  std::string root;
};

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_DIFFERENTIAL_PROGRAM_H
