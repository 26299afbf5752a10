//===- TamKOps.td - kernel launches ------------------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_TAMKOPS_TD
#define TAMC_DIALECT_TAMK_IR_TAMKOPS_TD

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

    After planning, a step carries `tamk.plan`, a dictionary with the plan of
    its arena.
  }];
  let dependentDialects = [];
  let hasOperationAttrVerify = 1;
}

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
