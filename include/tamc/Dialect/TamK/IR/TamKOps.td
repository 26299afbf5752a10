//===- TamKOps.td - kernel launches ------------------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_TAMKOPS_TD
#define TAMC_DIALECT_TAMK_IR_TAMKOPS_TD

include "tamc/Dialect/ListParameter.td"

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def TamK_Dialect : Dialect {
  let name = "tamk";
  let cppNamespace = "::tamc::tamk";
  let summary = "Kernel launches of a compiled model";
  let description = [{
    `tamk.launch`, in destination-passing style, on plain tensors and then on
    memrefs, launches a kernel of `include/tamrt/kernels.def` or a row loop.

    Row loops are the functions of the module `@row_loops` beside the steps. The
    pass convert-tam-rows-to-loops writes them, in upstream dialects; in them
    `tamk.launch` calls kernels of the runtime. A loop that steps launch has the
    attribute `tamk.kernel`, and `tamk.baseline` if it is worth only one copy,
    whatever instruction sets the machine has. `tamk.rarity = N` on an `scf.if`
    says that its condition holds once in N cases.

    After planning, a step carries `tamk.plan`, the #tamk.plan of its arena.
  }];
  let dependentDialects = [];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// The plan of an arena
//===----------------------------------------------------------------------===//

def TamK_BufferAttr : AttrDef<TamK_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A buffer of a plan";
  let description = [{
    The parameter of the kernel that writes it first, the op of the solver graph
    and the term that this launch serves; its bytes and the formula of its size
    if that is not static; its place in the arena of its space; the launches
    before which it is first and last in use.

    Constraints:
    * (buffer_c1) 0 <= bytes, 0 <= offset, 0 <= first <= last.
  }];
  let parameters = (ins StringRefParameter<"of the kernel", [{""}]>:$name,
                        StringRefParameter<"of the graph", [{""}]>:$op,
                        StringRefParameter<"of the formula", [{""}]>:$term,
                        "int64_t":$bytes,
                        StringRefParameter<"of the bytes", [{""}]>:$size,
                        "int64_t":$offset,
                        "int64_t":$first,
                        "int64_t":$last,
                        DefaultValuedParameter<"int64_t", "0">:$space);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TamK_ReuseProgram : I32EnumAttrCase<"Program", 0, "program">;
def TamK_ReuseBranchSafe : I32EnumAttrCase<"BranchSafe", 1, "branch_safe">;
def TamK_Reuse : I32EnumAttr<"Reuse", "which buffers may share memory",
    [TamK_ReuseProgram, TamK_ReuseBranchSafe]> {
  let cppNamespace = "::tamc::tamk";
}

def TamK_PlanAttr : AttrDef<TamK_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "The plan of the arena of a function";
  let description = [{
    `length`: launches of the function. `naive_bytes`: with every buffer after
    the one before. `sizes_at`: the value that offsets and bytes are given for
    if sizes are not static.

    Constraints:
    * (plan_c1) no number is negative, and the alignment is a power of two.
    * (plan_c2) every buffer ends within the arena's bytes.
    * (plan_c3) `tamk.plan` is a #tamk.plan, on a function.
    * (plan_c4) `tamk.buffer`, the row of a buffer, is an i64 from 0 on, on a
      `memref.view`.
  }];
  let parameters = (ins "int64_t":$arena_bytes,
                        DefaultValuedParameter<"int64_t", "64">:$alignment,
                        DefaultValuedParameter<"int64_t", "0">:$lower_bound_bytes,
                        DefaultValuedParameter<"int64_t", "0">:$naive_bytes,
                        DefaultValuedParameter<"int64_t", "0">:$length,
                        DefaultValuedParameter<"::tamc::tamk::Reuse",
                            "::tamc::tamk::Reuse::Program">:$reuse,
                        StringRefParameter<"that made it", [{""}]>:$strategy,
                        OptionalParameter<"std::optional<int64_t>">:$sizes_at,
                        Tamc_OptionalList<"::tamc::tamk::BufferAttr",
                                          "by their row">:$buffers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The method that made the plan: the strategy, and the kind of reuse if it
    /// is not that of program order, as in "tree+, reuse branch-safe".
    std::string getMethod();
  }];
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def TamK_Buffer : AnyTypeOf<[RankedTensorOf<[F64, I32, I64]>,
                             MemRefOf<[F64, I32, I64]>]>;
def TamK_Scalar : AnyTypeOf<[Index, I64, F64]>;

def TamK_LaunchOp : Op<TamK_Dialect, "launch",
    [AttrSizedOperandSegments, DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launches a kernel";
  let description = [{
    Calls `tamrt_<kernel>` with the context, the inputs, the scalars and the
    destinations, in the order of kernels.def. `absent` lists, by position among
    the kernel's inputs, the optional ones that are left out (null). On tensors
    there is one result per destination; on memrefs there is none. `source` is
    the op of the solver graph that the launch serves.

    A `generated` kernel is not one of the runtime's: it is the function
    `kernel` of `@row_loops`, takes the same operands as memrefs and updates all
    its destinations.

    ```mlir
    %v, %s = tamk.launch "bspline" ins(%x, %p : tensor<?xf64>, tensor<4xf64>)
        scalars(%rows, %k, %d, %m : index, i64, i64, i64)
        outs(%v0, %s0 : tensor<?x4xf64>, tensor<?xi32>)
        source "tam.bspline" -> tensor<?x4xf64>, tensor<?xi32>
    ```

    Constraints:
    * (launch_c1) the kernel exists; a generated one takes as many operands.
    * (launch_c2) there is one operand for each parameter of the kernel, except
      absent optional ones and the list, which takes any number.
    * (launch_c3) element types and scalars' types are those of the parameters;
      `index` counts as i64.
    * (launch_c4) operands are all tensors or all memrefs; on tensors results
      have the destinations' types, on memrefs there are none.
    * (launch_c5) memrefs have the identity layout; in a row loop, they may
      start at any offset.
    * (launch_c6) no input of a generated kernel is absent.
    * (launch_c7) a generated kernel takes a buffer as a memref of the same
      element type and of a shape that fits, and a scalar with its own type.
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<TamK_Buffer>:$inputs,
      Variadic<TamK_Scalar>:$scalars, Variadic<TamK_Buffer>:$inits,
      OptionalAttr<DenseI32ArrayAttr>:$absent, OptionalAttr<StrAttr>:$source,
      UnitAttr:$generated);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`absent` $absent^)?
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    `outs` `(` $inits `:` type($inits) `)`
    (`source` $source^)? attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
    /// Whether the kernel reads destination `index` before it writes it.
    bool readsInit(unsigned index);
    /// Name of the kernel's parameter that destination `index` is bound to.
    ::llvm::StringRef getInitName(unsigned index);
  }];
  let hasVerifier = 1;
}

def TamK_LaunderOp : Op<TamK_Dialect, "launder",
    [Pure, AllTypesMatch<["buffer", "result"]>]> {
  let summary = "the same buffer, under an address that optimizers do not know";
  let description = [{
    Returns its operand. In a row, the addresses of the accumulators depend on
    the row; but their distances from the first one do not, so that an optimizer
    computes an address for each of them before the loop, which are far more
    than there are registers. Addresses from a laundered buffer are computed
    where they are used.

    ```mlir
    %sums = tamk.launder %state : memref<4096xf64>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

#endif // TAMC_DIALECT_TAMK_IR_TAMKOPS_TD
