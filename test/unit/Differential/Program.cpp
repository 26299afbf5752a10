//===- Program.cpp - programs run in a folder of their own ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace tamc::reference;

std::string tamc::reference::describe(int status) {
  return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

Folder::Folder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tamc-differential-XXXXXX")
          .string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("expected to create the folder " + pattern);
  root = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(root, ignored);
}

std::string Folder::path(const std::string &name) const {
  return root + "/" + name;
}

void Folder::write(const std::string &name, const std::string &text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Folder::read(const std::string &name) const {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

std::string Folder::run(const std::string &program,
                        const std::vector<std::string> &arguments,
                        const std::string &output,
                        const std::vector<std::string> &environment) const {
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  std::string line = program;
  for (const std::string &argument : arguments) {
    argv.push_back(const_cast<char *>(argument.c_str()));
    line += " " + argument;
  }
  argv.push_back(nullptr);
  std::vector<char *> envp;
  for (const std::string &variable : environment)
    envp.push_back(const_cast<char *>(variable.c_str()));
  for (char **variable = environ; *variable; ++variable)
    envp.push_back(*variable);
  envp.push_back(nullptr);
  std::string out = output.empty() ? "/dev/null" : path(output);
  std::string err = path("stderr");
  // Faster than fork, which copies the page tables of this process.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, root.c_str());
  const int write = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), write, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), write, 0600);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                  argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failure != 0 || waitpid(child, &status, 0) != child)
    return line + ": could not be started";
  return status == 0 ? ""
                     : line + ": " + describe(status) + "\n" + read("stderr");
}
