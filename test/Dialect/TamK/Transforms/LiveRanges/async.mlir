// What an asynchronous op uses is needed until the block waits for the op; with
// no such wait it is not planned.
//
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{report=false})" | FileCheck %s

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @awaited(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: first = 0, last = 3
// CHECK-SAME: first = 1, last = 2
// CHECK-SAME: first = 3, last = 4
func.func @awaited() {
  %a = memref.alloc() : memref<8xf64>
  %token = async.execute {
    func.call @use(%a) : (memref<8xf64>) -> ()
    async.yield
  }
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  async.await %token : !async.token
  %c = memref.alloc() : memref<8xf64>
  call @use(%c) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @not_awaited(
// CHECK: memref.alloc
func.func @not_awaited() -> !async.token {
  // expected-remark @+1 {{not planned: it is used inside 'async.execute', which may run later or at once}}
  %a = memref.alloc() : memref<8xf64>
  %token = async.execute {
    func.call @use(%a) : (memref<8xf64>) -> ()
    async.yield
  }
  return %token : !async.token
}
