// Allocations that have no single safe address: they are not changed, with a
// remark, or an error with `strict`.
//
// RUN: tam-opt %s --plan-memory=report=false -split-input-file -verify-diagnostics \
// RUN:   --allow-unregistered-dialect -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: sed -e 's/expected-remark/expected-error/' \
// RUN:   -e 's/not planned:/cannot plan this allocation:/' %s > %t.mlir
// RUN: tam-opt %t.mlir --plan-memory="strict report=false" -split-input-file \
// RUN:   -verify-diagnostics --allow-unregistered-dialect

// The loop still uses the one of an iteration when it allocates that of the
// next: they need two addresses. A refused allocation keeps its deallocation.
//
// CHECK-LABEL: func.func @used_in_next_iteration(
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.yield %[[A]]
func.func @used_in_next_iteration(%n: index, %start: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %start)
      -> (memref<8xf64>) {
    // expected-remark @+1 {{not planned: 'scf.for' may use it after it has allocated the one of the next iteration}}
    %a = memref.alloc() : memref<8xf64>
    memref.copy %old, %a : memref<8xf64> to memref<8xf64>
    scf.yield %a : memref<8xf64>
  }
  return
}

// -----

// That of two iterations before.
//
// CHECK-LABEL: func.func @used_two_iterations_later(
func.func @used_two_iterations_later(%n: index, %p: memref<8xf64>,
                                     %q: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q)
      -> (memref<8xf64>, memref<8xf64>) {
    memref.copy %y, %p : memref<8xf64> to memref<8xf64>
    // expected-remark @+1 {{not planned: 'scf.for' may use it after it has allocated the one of the next iteration}}
    %a = memref.alloc() : memref<8xf64>
    memref.copy %p, %a : memref<8xf64> to memref<8xf64>
    scf.yield %a, %x : memref<8xf64>, memref<8xf64>
  }
  return
}

// -----

// An inner loop uses it again after it has allocated the next.
//
// CHECK-LABEL: func.func @used_in_inner_loop(
func.func @used_in_inner_loop(%n: index, %p: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p)
      -> (memref<8xf64>) {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%y = %p)
        -> (memref<8xf64>) {
      memref.copy %x, %p : memref<8xf64> to memref<8xf64>
      // expected-remark @+1 {{not planned: 'scf.for' may use it after it has allocated the one of the next iteration}}
      %a = memref.alloc() : memref<8xf64>
      memref.copy %p, %a : memref<8xf64> to memref<8xf64>
      scf.yield %a : memref<8xf64>
    }
    scf.yield %inner : memref<8xf64>
  }
  return
}

// -----

// The condition passes it on to the results, whether or not the body runs.
//
// CHECK-LABEL: func.func @leaves_while(
func.func @leaves_while(%p: memref<8xf64>, %more: i1) {
  %last = scf.while (%x = %p) : (memref<8xf64>) -> memref<8xf64> {
    scf.condition(%more) %x : memref<8xf64>
  } do {
  ^bb0(%y: memref<8xf64>):
    // expected-remark @+1 {{not planned: 'scf.while' may use it after it has allocated the one of the next iteration}}
    %a = memref.alloc() : memref<8xf64>
    memref.copy %y, %a : memref<8xf64> to memref<8xf64>
    scf.yield %a : memref<8xf64>
  }
  return
}

// -----

// Freed in place of others, an address at the arena's end might be theirs.
//
// CHECK-LABEL: func.func @nothing_freed_with_others(
// CHECK: memref.dealloc
func.func @nothing_freed_with_others(%condition: i1, %b: memref<0xf64>) {
  // expected-remark @+1 {{not planned: it has no bytes, and it is freed where other memory may be freed}}
  %a = memref.alloc() : memref<0xf64>
  %r = arith.select %condition, %a, %b : memref<0xf64>
  memref.dealloc %r : memref<0xf64>
  return
}

// -----

// The pass that frees has not been lowered.
//
// CHECK-LABEL: func.func @not_lowered(
func.func @not_lowered(%condition: i1) {
  // expected-remark @+1 {{not planned: 'bufferization.dealloc' may free it, and is not lowered}}
  %a = memref.alloc() : memref<8xf64>
  bufferization.dealloc (%a : memref<8xf64>) if (%condition)
  return
}

// -----

