// After tiling: every function is a step, every argument and result has a slot.
// A remark names each matrix that is converted for lack of a kernel.
//
// RUN: tam-opt %s --tam-verify-tiled -split-input-file -verify-diagnostics

func.func @complete(%rows: index {tam.slot = #tam.slot<rows>},
                    %b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  return %b : tensor<1xf64>
}

// -----

// expected-error @+1 {{'func.func' op expected a 'tam.step'}}
func.func @no_step() {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a slot of argument 1}}
func.func @no_argument_slot(%rows: index {tam.slot = #tam.slot<rows>},
                            %b: tensor<1xf64>)
    attributes {tam.step = #tam.step<predict>} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a slot of result 0}}
func.func @no_result_slot(%b: tensor<1xf64>
                              {tam.slot = #tam.slot<coefficients>})
    -> tensor<1xf64> attributes {tam.step = #tam.step<predict>} {
  return %b : tensor<1xf64>
}

// -----

func.func @generic(
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %g: tensor<5x9xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<5x9xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    attributes {tam.step = #tam.step<fit_chunk>} {
  %c = tam.category %x {levels = 5} : tensor<?xf64>
      -> tensor<?x5xf64, #tam.one_hot>
  // expected-remark @+1 {{the fit sums products of this term and another one by a kernel for any two terms, which is slower; its results are the same}}
  %sc = tam.convert %c : tensor<?x5xf64, #tam.one_hot>
      -> tensor<?x5xf64, #tam.sparse<1>>
  %s = tam.bspline %x, %p {intervals = 2, degree = 1} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x3xf64, #tam.banded<2>>
  // expected-note @+1 {{the other term is here}}
  %k = tam.kronecker %s, %s : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x3xf64, #tam.banded<2>> -> tensor<?x9xf64, #tam.sparse<4>>
  %0 = tam.gram %sc, %k into %g : tensor<?x5xf64, #tam.sparse<1>>,
      tensor<?x9xf64, #tam.sparse<4>> -> tensor<5x9xf64, #tam.sums<full>>
  return %0 : tensor<5x9xf64, #tam.sums<full>>
}

// -----

// Copies that are dense have kernels of their own.
func.func @dense(
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %g: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>})
    -> (tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>})
    attributes {tam.step = #tam.step<fit_chunk>} {
  %c = tam.category %x {levels = 5} : tensor<?xf64>
      -> tensor<?x5xf64, #tam.one_hot>
  %d = tam.convert %c : tensor<?x5xf64, #tam.one_hot>
      -> tensor<?x5xf64, #tam.dense>
  %0 = tam.gram %d, %d into %g : tensor<?x5xf64, #tam.dense>,
      tensor<?x5xf64, #tam.dense> -> tensor<5x5xf64, #tam.sums<upper>>
  return %0 : tensor<5x5xf64, #tam.sums<upper>>
}

// -----

// expected-error @+1 {{'func.func' op expected a body}}
func.func private @declared() attributes {tam.step = #tam.step<predict>}
