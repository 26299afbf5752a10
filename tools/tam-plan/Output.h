//===- tools/tam-plan/Output.h - atomic output files ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_OUTPUT_H
#define TAM_PLAN_OUTPUT_H

#include <string>
#include <string_view>

/// Writes the bytes to the file, or to standard output for "-". The file
/// appears completely or not at all: it is written under another name beside
/// the target, flushed and renamed, with signals blocked meanwhile. A link
/// stays a link; a target that is not a regular file (a pipe, a device) is
/// written directly. On a terminal, characters that are not printable are
/// escaped, except for ends of lines; elsewhere every byte is written as it is.
/// Returns an error message in lower case without full stop;
/// empty on success.
std::string writeOutput(const std::string &path, std::string_view bytes);

/// Whether an output would replace an input: both are the same regular file,
/// also through links or descriptors.
bool isInput(const std::string &output, const std::string &input);

#endif // TAM_PLAN_OUTPUT_H
