// The last part of the fit has the sums and the number of rows, but no row.
//
// RUN: tam-opt %s --tam-tile-rows -split-input-file -verify-diagnostics

func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  // expected-error @+1 {{'tam.linear' op expected what sums and the number of rows determine, got operand 0}}
  %l = tam.linear %y {scale = 1.0 : f64}
      : tensor<?xf64> -> tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %b = tam.normal_vector(%r : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  %f = tam.predict(%l : tensor<?x1xf64, #tam.dense>)
      coefficients(%b : tensor<1xf64>) : tensor<?xf64>
  return %f : tensor<?xf64>
}

// -----

func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'func.return' op expected what sums and the number of rows determine, got operand 0}}
  return %y : tensor<?xf64>
}
