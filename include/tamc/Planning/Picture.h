//===- Planning/Picture.h - plans as pictures and traces --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PICTURE_H
#define TAMC_PLANNING_PICTURE_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include <span>
#include <string>

namespace tamc::planning {

/// A plan as one SVG file that refers to nothing outside it: for each space the
/// load over time with the lower bound, and below it time across, addresses up,
/// a rectangle for each interval of a buffer's live range, with its facts in a
/// title. An empty buffer is a line. Light or dark like the reader's system.
///
/// At most `most` rectangles are drawn one by one, the largest, and none that
/// is lower or narrower than a pixel; the others are merged into cells of three
/// pixels, whose shade is the part of the cell that is taken, and the drawing
/// says how many they are: its size is bounded whatever the problem. Names that
/// are not UTF-8, or hold what XML cannot, get U+FFFD in those places. A plan
/// without offsets is drawn without rectangles. O(n log n).
std::string toSvg(const Problem &problem, const Plan &plan, int most = 5000);

/// A plan as Chrome trace events in JSON, which Perfetto opens: a process by
/// space, in it a slice by buffer and stretch of its life, and the counters
/// "load" (bytes alive), "high water" (end of the highest byte alive) and
/// "bound". Slices lie in lanes ("threads"): the lane of a slice is one above
/// the highest of those that lie below it at some time, so lanes never overlap
/// and are ordered as the addresses are at every time. A unit of time is a
/// microsecond; where they are too many for 53 bits a power of two of them is,
/// which `otherData` tells. A counter has at most `steps` values: where there
/// would be more, each is the maximum of an equal part of time. O(n log n).
std::string toTrace(const Problem &problem, const Plan &plan,
                    int steps = 100000);

/// Plans of one problem as one HTML page that refers to nothing outside it:
/// time across, addresses up, two of the plans side by side, with zoom, search
/// by name and the facts of the buffer under the pointer. The lives and offsets
/// are in it once, as bytes in base64 (Picture/Columns.h); the page draws from
/// them what is in sight, for a million buffers too. Names are never part of
/// the page's own text but for the title, which is escaped. A load curve of
/// more than 2^18 steps is thinned to its maxima, which the page says. Plans
/// without offsets are listed with their reason. Equal input gives equal bytes.
/// O(n log n) and about 20 bytes a buffer and 5 a plan more.
std::string toPage(const Problem &problem, std::span<const Plan> plans);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PICTURE_H
