// Sizes that are known when the function is entered: offsets are arithmetic at
// its begin.
//
// RUN: tam-opt %s --plan-memory="dynamic=symbolic arena=alloc strict" \
// RUN:   -verify-diagnostics | FileCheck %s --check-prefix=ALLOC
// RUN: tam-opt %s --plan-memory="dynamic=symbolic strict report=false" \
// RUN:   | FileCheck %s --check-prefix=ARGUMENT
// RUN: tam-opt %s --plan-memory="dynamic=symbolic reuse=branch-safe strict report=false" \
// RUN:   | FileCheck %s --check-prefix=SAFE

// a and b live at the same time, c after a: a and c lie on b for all sizes, and
// the arena ends at the end of the larger of them. At 1024 it is b's 4 * 1024 *
// 1024 bytes and c's 8 * 1026, rounded up.
//
// ALLOC-LABEL: func.func @sums(
// ALLOC-SAME: %[[N:[^:]*]]: index, %[[X:[^:]*]]: memref<?x4xf32>)
// ALLOC-SAME: arena_bytes = 4202560,
// ALLOC-SAME: sizes_at = 1024,
// ALLOC-SAME: bytes = 8192, size = "8*arg0", offset = 4194304,
// ALLOC-SAME: size = "4*arg1_dim0*arg0", offset = 0,
// ALLOC-SAME: size = "8*(arg0 + 2)", offset = 4194304,
// ALLOC: %[[C8:.*]] = arith.constant 8 : index
// ALLOC: %[[BYTES:.*]] = arith.muli %[[C8]], %[[N]]
// ALLOC: %[[NOT_NEGATIVE:.*]] = arith.maxsi %[[BYTES]], %{{.*}}
// ALLOC: %[[A_BYTES:.*]] = arith.minsi %[[NOT_NEGATIVE]], %{{.*}}
// ALLOC: %[[DIM:.*]] = memref.dim %[[X]], %{{.*}} : memref<?x4xf32>
// ALLOC: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// ALLOC: %[[A:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[N]]] {tamk.buffer = 0 : i64} : memref<?xi8> to memref<?xf64>
// ALLOC: memref.view %[[ARENA]][%{{.*}}][%{{.*}}, %[[N]]] {tamk.buffer = 1 : i64} : memref<?xi8> to memref<?x?xf32>
// ALLOC: memref.view %[[ARENA]][%{{.*}}][%{{.*}}] {tamk.buffer = 2 : i64} : memref<?xi8> to memref<?xf64>
// ALLOC: memref.dealloc %[[ARENA]]
//
// ARGUMENT-LABEL: func.func @sums(
// ARGUMENT-SAME: %{{[^:]*}}: index, %{{[^:]*}}: memref<?x4xf32>, %[[ARENA:[^:]*]]: memref<?xi8>)
// ARGUMENT-LABEL: func.func @sums_arena_size(
// ARGUMENT-SAME: %[[N:[^:]*]]: index, %[[X:[^:]*]]: memref<?x4xf32>) -> index
// ARGUMENT: memref.dim %[[X]]
// ARGUMENT: return %{{.*}} : index
// expected-remark @+1 {{planned 3 of 3 allocations: peak 4202512 bytes, lower bound 4202512, before 4210704, with 1024 for what sizes depend on}}
func.func @sums(%n: index, %x: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 1.0 : f64
  %w = arith.constant 1.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?xf64>
  memref.store %v, %a[%c0] : memref<?xf64>
  %b = memref.alloc(%rows, %n) : memref<?x?xf32>
  memref.store %w, %b[%c0, %c0] : memref<?x?xf32>
  %r = memref.load %a[%c0] : memref<?xf64>
  %more = arith.addi %n, %c2 : index
  %c = memref.alloc(%more) : memref<?xf64>
  memref.store %r, %c[%c0] : memref<?xf64>
  %s = memref.load %b[%c0, %c0] : memref<?x?xf32>
  return
}

// A size in a loop, computed from values known at the begin; two memory spaces,
// one of which has a constant size.
//
// ALLOC-LABEL: func.func @spaces(
// ALLOC-DAG: memref.alloc() {alignment = 64 : i64} : memref<64xi8, 1>
// ALLOC-DAG: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// ALLOC: scf.for
// ALLOC-NOT: memref.alloc
// ALLOC: return
// ARGUMENT-LABEL: func.func @spaces(
// ARGUMENT-SAME: %{{[^:]*}}: index, %{{[^:]*}}: memref<64xi8, 1>, %{{[^:]*}}: memref<?xi8>)
// ARGUMENT-LABEL: func.func @spaces_arena_size(
// ARGUMENT-SAME: -> (index, index)
// ARGUMENT: arith.divui
// ARGUMENT-NEXT: %[[BYTES:.*]] = arith.muli
// ARGUMENT-NEXT: %[[C64:.*]] = arith.constant 64 : index
// ARGUMENT-NEXT: return %[[C64]], %[[BYTES]] : index, index
// expected-remark @+1 {{planned 2 of 2 allocations}}
func.func @spaces(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64, 1>
  scf.for %i = %c0 to %n step %c1 {
    %square = arith.muli %n, %n : index
    %b = memref.alloc(%square) : memref<?xf64>
    memref.store %v, %b[%i] : memref<?xf64>
    memref.store %v, %a[%c0] : memref<8xf64, 1>
  }
  return
}

// Two branches: they share bytes in program order, but not for every order.
//
// SAFE-LABEL: func.func @branches(
// SAFE-SAME: bytes = 8192, size = "8*arg0", offset = 0, first = 0, last = 2>
// SAFE-SAME: offset = 8192,
// expected-remark @+1 {{peak 8192 bytes, lower bound 8192, before 16384, with 1024 for what sizes depend on, adds 1 hidden dependency}}
func.func @branches(%n: index, %v: f64) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf64>
  memref.store %v, %a[%c0] : memref<?xf64>
  %left = memref.load %a[%c0] : memref<?xf64>
  %b = memref.alloc(%n) : memref<?xf64>
  // expected-note @+1 {{'memref.store' has to wait for 'memref.load': buffer 1 takes 8192 bytes of buffer 0}}
  memref.store %v, %b[%c0] : memref<?xf64>
  %right = memref.load %b[%c0] : memref<?xf64>
  return %left, %right : f64, f64
}

// If sizes with 1024 for each value exceed any memory, a smaller value is
// taken.
//
// ALLOC-LABEL: func.func @many_dimensions(
// ALLOC-SAME: sizes_at = 32,
// ALLOC-SAME: bytes = 8589934592,
// expected-remark @+1 {{with 32 for what sizes depend on}}
func.func @many_dimensions(%n: index) {
  %a = memref.alloc(%n, %n, %n, %n, %n, %n) : memref<?x?x?x?x?x?xf64>
  %v = memref.load %a[%n, %n, %n, %n, %n, %n] : memref<?x?x?x?x?x?xf64>
  return
}

// Sizes that are constants after all.
//
// ALLOC-LABEL: func.func @constants(
// ALLOC: memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// expected-remark @+1 {{planned 1 of 1 allocations: peak 64 bytes}}
func.func @constants(%x: memref<2x?xf64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %two = memref.dim %x, %c0 : memref<2x?xf64>
  %a = memref.alloc(%two, %c4) : memref<?x?xf64>
  %v = memref.load %a[%c0, %c0] : memref<?x?xf64>
  return
}
