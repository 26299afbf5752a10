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

// They end before it returns.
func.func private @mask(%m: memref<4xf64>, %v: vector<4xf64>,
                        %on: vector<4xi1>) {
  %c0 = arith.constant 0 : index
  vector.mask %on {
    vector.transfer_write %v, %m[%c0] {in_bounds = [true]}
        : vector<4xf64>, memref<4xf64>
  } : vector<4xi1>
  return
}
func.func private @gather(%m: memref<4xf64>, %at: memref<8xindex>,
                          %out: memref<8xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                   affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%at : memref<8xindex>) outs(%out : memref<8xf64>) {
  ^bb0(%i: index, %old: f64):
    %x = memref.load %m[%i] : memref<4xf64>
    linalg.yield %x : f64
  }
  return
}
func.func @ended(%v: vector<4xf64>, %on: vector<4xi1>, %at: memref<8xindex>,
                 %out: memref<8xf64>) {
  %a = memref.alloc() : memref<4xf64>
  call @mask(%a, %v, %on)
      : (memref<4xf64>, vector<4xf64>, vector<4xi1>) -> ()
  call @gather(%a, %at, %out)
      : (memref<4xf64>, memref<8xindex>, memref<8xf64>) -> ()
  return
}

// -----

// The address is known after the return, as a number or by another name.
func.func private @number(%m: memref<4xf64>, %t: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %p = memref.extract_aligned_pointer_as_index %m : memref<4xf64> -> index
  memref.store %p, %t[%c0] : memref<1xindex>
  return
}
func.func private @tensor(%m: memref<4xf64>) -> tensor<4xf64> {
  %0 = bufferization.to_tensor %m restrict
      : memref<4xf64> to tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func private @same(%m: memref<4xf64>) -> memref<4xf64> {
  return %m : memref<4xf64>
}
func.func @known(%t: memref<1xindex>) {
  // expected-remark @+1 {{not planned: 'number' may use it after it has returned}}
  %a = memref.alloc() : memref<4xf64>
  call @number(%a, %t) : (memref<4xf64>, memref<1xindex>) -> ()
  // expected-remark @+1 {{not planned: 'tensor' may use it after it has returned}}
  %b = memref.alloc() : memref<4xf64>
  %0 = call @tensor(%b) : (memref<4xf64>) -> tensor<4xf64>
  // expected-remark @+1 {{not planned: the results of 'func.call' may alias it}}
  %c = memref.alloc() : memref<4xf64>
  %1 = call @same(%c) : (memref<4xf64>) -> memref<4xf64>
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
