// A use inside a branch needs the buffer there, not to the branch's end: %b
// takes the place of %a within it.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>)
func.func @f(%p: i1) {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  scf.if %p {
    func.call @use(%a) : (memref<8xf64>) -> ()
    %b = memref.alloc() : memref<8xf64>
    func.call @use(%b) : (memref<8xf64>) -> ()
  }
  return
}
