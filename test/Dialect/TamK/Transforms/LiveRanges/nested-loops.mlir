// Allocations in a loop are free at the end of an iteration, also for the
// neighbouring loop.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// %a beside %b or %c.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: naive_bytes = 192
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf64>
    func.call @use(%a) : (memref<8xf64>) -> ()
    scf.for %j = %c0 to %n step %c1 {
      %b = memref.alloc() : memref<8xf64>
      func.call @use(%b) : (memref<8xf64>) -> ()
    }
    scf.for %j = %c0 to %n step %c1 {
      %c = memref.alloc() : memref<8xf64>
      func.call @use(%c) : (memref<8xf64>) -> ()
      func.call @use(%a) : (memref<8xf64>) -> ()
    }
  }
  return
}
