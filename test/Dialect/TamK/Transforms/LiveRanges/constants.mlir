// Constants, dimensions and casts take no time: they use no buffer.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>)
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  %m = memref.dim %a, %c0 : memref<8xf64>
  return
}
