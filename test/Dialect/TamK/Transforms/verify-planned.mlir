// After planning: every function has a plan, and none allocates.
//
// RUN: tam-opt %s --tamk-verify-planned -split-input-file -verify-diagnostics

func.func @complete(%arena: memref<64xi8>) attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf64>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a 'tamk.plan'}}
func.func @no_plan() {
  return
}

// -----

func.func @heap() attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  // expected-error @+1 {{'memref.alloc' op expected no allocation after planning}}
  %0 = memref.alloc() : memref<8xf64>
  return
}

// -----

func.func @stack() attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  // expected-error @+1 {{'memref.alloca' op expected no allocation after planning}}
  %0 = memref.alloca() : memref<8xf64>
  return
}

// -----

func.func @free(%a: memref<8xf64>) attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  // expected-error @+1 {{'memref.dealloc' op expected no allocation after planning}}
  memref.dealloc %a : memref<8xf64>
  return
}

// -----

// Inside a region too.
func.func @nested(%n: index) attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{'memref.alloc' op expected no allocation after planning}}
    %0 = memref.alloc() : memref<8xf64>
  }
  return
}
