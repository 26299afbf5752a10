//===- SlotLimit.h - bound of a slot's offset -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_SLOTLIMIT_H
#define TAMC_DIALECT_TAM_IR_SLOTLIMIT_H

#include <cstdint>

namespace tamc::tam {

/// Upper bound of the offsets of slots, in bytes or in elements, and of the
/// bytes of a state: more than the memory that a process can address.
inline constexpr int64_t kMaxSlotOffset = int64_t(1) << 48;

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_SLOTLIMIT_H
