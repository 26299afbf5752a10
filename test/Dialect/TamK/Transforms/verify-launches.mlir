// Before bufferization: no op and no encoded tensor of the solver graph.
//
// RUN: tam-opt %s --tamk-verify-launches -split-input-file -verify-diagnostics

func.func @complete(%rows: index, %out: tensor<?x1xf64>) -> tensor<?x1xf64> {
  %0 = tamk.launch "offset" scalars(%rows : index)
      outs(%out : tensor<?x1xf64>) -> tensor<?x1xf64>
  return %0 : tensor<?x1xf64>
}

// -----

func.func @solver_graph(%rows: index) {
  // expected-error @+1 {{'tam.offset' op expected no op of the solver graph}}
  %o = tam.offset %rows : tensor<?x1xf64>
  return
}

// -----

// One-shot bufferization drops encodings: this would become a dense memref.
func.func @encoded_result() {
  // expected-error @+1 {{'tensor.empty' op expected no encoded tensor, got 'tensor<3x3xf64, #tam.dense>'}}
  %0 = tensor.empty() : tensor<3x3xf64, #tam.dense>
  return
}

// -----

func.func @encoded_operand(%a: tensor<3x3xf64, #tam.dense>)
    -> tensor<3x3xf64, #tam.dense> {
  // expected-error @+1 {{'func.return' op expected no encoded tensor, got 'tensor<3x3xf64, #tam.dense>'}}
  return %a : tensor<3x3xf64, #tam.dense>
}
