//===- memory/Regions.h - regions for snapshots -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_REGIONS_H
#define TAMRT_MEMORY_REGIONS_H

#include "memory/ChunkTable.h"
#include "tamrt/memory/Snapshot.h"

#include <vector>

namespace tamrt {

/// All regions by ascending address, with their blocks. `firsts`, if given,
/// gets the first chunk of each region. O(n log n).
std::vector<MemoryRegion> regionsOf(const ChunkTable &chunks,
                                    std::vector<uint32_t> *firsts = nullptr);

/// The blocks by powers of two of their sizes; bins without a block are left
/// out. Waiting blocks are in use. O(n).
std::vector<BinStatistics> binsOf(const ChunkTable &chunks);

} // namespace tamrt

#endif // TAMRT_MEMORY_REGIONS_H
