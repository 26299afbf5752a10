//===- Passes.td - passes between dialects -----------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_PASSES_TD
#define TAMC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTamToTamK : Pass<"convert-tam-to-tamk", "::mlir::ModuleOp"> {
  let summary = "Select a kernel for every op of the solver graph";
  let description = [{
    A value with an encoding becomes its components (1:N). An op becomes one
    launch of the kernel for its encodings. The runtime owns the arguments and
    results of a step: they become memrefs that are read or written in place.
    Temporaries become `tensor.empty` of `capacity` rows.

    Before:
    ```mlir
    %a = tam.bspline %x, %p {...} -> tensor<?x23xf64, #tam.banded<4>>
    ```
    After:
    ```mlir
    %v0 = tensor.empty(%capacity) : tensor<?x4xf64>
    %s0 = tensor.empty(%capacity) : tensor<?xi32>
    %v, %s = tamk.launch "bspline" ins(%x, %p ...) ... outs(%v0, %s0 ...)
    ```

    A `tam.rows` becomes a launch of its row loop (convert-tam-rows-to-loops).
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect",
    "::tamc::tamk::TamKDialect",
  ];
}

def ConvertTamRowsToLoops
    : Pass<"convert-tam-rows-to-loops", "::mlir::ModuleOp"> {
  let summary = "Write the loops over rows";
  let description = [{
    Writes a function for each `tam.rows`, into the module `@row_loops`, and
    notes its symbol at the op. Functions consist of ops of upstream dialects
    (arith, func, math, memref, scf, vector), of launches of kernels of the
    runtime, and of tamk.launder. They multiply and add numbers in the order of
    the runtime's kernels; conversions must not contract them.

    Before:
    ```mlir
    %g = tam.rows(%x : tensor<?xf64>) into(%g0 : ...) {...}
    ```
    After:
    ```mlir
    module @row_loops {
      func.func private @rows_0(%x: memref<?xf64>, %rows: index,
          %g: memref<1xf64>) attributes {tamk.kernel} {
        ...
        scf.for %i = %c0 to %rows step %c128 {...}
      }
    }
    %g = tam.rows @row_loops::@rows_0(%x : tensor<?xf64>) into(%g0 : ...) {...}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
    "::tamc::tamk::TamKDialect",
  ];
}

def VerifyRowLoops : Pass<"verify-row-loops", "::mlir::ModuleOp"> {
  let summary = "Check that each tam.rows has its loop";
  let description = [{
    Ends the phase `loops`: each `tam.rows` has a loop, and the functions of
    `@row_loops` consist of the ops that convert-tam-rows-to-loops writes, on
    buffers of rank 1 and of contiguous numbers.
  }];
}

def ConvertTamKToLLVM : Pass<"convert-tamk-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower planned steps to the LLVM dialect";
  let description = [{
    Each step becomes a function with the signature of `tamrt_step_function`
    (abi.h). Slots become loads and offsets from its parameters, memrefs become
    bare pointers, views of the arena become pointers at constant offsets, and
    launches become calls. There are no memref descriptors.

    Row loops become functions, too. The address of a memref's first element
    takes its place. The attribute `tamk.versions`, which is passed on to LLVM,
    marks those of which there is a version for each set of instructions that
    the target knows.

    The launches of a step become a `tamrt_launches`, too, a table, which devices
    read that run several calls of a step together. The clones of
    a step for chunks of other sizes differ from it in the offsets of views
    alone and share the rest of the table. The function of a step whose launches
    have many operands reads its table instead of being code.

    The elements of all constants become one global.
  }];
  let options = [
    Option<"tableOperands", "table-operands", "int64_t", /*default=*/"512",
           "Least operands of a step, in all its rungs, whose functions read its table (0: all)">,
    Option<"library", "library", "bool", /*default=*/"false",
           "Translate for a library, which runs on the CPU alone: make tables "
           "only of the steps whose functions read them, and remove the steps "
           "for standard errors and the choice of penalties">,
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
  ];
}

def ConvertTamKToEmitC : Pass<"convert-tamk-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Write planned steps as C++";
  let description = [{
    Each step becomes a function with the signature of `tamrt_step_function`
    (abi.h) that declares every buffer at its offset in the arena, with a
    comment on its purpose, and calls the kernels. The model's description
    becomes the constant `symbol`, and `main` calls the runtime. MLIR's own
    translation prints the C++ text. Generated kernels are declared as
    `<prefix>_<kernel>`, without their code.
  }];
  let options = [
    Option<"symbol", "symbol", "std::string", /*default=*/"\"tam_model\"",
           "Name of the model's constant">,
    Option<"prefix", "prefix", "std::string", /*default=*/"\"model\"",
           "Prefix of the names of generated kernels">,
    Option<"version", "version", "std::string", /*default=*/"\"\"",
           "Version of the compiler">,
  ];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

def ExportModel : Pass<"export-model", "::mlir::ModuleOp"> {
  let summary = "Describe the model to the runtime";
  let description = [{
    Turns the module's `tam.model`, its variants (#tam.variant), and the steps'
    `tam.step` and `tamk.plan` into one constant of type `tamrt_model` (abi.h) named `symbol`, and with
    `main` adds the executable's entry point. With `prefix` there is no `main`
    and the constant is the module's own; functions `<prefix>_fit`,
    `<prefix>_predict` and so on pass it to the runtime for embedded models.
  }];
  let options = [
    Option<"symbol", "symbol", "std::string", /*default=*/"\"tam_model\"",
           "Name of the constant">,
    Option<"entry", "main", "bool", /*default=*/"true",
           "Add a main function">,
    Option<"prefix", "prefix", "std::string", /*default=*/"\"\"",
           "Add the functions of a library, with this prefix in their names">,
    Option<"version", "version", "std::string", /*default=*/"\"\"",
           "Version of the compiler">,
    Option<"windows", "windows", "std::string",
           /*default=*/"::tamc::tam::kWindowModelName.str()",
           "Name of the constant of the model that is fitted in windows">,
    Option<"devices", "devices", "std::string", /*default=*/"\"\"",
           "Name of the constant of the model with the steps for devices">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TAMC_CONVERSION_PASSES_TD
