// If a buffer is allocated outside a loop, the next iteration may read what
// this one wrote: it is needed during the whole loop, whichever branch uses it.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
func.func @f(%p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      func.call @use(%a) : (memref<8xf64>) -> ()
    }
    %b = memref.alloc() : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
  }
  return
}
