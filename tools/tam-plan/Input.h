//===- tools/tam-plan/Input.h - input files ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_INPUT_H
#define TAM_PLAN_INPUT_H

#include <string>

/// Replaces bytes in the format of gzip by what they contain, at most 2^32
/// bytes; leaves others alone. Returns an error message in lower case without
/// full stop; empty on success.
std::string gunzip(std::string &bytes);

#endif // TAM_PLAN_INPUT_H
