//===- Server.cpp - a process that runs programs --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Server.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace tamc::cts;

Server::Server(const std::vector<std::string> &command,
               const std::vector<std::string> &environment) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    throw std::runtime_error("expected to make a pipe");
  std::vector<char *> arguments, variables;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  for (const std::string &variable : environment)
    variables.push_back(const_cast<char *>(variable.c_str()));
  for (char **variable = environ; *variable; ++variable)
    variables.push_back(*variable);
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  const int failure = posix_spawn(&process, command.front().c_str(), &actions,
                                  nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  requests = in[1];
  replies = fdopen(out[0], "r");
  if (failure != 0 || !replies)
    throw std::runtime_error("expected to start " + command.front());
}

Server::~Server() {
  close(requests);
  std::fclose(replies);
  waitpid(process, nullptr, 0);
}

std::string Server::run(const reference::Folder &folder,
                        const std::vector<std::string> &arguments,
                        const std::vector<std::string> &environment) {
  std::vector<std::string> texts = {folder.path(""), "/dev/null",
                                    folder.path("stderr"),
                                    std::to_string(environment.size())};
  texts.insert(texts.end(), environment.begin(), environment.end());
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::string bytes, line;
  for (const std::string &text : texts)
    bytes.append(text.c_str(), text.size() + 1);
  for (const std::string &argument : arguments)
    line += argument + " ";
  const std::string request = std::to_string(bytes.size()) + "\n" + bytes;
  int status = -1;
  if (write(requests, request.data(), request.size()) !=
          ssize_t(request.size()) ||
      std::fscanf(replies, "%d", &status) != 1 || status == -1)
    return line + ": could not be started";
  return status == 0 ? ""
                     : line + ": " + reference::describe(status) + "\n" +
                           folder.read("stderr");
}
