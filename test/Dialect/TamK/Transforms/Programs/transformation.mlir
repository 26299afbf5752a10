// The cases of upstream's best fit and of its arena from an argument, as
// programs that compute something: docs/planning-pass.md compares them.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc alignment=1 strategy=exact},check-plan)" \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

func.func private @put(%m: memref<?xi8>, %v: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %m[%i] : memref<?xi8>
  }
  return
}

// Prints the sum of all bytes.
func.func private @show(%m: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %m, %c0 : memref<?xi8>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f64) {
    %v = memref.load %m[%i] : memref<?xi8>
    %w = arith.sitofp %v : i8 to f64
    %new = arith.addf %old, %w : f64
    scf.yield %new : f64
  }
  call @printF64(%sum) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// 1. The bytes of the first serve the second.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 4096 bytes, lower bound 4096, before 4096}}
func.func private @reuse(%v: i8) {
  %a = memref.alloc() : memref<4096xi8>
  %x = memref.cast %a : memref<4096xi8> to memref<?xi8>
  call @put(%x, %v) : (memref<?xi8>, i8) -> ()
  call @show(%x) : (memref<?xi8>) -> ()
  memref.dealloc %a : memref<4096xi8>
  %b = memref.alloc() : memref<4096xi8>
  %y = memref.cast %b : memref<4096xi8> to memref<?xi8>
  call @put(%y, %v) : (memref<?xi8>, i8) -> ()
  call @show(%y) : (memref<?xi8>) -> ()
  memref.dealloc %b : memref<4096xi8>
  return
}

// 2. Both are needed at one time.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 6144 bytes, lower bound 6144, before 6144}}
func.func private @no_reuse(%v: i8) {
  %a = memref.alloc() : memref<4096xi8>
  %x = memref.cast %a : memref<4096xi8> to memref<?xi8>
  call @put(%x, %v) : (memref<?xi8>, i8) -> ()
  %b = memref.alloc() : memref<2048xi8>
  %y = memref.cast %b : memref<2048xi8> to memref<?xi8>
  call @put(%y, %v) : (memref<?xi8>, i8) -> ()
  call @show(%x) : (memref<?xi8>) -> ()
  memref.dealloc %a : memref<4096xi8>
  call @show(%y) : (memref<?xi8>) -> ()
  memref.dealloc %b : memref<2048xi8>
  return
}

// 3. A small one after two small and a large one are free: no byte more than
// at the fullest moment.
// expected-remark @+1 {{planned 5 of 5 allocations: peak 10240 bytes, lower bound 10240, before 10240}}
func.func private @gaps(%v: i8) {
  %a = memref.alloc() : memref<4096xi8>
  %b = memref.alloc() : memref<1024xi8>
  %d = memref.alloc() : memref<4096xi8>
  %e = memref.alloc() : memref<1024xi8>
  %p = memref.cast %a : memref<4096xi8> to memref<?xi8>
  %q = memref.cast %b : memref<1024xi8> to memref<?xi8>
  %r = memref.cast %d : memref<4096xi8> to memref<?xi8>
  %s = memref.cast %e : memref<1024xi8> to memref<?xi8>
  call @put(%p, %v) : (memref<?xi8>, i8) -> ()
  call @put(%q, %v) : (memref<?xi8>, i8) -> ()
  call @put(%r, %v) : (memref<?xi8>, i8) -> ()
  call @put(%s, %v) : (memref<?xi8>, i8) -> ()
  call @show(%q) : (memref<?xi8>) -> ()
  memref.dealloc %b : memref<1024xi8>
  call @show(%s) : (memref<?xi8>) -> ()
  memref.dealloc %e : memref<1024xi8>
  call @show(%p) : (memref<?xi8>) -> ()
  memref.dealloc %a : memref<4096xi8>
  %f = memref.alloc() : memref<512xi8>
  %t = memref.cast %f : memref<512xi8> to memref<?xi8>
  call @put(%t, %v) : (memref<?xi8>, i8) -> ()
  call @show(%r) : (memref<?xi8>) -> ()
  memref.dealloc %d : memref<4096xi8>
  call @show(%t) : (memref<?xi8>) -> ()
  memref.dealloc %f : memref<512xi8>
  return
}

// 4. A gap of enough bytes, but not at a multiple of the alignment: upstream's
// best fit needs 576 bytes.
// expected-remark @+1 {{planned 5 of 5 allocations: peak 448 bytes, lower bound 448, before 384}}
func.func private @aligned(%v: i8) {
  %a = memref.alloc() {alignment = 128 : i64} : memref<128xi8>
  %b = memref.alloc() : memref<56xi8>
  %d = memref.alloc() {alignment = 128 : i64} : memref<128xi8>
  %p = memref.cast %a : memref<128xi8> to memref<?xi8>
  %q = memref.cast %b : memref<56xi8> to memref<?xi8>
  %r = memref.cast %d : memref<128xi8> to memref<?xi8>
  call @put(%p, %v) : (memref<?xi8>, i8) -> ()
  call @put(%q, %v) : (memref<?xi8>, i8) -> ()
  call @put(%r, %v) : (memref<?xi8>, i8) -> ()
  call @show(%q) : (memref<?xi8>) -> ()
  memref.dealloc %b : memref<56xi8>
  %e = memref.alloc() {alignment = 128 : i64} : memref<64xi8>
  %f = memref.alloc() {alignment = 256 : i64} : memref<64xi8>
  %s = memref.cast %e : memref<64xi8> to memref<?xi8>
  %t = memref.cast %f : memref<64xi8> to memref<?xi8>
  call @put(%s, %v) : (memref<?xi8>, i8) -> ()
  call @put(%t, %v) : (memref<?xi8>, i8) -> ()
  call @show(%p) : (memref<?xi8>) -> ()
  memref.dealloc %a : memref<128xi8>
  call @show(%r) : (memref<?xi8>) -> ()
  memref.dealloc %d : memref<128xi8>
  call @show(%s) : (memref<?xi8>) -> ()
  memref.dealloc %e : memref<64xi8>
  call @show(%t) : (memref<?xi8>) -> ()
  memref.dealloc %f : memref<64xi8>
  return
}

// CHECK: 4096
// CHECK-NEXT: 4096
// CHECK-NEXT: 8192
// CHECK-NEXT: 4096
// CHECK-NEXT: 3072
// CHECK-NEXT: 3072
// CHECK-NEXT: 12288
// CHECK-NEXT: 12288
// CHECK-NEXT: 1536
// CHECK-NEXT: 224
// CHECK-NEXT: 512
// CHECK-NEXT: 512
// CHECK-NEXT: 256
// CHECK-NEXT: 256
func.func @main() {
  %c1 = arith.constant 1 : i8
  %c2 = arith.constant 2 : i8
  %c3 = arith.constant 3 : i8
  %c4 = arith.constant 4 : i8
  call @reuse(%c1) : (i8) -> ()
  call @no_reuse(%c2) : (i8) -> ()
  call @gaps(%c3) : (i8) -> ()
  call @aligned(%c4) : (i8) -> ()
  return
}
