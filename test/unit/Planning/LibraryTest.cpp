//===- LibraryTest.cpp - the planner as a library for C -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Linked with libtamplan.a alone.

#include "tamplan/plan.h"

#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <vector>

namespace {

struct Free {
  void operator()(tamplan_problem *problem) { tamplan_free_problem(problem); }
  void operator()(tamplan_plan *plan) { tamplan_free_plan(plan); }
  void operator()(char *text) { tamplan_free_text(text); }
};
using Problem = std::unique_ptr<tamplan_problem, Free>;
using Plan = std::unique_ptr<tamplan_plan, Free>;
using Text = std::unique_ptr<char, Free>;

Problem three() {
  Problem problem(tamplan_new_problem());
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "x", 0, 3, 40, 1, 0), 0);
  EXPECT_EQ(tamplan_add_buffer(problem.get(), nullptr, 2, 5, 30, 1, 0), 1);
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "z", 4, 6, 50, 1, 0), 2);
  return problem;
}

Plan make(const Problem &problem, const tamplan_options *options = nullptr) {
  return Plan(tamplan_make_plan(problem.get(), options));
}

TEST(Library, Plans) {
  Problem problem = three();
  EXPECT_EQ(tamplan_count_buffers(problem.get()), 3);
  EXPECT_EQ(tamplan_count_spaces(problem.get()), 1);
  Plan plan = make(problem);
  EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_OPTIMAL);
  EXPECT_STREQ(tamplan_get_reason(plan.get()), "");
  EXPECT_STRNE(tamplan_get_strategy(plan.get()), "");
  EXPECT_EQ(tamplan_get_peak(plan.get(), 0), 80);
  EXPECT_EQ(tamplan_get_bound(plan.get(), 0), 80);
  EXPECT_EQ(tamplan_get_cost(plan.get()), -1);
  EXPECT_EQ(tamplan_get_cost_bound(plan.get()), -1);
  std::vector<int64_t> offsets;
  for (int32_t i = 0; i < 3; ++i) {
    offsets.push_back(tamplan_get_offset(plan.get(), i));
    EXPECT_EQ(tamplan_get_space(plan.get(), i), 0);
  }
  EXPECT_EQ(tamplan_check(problem.get(), offsets.data(), 3, 1, nullptr), 1);
  for (int32_t wrong : {-1, 3, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(tamplan_get_offset(plan.get(), wrong), -1);
    EXPECT_EQ(tamplan_get_space(plan.get(), wrong), -1);
    EXPECT_EQ(tamplan_get_peak(plan.get(), wrong), -1);
    EXPECT_EQ(tamplan_get_copy(plan.get(), wrong).bytes, 0);
  }
}

TEST(Library, PlanOutlivesProblem) {
  Plan plan;
  {
    Problem problem = three();
    plan = make(problem);
  }
  Text json(tamplan_write_json(plan.get()));
  EXPECT_NE(std::string(json.get()).find("\"status\": \"optimal\""),
            std::string::npos);
  Text page(tamplan_write_page(plan.get()));
  EXPECT_EQ(std::string(page.get()).rfind("<!DOCTYPE html>", 0), 0u);
  // The text is a problem again.
  std::string text = json.get();
  Problem again(tamplan_read_problem(text.data(), text.size(), nullptr));
  ASSERT_TRUE(again);
  EXPECT_EQ(tamplan_get_peak(make(again).get(), 0), 80);
}

TEST(Library, Options) {
  Problem problem = three();
  tamplan_options options = {};
  options.strategy = "naive";
  EXPECT_EQ(tamplan_get_peak(make(problem, &options).get(), 0), 120);
  options = {};
  options.alignment = 64;
  Plan plan = make(problem, &options);
  for (int32_t i = 0; i < 3; ++i)
    EXPECT_EQ(tamplan_get_offset(plan.get(), i) % 64, 0);
  options = {};
  options.time_limit = 0.5;
  options.threads = 2;
  options.seed = 7;
  options.nodes = 1000;
  EXPECT_EQ(tamplan_get_peak(make(problem, &options).get(), 0), 80);
}

