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

/// A plan as one SVG file without references to other files. For each space it
/// shows the load over time with the lower bound. Below that, a chart with time
/// to the right and addresses upwards has a rectangle for each interval of a
/// buffer's live range, with the buffer's data in a title. An empty buffer is a
/// line. Light or dark like the reader's system.
///
/// The `most` largest rectangles are drawn one by one, except those lower or
/// narrower than a pixel. The others are merged into cells of three pixels,
/// whose shade is the used share of the cell, and the drawing has their number.
/// So the size of the file is bounded for every problem. Bytes of names that
/// are not UTF-8, and characters that XML does not allow, become U+FFFD. A plan
/// without offsets is drawn without rectangles. O(n log n).
std::string toSvg(const Problem &problem, const Plan &plan, int most = 5000);

/// A plan as Chrome trace events in JSON, which Perfetto opens. Each space is a
/// process, with a slice for each interval of a buffer's live range, and with
/// the counters "load" (bytes alive), "high water" (end of the highest byte
/// alive) and "bound". Slices are in lanes ("threads"): the lane of a slice is
/// one above the highest lane of the slices that lie below it at some time. So
/// slices of a lane never overlap, and at every time lanes are in the order of
/// the addresses. A unit of time is a microsecond; if times need more than 53
/// bits, a power of two of units is, which is in `otherData`. A counter has at
/// most `steps` values: if there would be more, each is the maximum over an
/// equal part of the time. O(n log n).
std::string toTrace(const Problem &problem, const Plan &plan,
                    int steps = 100000);

/// Plans of one problem as one HTML page without references to other files. It
/// shows two of the plans side by side, time to the right and addresses
/// upwards, with zoom, search by name and the data of the buffer under the
/// pointer. The page contains live ranges and offsets once, as bytes in base64
/// (Picture/Columns.h), and draws only the visible part, also for a million
/// buffers. Names never become HTML, except in the title, where they are
/// escaped. A load curve of more than 2^18 steps is reduced to maxima, and the
/// page says so. Plans without offsets are listed with their reason. The same
/// input gives the same bytes. O(n log n); about 20 bytes a buffer, and 5 more
/// for each plan.
std::string toPage(const Problem &problem, std::span<const Plan> plans);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PICTURE_H
