// A constant index of llvm.getelementptr has 29 bits; the state of a large
// model, 2 x n x n doubles and more, is at larger offsets.
//
// RUN: tam-opt %s --convert-tamk-to-llvm | FileCheck %s
// RUN: tam-opt %s --convert-tamk-to-llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=IR

// CHECK-LABEL: llvm.func internal @fit_init(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %[[STATE:[^:]*]]: !llvm.ptr
func.func @fit_init(
    %a: memref<8xf64> {tam.slot = #tam.slot<state, 268435392>},
    %b: memref<8xf64> {tam.slot = #tam.slot<state, 268435456>},
    %c: memref<8xf64> {tam.slot = #tam.slot<state, 4294967360>}) {
  // The last offset that fits, the first that does not, and one of 33 bits.
  // CHECK: llvm.getelementptr %[[STATE]][268435392]
  // CHECK: %[[B:.*]] = llvm.mlir.constant(268435456 : i64) : i64
  // CHECK: llvm.getelementptr %[[STATE]][%[[B]]] : (!llvm.ptr, i64)
  // CHECK: %[[C:.*]] = llvm.mlir.constant(4294967360 : i64) : i64
  // CHECK: llvm.getelementptr %[[STATE]][%[[C]]] : (!llvm.ptr, i64)
  // IR: getelementptr i8, ptr %{{[0-9]+}}, i32 268435392
  // IR: getelementptr i8, ptr %{{[0-9]+}}, i64 268435456
  // IR: getelementptr i8, ptr %{{[0-9]+}}, i64 4294967360
  %n = arith.constant 8 : i64
  tamk.launch "zero" scalars(%n : i64) outs(%a : memref<8xf64>)
  tamk.launch "zero" scalars(%n : i64) outs(%b : memref<8xf64>)
  tamk.launch "zero" scalars(%n : i64) outs(%c : memref<8xf64>)
  return
}
