// Loops of the affine dialect.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
// CHECK-NOT: memref.alloc
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf64>
    %b = memref.alloc() : memref<8xf64>
    affine.store %v, %b[%i] : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
  }
  return
}
