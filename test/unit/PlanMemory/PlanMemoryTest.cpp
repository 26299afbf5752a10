//===- PlanMemoryTest.cpp - planned programs compute the same ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchSafety.h"
#include "Jit.h"
#include "RandomProgram.h"

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tamc::test;

namespace {

/// How a child process ended that ran the program.
enum class Outcome { Right, Wrong, Trapped, Crashed };

Outcome run(ModuleOp module, int64_t seed,
            const std::vector<uint64_t> *expected = nullptr,
            llvm::ArrayRef<Sizes> sizes = {}) {
  pid_t child = fork();
  if (child == 0) {
    // What a trap prints is expected.
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    std::vector<uint64_t> found =
        execute(module, seed, kOutputSize, 0xA5, sizes);
    _exit(testing::Test::HasFailure() || (expected && found != *expected));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGABRT ? Outcome::Trapped : Outcome::Crashed;
  return WEXITSTATUS(status) == 0 ? Outcome::Right : Outcome::Wrong;
}

int64_t count(ModuleOp module, llvm::function_ref<bool(Operation *)> test) {
  int64_t found = 0;
  module.walk([&](Operation *op) { found += test(op); });
  return found;
}

/// Plans random programs of 200 seeds from `first` on by one pipeline after
/// another: they must compute the same. look(program) is called for each.
void expectTheSame(MLIRContext &context, uint64_t first,
                   llvm::function_ref<ProgramOptions(uint64_t)> optionsOf,
                   llvm::ArrayRef<const char *> pipelines,
                   llvm::function_ref<void(ModuleOp)> look) {
  for (uint64_t seed = first; seed < first + 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(context, randomProgram(optionsOf(seed)));
    ASSERT_TRUE(module);
    std::vector<uint64_t> expected =
        execute(*module, int64_t(seed), kOutputSize);
    ASSERT_TRUE(
        succeeded(runPasses(*module, pipelines[seed % pipelines.size()])));
    look(*module);
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    EXPECT_EQ(run(*module, int64_t(seed), &expected), Outcome::Right);
    if (testing::Test::HasFailure())
      break;
  }
}

TEST(PlanMemory, RandomProgramsComputeTheSame) {
  auto context = makeContext();
  int64_t planned = 0;
  expectTheSame(
      *context, 0,
      [](uint64_t seed) {
        return ProgramOptions{.seed = seed, .hasUnsafe = seed % 4 == 0};
      },
      {"plan-memory{report=false strategy=tree}",
       "plan-memory{report=false strategy=greedy alignment=8 arena=alloc}",
       "plan-memory{report=false strategy=naive alignment=1 arena=global}",
       "plan-memory{report=false strategy=skyline alignment=16}",
       "plan-memory{report=false strategy=tree+ arena=global}"},
      [&](ModuleOp module) {
        planned += count(module, [](Operation *op) {
          return op->hasAttr(tamc::tamk::kBufferAttrName);
        });
      });
  // The programs must have enough buffers and shared bytes.
  EXPECT_GT(planned, 1000);
}

/// Blocks, callees, threads, types and spaces of all kinds, and deallocations
/// of what may not be planned.
TEST(PlanMemory, AllShapesComputeTheSame) {
  auto context = makeContext();
  int64_t planned = 0, inBlocks = 0, inLoops = 0, beside = 0;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    beside += llvm::StringRef(diagnostic.str())
                  .contains("after the function has allocated it again");
    return success();
  });
  expectTheSame(
      *context, 5000,
      [](uint64_t seed) {
        return ProgramOptions{
            .seed = seed, .hasUnsafe = seed % 3 == 0, .hasAll = true};
      },
      {"plan-memory{report=false}",
       "plan-memory{report=false arena=alloc strategy=exact}",
       "plan-memory{report=false arena=global alignment=8}",
       "plan-memory{report=false arena=alloc spaces=3:1:100000,default:2}",
       "plan-memory{report=false strategy=skyline alignment=1}",
       "plan-memory{report=false reuse=branch-safe}"},
      [&](ModuleOp module) {
        module.walk([&](memref::ViewOp view) {
          bool isPlanned = view->hasAttr(tamc::tamk::kBufferAttrName);
          planned += isPlanned;
          inLoops += !isPlanned;
          inBlocks +=
              isPlanned && llvm::any_of(view->getUsers(), [&](auto *user) {
                return user->getBlock() != view->getBlock() &&
                       !view->getBlock()->findAncestorOpInBlock(*user);
              });
        });
      });
  EXPECT_GT(planned, 1500);
  EXPECT_GT(inBlocks, 100);
  EXPECT_GT(inLoops, 100);
  EXPECT_GT(beside, 2);
}

