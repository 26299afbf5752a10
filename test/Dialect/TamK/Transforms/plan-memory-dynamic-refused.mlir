// Sizes that are not known when the function is entered, and arenas that have
// no dynamic size.
//
// RUN: tam-opt %s --plan-memory="dynamic=symbolic report=false" \
// RUN:   -split-input-file -verify-diagnostics

func.func @computed(%n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c-1 = arith.constant -1 : index
  %loaded = memref.load %x[%c0] : memref<?xindex>
  // expected-remark @+1 {{not planned: its size is no short sum of products of arguments, their dimensions and constants of 0 or more}}
  %a = memref.alloc(%loaded) : memref<?xf64>
  %less = arith.addi %n, %c-1 : index
  // expected-remark @+1 {{not planned: its size is no short sum of products}}
  %b = memref.alloc(%less) : memref<?xf64>
  %half = arith.divui %n, %n : index
  // expected-remark @+1 {{not planned: its size is no short sum of products}}
  %c = memref.alloc(%half) : memref<?xf64>
  // The counter of a loop is no argument of the function.
  scf.for %i = %c0 to %n step %n {
    // expected-remark @+1 {{not planned: its size is no short sum of products}}
    %d = memref.alloc(%i) : memref<?xf64>
  }
  return
}

// -----

// Each sum is twice the one before.
func.func @long(%n0: index) {
  %n1 = arith.addi %n0, %n0 : index
  %n2 = arith.addi %n1, %n1 : index
  %n3 = arith.addi %n2, %n2 : index
  %n4 = arith.addi %n3, %n3 : index
  %n5 = arith.addi %n4, %n4 : index
  %n6 = arith.addi %n5, %n5 : index
  %n7 = arith.addi %n6, %n6 : index
  %n8 = arith.addi %n7, %n7 : index
  %n9 = arith.addi %n8, %n8 : index
  // expected-remark @+1 {{not planned: its size is no short sum of products}}
  %a = memref.alloc(%n9) : memref<?xf64>
  return
}

// -----

// Allocations that are unsafe with a static size are also unsafe with a dynamic
// one.
func.func @leaves(%n: index) -> memref<?xf64> {
  // expected-remark @+1 {{not planned: it leaves its region by 'func.return'}}
  %a = memref.alloc(%n) : memref<?xf64>
  return %a : memref<?xf64>
}

// -----

func.func @element_size(%n: index) {
  // expected-remark @+1 {{not planned: the size of its elements is not known}}
  %a = memref.alloc(%n) : memref<?xmemref<8xf64>>
  // expected-remark @+1 {{not planned: the size of its elements is not known}}
  %b = memref.alloc(%n) : memref<?xvector<2x!llvm.ptr>>
  // expected-remark @+1 {{not planned: the size of its elements is not known}}
  %c = memref.alloc() : memref<4xvector<2x!llvm.ptr>>
  return
}

// -----

func.func @step(%n: index {tam.slot = #tam.slot<rows>})
    attributes {tam.step = #tam.step<fit_finish>} {
  // expected-remark @+1 {{not planned: its size is not static, as the arena of a step has to be}}
  %a = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

// expected-error @+1 {{expected no 'taken_arena_size', the name of the function of its arena's size}}
func.func @taken(%n: index) {
  %a = memref.alloc(%n) : memref<?xf64>
  %v = memref.load %a[%n] : memref<?xf64>
  return
}
func.func private @taken_arena_size()

// -----

// expected-error @+1 {{no memory plan: a buffer is larger than any memory, whatever its size is made of}}
func.func @too_large(%n: index) {
  %a = memref.alloc(%n) : memref<?x1152921504606846975xf64>
  %v = memref.load %a[%n, %n] : memref<?x1152921504606846975xf64>
  return
}
