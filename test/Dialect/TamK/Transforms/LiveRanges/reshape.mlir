// The shape of a view is read from memory: until then no other buffer may use
// these bytes, in any order that the data flow allows.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s
// RUN: tam-opt %s --plan-memory="strict report=false reuse=branch-safe" \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>
// CHECK-SAME: bytes = 16, {{.*}}first = 0, last = 4>
// CHECK-SAME: bytes = 16, {{.*}}first = 2, last = 5>
func.func @f(%n: index, %from: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %shape = memref.alloc() : memref<2xindex>
  memref.store %n, %shape[%c0] : memref<2xindex>
  memref.store %n, %shape[%c1] : memref<2xindex>
  %other = memref.alloc() : memref<2xindex>
  memref.store %c1, %other[%c0] : memref<2xindex>
  %view = memref.reshape %from(%shape)
      : (memref<?xf64>, memref<2xindex>) -> memref<?x?xf64>
  %at = memref.load %other[%c0] : memref<2xindex>
  %v = memref.load %view[%at, %at] : memref<?x?xf64>
  return %v : f64
}

// A view of a buffer reads only the shape: earlier readers of the buffer need
// not come before the view.
//
// CHECK-LABEL: func.func @g(
func.func @g(%v: f64, %shape: memref<1xindex>) -> f64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %view = memref.reshape %a(%shape)
      : (memref<8xf64>, memref<1xindex>) -> memref<?xf64>
  %w = memref.load %view[%c0] : memref<?xf64>
  return %w : f64
}
