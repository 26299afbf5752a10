// A program whose callees' arenas are parts of its own, run with check-plan.
//
// RUN: %plugin-opt %s --pass-pipeline="builtin.module(plan-memory{report=false strict},check-plan)" \
// RUN:   | sed -e '$d' | sed -e '$d' > %t.mlir
// RUN: cat %S/Inputs/start.txt >> %t.mlir
// RUN: %lower %t.mlir | %run-main | FileCheck %s

func.func private @printF64(f64)
func.func private @printNewline()

// Twice the number, by way of two buffers.
func.func private @twice(%m: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.copy %m, %a : memref<8xf64> to memref<8xf64>
  memref.copy %a, %b : memref<8xf64> to memref<8xf64>
  %v = memref.load %a[%c0] : memref<8xf64>
  %w = memref.load %b[%c0] : memref<8xf64>
  %sum = arith.addf %v, %w : f64
  memref.store %sum, %m[%c0] : memref<8xf64>
  memref.dealloc %a : memref<8xf64>
  memref.dealloc %b : memref<8xf64>
  return
}

func.func private @show(%m: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<8xf64>
  call @printF64(%v) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// CHECK: 12
func.func @work() {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %three, %a[%c0] : memref<8xf64>
  call @twice(%a) : (memref<8xf64>) -> ()
  call @twice(%a) : (memref<8xf64>) -> ()
  call @show(%a) : (memref<8xf64>) -> ()
  memref.dealloc %a : memref<8xf64>
  return
}
