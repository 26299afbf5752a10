//===- Serve.cpp - runs many programs from one process --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Serve.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Reads `size` bytes; false if the input ends before.
static bool readBytes(char *to, size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(0, to, size);
    if (got <= 0)
      return false;
    to += got;
    size -= size_t(got);
  }
  return true;
}

/// The texts of the next request; none if the input ends.
static std::vector<std::string> readRequest() {
  std::string length;
  for (char byte = 0; readBytes(&byte, 1) && byte != '\n';)
    length += byte;
  std::string bytes(std::strtoull(length.c_str(), nullptr, 10), '\0');
  std::vector<std::string> texts;
  if (!readBytes(bytes.data(), bytes.size()))
    return texts;
  for (size_t at = 0; at < bytes.size(); at += texts.back().size() + 1)
    texts.emplace_back(bytes.c_str() + at);
  return texts;
}

static void redirect(int to, const std::string &path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) {
    std::fprintf(stderr, "error: %s cannot be opened\n", path.c_str());
    std::_Exit(126);
  }
  ::close(file);
}

/// Ends a job. What the destructors of a library release is released anyway,
/// and those of LibTorch take as long as a run.
[[noreturn]] static void end(int status) {
#ifdef __SANITIZE_ADDRESS__
  std::exit(status);
#else
  std::fflush(nullptr);
  std::quick_exit(status);
#endif
}

int tamc::test::serve(int (*run)(std::vector<std::string> arguments)) {
  // Simulated devices sleep for less than the system would let them.
  ::prctl(PR_SET_TIMERSLACK, 1);
  while (true) {
    std::vector<std::string> request = readRequest();
    if (request.size() < 4)
      return 0;
    const size_t variables = std::strtoull(request[3].c_str(), nullptr, 10);
    const pid_t child = ::fork();
    if (child == 0) {
      // Who waits no longer ends this process.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int write = O_WRONLY | O_CREAT | O_TRUNC;
      if (::chdir(request[0].c_str()) != 0)
        std::_Exit(126);
      redirect(2, request[2], write);
      redirect(1, request[1], write);
      redirect(0, "/dev/null", O_RDONLY);
      for (size_t i = 4; i < 4 + variables; ++i)
        ::putenv(request[i].data());
      end(run({request.begin() + 4 + variables, request.end()}));
    }
    int status = -1;
    if (child > 0)
      ::waitpid(child, &status, 0);
    std::printf("%d\n", status);
    std::fflush(stdout);
  }
}