/// JSON cannot have a name of other bytes than UTF-8; a page shows it.
TEST(Library, NamesOfOtherBytes) {
  Problem problem = three();
  tamplan_add_buffer(problem.get(), "\xff", 0, 3, 40, 1, 0);
  Plan plan = make(problem);
  EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_OPTIMAL);
  EXPECT_EQ(tamplan_write_json(plan.get()), nullptr);
  EXPECT_TRUE(Text(tamplan_write_page(plan.get())));
}

TEST(Library, WrongOptions) {
  Problem problem = three();
  auto reason = [&](auto change) {
    tamplan_options options = {};
    change(options);
    Plan plan = make(problem, &options);
    EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_INVALID);
    EXPECT_EQ(tamplan_get_offset(plan.get(), 0), -1);
    EXPECT_EQ(tamplan_write_json(plan.get()), nullptr);
    EXPECT_EQ(tamplan_write_page(plan.get()), nullptr);
    return std::string(tamplan_get_reason(plan.get()));
  };
  EXPECT_EQ(reason([](auto &options) { options.alignment = -4; }),
            "expected an alignment of 1 or more, got -4");
  EXPECT_EQ(reason([](auto &options) { options.time_limit = -1; }),
            "expected a time limit of 0 seconds or more");
  EXPECT_EQ(reason([](auto &options) { options.nodes = -1; }),
            "expected nodes and threads of 0 or more");
  EXPECT_EQ(reason([](auto &options) { options.evict = 1; }),
            "expected a choice of spaces with evict");
  EXPECT_NE(reason([](auto &options) { options.strategy = "best"; }), "");
  EXPECT_NE(reason([](auto &options) { options.branch_safe = 1; }), "");
}

TEST(Library, Features) {
  Problem problem(tamplan_new_problem());
  EXPECT_EQ(tamplan_add_space(problem.get(), "sram", 200, 32), 0);
  EXPECT_EQ(tamplan_add_space(problem.get(), "dram", -1, 1), 1);
  EXPECT_EQ(tamplan_count_spaces(problem.get()), 2);
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "a", 0, 2, 40, 1, 0), 0);
  EXPECT_EQ(tamplan_add_life(problem.get(), 0, 6, 9), 0);
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "b", 2, 6, 40, 1, 0), 1);
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "c", 0, 9, 40, 1, 1), 2);
  EXPECT_EQ(tamplan_pin(problem.get(), 2, 1000), 0);
  EXPECT_EQ(tamplan_set_alias(problem.get(), 0, 3), 0);
  EXPECT_EQ(tamplan_set_alias(problem.get(), 1, 3), 0);
  Plan plan = make(problem);
  EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_OPTIMAL);
  EXPECT_EQ(tamplan_get_offset(plan.get(), 0),
            tamplan_get_offset(plan.get(), 1));
  EXPECT_EQ(tamplan_get_offset(plan.get(), 2), 1000);
  EXPECT_EQ(tamplan_get_space(plan.get(), 2), 1);
  EXPECT_EQ(tamplan_get_peak(plan.get(), 0), 40);
  EXPECT_EQ(tamplan_get_peak(plan.get(), 1), 1040);
  // More than the capacity.
  EXPECT_EQ(tamplan_add_buffer(problem.get(), "d", 0, 9, 180, 1, 0), 3);
  plan = make(problem);
  EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_INFEASIBLE);
  EXPECT_NE(std::string(tamplan_get_reason(plan.get())).find("'sram'"),
            std::string::npos);
}

