// After tiling: every function is a step, every argument and result has a slot.
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
