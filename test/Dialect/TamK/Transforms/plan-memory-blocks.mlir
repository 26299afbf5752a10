// Branches between the blocks of a region may form a loop: a buffer that is
// used in one of the blocks is used in the whole region.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: first = 0, last = 3>
// CHECK-SAME: first = 0, last = 3>
func.func @f(%p: i1, %v: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  scf.execute_region {
    cf.br ^bb1
  ^bb1:
    memref.store %v, %a[%c0] : memref<8xf64>
    memref.store %v, %b[%c0] : memref<8xf64>
    cf.cond_br %p, ^bb1, ^bb2
  ^bb2:
    %x = memref.load %b[%c0] : memref<8xf64>
    scf.yield
  }
  return
}
