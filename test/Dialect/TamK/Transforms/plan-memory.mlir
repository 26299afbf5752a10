// Allocations become views of one arena per memory space. The expected offset
// of each allocation is beside it, with the buffers that it must not overlap.
// Only calls and stores take time.
//
// RUN: tam-opt %s --plan-memory="strict report=false" -verify-diagnostics | FileCheck %s
// RUN: tam-opt %s --plan-memory="strategy=naive strict report=false" \
// RUN:   | FileCheck %s --check-prefix=NAIVE
// RUN: tam-opt %s --plan-memory="alignment=1 strict report=false" \
// RUN:   | FileCheck %s --check-prefix=PACKED
// RUN: not tam-opt %s --plan-memory=strategy=best 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STRATEGY
// RUN: not tam-opt %s --plan-memory=alignment=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not tam-opt %s --plan-memory=alignment=48 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-POWER
// RUN: not tam-opt %s --plan-memory=alignment=8589934592 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE

// STRATEGY: error: unknown planning strategy 'best'
// ALIGNMENT: error: expected an alignment that is a power of 2 of at most 4294967296, got 0
// NO-POWER: error: expected an alignment that is a power of 2 of at most 4294967296, got 48
// LARGE: error: expected an alignment that is a power of 2 of at most 4294967296, got 8589934592

// Nothing is planned in a declaration.
// CHECK: func.func private @use(memref<8xf64>){{$}}
func.func private @use(memref<8xf64>)
func.func private @use2(memref<8xf64>, memref<8xf64>)
func.func private @use_i8(memref<3xi8>)
func.func private @use_i1(memref<9xi1>)
func.func private @use_index(memref<2xindex>)
func.func private @use_none(memref<0xf64>)
func.func private @use_any(memref<32xf64>, memref<1xf64>)
func.func private @use_space(memref<8xf64, 1>)

// Each live range ends before the next begins: both at 0; naively one after the
// other.
//
// CHECK-LABEL: func.func @one_after_another(
// CHECK-SAME: %[[ARENA:.*]]: memref<64xi8>)
// CHECK-SAME: tamk.plan = #tamk.plan<arena_bytes = 64, lower_bound_bytes = 64, naive_bytes = 128, length = 2, strategy = "tree+", buffers = [
// CHECK-SAME: <name = "buffer", op = "func.call", bytes = 64, offset = 0, first = 0, last = 1>,
// CHECK-SAME: <name = "buffer", op = "func.call", bytes = 64, offset = 0, first = 1, last = 2>]>
// NAIVE-LABEL: func.func @one_after_another(
// NAIVE-SAME: memref<128xi8>)
// NAIVE-SAME: arena_bytes = 128, lower_bound_bytes = 64, naive_bytes = 128, length = 2, strategy = "naive"
func.func @one_after_another() {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[C0]]][]{{.*}} : memref<64xi8> to memref<8xf64>
  // CHECK: call @use(%[[A]])
  // NAIVE: arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64> // [0, 1): 0
  call @use(%a) : (memref<8xf64>) -> ()
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[C0]]][]{{.*}} : memref<64xi8> to memref<8xf64>
  // CHECK: call @use(%[[B]])
  // NAIVE: arith.constant 64 : index
  %b = memref.alloc() : memref<8xf64> // [1, 2): 0
  call @use(%b) : (memref<8xf64>) -> ()
  // CHECK-NEXT: return
  return
}

// Both are alive at the second call: side by side.
//
// CHECK-LABEL: func.func @at_once(
// CHECK-SAME: %[[ARENA:.*]]: memref<128xi8>)
// CHECK-SAME: lower_bound_bytes = 128,
func.func @at_once() {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: memref.view %[[ARENA]][%[[C0]]][]
  %a = memref.alloc() : memref<8xf64> // [0, 2): 0
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG: memref.view %[[ARENA]][%[[C64]]][]
  %b = memref.alloc() : memref<8xf64> // [1, 2): 64, beside a
  call @use(%a) : (memref<8xf64>) -> ()
  call @use2(%a, %b) : (memref<8xf64>, memref<8xf64>) -> ()
  return
}

