//===- core/run/ResidentColumns.h - columns kept on a device ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The columns of a data set in a device's memory, for work that reads them
/// more than once.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_RESIDENTCOLUMNS_H
#define TAMRT_CORE_RUN_RESIDENTCOLUMNS_H

#include "core/data/Dataset.h"
#include "core/device/AlignedBuffer.h"
#include "core/device/Device.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

class ResidentColumns {
public:
  /// Bytes that the columns take on a device.
  static int64_t bytesOf(const tamrt_model &model, const Dataset &data);

  /// Copies the columns to a device, which must outlive the copies, as the data
  /// must. There are none if it has too little memory. Errors: a copy failed.
  Status copy(const tamrt_model &model, const Dataset &data, Device &device);

  bool isEmpty() const { return !memory; }
  bool isOn(const Device &device) const { return memory && on == &device; }
  /// Where the device has what is at `address` in a column; null if it has not.
  const void *find(const void *address) const;

private:
  struct Column {
    const char *from;
    const char *to;
    size_t bytes;
  };

  Device *on = nullptr;
  AlignedBuffer memory;
  std::vector<Column> columns;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_RESIDENTCOLUMNS_H
