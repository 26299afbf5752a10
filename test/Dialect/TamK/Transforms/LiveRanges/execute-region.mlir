// A region that is executed once is part of straight-line code.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>)
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  scf.execute_region {
    %b = memref.alloc() : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
    scf.yield
  }
  return
}
