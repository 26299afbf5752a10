// What a parallel loop uses is needed until all its threads have ended.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

// CHECK-LABEL: func.func @parallel(
// CHECK-SAME: memref<128xi8>)
func.func @parallel(%n: index, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %a[%i] : memref<8xf64>
    memref.store %v, %b[%i] : memref<8xf64>
  }
  return
}

// CHECK-LABEL: func.func @forall(
// CHECK-SAME: memref<128xi8>)
func.func @forall(%v: f64) {
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  scf.forall (%i) in (8) {
    memref.store %v, %a[%i] : memref<8xf64>
    memref.store %v, %b[%i] : memref<8xf64>
  }
  return
}