// An allocation lives from its first use to its last, not from the op itself.
//
// CHECK-LABEL: func.func @allocated_early(
// CHECK-SAME: memref<64xi8>)
func.func @allocated_early() {
  %a = memref.alloc() : memref<8xf64> // [0, 1): 0
  %b = memref.alloc() : memref<8xf64> // [1, 2): 0
  call @use(%a) : (memref<8xf64>) -> ()
  call @use(%b) : (memref<8xf64>) -> ()
  return
}

// Sizes are in bytes; only offsets are rounded up to the alignment. 3 and 9
// bytes: an i1 takes a byte, an index 8, and the next buffer starts at the next
// multiple of 64. Alignment 1 packs them: 3 + 9 + 16.
//
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: memref<192xi8>)
// CHECK-SAME: arena_bytes = 192,
// CHECK-SAME: naive_bytes = 192,
// CHECK-SAME: bytes = 3,
// CHECK-SAME: bytes = 9,
// CHECK-SAME: bytes = 16,
// PACKED-LABEL: func.func @sizes(
// PACKED-SAME: memref<28xi8>)
// PACKED-SAME: arena_bytes = 28,
// PACKED-SAME: naive_bytes = 32,
func.func @sizes() {
  %a = memref.alloc() : memref<3xi8>    // [0, 4)
  %b = memref.alloc() : memref<9xi1>    // [1, 5)
  %c = memref.alloc() : memref<2xindex> // [2, 6)
  call @use_i8(%a) : (memref<3xi8>) -> ()
  call @use_i1(%b) : (memref<9xi1>) -> ()
  call @use_index(%c) : (memref<2xindex>) -> ()
  call @use_i8(%a) : (memref<3xi8>) -> ()
  call @use_i1(%b) : (memref<9xi1>) -> ()
  call @use_index(%c) : (memref<2xindex>) -> ()
  return
}

// An allocation's own alignment holds for its offset and for the arena.
//
// CHECK-LABEL: func.func @aligned(
// CHECK-SAME: memref<320xi8>)
// CHECK-SAME: arena_bytes = 320, alignment = 256,
// PACKED-LABEL: func.func @aligned(
// PACKED-SAME: arena_bytes = 264, alignment = 256,
func.func @aligned() {
  %a = memref.alloc() : memref<32xf64>
  %b = memref.alloc() {alignment = 256 : i64} : memref<1xf64>
  call @use_any(%a, %b) : (memref<32xf64>, memref<1xf64>) -> ()
  return
}

// A buffer that is used in a loop and was filled before it lives as long as the
// loop; one that is allocated in the loop lives for a part of one iteration.
//
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[ARENA:[^: ]*]]: memref<128xi8>)
// CHECK-SAME: lower_bound_bytes = 128,
func.func @loop(%begin: index, %end: index, %step: index) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: memref.view %[[ARENA]][%[[C0]]][]
  %a = memref.alloc() : memref<8xf64> // [0, 4), the whole loop: 0
  call @use(%a) : (memref<8xf64>) -> ()
  // CHECK: scf.for
  scf.for %i = %begin to %end step %step {
    // CHECK: %[[C64:.*]] = arith.constant 64 : index
    // CHECK: memref.view %[[ARENA]][%[[C64]]][]
    %b = memref.alloc() : memref<8xf64> // [1, 3): 64, beside a
    func.call @use2(%a, %b) : (memref<8xf64>, memref<8xf64>) -> ()
    func.call @use(%b) : (memref<8xf64>) -> ()
    // CHECK: %[[C64:.*]] = arith.constant 64 : index
    // CHECK: memref.view %[[ARENA]][%[[C64]]][]
    %c = memref.alloc() : memref<8xf64> // [3, 4): 64, where b was
    func.call @use(%c) : (memref<8xf64>) -> ()
  }
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: memref.view %[[ARENA]][%[[C0]]][]
  %d = memref.alloc() : memref<8xf64> // [4, 5): 0
  call @use(%d) : (memref<8xf64>) -> ()
  return
}

// A buffer used at a loop's start keeps its bytes until the loop has ended: the
// next iteration reads it again.
//
// CHECK-LABEL: func.func @next_turn(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: first = 0, last = 2>
// CHECK-SAME: first = 1, last = 2>
func.func @next_turn(%begin: index, %end: index, %step: index) {
  %a = memref.alloc() : memref<8xf64> // [0, 2): 0
  scf.for %i = %begin to %end step %step {
    func.call @use(%a) : (memref<8xf64>) -> ()
    %b = memref.alloc() : memref<8xf64> // [1, 2): 64
    func.call @use(%b) : (memref<8xf64>) -> ()
  }
  return
}

