//===- plan.c - plans the activations of a network ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// A chain of layers with one skip connection. Layer i reads the output of the
/// layer before and writes its own; the last layer also reads the first output.
/// Prints the offset of each output.
///
//===----------------------------------------------------------------------===//

#include <tamplan/plan.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  const int64_t bytes[] = {4096, 16384, 12288, 8192, 2048};
  const int32_t count = sizeof bytes / sizeof bytes[0];
  tamplan_problem *problem = tamplan_new_problem();
  for (int32_t layer = 0; layer < count; ++layer) {
    char name[16];
    snprintf(name, sizeof name, "layer %d", (int)layer);
    int64_t last = layer == 0 ? count : layer + 2;
    if (tamplan_add_buffer(problem, name, layer, last, bytes[layer], 64, 0) < 0)
      return 1;
  }
  tamplan_options options = {.time_limit = 1};
  tamplan_plan *plan = tamplan_make_plan(problem, &options);
  if (!plan || tamplan_get_status(plan) != TAMPLAN_OPTIMAL) {
    fprintf(stderr, "error: %s\n", plan ? tamplan_get_reason(plan) : "memory");
    return 1;
  }
  for (int32_t layer = 0; layer < count; ++layer)
    printf("layer %" PRId32 ": %" PRId64 " bytes at %" PRId64 "\n", layer,
           bytes[layer], tamplan_get_offset(plan, layer));
  printf("peak %" PRId64 ", bound %" PRId64 "\n", tamplan_get_peak(plan, 0),
         tamplan_get_bound(plan, 0));
  tamplan_free_plan(plan);
  tamplan_free_problem(problem);
  return 0;
}