// The tensor may be read at any later time.
//
// CHECK-LABEL: func.func @as_tensor(
func.func @as_tensor() -> tensor<8xf64> {
  // expected-remark @+1 {{not planned: the results of 'bufferization.to_tensor' may refer to it}}
  %a = memref.alloc() : memref<8xf64>
  %t = bufferization.to_tensor %a restrict : memref<8xf64> to tensor<8xf64>
  return %t : tensor<8xf64>
}

// -----

// CHECK-LABEL: func.func @leaves_function(
// CHECK: memref.alloc
func.func @leaves_function() -> memref<8xf64> {
  // expected-remark @+1 {{not planned: it leaves its region by 'func.return'}}
  %a = memref.alloc() : memref<8xf64>
  return %a : memref<8xf64>
}

// -----

// By a view of it.
//
// CHECK-LABEL: func.func @view_leaves(
func.func @view_leaves() -> memref<?xf64> {
  // expected-remark @+1 {{not planned: it leaves its region by 'func.return'}}
  %a = memref.alloc() : memref<8xf64>
  %view = memref.cast %a : memref<8xf64> to memref<?xf64>
  return %view : memref<?xf64>
}

// -----

// CHECK-LABEL: func.func @call_result(
func.func @call_result() {
  // expected-remark @+1 {{not planned: the results of 'func.call' may alias it}}
  %a = memref.alloc() : memref<8xf64>
  %r = call @identity(%a) : (memref<8xf64>) -> memref<8xf64>
  return
}
func.func private @identity(memref<8xf64>) -> memref<8xf64>

// -----

// CHECK-LABEL: func.func @unknown_op(
func.func @unknown_op() {
  // expected-remark @+1 {{not planned: the effects of 'test.op' on it are not known}}
  %a = memref.alloc() : memref<8xf64>
  "test.op"(%a) : (memref<8xf64>) -> ()
  return
}

// -----

// The transfer continues until an op waits for it.
//
// CHECK-LABEL: func.func @transfer(
func.func @transfer(%from: memref<8xf64>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-remark @+1 {{not planned: 'affine.dma_start' may use it later}}
  %a = memref.alloc() : memref<8xf64>
  affine.dma_start %from[%c0], %a[%c0], %tag[%c0], %c8
      : memref<8xf64>, memref<8xf64>, memref<1xi32>
  affine.dma_wait %tag[%c0], %c8 : memref<1xi32>
  return
}

// -----

// The wait for the token comes later.
//
// CHECK-LABEL: func.func @token(
func.func @token() {
  // expected-remark @+1 {{not planned: the results of 'func.call' may refer to it}}
  %a = memref.alloc() : memref<8xf64>
  %token = call @start(%a) : (memref<8xf64>) -> !llvm.ptr
  call @wait(%token) : (!llvm.ptr) -> ()
  return
}
func.func private @start(memref<8xf64>) -> !llvm.ptr
func.func private @wait(!llvm.ptr)

// -----

// CHECK-LABEL: func.func @address_taken(
func.func @address_taken() -> index {
  // expected-remark @+1 {{not planned: its address is taken by 'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<8xf64>
  %p = memref.extract_aligned_pointer_as_index %a : memref<8xf64> -> index
  return %p : index
}

// -----

// CHECK-LABEL: func.func @address_stored(
func.func @address_stored(%table: memref<1xmemref<8xf64>>) {
  %c0 = arith.constant 0 : index
  // expected-remark @+1 {{not planned: its address is stored by 'memref.store'}}
  %a = memref.alloc() : memref<8xf64>
  memref.store %a, %table[%c0] : memref<1xmemref<8xf64>>
  return
}

// -----

// Whichever op stores it.
//
// CHECK-LABEL: func.func @address_stored_by_affine(
func.func @address_stored_by_affine(%table: memref<1xmemref<8xf64>>) {
  // expected-remark @+1 {{not planned: its address is stored by 'affine.store'}}
  %a = memref.alloc() : memref<8xf64>
  affine.store %a, %table[0] : memref<1xmemref<8xf64>>
  return
}

// -----

// Several iterations of the loop run at once, each with its own buffer.
//
// CHECK-LABEL: func.func @inside_parallel(
// CHECK: scf.parallel
// CHECK: memref.alloc
func.func @inside_parallel(%n: index, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-remark @+1 {{not planned: it is inside 'scf.parallel', whose iterations may run at once and whose number is not constant}}
    %a = memref.alloc() : memref<8xf64>
    memref.store %v, %a[%c0] : memref<8xf64>
  }
  return
}

// -----