/// The copies of buffers that move: between two places of different spaces.
SmallVector<memref::CopyOp> movesOf(ModuleOp module) {
  SmallVector<memref::CopyOp> moves;
  module->walk([&](memref::CopyOp copy) {
    auto isPlace = [](Value value) {
      auto view = value.getDefiningOp<memref::ViewOp>();
      return view && view->hasAttr(tamc::tamk::kBufferAttrName);
    };
    auto spaceOf = [](Value value) {
      return cast<MemRefType>(value.getType()).getMemorySpace();
    };
    Value from = copy.getSource(), to = copy.getTarget();
    if (isPlace(from) && isPlace(to) && spaceOf(from) != spaceOf(to))
      moves.push_back(copy);
  });
  return moves;
}

/// Buffers that leave a memory and come back. Without one of the copies
/// programs compute something else.
TEST(PlanMemory, MovingBuffersComputeTheSame) {
  auto context = makeContext();
  static constexpr const char *pipelines[] = {
      "plan-memory{report=false evict spaces=3:0:400,default:50}",
      "plan-memory{report=false evict arena=alloc strategy=exact "
      "spaces=3:0:512,4:2:320,default:50}",
      "plan-memory{report=false evict arena=global alignment=8 "
      "spaces=default:70,3:1:400}",
  };
  size_t moves = 0, spoiled = 0, noticed = 0;
  for (uint64_t seed = 6000; seed < 6080; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(*context, randomProgram({.seed = seed,
                                                 .hasUnsafe = seed % 3 == 0,
                                                 .hasAll = seed % 4 == 0}));
    ASSERT_TRUE(module);
    std::vector<uint64_t> expected =
        execute(*module, int64_t(seed), kOutputSize);
    ASSERT_TRUE(
        succeeded(runPasses(*module, pipelines[seed % std::size(pipelines)])));
    OwningOpRef<ModuleOp> planned(module->clone());
    moves += movesOf(*module).size();
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    EXPECT_EQ(run(*module, int64_t(seed), &expected), Outcome::Right);
    if (SmallVector<memref::CopyOp> copies = movesOf(*planned);
        !copies.empty() && spoiled < 10) {
      copies[seed % copies.size()].erase();
      ++spoiled;
      noticed += run(*planned, int64_t(seed), &expected) != Outcome::Right;
    }
    if (HasFailure())
      break;
  }
  EXPECT_GT(moves, 50u);
  EXPECT_EQ(spoiled, 10u);
  EXPECT_GT(noticed, 3u);
}

/// Pairs of buffers that share bytes although their order is not fixed.
size_t countUnordered(ModuleOp module) {
  return findUnorderedSharing(module.lookupSymbol<func::FuncOp>("program"))
      .size();
}

TEST(PlanMemory, BranchSafePlansAddNoDependency) {
  auto context = makeContext();
  static constexpr const char *options[] = {
      "strategy=tree+", "strategy=greedy alignment=8 arena=alloc",
      "strategy=skyline alignment=1", "strategy=exact arena=global"};
  size_t inProgramOrder = 0;
  for (uint64_t seed = 2000; seed < 2200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(*context, randomProgram({seed, false, seed % 2 == 1}));
    ASSERT_TRUE(module);
    SmallVector<Sizes, 1> sizes;
    if (seed % 2 == 1)
      sizes.push_back(
          {int64_t(seed % 5), int64_t(seed % 7), int64_t(seed % 3)});
    std::vector<uint64_t> expected =
        execute(*module, int64_t(seed), kOutputSize, 0xA5, sizes);
    auto plan = [&](ModuleOp module, const std::string &reuse) {
      return runPasses(module,
                       "plan-memory{report=false dynamic=symbolic " +
                           std::string(options[seed / 2 % std::size(options)]) +
                           " reuse=" + reuse + "}");
    };
    OwningOpRef<ModuleOp> other(module->clone());
    ASSERT_TRUE(succeeded(plan(*other, "program")));
    inProgramOrder += countUnordered(*other);
    ASSERT_TRUE(succeeded(plan(*module, "branch-safe")));
    EXPECT_EQ(countUnordered(*module), 0u);
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    EXPECT_EQ(run(*module, int64_t(seed), &expected, sizes), Outcome::Right);
    if (HasFailure())
      break;
  }
  // The check detects errors.
  EXPECT_GT(inProgramOrder, 100u);
}

