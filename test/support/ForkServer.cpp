//===- ForkServer.cpp - runs a program many times from one process --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loaded before a program's other libraries (LD_PRELOAD), this replaces the
/// function with which glibc starts it. All libraries are there then, but no
/// code of the program has run, neither its constructors nor main. So each run
/// is one of the whole program, in a process that is forked here (Serve.h).
/// With LD_BIND_NOW the processes need not look for functions of the libraries.
///
//===----------------------------------------------------------------------===//

#include "support/Serve.h"

#include <cstdlib>
#include <dlfcn.h>
// The streams of the C++ library are made before the processes are forked.
#include <iostream>
#include <unistd.h>

namespace {

using Main = int (*)(int, char **, char **);
using Start = int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(),
                      void *);

/// What glibc's function was called with.
struct {
  Main main;
  void (*init)(), (*fini)(), (*end)();
  void *stack;
} started;

} // namespace

/// Runs the program with these arguments, the first of which is its name.
static int runProgram(std::vector<std::string> arguments) {
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("LD_BIND_NOW");
  // The environment is where glibc looks for it: behind the arguments.
  std::vector<char *> texts;
  for (std::string &argument : arguments)
    texts.push_back(argument.data());
  texts.push_back(nullptr);
  for (char **variable = environ; *variable; ++variable)
    texts.push_back(*variable);
  texts.push_back(nullptr);
  const auto start =
      reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(started.main, int(arguments.size()), texts.data(), started.init,
               started.fini, started.end, started.stack);
}

extern "C" int __libc_start_main(Main main, int, char **, void (*init)(),
                                 void (*fini)(), void (*end)(), void *stack) {
  started = {main, init, fini, end, stack};
  std::exit(tamc::test::serve(runProgram));
}
