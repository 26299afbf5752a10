//===- Passes.td - passes on kernel launches ---------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_TD
#define TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TamKVerifyLaunches : Pass<"tamk-verify-launches", "::mlir::ModuleOp"> {
  let summary = "Check that kernels are chosen and bufferization may begin";
  let description = [{
    No op and no encoded type of the tam dialect is left: an encoded tensor that
    reached bufferization would silently become dense.
  }];
}

def TamKVerifyBufferized : Pass<"tamk-verify-bufferized", "::mlir::ModuleOp"> {
  let summary = "Check that no tensor and no copy is left";
  let description = [{
    A copy means that a destination could not be updated in place; steps never
    need one, so it is an error rather than a slow program.
  }];
}

def TamKSpecializeRungs : Pass<"tamk-specialize-rungs", "::mlir::ModuleOp"> {
  let summary = "Clone chunked steps for every rung of the chunk ladder";
  let description = [{
    The rungs have `chunk-rows`, half of it, a quarter, ... 1 rows. In each
    clone `capacity` is a constant, so that every buffer has a static size.
    Where nobody asks for a number of rows, it is 1024, or 2048 or 4096 where
    temporaries still take no more than an eighth of the sums: a chunk passes
    over the sums of a large model once.

    Before: `@fit_chunk(%rows, ..., %capacity)`.
    After: `@fit_chunk_256(%rows, ...)`, `@fit_chunk_128`, ..., `@fit_chunk_1`.
  }];
  let options = [
    Option<"chunkRows", "chunk-rows", "int64_t", /*default=*/"0",
           "Rows of the largest rung; 0: the model's `chunk_rows`, else by the sums' size">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every allocation its offset in an arena";
  let description = [{
    Replaces every `memref.alloc` of a function by a `memref.view` of one arena
    per memory space, at an offset that a planning strategy chose from the sizes
    and live ranges of all allocations. Works on any function of structured
    control flow. Deallocations of what was planned are removed. The function
    gets the attribute `tamk.plan`, which also says how the arenas must be
    aligned: to `alignment`, or more where an allocation asks it. Each view gets
    `tamk.buffer`, its row in the plan.

    Where the arena comes from says `arena`: a new argument of the function for
    each memory space (`argument`), one allocation at its begin (`alloc`), or a
    global (`global`), which allows one activation of the function at a time:
    it is refused for a function that the module shows to be recursive.

    An allocation that has no single safe address is refused, with the reason:
    one that leaves its region by a terminator, whose aliases are not known,
    that an op may use when it is done (a DMA transfer, the token of one that
    runs on its own), that several threads may execute at once, or whose size or
    layout is not static and contiguous. A call keeps no address: what it is
    given, it uses until it returns. Refused allocations are left alone with a remark, or
    are errors with `strict`. With `report` a remark says of each function what
    its arenas take, the lower bound, and what its allocations took before.

    With `dynamic=symbolic` a size may also be a sum of products of arguments of
    index type, dimensions of arguments, and constants that are not negative.
    Then the plan is made with 1024 for each such value (less where sizes would
    be too large) and kept as who lies below whom: offsets, and the size of the
    arena, are arithmetic at the begin of the function and right for all values.
    All allocations count, also those that a run does not reach, and one below 0
    as nothing. With `arena=argument` the function `<name>_arena_size`, of the
    same arguments but the arenas, returns the bytes that each arena needs; it
    is an error when that name is taken. A global, or the arena of a step, has
    no dynamic size. In the plan `bytes`, `offset` and the sums are those at
    `sizes_at` for each value, and `size` is the expression of a size over
    `arg0`, `arg1_dim0` and so on.

    With `reuse=program` two buffers may share bytes when the one is last used
    before the other is first used in the order of the program. That makes the
    first user of the other wait for the last users of the one, which matters
    to those who run parts of the program in parallel; `report` lists those
    hidden dependencies. With `reuse=branch-safe` buffers share bytes only if
    the data flow makes every use of the one come before every use of the other,
    so that planning adds no dependency; `report` says what that costs. Data
    flows through results of ops and through memory, by the ops' effects and
    upstream's alias analysis; an op of unknown effects comes before or after
    whatever touches memory that it may touch. An op with regions is one op for
    the buffers allocated outside; its regions, and the turns of a loop, run one
    after another.

    Before:
    ```mlir
    func.func @f() {
      %a = memref.alloc() : memref<8xf64>
      call @use(%a) : (memref<8xf64>) -> ()
      %b = memref.alloc() : memref<8xf64>
      call @use(%b) : (memref<8xf64>) -> ()
    }
    ```
    After:
    ```mlir
    func.func @f(%arena: memref<64xi8>) {
      %c0 = arith.constant 0 : index
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf64>
      call @use(%a) : (memref<8xf64>) -> ()
      %b = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf64>
      call @use(%b) : (memref<8xf64>) -> ()
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"tree+\"",
           "Planning strategy">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment in bytes of every offset, a power of 2">,
    Option<"arena", "arena", "::tamc::tamk::ArenaKind",
           /*default=*/"::tamc::tamk::ArenaKind::Argument",
           "Where the arenas come from",
           [{::llvm::cl::values(
               clEnumValN(::tamc::tamk::ArenaKind::Argument, "argument",
                          "arguments of the function"),
               clEnumValN(::tamc::tamk::ArenaKind::Alloc, "alloc",
                          "allocations at its begin"),
               clEnumValN(::tamc::tamk::ArenaKind::Global, "global",
                          "globals of the module"))}]>,
    Option<"dynamic", "dynamic", "::tamc::tamk::DynamicSizes",
           /*default=*/"::tamc::tamk::DynamicSizes::Leave",
           "What becomes of allocations of dynamic shape",
           [{::llvm::cl::values(
               clEnumValN(::tamc::tamk::DynamicSizes::Leave, "leave",
                          "they are left alone"),
               clEnumValN(::tamc::tamk::DynamicSizes::Symbolic, "symbolic",
                          "offsets are computed when the function is "
                          "entered"))}]>,
    Option<"reuse", "reuse", "::tamc::planning::Reuse",
           /*default=*/"::tamc::planning::Reuse::Program",
           "When two buffers may share bytes",
           [{::llvm::cl::values(
               clEnumValN(::tamc::planning::Reuse::Program, "program",
                          "when the order of the program allows it"),
               clEnumValN(::tamc::planning::Reuse::BranchSafe, "branch-safe",
                          "when every order that the data flow allows "
                          "does"))}]>,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Refused allocations are errors">,
    Option<"report", "report", "bool", /*default=*/"true",
           "Remark on each function what planning saved">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::tamc::tam::TamDialect",
                           "::tamc::tamk::TamKDialect"];
}

def CheckPlan : Pass<"check-plan", "::mlir::ModuleOp"> {
  let summary = "Make a planned program trap when its plan is wrong";
  let description = [{
    Instruments the functions that `plan-memory` planned. A shadow of each arena
    says of every byte which buffer owns it. At its first use after its
    allocation a buffer claims its bytes; at every use it must own all of them,
    else the program aborts and names the buffer. A view that reaches over the
    end of its arena is an error where offset, size and arena are constants, and
    aborts the program where they are not. Shares nothing with the
    planner: live ranges are what the execution shows, offsets what the views
    say.

    Costs a shadow of eight times the arena and a pass over a buffer's bytes at
    each use: for tests.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def TamKVerifyPlanned : Pass<"tamk-verify-planned", "::mlir::ModuleOp"> {
  let summary = "Check that no step allocates";
}

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_TD
