// Anything that is not a planned step is an error.
//
// RUN: tam-opt %s --convert-tamk-to-llvm -split-input-file -verify-diagnostics
// RUN: tam-opt %s --convert-tamk-to-llvm=table-operands=0 -split-input-file \
// RUN:   -verify-diagnostics

// expected-error @+1 {{'func.func' op expected a step of one block}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a step of one block}}
func.func private @declaration()

// -----

// expected-error @+1 {{'func.func' op expected a slot of argument 0}}
func.func @no_slot(%out: memref<8x1xf64>) {
  %rows = arith.constant 8 : index
  tamk.launch "offset" scalars(%rows : index) outs(%out : memref<8x1xf64>)
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'capacity' to be a constant}}
func.func @capacity(%rows: index {tam.slot = #tam.slot<capacity>},
                    %out: memref<8x1xf64> {tam.slot = #tam.slot<output>}) {
  tamk.launch "offset" scalars(%rows : index) outs(%out : memref<8x1xf64>)
  return
}

// -----

// expected-error @+1 {{'func.func' op expected one memory space}}
func.func @spaces(%arena: memref<64xi8> {tam.slot = #tam.slot<arena, 1>}) {
  %c0 = arith.constant 0 : index
  %0 = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf64>
  return
}

// -----

func.func @offset(%rows: index {tam.slot = #tam.slot<rows>},
                  %arena: memref<64xi8> {tam.slot = #tam.slot<arena>}) {
  // expected-error @+1 {{'memref.view' op expected a constant offset}}
  %0 = memref.view %arena[%rows][] : memref<64xi8> to memref<1xf64>
  return
}

// -----

func.func @allocation() {
  // expected-error @+1 {{'memref.alloc' op expected only launches, views and constants in a planned step}}
  %0 = memref.alloc() : memref<8xf64>
  return
}

// -----

func.func @control_flow(%rows: index {tam.slot = #tam.slot<rows>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op expected only launches, views and constants in a planned step}}
  scf.for %i = %c0 to %rows step %c1 {
  }
  return
}

// -----

// expected-error @+1 {{'memref.global' op expected a constant with its elements}}
memref.global "private" @uninitialized : memref<4xf64>

// -----

llvm.func @rows_0_avx2()

// The name of a copy for an instruction set is taken.
// expected-error @+1 {{'llvm.func' op expected no other symbol 'rows_0_avx2'}}
llvm.func @rows_0(%context: !llvm.ptr, %block: !llvm.ptr, %first: i64,
                  %rows: i64, %out: !llvm.ptr) attributes {tamk.kernel} {
  llvm.return
}

// -----

llvm.func @rows_0_baseline()

// expected-error @+1 {{'llvm.func' op expected no other symbol 'rows_0_baseline'}}
llvm.func @rows_0(%context: !llvm.ptr, %block: !llvm.ptr, %first: i64,
                  %rows: i64, %out: !llvm.ptr) attributes {tamk.kernel} {
  llvm.return
}

// -----

func.func @not_llvm(%out: memref<8xf64> {tam.slot = #tam.slot<output>}) {
  // expected-error @+1 {{'tamk.launch' op expected a function of the LLVM dialect 'own'}}
  tamk.launch "own" outs(%out : memref<8xf64>) {generated}
  return
}

func.func private @own(!llvm.ptr, !llvm.ptr)
