// Buffers of one block of a function each, in a loop of blocks. The program
// prints the same before and after planning, and every use finds its bytes.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc},check-plan)" \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

// CHECK: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 4
// CHECK-NEXT: 8
// expected-remark @+2 {{planned 3 of 3 allocations: peak 128 bytes, lower bound 128, before 128}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  %start = memref.load %a[%c0] : memref<8xf64>
  memref.dealloc %a : memref<8xf64>
  cf.br ^loop(%c0, %start : index, f64)
^loop(%i: index, %v: f64):
  func.call @printF64(%v) : (f64) -> ()
  func.call @printNewline() : () -> ()
  %more = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %more, ^body, ^end
^body:
  %b = memref.alloc() : memref<8xf64>
  %c = memref.alloc() : memref<8xf64>
  memref.store %v, %b[%c0] : memref<8xf64>
  memref.store %v, %c[%c0] : memref<8xf64>
  %x = memref.load %b[%c0] : memref<8xf64>
  %y = memref.load %c[%c0] : memref<8xf64>
  %w = arith.addf %x, %y : f64
  memref.dealloc %b : memref<8xf64>
  memref.dealloc %c : memref<8xf64>
  %next = arith.addi %i, %c1 : index
  cf.br ^loop(%next, %w : index, f64)
^end:
  return
}
