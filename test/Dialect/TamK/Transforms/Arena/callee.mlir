// The arena of a private function is a part of its caller's, which lasts for
// the call. Two calls share the bytes; what is alive during a call does not.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @outer(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<128xi8>)
// CHECK: memref.view %[[ARENA]]{{.*}} to memref<8xf64>
// CHECK: %[[FIRST:.*]] = memref.view %[[ARENA]]{{.*}} to memref<64xi8>
// CHECK: call @middle(%[[FIRST]]) : (memref<64xi8>) -> ()
// CHECK: %[[SECOND:.*]] = memref.view %[[ARENA]]{{.*}} to memref<64xi8>
// CHECK: call @middle(%[[SECOND]]) : (memref<64xi8>) -> ()
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @outer() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  call @middle() : () -> ()
  call @middle() : () -> ()
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func private @middle(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<64xi8>)
// CHECK: memref.view %[[ARENA]]{{.*}} to memref<64xi8>
// CHECK: call @inner(
func.func private @middle() {
  call @inner() : () -> ()
  return
}

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<64xi8>)
// CHECK: memref.view %[[ARENA]]{{.*}} to memref<8xf64>
func.func private @inner() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}
