// tam.rows: one test per constraint; the comment above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// rows_c1
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected a body from the operands to the results, which are of the accumulators' types, then columns}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%s0: tensor<1xf64, #tam.sums<full>>, %x0: tensor<?xf64>):
    tam.yield %s0 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c1: a column before a sum.
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<?xf64> {
  // expected-error @+1 {{expected a body from the operands to the results, which are of the accumulators' types, then columns}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%x0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    tam.yield %x0 : tensor<?xf64>
  } : tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// rows_c3
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{expected result 0 to be what a tam.predict of the body makes}}
  %r = tam.rows(%x : tensor<?xf64>) {
  ^bb0(%x0: tensor<?xf64>):
    tam.yield %x0 : tensor<?xf64>
  } : tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// rows_c2
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected result 0 to be what one op adds to accumulator 0}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%x0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    tam.yield %s0 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}
