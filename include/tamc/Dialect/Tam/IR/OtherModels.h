//===- OtherModels.h - the models beside a model ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_OTHERMODELS_H
#define TAMC_DIALECT_TAM_IR_OTHERMODELS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/StringRef.h"

namespace tamc::tam {

/// A model that a model may refer to: the symbol of its module, which is in the
/// other's, and that of its constant in the code.
struct OtherModel {
  llvm::StringLiteral module, constant;
};

/// All of them, in the order of a model's module.
inline constexpr OtherModel kOtherModels[] = {
    {kWindowsName, kWindowModelName},
    {kDevicesName, kDeviceModelName},
    {kWindowDevicesName, kWindowDeviceModelName}};

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_OTHERMODELS_H
