// What parallel loops and asynchronous ops allocate. The program prints the
// same before and after planning, and every use finds its bytes. Coroutines are
// lowered by optimizations alone.
//
// RUN: %lower %s | %run-main -O1 > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc},check-plan)" \
// RUN:   | %lower | %run-main -O1 > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

func.func private @show(%m: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %m[%i] : memref<4xf64>
    func.call @printF64(%v) : (f64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}

// Four iterations with two buffers after each other; a step of two.
// CHECK: 0
// CHECK-NEXT: 4
// CHECK-NEXT: 8
// CHECK-NEXT: 12
// expected-remark @+1 {{planned 2 of 2 allocations: peak 288 bytes, lower bound 288, before 288}}
func.func private @parallel() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %m = memref.alloc() : memref<4xf64>
  // expected-remark @+1 {{planned 2 of 2 allocations of each iteration: peak 64 bytes, lower bound 64}}
  scf.parallel (%i) = (%c3) to (%c11) step (%c2) {
    %a = memref.alloc() : memref<4xf64>
    %k = arith.subi %i, %c3 : index
    %j = arith.index_cast %k : index to i64
    %f = arith.sitofp %j : i64 to f64
    memref.store %f, %a[%c0] : memref<4xf64>
    %v = memref.load %a[%c0] : memref<4xf64>
    memref.dealloc %a : memref<4xf64>
    %b = memref.alloc() : memref<8xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %b[%c0] : memref<8xf64>
    %x = memref.load %b[%c0] : memref<8xf64>
    %at = arith.divui %k, %c2 : index
    memref.store %x, %m[%at] : memref<4xf64>
    memref.dealloc %b : memref<8xf64>
  }
  call @show(%m) : (memref<4xf64>) -> ()
  memref.dealloc %m : memref<4xf64>
  return
}

// Two loops, the inner one in the arena of the outer one's iteration.
// CHECK-NEXT: 0
// CHECK-NEXT: 1
// CHECK-NEXT: 10
// CHECK-NEXT: 11
// expected-remark @+1 {{planned 2 of 2 allocations: peak 416 bytes, lower bound 416, before 416}}
func.func private @nested() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %m = memref.alloc() : memref<4xf64>
  // expected-remark @+1 {{planned 2 of 2 allocations of each iteration: peak 160 bytes, lower bound 160}}
  scf.forall (%i) in (2) {
    %a = memref.alloc() : memref<4xindex>
    %ten = arith.muli %i, %c10 : index
    memref.store %ten, %a[%c0] : memref<4xindex>
    // expected-remark @+1 {{planned 1 of 1 allocations of each iteration: peak 32 bytes, lower bound 32}}
    scf.forall (%j) in (2) {
      %b = memref.alloc() : memref<4xindex>
      %old = memref.load %a[%c0] : memref<4xindex>
      %sum = arith.addi %old, %j : index
      memref.store %sum, %b[%c0] : memref<4xindex>
      %new = memref.load %b[%c0] : memref<4xindex>
      %cast = arith.index_cast %new : index to i64
      %f = arith.sitofp %cast : i64 to f64
      %row = arith.muli %i, %c2 : index
      %at = arith.addi %row, %j : index
      memref.store %f, %m[%at] : memref<4xf64>
      memref.dealloc %b : memref<4xindex>
    }
    memref.dealloc %a : memref<4xindex>
  }
  call @show(%m) : (memref<4xf64>) -> ()
  memref.dealloc %m : memref<4xf64>
  return
}

// Asynchronous: %a is needed until the block waits, then %c has its bytes.
// CHECK-NEXT: 7
// CHECK-NEXT: 7
// CHECK-NEXT: 7
// CHECK-NEXT: 7
// expected-remark @+1 {{planned 3 of 3 allocations: peak 96 bytes, lower bound 96, before 64, adds 1 hidden dependency}}
func.func private @async() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7.0 : f64
  %m = memref.alloc() : memref<4xf64>
  %token = async.execute {
    %a = memref.alloc() : memref<4xf64>
    memref.store %seven, %a[%c0] : memref<4xf64>
    %v = memref.load %a[%c0] : memref<4xf64>
    memref.store %v, %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c1] : memref<4xf64>
    memref.dealloc %a : memref<4xf64>
    async.yield
  }
  async.await %token : !async.token
  %c = memref.alloc() : memref<4xf64>
  // expected-note @+1 {{'memref.store' has to wait for 'memref.load': buffer 2 takes 32 bytes of buffer 1}}
  memref.store %seven, %c[%c0] : memref<4xf64>
  %w = memref.load %c[%c0] : memref<4xf64>
  memref.store %w, %m[%c2] : memref<4xf64>
  memref.store %w, %m[%c3] : memref<4xf64>
  memref.dealloc %c : memref<4xf64>
  call @show(%m) : (memref<4xf64>) -> ()
  memref.dealloc %m : memref<4xf64>
  return
}

