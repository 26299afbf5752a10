// Two buffers share bytes if the order of the program allows it, which makes
// one op wait for another, or only if every order that respects the data flow
// allows it.
//
// RUN: tam-opt %s --plan-memory="strict" -verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=PROGRAM
// RUN: sed -e '/expected-/d' -e 's/expect-safe/expected-remark/' %s > %t.mlir
// RUN: tam-opt %t.mlir --plan-memory="reuse=branch-safe strict" \
// RUN:   -verify-diagnostics | FileCheck %s --check-prefix=SAFE
// RUN: not tam-opt %s --plan-memory=reuse=none 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// NONE: Cannot find option named 'none'!

// Two independent branches.
//
// PROGRAM-LABEL: func.func @branches(
// PROGRAM-SAME: memref<64xi8>) -> (f64, f64)
// PROGRAM-SAME: tamk.plan =
// PROGRAM-NOT: reuse =
// SAFE-LABEL: func.func @branches(
// SAFE-SAME: memref<128xi8>) -> (f64, f64)
// SAFE-SAME: lower_bound_bytes = 128,
// SAFE-SAME: reuse = branch_safe
// expected-remark @+2 {{planned 2 of 2 allocations: peak 64 bytes, lower bound 64, before 128, adds 1 hidden dependency}}
// expect-safe @+1 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128, branch-safe costs 64 bytes: the order of the program needs 64}}
func.func @branches(%v: f64) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %left = memref.load %a[%c0] : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  // expected-note @+1 {{'memref.store' has to wait for 'memref.load': buffer 1 takes 64 bytes of buffer 0}}
  memref.store %v, %b[%c0] : memref<8xf64>
  %right = memref.load %b[%c0] : memref<8xf64>
  return %left, %right : f64, f64
}

// The second writes the memory that the first read.
//
// PROGRAM-LABEL: func.func @through_a_value(
// SAFE-LABEL: func.func @through_a_value(
// SAFE-SAME: memref<64xi8>)
// expected-remark @+2 {{before 128}}
// expect-safe @+1 {{branch-safe costs 0 bytes: the order of the program needs 64}}
func.func @through_a_value(%v: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %left = memref.load %a[%c0] : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %left, %b[%c0] : memref<8xf64>
  %right = memref.load %b[%c0] : memref<8xf64>
  return %right : f64
}

// The first is read after the second is written, but either order is possible,
// so that neither use of the first must come before.
//
// SAFE-LABEL: func.func @one_use_is_free(
// SAFE-SAME: memref<192xi8>)
// expected-remark @+2 {{before 192, adds 1 hidden dependency}}
// expect-safe @+1 {{branch-safe costs 64 bytes: the order of the program needs 128}}
func.func @one_use_is_free(%v: f64) -> (f64, f64, f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %x = memref.load %a[%c0] : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %x, %b[%c0] : memref<8xf64>
  %y = memref.load %a[%c0] : memref<8xf64>
  %c = memref.alloc() : memref<8xf64>
  // expected-note @+1 {{'memref.store' has to wait for 'memref.load': buffer 2 takes 64 bytes of buffer 0}}
  memref.store %x, %c[%c0] : memref<8xf64>
  %z = memref.load %b[%c0] : memref<8xf64>
  %w = memref.load %c[%c0] : memref<8xf64>
  return %y, %z, %w : f64, f64, f64
}

// A use through a view is a use of the buffer, and the value of a view depends
// on the ops that its offset depends on.
//
// SAFE-LABEL: func.func @through_a_view(
// SAFE-SAME: memref<64xi8>)
// expected-remark @+2 {{before 128}}
// expect-safe @+1 {{branch-safe costs 0 bytes}}
func.func @through_a_view(%v: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  %part = memref.subview %a[4][4][1]
      : memref<8xf64> to memref<4xf64, strided<[1], offset: 4>>
  memref.store %v, %part[%c0] : memref<4xf64, strided<[1], offset: 4>>
  %x = memref.load %a[%c0] : memref<8xf64>
  %at = arith.fptosi %x : f64 to i64
  %i = arith.index_cast %at : i64 to index
  %b = memref.alloc() : memref<8xf64>
  %behind = memref.subview %b[%i][4][1]
      : memref<8xf64> to memref<4xf64, strided<[1], offset: ?>>
  memref.store %v, %behind[%c0] : memref<4xf64, strided<[1], offset: ?>>
  return
}

// The effects of the callees are unknown: the calls keep their order.
//
// SAFE-LABEL: func.func @unknown_effects(
// SAFE-SAME: memref<64xi8>)
func.func private @use(memref<8xf64>)
// expected-remark @+2 {{before 128}}
// expect-safe @+1 {{branch-safe costs 0 bytes}}
func.func @unknown_effects() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  return
}

