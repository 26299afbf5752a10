// Functions that were not planned, and views that are not buffers of a plan,
// are not changed.
//
// RUN: tam-opt %s --check-plan | FileCheck %s

// CHECK-NOT: __plan
// CHECK-NOT: cf.assert
func.func private @use(memref<8xf64>)
func.func @not_planned(%m: memref<128xi8>) {
  %c0 = arith.constant 0 : index
  %a = memref.view %m[%c0][] : memref<128xi8> to memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}
