// Loops over rows that cannot be written, and modules of loops that have other
// ops.
//
// RUN: tam-opt %s --convert-tam-rows-to-loops -split-input-file \
// RUN:   -verify-diagnostics

// expected-error @+1 {{'func.func' op expected no symbol 'row_loops'}}
func.func private @row_loops()
func.func @predict(%rows: index, %b: tensor<1xf64>) -> tensor<?xf64> {
  %y = tam.rows(%rows, %b : index, tensor<1xf64>) {
  ^bb0(%n: index, %b0: tensor<1xf64>):
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %y0 = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
        coefficients(%b0 : tensor<1xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}
