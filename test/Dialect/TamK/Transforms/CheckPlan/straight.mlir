// Before its first use a buffer claims its bytes, before each use it must own
// them; a new allocation has claimed nothing.
//
// RUN: tam-opt %s --plan-memory=report=false --check-plan | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[ARENA:.*]]: memref<64xi8>)
// CHECK: %[[SHADOW_ALLOC:.*]] = memref.alloc() : memref<64xindex>
// CHECK: %[[SHADOW:.*]] = memref.cast %[[SHADOW_ALLOC]]
// CHECK: %[[CLAIMED_ALLOC:.*]] = memref.alloc() : memref<1xi1>
// CHECK: %[[CLAIMED:.*]] = memref.cast %[[CLAIMED_ALLOC]]
// CHECK: %[[SHIFT:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[ARENA]][%[[SHIFT]]][]
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: memref.store %[[NO]], %[[CLAIMED]][
// CHECK: %[[BYTES:.*]] = arith.constant 64 : index
// CHECK: call @__plan_claim(%[[SHADOW]], %[[CLAIMED]], %[[SHIFT]], %[[BYTES]],
// CHECK: %[[OWNS:.*]] = call @__plan_owns(%[[SHADOW]], %[[CLAIMED]], %[[SHIFT]],
// CHECK: cf.assert %[[OWNS]], "wrong memory plan: 'func.call' in 'f' uses buffer 0, whose bytes another buffer took"
// CHECK-NEXT: call @use(
// CHECK: memref.dealloc %[[CLAIMED_ALLOC]]
// CHECK: memref.dealloc %[[SHADOW_ALLOC]]
// CHECK: return
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func private @__plan_claim(
// CHECK: scf.if
// CHECK: scf.for
// CHECK-LABEL: func.func private @__plan_owns(
// CHECK: scf.for
// CHECK: arith.cmpi eq
