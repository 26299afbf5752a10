// The arena as one allocation at the function's begin, freed at its end; the
// signature stays, so a function that is called can be planned.
//
// RUN: tam-opt %s --plan-memory="arena=alloc report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @callee() attributes
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK: memref.view %[[ARENA]]
// CHECK: memref.view %[[ARENA]]
// CHECK: memref.dealloc %[[ARENA]] : memref<64xi8>
// CHECK-NEXT: return
func.func @callee() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @caller() attributes
// CHECK: call @callee() : () -> ()
func.func @caller() {
  call @callee() : () -> ()
  return
}
