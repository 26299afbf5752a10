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

// tam-tile-rows makes a step of its own of what has this slot.
// expected-error @+1 {{'func.func' op expected no slot 'inference' in a step}}
func.func @inference(%rows: index {tam.slot = #tam.slot<rows>},
                     %out: memref<8x1xf64> {tam.slot = #tam.slot<inference>}) {
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

// A row loop's name is taken, by what is not one.
// expected-error @+1 {{'func.func' op expected no symbol 'own'}}
func.func private @own()
module @row_loops {
  func.func private @own(%out: memref<8xf64>) attributes {tamk.kernel} {
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  // expected-error @+2 {{'func.func' op expected a body and no results of a row loop}}
  // expected-error @+1 {{failed to legalize operation 'func.func'}}
  func.func private @rows_0(memref<8xf64>)
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<8x8xf64>, %i: index) {
    // expected-error @+1 {{'memref.load' op expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<8x8xf64>'}}
    %v = memref.load %x[%i, %i] : memref<8x8xf64>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<8xf64>) {
    // expected-error @+1 {{'memref.subview' op expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<4xf64, strided<[2]>>'}}
    %v = memref.subview %x[0] [4] [2]
        : memref<8xf64> to memref<4xf64, strided<[2]>>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<8xf64>, %i: index) {
    // expected-error @+2 {{'memref.reinterpret_cast' op expected a known offset in a row loop}}
    // expected-error @+1 {{failed to legalize operation 'memref.reinterpret_cast'}}
    %v = memref.reinterpret_cast %x to offset: [%i], sizes: [4], strides: [1]
        : memref<8xf64> to memref<4xf64, strided<[1], offset: ?>>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<?xvector<2xf64>>, %i: index) {
    // expected-error @+1 {{'memref.load' op expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<?xvector<2xf64>>'}}
    %v = memref.load %x[%i] : memref<?xvector<2xf64>>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<?xf64, strided<[2]>>, %i: index) {
    // expected-error @+1 {{'memref.load' op expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<?xf64, strided<[2]>>'}}
    %v = memref.load %x[%i] : memref<?xf64, strided<[2]>>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%i: index) {
    // expected-error @+1 {{expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<4xindex>'}}
    %v = memref.alloca() : memref<4xindex>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%i: index) {
    // expected-error @+1 {{expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<f64>'}}
    %v = memref.alloca() : memref<f64>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  // expected-error @+1 {{expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<2xindex>'}}
  memref.global "private" constant @table : memref<2xindex> = dense<0>
}

// -----

func.func private @step()
module @row_loops {
  // expected-error @+2 {{'func.func' op expected buffers and scalars as arguments of a row loop, got 'tensor<2xf64>'}}
  // expected-error @+1 {{failed to legalize operation 'func.func'}}
  func.func private @rows_0(%x: tensor<2xf64>) {
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%i: index) {
    // expected-error @+2 {{'memref.alloca' op expected a known size in a row loop}}
    // expected-error @+1 {{failed to legalize operation 'memref.alloca'}}
    %v = memref.alloca(%i) : memref<?xf64>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  // expected-error @+2 {{'memref.global' op expected a constant with its elements}}
  // expected-error @+1 {{failed to legalize operation 'memref.global'}}
  memref.global "private" @table : memref<4xf64>
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<8xf64>, %i: index) {
    // expected-error @+2 {{'tamk.launch' op expected a kernel of the runtime, without lists, and all its operands in a row loop}}
    // expected-error @+1 {{failed to legalize operation 'tamk.launch'}}
    tamk.launch "gram_dense_dense" ins(%x, %x : memref<8xf64>, memref<8xf64>)
        absent [2] scalars(%i, %i, %i : index, index, index)
        outs(%x : memref<8xf64>)
    return
  }
}
