// Threads of models have stacks of one size; steps that may need more of it,
// along their calls, are an error.
//
// RUN: split-file %s %t
// RUN: tamc --compile-from=llvm %t/fits.mlir --emit=obj -o %t/fits.o
// RUN: not tamc --compile-from=llvm %t/deep.mlir --emit=obj -o %t/deep.o 2>&1 \
// RUN:   | FileCheck %s
// RUN: not ls %t/deep.o
// CHECK: error: expected steps that need at most {{[0-9]+}} bytes of stack, got 80{{[0-9]+}}

//--- fits.mlir
llvm.func @use(!llvm.ptr)
llvm.func @inner() {
  %count = llvm.mlir.constant(400000 : i64) : i64
  %scratch = llvm.alloca %count x i8 : (i64) -> !llvm.ptr
  llvm.call @use(%scratch) : (!llvm.ptr) -> ()
  llvm.return
}

//--- deep.mlir
llvm.func @use(!llvm.ptr)
llvm.func @inner() attributes {no_inline} {
  %count = llvm.mlir.constant(400000 : i64) : i64
  %scratch = llvm.alloca %count x i8 : (i64) -> !llvm.ptr
  llvm.call @use(%scratch) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @outer() {
  %count = llvm.mlir.constant(400000 : i64) : i64
  %scratch = llvm.alloca %count x i8 : (i64) -> !llvm.ptr
  llvm.call @use(%scratch) : (!llvm.ptr) -> ()
  llvm.call @inner() : () -> ()
  llvm.return
}