// Only one of the two branches runs: their buffers share bytes, but not with
// the one that the branches read.
//
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[ARENA:[^: ]*]]: memref<128xi8>)
func.func @branches(%condition: i1) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: memref.view %[[ARENA]][%[[C0]]][]
  %a = memref.alloc() : memref<8xf64> // [0, 3): 0
  call @use(%a) : (memref<8xf64>) -> ()
  scf.if %condition {
    // CHECK: %[[C64:.*]] = arith.constant 64 : index
    // CHECK: memref.view %[[ARENA]][%[[C64]]][]
    %b = memref.alloc() : memref<8xf64> // [1, 2): 64
    func.call @use2(%a, %b) : (memref<8xf64>, memref<8xf64>) -> ()
  } else {
    // CHECK: %[[C64:.*]] = arith.constant 64 : index
    // CHECK: memref.view %[[ARENA]][%[[C64]]][]
    %c = memref.alloc() : memref<8xf64> // [2, 3): 64
    func.call @use2(%a, %c) : (memref<8xf64>, memref<8xf64>) -> ()
  }
  return
}

// A use through a view is a use: a is alive at the second call.
//
// CHECK-LABEL: func.func @through_views(
// CHECK-SAME: memref<128xi8>)
func.func @through_views() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<2x4xf64> // [0, 3): 0
  %b = memref.alloc() : memref<8xf64>   // [1, 2): 64, beside a
  memref.store %v, %a[%c0, %c0] : memref<2x4xf64>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x4xf64> into memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  %dynamic = memref.cast %flat : memref<8xf64> to memref<?xf64>
  %0 = memref.load %dynamic[%c0] : memref<?xf64>
  return
}

// A planned buffer needs no deallocation, also not through a view; a
// deallocation is not a use.
//
// CHECK-LABEL: func.func @deallocations(
// CHECK-SAME: memref<64xi8>)
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @deallocations() {
  %a = memref.alloc() : memref<8xf64> // [0, 1): 0
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64> // [1, 2): 0
  call @use(%b) : (memref<8xf64>) -> ()
  %cast = memref.cast %a : memref<8xf64> to memref<?xf64>
  memref.dealloc %cast : memref<?xf64>
  memref.dealloc %b : memref<8xf64>
  return
}

// A buffer from outside is freed as before.
//
// CHECK-LABEL: func.func @foreign_deallocation(
// CHECK: memref.dealloc
func.func @foreign_deallocation(%a: memref<8xf64>) {
  memref.dealloc %a : memref<8xf64>
  return
}

// One arena per memory space, in the order of their first allocations.
//
// CHECK-LABEL: func.func @spaces(
// CHECK-SAME: %[[ARENA0:[^:]*]]: memref<64xi8, 1>, %[[ARENA1:[^:]*]]: memref<64xi8>)
// CHECK-SAME: arena_bytes = 128,
// CHECK-SAME: op = "func.call", bytes = 64, offset = 0, first = 0, last = 3>
// CHECK-SAME: op = "func.call", bytes = 64, offset = 0, {{.*}}space = 1>
func.func @spaces() {
  // CHECK: memref.view %[[ARENA0]][%{{.*}}][]{{.*}} : memref<64xi8, 1> to memref<8xf64, 1>
  %a = memref.alloc() : memref<8xf64, 1> // [0, 2): 0 of space 1
  // CHECK: memref.view %[[ARENA1]][%{{.*}}][]{{.*}} : memref<64xi8> to memref<8xf64>
  %b = memref.alloc() : memref<8xf64>    // [1, 2): 0 of the default space
  call @use_space(%a) : (memref<8xf64, 1>) -> ()
  call @use(%b) : (memref<8xf64>) -> ()
  call @use_space(%a) : (memref<8xf64, 1>) -> ()
  return
}

