// All buffers of an op claim their bytes before any is checked: if two overlap,
// the check of one fails.
//
// RUN: tam-opt %s --check-plan | FileCheck %s

func.func private @use2(memref<8xf64>, memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK: call @__plan_claim(
// CHECK-NOT: @__plan_owns
// CHECK: call @__plan_claim(
// CHECK: call @__plan_owns(
// CHECK: call @__plan_owns(
// CHECK: call @use2(
func.func @f(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>,
        <bytes = 64, offset = 64, first = 0, last = 0>]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] {tamk.buffer = 0} : memref<128xi8> to memref<8xf64>
  %b = memref.view %arena[%c64][] {tamk.buffer = 1} : memref<128xi8> to memref<8xf64>
  call @use2(%a, %b) : (memref<8xf64>, memref<8xf64>) -> ()
  return
}
