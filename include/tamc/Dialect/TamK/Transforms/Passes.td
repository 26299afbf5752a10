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

    Before: `@fit_chunk(%rows, ..., %capacity)`.
    After: `@fit_chunk_256(%rows, ...)`, `@fit_chunk_128`, ..., `@fit_chunk_1`.
  }];
  let options = [
    Option<"chunkRows", "chunk-rows", "int64_t", /*default=*/"0",
           "Rows of the largest rung; 0: the model's `chunk_rows`, else 1024">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every allocation its offset in an arena";
  let description = [{
    Replaces every `memref.alloc` of a function by a `memref.view` of one new
    argument per memory space, at an offset that a planning strategy chose from
    the sizes and live ranges of all allocations. Works on any function of
    structured control flow. Deallocations of what was planned are removed. The
    function gets the attribute `tamk.plan`, which also says how the caller
    must align the arenas: to `alignment`, or more where an allocation asks it.

    An allocation that has no single safe address is refused, with the reason:
    one that leaves its region by a terminator, whose aliases are not known,
    that several threads may execute at once, or whose size or layout is not
    static and contiguous. Refused allocations are left alone with a remark, or
    are errors with `strict`.

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
    Option<"strategy", "strategy", "std::string", /*default=*/"\"tree\"",
           "Planning strategy">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment in bytes of every offset">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Refused allocations are errors">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::tamc::tam::TamDialect",
                           "::tamc::tamk::TamKDialect"];
}

def TamKVerifyPlanned : Pass<"tamk-verify-planned", "::mlir::ModuleOp"> {
  let summary = "Check that no step allocates";
}

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_TD
