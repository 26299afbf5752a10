//===- tam-docs.cpp - prints the reference of the terms -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the terms of the formula as Markdown to standard output, for
/// tools/ci/generate-docs.
///
//===----------------------------------------------------------------------===//

#include "tamc/Spec/Terms.h"

#include "llvm/Support/raw_ostream.h"

int main() {
  tamc::spec::writeTermsReference(llvm::outs());
  return 0;
}
