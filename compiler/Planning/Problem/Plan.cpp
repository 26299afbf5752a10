//===- Planning/Plan.cpp - memory plans -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Plan.h"

#include "Problem/Arithmetic.h"

using namespace tamc::planning;

std::string_view tamc::planning::toString(Status status) {
  switch (status) {
  case Status::Optimal:
    return "optimal";
  case Status::Feasible:
    return "feasible";
  case Status::Infeasible:
    return "infeasible";
  case Status::NotFound:
    return "not found";
  case Status::TimedOut:
    return "timed out";
  case Status::Invalid:
    return "invalid";
  }
  return "invalid";
}

Status tamc::planning::statusOf(std::string_view text) {
  for (Status status : {Status::Optimal, Status::Feasible, Status::Infeasible,
                        Status::NotFound, Status::TimedOut})
    if (text == toString(status))
      return status;
  return Status::Invalid;
}

std::string_view tamc::planning::toString(Reason::Kind kind) {
  switch (kind) {
  case Reason::Kind::Bytes:
    return "bytes";
  case Reason::Kind::Stretch:
    return "stretch";
  case Reason::Kind::Plan:
    return "plan";
  }
  return "plan";
}

static int64_t sum(const std::vector<int64_t> &values) {
  int64_t total = 0;
  for (int64_t value : values)
    total = saturatingAdd(total, value);
  return total;
}

int64_t Plan::totalPeak() const { return sum(peak); }

int64_t Plan::totalBound() const { return sum(bound); }

int64_t Plan::poolBytes() const {
  int64_t total = 0;
  for (const Pool &pool : pools)
    total = saturatingAdd(total, pool.size);
  return total;
}

double Plan::gap() const {
  int64_t low = totalBound();
  return low == 0 ? 0
                  : static_cast<double>(totalPeak() - low) /
                        static_cast<double>(low);
}