// Each would need an arena.
//
// CHECK-LABEL: func.func @many_iterations(
// CHECK: scf.forall
// CHECK: memref.alloc
func.func @many_iterations(%v: f64) {
  %c0 = arith.constant 0 : index
  scf.forall (%i, %j) in (13, 5) {
    // expected-remark @+1 {{not planned: it is inside 'scf.forall', which has 65 iterations, and at most 64 get an arena each}}
    %a = memref.alloc() : memref<8xf64>
    memref.store %v, %a[%c0] : memref<8xf64>
  }
  return
}

// -----

// CHECK-LABEL: func.func @dynamic_in_parallel(
func.func @dynamic_in_parallel(%n: index, %v: f64) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    // expected-remark @+1 {{not planned: its size is not static}}
    %a = memref.alloc(%n) : memref<?xf64>
    memref.store %v, %a[%c0] : memref<?xf64>
  }
  return
}

// -----

// CHECK-LABEL: func.func @dynamic_size(
// CHECK: memref.alloc(%{{.*}})
func.func @dynamic_size(%n: index) {
  // expected-remark @+1 {{not planned: its size is not static}}
  %a = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

// CHECK-LABEL: func.func @layout(
func.func @layout() {
  // expected-remark @+1 {{not planned: its layout is not contiguous}}
  %a = memref.alloc() : memref<8xf64, strided<[2]>>
  return
}

// -----

// CHECK-LABEL: func.func @element_size(
func.func @element_size() {
  // expected-remark @+1 {{not planned: the size of its elements is not known}}
  %a = memref.alloc() : memref<8xmemref<8xf64>>
  return
}

// -----

// A new argument would break the call.
//
// CHECK-LABEL: func.func @called()
func.func @called() {
  // expected-remark @+1 {{not planned: its function is called, and its arguments must stay}}
  %a = memref.alloc() : memref<8xf64>
  return
}
func.func @caller() {
  call @called() : () -> ()
  return
}

// -----

// The next one is there while this one is still used, by an op that may
// allocate it again.
//
// CHECK-LABEL: func.func @beside_the_next_of_a_branch(
func.func @beside_the_next_of_a_branch(%condition: i1, %v: f64,
                                       %start: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  cf.br ^bb1(%start : memref<8xf64>)
^bb1(%x: memref<8xf64>):
  %r = scf.if %condition -> memref<8xf64> {
    // expected-remark @+1 {{not planned: it may be used after the function has allocated it again}}
    %a = memref.alloc() : memref<8xf64>
    memref.store %v, %a[%c0] : memref<8xf64>
    memref.copy %x, %a : memref<8xf64> to memref<8xf64>
    scf.yield %a : memref<8xf64>
  } else {
    scf.yield %x : memref<8xf64>
  }
  cf.cond_br %condition, ^bb1(%r : memref<8xf64>), ^bb2
^bb2:
  memref.store %v, %r[%c0] : memref<8xf64>
  return
}

// -----

// A block of a region may run several times.
//
// CHECK-LABEL: func.func @between_blocks(
func.func @between_blocks(%condition: i1, %v: f64) {
  %c0 = arith.constant 0 : index
  scf.execute_region {
    // expected-remark @+1 {{not planned: it leaves the blocks of 'scf.execute_region'}}
    %a = memref.alloc() : memref<8xf64>
    cf.br ^bb1
  ^bb1:
    memref.store %v, %a[%c0] : memref<8xf64>
    scf.yield
  }
  return
}

// -----

// The first reason in the order of the program.
//
// CHECK-LABEL: func.func @two_reasons(
func.func @two_reasons() -> memref<8xf64> {
  // expected-remark @+1 {{not planned: the effects of 'test.first' on it are not known}}
  %a = memref.alloc() : memref<8xf64>
  "test.first"(%a) : (memref<8xf64>) -> ()
  return %a : memref<8xf64>
}

// -----

// Remarks do not end the pass: other allocations are planned. Errors do, so
// that `strict` reports only the first.
//
// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<64xi8>) -> memref<8xf64>
// CHECK-SAME: tamk.plan = #tamk.plan<arena_bytes = 64, {{.*}}buffers = [<name =
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: memref.view %[[ARENA]]
// CHECK: return %[[A]]
func.func @one_of_two(%v: f64) -> memref<8xf64> {
  %c0 = arith.constant 0 : index
  // expected-remark @+1 {{not planned: it leaves its region by 'func.return'}}
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %v, %b[%c0] : memref<8xf64>
  return %a : memref<8xf64>
}
