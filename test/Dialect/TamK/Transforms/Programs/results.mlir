// Buffers that reach their uses and deallocations through choices, and through
// results and arguments of ops with regions. The program prints the same before
// and after planning, and every use finds its bytes.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc},check-plan)" \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

func.func private @show(%m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<?xf64>
  call @printF64(%v) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// Either may be read: both are needed until then.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128}}
func.func private @chosen(%c: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %two, %b[%c0] : memref<8xf64>
  %r = arith.select %c, %a, %b : memref<8xf64>
  %s = memref.cast %r : memref<8xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  %other = arith.select %c, %b, %a : memref<8xf64>
  memref.dealloc %r : memref<8xf64>
  memref.dealloc %other : memref<8xf64>
  return
}

// A branch that does not run needs no bytes: %scratch lies where %a does. Only
// one of %a and %b exists, so that they share an address after the branch.
// expected-remark @+1 {{planned 3 of 3 allocations: peak 64 bytes, lower bound 64, before 192}}
func.func private @branch(%c: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 3.0 : f64
  %r = scf.if %c -> memref<8xf64> {
    %a = memref.alloc() : memref<8xf64>
    memref.store %one, %a[%c0] : memref<8xf64>
    scf.yield %a : memref<8xf64>
  } else {
    %scratch = memref.alloc() : memref<8xf64>
    memref.store %one, %scratch[%c0] : memref<8xf64>
    %b = memref.alloc() : memref<8xf64>
    %v = memref.load %scratch[%c0] : memref<8xf64>
    %w = arith.addf %v, %one : f64
    memref.store %w, %b[%c0] : memref<8xf64>
    memref.dealloc %scratch : memref<8xf64>
    scf.yield %b : memref<8xf64>
  }
  %s = memref.cast %r : memref<8xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<8xf64>
  return
}

// The deallocation frees what is not planned, and only that.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 64 bytes, lower bound 64, before 64}}
func.func private @either(%c: i1, %from: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %from[%c0] : memref<8xf64>
  %r = scf.if %c -> memref<8xf64> {
    %a = memref.alloc() : memref<8xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %a[%c0] : memref<8xf64>
    memref.dealloc %from : memref<8xf64>
    scf.yield %a : memref<8xf64>
  } else {
    scf.yield %from : memref<8xf64>
  }
  %s = memref.cast %r : memref<8xf64> to memref<?xf64>
  func.call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<8xf64>
  return
}

// Two buffers change places in every iteration.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128}}
func.func private @ping_pong(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %half, %a[%c0] : memref<8xf64>
  memref.store %half, %b[%c0] : memref<8xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (memref<8xf64>, memref<8xf64>) {
    %v = memref.load %x[%c0] : memref<8xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %y[%c0] : memref<8xf64>
    scf.yield %y, %x : memref<8xf64>, memref<8xf64>
  }
  %s = memref.cast %r#0 : memref<8xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<8xf64>
  memref.dealloc %b : memref<8xf64>
  return
}

// The iteration before is read before this one allocates: one address for all
// iterations, beside that of the beginning.
// expected-remark @+1 {{planned 3 of 3 allocations: peak 192 bytes, lower bound 192, before 192}}
func.func private @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.25 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %half, %a[%c0] : memref<8xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a)
      -> (memref<8xf64>) {
    %scratch = memref.alloc() : memref<8xf64>
    memref.copy %x, %scratch : memref<8xf64> to memref<8xf64>
    memref.dealloc %x : memref<8xf64>
    %b = memref.alloc() : memref<8xf64>
    %v = memref.load %scratch[%c0] : memref<8xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %b[%c0] : memref<8xf64>
    memref.dealloc %scratch : memref<8xf64>
    scf.yield %b : memref<8xf64>
  }
  %s = memref.cast %r : memref<8xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<8xf64>
  return
}

// A loop that frees and allocates again in a branch.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128}}
func.func private @while(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.125 : f64
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %half, %a[%c0] : memref<8xf64>
  %r:3 = scf.while (%i = %c0, %x = %a, %y = %b)
      : (index, memref<8xf64>, memref<8xf64>)
      -> (index, memref<8xf64>, memref<8xf64>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %x, %y : index, memref<8xf64>, memref<8xf64>
  } do {
  ^bb0(%i: index, %x: memref<8xf64>, %y: memref<8xf64>):
    %v = memref.load %x[%c0] : memref<8xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %y[%c0] : memref<8xf64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %y, %x : index, memref<8xf64>, memref<8xf64>
  }
  %s = memref.cast %r#1 : memref<8xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %r#1 : memref<8xf64>
  memref.dealloc %r#2 : memref<8xf64>
  return
}

