//===- FakeModelMain.cpp - a model written by hand as a program -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearnedModel.h"

#ifdef TAMRT_TEST_LEARNED
using Model = tamrt::test::LearnedModel;
#else
using Model = tamrt::test::FakeModel;
#endif

int main(int argc, char **argv) {
  Model model({4096, 2048, 1024, 512, 256, 16, 1});
  model.date = "t";
  return tamrt_main(&model.get(), argc, argv);
}