// Its last use is started in one block and needed until the block waits: %b may
// not have its bytes.
// CHECK-NEXT: 7
// CHECK-NEXT: 8
// CHECK-NEXT: 7
// CHECK-NEXT: 7
// expected-remark @+2 {{planned 3 of 3 allocations: peak 160 bytes, lower bound 160, before 96}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @async_in_blocks() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7.0 : f64
  %eight = arith.constant 8.0 : f64
  %m = memref.alloc() : memref<4xf64>
  %a = memref.alloc() : memref<4xf64>
  memref.store %seven, %a[%c0] : memref<4xf64>
  cf.br ^next
^next:
  %token = async.execute {
    %v = memref.load %a[%c0] : memref<4xf64>
    memref.store %v, %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c2] : memref<4xf64>
    memref.store %v, %m[%c3] : memref<4xf64>
    async.yield
  }
  %b = memref.alloc() : memref<4xf64>
  memref.store %eight, %b[%c0] : memref<4xf64>
  %w = memref.load %b[%c0] : memref<4xf64>
  async.await %token : !async.token
  memref.store %w, %m[%c1] : memref<4xf64>
  call @show(%m) : (memref<4xf64>) -> ()
  memref.dealloc %b : memref<4xf64>
  memref.dealloc %a : memref<4xf64>
  memref.dealloc %m : memref<4xf64>
  return
}

// An asynchronous op of a loop reads what the iteration before allocated, until
// the loop waits: that of the next iteration needs another address.
// CHECK-NEXT: 0
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// expected-remark @+1 {{planned 2 of 3 allocations: peak 96 bytes, lower bound 96, before 96}}
func.func private @async_of_a_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 3000000 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %out = memref.alloc() : memref<4xf64>
  %p = memref.alloc() : memref<4xf64>
  memref.store %zero, %p[%c0] : memref<4xf64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%q = %p) -> memref<4xf64> {
    %token = async.execute {
      // Long enough for the rest of the iteration to run before.
      %long = scf.for %j = %c0 to %many step %c1 iter_args(%a = %zero) -> f64 {
        %b = arith.addf %a, %one : f64
        scf.yield %b : f64
      }
      %turns = arith.index_cast %many : index to i64
      %count = arith.sitofp %turns : i64 to f64
      %nothing = arith.subf %long, %count : f64
      %x = memref.load %q[%c0] : memref<4xf64>
      %y = arith.addf %x, %nothing : f64
      memref.store %y, %out[%i] : memref<4xf64>
      async.yield
    }
    // expected-remark @+1 {{not planned: 'scf.for' may use it after it has allocated the one of the next iteration}}
    %m = memref.alloc() : memref<4xf64>
    %k = arith.addi %i, %c1 : index
    %cast = arith.index_cast %k : index to i64
    %f = arith.sitofp %cast : i64 to f64
    memref.store %f, %m[%c0] : memref<4xf64>
    async.await %token : !async.token
    scf.yield %m : memref<4xf64>
  }
  %z = memref.load %r[%c0] : memref<4xf64>
  memref.store %z, %out[%c3] : memref<4xf64>
  call @show(%out) : (memref<4xf64>) -> ()
  memref.dealloc %out : memref<4xf64>
  return
}

// The same in blocks.
// CHECK-NEXT: 0
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// expected-remark @+2 {{planned 2 of 3 allocations: peak 96 bytes, lower bound 96, before 96}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @async_of_blocks() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 3000000 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %out = memref.alloc() : memref<4xf64>
  %p = memref.alloc() : memref<4xf64>
  memref.store %zero, %p[%c0] : memref<4xf64>
  cf.br ^head(%c0, %p : index, memref<4xf64>)
^head(%i: index, %q: memref<4xf64>):
  %token = async.execute {
    %long = scf.for %j = %c0 to %many step %c1 iter_args(%a = %zero) -> f64 {
      %b = arith.addf %a, %one : f64
      scf.yield %b : f64
    }
    %turns = arith.index_cast %many : index to i64
    %count = arith.sitofp %turns : i64 to f64
    %nothing = arith.subf %long, %count : f64
    %x = memref.load %q[%c0] : memref<4xf64>
    %y = arith.addf %x, %nothing : f64
    memref.store %y, %out[%i] : memref<4xf64>
    async.yield
  }
  // expected-remark @+1 {{not planned: it may be used after the function has allocated it again}}
  %m = memref.alloc() : memref<4xf64>
  %k = arith.addi %i, %c1 : index
  %cast = arith.index_cast %k : index to i64
  %f = arith.sitofp %cast : i64 to f64
  memref.store %f, %m[%c0] : memref<4xf64>
  async.await %token : !async.token
  %more = arith.cmpi ult, %k, %c3 : index
  cf.cond_br %more, ^head(%k, %m : index, memref<4xf64>), ^end
^end:
  %z = memref.load %m[%c0] : memref<4xf64>
  memref.store %z, %out[%c3] : memref<4xf64>
  call @show(%out) : (memref<4xf64>) -> ()
  memref.dealloc %out : memref<4xf64>
  return
}

func.func @main() {
  call @parallel() : () -> ()
  call @nested() : () -> ()
  call @async() : () -> ()
  call @async_in_blocks() : () -> ()
  call @async_of_a_loop() : () -> ()
  call @async_of_blocks() : () -> ()
  return
}
