// RUN: tam-opt %s -plan-memory="arena=alloc strict" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALLOC
// RUN: tam-opt %s -plan-memory="arena=argument strict report=false" \
// RUN:   | FileCheck %s

// The results of a call that are numbers name no memory.

func.func private @sum(%x: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<8xf32>
  return %0 : f32
}

// CHECK-LABEL: func.func private @twice
// CHECK-SAME: memref<64xi8>
// ALLOC: remark: planned 1 of 1 allocations
func.func private @twice(%v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %x = memref.alloc() : memref<8xf32>
  memref.store %v, %x[%c0] : memref<8xf32>
  %r = call @sum(%x) : (memref<8xf32>) -> f32
  %s = arith.addf %r, %r : f32
  return %s : f32
}

// The arena of the callee is a buffer of its caller.
// CHECK-LABEL: func.func @main
// CHECK-SAME: memref<64xi8>
// CHECK-NOT: memref.alloc
// CHECK: call @twice({{.*}}) : (f32, memref<64xi8>) -> f32
// CHECK-NOT: memref.alloc
func.func @main(%v: f32) -> f32 {
  %r = call @twice(%v) : (f32) -> f32
  return %r : f32
}
