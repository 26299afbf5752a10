//===- PrintDiagnostic.h - messages with a part of a long line --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_PRINTDIAGNOSTIC_H
#define TAMC_SPEC_PRINTDIAGNOSTIC_H

namespace llvm {
class SMDiagnostic;
class raw_ostream;
class SourceMgr;
} // namespace llvm

namespace tamc::spec {

/// Prints a diagnostic as LLVM does, but only the part around the location of a
/// line of more than 160 bytes: a formula of sixty terms is one line of some
/// thousand bytes, and each remark quotes it. The column is that of the whole
/// line; "..." replaces omitted text. A line with characters beyond ASCII has
/// its marks, too, which LLVM leaves out.
void printDiagnostic(const llvm::SMDiagnostic &diagnostic,
                     llvm::raw_ostream &out);

/// Makes `sources` print its diagnostics to stderr by printDiagnostic().
void setDiagnosticPrinter(llvm::SourceMgr &sources);

} // namespace tamc::spec

#endif // TAMC_SPEC_PRINTDIAGNOSTIC_H