// The arguments may alias: the target of the copy from the first buffer may be
// the source of the copy to the second.
//
// SAFE-LABEL: func.func @through_arguments(
// SAFE-SAME: memref<64xi8>)
// expected-remark @+2 {{before 128}}
// expect-safe @+1 {{branch-safe costs 0 bytes}}
func.func @through_arguments(%in: memref<8xf64>, %x: memref<8xf64>,
                             %y: memref<8xf64>) {
  %a = memref.alloc() : memref<8xf64>
  memref.copy %in, %a : memref<8xf64> to memref<8xf64>
  memref.copy %a, %x : memref<8xf64> to memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.copy %y, %b : memref<8xf64> to memref<8xf64>
  memref.copy %b, %y : memref<8xf64> to memref<8xf64>
  return
}

// The arguments of a step never overlap.
//
// SAFE-LABEL: func.func @step(
// SAFE-SAME: memref<128xi8> {tam.slot = #tam.slot<arena>})
// expected-remark @+2 {{before 128, adds 1 hidden dependency}}
// expect-safe @+1 {{branch-safe costs 64 bytes}}
func.func @step(%in: memref<8xf64> {tam.slot = #tam.slot<column>},
                %x: memref<8xf64> {tam.slot = #tam.slot<state>},
                %y: memref<8xf64> {tam.slot = #tam.slot<state, 64>})
    attributes {tam.step = #tam.step<fit_init>} {
  %a = memref.alloc() : memref<8xf64>
  memref.copy %in, %a : memref<8xf64> to memref<8xf64>
  memref.copy %a, %x : memref<8xf64> to memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  // expected-note @+1 {{'memref.copy' has to wait for 'memref.copy'}}
  memref.copy %y, %b : memref<8xf64> to memref<8xf64>
  memref.copy %b, %y : memref<8xf64> to memref<8xf64>
  return
}

// Memory allocated in the function does not overlap the arguments.
//
// SAFE-LABEL: func.func @through_others(
// SAFE-SAME: memref<128xi8>)
// expected-remark @+2 {{before 128, adds 1 hidden dependency}}
// expect-safe @+1 {{branch-safe costs 64 bytes}}
func.func @through_others(%x: memref<8xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %own = memref.alloca() : memref<8xf64>
  %a = memref.alloc() : memref<8xf64>
  memref.copy %x, %a : memref<8xf64> to memref<8xf64>
  memref.copy %a, %x : memref<8xf64> to memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  // expected-note @+1 {{'memref.copy' has to wait for 'memref.copy'}}
  memref.copy %own, %b : memref<8xf64> to memref<8xf64>
  %r = memref.load %b[%c0] : memref<8xf64>
  return %r : f64
}

// A loop is one op of its block: the whole loop uses the buffers that are used
// in it. Inside the loop the branches are independent again.
//
// SAFE-LABEL: func.func @loop(
// SAFE-SAME: memref<192xi8>)
// expected-remark @+2 {{peak 128 bytes, lower bound 128, before 256, adds 1 hidden dependency}}
// expect-safe @+1 {{branch-safe costs 64 bytes: the order of the program needs 128}}
func.func @loop(%n: index, %v: f64, %out: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<8xf64>
    memref.store %v, %b[%c0] : memref<8xf64>
    %x = memref.load %b[%c0] : memref<8xf64>
    %c = memref.alloc() : memref<8xf64>
    // expected-note @+1 {{'memref.store' has to wait for 'memref.load': buffer 2 takes 64 bytes of buffer 1}}
    memref.store %v, %c[%c0] : memref<8xf64>
    %y = memref.load %c[%c0] : memref<8xf64>
    %z = arith.addf %x, %y : f64
    memref.store %z, %a[%c0] : memref<8xf64>
  }
  %d = memref.alloc() : memref<8xf64>
  memref.copy %a, %out : memref<8xf64> to memref<8xf64>
  memref.copy %out, %d : memref<8xf64> to memref<8xf64>
  return
}

// Only one of the two branches of a condition runs.
//
// SAFE-LABEL: func.func @condition(
// SAFE-SAME: memref<64xi8>)
// expected-remark @+2 {{before 128}}
// expect-safe @+1 {{branch-safe costs 0 bytes}}
func.func @condition(%p: i1, %v: f64) {
  %c0 = arith.constant 0 : index
  scf.if %p {
    %a = memref.alloc() : memref<8xf64>
    memref.store %v, %a[%c0] : memref<8xf64>
  } else {
    %b = memref.alloc() : memref<8xf64>
    memref.store %v, %b[%c0] : memref<8xf64>
  }
  return
}

// Buffers without a use cost nothing.
//
// SAFE-LABEL: func.func @unused(
// SAFE-SAME: memref<64xi8>)
// expected-remark @+2 {{planned 1 of 1 allocations, erased 1 without a use: peak 64 bytes, lower bound 64, before 128}}
// expect-safe @+1 {{erased 1 without a use: peak 64 bytes, lower bound 64, before 128, branch-safe costs 0 bytes}}
func.func @unused(%v: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %nobody = memref.alloc() : memref<8xf64>
  return
}

// A function without buffers has a plan for every order.
//
// SAFE-LABEL: func.func @nothing(
// SAFE-SAME: reuse = branch_safe
func.func @nothing() {
  return
}
