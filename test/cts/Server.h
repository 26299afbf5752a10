//===- Server.h - a process that runs programs ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_SERVER_H
#define TAMC_TEST_CTS_SERVER_H

#include "unit/Differential/Program.h"

#include <cstdio>
#include <string>
#include <vector>

namespace tamc::cts {

/// A process that forks others (support/Serve.h), which ends with this object.
class Server {
public:
  /// Starts `command` with these variables in its environment.
  explicit Server(const std::vector<std::string> &command,
                  const std::vector<std::string> &environment = {});
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  /// Runs the program with these arguments as Folder::run does. With a fork
  /// server (support/ForkServer.cpp) the first is the program's name.
  std::string run(const reference::Folder &folder,
                  const std::vector<std::string> &arguments,
                  const std::vector<std::string> &environment);

private:
  int process = -1;
  int requests = -1;
  std::FILE *replies = nullptr;
};

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_SERVER_H
