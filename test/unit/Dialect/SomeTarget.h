//===- SomeTarget.h - a target that lacks kernels ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_DIALECT_SOMETARGET_H
#define TAMC_TEST_UNIT_DIALECT_SOMETARGET_H

#include <string>
#include <vector>

/// The kernels that the target of every module lacks; it has all others,
/// whatever their names.
extern std::vector<std::string> lacking;

#endif // TAMC_TEST_UNIT_DIALECT_SOMETARGET_H
