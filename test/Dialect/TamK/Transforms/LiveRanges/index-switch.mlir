// The cases of a switch never run together.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>)
// CHECK-SAME: naive_bytes = 192
func.func @f(%i: index) {
  scf.index_switch %i
  case 1 {
    %a = memref.alloc() : memref<8xf64>
    func.call @use(%a) : (memref<8xf64>) -> ()
    scf.yield
  }
  case 2 {
    %b = memref.alloc() : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
    scf.yield
  }
  default {
    %c = memref.alloc() : memref<8xf64>
    func.call @use(%c) : (memref<8xf64>) -> ()
  }
  return
}
