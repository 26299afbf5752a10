// Both regions of a while loop are one loop.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %r = scf.while (%i = %c0) : (index) -> index {
    func.call @use(%a) : (memref<8xf64>) -> ()
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %b = memref.alloc() : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}
