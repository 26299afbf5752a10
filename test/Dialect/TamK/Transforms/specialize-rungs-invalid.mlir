// What tamk-specialize-rungs refuses.
//
// RUN: tam-opt %s --tamk-specialize-rungs -split-input-file -verify-diagnostics

// A step before bufferization.
// expected-error @+1 {{'func.func' op expected a step on memrefs, got an argument of 'tensor<1xf64, #tam.sums<full>>'}}
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %s: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  return %s : tensor<1xf64, #tam.sums<full>>
}