// An empty buffer; a single number.
//
// CHECK-LABEL: func.func @corner_cases(
// CHECK-SAME: memref<64xi8>)
// CHECK-SAME: <name = "buffer", op = "func.call", bytes = 0, offset = 0, first = 1, last = 2>
// CHECK-SAME: <name = "buffer", op = "memref.store", bytes = 8, offset = 0, first = 2, last = 3>
func.func @corner_cases() {
  %v = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64> // [0, 1): 0
  call @use(%a) : (memref<8xf64>) -> ()
  // CHECK: memref.view {{.*}} to memref<0xf64>
  %nothing = memref.alloc() : memref<0xf64> // [1, 2): anywhere
  call @use_none(%nothing) : (memref<0xf64>) -> ()
  // CHECK: memref.view {{.*}} to memref<f64>
  %number = memref.alloc() : memref<f64> // [2, 3): 0
  memref.store %v, %number[] : memref<f64>
  return
}

// An allocation without a use takes no bytes, also not in the bound: it is
// erased, with the ops that only name it. One whose shape is used keeps an
// offset.
//
// CHECK-LABEL: func.func @unused(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<64xi8>) -> index
// CHECK-SAME: arena_bytes = 64, lower_bound_bytes = 64, naive_bytes = 128,
// CHECK-SAME: buffers = [
// CHECK-SAME: <name = "buffer", op = "func.call", bytes = 64, offset = 0, first = 0, last = 1>,
// CHECK-SAME: <name = "buffer", op = "memref.dim", bytes = 32, offset = 0, first = 1, last = 2>]
func.func @unused() -> index {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: memref<512xf64>
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.dealloc
  %freed = memref.alloc() : memref<512xf64>
  %loose = memref.alloc() : memref<512xf64>
  %seen = memref.alloc() : memref<512xf64>
  %view = memref.subview %seen[0] [256] [1] : memref<512xf64> to memref<256xf64, strided<[1]>>
  %cast = memref.cast %view : memref<256xf64, strided<[1]>> to memref<?xf64, strided<[1]>>
  %none = memref.dim %cast, %c0 : memref<?xf64, strided<[1]>>
  %a = memref.alloc() : memref<8xf64> // [0, 1): 0
  // CHECK: call @use
  call @use(%a) : (memref<8xf64>) -> ()
  memref.dealloc %freed : memref<512xf64>
  memref.dealloc %seen : memref<512xf64>
  // CHECK: %[[VIEW:.*]] = memref.view %[[ARENA]]{{.*}} to memref<4xf64>
  // CHECK: memref.dim %[[VIEW]]
  %asked = memref.alloc() : memref<4xf64> // [1, 2): 0
  %shape = memref.dim %asked, %c0 : memref<4xf64>
  return %shape : index
}

// A function that allocates nothing gets no arena, but a plan.
//
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %{{[^:]*}}: memref<8xf64>) attributes {tamk.plan = #tamk.plan<arena_bytes = 0, length = 1, strategy =
func.func @nothing(%a: memref<8xf64>) {
  call @use(%a) : (memref<8xf64>) -> ()
  return
}

// A step's arena has a slot. The name of a buffer comes from its kernel's
// parameter; op and term are those of the launch.
//
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<128xi8> {tam.slot = #tam.slot<arena>})
// CHECK-SAME: tam.step = #tam.step<design, 8>
// CHECK-SAME: length = 2,
// CHECK-SAME: <name = "x", op = "tam.normalize", bytes = 64, offset = 0, first = 0, last = 2>,
// CHECK-SAME: <name = "values", op = "linear", term = "l(a)", bytes = 64, offset = 64, first = 1, last = 2>]
func.func @step(%rows: index {tam.slot = #tam.slot<rows>},
                %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                %p: memref<4xf64> {tam.slot = #tam.slot<parameters>})
    attributes {tam.step = #tam.step<design, 8>} {
  %scale = arith.constant 1.0 : f64
  %mode = arith.constant 0 : i64
  %x = memref.alloc() : memref<8xf64> // [0, 2): 0
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<8xf64>) source "tam.normalize"
  %l = memref.alloc() : memref<8x1xf64> // [1, 2): 64
  tamk.launch "linear" ins(%x : memref<8xf64>)
      scalars(%rows, %scale, %mode : index, f64, i64)
      outs(%l : memref<8x1xf64>) loc("l(a)")
  return
}
