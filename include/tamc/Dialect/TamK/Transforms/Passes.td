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
    No op and no encoded type of the tam dialect is left.
  }];
}

def TamKBufferize : Pass<"tamk-bufferize", "::mlir::ModuleOp"> {
  let summary = "Give launches memory instead of tensors, without copies";
  let description = [{
    Each tensor of a step is the contents of some memory, and a launch updates
    its destinations in place. A result that starts as `tensor.empty` is
    computed in the memory that it is materialised in; other empty tensors
    become allocations, constants become globals.

    It is an error where this would need a copy: a tensor is used after a launch
    has overwritten it, a destination is a constant, read-only or also an input
    of its launch, or a result is computed elsewhere. Steps have one block and
    no ops on tensors but launches, so one pass over the ops sees all of this,
    in linear time. (Upstream's one-shot bufferization, which looks for copies
    that would make any program legal, is cubic in a chain of updates: hundreds
    of effects that are written to the columns of one matrix.)

    Before:
    ```mlir
    %0 = bufferization.to_tensor %x restrict : memref<?xf64> to tensor<?xf64>
    %1 = tensor.empty(%capacity) : tensor<?x1xf64>
    %2 = tamk.launch "linear" ins(%0 ...) ... outs(%1 ...)
    bufferization.materialize_in_destination %2 in restrict writable %out ...
    ```
    After:
    ```mlir
    tamk.launch "linear" ins(%x ...) ... outs(%out ...)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def TamKVerifyBufferized : Pass<"tamk-verify-bufferized", "::mlir::ModuleOp"> {
  let summary = "Check that no tensor and no copy is left";
  let description = [{
    A copy would mean that a destination is not updated in place; steps never
    need one, so it is an error rather than a slow program.
  }];
}

def TamKSpecializeRungs : Pass<"tamk-specialize-rungs", "::mlir::ModuleOp"> {
  let summary = "Clone chunked steps for every rung of the chunk ladder";
  let description = [{
    The rungs have `chunk-rows`, half of it, a quarter, ... 1 rows. In each
    clone `capacity` is a constant, so that every buffer has a static size.
    Without a requested number of rows, the largest rung has 1024, or 2048 or
    4096 rows if the temporaries still take at most a quarter of the memory of
    the sums: each chunk passes over all sums of a large model once.

    A step that reads the triangle of a matrix has two rungs, of 64 rows without
    a requested number and of 1 row: rows take less memory than the triangle.

    Before: `@fit_chunk(%rows, ..., %capacity)`.
    After: `@fit_chunk_256(%rows, ...)`, `@fit_chunk_128`, ..., `@fit_chunk_1`.

    The rungs of a step differ only in the sizes of their buffers. With
    `share-launches`, the rungs below the largest one of a step of many launches
    have their buffers alone, and `tamk.launches_of` with the name of the
    largest: enough to plan them and to write their tables of launches.
  }];
  let options = [
    Option<"chunkRows", "chunk-rows", "int64_t", /*default=*/"0",
           "Rows of the largest rung; 0: the model's `chunk_rows`, else by the sums' size">,
    Option<"shareLaunches", "share-launches", "int64_t", /*default=*/"-1",
           "Least operands of all rungs of a step from which on they share its launches (-1: none does)">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every allocation its offset in an arena";
  let description = [{
    Replaces every `memref.alloc` of a function by a `memref.view` of one arena
    per memory space, at an offset that a planning strategy chose from the sizes
    and live ranges of all allocations. Deallocations of what was planned are
    removed. The function gets the attribute `tamk.plan`, which also has the
    alignment of the arenas: `alignment`, or more if an allocation or its
    elements require it. Each view gets `tamk.buffer`, its row in the plan.

    The option `arena` says where the arena comes from: a new argument of the
    function for each memory space (`argument`), one allocation at the
    function's begin (`alloc`), or a global (`global`). A global allows only one
    activation of the function at a time; a function is refused that the module
    may enter while it runs: if it is recursive, or if it is reached by a call
    in an op that does not run its regions one after another, such as a parallel
    loop or `async.execute`, or from a function that anything but a call refers
    to.

    A buffer may reach its uses, and its deallocation, through views,
    `arith.select`, the results and arguments of structured control flow, and
    the arguments of the function's blocks. It lives from its first use to its
    last, in several blocks where a later use can be reached, and a use of a
    value is one of each buffer that it may name. Buffers that leave different
    branches of one op share an address. A loop may exchange buffers from
    outside, and carry on what it allocates if the memory of one iteration is
    not used after the next has allocated its own. A deallocation that may free
    memory that is not planned stays, and is skipped if the address is in the
    arena. Addresses may be compared, also by the helper of upstream's lowering
    of deallocations.

    Each iteration of a parallel loop gets an arena for what it allocates, if
    there are at most `parallel-arenas` of them; together they are one buffer,
    needed during the loop. What `async.execute` allocates is needed until its
    block awaits it.

    With `arena=argument` the arena of a private function that is only called is
    passed by its callers, as an allocation of theirs that lasts for the call.

    An allocation that has no single safe address is refused, with the reason.
    These are allocations that leave the function; that a loop carries on and
    uses beside that of the next iteration; that have unknown aliases; that an
    op may still use after it has finished (a DMA transfer, an asynchronous op
    with a token); that too many threads may execute at once; that a callee may
    free, or use after it has returned; or whose size or layout is not static
    and contiguous. A call of a function outside the module is taken to use its
    operands only until it returns. Refused allocations stay as they are, with a
    remark; with `strict` they are errors. With `report` a remark on each
    function has the bytes of its arenas, the lower bound, and the bytes of its
    allocations before planning.

    With `dynamic=symbolic` a size may also be a sum of products of arguments of
    index type, dimensions of arguments, and constants that are not negative.
    Then the plan is made with 1024 for each such value (less if sizes would be
    too large), and only the order of the buffers in the arena is kept.
    Arithmetic at the begin of the function computes the offsets and the size of
    the arena, valid for all values. All allocations count, also those that a
    run does not reach; a negative size counts as 0. With `arena=argument` the
    function `<name>_arena_size`, with the same arguments except the arenas,
    returns the bytes that each arena needs; it is an error if that name is
    taken. A global, or the arena of a step, has no dynamic size. In the plan,
    `bytes`, `offset` and the totals are for the value `sizes_at` of each such
    argument or dimension, and `size` is the expression of a size in `arg0`,
    `arg1_dim0` and so on.

    With `reuse=program` two buffers may share bytes if, in program order, the
    last use of the first comes before the first use of the second. Then the
    first user of the second must wait for the last users of the first, which
    matters if parts of the program run in parallel; `report` lists those hidden
    dependencies. With `reuse=branch-safe` buffers share bytes only if the data
    flow orders every use of the first before every use of the second, so that
    planning adds no dependency; `report` has the cost. Data flows through
    results of ops and through memory, by the ops' effects and upstream's alias
    analysis; an op of unknown effects is ordered with every op that accesses
    memory that it may access. For buffers allocated outside, an op with regions
    is one op; its regions, and the iterations of a loop, run one after another.

    With `spaces`, each allocation without a memory space goes to one of those
    listed: with `spaces=1:0:65536,default:1` to space 1, which has 65,536
    bytes, or to the default one. An op that uses a buffer costs the space's
    cost for each byte of the buffer; of ops in a loop or branch that the buffer
    is allocated outside of, the whole loop or branch is the op. The sum of the
    costs is least, and within that the bytes of the arenas. Views of a buffer
    get the space into their types; other ops that need a type, as calls and
    loops that pass a buffer on, get it through `memref.memory_space_cast`. It
    is an error if the allocations do not fit the capacities.

    With `evict` a buffer may move to another of the spaces between two of its
    uses, by a `memref.copy` that costs 1 for each byte, if the moves make the
    sum lower. Only buffers move whose uses are all in the block of the
    allocation, or in ops of that block during which no other buffer begins or
    ends, and which have no names but views. Each stay in a space is a row of
    the plan.

    Functions whose buffers differ only in the unit of their sizes, as the steps
    for 1,024 and 512 rows do, are planned once.

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
           "Alignment in bytes of every offset, a power of 2; elements of "
           "larger natural alignment have that">,
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
           "What to do with allocations of dynamic shape",
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
                          "if the order of the program allows it"),
               clEnumValN(::tamc::planning::Reuse::BranchSafe, "branch-safe",
                          "if every order that respects the data "
                          "flow allows it"))}]>,
    ListOption<"spaces", "spaces", "std::string",
               "Memory spaces that allocations without one are placed in, "
               "each SPACE:COST or SPACE:COST:CAPACITY; `default` is the "
               "space of types that name none">,
    Option<"evict", "evict", "bool", /*default=*/"false",
           "With `spaces`, buffers may move between them, by copies between "
           "their uses">,
    Option<"parallelArenas", "parallel-arenas", "int64_t", /*default=*/"64",
           "Most iterations of a parallel loop that get an arena each for what "
           "they allocate">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Refused allocations are errors">,
    Option<"report", "report", "bool", /*default=*/"true",
           "Emit a remark with the bytes that planning saves">,
    Option<"keepPlan", "keep-plan", "bool", /*default=*/"true",
           "Keep each plan as `tamk.plan`, which tools without that dialect "
           "cannot read">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::tamc::tam::TamDialect",
                           "::tamc::tamk::TamKDialect"];
}

def CheckPlan : Pass<"check-plan", "::mlir::ModuleOp"> {
  let summary = "Make a planned program trap when its plan is wrong";
  let description = [{
    Instruments the functions that `plan-memory` planned. A shadow of each arena
    stores which buffer owns each byte. At its first use after its allocation a
    buffer takes ownership of its bytes. At every use it must own all of them,
    else the program aborts and names the buffer. A view that exceeds its arena
    is an error if offset, size and arena are constants, and otherwise aborts
    the program. A view whose row is not in the plan is an error, too. The pass
    reads no more of the plan: live ranges follow from the execution, offsets
    from the views. Which values may name a buffer, and in which blocks, it
    finds as the planner does. All memory that one allocation makes is one
    buffer: the pass does not see that a loop uses the memory of one iteration
    when the next has allocated its own at the same address; the program's
    results show that.

    The attribute `tamk.plan` goes: the result needs no dialect of tamc.

    Needs a shadow of eight times the arena and a pass over a buffer's bytes at
    each use; intended for tests.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def TamKVerifyPlanned : Pass<"tamk-verify-planned", "::mlir::ModuleOp"> {
  let summary = "Check that no step allocates";
}

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_TD
