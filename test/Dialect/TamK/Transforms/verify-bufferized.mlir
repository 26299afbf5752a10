// After bufferization: no tensor, and no copy, since steps never need one.
//
// RUN: tam-opt %s --tamk-verify-bufferized -split-input-file \
// RUN:   -verify-diagnostics

func.func @complete(%rows: index, %out: memref<?x1xf64>) {
  tamk.launch "offset" scalars(%rows : index) outs(%out : memref<?x1xf64>)
  return
}

// -----

func.func @copy(%a: memref<4xf64>, %b: memref<4xf64>) {
  // expected-error @+1 {{'memref.copy' op expected every destination updated in place}}
  memref.copy %a, %b : memref<4xf64> to memref<4xf64>
  return
}

// -----

func.func @result() {
  // expected-error @+1 {{'tensor.empty' op expected no tensor, got 'tensor<4xf64>'}}
  %0 = tensor.empty() : tensor<4xf64>
  return
}

// -----

func.func @operand(%a: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'func.return' op expected no tensor, got 'tensor<4xf64>'}}
  return %a : tensor<4xf64>
}
