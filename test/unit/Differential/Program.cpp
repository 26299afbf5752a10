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
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace tamc::reference;

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
  // Everything the child needs is made before the fork.
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
  pid_t child = fork();
  if (child == 0) {
    int in = open("/dev/null", O_RDONLY);
    int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int errors = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (chdir(root.c_str()) == 0 && dup2(in, 0) == 0 && dup2(to, 1) == 1 &&
        dup2(errors, 2) == 2)
      execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return line + ": could not be started";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return "";
  return line + ": " +
         (WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                            : "signal " + std::to_string(WTERMSIG(status))) +
         "\n" + read("stderr");
}
