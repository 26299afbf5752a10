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

// -----

func.func @fit_chunk(%capacity: index {tam.slot = #tam.slot<capacity>}) {
  %n = affine.min affine_map<(d0) -> (d0 - 2000)>(%capacity)
  // expected-error @+1 {{'memref.alloc' op expected 'capacity' rows}}
  %a = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

// Sums need not be numbers to count.
func.func @fit_chunk(
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %s: memref<4xindex> {tam.slot = #tam.slot<state>}) {
  %n = affine.min affine_map<(d0) -> (d0 - 2000)>(%capacity)
  // expected-error @+1 {{'memref.alloc' op expected 'capacity' rows}}
  %a = memref.alloc(%n) : memref<?xf64>
  return
}