TEST(PlanMemory, DynamicSizesComputeTheSame) {
  auto context = makeContext();
  static constexpr const char *pipelines[] = {
      "plan-memory{report=false dynamic=symbolic}",
      "plan-memory{report=false dynamic=symbolic arena=alloc alignment=8}",
      "plan-memory{report=false dynamic=symbolic strategy=greedy alignment=1}",
      "plan-memory{report=false dynamic=symbolic strategy=skyline "
      "reuse=branch-safe}",
  };
  std::mt19937_64 random(5);
  int64_t planned = 0, dynamic = 0;
  for (uint64_t seed = 3000; seed < 3200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(*context, randomProgram({seed, false, true}));
    ASSERT_TRUE(module);
    OwningOpRef<ModuleOp> original(module->clone());
    ASSERT_TRUE(
        succeeded(runPasses(*module, pipelines[seed % std::size(pipelines)])));
    EXPECT_EQ(count(*module,
                    [](Operation *op) {
                      auto alloc = dyn_cast<memref::AllocOp>(op);
                      return alloc &&
                             !alloc.getType().getElementType().isInteger(8);
                    }),
              0);
    module->walk([&](memref::ViewOp view) {
      ++planned;
      dynamic += !view.getSizes().empty();
    });
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    // One plan for all sizes: zero, some, and many elements.
    Sizes some{int64_t(random() % 5), int64_t(random() % 5),
               int64_t(random() % 5)};
    const Sizes sizes[] = {some, seed % 2 ? Sizes{0, 0, 0} : Sizes{6, 2, 1}};
    std::vector<uint64_t> expected =
        execute(*original, int64_t(seed), kOutputSize, 0xA5, sizes);
    EXPECT_EQ(expected.size(), 2 * kOutputSize);
    EXPECT_EQ(run(*module, int64_t(seed), &expected, sizes), Outcome::Right);
    if (HasFailure())
      break;
  }
  EXPECT_GT(planned, 1000);
  EXPECT_GT(dynamic, planned / 2);
}

/// Moves one buffer onto another that lives at the same time; false if there
/// are no two such.
bool moveOneOffset(ModuleOp module, std::mt19937_64 &random) {
  auto program = module.lookupSymbol<func::FuncOp>("program");
  auto plan =
      program->getAttrOfType<tamc::tamk::PlanAttr>(tamc::tamk::kPlanAttrName);
  llvm::ArrayRef<tamc::tamk::BufferAttr> rows = plan.getBuffers();
  SmallVector<memref::ViewOp> views(rows.size());
  program.walk([&](memref::ViewOp view) {
    if (auto row =
            view->getAttrOfType<IntegerAttr>(tamc::tamk::kBufferAttrName))
      views[row.getInt()] = view;
  });
  auto isUsed = [&](size_t row) {
    return llvm::any_of(views[row]->getUsers(), [](Operation *user) {
      return !isa<memref::DeallocOp>(user);
    });
  };
  SmallVector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < rows.size(); ++a)
    for (size_t b = 0; b < rows.size(); ++b) {
      // The arena is at least as large as the buffer at `b`.
      int64_t end =
          cast<MemRefType>(views[b].getSource().getType()).getDimSize(0);
      if (ShapedType::isDynamic(end))
        end = rows[b].getOffset() + rows[b].getBytes();
      if (a != b && rows[a].getSpace() == rows[b].getSpace() &&
          rows[a].getFirst() < rows[b].getLast() &&
          rows[b].getFirst() < rows[a].getLast() && isUsed(a) && isUsed(b) &&
          rows[b].getOffset() + rows[a].getBytes() <= end)
        pairs.push_back({a, b});
    }
  if (pairs.empty())
    return false;
  auto [from, to] = pairs[random() % pairs.size()];
  // The arithmetic is at the begin of the function.
  Value offset = views[to].getByteShift();
  if (matchPattern(offset, m_Constant())) {
    OpBuilder builder(views[from]);
    offset = arith::ConstantIndexOp::create(builder, views[from].getLoc(),
                                            rows[to].getOffset());
  }
  views[from].getByteShiftMutable().assign(offset);
  return true;
}

