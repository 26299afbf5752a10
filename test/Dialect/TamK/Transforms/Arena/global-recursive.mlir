// A global arena allows one activation at a time: a function that can be
// entered again while it runs, directly or through another, keeps its
// allocations.
//
// RUN: tam-opt %s --plan-memory="arena=global report=false" \
// RUN:   -verify-diagnostics | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @direct(
// CHECK: memref.alloc()
func.func @direct(%more: i1) {
  // expected-remark @+1 {{not planned: its function is recursive}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  scf.if %more {
    func.call @direct(%more) : (i1) -> ()
  }
  return
}

// CHECK-LABEL: func.func @through(
// CHECK: memref.alloc()
func.func @through(%more: i1) {
  // expected-remark @+1 {{not planned: its function is recursive}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  call @other(%more) : (i1) -> ()
  return
}
func.func @other(%more: i1) {
  call @through(%more) : (i1) -> ()
  return
}
