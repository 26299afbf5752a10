// A declaration neither has nor needs a plan.
//
// RUN: tam-opt %s --convert-tam-to-tamk --plan-memory="strict report=false" \
// RUN:   --tamk-verify-planned | FileCheck %s

// CHECK: func.func private @use(memref<8xf64>){{$}}
func.func private @use(memref<8xf64>)
// CHECK: func.func @f(
// CHECK-SAME: memref<64xi8>) attributes {tamk.plan = #tamk.plan<arena_bytes = 64,
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}
