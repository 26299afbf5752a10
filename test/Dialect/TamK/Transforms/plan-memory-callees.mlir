// What a function of the module frees, or uses after it has returned, its caller
// cannot give it from an arena.
//
// RUN: %plugin-opt %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc report=false})" \
// RUN:   -o /dev/null

// Not lowered.
func.func private @drop(%m: memref<4xf64>) {
  %true = arith.constant true
  bufferization.dealloc (%m : memref<4xf64>) if (%true)
  return
}
func.func @not_lowered() {
  // expected-remark @+1 {{not planned: 'drop' may free it}}
  %a = memref.alloc() : memref<4xf64>
  call @drop(%a) : (memref<4xf64>) -> ()
  return
}

// -----

// By the dialect of another device.
func.func private @drop(%m: memref<4xf64>) {
  gpu.dealloc %m : memref<4xf64>
  return
}
func.func @of_device() {
  // expected-remark @+1 {{not planned: 'drop' may free it}}
  %a = memref.alloc() : memref<4xf64>
  call @drop(%a) : (memref<4xf64>) -> ()
  return
}

// -----

// By a name that may be any function's.
func.func private @drop(%m: memref<4xf64>) {
  memref.dealloc %m : memref<4xf64>
  return
}
func.func private @through(%m: memref<4xf64>, %f: (memref<4xf64>) -> ()) {
  func.call_indirect %f(%m) : (memref<4xf64>) -> ()
  return
}
func.func @indirect() {
  %f = func.constant @drop : (memref<4xf64>) -> ()
  // expected-remark @+1 {{not planned: 'func.call_indirect' may free it}}
  %a = memref.alloc() : memref<4xf64>
  func.call_indirect %f(%a) : (memref<4xf64>) -> ()
  // expected-remark @+1 {{not planned: 'through' may free it}}
  %b = memref.alloc() : memref<4xf64>
  call @through(%b, %f) : (memref<4xf64>, (memref<4xf64>) -> ()) -> ()
  return
}

// -----

// Nothing frees.
func.func private @keep(%m: memref<4xf64>) {
  return
}
func.func @indirect_use() {
  %f = func.constant @keep : (memref<4xf64>) -> ()
  %a = memref.alloc() : memref<4xf64>
  func.call_indirect %f(%a) : (memref<4xf64>) -> ()
  return
}

// -----

// It starts something that nobody waits for.
func.func private @start(%m: memref<4xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %token = async.execute {
    memref.store %v, %m[%c0] : memref<4xf64>
    async.yield
  }
  return
}
func.func private @start_in_turn(%m: memref<4xf64>, %v: f64) {
  call @start(%m, %v) : (memref<4xf64>, f64) -> ()
  return
}
func.func private @wait(%m: memref<4xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %token = async.execute {
    memref.store %v, %m[%c0] : memref<4xf64>
    async.yield
  }
  async.await %token : !async.token
  return
}
func.func @started(%v: f64) {
  // expected-remark @+1 {{not planned: 'start_in_turn' may use it after it has returned}}
  %a = memref.alloc() : memref<4xf64>
  call @start_in_turn(%a, %v) : (memref<4xf64>, f64) -> ()
  %b = memref.alloc() : memref<4xf64>
  call @wait(%b, %v) : (memref<4xf64>, f64) -> ()
  return
}

// -----

// It stores the address.
func.func private @store(%m: memref<4xf64>, %t: memref<1xmemref<4xf64>>) {
  %c0 = arith.constant 0 : index
  memref.store %m, %t[%c0] : memref<1xmemref<4xf64>>
  return
}
func.func @stored(%t: memref<1xmemref<4xf64>>) {
  // expected-remark @+1 {{not planned: 'store' may use it after it has returned}}
  %a = memref.alloc() : memref<4xf64>
  call @store(%a, %t) : (memref<4xf64>, memref<1xmemref<4xf64>>) -> ()
  return
}

// -----

// The copy goes on after the return.
func.func private @copy(%m: memref<4xf64>, %h: memref<4xf64>) {
  %wait = gpu.wait async
  %token = gpu.memcpy async [%wait] %h, %m : memref<4xf64>, memref<4xf64>
  return
}
func.func @copied(%h: memref<4xf64>) {
  // expected-remark @+1 {{not planned: 'copy' may use it after it has returned}}
  %a = memref.alloc() : memref<4xf64>
  call @copy(%a, %h) : (memref<4xf64>, memref<4xf64>) -> ()
  return
}
