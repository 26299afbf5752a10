// A global arena allows one activation at a time: a function keeps its
// allocations if the module may run it several times at once.
//
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=global report=false})" \
// RUN:   | FileCheck %s

// CHECK: memref.global "private" @__arena_in_turn
// CHECK-NOT: memref.global

func.func private @use(memref<8xf64>)

// CHECK-LABEL: func.func @asynchronous(
func.func @asynchronous() {
  // expected-remark @+1 {{not planned: its function may run several times at once}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @in_parallel(
func.func @in_parallel() {
  // expected-remark @+1 {{not planned: its function may run several times at once}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  call @reached() : () -> ()
  return
}

// CHECK-LABEL: func.func @reached(
func.func @reached() {
  // expected-remark @+1 {{not planned: its function may run several times at once}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @in_forall(
func.func @in_forall() {
  // expected-remark @+1 {{not planned: its function may run several times at once}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @referred(
func.func @referred() {
  // expected-remark @+1 {{not planned: its function may run several times at once}}
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @in_turn(
// CHECK: memref.get_global @__arena_in_turn
func.func @in_turn() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

func.func @caller(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %token = async.execute {
    func.call @asynchronous() : () -> ()
    async.yield
  }
  call @asynchronous() : () -> ()
  async.await %token : !async.token
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @in_parallel() : () -> ()
  }
  scf.forall (%i) in (%n) {
    scf.for %j = %c0 to %n step %c1 {
      func.call @in_forall() : () -> ()
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @in_turn() : () -> ()
  }
  call @in_turn() : () -> ()
  %f = func.constant @referred : () -> ()
  return
}