TEST(Library, Choice) {
  Problem problem(tamplan_new_problem());
  tamplan_add_space(problem.get(), "sram", 64, 1);
  tamplan_add_space(problem.get(), "dram", -1, 1);
  for (int32_t i = 0; i < 2; ++i) {
    tamplan_add_buffer(problem.get(), i ? "q" : "k", 0, 9, 48, 1, 0);
    EXPECT_EQ(tamplan_add_choice(problem.get(), i, 0, 0), 0);
    EXPECT_EQ(tamplan_add_choice(problem.get(), i, 1, 100), 0);
  }
  for (int64_t time : {0, 1})
    EXPECT_EQ(tamplan_add_use(problem.get(), 0, time), 0);
  for (int64_t time : {7, 8})
    EXPECT_EQ(tamplan_add_use(problem.get(), 1, time), 0);
  Plan plan = make(problem);
  EXPECT_EQ(tamplan_get_status(plan.get()), TAMPLAN_OPTIMAL);
  EXPECT_EQ(tamplan_get_cost(plan.get()), 200);
  EXPECT_EQ(tamplan_get_cost_bound(plan.get()), 200);
  EXPECT_EQ(tamplan_get_space(plan.get(), 0) + tamplan_get_space(plan.get(), 1),
            1);
  EXPECT_EQ(tamplan_count_copies(plan.get()), 0);
  tamplan_options options = {};
  options.evict = 1;
  plan = make(problem, &options);
  EXPECT_LT(tamplan_get_cost(plan.get()), 200);
  ASSERT_GT(tamplan_count_copies(plan.get()), 0);
  tamplan_copy copy = tamplan_get_copy(plan.get(), 0);
  EXPECT_EQ(copy.bytes, 48);
  EXPECT_NE(copy.from, copy.to);
  int64_t none = 0;
  char *message = nullptr;
  EXPECT_EQ(tamplan_check(problem.get(), &none, 1, 1, &message), 0);
  EXPECT_STREQ(Text(message).get(),
               "expected a problem without a choice of spaces");
}

TEST(Library, WrongIndices) {
  Problem problem = three();
  for (int32_t wrong : {-1, 3, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(tamplan_add_buffer(problem.get(), "n", 0, 1, 1, 1, wrong), -1);
    EXPECT_EQ(tamplan_add_life(problem.get(), wrong, 0, 1), -1);
    EXPECT_EQ(tamplan_pin(problem.get(), wrong, 0), -1);
    EXPECT_EQ(tamplan_set_alias(problem.get(), wrong, 0), -1);
    EXPECT_EQ(tamplan_add_choice(problem.get(), wrong, 0, 0), -1);
    EXPECT_EQ(tamplan_add_choice(problem.get(), 0, wrong, 0), -1);
    EXPECT_EQ(tamplan_add_use(problem.get(), wrong, 0), -1);
  }
  EXPECT_EQ(tamplan_set_alias(problem.get(), 0, -1), -1);
  EXPECT_EQ(tamplan_get_peak(make(problem).get(), 0), 80);
}

TEST(Library, Reads) {
  std::string csv = "id,lower,upper,size\nx,0,3,40\ny,2,5,30\n";
  Problem problem(tamplan_read_problem(csv.data(), csv.size(), nullptr));
  ASSERT_TRUE(problem);
  EXPECT_EQ(tamplan_get_peak(make(problem).get(), 0), 70);
  auto error = [](std::string text) {
    char *message = nullptr;
    EXPECT_EQ(tamplan_read_problem(text.data(), text.size(), &message),
              nullptr);
    return std::string(Text(message).get());
  };
  EXPECT_EQ(error("id,lower,upper,size\nx,0,zz,40\n").rfind("line 2", 0), 0u);
  EXPECT_NE(error("{\"buffers\": [}"), "");
  EXPECT_NE(error(""), "");
  EXPECT_EQ(error("{\"buffers\": [{\"name\": \"x\", \"size\": \"8*n\", "
                  "\"lower\": 0, \"upper\": 1}]}"),
            "expected sizes that are numbers");
  EXPECT_EQ(tamplan_read_problem("x", 1, nullptr), nullptr);
}

TEST(Library, Checks) {
  Problem problem = three();
  auto error = [&](std::vector<int64_t> offsets, int64_t alignment = 1) {
    char *message = nullptr;
    EXPECT_EQ(tamplan_check(problem.get(), offsets.data(), offsets.size(),
                            alignment, &message),
              0);
    return std::string(Text(message).get());
  };
  EXPECT_NE(error({0, 30, 0}).find("'x'"), std::string::npos);
  EXPECT_NE(error({0, 40}), "");
  EXPECT_NE(error({0, 41, 0}, 2), "");
  EXPECT_EQ(error({0, 50, 0}, 0), "expected an alignment of 1 or more");
  tamplan_add_buffer(problem.get(), "z", 0, 1, 1, 1, 0);
  EXPECT_NE(error({0, 50, 0, 90}).find("'z'"), std::string::npos);
}

TEST(Library, FreesNothing) {
  tamplan_free_problem(nullptr);
  tamplan_free_plan(nullptr);
  tamplan_free_text(nullptr);
}

} // namespace