TEST(PlanMemory, AMovedOffsetTraps) {
  auto context = makeContext();
  std::mt19937_64 random(11);
  int moved = 0;
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(*context, randomProgram({seed, true}));
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(runPasses(*module, "plan-memory{report=false}")));
    if (!moveOneOffset(*module, random))
      continue;
    ++moved;
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    EXPECT_EQ(run(*module, 5), Outcome::Trapped);
  }
  EXPECT_GT(moved, 150);
}

TEST(PlanMemory, AMovedDynamicOffsetTraps) {
  auto context = makeContext();
  std::mt19937_64 random(12);
  int moved = 0;
  for (uint64_t seed = 4000; seed < 4200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = parse(*context, randomProgram({seed, true, true}));
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(runPasses(
        *module, seed % 2 ? "plan-memory{report=false dynamic=symbolic}"
                          : "plan-memory{report=false dynamic=symbolic "
                            "arena=alloc}")));
    if (!moveOneOffset(*module, random))
      continue;
    ++moved;
    ASSERT_TRUE(succeeded(runPasses(*module, "check-plan")));
    EXPECT_EQ(run(*module, 5, nullptr, Sizes{3, 2, 4}), Outcome::Trapped);
  }
  EXPECT_GT(moved, 150);
}

/// A residual network from linalg on tensors down to one arena. At best,
/// upstream frees each buffer after its last use; the plan needs no more bytes,
/// although it fixes every address before the run. The order in which weights
/// are made and borders filled is not fixed, so that a plan for every order
/// needs more.
TEST(PlanMemory, ResidualNetworkFitsTheBound) {
  auto context = makeContext();
  std::ifstream file(TAMC_SOURCE_DIR
                     "/test/unit/PlanMemory/Inputs/resnet.mlir");
  std::stringstream text;
  text << file.rdbuf();
  auto module = parse(*context, text.str());
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(runPasses(
      *module,
      "inline,symbol-dce,one-shot-bufferize{bufferize-function-boundaries},"
      "buffer-deallocation-pipeline,"
      "func.func(optimize-allocation-liveness)")));
  std::vector<uint64_t> expected = execute(*module, 3, kOutputSize);
  for (uint64_t word : expected)
    EXPECT_TRUE(std::isfinite(std::bit_cast<double>(word)));

  std::string remark;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    remark += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> other(module->clone());
  ASSERT_TRUE(succeeded(runPasses(*module, "plan-memory")));
  EXPECT_TRUE(llvm::StringRef(remark).starts_with(
      "planned 44 of 44 allocations: peak 80384 bytes, lower bound 80384, "
      "before 80384, adds "))
      << remark;
  remark.clear();
  ASSERT_TRUE(succeeded(runPasses(*other, "plan-memory{reuse=branch-safe}")));
  EXPECT_TRUE(llvm::StringRef(remark).ends_with(
      " bytes: the order of the program needs 80384"))
      << remark;
  EXPECT_EQ(count(*module,
                  [](Operation *op) {
                    return isa<memref::AllocOp, memref::DeallocOp>(op);
                  }),
            0);
  for (ModuleOp planned : {*module, *other}) {
    ASSERT_TRUE(succeeded(runPasses(planned, "check-plan")));
    EXPECT_EQ(run(planned, 3, &expected), Outcome::Right);
  }
}

} // namespace