// The condition allocates what the body and the op after the loop use.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 64 bytes, lower bound 64, before 64}}
func.func private @to_body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %m = scf.while (%i = %c0) : (index) -> (index, memref<8xf64>) {
    %a = memref.alloc() : memref<8xf64>
    %cast = arith.index_cast %i : index to i64
    %f = arith.sitofp %cast : i64 to f64
    memref.store %f, %a[%c0] : memref<8xf64>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %a : index, memref<8xf64>
  } do {
  ^bb0(%j: index, %p: memref<8xf64>):
    %s = memref.cast %p : memref<8xf64> to memref<?xf64>
    func.call @show(%s) : (memref<?xf64>) -> ()
    memref.dealloc %p : memref<8xf64>
    %k = arith.addi %j, %c1 : index
    scf.yield %k : index
  }
  %t = memref.cast %m : memref<8xf64> to memref<?xf64>
  call @show(%t) : (memref<?xf64>) -> ()
  memref.dealloc %m : memref<8xf64>
  return
}

// The body allocates what the condition uses.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 64}}
func.func private @to_condition(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5.0 : f64
  %z = memref.alloc() : memref<8xf64>
  memref.store %five, %z[%c0] : memref<8xf64>
  %r = scf.while (%i = %c0, %q = %z) : (index, memref<8xf64>) -> index {
    %s = memref.cast %q : memref<8xf64> to memref<?xf64>
    func.call @show(%s) : (memref<?xf64>) -> ()
    memref.dealloc %q : memref<8xf64>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %a = memref.alloc() : memref<8xf64>
    %cast = arith.index_cast %j : index to i64
    %f = arith.sitofp %cast : i64 to f64
    memref.store %f, %a[%c0] : memref<8xf64>
    %k = arith.addi %j, %c1 : index
    scf.yield %k, %a : index, memref<8xf64>
  }
  return
}

// Elements that are vectors or pairs: three numbers take the place of four.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 96 bytes, lower bound 96, before 96}}
func.func private @elements() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf64>
  %a = memref.alloc() : memref<2xvector<3xf64>>
  %b = memref.alloc() : memref<2xcomplex<f64>>
  %re = arith.constant 7.0 : f64
  %z = complex.create %re, %re : complex<f64>
  memref.store %z, %b[%c1] : memref<2xcomplex<f64>>
  memref.store %v, %a[%c1] : memref<2xvector<3xf64>>
  %w = memref.load %a[%c1] : memref<2xvector<3xf64>>
  %e = vector.extract %w[2] : f64 from vector<3xf64>
  call @printF64(%e) : (f64) -> ()
  call @printNewline() : () -> ()
  %y = memref.load %b[%c1] : memref<2xcomplex<f64>>
  %im = complex.im %y : complex<f64>
  call @printF64(%im) : (f64) -> ()
  call @printNewline() : () -> ()
  memref.dealloc %a : memref<2xvector<3xf64>>
  memref.dealloc %b : memref<2xcomplex<f64>>
  return
}

// CHECK: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 6
// CHECK-NEXT: 10
// CHECK-NEXT: 5
// CHECK-NEXT: 4
// CHECK-NEXT: 0.5
// CHECK-NEXT: 2
// CHECK-NEXT: 0.25
// CHECK-NEXT: 1
// CHECK-NEXT: 3
// CHECK-NEXT: 7
// CHECK-NEXT: 0
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 5
// CHECK-NEXT: 0
// CHECK-NEXT: 1
// expected-remark @+1 {{planned 0 of 2 allocations: peak 0 bytes, lower bound 0, before 128}}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %five = arith.constant 5.0 : f64
  call @chosen(%true) : (i1) -> ()
  call @chosen(%false) : (i1) -> ()
  call @branch(%true) : (i1) -> ()
  call @branch(%false) : (i1) -> ()
  // expected-remark @+1 {{not planned: 'either' may free it}}
  %p = memref.alloc() : memref<8xf64>
  memref.store %five, %p[%c0] : memref<8xf64>
  call @either(%true, %p) : (i1, memref<8xf64>) -> ()
  // expected-remark @+1 {{not planned: 'either' may free it}}
  %q = memref.alloc() : memref<8xf64>
  memref.store %five, %q[%c0] : memref<8xf64>
  call @either(%false, %q) : (i1, memref<8xf64>) -> ()
  call @ping_pong(%c3) : (index) -> ()
  call @ping_pong(%c0) : (index) -> ()
  call @carried(%c3) : (index) -> ()
  call @carried(%c0) : (index) -> ()
  call @while(%c3) : (index) -> ()
  call @elements() : () -> ()
  call @to_body(%c2) : (index) -> ()
  call @to_condition(%c2) : (index) -> ()
  return
}
