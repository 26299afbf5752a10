// Arenas and buffers of dynamic size: the shadow is as large as the arena, and
// a buffer that is not in its arena aborts before it is used.
//
// RUN: tam-opt %s --plan-memory="report=false dynamic=symbolic" --check-plan \
// RUN:   | FileCheck %s

func.func private @use(memref<?xf64>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[N:.*]]: index, %[[ARENA:.*]]: memref<?xi8>)
// CHECK: %[[COUNT:.*]] = memref.dim %[[ARENA]]
// CHECK: %[[SHADOW_ALLOC:.*]] = memref.alloc(%[[COUNT]]) : memref<?xindex>
// CHECK: %[[SHADOW:.*]] = memref.cast %[[SHADOW_ALLOC]]
// CHECK: memref.view %[[ARENA]][%[[SHIFT:.*]]][%[[N]]]
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[EIGHT]], %[[N]]
// CHECK: cf.assert %{{.*}}, "wrong memory plan: buffer 0 in 'f' reaches over the end of its arena"
// CHECK: call @__plan_claim(%[[SHADOW]], %{{.*}}, %[[SHIFT]], %[[BYTES]],
// CHECK: cf.assert {{.*}} uses buffer 0
// CHECK: call @use(
func.func @f(%n: index) {
  %a = memref.alloc(%n) : memref<?xf64>
  call @use(%a) : (memref<?xf64>) -> ()
  return
}
