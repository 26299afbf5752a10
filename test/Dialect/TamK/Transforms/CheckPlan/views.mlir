// A use through a view of a buffer is a use of the buffer.
//
// RUN: tam-opt %s --plan-memory=report=false --check-plan | FileCheck %s

func.func private @use(memref<4xf64, strided<[1], offset: 2>>)

// CHECK-LABEL: func.func @f(
// CHECK: memref.subview
// CHECK: call @__plan_claim(
// CHECK: cf.assert {{.*}} uses buffer 0
// CHECK: call @use(
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  %v = memref.subview %a[2][4][1] : memref<8xf64> to memref<4xf64, strided<[1], offset: 2>>
  call @use(%v) : (memref<4xf64, strided<[1], offset: 2>>) -> ()
  return
}
